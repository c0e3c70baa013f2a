"""Learning layers: gradients, steps of Adam, threads, pairs of units, and initial weights."""

from __future__ import annotations

import os
import signal
import time
from functools import cache

import numpy as np
import pytest

import bgfast
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_file import Weights
from bgfast.learning._learning_layer import Learner, weights_size
from bgfast.learning.learning_layer import BATCH, LearningLayer, pair_units
from tests.support.bounds import bound_probabilities, possible_point_sets
from tests.support.reference_features import reference_row, reference_triples

PHASES = ("contact", "race", "bearoff")
CONTACT = [0, 1, 2, 3]


def layer_of(
    buckets: list[int], dense: int = 0, hidden: int = 64, *, triples: bool = False, squares: bool = False
) -> LearningLayer:
    generator = np.random.PCG64(np.random.SeedSequence(7))
    return LearningLayer(buckets, hidden, dense, 4 not in buckets, triples, squares, generator)


@cache
def boards_of_all_phases() -> np.ndarray:
    return np.concatenate([bgfast.random_positions(8000, seed=3, phase=phase) for phase in PHASES])  # type: ignore[arg-type]


def positions(buckets: list[int], count: int) -> np.ndarray:
    """Return positions that cycle through the buckets."""
    boards = boards_of_all_phases()
    rows_by_bucket = [np.flatnonzero(position_buckets(boards) == bucket) for bucket in buckets]
    rows = [rows_by_bucket[i % len(buckets)][i // len(buckets)] for i in range(count)]
    return np.ascontiguousarray(boards[rows])


def row_of(board: np.ndarray, features: bool, triples: bool) -> np.ndarray:
    """Return the inputs of a board, followed by 1 for the bias and the rows of triples."""
    row = reference_row(board)
    row[320:] *= features
    return np.concatenate([row, [1], np.eye(125)[reference_triples(board)].ravel()[: 1000 * triples]])


class PlainLayer:
    """Reference layer in double precision with the loss of a batch; weights are in the core's order."""

    def __init__(self, layer: LearningLayer, boards: np.ndarray, targets: np.ndarray) -> None:
        self.layer, self.targets = layer, targets.astype(float)
        self.inputs = np.array([row_of(board, layer.features, layer.triples) for board in boards.astype(int)])
        self.heads = [layer.buckets.index(bucket) for bucket in position_buckets(boards)]

    def activations(self, weights: np.ndarray) -> list[np.ndarray]:
        """Return the activations of the hidden units, of the optional dense layer, and of the outputs."""
        layer = self.layer
        units = layer.dense or 5
        head_rows = units * (1 + layer.squares)
        input_count = self.inputs.shape[1]
        rows = input_count + head_rows * len(layer.buckets)
        tiles = weights[: rows * layer.hidden].reshape(-1, rows, 32).transpose(1, 0, 2)
        all_rows = tiles.reshape(rows, layer.hidden)
        tails = weights[rows * layer.hidden :].reshape(len(layer.buckets), -1)
        sums = self.inputs @ all_rows[:input_count]
        hidden, dense, outputs = np.maximum(sums, 0), [], []
        for head, values in zip(self.heads, hidden, strict=True):
            head_sums = all_rows[input_count + head * head_rows :][:units] @ values
            if layer.squares:
                head_sums += all_rows[input_count + head * head_rows + units :][:units] @ values**2
            if layer.dense:
                head_sums += tails[head][: layer.dense]
                dense.append(head_sums)
                output_weights = tails[head][layer.dense : 6 * layer.dense].reshape(5, layer.dense)
                head_sums = output_weights @ np.maximum(head_sums, 0)
            outputs.append(head_sums + tails[head][-8:-3])
        return [sums, np.array(dense), np.array(outputs)]

    def loss(self, weights: np.ndarray) -> float:
        """Return the mean over the batch of the cross-entropy plus five times the squared equity error."""
        actual = 1 / (1 + np.exp(-self.activations(weights)[-1]))
        entropy = -(self.targets * np.log(actual) + (1 - self.targets) * np.log(1 - actual)).sum(axis=1)
        return float((entropy + 5 * ((actual - self.targets) @ [2, 1, 1, -1, -1]) ** 2).mean())

    def has_kink_between(self, start: np.ndarray, end: np.ndarray) -> bool:
        """Return whether a unit is active at only one of two points in weight space."""
        return any(
            ((a > 0) != (b > 0)).any()
            for a, b in zip(self.activations(start)[:2], self.activations(end)[:2], strict=True)
        )


@pytest.mark.parametrize(
    ("buckets", "dense", "squares", "triples"),
    [
        ([0], 0, False, False),
        ([4], 0, True, True),
        ([4], 32, False, True),
        (CONTACT, 0, True, False),
        (CONTACT, 32, True, True),
        (CONTACT, 64, False, False),
    ],
)
def test_gradient_agrees_with_finite_differences(
    buckets: list[int], dense: int, squares: bool, triples: bool
) -> None:
    layer = layer_of(buckets, dense, squares=squares, triples=triples)
    if squares or triples:  # these weights are 0 initially
        weights = layer.arrays["weights"]
        weights += 0.05 * np.random.default_rng(6).standard_normal(len(weights)).astype(np.float32)
    boards = positions(buckets, 24)
    rng = np.random.default_rng(5)
    targets = rng.uniform(0.05, 0.95, (len(boards), 5)).astype(np.float32)
    start = layer.arrays["weights"].astype(float)
    assert set(position_buckets(boards)) == set(buckets)
    error = layer.learn(boards, targets, np.arange(len(boards)), 1e-3, 1)
    gradient = layer.arrays["mean"].astype(float) / np.float32(0.1)
    np.testing.assert_allclose(layer.arrays["square"], 0.001 * gradient**2, rtol=1e-3, atol=1e-12)
    plain_layer = PlainLayer(layer, boards, targets)
    actual = 1 / (1 + np.exp(-plain_layer.activations(start)[-1]))
    assert error == pytest.approx((((actual - targets) @ [2, 1, 1, -1, -1]) ** 2).sum(), rel=1e-4)
    # Indices of the largest gradients, of the largest gradients in the tail, and of random weights.
    tail = len(start) - len(buckets) * (6 * dense + 8 if dense else 8)
    order = np.argsort(-np.abs(gradient), kind="stable")
    indices = [*order[:40], *order[order >= tail][:40], *rng.integers(0, len(start), 40)]
    indices += [*range(tail, tail + min(dense, 12))]  # biases of the hidden dense layer
    if triples:
        triple_indices = order[(order < tail) & (order // 32 % (tail // layer.hidden) >= 553)]
        indices += [index for index in triple_indices if index // 32 % (tail // layer.hidden) < 1553][:20]
    comparison_count = 0
    for index in indices:
        step = np.zeros_like(start)
        step[index] = 1e-6
        if plain_layer.has_kink_between(start - step, start + step):
            continue
        comparison_count += 1
        slope = (plain_layer.loss(start + step) - plain_layer.loss(start - step)) / 2e-6
        assert gradient[index] == pytest.approx(slope, rel=1e-4, abs=1e-7)
    assert comparison_count > 60


def test_gradients_do_not_accumulate() -> None:
    """Gradients do not depend on earlier batches; steps of length 0 leave the weights unchanged."""
    boards = positions(CONTACT, 20)
    targets = np.random.default_rng(4).uniform(0, 1, (20, 5)).astype(np.float32)
    first_rows, second_rows = np.arange(10), np.arange(10, 20)
    layer, fresh_layer = layer_of(CONTACT, 32), layer_of(CONTACT, 32)
    layer.learn(boards, targets, first_rows, 0.0, 1)
    first_mean = layer.arrays["mean"].astype(float)
    layer.learn(boards, targets, second_rows, 0.0, 1)
    fresh_layer.learn(boards, targets, second_rows, 0.0, 1)
    assert np.abs(first_mean).max() > 1e-4
    assert np.abs(layer.arrays["mean"] - 0.9 * first_mean - fresh_layer.arrays["mean"]).max() <= 1e-7


def test_steps_follow_the_adam_paper() -> None:
    """Compare steps with the formulas at the end of section 2 of the Adam paper."""
    layer = layer_of(CONTACT, 32)
    boards = positions(CONTACT, 50)
    targets = np.full((len(boards), 5), 0.3, np.float32)
    mean, square = (np.zeros_like(layer.arrays["weights"], float) for _ in range(2))
    for step in (1, 2, 3):
        arrays = {name: array.astype(float) for name, array in layer.arrays.items()}
        layer.learn(boards, targets, np.arange(10 * step, 10 * step + 20), 0.01, 1)
        gradient = (layer.arrays["mean"] - 0.9 * arrays["mean"]) / 0.1
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        length = 0.01 * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step)
        expected = arrays["weights"] - length * mean / (np.sqrt(square) + 1e-8)
        is_large = np.abs(gradient) > 1e-5
        assert is_large.sum() > 5000
        assert np.abs(layer.arrays["weights"] - expected)[is_large].max() <= 2e-5
    assert layer.steps == 3
    # Weights without a gradient are unchanged.
    mask = layer.arrays["square"] == 0
    assert mask.any()
    assert (layer.arrays["weights"][mask] == layer_of(CONTACT, 32).arrays["weights"][mask]).all()


def test_results_do_not_depend_on_threads() -> None:
    boards = positions(CONTACT, 300)
    targets = np.random.default_rng(1).uniform(0, 1, (len(boards), 5)).astype(np.float32)

    def learn(dense: int, threads: int) -> np.ndarray:
        layer = layer_of(CONTACT, dense, 96)
        for first in (0, 37, 44):
            layer.learn(boards, targets, np.arange(first, first + BATCH), 1e-3, threads)
        return np.array([*layer.arrays.values()])

    for dense, threads in ((0, 2), (32, 3), (32, 7)):
        assert np.array_equal(learn(dense, 1), learn(dense, threads))


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_ctrl_c_stops_between_steps() -> None:
    boards = positions(CONTACT, 200)
    targets = np.random.default_rng(1).uniform(0, 1, (len(boards), 5)).astype(np.float32)
    rows = np.tile(np.arange(len(boards)), 15)
    size = weights_size(256, 4, 32, True, True)

    def make_learner() -> tuple[Learner, np.ndarray]:
        weights = np.random.default_rng(2).uniform(-0.1, 0.1, size).astype(np.float32)
        means = [np.zeros(size, np.float32) for _ in range(2)]
        return Learner(256, 32, [0, 1, 2, 3, -1], True, True, True, weights, *means, 0, len(rows)), weights

    interrupted_learner, weights = make_learner()
    handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interruption_count = 0
    try:
        for ninths in (2, 4, 6, 8):
            start = time.monotonic()
            try:
                interrupted_learner.learn(boards, targets, rows, 0.01, 1)
                signal.setitimer(signal.ITIMER_REAL, (time.monotonic() - start) * ninths / 9)
                interrupted_learner.learn(boards, targets, rows, 0.01, 1)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interruption_count += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert interruption_count
    assert 4 <= interrupted_learner.steps < 9
    other_learner, expected = make_learner()
    for _ in range(interrupted_learner.steps):
        other_learner.learn(boards, targets, rows, 0.01, 2)
    assert np.array_equal(weights, expected)


def test_vanishing_gradient_means_become_zero() -> None:
    """Denormal numbers would be slow."""
    layer = layer_of(CONTACT, 32)
    boards = positions(CONTACT, 9)
    targets = np.full((9, 5), 0.5, np.float32)
    layer.learn(boards, targets, np.arange(9), 0.0, 1)
    is_unseen = layer.arrays["mean"] == 0  # weights of inputs without checkers
    assert 0.1 < is_unseen.mean() < 0.9
    for mean, square, expected in ((1e-16, 1e-31, 0), (-1e-16, 1e-31, 0), (-1e-10, 1e-20, -0.9e-10)):
        layer.arrays["mean"][is_unseen], layer.arrays["square"][is_unseen] = mean, square
        layer.learn(boards, targets, np.arange(9), 0.0, 1)
        np.testing.assert_allclose(layer.arrays["mean"][is_unseen], expected, rtol=1e-6)
        np.testing.assert_allclose(layer.arrays["square"][is_unseen], 0.999e-20 if expected else 0, rtol=1e-6)
    for array in layer.arrays.values():
        assert not ((array != 0) & (np.abs(array) < np.finfo(np.float32).tiny)).any()


@pytest.mark.parametrize("dense", [0, 32])
def test_units_are_paired_by_activity(dense: int) -> None:
    """The written network has the same units, in an order that leaves more pairs inactive."""
    layer = layer_of(CONTACT, dense)
    boards = positions(CONTACT, 2 * BATCH)
    weights = layer.arrays["weights"]
    first_layer, heads = layer.as_network(weights, 3, boards, 2)
    is_active = layer._learner.first_layer_activations(boards, np.arange(len(boards)), 1) > 0
    order = pair_units(is_active)
    rows, _ = layer._views(weights)
    rows = rows.reshape(len(rows), 64)[:, order]
    assert (first_layer.rows[:553] == (np.round(rows[:553] * 1024) / 1024).astype(np.float16)).all()
    assert [head.first_layer for head in heads] == [3] * 4
    head_weights = np.concatenate([head.dense[0].weights for head in heads])
    assert (head_weights == rows[553:].astype(np.float16)).all()
    assert active_pairs(is_active[:, order]) < active_pairs(is_active)


def active_pairs(is_active: np.ndarray) -> int:
    return int((is_active[:, ::2] | is_active[:, 1::2]).sum())


def test_paired_units_are_active_together() -> None:
    """Units that are always active together are paired, in any order; each unit has one partner."""
    is_active = np.zeros((8, 6), np.bool_)
    is_active[:5, [0, 3]] = True
    is_active[5:, [1, 5]] = True
    is_active[4, 2] = True
    pairs = pair_units(is_active).reshape(-1, 2).tolist()
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in ((0, 3), (1, 5), (2, 4))}
    rng = np.random.default_rng(3)
    for is_active in (rng.random((500, 64)) < rng.random(64) ** 2, np.zeros((9, 64), np.bool_)):
        order = pair_units(is_active)
        assert sorted(order.tolist()) == [*range(64)]
        assert (pair_units(is_active) == order).all()
    assert sorted(pair_units(np.zeros((0, 32), np.bool_)).tolist()) == [*range(32)]


def weights_of(layers: list[LearningLayer], boards: np.ndarray) -> Weights:
    """Return the weights of a network with these layers."""
    results = [layer.as_network(layer.arrays["weights"], i, boards, 1) for i, layer in enumerate(layers)]
    return Weights(
        tuple(layer for layer, _ in results), tuple(head for _, heads in results for head in heads)
    )


@pytest.mark.parametrize(
    ("dense", "separate", "extras_before", "extras_after"),
    [(0, True, False, True), (32, False, True, True), (32, True, False, True), (0, False, False, False)],
)
def test_weights_are_initialized(dense: int, separate: bool, extras_before: bool, extras_after: bool) -> None:
    """A layer that begins with a network's weights reproduces the network's evaluations up to rounding.

    A first layer shared by buckets may be split, and triples and squares may be added.
    """
    options = {"triples": extras_before, "squares": extras_before}
    layers = [layer_of(CONTACT, dense, **options), layer_of([4], dense, 96, **options)]
    for layer in layers:
        layer.arrays["weights"] += 0.02  # biases are 0 initially
    boards = positions([*CONTACT, 4], 80)
    network = Network(weights_of(layers, boards))
    for layer in [layer_of([bucket], dense, 64) for bucket in CONTACT] if separate else layers:
        copy = layer_of(list(layer.buckets), dense, layer.hidden, triples=extras_after, squares=extras_after)
        assert copy.fits(network.weights)
        copy.begin_with(network.weights)
        rows = np.flatnonzero(np.isin(position_buckets(boards), layer.buckets))
        plain_layer = PlainLayer(copy, boards[rows], np.zeros((len(rows), 5)))
        outputs = 1 / (1 + np.exp(-plain_layer.activations(copy.arrays["weights"].astype(float))[-1]))
        win, gammon, _, lost_gammon, _ = outputs.T
        limits = np.transpose([win, win, np.minimum(gammon, win), 1 - win, np.minimum(lost_gammon, 1 - win)])
        pairs = zip(np.minimum(outputs, limits), possible_point_sets(boards[rows]), strict=True)
        expected = np.array([bound_probabilities(*pair) for pair in pairs])
        assert expected == pytest.approx(network.evaluate(boards[rows]), abs=1e-5)


def test_a_network_of_another_shape_does_not_fit() -> None:
    layer = layer_of(CONTACT, 32)
    boards = positions([*CONTACT, 4], 20)
    for dense, hidden in ((32, 64), (32, 96), (64, 64), (0, 64)):
        layers = [layer_of(CONTACT, dense, hidden), layer_of([4], dense, hidden)]
        weights = weights_of(layers, boards)
        assert layer.fits(weights) == ((dense, hidden) == (32, 64))
        for option in ("triples", "squares"):
            extended_layers = [layer_of(CONTACT, dense, hidden, **{option: True}), layers[1]]
            assert not layer.fits(weights_of(extended_layers, boards))
        separate_layers = [layer_of([bucket], dense, hidden) for bucket in range(5)]
        assert not layer.fits(weights_of(separate_layers, boards))  # each bucket has its own first layer
        featureless_layer = weights.first_layers[0]._replace(features=np.zeros((2, 0, hidden), np.float32))
        assert not layer.fits(weights._replace(first_layers=(featureless_layer, weights.first_layers[1])))
