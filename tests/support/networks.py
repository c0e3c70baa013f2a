"""Copies of network weights with changed arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bgfast.evaluation.evaluators.network_file import Dense, FirstLayer, Head, Weights


def map_arrays(weights: Weights, change: Callable[[np.ndarray], Any]) -> Weights:
    return Weights(
        tuple(FirstLayer(*map(change, layer)) for layer in weights.first_layers),
        tuple(
            Head(
                head.first_layer,
                tuple(Dense(change(dense.weights), change(dense.bias)) for dense in head.dense),
            )
            for head in weights.heads
        ),
    )


def with_layer(weights: Weights, index: int, **arrays: Any) -> Weights:
    """Return the weights with these arrays of a first layer replaced."""
    layers = list(weights.first_layers)
    layers[index] = layers[index]._replace(**arrays)
    return weights._replace(first_layers=tuple(layers))


def with_head(weights: Weights, index: int, layer: int, /, **arrays: Any) -> Weights:
    """Return the weights with these arrays of a head's dense layer replaced."""
    heads = list(weights.heads)
    dense_layers = list(heads[index].dense)
    dense_layers[layer] = dense_layers[layer]._replace(**arrays)
    heads[index] = heads[index]._replace(dense=tuple(dense_layers))
    return weights._replace(heads=tuple(heads))
