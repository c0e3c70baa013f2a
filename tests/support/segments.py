"""Segmented values for selections and means over rolls."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def ragged(segments: list[list[float]]) -> tuple[list[float], list[int]]:
    """Return the values and offsets of segments."""
    values = [value for segment in segments for value in segment]
    return values, [0, *itertools.accumulate(map(len, segments))]


def tied_values(sizes: Any, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return values with many ties, and offsets, of segments with sizes."""
    rng = np.random.default_rng(5)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return rng.integers(-9, 9, offsets[-1]).astype(dtype) / 4, offsets


def best_row(values: list[float], begin: int, end: int, best: str) -> int:
    rows = range(begin, end)
    if not rows:
        return -1
    return (max if best == "max" else min)(rows, key=values.__getitem__)  # the first of equal ones
