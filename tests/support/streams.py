"""bgfast's random numbers in plain Python (SplitMix64 with a counter per row), and segmented values."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15

# Each function has its own stream, even for equal seeds.
RANDOM_POSITIONS, RANDOM_SUCCESSORS, SAMPLE_SUCCESSORS, RANDOM_DICE = range(4)


def mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Stream:
    """SplitMix64 stream of one row."""

    def __init__(self, seed: int, row: int, purpose: int = RANDOM_POSITIONS) -> None:
        self.state = mix((mix((seed + (1 + purpose) * GOLDEN) & MASK) + row) & MASK)

    def next(self) -> int:
        self.state = (self.state + GOLDEN) & MASK
        return mix(self.state)

    def integer_below(self, bound: int) -> int:
        return (self.next() >> 32) * bound >> 32

    def roll(self) -> tuple[int, int]:
        return self.integer_below(6) + 1, self.integer_below(6) + 1

    def uniform(self) -> float:
        return (self.next() >> 11) / 2**53


def is_plausible(counts: Mapping[Any, int], probabilities: Mapping[Any, float]) -> bool:
    """Return whether chi square is less than four standard deviations above its expectation."""
    total = sum(counts.values())
    chi_square = sum((counts.get(x, 0) - total * p) ** 2 / (total * p) for x, p in probabilities.items())
    freedom = len(probabilities) - 1
    return counts.keys() <= probabilities.keys() and chi_square < freedom + 4 * (2 * freedom) ** 0.5


def equal_chances(outcomes: Iterable[Any]) -> dict[Any, float]:
    outcomes = list(outcomes)
    return dict.fromkeys(outcomes, 1 / len(outcomes))


def join_segments(segments: list[list[float]]) -> tuple[list[float], list[int]]:
    """Return the concatenated values and the offsets of segments."""
    values = [value for segment in segments for value in segment]
    return values, [0, *itertools.accumulate(map(len, segments))]


def tied_values(sizes: Any, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return values with many ties for segments of these sizes, and the offsets of the segments."""
    rng = np.random.default_rng(5)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return rng.integers(-9, 9, offsets[-1]).astype(dtype) / 4, offsets


def best_row(values: list[float], begin: int, end: int, best: str) -> int:
    rows = range(begin, end)
    if not rows:
        return -1
    return (max if best == "max" else min)(rows, key=values.__getitem__)  # the first of equal values
