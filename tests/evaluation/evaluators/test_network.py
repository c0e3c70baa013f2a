"""Network evaluation and choice of plays, compared with reference code that follows the documentation."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, InvalidPositionError, Position
from bgfast.batch.successors import WIN_SCHEMES
from bgfast.evaluation.evaluators._lookahead import CoreLookahead
from bgfast.evaluation.evaluators._network import CoreNetwork, position_features
from bgfast.evaluation.evaluators.evaluators import STANDARD_GAME, game_rules
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_file import MAX_WEIGHT, Dense, FirstLayer, Head, Weights
from tests.support.bounds import bound_probabilities, possible_point_sets
from tests.support.networks import map_arrays
from tests.support.reference_features import (
    NAMES,
    reference_bucket,
    reference_features,
    reference_inputs,
    reference_row,
    reference_triples,
)

START = Position.start()
PHASES = ("contact", "race", "bearoff")
SIDE_ARRAYS = ("points", "bar", "off", "features")  # weights of each side
WEIGHT_ROW_COUNT = len(Network.random(32).weights.first_layers[0].rows)
TOLERANCE = 1e-3  # equity error of quantized weights of untrained networks, in points


def read_file(path: Path) -> tuple[dict[str, Any], list[dict[str, np.ndarray]], list[list[np.ndarray]]]:
    """Read a network as described in `bgfast.evaluation.evaluators.network_file`."""
    content = path.read_bytes()
    assert content[:16] == b"bgfast network\n\x00"
    end = content.index(b"\n", 16)
    header = json.loads(content[16:end])
    assert hashlib.sha256(content[:-32]).digest() == content[-32:]
    assert header["format"] == 7
    weights = content[end + 1 : -32]
    if header["bits"] == 16:
        low, high = weights[: len(weights) // 2], weights[len(weights) // 2 :]
        weights = bytes(byte for pair in zip(low, high, strict=True) for byte in pair)
    values = iter(struct.iter_unpack({16: "<e", 32: "<f"}[header["bits"]], weights))

    def array(*shape: int) -> np.ndarray:
        return np.array([next(values)[0] for _ in range(int(np.prod(shape)))], np.float64).reshape(shape)

    layers, heads = [], []
    for layer in header["first_layers"]:
        hidden = layer["hidden"]
        layers.append(
            {
                "points": array(2, 24, 6, hidden),
                "bar": array(2, hidden),
                "off": array(2, 15, hidden),
                "features": array(2, layer["features"], hidden),
                "bias": array(hidden),
                "triples": array(8, layer["triples"], hidden),
            }
        )
    for head in header["heads"]:
        inputs, arrays = header["first_layers"][head["first_layer"]]["hidden"], []
        inputs *= 2 if head["squares"] else 1
        for units in head["dense"]:
            arrays += [array(units, inputs), array(units)]
            inputs = units
        heads.append(arrays)
    assert next(values, None) is None
    return header, layers, heads


def reference_sums(layer: dict[str, np.ndarray], board: np.ndarray) -> np.ndarray:
    rows = np.concatenate([layer[name].reshape(-1, len(layer["bias"])) for name in SIDE_ARRAYS])
    total = layer["bias"] + reference_row(board)[: len(rows)] @ rows
    if layer["triples"].size:
        total += sum(layer["triples"][k, row] for k, row in enumerate(reference_triples(board)))
    return np.asarray(total)


def reference_outputs(layer: dict[str, np.ndarray], dense: list[np.ndarray], board: np.ndarray) -> np.ndarray:
    values = np.maximum(reference_sums(layer, board), 0)
    if dense[0].shape[1] > len(values):
        values = np.concatenate((values, values**2))
    for weights, bias in zip(dense[::2], dense[1::2], strict=True):
        outputs = weights @ values + bias
        values = np.maximum(outputs, 0)
    return outputs


def reference_probabilities(outputs: np.ndarray) -> np.ndarray:
    probabilities = 1 / (1 + np.exp(-outputs))
    probabilities[1] = min(probabilities[1], probabilities[0])
    probabilities[2] = min(probabilities[2], probabilities[1])
    probabilities[3] = min(probabilities[3], 1 - probabilities[0])
    probabilities[4] = min(probabilities[4], probabilities[3])
    return probabilities


def reference_pass(path: Path, boards: np.ndarray) -> np.ndarray:
    """Evaluate unfinished boards with a network file, in double precision."""
    header, layers, heads = read_file(path)
    results = []
    for board in boards.astype(int):
        bucket = reference_bucket(board)
        layer = layers[header["heads"][bucket]["first_layer"]]
        results.append(reference_probabilities(reference_outputs(layer, heads[bucket], board)))
    return np.array(
        [bound_probabilities(*row) for row in zip(results, possible_point_sets(boards), strict=True)]
    )


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.random(64, seed=3)


@pytest.mark.parametrize(
    ("hidden", "options"),
    [
        (32, {}),
        (96, {"dense": 64}),
        (64, {"features": False, "dense": 32}),
        (160, {"dense": 32, "shared": True}),
        (64, {"squares": True}),
        (96, {"dense": 64, "squares": True}),
        (32, {"triples": True}),
        (64, {"triples": True, "features": False, "dense": 32, "squares": True}),
    ],
)
def test_probabilities_agree_with_the_reference(hidden: int, options: dict[str, Any], tmp_path: Path) -> None:
    network = Network.random(hidden, seed=hidden, **options)
    network.save(tmp_path / "n")
    boards = boards_of_phases(30, 5)
    expected = reference_pass(tmp_path / "n", boards)
    assert np.abs(network.evaluate(boards) - expected).max() < 1e-5
    equities = expected @ [2, 1, 1, -1, -1] - 1
    assert np.abs(network.equities(boards) - equities).max() < 1e-5
    assert np.array_equal(network(boards), network.evaluate(boards, threads=3))


def boards_of_phases(count: int, seed: int) -> np.ndarray:
    return np.concatenate([bgfast.random_positions(count, seed, phase=phase) for phase in PHASES])  # type: ignore[call-overload]


def test_features_equal_a_slow_computation() -> None:
    boards = np.concatenate((boards_of_phases(200, 21), boards_with_hits_from_the_bar(150)))
    expected = np.array([reference_features(board) for board in boards])
    actual = position_features(boards)
    for column, name in enumerate(NAMES * 2):
        assert actual[:, column].tolist() == expected[:, column].tolist(), name
    assert (actual <= 36).all()
    assert (actual.max(axis=0) - actual.min(axis=0) >= 6).all()


def boards_with_hits_from_the_bar(count: int) -> np.ndarray:
    """Return boards with the mover's checkers on the bar and blots of the opponent."""
    rng = np.random.default_rng(7)
    boards = np.zeros((count, 26), np.int8)
    for board in boards:
        board[25] = rng.integers(1, 4)
        for point in rng.permutation(np.arange(1, 25))[:12]:
            board[point] = rng.choice([-2, -1, -1, 1, 2]) if board[board < 0].sum() > -6 else 1
        board[0] = -rng.integers(0, 2)
    return boards[(np.maximum(boards, 0).sum(axis=1) <= 15) & ((boards < 0).any(axis=1))]


def test_builds_agree(network: Network, tmp_path: Path) -> None:
    """Compare the best build for this processor with the portable one, for networks of many shapes."""
    networks = [
        Network.random(160, seed=4, dense=64, shared=True),
        Network.random(160, seed=4, dense=64, squares=True),
        Network.random(96, seed=4, squares=True),
        Network.random(96, seed=4, dense=32, triples=True, squares=True),
    ]
    code = (
        "import sys, bgfast\nfrom bgfast.core.generator.generator import BUILD\n"
        "from bgfast.core.network import network\nprint(BUILD, network.BUILD)\n"
        "boards = bgfast.random_positions(100, seed=2); dice = bgfast.random_dice(100, seed=2)\n"
        "for file in sys.argv[1:]:\n"
        "    network = bgfast.Network.load(file)\n"
        "    best = network.best_successors(boards, dice)\n"
        "    print(network.evaluate(boards).tobytes().hex(), best.equities.tobytes().hex())"
    )
    files = []
    for index, variant in enumerate((network, *networks, *map(with_varied_weights, networks))):
        files.append(str(tmp_path / f"{index}"))
        variant.save(files[-1])

    def results(build: str) -> list[str]:
        return subprocess.run(
            [sys.executable, "-c", code, *files],
            env={**os.environ, "BGFAST_CPU": build},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.splitlines()

    builds, *expected = results("")  # an empty name selects the best builds for this processor
    for build in {builds.split()[0], "portable"}:
        assert results(build) == [f"{build} {build}", *expected]


def with_varied_weights(network: Network) -> Network:
    """Return the network with weights of widely different sizes."""
    rng = np.random.default_rng(5)
    return Network(map_arrays(network.weights, lambda array: array * rng.choice([0.1, 1, 5], array.shape)))


def reference_quantized_equities(path: Path, boards: np.ndarray) -> np.ndarray:
    """Return the equities of unfinished boards with quantized weights, following docs/NETWORK.md."""
    header, layers, heads = read_file(path)
    scales, peaks = zip(*map(reference_scale, layers), strict=True)
    results = []
    for board in boards.astype(int):
        bucket = reference_bucket(board)
        index = header["heads"][bucket]["first_layer"]
        layer, scale = layers[index], scales[index]
        sums = np.zeros(len(scale))
        for rows in reference_rows(layer, board):
            sums += np.floor(np.abs(rows) * scale + 0.5) * np.sign(rows)
        activations, steps, maxima = np.floor(np.maximum(sums, 0) / 4), 4 / scale, peaks[index] / 4
        if header["heads"][bucket]["squares"]:
            squares = np.floor(np.maximum(sums, 0) ** 2 / 2**15 + 0.5)
            activations = np.concatenate((activations, squares))
            steps = np.concatenate((steps, 2**15 / scale**2))
            maxima = np.concatenate((maxima, peaks[index] ** 2 / 2**15 + 0.5))
        weights = heads[bucket][0] * steps
        sizes = np.abs(weights)
        sums = np.maximum(np.maximum(weights, 0) @ maxima, np.maximum(-weights, 0) @ maxima)
        weight_scales = np.minimum((2147e6 - maxima.sum() / 2) / sums, 32000 / sizes.max(axis=1))
        integer_weights = np.floor(sizes * weight_scales[:, None] + 0.5) * np.sign(weights)
        hidden = np.maximum((integer_weights @ activations) / weight_scales + heads[bucket][1], 0)
        results.append(reference_probabilities(heads[bucket][2] @ hidden + heads[bucket][3]))
    probabilities = [
        bound_probabilities(*row) for row in zip(results, possible_point_sets(boards), strict=True)
    ]
    return np.array(probabilities) @ [2, 1, 1, -1, -1] - 1


def reference_rows(layer: dict[str, np.ndarray], board: np.ndarray) -> list[np.ndarray]:
    """Return the rows that a first layer adds for a board.

    The rows are the bias, sums of triples, the excess over two checkers, bar, off and features.
    """
    rows = [layer["bias"], *(reference_triple(layer, k, n) for k, n in enumerate(reference_triples(board)))]
    for side, checkers in enumerate((board, -board[::-1])):
        for point in range(1, 25):
            rows.append(reference_excess(layer, side, point, max(int(checkers[point]), 2)))
        rows.append(max(int(checkers[25]), 0) / 2 * layer["bar"][side])
        rows.append(layer["off"][side, : 15 - int(checkers[checkers > 0].sum())].sum(axis=0))
        if layer["features"].size:
            values = reference_features(board)[10 * side : 10 * side + 10]
            rows += [reference_feature(layer, side, feature, value) for feature, value in enumerate(values)]
    return rows


def reference_point(layer: dict[str, np.ndarray], side: int, point: int, n: int) -> np.ndarray:
    inputs = [n == 1, n >= 2, n >= 3, n >= 4, n >= 5, max(n - 5, 0) / 2]
    row: np.ndarray = np.array(inputs, float) @ layer["points"][side, point - 1]
    return row


def reference_excess(layer: dict[str, np.ndarray], side: int, point: int, n: int) -> np.ndarray:
    return reference_point(layer, side, point, n) - reference_point(layer, side, point, 2)


def reference_triple(layer: dict[str, np.ndarray], group: int, row: int) -> np.ndarray:
    """Return the sum of all weights for up to two checkers on each of three points."""
    total = np.zeros(len(layer["bias"]))
    if layer["triples"].size:
        total += layer["triples"][group, row]
    for index, digit in enumerate((row // 25, row // 5 % 5, row % 5)):
        point = 3 * group + 1 + index
        total += reference_point(layer, 0, point, max(digit - 2, 0))
        total += reference_point(layer, 1, 25 - point, max(2 - digit, 0))
    return total


def reference_feature(layer: dict[str, np.ndarray], side: int, feature: int, value: int) -> np.ndarray:
    values = np.zeros(10, int)
    values[feature] = value
    first = 8 * feature if feature < 7 else 56 + [0, 26, 47][feature - 7]
    count = 8 if feature < 7 else [26, 21, 13][feature - 7]
    row: np.ndarray = (
        reference_inputs(values)[first : first + count] @ layer["features"][side, first : first + count]
    )
    return row


def reference_scale(layer: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the accumulator scale at which all sums fit in 16 bits, and bounds of the activations."""
    maxima, bounds = np.ones(len(layer["bias"])), []
    triples_only = layer | {"points": np.zeros_like(layer["points"])}
    for sign in (1, -1):
        bound = sign * layer["bias"]
        for group in range(8):
            rows = [sign * reference_triple(layer, group, row) for row in range(125)]
            triple_rows = [sign * reference_triple(triples_only, group, row) for row in range(125)]
            maxima = np.max([maxima, *rows], axis=0)
            bound = bound + np.max(triple_rows, axis=0)
        for side in range(2):
            values = [[reference_point(layer, side, p, n) for n in range(16)] for p in range(1, 25)]
            values.append([n / 2 * layer["bar"][side] for n in range(16)])
            values.append([layer["off"][side, :n].sum(axis=0) for n in range(16)])
            bound = bound + largest_sums(sign * np.array(values))
            rows = [*reference_side_rows(layer, side)]
            for feature in range(10 if layer["features"].size else 0):
                value_count = 37 if feature < 7 else [26, 21, 13][feature - 7]
                features = [reference_feature(layer, side, feature, v) for v in range(value_count)]
                bound = bound + np.max(sign * np.array(features), axis=0)
                rows += features
            maxima = np.max([maxima, *(sign * row for row in (*rows, layer["bias"]))], axis=0)
        maxima = np.maximum(maxima, bound)
        bounds.append(bound)
    scale = 32000 / maxima
    return scale, np.maximum(bounds[0], 0) * scale + 28


def reference_side_rows(layer: dict[str, np.ndarray], side: int) -> Iterator[np.ndarray]:
    """Yield the rows of a side's checkers beyond two on a point, on the bar, and off."""
    for n in range(1, 16):
        yield from (reference_excess(layer, side, p, max(n, 3)) for p in range(1, 25))
        yield n / 2 * layer["bar"][side]
        yield layer["off"][side, :n].sum(axis=0)


def largest_sums(values: np.ndarray) -> np.ndarray:
    """Return the largest sums for 15 checkers, from the sums of 0 to 15 checkers on each place."""
    sums = {0: np.zeros(values.shape[2])}
    for place in values:
        sums = {
            total: np.max([sums[n] + place[total - n] for n in sums if n <= total], axis=0)
            for total in range(16)
        }
    return sums[15]


@pytest.mark.parametrize("options", [{}, {"squares": True, "triples": True}])
def test_equities_agree_with_the_quantized_reference(options: dict[str, bool], tmp_path: Path) -> None:
    network = with_varied_weights(Network.random(64, seed=6, dense=32, shared=True, **options))
    network.save(tmp_path / "n")
    boards = np.concatenate([bgfast.random_positions(30, seed=3, phase=phase) for phase in PHASES[:2]])
    best = network.best_successors(boards, (6, 5))
    is_unfinished = bgfast.results(best.boards) == 0
    has_play = (best.moves != -1).any(axis=(1, 2))  # a pass leaves no choice
    expected = reference_quantized_equities(tmp_path / "n", best.boards[is_unfinished & has_play])
    assert len(expected) > 40
    errors = np.abs(best.equities[is_unfinished & has_play] + expected)
    # Halves may be rounded either way in 32-bit floats.
    assert np.median(errors) < 2e-6
    assert errors.max() < 0.02
    assert np.abs(expected + network.equities(best.boards[is_unfinished & has_play])).max() > 0.02


def test_finished_boards_have_exact_results(network: Network) -> None:
    boards = [[0] * 24 + [-15, 0], [0] * 24 + [-14, 0], [0] * 12 + [15] + [0] * 13, [-1, -14] + [0] * 24]
    assert network.evaluate(boards).tolist() == [
        [1, 1, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [0, 0, 0, 1, 0],
        [1, 1, 1, 0, 0],
    ]


@pytest.mark.parametrize("options", [{}, {"dense": 32, "squares": True, "triples": True}])
def test_evaluations_do_not_depend_on_the_batch(options: dict[str, Any]) -> None:
    """Boards of one bucket are evaluated in groups, which other boards and finished games interrupt."""
    network = Network.random(96, seed=9, **options)
    successors = bgfast.successors(bgfast.random_positions(9, seed=4), "all", flip=True).boards[:300]
    permutation = np.random.default_rng(4).permutation(successors)
    finished_boards = np.array([[0] * 24 + [-15, 0], [0] * 12 + [15] + [0] * 13], np.int8)
    boards = np.concatenate(
        [successors, finished_boards, permutation[:7], finished_boards[:1], permutation, finished_boards]
    )
    single_rows = np.concatenate([network.evaluate(boards[i : i + 1]) for i in range(len(boards))])
    assert np.array_equal(network.evaluate(boards), single_rows)
    assert np.array_equal(network.evaluate(boards, threads=3), single_rows)
    equities = [Lookahead(network, ply=0).equities(boards[i : i + 1])[0] for i in range(len(boards))]
    assert Lookahead(network, ply=0).equities(boards).tolist() == equities


def test_checkers_missing_from_fifteen_count_as_borne_off(network: Network) -> None:
    start = Position.hypergammon()
    core_result = bgfast.rollout(start, evaluator=network, trials=360, seed=4, truncate=3)
    lockstep_result = bgfast.rollout(
        start,
        evaluator=lambda boards: network._values(boards, *STANDARD_GAME[:1], 3, True),
        trials=360,
        seed=4,
        truncate=3,
    )
    assert core_result.equity == pytest.approx(lockstep_result.equity, abs=1e-3)


@pytest.mark.parametrize("rules", ["standard", "exact", "rear_first", "five_stack"])
def test_best_successors_equal_the_best_evaluated_plays(rules: Any, network: Network) -> None:
    boards = bgfast.random_positions(400, seed=12)
    dice = bgfast.random_dice(400, seed=12)
    best = network.best_successors(boards, dice, rules=rules, threads=2)
    plays = bgfast.successors(boards, dice, rules=rules, flip=True, passes="keep", moves=True)
    game = game_rules(bgfast.RuleSet.named(rules), 15)
    equities = network._values(plays.boards, *game) @ [2, 1, 1, -1, -1] - 1
    assert plays.moves is not None
    for row in range(400):
        begin, end = plays.offsets[row : row + 2]
        assert best.equities[row] == pytest.approx(-equities[begin:end].min(), abs=TOLERANCE)
        (indices,) = (plays.boards[begin:end] == best.boards[row]).all(axis=1).nonzero()
        assert len(indices) == 1
        assert best.equities[row] == pytest.approx(-equities[begin + indices[0]], abs=TOLERANCE)
        assert (plays.moves[begin + indices[0]] == best.moves[row]).all()
    single_thread_best = network.best_successors(boards, dice, rules=rules)
    assert all(np.array_equal(*pair) for pair in zip(best, single_thread_best, strict=True))


@pytest.mark.parametrize(
    "network", [Network.builtin(), Network.builtin_fast()], ids=["builtin", "builtin-fast"]
)
def test_quantized_weights_choose_nearly_the_same_plays(network: Network) -> None:
    boards, dice = game_decisions(network, 6000)
    plays = bgfast.successors(boards, dice, flip=True, passes="keep")
    outcomes = bgfast.results(plays.boards)
    equities = np.where(outcomes != 0, outcomes, network.equities(plays.boards)).astype(float)
    zeros = np.zeros(len(boards), np.int64)
    rows = network._choices(boards, plays.boards, plays.offsets, *STANDARD_GAME, 0, zeros, zeros)
    losses = equities[rows] - np.minimum.reduceat(equities, plays.offsets[:-1])
    assert len(losses) == 6000
    assert np.mean(losses == 0) >= 0.99
    assert losses.mean() < 0.01e-3


def game_decisions(network: Network, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and rolls of the network's games against itself."""
    boards = np.repeat(START.to_array()[None], count // 40, axis=0)
    all_boards, all_dice = [], []
    while sum(map(len, all_boards)) < count:
        dice = bgfast.random_dice(len(boards), seed=len(all_boards))
        all_boards.append(boards)
        all_dice.append(dice)
        boards = network.best_successors(boards, dice).boards
        boards[bgfast.results(boards) != 0] = START.to_array()
    return np.concatenate(all_boards)[:count], np.concatenate(all_dice)[:count]


@pytest.mark.parametrize(("hidden", "sign"), [(32, -1), (1024, 1), (1024, -1)])
def test_the_largest_integer_sums_do_not_overflow(hidden: int, sign: int) -> None:
    """All hidden units are at their bound, with equal weights."""
    layer = Network.random(hidden, seed=1).weights.first_layers[0]
    zero_layer = layer._replace(**{name: np.zeros_like(getattr(layer, name)) for name in SIDE_ARRAYS})
    outputs = np.repeat(np.float32([[1], [0.5], [0.25], [0.75], [0.3]]) * sign / (5 * hidden), hidden, axis=1)
    full_layer = zero_layer._replace(bias=np.full(hidden, 5, np.float32))
    head = Head(0, (Dense(outputs, np.zeros(5, np.float32)),))
    network = Network(Weights((full_layer,), (head,) * 5))
    boards = bgfast.random_positions(20, seed=2)
    best = network.best_successors(boards, (3, 1))
    is_unfinished = bgfast.results(best.boards) == 0
    # With 1024 units, a weight is a few hundred steps, and equal weights share one rounding error.
    expected = -network.equities(best.boards[is_unfinished])
    assert best.equities[is_unfinished] == pytest.approx(expected, abs=10 * TOLERANCE)


def test_passes_and_finished_games_only_flip_the_board(network: Network) -> None:
    closed_out_board = [0] * 19 + [-2] * 6 + [1]
    won_board = [0] * 24 + [-15, 0]
    best = network.best_successors([closed_out_board, won_board], (6, 5))
    assert (best.boards == bgfast.flip([closed_out_board, won_board])).all()
    assert (best.moves == -1).all()
    assert best.equities[1] == 2
    assert best.equities[0] == pytest.approx(-network.equities(bgfast.flip([closed_out_board]))[0])


# ---- weights ----


def test_tables_are_made_for_the_buckets_that_boards_need() -> None:
    network = Network(Network.random(32, seed=1, shared=True).weights)
    boards = [START.to_array(), np.int8([0, 0, 0, 2] + [0] * 19 + [-2, 0, 0])]
    assert network._tables_made == (0,) * 5
    network.evaluate(boards)
    assert network._tables_made == (1, 0, 0, 0, 1)
    network.best_successors(boards[:1], (3, 1))
    assert network._tables_made == (2, 0, 0, 0, 1)
    network.best_successors(boards[1:], (1, 1))  # two checkers are left
    assert network._tables_made == (2, 0, 0, 0, 2)


@pytest.mark.parametrize("shared", [False, True])
def test_threads_can_make_the_same_tables(shared: bool) -> None:
    weights = Network.random(128, seed=1, shared=shared, dense=32, squares=True).weights
    boards = bgfast.random_positions(400, seed=3)

    def results(network: Network, turn: int) -> list[bytes]:
        calls = [
            lambda: network.evaluate(boards).tobytes(),
            lambda: network.best_successors(boards, (4, 2)).equities.tobytes(),
        ]
        return [calls[(turn + k) % 2]() for k in range(2)][:: 1 - 2 * turn]

    expected = results(Network(weights), 0)
    for _ in range(5):
        network = Network(weights)
        with ThreadPoolExecutor(6) as pool:
            futures = [pool.submit(results, network, turn % 2) for turn in range(6)]
        assert all(future.result() == expected for future in futures)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_while_tables_are_made_can_evaluate() -> None:
    """The child has no thread that would finish the tables."""
    weights = Network.random(1024, seed=1).weights
    expected = Network(weights).equities([START])[0]
    for _ in range(3):
        network = Network(weights)
        thread = Thread(target=network.best_successors, args=([START], (3, 1)))
        thread.start()
        child = os.fork()
        if child == 0:
            os._exit(int(network.equities([START])[0] != expected))
        assert os.waitpid(child, 0)[1] == 0
        thread.join()


def test_networks_are_initialized_once(network: Network) -> None:
    boards = bgfast.random_positions(3, seed=1)
    expected = network.evaluate(boards)
    with pytest.raises(BgfastError, match="the network has weights already"):
        network.__init__(Network.random(64, seed=9).weights)  # type: ignore[misc]
    assert np.array_equal(network.evaluate(boards), expected)


@pytest.mark.parametrize(("dense", "squares"), [(0, False), (32, True)])
@pytest.mark.parametrize("size", [MAX_WEIGHT, 1e-45])
def test_extreme_weights_cause_no_overflow(size: float, dense: int, squares: bool) -> None:
    is_large = size == MAX_WEIGHT
    shape = {"shared": True, "dense": dense * (4 if is_large else 1), "squares": squares}
    random_network = Network.random(1024 if is_large else 32, seed=1, **shape)
    network = Network(map_arrays(random_network.weights, lambda array: np.float32(size) * np.sign(array)))
    boards = bgfast.random_positions(30, seed=2)
    assert np.isfinite(network.evaluate(boards)).all()
    assert np.isfinite(network.best_successors(boards, (3, 1)).equities).all()
    result = bgfast.rollout(START, evaluator=network, trials=36, truncate=2, variance_reduction=True)
    assert np.isfinite(result.equity)


@pytest.mark.parametrize("units", [0, 1])
def test_evaluations_with_nan_weights_are_finite(units: int) -> None:
    """Training with too large a step size can produce such weights."""
    rows = np.full((WEIGHT_ROW_COUNT, 32), np.nan, np.float32)
    rows[::2] = np.inf
    nans = np.full((32, 32), np.nan, np.float32)
    dense = [(nans, nans[0])] * units + [(np.full((5, 32), np.inf, np.float32), nans[0, :5])]
    network = CoreNetwork([FirstLayer.of_rows(rows, True)], [(0, dense)] * 5)
    out = np.empty((4, 5), np.float32)
    network._evaluate_into(bgfast.random_positions(4, seed=1), out, 1)
    assert np.isfinite(out).all()
    search = CoreLookahead(network, None, (8,), (0.16,), None, WIN_SCHEMES["standard"])
    for player in (network, search):
        result = bgfast.rollout(START, evaluator=player, trials=2, truncate=1, variance_reduction=True)
        assert np.isfinite(result.equity)


def test_rows_before_an_invalid_row_are_evaluated(network: Network) -> None:
    out = np.empty((1, 5), np.float32)
    assert network.evaluate([START.to_array()], out=out) is out
    boards = bgfast.random_positions(200, seed=8)
    boards[130, 25] = 16
    out = np.full((200, 5), 7, np.float32)
    with pytest.raises(InvalidPositionError, match="row 130: the mover has"):
        network.evaluate(boards, out=out)
    assert np.array_equal(out[:130], network.evaluate(boards[:130]))
    assert (out[130:] == 7).all()
