"""Random rolls: fixed values, uniformity, and rows that depend only on seed and index."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from bgfast import random_dice, random_successors
from bgfast.batch import random_positions
from tests.support.positions import ORDERED_ROLLS, START
from tests.support.streams import MASK, RANDOM_DICE, Stream, equal_chances, is_plausible

NON_DOUBLES = [(a, b) for a, b in ORDERED_ROLLS if a != b]


def expected_rolls(n: int, seed: int, opening: bool = False) -> list[list[int]]:
    """Return the rolls of the documented streams, in plain Python."""
    rolls = []
    for i in range(n):
        stream = Stream(seed, i, RANDOM_DICE)
        roll = stream.roll()
        while opening and roll[0] == roll[1]:
            roll = stream.roll()
        rolls.append(list(roll))
    return rolls


def test_rolls_of_seeds_are_fixed() -> None:
    """Guaranteed rolls: a change would break users' data."""
    assert random_dice(6, 1).tolist() == [[1, 6], [6, 4], [5, 5], [5, 5], [2, 4], [3, 1]]
    assert random_dice(6, 1, opening=True).tolist() == [[1, 6], [6, 4], [4, 5], [3, 5], [2, 4], [3, 1]]


@pytest.mark.parametrize("opening", [False, True])
def test_rolls_follow_the_documented_streams(opening: bool) -> None:
    for seed in (0, 7, 2**32, MASK):
        dice = random_dice(1000, seed, opening)
        assert dice.dtype == np.int8
        assert dice.flags.c_contiguous
        assert dice.flags.writeable
        assert dice.tolist() == expected_rolls(1000, seed, opening)
        for n in (0, 1, 499):
            assert np.array_equal(random_dice(n, seed, opening), dice[:n])


def test_rows_are_continuous_across_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_positions, "ROLLS_AT_ONCE", 30)
    assert random_dice(100, 2).tolist() == expected_rolls(100, 2)


def test_rolls_are_uniform() -> None:
    assert is_plausible(Counter(map(tuple, random_dice(72_000, 3).tolist())), equal_chances(ORDERED_ROLLS))
    openings = Counter(map(tuple, random_dice(60_000, 3, opening=True).tolist()))
    assert is_plausible(openings, equal_chances(NON_DOUBLES))


def test_seeds_and_functions_have_different_streams() -> None:
    samples = [random_dice(4000, seed) for seed in (0, 1, 2**32, 2**63, MASK)]
    boards = np.repeat(np.array([START], np.int8), 4000, axis=0)
    samples.append(random_successors(boards, "random", 0, return_dice=True)[1])
    for a, b in itertools.combinations(samples, 2):
        assert (a == b).all(axis=1).mean() < 0.05
        assert (a[1:] == b[:-1]).all(axis=1).mean() < 0.05
