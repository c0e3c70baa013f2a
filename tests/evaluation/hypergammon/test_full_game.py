"""Solution of the game with three checkers per side, which takes many minutes and 6.5 GB of memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bgfast import Decision, Position
from bgfast.evaluation.hypergammon.solver import solve_tables
from bgfast.evaluation.hypergammon.tables import MONEY, read_header, table_at
from bgfast.evaluators import Hypergammon
from tests.evaluation.hypergammon.test_solver import boards_at
from tests.support.few_checkers import Board, cube_values, cubeless_row, plays_of

SAMPLE_SIZE = 40


def check_tables(path: Path) -> None:
    """Compare sampled values with one slow step of iteration, and the start's equity with its known value."""
    header = read_header(str(path))
    tables = {entry.name: table_at(str(path), header, i) for i, entry in enumerate(header.tables)}
    hypergammon = Hypergammon(path)
    index = hypergammon._positions

    def money_equities(boards: list[Board]) -> np.ndarray:
        return MONEY.begin_turn(np.array(tables["money"][index.indices(np.array(boards, np.int8))]))

    def cubeless_values(board: Board) -> tuple[float, ...]:
        row = tables["cubeless"][index.indices(np.array([board], np.int8))[0]]
        return *row.tolist(), float(2 * row[0] - 1 + row[1] - row[3] + row[2] - row[4])

    indices = np.random.default_rng(1).integers(0, index.size, SAMPLE_SIZE)
    for board in map(tuple, boards_at(index, indices).tolist()):
        plays = plays_of(board, 3)
        expected = cube_values(plays, lambda successor: tuple(money_equities([successor])[0].tolist()))
        assert money_equities([board])[0].tolist() == pytest.approx(expected, abs=2e-9)
        assert cubeless_values(board) == pytest.approx(cubeless_row(plays, cubeless_values), abs=2e-9)
    start = Position.hypergammon()
    actions = hypergammon.cube_actions([start], Decision(position=start))
    assert actions.no_double[0] == pytest.approx(0.157621, abs=1e-6)


@pytest.mark.long
def test_the_game_with_three_checkers_is_solved(tmp_path: Path) -> None:
    path = tmp_path / "hypergammon.bghyper"
    header = solve_tables(path, threads=2)
    assert all(entry.residual is not None and entry.residual < 1e-9 for entry in header.tables)
    assert path.stat().st_size < 2e9
    check_tables(path)
