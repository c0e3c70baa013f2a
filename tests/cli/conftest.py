"""Networks that are loaded once for all tests of commands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from bgfast import Network


@pytest.fixture(autouse=True, scope="session")
def _networks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("builtin", "builtin_fast"):
            patch.setattr(Network, name, cache(getattr(Network, name)))
        yield
