"""The reader of PureTD's weights, with random weights in a file of that format."""

from __future__ import annotations

import math
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import bgfast
from benchmarks.peers.puretd import UNITS, VARIABLE, Evaluator, OnePlyMean, encode
from bgfast import BgfastError, Network
from bgfast.common.probabilities import evaluations_of_points, flipped_probabilities
from bgfast.common.rolls import ORDERED_ROLLS
from bgfast.evaluators import WithBearoff

Layers = list[tuple[np.ndarray, np.ndarray]]


@pytest.fixture
def layers() -> Layers:
    random = np.random.default_rng(1)
    return [
        (random.normal(0, (2 / inputs) ** 0.5, (outputs, inputs)), random.normal(0, 0.1, outputs))
        for inputs, outputs in pairwise(UNITS)
    ]


@pytest.fixture
def file(layers: Layers, tmp_path: Path) -> Path:
    path = tmp_path / "weights.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights/data.pkl", b"")
        for number, array in enumerate(array for layer in layers for array in layer):
            archive.writestr(f"weights/data/{number}", array.astype("<f4").tobytes())
    return path


def test_inputs() -> None:
    board = np.zeros((1, 26), np.int8)
    board[0, [1, 3, 24, 25, 6, 0]] = 2, 5, 3, 2, -4, -1
    own, other = encode(board)[0].reshape(2, 98)
    assert own[:4].tolist() == [1, 1, 0, 0]
    assert own[8:12].tolist() == [1, 1, 1, 1]
    assert own[92:].tolist() == [1, 1, 1, 0, 1, pytest.approx(3 / 15)]
    assert np.flatnonzero(own[:92]).tolist() == [0, 1, 8, 9, 10, 11]
    assert other[20:24].tolist() == [1, 1, 1, 0.5]
    assert other[96:].tolist() == [0.5, pytest.approx(10 / 15)]
    assert np.flatnonzero(other[:96]).tolist() == [20, 21, 22, 23]


def test_evaluations_are_those_of_the_layers(layers: Layers, file: Path) -> None:
    boards = bgfast.random_positions(5000, seed=1)
    probabilities = Evaluator(str(file))(boards)
    assert probabilities.shape == (5000, 5)
    for row in (0, 17, 4999):
        units = encode(boards[row : row + 1])[0].tolist()
        for number, (weights, bias) in enumerate(layers):
            units = [math.fsum(w * x for w, x in zip(own, units, strict=True)) for own in weights.tolist()]
            units = [unit + b for unit, b in zip(units, bias, strict=True)]
            if number < 4:
                units = [max(0.0, unit) for unit in units]
        win, gammon, backgammon, lose_gammon, lose_backgammon = (1 / (1 + math.exp(-x)) for x in units)
        gammon, lose_gammon = min(gammon, win), min(lose_gammon, 1 - win)
        expected = [win, gammon, min(backgammon, gammon), lose_gammon, min(lose_backgammon, lose_gammon)]
        assert probabilities[row] == pytest.approx(expected, abs=1e-4)


def test_the_one_ply_mean(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roll by roll: the network's play; PureTD's difference after six rolls counts for all 36."""
    monkeypatch.setenv(VARIABLE, str(file))
    boards = np.concatenate(
        [bgfast.random_positions(4, seed=1, phase=phase) for phase in ("contact", "race", "bearoff")]
    )
    network, puretd = Network.builtin(), Evaluator()
    player = WithBearoff(network)
    found = OnePlyMean()(boards)
    for board, probabilities in zip(boards, found, strict=True):
        exact = player(board[None])[0]
        if player.bearoff.covers(board[None])[0]:
            assert probabilities == pytest.approx(exact)
            continue
        sample = int(board.astype(int) @ np.arange(26)) % 6
        values, differences = [], []
        for roll in ORDERED_ROLLS:
            after = network.best_successors([board], roll).boards
            points = bgfast.results(after)
            value = evaluations_of_points(points)[:, :5] if points[0] else player(after)
            values.append(flipped_probabilities(value)[0])
            if sum(roll) % 6 == sample:
                is_known = points[0] or player.bearoff.covers(after)[0]
                mean = value if is_known else (value + puretd(after)) / 2
                differences.append(flipped_probabilities(mean)[0] - values[-1])
        expected = np.clip(np.mean(values, axis=0) + np.mean(differences, axis=0), 0, 1)
        assert len(differences) == 6
        assert probabilities[0] == pytest.approx(expected[0], abs=1e-6)
        assert (probabilities <= expected + 1e-6).all()
        assert (probabilities[[1, 2, 4]] <= probabilities[[0, 1, 3]]).all()
        assert probabilities[3] <= 1 - probabilities[0]
    covered = player.bearoff.covers(boards)
    assert 0 < covered.sum() < len(boards)


def test_the_file_is_checked(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(BgfastError, match=f"^{VARIABLE} is not set; expected the file of PureTD's weights$"):
        Evaluator()
    monkeypatch.setenv(VARIABLE, str(file))
    assert Evaluator()(bgfast.random_positions(3, seed=1)).shape == (3, 5)
    (tmp_path / "text").write_text("no weights")
    for path in ("text", "missing"):
        with pytest.raises(BgfastError, match="is no file of PureTD's weights"):
            Evaluator(str(tmp_path / path))
