"""Games with one and two checkers a side, solved."""

from __future__ import annotations

import pytest

from bgfast.evaluation.hypergammon.solver import PlayLists, list_plays


@pytest.fixture(scope="session")
def one() -> PlayLists:
    return list_plays(1)


@pytest.fixture(scope="session")
def two() -> PlayLists:
    return list_plays(2, threads=2)
