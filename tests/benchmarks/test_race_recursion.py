"""Race recursion for all pairs of sides, compared with single races and exact databases."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tables import race_recursion
from bgfast.evaluation.bearoff._bearoff import side_number
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.bearoff.cube_tables import Race


def test_tables_of_pairs_agree_with_single_races() -> None:
    exact, start_equities = race_recursion.exact_equities(3)
    table_equities = race_recursion.race_equities(3, start_equities, 2)
    full_equities = race_recursion.race_equities(3, start_equities, 0)
    for waiting, on_roll in np.random.default_rng(0).integers(1, len(exact.no_double), size=(50, 2)).tolist():
        for equities, exact_sides in ((table_equities, 28), (full_equities, 0)):
            for owner, no_double in ((1, equities.no_redouble), (0, equities.no_double)):
                values = Race.of(on_roll, waiting, None, owner).equities(
                    lambda side, other_side: start_equities[:, other_side, side], exact_sides
                )
                expected = (no_double[waiting, on_roll], equities.double_take[waiting, on_roll])
                assert values == pytest.approx(expected, abs=1e-12)
    for approximation, exact_values in zip(table_equities, exact, strict=True):
        assert 0 < np.abs(approximation - exact_values)[1:, 1:].max() < 0.06


def test_exact_equities_and_boards_equal_the_databases() -> None:
    exact, _ = race_recursion.exact_equities(2)
    for waiting, on_roll in ((1, 27), (20, 9)):
        board = race_recursion._board(waiting, on_roll)
        assert side_number(board) == on_roll
        owned, centred, take, _ = Bearoff().doubling_equities([board])[0]
        assert [values[waiting, on_roll] for values in exact] == pytest.approx([owned, centred, take])
