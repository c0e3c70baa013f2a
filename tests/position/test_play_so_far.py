"""Unfinished turns: board and text after some moves, and joined moves of several dice."""

from __future__ import annotations

import pytest

import bgfast
from bgfast import Move, Position
from tests.support.rule_cases import RULE_SETS

START = Position.start()


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_every_beginning_of_a_play(rules: bgfast.RuleSet) -> None:
    for position in (START, Position.from_array([0, -2, 1, 2, 1, 2, 1] + [0] * 19)):
        for roll in bgfast.ROLLS[::3]:
            plays = position.plays(roll, rules)
            for play, after in zip(plays[:4], plays.boards, strict=False):
                for count in range(len(play.moves) + 1):
                    so_far = position.play_so_far(roll, play.moves[:count], rules)
                    following = position.next_moves(roll, play.moves[:count], rules)
                    assert (so_far.next_moves, so_far.complete) == (following.moves, following.complete)
                    assert [(move.from_, move.to) for move in so_far.moves] == list(play.moves[:count])
                assert so_far.complete
                assert so_far.board == tuple(after)
                if rules.forfeit == "never":
                    assert so_far.text == str(play)


def test_the_start_of_a_turn() -> None:
    so_far = START.play_so_far((3, 1), [])
    assert (so_far.board, so_far.moves, so_far.text) == (tuple(START), (), "")
    assert not so_far.complete


def test_one_checker_moved_with_both_dice() -> None:
    so_far = START.play_so_far((4, 2), [(24, 18)])
    assert so_far.complete
    assert [move.from_ for move in so_far.moves] == [24, so_far.moves[0].to]
    assert START.play([(24, 18)], (4, 2)) == START.play("24/18", (4, 2))
    doubles = START.play_so_far((2, 2), [(13, 7), (24, 22)])
    assert doubles.text == "24/22 13/7"
    assert [move.die for move in doubles.moves] == [2] * 4
    assert START.next_moves((2, 2), [(13, 7)]) == START.next_moves((2, 2), [(13, 11), (11, 9), (9, 7)])


def test_paths_with_different_hits() -> None:
    board = [0] * 26
    board[24], board[20], board[6], board[1] = 1, -1, 3, -2
    position = Position.from_array(board)
    assert position.play_so_far((4, 2), [(24, 20), (20, 18)]).text == "24/20*/18"
    board[22] = -2
    assert Position.from_array(board).play_so_far((4, 2), [(24, 18)]).moves == (
        Move(4, 24, 20, True),
        Move(2, 20, 18, False),
    )


def test_bearing_off_with_several_dice() -> None:
    position = Position.from_array([0, -2, 0, 0, 0, 0, 1] + [0] * 19)
    assert [move[:3] for move in position.play_so_far((4, 3), [(6, 0)]).moves] == [(4, 6, 2), (3, 2, 0)]


def test_forfeits() -> None:
    board = [0] * 26
    board[4], board[24] = 1, -2
    so_far = Position.from_array(board).play_so_far((4, 1), [(4, 3), (4, 4)], "exact")
    assert so_far.text == "4/3 F4"
    assert so_far.complete
    assert Position.from_array(board).play_so_far((4, 1), "4/3 F4", "exact") == so_far
    assert START.play_so_far("31", " ") == START.play_so_far("31", [])
