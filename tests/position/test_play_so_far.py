"""Unfinished turns: board and text after some moves, and moves that use several dice."""

from __future__ import annotations

import pytest

import bgfast
from bgfast import Move, Position
from tests.support.rule_cases import RULE_SETS

START = Position.start()


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_every_prefix_of_a_play_agrees_with_the_next_moves(rules: bgfast.RuleSet) -> None:
    for position in (START, Position.from_array([0, -2, 1, 2, 1, 2, 1] + [0] * 19)):
        for roll in bgfast.ROLLS[::3]:
            plays = position.plays(roll, rules)
            for play, end_board in zip(plays[:4], plays.boards, strict=False):
                for count in range(len(play.moves) + 1):
                    turn = position.play_so_far(roll, play.moves[:count], rules)
                    next_moves = position.next_moves(roll, play.moves[:count], rules)
                    assert (turn.next_moves, turn.complete) == (next_moves.moves, next_moves.complete)
                    assert [(move.from_, move.to) for move in turn.moves] == list(play.moves[:count])
                assert turn.complete
                assert turn.board == tuple(end_board)
                if rules.forfeit == "never":
                    assert turn.text == str(play)


def test_an_empty_turn_leaves_the_board_unchanged() -> None:
    turn = START.play_so_far((3, 1), [])
    assert (turn.board, turn.moves, turn.text) == (tuple(START), (), "")
    assert not turn.complete


def test_a_move_with_several_dice_is_split() -> None:
    turn = START.play_so_far((4, 2), [(24, 18)])
    assert turn.complete
    assert [move.from_ for move in turn.moves] == [24, turn.moves[0].to]
    assert START.play([(24, 18)], (4, 2)) == START.play("24/18", (4, 2))
    doubles = START.play_so_far((2, 2), [(13, 7), (24, 22)])
    assert doubles.text == "24/22 13/7"
    assert [move.die for move in doubles.moves] == [2] * 4
    assert START.next_moves((2, 2), [(13, 7)]) == START.next_moves((2, 2), [(13, 11), (11, 9), (9, 7)])


def test_a_hit_on_the_way_is_reported() -> None:
    board = [0] * 26
    board[24], board[20], board[6], board[1] = 1, -1, 3, -2
    position = Position.from_array(board)
    assert position.play_so_far((4, 2), [(24, 20), (20, 18)]).text == "24/20*/18"
    board[22] = -2
    assert Position.from_array(board).play_so_far((4, 2), [(24, 18)]).moves == (
        Move(4, 24, 20, True),
        Move(2, 20, 18, False),
    )


def test_a_bear_off_with_several_dice_is_split() -> None:
    position = Position.from_array([0, -2, 0, 0, 0, 0, 1] + [0] * 19)
    assert [move[:3] for move in position.play_so_far((4, 3), [(6, 0)]).moves] == [(4, 6, 2), (3, 2, 0)]


def test_text_with_a_forfeit() -> None:
    board = [0] * 26
    board[4], board[24] = 1, -2
    turn = Position.from_array(board).play_so_far((4, 1), [(4, 3), (4, 4)], "exact")
    assert turn.text == "4/3 F4"
    assert turn.complete
    assert Position.from_array(board).play_so_far((4, 1), "4/3 F4", "exact") == turn
    assert START.play_so_far("31", " ") == START.play_so_far("31", [])
