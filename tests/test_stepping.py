"""Clicking one checker at a time, against the reference's list of legal sequences."""

from __future__ import annotations

import random

import pytest

from bgfast import IllegalPlayError, Position, reference
from bgfast.stepping import Move

from .positions import SOURCES, is_possible
from .test_generator import ORDERED_ROLLS

SMALL = ["last_checkers", "last_checkers_home", "bearing_off", "nearly_home", "bar_heavy", "walls"]


@pytest.mark.parametrize("source", SMALL)
def test_next_moves_are_those_of_the_legal_sequences(source: str) -> None:
    rng = random.Random(source)
    boards = [board for board in (SOURCES[source](rng) for _ in range(25)) if is_possible(board)]
    for board in boards:
        position = Position.from_array(board)
        for roll in rng.sample(ORDERED_ROLLS, 6):
            follow: dict[tuple[Move, ...], set[Move]] = {(): set()}
            whole = set()
            for steps, _ in reference.legal_sequences(board, *roll):
                moves = tuple(Move(*step) for step in steps)
                whole.add(moves)
                for i, move in enumerate(moves):
                    follow.setdefault(moves[:i], set()).add(move)
            prefixes = list(follow)
            for so_far in rng.sample(prefixes, min(40, len(prefixes))):
                found, complete = position.next_moves(roll, so_far)
                assert len(found) == len(set(found))
                assert set(found) == follow[so_far], (board, roll, so_far)
                assert complete == (not follow[so_far])
            for moves in rng.sample(sorted(whole), min(20, len(whole))):
                assert position.next_moves(roll, moves) == ((), True)
                # The die may be left out.
                pairs = [(move.from_, move.to) for move in moves]
                assert position.play(pairs, roll) == position.play(moves, roll)


def test_a_bear_off_by_either_die_leaves_both_open() -> None:
    # From 3 a checker goes off with the 6 or with the 4; a second one still has to go.
    position = Position.from_array([0, 0, 1, 1] + [0] * 20 + [-2, 0])
    assert position.next_moves((6, 4), [(3, 0)]).moves == (Move(6, 2, 0, False), Move(4, 2, 0, False))
    assert position.next_moves((6, 4), [(6, 3, 0)]).moves == (Move(4, 2, 0, False),)
    assert position.play([(3, 0), (2, 0)], (6, 4)).phase == "over"


def test_a_move_that_would_strand_the_other_die_is_not_offered() -> None:
    # 24/18 would leave no 3; both numbers can be played, so both must be.
    position = Position.from_array([0, -2, 0, 0, 0, 0, -2, 0, 0, 1, 0, 0, 0, 0, 0, -2] + [0] * 8 + [1, 0])
    assert [(move.from_, move.to) for move in position.next_moves((6, 3)).moves] == [(9, 3), (24, 21)]
    with pytest.raises(IllegalPlayError, match="move 1, 24/18"):
        position.next_moves((6, 3), [(24, 18)])


def test_only_the_higher_die_is_offered_when_not_both_fit() -> None:
    position = Position.from_array([0] * 14 + [-2] + [0] * 9 + [1, 0])
    assert position.next_moves((6, 4)).moves == (Move(6, 24, 18, False),)
    assert position.next_moves((4, 6), [(24, 18)]) == ((), True)


def test_hits_are_said() -> None:
    position = Position.from_array([0] * 18 + [-1] + [0] * 5 + [1, 0])
    assert Move(6, 24, 18, True) in position.next_moves((6, 1)).moves


def test_many_plays_come_in_time() -> None:
    # 2,226 different plays; a person clicks, so the answer may not take a second.
    position = Position.from_gnubg_id("AAABRSkppZQCAA")
    moves, complete = position.next_moves((1, 1))
    assert len(moves) > 5
    assert not complete
