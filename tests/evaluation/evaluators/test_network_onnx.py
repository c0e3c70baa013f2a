"""Networks as ONNX models: inputs compared with their description, results with the network."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Network
from bgfast.cli.players import load_evaluator
from bgfast.evaluators import Onnx
from tests.support.reference_features import reference_bucket, reference_row

FINISHED_BOARD = [0] * 24 + [-15, 0]
NOBODY_BACK = [0] * 6 + [10] + [0] * 5 + [-5, 5] + [0] * 5 + [-10] + [0] * 6
MOVER_BACK = [0] * 6 + [13] + [0] * 5 + [-15] + [0] * 11 + [2, 0]
OPPONENT_BACK = [-n for n in reversed(MOVER_BACK)]
NETWORKS = {
    "builtin": Network.builtin,
    "builtin-fast": Network.builtin_fast,
    "shared and dense": lambda: Network.random(64, seed=3, dense=32, shared=True),
    "squares": lambda: Network.random(64, seed=3, dense=32, squares=True),
    "squares for outputs": lambda: Network.random(32, seed=3, squares=True),
    "triples": lambda: Network.random(32, seed=3, triples=True, squares=True),
    "no features": lambda: Network.random(32, seed=4, features=False),
}


def boards_of_all_buckets(count: int) -> np.ndarray:
    sample = [bgfast.random_positions(count, 5, phase=phase) for phase in ("contact", "race", "bearoff")]  # type: ignore[call-overload]
    return np.concatenate([*sample, np.array([NOBODY_BACK, MOVER_BACK, OPPONENT_BACK], np.int8)])


def test_inputs_follow_the_description() -> None:
    boards = boards_of_all_buckets(15)
    actual = Network.inputs(boards)
    expected = [[*reference_row(board), *np.eye(5)[reference_bucket(board)]] for board in boards]
    assert (actual.shape, actual.dtype) == ((48, 557), np.float32)
    assert actual == pytest.approx(np.array(expected, np.float32), abs=1e-6)
    assert (actual[:, 552:].sum(axis=0) > 0).all()  # all buckets occur
    assert not Network.inputs([FINISHED_BOARD])[:, 552:].any()
    assert Network.inputs(boards[:0]).shape == (0, 557)


@pytest.mark.parametrize("name", NETWORKS)
def test_models_agree_with_the_network(name: str, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="NOT INSTALLED: onnxruntime, so models were not evaluated")
    network, file = NETWORKS[name](), tmp_path / "network.onnx"
    network.save_onnx(file)
    model = pickle.loads(pickle.dumps(Onnx(file, Network.inputs)))
    boards = boards_of_all_buckets(40)
    assert np.abs(model(boards) - network.evaluate(boards)).max() < 2e-6
    assert np.array_equal(load_evaluator(str(file))(boards), model(boards))
    assert model(boards[:1]).shape == (1, 5)
    assert bgfast.rollout(bgfast.Position.start(), evaluator=model, trials=36, truncate=1).trials == 36


def fields(message: bytes) -> list[tuple[int, Any]]:
    """Return the fields of a Protocol Buffers message: integers and bytes."""
    result, offset = [], 0

    def varint() -> int:
        nonlocal offset
        value = shift = 0
        while True:
            byte = message[offset]
            offset += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while offset < len(message):
        key = varint()
        value: Any = varint()
        if key & 7 == 2:
            offset += value
            value = message[offset - value : offset]
        result.append((key >> 3, value))
    assert offset == len(message)
    return result


def test_model_files_are_valid(tmp_path: Path) -> None:
    """Read the file with a minimal parser, and with the package onnx if installed."""
    network, file = Network.random(32, seed=1, dense=32, shared=True), tmp_path / "n"
    network.save_onnx(file)
    model = dict(fields(file.read_bytes()))
    assert (model[1], model[2]) == (8, b"bgfast")
    assert dict(fields(model[8])) == {1: b"", 2: 17}
    graph = fields(model[7])
    assert {key for key, _ in graph} == {1, 2, 5, 11, 12}
    tensors = [dict(fields(tensor)) for key, tensor in graph if key == 5]
    arrays = [np.frombuffer(tensor[9], "<f4") for tensor in tensors if tensor[2] == 1]
    weight_count = sum(array.size for array in network.weights.arrays())
    # The model also contains zero weights for features, which the race layer lacks, and a constant 1.
    assert sum(array.size for array in arrays) == weight_count + 2 * 116 * 32 + 1
    onnx = pytest.importorskip("onnx", reason="NOT INSTALLED: onnx, so a model was not checked by it")
    onnx.checker.check_model(onnx.load(str(file)), full_check=True)
