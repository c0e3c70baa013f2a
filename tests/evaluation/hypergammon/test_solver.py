"""Value iteration with few checkers, compared with slow Python, `bgfast.reference` and bear-off databases."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb

import numpy as np
import pytest

from bgfast import Position
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.hypergammon._hypergammon import PositionIndex
from bgfast.evaluation.hypergammon.solver import (
    PlayLists,
    find_residual,
    no_double_values,
    opening_values,
    solve,
)
from bgfast.evaluation.hypergammon.tables import (
    MONEY,
    SCORE_STATES,
    CubeColumns,
    ScoreState,
    match_columns,
    match_equity,
)
from tests.support.few_checkers import Board, Score, all_boards, cube_values, cubeless_row, mwc, plays_of

TOLERANCE = 1e-13
UNAVAILABLE, OWNED, CENTRED, JACOBY = range(4)
CUBES: dict[str, Callable[[], CubeColumns | None]] = {
    "cubeless": lambda: None,
    "money": lambda: MONEY,
    "match": match_columns,
}
SAMPLE_STEPS = {1: 5, 2: 2011}  # by checkers: step between the positions that slow Python evaluates


def boards_at(index: PositionIndex, indices: np.ndarray) -> np.ndarray:
    return np.array([index.board(i) for i in indices.tolist()], np.int8).reshape(-1, 26)


def values_of(lists: PlayLists, values: np.ndarray, board: Board) -> tuple[float, ...]:
    return tuple(values[lists.positions.indices(np.array([board], np.int8))[0]].tolist())


def sample_boards(lists: PlayLists) -> list[Board]:
    indices = np.arange(3, lists.positions.size, SAMPLE_STEPS[lists.positions.checkers])
    return [tuple(board) for board in boards_at(lists.positions, indices).tolist()]


cached_plays = cache(plays_of)
_solution_cache: dict[tuple[int, str], np.ndarray] = {}


def solution(lists: PlayLists, name: str) -> np.ndarray:
    """Return the solved values of a table."""
    key = lists.positions.checkers, name
    if key not in _solution_cache:
        cube = CUBES[name]()
        columns = 6 if cube is None else len(cube.names)
        values = np.full((lists.positions.size, columns), 0.5 if name == "match" else 0.0)
        assert solve(lists, cube, values, 2, tolerance=TOLERANCE) < TOLERANCE
        values.flags.writeable = False
        _solution_cache[key] = values
    return _solution_cache[key]


# ---------------------------------------------------------------- index and plays


def test_every_position_has_one_index(lists: PlayLists) -> None:
    index = lists.positions
    expected = set(all_boards(index.checkers))
    boards = boards_at(index, np.arange(index.size))
    assert len(expected) == index.size
    assert set(map(tuple, boards.tolist())) == expected
    assert (index.indices(boards) == np.arange(index.size)).all()


def test_boards_with_three_checkers_per_side_have_different_indices() -> None:
    index = PositionIndex(3)
    assert (index.sides, index.size) == (comb(28, 3), 7_953_353)
    indices = np.append(np.arange(0, index.size, 997), index.size - 1)
    boards = boards_at(index, indices)
    assert (index.indices(boards) == indices).all()
    assert len(np.unique(boards, axis=0)) == len(indices)
    for board in boards[::40]:
        Position.from_array(board, 3)  # refuses invalid boards
    start = Position.hypergammon().to_array()[None]
    assert (boards_at(index, index.indices(start)) == start).all()


def test_invalid_boards_have_no_index() -> None:
    boards = np.zeros((3, 26), np.int8)
    boards[0, 4], boards[1, [4, 9]], boards[2, [4, 9]] = 2, (3, -1), (2, -1)
    assert (PositionIndex(2).indices(boards) >= 0).tolist() == [False, False, True]


def test_plays_equal_the_reference(lists: PlayLists) -> None:
    checkers = lists.positions.checkers
    for row in range(0, lists.positions.size, 29 if checkers == 1 else 1201):
        board = tuple(boards_at(lists.positions, lists.order[row : row + 1])[0].tolist())
        offset = lists.begins[row]
        for roll, (_, expected) in enumerate(plays_of(board, checkers)):
            successors = lists.successors[offset : offset + lists.counts[row, roll]]
            offset += lists.counts[row, roll]
            actual = map(tuple, boards_at(lists.positions, successors[successors >= 0]).tolist())
            assert sorted(actual) == sorted(play.board for play in expected if not play.points)
            assert (-successors[successors < 0]).tolist() == [play.points for play in expected if play.points]
        assert offset == lists.begins[row + 1]


def test_plays_in_races_lead_to_earlier_groups(lists: PlayLists) -> None:
    groups = np.empty(lists.positions.size, int)
    for index, (first, last) in enumerate(zip(lists.bounds, lists.bounds[1:], strict=False)):
        groups[lists.order[first:last]] = index
    assert (groups[lists.order] == np.sort(groups)).all()
    race_end = lists.bounds[lists.first_contact]
    targets = lists.successors[: lists.begins[race_end]]
    sources = np.repeat(groups[lists.order[:race_end]], np.diff(lists.begins[: race_end + 1]))
    assert (groups[targets[targets >= 0]] < sources[targets >= 0]).all()  # hence one sweep is enough


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(("name", "slow_step"), [("cubeless", cubeless_row), ("money", cube_values)])
def test_one_slow_step_leaves_values_unchanged(
    name: str, slow_step: Callable[..., tuple[float, ...]], lists: PlayLists
) -> None:
    values = solution(lists, name)
    for board in sample_boards(lists):
        plays = cached_plays(board, lists.positions.checkers)
        expected = slow_step(plays, lambda successor: values_of(lists, values, successor))
        assert values_of(lists, values, board) == pytest.approx(expected, abs=1e-12)


def equity_of(opening: np.ndarray, need: int, opponent_need: int, crawford_is_over: bool) -> float:
    if need <= 0 or opponent_need <= 0:
        return float(need <= 0)
    crawford = not crawford_is_over and min(need, opponent_need) == 1 < max(need, opponent_need)
    return match_equity(ScoreState(need, opponent_need, crawford).canonical(), 0, opening)


def test_one_slow_step_leaves_values_at_scores_unchanged(lists: PlayLists) -> None:
    values = solution(lists, "match")
    opening = opening_values(lists.positions, match_columns(), values.__getitem__)

    def value(board: Board, score: Score) -> float:
        return values_of(lists, values, board)[SCORE_STATES.index(ScoreState(*score).canonical())]

    for board in sample_boards(lists)[:: 4 if lists.positions.checkers == 1 else 16]:
        plays = cached_plays(board, lists.positions.checkers)
        for state in SCORE_STATES:
            expected = mwc(board, plays, Score(*state), value, lambda *score: equity_of(opening, *score))
            assert value(board, Score(*state)) == pytest.approx(expected, abs=1e-12)


def test_bear_offs_of_one_checker_equal_the_database(lists: PlayLists) -> None:
    checkers = lists.positions.checkers
    boards = np.zeros((36, 26), np.int8)
    rows = np.arange(36)
    boards[rows, 1 + rows // 6], boards[rows, 24 - rows % 6] = 1, -1
    indices, bearoff = lists.positions.indices(boards), Bearoff()
    expected = bearoff.probabilities(boards, checkers=checkers)
    assert np.abs(solution(lists, "cubeless")[indices, :5] - expected).max() < 1e-13
    if checkers == 1:
        return  # the bear-off cube tables cover only games without gammons
    money = solution(lists, "money")
    expected = bearoff.cubeful_equities(boards, checkers=checkers)
    assert np.abs(money[indices][:, [OWNED, CENTRED, UNAVAILABLE]] - expected).max() < 1e-12
    no_double = no_double_values(lists, MONEY, money, 2)[indices]
    expected = bearoff.doubling_equities(boards, checkers=checkers)
    assert np.abs(no_double[:, [OWNED, CENTRED]] - expected[:, :2]).max() < 1e-12
    assert np.abs(2 * no_double[:, UNAVAILABLE] - expected[:, 2]).max() < 1e-12


def test_probabilities_are_consistent(lists: PlayLists) -> None:
    values = solution(lists, "cubeless")
    win, gammon, backgammon, lost_gammon, lost_backgammon, equity = values.T
    assert ((values[:, :5] >= 0) & (values[:, :5] <= 1)).all()
    assert ((backgammon <= gammon + TOLERANCE) & (gammon <= win + TOLERANCE)).all()
    assert ((lost_backgammon <= lost_gammon + TOLERANCE) & (lost_gammon <= 1 - win + TOLERANCE)).all()
    points = 2 * win - 1 + gammon - lost_gammon + backgammon - lost_backgammon
    assert np.abs(points - equity).max() < 1e-13
    # A player who has borne off a checker loses no gammon.
    boards, checkers = boards_at(lists.positions, np.arange(lists.positions.size)), lists.positions.checkers
    assert lost_gammon[np.maximum(boards, 0).sum(axis=1) < checkers].max(initial=0) == 0
    assert gammon[np.minimum(boards, 0).sum(axis=1) > -checkers].max(initial=0) == 0


def test_values_without_a_double_determine_values_at_the_beginning_of_a_turn(lists: PlayLists) -> None:
    values = solution(lists, "money")
    no_double = no_double_values(lists, MONEY, values, 3)
    assert np.abs(MONEY.begin_turn(no_double) - values).max() < TOLERANCE
    assert (values >= no_double - TOLERANCE).all()
    assert (values > no_double + 0.1).any()


def test_a_cube_that_can_be_used_is_worth_more(lists: PlayLists) -> None:
    unavailable, owned, centred, jacoby = solution(lists, "money").T
    assert (owned >= centred - TOLERANCE).all()
    assert (centred >= unavailable - TOLERANCE).all()
    assert centred.max() == pytest.approx(3)
    # With Jacoby, a player who would otherwise be too good to double cashes.
    assert np.abs(jacoby).max() <= 1 + TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize("lists", [2], indirect=True)
def test_match_equities_are_symmetric_and_grow_with_the_lead(lists: PlayLists) -> None:
    opening = opening_values(lists.positions, match_columns(), solution(lists, "match").__getitem__)
    for need in (1, 2, 3):
        assert equity_of(opening, need, need, False) == pytest.approx(0.5, abs=1e-12)
    for need, opponent_need in ((1, 2), (1, 3), (2, 3)):
        equity = equity_of(opening, need, opponent_need, False)
        assert 0.5 < equity < 1
        assert equity == pytest.approx(1 - equity_of(opening, opponent_need, need, False), abs=1e-12)
    # Post-Crawford at 2-away the trailer doubles immediately, and the game decides the match.
    assert equity_of(opening, 2, 1, True) == pytest.approx(0.5, abs=0.01)
    assert equity_of(opening, 2, 1, False) < equity_of(opening, 2, 1, True) - 0.05
    assert opening[SCORE_STATES.index(ScoreState(1, 1))] > 0.5  # starting is an advantage


def test_score_states_follow_their_states_after_a_double() -> None:
    assert len(SCORE_STATES) == 21
    assert SCORE_STATES[0] == ScoreState(1, 1)
    next_states, doubled_states = match_columns().transitions.T
    assert (doubled_states < np.arange(len(doubled_states))).all()
    assert (next_states[next_states] == np.arange(len(next_states))).all()
    assert not any(state.crawford and doubled_states[k] >= 0 for k, state in enumerate(SCORE_STATES))


# ---------------------------------------------------------------- solver


def test_results_do_not_depend_on_threads(lists: PlayLists) -> None:
    expected = solution(lists, "cubeless")
    values = np.zeros_like(expected)
    solve(lists, None, values, 3, tolerance=TOLERANCE)
    assert (values == expected).all()


@pytest.mark.parametrize("name", CUBES)
def test_an_incorrect_value_has_a_residual(name: str, lists: PlayLists) -> None:
    values = solution(lists, name).copy()
    values[321, -1] += 1e-6
    assert find_residual(lists, CUBES[name](), values, 2) > 0.9e-6
