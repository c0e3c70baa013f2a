"""bgfast's random numbers in plain Python: SplitMix64 on a counter for each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15

# Streams of functions differ for equal seeds.
RANDOM_POSITIONS, RANDOM_SUCCESSORS, SAMPLE_SUCCESSORS, RANDOM_DICE = range(4)


def mixed(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Stream:
    """SplitMix64 on the counter of one row."""

    def __init__(self, seed: int, row: int, purpose: int = RANDOM_POSITIONS) -> None:
        self.state = mixed((mixed((seed + (1 + purpose) * GOLDEN) & MASK) + row) & MASK)

    def next(self) -> int:
        self.state = (self.state + GOLDEN) & MASK
        return mixed(self.state)

    def below(self, bound: int) -> int:
        return (self.next() >> 32) * bound >> 32

    def roll(self) -> tuple[int, int]:
        return self.below(6) + 1, self.below(6) + 1

    def uniform(self) -> float:
        return (self.next() >> 11) / 2**53


def is_plausible(counts: Mapping[Any, int], probabilities: Mapping[Any, float]) -> bool:
    """Return whether chi square is within four standard deviations of its expectation."""
    total = sum(counts.values())
    chi_square = sum((counts.get(x, 0) - total * p) ** 2 / (total * p) for x, p in probabilities.items())
    degrees = len(probabilities) - 1
    return counts.keys() <= probabilities.keys() and chi_square < degrees + 4 * (2 * degrees) ** 0.5


def evenly(kinds: Iterable[Any]) -> dict[Any, float]:
    """Return equal probabilities of outcomes."""
    kinds = list(kinds)
    return dict.fromkeys(kinds, 1 / len(kinds))
