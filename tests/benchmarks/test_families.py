"""Families of positions: a case for each sentence of their definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import bgfast
from benchmarks.families import family_of
from bgfast import Position
from bgfast.learning.contested_decisions import FAMILIES, Family

Checkers = Mapping[int, int]
"""Number of checkers by point, as the player numbers the points; 25 is the bar."""

START: Checkers = {24: 2, 13: 5, 8: 3, 6: 5}


def position(mover: Checkers, opponent: Checkers) -> Position:
    """Return the position with these checkers; all other checkers are borne off."""
    board = [0] * 26
    for point, count in mover.items():
        board[point] = count
    for point, count in opponent.items():
        assert not board[25 - point], "both players have the point"
        board[25 - point] = -count
    return Position.from_array(board)


HOME_15: Checkers = {6: 3, 5: 3, 4: 3, 3: 3, 2: 3}

CASES: list[tuple[Family, Checkers, Checkers]] = [
    ("opening", START, START),
    ("opening", {24: 2, 13: 5, 8: 2, 6: 4, 5: 2}, {24: 1, 22: 1, 13: 4, 11: 1, 8: 3, 6: 5}),
    ("opening", {24: 2, 13: 2, 8: 6, 6: 5}, START),  # three checkers have moved
    ("contact", {24: 2, 13: 1, 8: 7, 6: 5}, START),  # four checkers have moved
    ("contact", START, {24: 2, 13: 1, 8: 7, 6: 5}),
    # Without contact, the family depends on the mover's checkers only.
    ("bear-off", HOME_15, {7: 15}),
    ("bear-off", {1: 1}, {2: 2}),
    ("long race", {**HOME_15, 6: 2, 7: 1}, HOME_15),
    # With contact, either player may be the one who bears off.
    ("bear-off with contact", HOME_15, {24: 2, 6: 5, 5: 4, 4: 4}),
    ("bear-off with contact", {24: 2, 6: 5, 5: 4, 4: 4}, HOME_15),
    ("bear-off with contact", {25: 1, 6: 5, 5: 5, 4: 4}, {6: 2, 5: 2}),
    # One or two checkers are back without an anchor; all other checkers are at home or off.
    ("containment", {25: 1, 6: 4, 5: 4, 4: 4}, {8: 2, 7: 2, 6: 3, 5: 3, 4: 3, 3: 2}),
    ("containment", {8: 2, 7: 2, 6: 3, 5: 3, 4: 3, 3: 2}, {25: 1, 6: 4, 5: 4, 4: 4}),
    ("containment", {22: 1, 14: 1, 6: 5, 5: 4, 4: 4}, {8: 5, 6: 5, 13: 5}),
    ("contact", {22: 1, 14: 2, 6: 5, 5: 4, 4: 3}, {8: 5, 6: 5, 13: 5}),  # three checkers are outside home
    ("contact", {14: 1, 13: 1, 6: 5, 5: 4, 4: 4}, {13: 5, 8: 5, 6: 5}),  # no checker is back
    ("contact", {24: 2, 6: 5, 5: 4, 4: 4}, {13: 5, 8: 5, 6: 5}),  # the back checkers form an anchor
    # A back game needs two anchors and at least 30 pips more than the opponent has.
    ("back game", {24: 2, 22: 2, 13: 3, 8: 4, 6: 4}, {13: 2, 8: 3, 6: 4, 5: 3, 4: 3}),
    ("back game", {13: 2, 8: 3, 6: 4, 5: 3, 4: 3}, {24: 2, 22: 2, 13: 3, 8: 4, 6: 4}),
    ("contact", {24: 2, 22: 2, 6: 4, 5: 4, 4: 3}, {13: 5, 8: 3, 6: 4, 5: 3}),  # only 20 pips more
    ("contact", {24: 2, 22: 1, 13: 4, 8: 4, 6: 4}, {13: 2, 8: 3, 6: 4, 5: 3, 4: 3}),  # only one anchor
    # A player has five points in a row that an opposing checker has yet to pass, or both players have four.
    ("priming", {13: 3, 8: 2, 7: 2, 6: 2, 5: 2, 4: 2, 2: 2}, {24: 1, 13: 5, 8: 5, 6: 4}),
    ("priming", {24: 1, 13: 5, 8: 5, 6: 4}, {13: 3, 8: 2, 7: 2, 6: 2, 5: 2, 4: 2, 2: 2}),
    ("contact", {13: 5, 8: 2, 7: 2, 6: 2, 5: 2, 2: 2}, {24: 1, 13: 5, 8: 5, 6: 4}),  # only four points
    ("contact", {13: 5, 9: 1, 8: 2, 6: 3, 5: 2, 4: 2}, {24: 1, 13: 5, 8: 5, 6: 4}),  # the prime has a gap
    ("priming", {24: 2, 13: 4, 8: 2, 7: 2, 6: 3, 5: 2}, {24: 2, 13: 4, 7: 2, 6: 3, 5: 2, 4: 2}),
    # A prime that the last checker has already passed does not count.
    ("contact", {13: 3, 8: 2, 7: 2, 6: 2, 5: 2, 4: 2, 14: 2}, {16: 1, 13: 5, 8: 5, 6: 4}),
    # A checker is on the bar against three closed points.
    ("blitz and bar", {25: 1, 24: 1, 13: 5, 8: 3, 6: 5}, {13: 5, 8: 3, 6: 3, 5: 2, 4: 2}),
    ("blitz and bar", {13: 5, 8: 3, 6: 3, 5: 2, 4: 2}, {25: 1, 24: 1, 13: 5, 8: 3, 6: 5}),
    ("contact", {25: 1, 24: 1, 13: 5, 8: 3, 6: 5}, {13: 5, 9: 5, 6: 3, 5: 2}),  # two points are closed
    # A player has an advanced anchor, and no opposing checker is at home or on the bar.
    ("holding", {20: 2, 13: 3, 8: 5, 6: 5}, {13: 5, 8: 5, 6: 5}),
    ("holding", {13: 5, 8: 5, 6: 5}, {18: 2, 13: 3, 8: 5, 6: 5}),
    ("contact", {24: 2, 13: 1, 8: 5, 7: 2, 6: 5}, {13: 5, 8: 3, 7: 2, 6: 5}),  # the anchor is not advanced
    ("contact", {20: 2, 13: 3, 8: 5, 6: 5}, {24: 1, 13: 5, 8: 4, 6: 5}),  # the opponent has a back checker
    ("contact", {20: 2, 18: 2, 13: 3, 8: 3, 6: 5}, {13: 5, 8: 5, 6: 5}),  # there are two anchors
]


def test_families_follow_their_definitions() -> None:
    for family, mover, opponent in CASES:
        assert family_of(position(mover, opponent)) == family
        if family not in ("bear-off", "long race"):  # either player may be on roll
            assert family_of(position(opponent, mover)) == family
    assert {family for family, _, _ in CASES} == set(FAMILIES) == set(get_args(Family))
    boards = bgfast.random_positions(300, seed=1)
    assert {family_of(Position.from_array(board)) for board in boards} <= set(FAMILIES)
