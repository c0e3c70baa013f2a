"""Networks changed array by array, for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bgfast.evaluation.evaluators.network_weights import Dense, FirstLayer, Head, Weights

__all__ = ["mapped", "with_head", "with_layer"]


def mapped(weights: Weights, change: Callable[[np.ndarray], Any]) -> Weights:
    """Return weights with each array changed."""
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
    """Return weights with other arrays in one of the first layers."""
    layers = list(weights.first_layers)
    layers[number] = layers[number]._replace(**arrays)
    return weights._replace(first_layers=tuple(layers))


def with_head(given: Weights, number: int, place: int, /, **arrays: Any) -> Weights:
    """Return weights with other arrays in one dense layer of a head."""
    heads = list(given.heads)
    dense = list(heads[number].dense)
    dense[place] = dense[place]._replace(**arrays)
    heads[number] = heads[number]._replace(dense=tuple(dense))
    return given._replace(heads=tuple(heads))
