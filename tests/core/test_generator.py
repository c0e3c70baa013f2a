"""Generator: known results, the reference, order and purity; test_any_rules.py tests other rules."""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bgfast
from bgfast import Position, reference
from bgfast.common.rolls import ROLLS
from bgfast.conformance.suite.named_cases import engine_defects
from tests.support.boards import Board, board_of_id
from tests.support.comparison import problems
from tests.support.positions import ORDERED_ROLLS, SOURCES, START, is_possible
from tests.support.rule_cases import OPENING_COUNTS
from tests.support.strategies import possible_positions
from tests.tools import exhaustive
from tests.tools.fuzz import run


def results(board: Board, roll: tuple[int, int]) -> list[Board]:
    return [tuple(row) for row in Position.from_array(board).plays(roll).boards.tolist()]


# ---- positions with known answers ----


@pytest.mark.parametrize("case", engine_defects(), ids=lambda case: case["name"])
@pytest.mark.parametrize("order", [1, -1], ids=["as written", "other die first"])
def test_tricky_position_of_other_engines(case: dict, order: int) -> None:
    boards = results(board_of_id(case["position_id"]), tuple(case["dice"][::order]))
    assert len(boards) == len(set(boards)) == case["count"]
    if case["results"] is not None:
        assert set(boards) == {board_of_id(position_id) for position_id in case["results"]}


@pytest.mark.parametrize(("roll", "count"), OPENING_COUNTS["standard"].items())
def test_opening_roll(roll: tuple[int, int], count: int) -> None:
    assert len(Position.start().plays(roll)) == count


@pytest.mark.parametrize("board", [[0] * 5 + [2] + [0] * 20, [0] * 20 + [-2] + [0] * 5], ids=["won", "lost"])
def test_finished_games_have_no_plays(board: list[int]) -> None:
    for roll in ORDERED_ROLLS:
        assert reference.legal_positions(board, *roll) == set()
        with pytest.raises(bgfast.InvalidPositionError, match="the game is over"):
            Position.from_array(board).plays(roll)


# ---- against the reference ----


@pytest.mark.parametrize("source", SOURCES)
def test_generator_agrees_with_the_reference(source: str) -> None:
    rng = random.Random(source)
    for _ in range(30):
        board = SOURCES[source](rng)
        if not is_possible(board):
            continue
        for roll in ROLLS:  # both orders are compared
            roll = rng.choice((roll, roll[::-1]))
            assert problems(board, roll) == [], (board, roll)


@settings(max_examples=300, deadline=None)
@given(possible_positions(), st.sampled_from(ORDERED_ROLLS))
def test_any_position_agrees_with_the_reference(board: Board, roll: tuple[int, int]) -> None:
    assert problems(board, roll) == []


@settings(max_examples=300, deadline=None)
@given(possible_positions(), st.sampled_from(ORDERED_ROLLS))
def test_checkers_are_conserved_and_pips_are_the_dice_and_the_hits(
    board: Board, roll: tuple[int, int]
) -> None:
    position = Position.from_array(board)
    pips, pips_opponent = position.pip_counts
    off, off_opponent = position.off
    for play in position.plays(roll):
        after = play.position.flip()
        assert after.off[1] == off_opponent
        assert off <= after.off[0] <= off + len(play.moves)
        # No die moves more pips than it shows; bearing off may waste some.
        assert pips - after.pip_counts[0] <= sum(roll) * (2 if roll[0] == roll[1] else 1)
        hits = board[0] - play.position.flip().to_array()[0]
        assert (after.pip_counts[1] > pips_opponent) == (hits > 0)
        assert sum(n > 0 for n in board) > 0


@settings(max_examples=30, deadline=None)
@given(possible_positions())
def test_the_tree_below_agrees_with_the_reference(board: Board) -> None:
    small = tuple(max(-2, min(2, n)) if i % 3 == 0 else 0 for i, n in enumerate(board))
    if is_possible(small):
        position = Position.from_array(small)
        counts = bgfast.perft(position, 2, bulk=False), bgfast.perft(position, 2, weighted=True)
        assert counts == reference.perft(small, 2)


@pytest.mark.parametrize(
    "number", [pytest.param(10_000, marks=pytest.mark.slow), pytest.param(100_000, marks=pytest.mark.long)]
)
def test_many_random_cases_agree_with_the_reference(number: int) -> None:
    total = 0
    for cases, failures in run(cases=number, seed=20260, jobs=2):
        total += cases
        assert failures == []
    assert total >= number


@pytest.mark.slow
def test_some_positions_of_one_or_two_checkers_a_side() -> None:
    """Compare moves as well; test_any_rules.py compares the results of all positions."""
    some = list(exhaustive.chunks(100))[::50]
    with ProcessPoolExecutor(2) as pool:
        for cases, failures in pool.map(exhaustive.compare_all, some):
            assert failures == []
            assert cases in (100 * 36, len(some[-1]) * 36)


@pytest.mark.long
def test_every_position_of_one_or_two_checkers_a_side() -> None:
    cases, failures = exhaustive.run(jobs=2)
    assert failures == []
    assert cases == exhaustive.POSITIONS * 36


def test_cases_of_failed_fuzz_runs() -> None:
    """Cases on which fuzz runs have failed."""
    from tests.tools.fuzz import kept_cases

    for board, roll, rules in kept_cases():
        assert problems(board, roll, rules=rules) == [], (board, roll, rules)


# ---- order and purity ----


def test_the_order_of_plays_is_the_same_for_both_orders_of_the_dice() -> None:
    rng = random.Random(5)
    for _ in range(100):
        board = SOURCES["anywhere"](rng)
        if is_possible(board):
            for roll in ORDERED_ROLLS:
                assert results(board, roll) == results(board, roll[::-1])


def test_generating_does_not_change_the_input() -> None:
    position = Position.start()
    before = position.to_array().tolist()
    for roll in ORDERED_ROLLS:
        position.plays(roll)
    assert position.to_array().tolist() == before == list(START)
