"""Learning curves: atomic writes of lines, and the contests of a measurement."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from bgfast import BgfastError
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluators import Pubeval
from bgfast.learning import learning_curve
from bgfast.learning.contest import contest
from bgfast.learning.learning_curve import Measurement, add_to_curve, measure, read_curve

MEASUREMENT = Measurement(1, 2, 3, 4.0, 5.0, 0.5, -0.5, 0.1, 0, 0.5, 0.1, 20)


def test_lines_of_a_curve_are_written_atomically(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "curve"
    add_to_curve(path, MEASUREMENT)
    line = path.read_bytes()
    real_write = os.write

    def write_to_full_disk(descriptor: int, data: bytes) -> int:
        if len(data) < 90:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_write(descriptor, data[:20])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write_to_full_disk)
        with pytest.raises(BgfastError, match=f"^curve {path}: No space left on device$"):
            add_to_curve(path, MEASUREMENT)
    assert path.read_bytes() == line
    add_to_curve(path, MEASUREMENT)
    assert path.read_bytes() == 2 * line
    for length in range(1, len(line)):  # a line torn by a power failure
        path.write_bytes(line + line[:length])
        with pytest.warns(UserWarning, match=f"^curve {path}: {length} damaged bytes at the end are ignored"):
            assert read_curve(path) == [MEASUREMENT]
    with pytest.warns(UserWarning, match="damaged bytes"):
        add_to_curve(path, MEASUREMENT)
    assert path.read_bytes() == 2 * line


def test_a_measurement_plays_two_contests(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = []

    def record_players(network: Network, opponent: Any, **options: Any) -> Any:
        pairs.append((network, opponent))
        return contest(network, opponent, **options)

    monkeypatch.setattr(learning_curve, "contest", record_players)
    metadata = {"round": 1, "games": 2, "positions": 3, "seconds": 4}
    old_network, new_network = (Network(Network.random(32, seed).weights, metadata) for seed in (1, 2))
    measure(new_network, old_network, 4)
    assert [network for network, _ in pairs] == [new_network, new_network]
    assert isinstance(pairs[0][1], Pubeval)
    assert pairs[1][1] == old_network
