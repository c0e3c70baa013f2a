"""Rounding of hidden dense layers to 8 bits; later weights compensate the error of earlier ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.evaluation.evaluators.network_weights import Dense, Floats
from bgfast.learning.training._learner import products_of_activations

__all__ = ["rounded_dense"]

GREATEST = 127  # of activations and weights when quantized
ADDED = 0.01  # to the mean square of each unit, which limits how much others compensate for it


def rounded_dense(dense: Dense, units: Floats, activations: Floats) -> Dense:
    """Return a hidden dense layer with weights that quantizing does not change.

    Errors of weights rounded to the nearest add up where activations are correlated. So inputs are rounded
    one after the other, and each compensates the errors so far as far as the correlation allows.

    Parameters
    ----------
    dense : Dense
    units : ndarray of float32, shape (inputs,)
        Activation of each input that is quantized to 1.
    activations : ndarray of float32, shape (n, inputs)
        Activations in positions like those it will evaluate.

    Returns
    -------
    Dense
        The same layer if no input was ever active.

    Notes
    -----
    Source: Chee et al., "QuIP: 2-bit quantization of large language models with guarantees" (2023), where it
    is LDLQ; Frantar et al., "GPTQ" (2023), comes to the same. Without a linear algebra library, whose sums
    end in other bits on other machines.
    """
    quantized = np.minimum(np.rint(activations / units), GREATEST).astype(np.uint8)
    common = products_of_activations(quantized).astype(np.float64)
    common[np.diag_indices_from(common)] += ADDED * np.mean(np.diag(common))
    if not common.any():
        return dense
    weights = dense.weights.astype(np.float64) * units
    steps = np.abs(weights).max(axis=1) / GREATEST
    steps[steps == 0] = 1
    weights /= steps[:, None]
    kept = np.abs(weights) == np.abs(weights).max(axis=1, keepdims=True)  # by which the core finds the step
    factors = _factors(common)
    lost = np.zeros_like(weights)
    for place in range(weights.shape[1]):
        made_up = (lost[:, :place] * factors[:place, place]).sum(axis=1)
        wanted = np.where(kept[:, place], weights[:, place], weights[:, place] + made_up)
        lost[:, place] = weights[:, place] - np.clip(np.rint(wanted), -GREATEST, GREATEST)
    return dense._replace(weights=((weights - lost) * steps[:, None] / units).astype(np.float32))


def _factors(common: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the strictly upper triangle U of (U + 1) D (U + 1)^T, D diagonal; `common` is used up."""
    factors = np.zeros_like(common)
    for last in range(len(common) - 1, 0, -1):
        factors[:last, last] = common[:last, last] / common[last, last]
        common[:last, :last] -= factors[:last, last, None] * common[:last, last]
    return factors
