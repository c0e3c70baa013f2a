"""Generator under the standard rules, compared with known results and the reference."""

from __future__ import annotations

import random
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bgfast
from bgfast import Position, reference
from bgfast.common.validation import ROLLS
from tests.support.comparison import problems
from tests.support.positions import ORDERED_ROLLS, SOURCES, Board, board_of_id, is_possible
from tests.support.rule_cases import OPENING_COUNTS, engine_defects
from tests.support.strategies import possible_positions
from tests.tools import exhaustive
from tests.tools.fuzz import kept_cases, run


def boards_after(board: Board, roll: tuple[int, int]) -> list[Board]:
    return [tuple(row) for row in Position.from_array(board).plays(roll).boards.tolist()]


# ---- positions with known answers ----


def test_positions_that_other_engines_get_wrong_are_correct() -> None:
    for case in engine_defects():
        for roll in (case["dice"], case["dice"][::-1]):
            boards = boards_after(board_of_id(case["position_id"]), tuple(roll))
            assert len(boards) == len(set(boards)) == case["count"], case
            if case["results"] is not None:
                assert set(boards) == {board_of_id(position_id) for position_id in case["results"]}, case


def test_opening_rolls_have_the_expected_counts() -> None:
    start = Position.start()
    assert {roll: len(start.plays(roll)) for roll in OPENING_COUNTS["standard"]} == OPENING_COUNTS["standard"]
    assert start == Position.start()  # the plays have not changed it


def test_finished_games_have_no_plays() -> None:
    won_board, lost_board = [0] * 5 + [2] + [0] * 20, [0] * 20 + [-2] + [0] * 5
    for board, roll in product((won_board, lost_board), ORDERED_ROLLS):
        assert reference.legal_positions(board, *roll) == set()
        with pytest.raises(bgfast.InvalidPositionError, match="the game is over"):
            Position.from_array(board).plays(roll)


# ---- against the reference ----


def test_generator_agrees_with_the_reference() -> None:
    rng = random.Random(4)
    for source in SOURCES.values():
        for _ in range(8):
            board = source(rng)
            if is_possible(board):
                for roll in ROLLS:  # both orders are compared
                    assert problems(board, rng.choice((roll, roll[::-1]))) == [], (board, roll)


@settings(max_examples=100, deadline=None)
@given(possible_positions(), st.sampled_from(ORDERED_ROLLS))
def test_any_position_agrees_with_the_reference(board: Board, roll: tuple[int, int]) -> None:
    assert problems(board, roll) == []


@settings(max_examples=10, deadline=None)
@given(possible_positions())
def test_perft_of_any_position_agrees_with_the_reference(board: Board) -> None:
    small_board = tuple(max(-2, min(2, n)) if i % 3 == 0 else 0 for i, n in enumerate(board))
    if is_possible(small_board):
        position = Position.from_array(small_board)
        counts = bgfast.perft(position, 2, bulk=False), bgfast.perft(position, 2, weighted=True)
        assert counts == reference.perft(small_board, 2)


@pytest.mark.parametrize(
    "count", [pytest.param(10_000, marks=pytest.mark.slow), pytest.param(100_000, marks=pytest.mark.long)]
)
def test_many_random_cases_agree_with_the_reference(count: int) -> None:
    total = 0
    for cases, failures in run(cases=count, seed=20260, jobs=2):
        total += cases
        assert failures == []
    assert total >= count


@pytest.mark.slow
def test_some_positions_of_one_or_two_checkers_per_side_agree() -> None:
    """Compare moves as well; test_any_rules.py compares only the resulting boards, for all positions."""
    for board in islice(exhaustive.boards(), 0, None, 50):
        for roll in ROLLS:
            assert problems(board, roll) == [], (board, roll)


def test_cases_of_failed_fuzz_runs_agree_with_the_reference() -> None:
    for board, roll, rules in kept_cases():
        assert problems(board, roll, rules=rules) == [], (board, roll, rules)
