"""Value iteration with few checkers, compared with slow Python, the reference and the bear-off databases."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from bgfast import Position
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.hypergammon._hypergammon import PositionIndex
from bgfast.evaluation.hypergammon.solver import PlayLists, cubeless_sweep, find_residual, list_plays, solve
from tests.support.few_checkers import Board, all_boards, cubeless, plays_of, solved

EXACT = 1e-13


def boards_at(index: PositionIndex, numbers: np.ndarray) -> np.ndarray:
    boards = np.empty((len(numbers), 26), np.int8)
    index.fill_boards(numbers.astype(np.int32), boards)
    return boards


def numbers_of(index: PositionIndex, boards: np.ndarray) -> np.ndarray:
    numbers = np.empty(len(boards), np.int32)
    index.fill_numbers(boards, numbers)
    return numbers


def values_of(index: PositionIndex, values: np.ndarray, board: Board) -> tuple[float, ...]:
    return tuple(values[numbers_of(index, np.array([board], np.int8))[0]].tolist())


@pytest.fixture(scope="module")
def two_cubeless(two: PlayLists) -> np.ndarray:
    values = np.zeros((two.positions.size, 6))
    assert solve(two, cubeless_sweep(), values, 2, tolerance=EXACT) < EXACT
    return values


# ---------------------------------------------------------------- index


@pytest.mark.parametrize("checkers", [1, 2])
def test_every_position_has_one_number(checkers: int) -> None:
    index = PositionIndex(checkers)
    expected = set(all_boards(checkers))
    boards = boards_at(index, np.arange(index.size))
    assert len(expected) == index.size
    assert set(map(tuple, boards.tolist())) == expected
    assert (numbers_of(index, boards) == np.arange(index.size)).all()


def test_numbers_with_three_checkers() -> None:
    index = PositionIndex(3)
    assert (index.sides, index.size) == (comb(28, 3), 7_953_353)
    numbers = np.append(np.arange(0, index.size, 997), index.size - 1)
    boards = boards_at(index, numbers)
    assert (numbers_of(index, boards) == numbers).all()
    assert len(np.unique(boards, axis=0)) == len(numbers)
    for board in boards[::40]:
        Position.from_array(board, 3)  # refuses invalid boards
    start = Position.hypergammon().to_array()[None]
    assert (boards_at(index, numbers_of(index, start)) == start).all()


def test_boards_without_a_number() -> None:
    index = PositionIndex(2)
    boards = np.zeros((3, 26), np.int8)
    boards[0, 4], boards[1, [4, 9]], boards[2, [4, 9]] = 2, (3, -1), (2, -1)
    assert numbers_of(index, boards).tolist()[:2] == [-1, -1]
    assert numbers_of(index, boards)[2] >= 0


@pytest.mark.parametrize("checkers", [0, 4])
def test_numbers_of_checkers_that_are_refused(checkers: int) -> None:
    with pytest.raises(ValueError, match=rf"checkers is {checkers}; expected 1 to 3"):
        PositionIndex(checkers)


# ---------------------------------------------------------------- plays


@pytest.mark.parametrize("checkers", [1, 2])
def test_plays_are_those_of_the_reference(checkers: int) -> None:
    lists = list_plays(checkers)
    for i in range(0, lists.positions.size, 29 if checkers == 1 else 1201):
        board = tuple(boards_at(lists.positions, lists.order[i : i + 1])[0].tolist())
        at = lists.begins[i]
        for roll, (_, expected) in enumerate(plays_of(board, checkers)):
            after = lists.after[at : at + lists.counts[i, roll]]
            at += lists.counts[i, roll]
            found = map(tuple, boards_at(lists.positions, after[after >= 0]).tolist())
            assert sorted(found) == sorted(play.board for play in expected if not play.points)
            assert (-after[after < 0]).tolist() == [play.points for play in expected if play.points]
        assert at == lists.begins[i + 1]


@pytest.mark.slow
def test_groups_of_positions_are_independent(two: PlayLists) -> None:
    group = np.empty(two.positions.size, int)
    for number, (first, last) in enumerate(zip(two.bounds, two.bounds[1:], strict=False)):
        group[two.order[first:last]] = number
    assert (group[two.order] == np.sort(group)).all()
    races = two.bounds[two.contact]
    after = two.after[: two.begins[races]]
    own = np.repeat(group[two.order[:races]], np.diff(two.begins[: races + 1]))
    assert (group[after[after >= 0]] < own[after >= 0]).all()  # so that one sweep is enough


# ---------------------------------------------------------------- cubeless values


def test_one_checker_against_slow_python(one: PlayLists) -> None:
    values = np.zeros((one.positions.size, 6))
    assert solve(one, cubeless_sweep(), values, tolerance=EXACT) < EXACT
    expected = solved(cubeless, (0.0,) * 6, 1, 40)
    for board, value in expected.items():
        assert values_of(one.positions, values, board) == pytest.approx(value, abs=1e-12)


@pytest.mark.slow
def test_two_checkers_against_one_step_of_slow_python(two: PlayLists, two_cubeless: np.ndarray) -> None:
    for number in range(0, two.positions.size, 1013):
        board = tuple(boards_at(two.positions, np.array([number]))[0].tolist())
        value = cubeless(plays_of(board, 2), lambda after: values_of(two.positions, two_cubeless, after))
        assert two_cubeless[number].tolist() == pytest.approx(value, abs=1e-12)


@pytest.mark.slow
def test_bear_offs_of_one_checker_are_those_of_the_database(two: PlayLists, two_cubeless: np.ndarray) -> None:
    boards = np.zeros((36, 26), np.int8)
    rows = np.arange(36)
    boards[rows, 1 + rows // 6], boards[rows, 24 - rows % 6] = 1, -1
    found = two_cubeless[numbers_of(two.positions, boards)]
    expected = Bearoff().probabilities(boards, checkers=2)
    assert np.abs(found[:, :5] - expected).max() < 1e-13


@pytest.mark.slow
def test_probabilities_are_consistent(two: PlayLists, two_cubeless: np.ndarray) -> None:
    win, gammon, backgammon, lost_gammon, lost_backgammon, equity = two_cubeless.T
    assert ((two_cubeless[:, :5] >= 0) & (two_cubeless[:, :5] <= 1)).all()
    slack = 1e-15
    assert ((backgammon <= gammon + slack) & (gammon <= win + slack)).all()
    assert ((lost_backgammon <= lost_gammon + slack) & (lost_gammon <= 1 - win + slack)).all()
    points = 2 * win - 1 + gammon - lost_gammon + backgammon - lost_backgammon
    assert np.abs(points - equity).max() < 1e-15
    # Whoever has borne off a checker loses no gammon.
    boards = boards_at(two.positions, np.arange(two.positions.size))
    assert lost_gammon[np.maximum(boards, 0).sum(axis=1) == 1].max() == 0
    assert gammon[np.minimum(boards, 0).sum(axis=1) == -1].max() == 0


@pytest.mark.slow
def test_results_do_not_depend_on_threads(two: PlayLists, two_cubeless: np.ndarray) -> None:
    values = np.zeros_like(two_cubeless)
    solve(two, cubeless_sweep(), values, 3, tolerance=EXACT)
    assert (values == two_cubeless).all()


@pytest.mark.slow
def test_a_wrong_value_has_a_residual(two: PlayLists, two_cubeless: np.ndarray) -> None:
    values = two_cubeless.copy()
    values[12345, 5] += 1e-6
    assert find_residual(two, cubeless_sweep(), values, 2) > 0.9e-6
