"""Rounding of dense layers: on the grid that the core finds, with errors that make up for one another."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from bgfast import BgfastError
from bgfast.evaluation.evaluators._network import CoreNetwork, activation_units
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.network_weights import Dense
from bgfast.learning.training.dense_rounding import rounded_dense


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(5)


def some(
    random: np.random.Generator, inputs: int = 64, positions: int = 2500
) -> tuple[Dense, np.ndarray, np.ndarray]:
    """A dense layer, what a quantized 1 is worth, and activations that go together."""
    dense = Dense(random.normal(size=(32, inputs)).astype(np.float32), np.ones(32, np.float32))
    units = random.uniform(0.01, 0.02, inputs).astype(np.float32)
    causes = random.exponential(size=(positions, 5)) @ random.uniform(size=(5, inputs)) ** 3
    return dense, units, (causes * 20 * units).astype(np.float32)


def on_grid(dense: Dense, units: np.ndarray) -> np.ndarray:
    """The weights as the core quantizes them."""
    weights = dense.weights * units
    return weights / (np.abs(weights).max(axis=1, keepdims=True) / 127)


def error(dense: Dense, weights: np.ndarray, units: np.ndarray, activations: np.ndarray) -> float:
    whole = np.minimum(np.rint(activations / units), 127) * units
    return float(np.sqrt((((weights - dense.weights) @ whole.T) ** 2).mean()))


def test_weights_stand_on_the_grid(random: np.random.Generator) -> None:
    dense, units, activations = some(random)
    rounded = rounded_dense(dense, units, activations)
    grid = on_grid(rounded, units)
    assert np.abs(grid - np.rint(grid)).max() < 1e-3
    assert (np.abs(grid - on_grid(dense, units)) < 20).all()
    assert (rounded.bias == dense.bias).all()
    # The greatest of each unit stays: the step that the core finds is the one that was meant.
    assert np.abs(rounded.weights * units).max(axis=1) == pytest.approx(
        np.abs(dense.weights * units).max(axis=1), rel=1e-6
    )
    again = rounded_dense(rounded, units, activations)
    assert again.weights == pytest.approx(rounded.weights, rel=1e-5)
    in_file = rounded._replace(weights=rounded.weights.astype(np.float16).astype(np.float32))
    assert (np.rint(on_grid(in_file, units)) == np.rint(grid)).all()


def test_errors_make_up_for_one_another(random: np.random.Generator) -> None:
    dense, units, activations = some(random)
    steps = np.abs(dense.weights * units).max(axis=1, keepdims=True) / 127
    nearest = np.rint(on_grid(dense, units)) * steps / units
    rounded = rounded_dense(dense, units, activations[:2000])
    unseen = activations[2000:]
    assert error(dense, rounded.weights, units, unseen) < 0.4 * error(dense, nearest, units, unseen)


def test_two_inputs_that_are_always_the_same(random: np.random.Generator) -> None:
    weights = np.array([[127, 0.4, 0.4, 0.4, 50.3, 0.7]], np.float32)
    activations = np.zeros((100, 6), np.float32)
    activations[:, 1:4] = random.integers(1, 100, (100, 1))
    rounded = rounded_dense(Dense(weights, np.zeros(1, np.float32)), np.ones(6, np.float32), activations)
    found = rounded.weights[0]
    assert found[1:4].sum() == 1  # three times 0.4 is nearer to 1 than to 0, and so is what is made of it
    assert (found[[0, 4, 5]] == [127, 50, 1]).all()  # nothing is known of them: the nearest


def test_it_is_as_good_as_any_other_of_a_few_inputs(random: np.random.Generator) -> None:
    weights = np.array([[127, 3.4, -7.3, 5.6, 20.45]], np.float32)
    activations = random.integers(0, 30, (500, 1)) + random.integers(0, 9, (500, 5)).astype(np.float32)
    dense, units = Dense(weights, np.zeros(1, np.float32)), np.ones(5, np.float32)
    found = rounded_dense(dense, units, activations.astype(np.float32))
    errors = sorted(
        error(dense, np.array([[127, *(np.floor(weights[0, 1:]) + up)]]), units, activations)
        for up in product((0, 1), repeat=4)
    )
    assert error(dense, found.weights, units, activations) <= errors[1]


def test_what_is_never_active_stays(random: np.random.Generator) -> None:
    dense, units, activations = some(random)
    assert rounded_dense(dense, units, activations[:0]) is dense
    assert rounded_dense(dense, units, activations * 0) is dense
    dead = dense._replace(weights=dense.weights * 0)
    assert not rounded_dense(dead, units, activations).weights.any()


def test_units_are_those_of_the_core() -> None:
    layer = Network.builtin().weights.first_layers[0]
    units = activation_units(layer.rows, layer.ceiling, layer.has_features)
    usual = layer.ceiling > 0.01 * layer.ceiling.max()
    assert usual.mean() > 0.95
    assert units[usual] * 127 == pytest.approx(layer.ceiling[usual], rel=0.02)
    assert (units * 127 >= layer.ceiling * 0.98).all()  # no finer than the accumulator's own steps
    rows = layer.rows
    with pytest.raises(BgfastError, match="1 ceilings for 512 units"):
        activation_units(rows, layer.ceiling[:1], True)
    with pytest.raises(BgfastError, match="weights of shape"):
        activation_units(rows[:-1], layer.ceiling, True)
    with pytest.raises(BgfastError, match="weights of shape"):
        CoreNetwork([(rows[:-1], layer.ceiling, True)], [None] * 5)
