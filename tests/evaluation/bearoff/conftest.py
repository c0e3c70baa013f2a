"""Bear-off databases that the tests of this package share."""

from __future__ import annotations

import pytest

from bgfast.evaluation.bearoff.bearoff import Bearoff


@pytest.fixture(scope="session")
def bearoff(tmp_path_factory: pytest.TempPathFactory) -> Bearoff:
    return Bearoff(folder=tmp_path_factory.mktemp("databases"))
