"""Rounding of hidden dense layers to 8 bits with error compensation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.evaluation.evaluators.network_weights import Dense, Floats
from bgfast.learning.training._learner import products_of_activations

__all__ = ["rounded_dense"]

MAX_QUANTIZED = 127  # maximum of quantized activations and weights
DAMPING = 0.01  # added to the diagonal, relative to its mean; limits the compensation by correlated units


def rounded_dense(dense: Dense, units: Floats, activations: Floats) -> Dense:
    """Return a hidden dense layer whose weights are unchanged by quantization.

    Rounding to the nearest lets errors add up where activations are correlated. So inputs are rounded one
    after the other, and each compensates the previous errors as far as the correlation allows.

    Parameters
    ----------
    dense : Dense
    units : ndarray of float32, shape (inputs,)
        Activation of each input that is quantized to 1.
    activations : ndarray of float32, shape (n, inputs)
        Activations in typical positions.

    Returns
    -------
    Dense
        The same layer if all activations are 0.

    Notes
    -----
    Source: LDLQ in Chee et al., "QuIP: 2-bit quantization of large language models with guarantees" (2023),
    equivalent to Frantar et al., "GPTQ" (2023). Linear algebra libraries are not used, since their sums
    differ between machines in the last bits.
    """
    quantized = np.minimum(np.rint(activations / units), MAX_QUANTIZED).astype(np.uint8)
    products = products_of_activations(quantized).astype(np.float64)
    products[np.diag_indices_from(products)] += DAMPING * np.mean(np.diag(products))
    if not products.any():
        return dense
    weights = dense.weights.astype(np.float64) * units
    steps = np.abs(weights).max(axis=1) / MAX_QUANTIZED
    steps[steps == 0] = 1
    weights /= steps[:, None]
    # The core derives the step from the largest weight, so that this one must not change.
    is_largest = np.abs(weights) == np.abs(weights).max(axis=1, keepdims=True)
    factors = _factors(products)
    errors = np.zeros_like(weights)
    for column in range(weights.shape[1]):
        compensation = (errors[:, :column] * factors[:column, column]).sum(axis=1)
        wanted = np.where(is_largest[:, column], weights[:, column], weights[:, column] + compensation)
        errors[:, column] = weights[:, column] - np.clip(np.rint(wanted), -MAX_QUANTIZED, MAX_QUANTIZED)
    return dense._replace(weights=((weights - errors) * steps[:, None] / units).astype(np.float32))


def _factors(products: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the strictly upper triangle U of (U + 1) D (U + 1)^T, D diagonal; overwrite `products`."""
    factors = np.zeros_like(products)
    for last in range(len(products) - 1, 0, -1):
        factors[:last, last] = products[:last, last] / products[last, last]
        products[:last, :last] -= factors[:last, last, None] * products[:last, last]
    return factors
