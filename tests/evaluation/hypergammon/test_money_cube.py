"""Values with a cube in money play, compared with slow Python and the bear-off databases."""

from __future__ import annotations

import numpy as np
import pytest

from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.hypergammon.solver import (
    PlayLists,
    cube_sweep,
    find_residual,
    no_double_values,
    solve,
)
from bgfast.evaluation.hypergammon.tables import MONEY
from tests.evaluation.hypergammon.test_solver import EXACT, boards_at, numbers_of, values_of
from tests.support.few_checkers import plays_of, solved, with_cube

UNAVAILABLE, OWNED, CENTRED, JACOBY = range(4)


@pytest.fixture(scope="module")
def two_money(two: PlayLists) -> np.ndarray:
    values = np.zeros((two.positions.size, 4))
    assert solve(two, cube_sweep(MONEY), values, 2, tolerance=EXACT) < EXACT
    return values


def test_one_checker_against_slow_python(one: PlayLists) -> None:
    values = np.zeros((one.positions.size, 4))
    solve(one, cube_sweep(MONEY), values, tolerance=EXACT)
    for board, value in solved(with_cube, (0.0,) * 4, 1, 40).items():
        assert values_of(one.positions, values, board) == pytest.approx(value, abs=1e-12)


@pytest.mark.slow
def test_two_checkers_against_one_step_of_slow_python(two: PlayLists, two_money: np.ndarray) -> None:
    for number in range(0, two.positions.size, 1009):
        board = tuple(boards_at(two.positions, np.array([number]))[0].tolist())
        value = with_cube(plays_of(board, 2), lambda after: values_of(two.positions, two_money, after))
        assert two_money[number].tolist() == pytest.approx(value, abs=1e-12)


@pytest.mark.slow
def test_bear_offs_of_one_checker_are_those_of_the_database(two: PlayLists, two_money: np.ndarray) -> None:
    boards = np.zeros((36, 26), np.int8)
    rows = np.arange(36)
    boards[rows, 1 + rows // 6], boards[rows, 24 - rows % 6] = 1, -1
    numbers = numbers_of(two.positions, boards)
    expected = Bearoff().cubeful_equities(boards, checkers=2)
    equities = two_money[numbers][:, [OWNED, CENTRED, UNAVAILABLE]]
    assert np.abs(equities - expected).max() < 1e-12
    no_double = no_double_values(two, MONEY, two_money, 2)[numbers]
    expected = Bearoff().doubling_equities(boards, checkers=2)
    assert np.abs(no_double[:, [OWNED, CENTRED]] - expected[:, :2]).max() < 1e-12
    assert np.abs(2 * no_double[:, UNAVAILABLE] - expected[:, 2]).max() < 1e-12


@pytest.mark.slow
def test_values_without_a_double_lead_to_those_at_the_beginning_of_a_turn(
    two: PlayLists, two_money: np.ndarray
) -> None:
    no_double = no_double_values(two, MONEY, two_money, 3)
    assert np.abs(MONEY.begin_turn(no_double) - two_money).max() < EXACT
    assert (two_money >= no_double - EXACT).all()
    assert (two_money > no_double + 0.1).any()


def test_a_cube_that_can_be_used_is_worth_more(two_money: np.ndarray) -> None:
    unavailable, owned, centred, jacoby = two_money.T
    assert (owned >= centred - EXACT).all()
    assert (centred >= unavailable - EXACT).all()
    assert centred.max() == pytest.approx(3)
    # Jacoby: whoever is too good to double without it cashes.
    assert np.abs(jacoby).max() <= 1 + EXACT


@pytest.mark.slow
def test_a_wrong_value_has_a_residual(two: PlayLists, two_money: np.ndarray) -> None:
    values = two_money.copy()
    values[54321, CENTRED] += 1e-6
    assert find_residual(two, cube_sweep(MONEY), values, 2) > 0.9e-6
