"""Fit of the cube efficiency model, and its coefficients in the source."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.tables import cube_lines
from benchmarks.tables.cube_lines import PIPS, Samples
from bgfast import Decision, Position
from bgfast.cube import cube_efficiencies


def test_fit_recovers_the_true_lines() -> None:
    rng = np.random.default_rng(1)
    win, pips = rng.uniform(0, 1, 900), rng.uniform(2, 100, 900)
    dead, live = 2 * win - 1, np.interp(win, [0, 0.8, 1], [-1, 1, 1])
    true_lines = rng.uniform(0.2, 0.9, (len(PIPS), 2)).round(2)
    ends = np.stack([np.interp(pips, PIPS, column) for column in true_lines.T])
    x = ends[0] * (1 - win) + ends[1] * win
    equity = dead + x * (live - dead)
    samples = Samples(win, np.zeros(900), pips, dead, live, equity, np.ones(900))
    assert samples.fit(cube_lines._race_features(samples)).reshape(-1, 2) == pytest.approx(true_lines)
    assert np.abs(samples.residuals(x)).max() < 1e-12
    assert samples.residuals(x + 0.1).min() < -0.01


def test_data_file_has_all_rollouts() -> None:
    rollouts = cube_lines.read_rollouts()
    assert len(rollouts.phases) == 675
    assert {phase: int((rollouts.phases == phase).sum()) for phase in ("contact", "race", "bearoff")} == {
        "contact": 450,
        "race": 150,
        "bearoff": 75,
    }


@pytest.mark.slow
def test_source_has_the_fitted_lines() -> None:
    rollouts = cube_lines.read_rollouts()
    lines = cube_lines.fit_lines(rollouts)
    boards = [position.to_array() for position in rollouts.positions]
    contact = rollouts.phases == "contact"
    for name, owner in cube_lines.OWNERS.items():
        samples = rollouts.samples[name]
        rows = np.zeros((len(boards), 5))
        # The model uses the gammons of both sides together; a side cannot win more gammons than games.
        rows[:, 0] = np.clip(samples.win, 0, 1)
        rows[:, 1] = np.minimum(samples.gammons, rows[:, 0])
        rows[:, 3] = samples.gammons - rows[:, 1]
        decision = Decision(position=Position.start(), cube=2 if owner else 1, cube_owner=owner)
        x = cube_efficiencies(boards, probabilities=rows.clip(0, 1), decision=decision)
        assert x == pytest.approx(cube_lines.efficiencies(lines, name, samples, contact))


@pytest.mark.slow
def test_page_is_up_to_date() -> None:
    assert cube_lines.main(["--check"]) == 0
