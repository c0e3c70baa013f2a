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


def with_layer(weights: Weights, number: int, **arrays: Any) -> Weights:
    """Return weights with replaced arrays in a first layer."""
    layers = list(weights.first_layers)
    layers[number] = layers[number]._replace(**arrays)
    return weights._replace(first_layers=tuple(layers))


def with_head(network: Weights, number: int, layer: int, /, **arrays: Any) -> Weights:
    """Return weights with replaced arrays in a dense layer of a head."""
    heads = list(network.heads)
    dense = list(heads[number].dense)
    dense[layer] = dense[layer]._replace(**arrays)
    heads[number] = heads[number]._replace(dense=tuple(dense))
    return network._replace(heads=tuple(heads))
