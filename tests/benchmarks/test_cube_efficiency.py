"""The table of the cube's efficiency: what is fitted is found again, and right decisions cost nothing."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tables import cube_efficiency
from benchmarks.tables.cube_efficiency import OWNERS, Known

X = {"owned": 0.5, "centred": 0.75, "unavailable": 0.25}


@pytest.fixture
def made_up() -> Known:
    """Pairs of sides of which the formula is true, with an efficiency for each owner."""
    win = np.linspace(0.005, 0.995, 100)
    dead = 2 * win - 1
    live = {
        "owned": np.interp(win, [0, 0.8, 1], [-1, 1, 1]),
        "centred": np.interp(win, [0, 0.2, 0.8, 1], [-1, -1, 1, 1]),
        "unavailable": np.interp(win, [0, 0.2, 1], [-1, -1, 1]),
    }
    exact = {name: (1 - X[name]) * dead + X[name] * live[name] for name in OWNERS}
    return Known(win, 1 + 3.9 * win, exact, dead, live)


def test_what_is_true_is_found(made_up: Known) -> None:
    head, _, every, *rows = cube_efficiency.fits(made_up).splitlines()
    assert head == "| pairs of sides | how many | owned | centred | unavailable |"
    assert every == "| all | 100 | 0.500 (+0.000, 0.000) | 0.750 (+0.000, 0.000) | 0.250 (+0.000, 0.000) |"
    assert len(rows) == 14
    assert all("0.500 (" in row and "0.750 (" in row and "0.250 (" in row for row in rows)
    by_rolls = np.histogram(made_up.rolls, [1, 2, 3, 4, 5])[0].tolist()
    assert [int(row.split(" | ")[1]) for row in rows] == [10] * 10 + by_rolls


def test_residuals_are_what_is_left(made_up: Known) -> None:
    made_up.exact["owned"][:] += np.where(made_up.win < 0.5, 0.1, -0.1)
    low = made_up.only(made_up.win < 0.5)
    residual = low.exact["owned"] - low.formula("owned", made_up.fitted("owned"))
    row = cube_efficiency.fits(made_up).splitlines()[3]
    expected = residual[:10]
    assert f"({expected.mean():+.3f}, {np.sqrt((expected**2).mean()):.3f})" in row


def test_right_decisions_cost_nothing(made_up: Known) -> None:
    rows = {
        name: (double, redouble, take)
        for name, double, redouble, take in (
            row.strip("| ").split(" | ") for row in cube_efficiency.costs(made_up).splitlines()[2:]
        )
    }
    assert rows["x of all pairs"] == ("0.0 (0.0%)",) * 3
    assert rows["x = 0"][2] != "0.0 (0.0%)"  # what is taken with a cube that is worth something is passed
    assert rows["x = 1"][0] != "0.0 (0.0%)"


@pytest.mark.slow
def test_the_page_has_the_numbers() -> None:
    assert cube_efficiency.main(["--check"]) == 0
