"""Values in segments, as selections and means over rolls take them, and the best of one in plain Python."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

__all__ = ["of_sizes", "ragged", "slow_best"]


def ragged(segments: list[list[float]]) -> tuple[list[float], list[int]]:
    """Values and offsets of segments."""
    values = [value for segment in segments for value in segment]
    return values, [0, *itertools.accumulate(map(len, segments))]


def of_sizes(sizes: Any, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Few different values, hence many ties, in segments of these sizes."""
    rng = np.random.default_rng(5)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return rng.integers(-9, 9, offsets[-1]).astype(dtype) / 4, offsets


def slow_best(values: list[float], begin: int, end: int, best: str) -> int:
    rows = range(begin, end)
    if not rows:
        return -1
    return (max if best == "max" else min)(rows, key=values.__getitem__)  # the first of equal ones
