"""Training positions of the benchmarks: parts, and centred targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import training_positions
from bgfast import Network
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluators import WithBearoff
from bgfast.learning import targets
from bgfast.learning.training_state import load_lessons

NETWORK = WithBearoff(Network.builtin_fast())


def test_parts_are_reproducible_and_targets_centred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_positions, "OnePlyMean", lambda: NETWORK)
    monkeypatch.setattr(training_positions, "GAMES", 16)
    monkeypatch.setattr(targets, "MAX_PLAYS", targets.MAX_PLAYS)  # `make` changes it
    both_parts, second_part, centred_part = (str(tmp_path / name) for name in ("both", "second", "centred"))
    training_positions.make(1, 1, 3, both_parts)
    training_positions.make(1, 2, 3, second_part)
    lessons = load_lessons(f"{both_parts}.training")
    assert len(lessons) == 2
    for boards, values in lessons:
        assert np.abs(values - NETWORK(boards)).max() < 1e-6
    assert np.array_equal(lessons[1].boards, load_lessons(f"{second_part}.training")[0].boards)
    training_positions.centre(second_part, "builtin-fast", centred_part)
    assert np.abs(load_lessons(f"{centred_part}.training")[0].targets - lessons[1].targets).max() < 1e-6
    training_positions.centre(second_part, "builtin", centred_part)
    with np.load(f"{centred_part}.training/positions-00002.npz") as part:
        boards, owners, changes = part["boards"], part["owners"], part["targets"] - lessons[1].targets
    rows = np.flatnonzero(owners == owners[owners >= 0][0])
    errors = (np.asarray(WithBearoff(Network.builtin())(boards), np.float64) - lessons[1].targets)[rows]
    assert len(rows) > 1
    assert changes[rows] == pytest.approx(np.tile(0.7 * errors.mean(axis=0), (len(rows), 1)), abs=1e-6)
    assert not changes[owners < 0].any()


def test_positions_with_checkers_off_have_contact() -> None:
    boards = training_positions._with_checkers_off(np.random.default_rng(1), 60)
    checker_counts = np.stack((np.maximum(boards, 0).sum(axis=1), np.maximum(-boards, 0).sum(axis=1)))
    assert (checker_counts.max(axis=0) == 15).all()
    assert (checker_counts.min(axis=0) < 15).any()
    assert (position_buckets(boards) < training_positions.RACE_BUCKET).all()
