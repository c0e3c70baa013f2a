"""Models of the cube's efficiency."""

from __future__ import annotations

import numpy as np
import pytest

from bgfast import BgfastError, Position, cube_efficiencies, random_positions


def race(pips: int) -> list[int]:
    """A race with so many pips of the mover: on points 12, 7 and 2, the opponent home but for one."""
    board = [0] * 26
    while pips >= 12:
        board[12], pips = board[12] + 1, pips - 12
    if pips:
        board[pips] += 1
    board[18], board[20] = -1, -3
    return board


def test_gnubgs_model() -> None:
    boards = [
        Position.start().to_array(),
        *(race(pips) for pips in (12, 36, 64, 100, 132)),
        [0] * 5 + [2] + [0] * 15 + [-2] + [0] * 4,
    ]
    np.testing.assert_allclose(
        cube_efficiencies(boards, "gnubg"), [0.68, 0.6, 0.6, 0.55 + 64 / 800, 0.55 + 100 / 800, 0.7, 0.6]
    )


def test_the_model_of_bgfast_goes_by_the_kind_of_position() -> None:
    for phase in ("contact", "race", "bearoff"):
        found = cube_efficiencies(random_positions(50, 3, phase=phase))
        assert (found == found[0]).all()
        assert 0.5 < found[0] < 0.8


def test_what_is_refused() -> None:
    with pytest.raises(BgfastError, match="efficiency model 'xg'; expected 'bgfast' or 'gnubg'"):
        cube_efficiencies([Position.start()], "xg")
    with pytest.raises(BgfastError, match=r"boards of shape \(1, 3\)"):
        cube_efficiencies([[1, 2, 3]])
