"""The printed board: literal boards, and properties that hold for every position."""

from __future__ import annotations

import re
from textwrap import dedent

from hypothesis import given, settings
from hypothesis import strategies as st

from bgfast.position.board_text import board_text
from tests.support.positions import board_with
from tests.support.strategies import boards

START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]


def remove_indent(text):
    return dedent(text).strip("\n")


def board_of_text(text):
    """Parse a printed board, using only its columns."""
    lines = text.splitlines()
    top_columns = {0: 20} | {13 + i: 1 + 3 * i for i in range(6)} | {19 + i: 24 + 3 * i for i in range(6)}
    bottom_columns = {25 - point: column for point, column in top_columns.items()}
    board = [0] * 26
    for columns, rows in ((top_columns, lines[1:6]), (bottom_columns, lines[11:6:-1])):
        for point, column in columns.items():
            cells = [row[column : column + 3].strip() for row in rows]
            height = int(cells[4]) if cells[4].isdigit() else sum(map(bool, cells))
            board[point] = height * {"X": 1, "O": -1, "": 0}[cells[0]]
    return board


def test_drawing_of_the_starting_position():
    assert board_text(START) == remove_indent("""
        +13-14-15-16-17-18------19-20-21-22-23-24-+   O: pips 167, off 0
        | X           O    |   | O              X |
        | X           O    |   | O              X |
        | X           O    |   | O                |
        | X                |   | O                |
        | X                |   | O                |
        |                  |BAR|                  |   X on roll
        | O                |   | X                |
        | O                |   | X                |
        | O           X    |   | X                |
        | O           X    |   | X              O |
        | O           X    |   | X              O |
        +12-11-10--9--8--7-------6--5--4--3--2--1-+   X: pips 167, off 0
    """)


def test_drawing_of_tall_stacks_and_both_bars():
    board = board_with({0: -8, 13: -6, 1: -1, 25: 2, 24: 6, 12: 5, 7: 1})
    assert board_text(board) == remove_indent("""
        +13-14-15-16-17-18------19-20-21-22-23-24-+   O: pips 296, off 0
        | O                | O |                X |
        | O                | O |                X |
        | O                | O |                X |
        | O                | O |                X |
        | 6                | 8 |                6 |
        |                  |BAR|                  |   X on roll
        | X                |   |                  |
        | X                |   |                  |
        | X                |   |                  |
        | X                | X |                  |
        | X              X | X |                O |
        +12-11-10--9--8--7-------6--5--4--3--2--1-+   X: pips 261, off 1
    """)


def test_drawing_of_a_won_position():
    assert board_text(board_with({23: -2, 24: -12})) == remove_indent("""
        +13-14-15-16-17-18------19-20-21-22-23-24-+   O: pips 16, off 1
        |                  |   |             O  O |
        |                  |   |             O  O |
        |                  |   |                O |
        |                  |   |                O |
        |                  |   |               12 |
        |                  |BAR|                  |   X has won
        |                  |   |                  |
        |                  |   |                  |
        |                  |   |                  |
        |                  |   |                  |
        |                  |   |                  |
        +12-11-10--9--8--7-------6--5--4--3--2--1-+   X: pips 0, off 15
    """)


def test_status_of_a_lost_hypergammon_position():
    lines = board_text(board_with({3: 1, 25: 1}), checkers=3).splitlines()
    assert lines[0].endswith("O: pips 0, off 3")
    assert lines[6].endswith("|   O has won")


def test_an_empty_board_has_no_winner():
    lines = board_text([0] * 26).splitlines()
    assert lines[6].endswith("|   no checkers")


@settings(max_examples=30)
@given(boards())
def test_every_board_can_be_read_back(board):
    assert board_of_text(board_text(board)) == board


@settings(max_examples=30)
@given(boards(), st.integers(15, 20))
def test_size_and_pip_counts_of_every_drawing(board, checkers):
    text = board_text(board, checkers=checkers)
    lines = text.split("\n")
    assert text.isascii()
    assert len(lines) == 13
    assert all(line == line.rstrip() for line in lines)
    assert {len(line) for index, line in enumerate(lines) if index % 6} == {43}
    x_points = {index: n for index, n in enumerate(board) if n > 0}
    o_points = {25 - index: -n for index, n in enumerate(board) if n < 0}
    for line, side, counts in ((lines[0], "O", o_points), (lines[12], "X", x_points)):
        pips = sum(point * n for point, n in counts.items())
        assert line[43:] == f"   {side}: pips {pips}, off {checkers - sum(counts.values())}"


@settings(max_examples=30)
@given(boards())
def test_swapping_the_sides_swaps_the_drawing(board):
    def grid(position):
        return [line[1:42] for line in board_text(position).split("\n")[1:12]]

    swapped_grid = [re.sub("[XO]", lambda m: "O" if m[0] == "X" else "X", line) for line in grid(board)[::-1]]
    assert grid([-n for n in reversed(board)]) == swapped_grid
