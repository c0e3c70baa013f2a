"""Dice of rollouts: stratified, unchanged across versions, and fair."""

from __future__ import annotations

from itertools import product

import numpy as np

from tests.support.rollouts import dice_of


def test_quasi_random_dice_are_stratified() -> None:
    for seed, first in product((0, 1, 2**64 - 1), (0, 17, 36, 1000, 50_001)):
        trials = np.arange(first, first + 1296)
        rolls = [dice_of(seed, True, trials, ply).astype(int) @ [6, 1] - 7 for ply in range(4)]
        assert sorted(rolls[0][:36]) == list(range(36))
        group = slice(-first % 36, -first % 36 + 36)
        assert sorted(rolls[1][group]) == sorted(rolls[2][group]) == list(range(36))
        assert len(set(zip(rolls[0], rolls[1], strict=True))) == 1296
        assert len(set(zip(rolls[1], rolls[2], strict=True))) >= 648  # the third rolls differ from the second
        assert len(set(rolls[3][:36])) < 36  # plain dice repeat rolls


def test_triples_of_rolls_are_stratified() -> None:
    trials = np.arange(5, 5 + 46_656)
    rolls = [dice_of(9, True, trials, ply).astype(int) @ [6, 1] - 7 for ply in range(3)]
    assert len(set(zip(*rolls, strict=True))) == 46_656


DICE_OF_SEED_7 = {
    False: [[[6, 1], [2, 4], [6, 2]], [[1, 3], [1, 5], [6, 6]], [[6, 3], [3, 6], [2, 4]]],
    True: [[[3, 4], [5, 3], [2, 5]], [[2, 4], [3, 6], [6, 5]], [[6, 3], [3, 6], [2, 4]]],
}


def test_dice_are_unchanged_since_earlier_versions() -> None:
    for quasi_random, expected in DICE_OF_SEED_7.items():
        dice = [dice_of(7, quasi_random, np.array([0, 1, 1000]), ply).tolist() for ply in (0, 1, 5)]
        assert dice == expected


def test_plain_dice_are_fair() -> None:
    dice = dice_of(1, False, np.arange(36_000), 0)
    counts = np.bincount(dice.astype(int) @ [6, 1] - 7, minlength=36)
    chi_square = ((counts - 1000) ** 2 / 1000).sum()
    assert chi_square < 70  # with 35 degrees of freedom, one sample in 2,000 exceeds 70
