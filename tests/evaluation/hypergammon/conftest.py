"""Games with one and two checkers a side, solved."""

from __future__ import annotations

from pathlib import Path

import pytest

from bgfast.evaluation.hypergammon.solver import PlayLists, list_plays, solve_tables


@pytest.fixture(scope="session")
def one() -> PlayLists:
    return list_plays(1)


@pytest.fixture(scope="session")
def two() -> PlayLists:
    return list_plays(2, threads=2)


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File of the game with two checkers a side."""
    path = tmp_path_factory.mktemp("tables") / "two.bghyper"
    solve_tables(path, checkers=2, threads=2)
    return path
