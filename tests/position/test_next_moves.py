"""Next moves, compared with the legal sequences of the reference."""

from __future__ import annotations

import copy
import json
import pickle
import random

import numpy as np
import pytest

from bgfast import EXACT, IllegalPlayError, Position, RuleSet, reference
from bgfast.position.next_moves import Move, final_board, play_so_far
from bgfast.position.turn import Turn
from tests.support.positions import ORDERED_ROLLS, SOURCES, Board, is_possible
from tests.support.rule_cases import RULES, rule_cases

SOURCE_NAMES = ["last_checkers", "last_checkers_home", "bearing_off", "nearly_home", "bar_heavy", "walls"]


def test_a_bear_off_by_either_die_leaves_the_other_die() -> None:
    # Either die bears off the checker on 3; the checker on 2 still has to be borne off.
    position = Position.from_array([0, 0, 1, 1] + [0] * 20 + [-2, 0])
    assert position.next_moves((6, 4), [(3, 0)]).moves == (Move(6, 2, 0, False), Move(4, 2, 0, False))
    assert position.next_moves((6, 4), [(6, 3, 0)]).moves == (Move(4, 2, 0, False),)
    assert position.play([(3, 0), (2, 0)], (6, 4)).phase == "over"


def test_a_move_that_would_strand_the_other_die_is_not_offered() -> None:
    # 24/18 would leave no legal 3; both dice can be played, so both must be.
    position = Position.from_array([0, -2, 0, 0, 0, 0, -2, 0, 0, 1, 0, 0, 0, 0, 0, -2] + [0] * 8 + [1, 0])
    assert [(move.from_, move.to) for move in position.next_moves((6, 3)).moves] == [(9, 3), (24, 21)]


def test_only_the_higher_die_is_offered_if_only_one_can_be_played() -> None:
    position = Position.from_array([0] * 14 + [-2] + [0] * 9 + [1, 0])
    assert position.next_moves((6, 4)).moves == (Move(6, 24, 18, False),)
    moves = position.next_moves((4, 6), [(24, 18)])
    assert (tuple(moves), moves.complete) == ((), True)


def test_moves_report_hits() -> None:
    position = Position.from_array([0] * 18 + [-1] + [0] * 5 + [1, 0])
    assert Move(6, 24, 18, True) in position.next_moves((6, 1)).moves


def test_next_moves_of_a_roll_with_many_plays() -> None:
    # 2,226 different plays; interactive boards need an answer within a second.
    position = Position.from_gnubg_id("AAABRSkppZQCAA")
    moves = position.next_moves((1, 1))
    assert len(moves) > 5
    assert not moves.complete


def test_next_moves_are_a_sequence_of_moves() -> None:
    moves = Position.start().next_moves("31", "8/5")
    assert [str(move) for move in moves] == [str(move) for move in moves.moves]
    assert moves[1] == Move(1, 8, 7, False)
    for duplicate in (pickle.loads(pickle.dumps(moves)), copy.deepcopy(moves)):
        assert (tuple(duplicate), duplicate.complete) == (moves.moves, False)
    assert Position.start().next_moves("31", "6/5 8/5").complete
    assert json.loads(json.dumps(moves))[0] == [1, 24, 23, False]


def check_next_moves(board: Board, roll: tuple[int, int], rules: RuleSet, rng: random.Random) -> np.ndarray:
    """Compare with the reference; return the numbers of turns that may forfeit and that may end early."""
    counts = np.zeros(2, int)
    continuations: dict[tuple[Move, ...], set[Move]] = {(): set()}
    end_boards = {}
    for steps, end_board in reference.legal_sequences(board, *roll, rules):
        moves = tuple(Move(*step) for step in steps)
        end_boards[moves] = end_board
        for i, move in enumerate(moves):
            continuations.setdefault(moves[:i], set()).add(move)
        continuations.setdefault(moves, set())
    if not end_boards:
        end_boards[()] = tuple(board)
    for prefix in rng.sample(sorted(continuations), min(20, len(continuations))):
        turn = Turn(board, roll, rules)
        next_moves, is_complete = play_so_far(turn, prefix)[3:]
        assert len(next_moves) == len(set(next_moves))
        assert set(next_moves) == continuations[prefix], (board, roll, prefix)
        assert is_complete == (prefix in end_boards)
        counts += any(move.from_ == move.to for move in next_moves), is_complete and bool(next_moves)
        if is_complete:
            assert final_board(turn, prefix) == end_boards[prefix]
            # Moves are also accepted without their die.
            assert final_board(turn, [move[1:3] for move in prefix]) == end_boards[prefix]
        else:
            with pytest.raises(IllegalPlayError, match=r"not complete: [1-6]( and [1-6])* can still be"):
                final_board(turn, prefix)
    return counts


def test_next_moves_continue_legal_sequences_under_any_rules() -> None:
    for rules in RULES.values():
        rng = random.Random(repr(rules))
        boards = filter(is_possible, [SOURCES[rng.choice(SOURCE_NAMES)](rng) for _ in range(24)])
        forfeit_count, optional_count = sum(
            check_next_moves(board, rng.choice(ORDERED_ROLLS), rules, rng) for board in boards
        )
        assert (forfeit_count > 0) == (rules.forfeit != "never")
        # Without forfeits a play that can be continued is not complete.
        assert rules.forfeit != "never" or not optional_count


def test_next_moves_continue_the_plays_of_the_rule_examples() -> None:
    for case in rule_cases():
        check_next_moves(case.board, case.dice, case.rules, random.Random(1))


def test_forfeits_after_the_only_move_are_optional() -> None:
    # RULES.md, example P41: one 4 plays 6/2; the other 4s have no move and may be forfeited.
    board = [0, 0, 0, 1, 0, 0, 1] + [0] * 17 + [-2, 0]
    forfeit = Move(4, 4, 4, False)
    assert play_so_far(Turn(board, (4, 4), EXACT), ())[3:] == ((Move(4, 6, 2, False), forfeit), False)
    assert play_so_far(Turn(board, (4, 4), EXACT), [(6, 2)])[3:] == ((forfeit,), True)
    assert play_so_far(Turn(board, (4, 4), EXACT), [(6, 2)] + [(4, 4)] * 3)[3:] == ((), True)
    # Without 6/2 the 4s can still be played, so all of them have to be forfeited.
    assert play_so_far(Turn(board, (4, 4), EXACT), [forfeit] * 3).complete is False
    assert final_board(Turn(board, (4, 4), EXACT), [forfeit] * 4) == tuple(board)


def test_forfeits_follow_the_moves_of_their_die() -> None:
    board = [0, 1, 0, 1] + [0] * 20 + [-2, 0]
    moves, _ = play_so_far(Turn(board, (4, 2), RuleSet(forfeit="empty_point")), ())[3:]
    assert [move[:3] for move in moves] == [(4, 3, 0), (4, 4, 4), (2, 3, 1), (2, 2, 2)]


def test_a_forfeit_on_a_point_with_an_opposing_checker_hits_nothing() -> None:
    board = [0, 1, 0, 0, -1, 0, 1] + [0] * 19
    assert Move(4, 4, 4, False) in play_so_far(Turn(board, (4, 1), EXACT), ()).next_moves
