"""Hypothesis strategies that draw boards."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.support.positions import Board, is_possible


@st.composite
def any_positions(draw: st.DrawFn) -> Board:
    """Draw a board with checkers of both sides; examples shrink towards few checkers on low points."""
    own = draw(st.lists(st.integers(1, 25), min_size=1, max_size=15))
    board = [0] * 26
    for point in own:
        board[point] += 1
    for point in draw(st.lists(st.integers(0, 24), min_size=1, max_size=15)):
        board[point if board[point] <= 0 else 0] -= 1
    return tuple(board)


def possible_positions() -> st.SearchStrategy[Board]:
    """Return a strategy for possible, unfinished positions."""
    return any_positions().filter(is_possible)


@st.composite
def boards(draw: st.DrawFn) -> list[int]:
    """Draw any board that position IDs encode: up to 15 checkers per side, including bars and tall stacks."""
    points = draw(st.permutations(range(1, 25)))
    split = draw(st.integers(0, 24))
    board = [0] * 26
    for sign, cells in ((1, [25, *points[:split]]), (-1, [0, *points[split:]])):
        for cell in draw(st.lists(st.sampled_from(cells), max_size=15)):
            board[cell] += sign
    return board
