"""Values at scores up to 3 points, compared with slow Python that finds match equities on its own."""

from __future__ import annotations

import numpy as np
import pytest

from bgfast.evaluation.hypergammon.solver import PlayLists, find_residual, match_sweep, opening_values, solve
from bgfast.evaluation.hypergammon.tables import SCORE_STATES, ScoreState, match_columns, match_equity
from tests.evaluation.hypergammon.test_solver import EXACT, boards_at, numbers_of
from tests.support.few_checkers import Board, Score, all_boards, at_score, plays_of

TOLERANCE = 1e-12


def solved(lists: PlayLists) -> np.ndarray:
    values = np.full((lists.positions.size, len(SCORE_STATES)), 0.5)
    assert solve(lists, match_sweep(match_columns()), values, 2, tolerance=EXACT) < EXACT
    return values


@pytest.fixture(scope="module")
def two_match(two: PlayLists) -> np.ndarray:
    return solved(two)


def value_of(lists: PlayLists, values: np.ndarray, board: Board, score: Score) -> float:
    """Return a value of the table for any score and cube."""
    state = ScoreState(*score).canonical()
    return float(
        values[numbers_of(lists.positions, np.array([board], np.int8))[0], SCORE_STATES.index(state)]
    )


def equity_of(opening: np.ndarray, need: int, opponent_need: int, crawford_is_over: bool) -> float:
    if need <= 0 or opponent_need <= 0:
        return float(need <= 0)
    crawford = not crawford_is_over and min(need, opponent_need) == 1 < max(need, opponent_need)
    return match_equity(ScoreState(need, opponent_need, crawford).canonical(), 0, opening)


def check(lists: PlayLists, values: np.ndarray, checkers: int, boards: list[Board]) -> None:
    """Compare every value of the boards with one slow step from the table."""
    opening = opening_values(lists, match_columns(), values)
    for board in boards:
        plays = plays_of(board, checkers)
        for state in SCORE_STATES:
            expected = at_score(
                board,
                plays,
                Score(*state),
                lambda after, score: value_of(lists, values, after, score),
                lambda need, other, is_over: equity_of(opening, need, other, is_over),
            )
            assert value_of(lists, values, board, Score(*state)) == pytest.approx(expected, abs=TOLERANCE)


def test_one_checker_against_one_step_of_slow_python(one: PlayLists) -> None:
    check(one, solved(one), 1, list(all_boards(1))[::3])


@pytest.mark.slow
def test_two_checkers_against_one_step_of_slow_python(two: PlayLists, two_match: np.ndarray) -> None:
    boards = boards_at(two.positions, np.arange(5, two.positions.size, 7001))
    check(two, two_match, 2, list(map(tuple, boards.tolist())))


@pytest.mark.slow
def test_match_equities(two: PlayLists, two_match: np.ndarray) -> None:
    opening = opening_values(two, match_columns(), two_match)
    for need in (1, 2, 3):
        assert equity_of(opening, need, need, False) == pytest.approx(0.5, abs=TOLERANCE)
    for need, other in ((1, 2), (1, 3), (2, 3)):
        chance = equity_of(opening, need, other, False)
        assert 0.5 < chance < 1
        assert chance == pytest.approx(1 - equity_of(opening, other, need, False), abs=TOLERANCE)
    # Post-Crawford at 2-away the trailer doubles at once, and the game decides the match.
    assert equity_of(opening, 2, 1, True) == pytest.approx(0.5, abs=0.01)
    assert equity_of(opening, 2, 1, False) < equity_of(opening, 2, 1, True) - 0.05


@pytest.mark.slow
def test_the_opening_play_is_worth_more_than_waiting(two: PlayLists, two_match: np.ndarray) -> None:
    opening = opening_values(two, match_columns(), two_match)
    assert opening[SCORE_STATES.index(ScoreState(1, 1))] > 0.5


def test_states() -> None:
    assert len(SCORE_STATES) == 21
    assert SCORE_STATES[0] == ScoreState(1, 1)
    columns = match_columns()
    doubled = columns.transitions[:, 1]
    assert (doubled < np.arange(len(doubled))).all()
    after = columns.transitions[:, 0]
    assert (after[after] == np.arange(len(after))).all()
    assert not any(state.crawford and doubled[k] >= 0 for k, state in enumerate(SCORE_STATES))


@pytest.mark.slow
def test_a_wrong_value_has_a_residual(two: PlayLists, two_match: np.ndarray) -> None:
    values = two_match.copy()
    values[4321, 20] += 1e-6
    assert find_residual(two, match_sweep(match_columns()), values, 2) > 0.9e-6
