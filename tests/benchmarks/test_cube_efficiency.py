"""Fitted constant cube efficiencies, and the cost of decisions based on them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tables import cube_efficiency
from benchmarks.tables.cube_efficiency import OWNERS, ExactBearoffs

EFFICIENCIES = {"owned": 0.5, "centred": 0.75, "unavailable": 0.25}


@pytest.fixture
def bearoffs() -> ExactBearoffs:
    """Bear-offs whose exact equities follow the formula with `EFFICIENCIES`."""
    win = np.linspace(0.005, 0.995, 100)
    dead = 2 * win - 1
    live = {
        "owned": np.interp(win, [0, 0.8, 1], [-1, 1, 1]),
        "centred": np.interp(win, [0, 0.2, 0.8, 1], [-1, -1, 1, 1]),
        "unavailable": np.interp(win, [0, 0.2, 1], [-1, -1, 1]),
    }
    exact = {name: (1 - EFFICIENCIES[name]) * dead + EFFICIENCIES[name] * live[name] for name in OWNERS}
    return ExactBearoffs(win, 1 + 3.9 * win, exact, dead, live)


def test_fit_recovers_the_true_efficiencies(bearoffs: ExactBearoffs) -> None:
    head, _, all_row, *rows = cube_efficiency.efficiency_table(bearoffs).splitlines()
    assert head == "| bear-offs | number | owned | centred | unavailable |"
    assert all_row == "| all | 100 | 0.500 (+0.000, 0.000) | 0.750 (+0.000, 0.000) | 0.250 (+0.000, 0.000) |"
    assert len(rows) == 9
    assert all("0.500 (" in row and "0.750 (" in row and "0.250 (" in row for row in rows)
    roll_counts = np.histogram(bearoffs.rolls, [1, 2, 3, 4, 5])[0].tolist()
    assert [int(row.split(" | ")[1]) for row in rows] == [20] * 5 + roll_counts


def test_residuals_are_relative_to_the_overall_fit(bearoffs: ExactBearoffs) -> None:
    bearoffs.exact["owned"][:] += np.where(bearoffs.win < 0.5, 0.1, -0.1)
    low_win_bearoffs = bearoffs.select(bearoffs.win < 0.5)
    residual = low_win_bearoffs.exact["owned"] - low_win_bearoffs.formula("owned", bearoffs.fit("owned"))
    row = cube_efficiency.efficiency_table(bearoffs).splitlines()[3]
    expected = residual[:20]
    assert f"({expected.mean():+.3f}, {np.sqrt((expected**2).mean()):.3f})" in row


def test_the_true_efficiencies_cost_nothing(bearoffs: ExactBearoffs) -> None:
    rows = {
        name: (double, redouble, take)
        for name, double, redouble, take in (
            row.strip("| ").split(" | ") for row in cube_efficiency.cost_table(bearoffs).splitlines()[2:]
        )
    }
    assert rows["fitted to all"] == ("0.0 (0.0%)",) * 3
    assert rows["x = 0"][2] != "0.0 (0.0%)"  # a dead cube is worthless to its owner, so takes become drops
    assert rows["x = 1"][0] != "0.0 (0.0%)"


@pytest.mark.slow
def test_page_is_up_to_date() -> None:
    assert cube_efficiency.main(["--check"]) == 0
