"""Fixtures of solved games with one checker per side or, in slow tests, two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bgfast.evaluation.hypergammon.solver import PlayLists, list_plays, solve_tables
from bgfast.evaluators import Hypergammon


@pytest.fixture(scope="session", params=[1, pytest.param(2, marks=pytest.mark.slow)])
def lists(request: Any) -> PlayLists:
    """Return the plays of the game with one or two checkers per side."""
    return list_plays(request.param, threads=2)


@pytest.fixture(scope="session")
def small_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the tables for one checker per side."""
    path = tmp_path_factory.mktemp("tables") / "one.bghyper"
    solve_tables(path, checkers=1)
    return path


@pytest.fixture(scope="session")
def tables_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of the tables for two checkers per side."""
    path = tmp_path_factory.mktemp("tables") / "two.bghyper"
    solve_tables(path, checkers=2, threads=2)
    return path


@pytest.fixture(scope="session")
def tables(tables_path: Path) -> Hypergammon:
    """Return the tables for two checkers per side."""
    return Hypergammon(tables_path)
