"""The lines of the cube's efficiency: what is fitted is found again, and the model has what was fitted."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tables import cube_lines
from benchmarks.tables.cube_lines import PIPS, Known
from bgfast import Decision, Position
from bgfast.cube import cube_efficiencies


def test_what_is_true_is_found() -> None:
    random = np.random.default_rng(1)
    win, pips = random.uniform(0, 1, 900), random.uniform(2, 100, 900)
    dead, live = 2 * win - 1, np.interp(win, [0, 0.8, 1], [-1, 1, 1])
    wanted = random.uniform(0.2, 0.9, (len(PIPS), 2)).round(2)
    ends = np.stack([np.interp(pips, PIPS, column) for column in wanted.T])
    x = ends[0] * (1 - win) + ends[1] * win
    found = dead + x * (live - dead)
    of = Known(win, np.zeros(900), pips, dead, live, found, np.ones(900))
    assert of.fitted(cube_lines._race_features(of)).reshape(-1, 2) == pytest.approx(wanted)
    assert np.abs(of.left(x)).max() < 1e-12
    assert of.left(x + 0.1).min() < -0.01


def test_rollouts_come_with_the_clone() -> None:
    rollouts = cube_lines.rolled()
    assert len(rollouts.kinds) == 675
    assert {kind: int((rollouts.kinds == kind).sum()) for kind in ("contact", "race", "bearoff")} == {
        "contact": 450,
        "race": 150,
        "bearoff": 75,
    }


@pytest.mark.slow
def test_the_model_has_what_was_fitted() -> None:
    rollouts = cube_lines.rolled()
    lines = cube_lines.fitted(rollouts)
    boards = [position.to_array() for position in rollouts.positions]
    contact = rollouts.kinds == "contact"
    for name, owner in cube_lines.OWNERS.items():
        of = rollouts.of_owner[name]
        rows = np.zeros((len(boards), 5))
        # The model asks for both sides' gammons together; those of one side are no more than it wins.
        rows[:, 0] = np.clip(of.win, 0, 1)
        rows[:, 1] = np.minimum(of.gammons, rows[:, 0])
        rows[:, 3] = of.gammons - rows[:, 1]
        decision = Decision(position=Position.start(), cube=2 if owner else 1, cube_owner=owner)
        found = cube_efficiencies(boards, probabilities=rows.clip(0, 1), decision=decision)
        assert found == pytest.approx(cube_lines.efficiencies(lines, name, of, contact))


@pytest.mark.slow
def test_the_page_has_the_numbers() -> None:
    assert cube_lines.main(["--check"]) == 0
