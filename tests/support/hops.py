"""Hops of play texts: joined steps, and nearly legal hops."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import permutations

Board = tuple[int, ...]
Hop = tuple[int, int]


def joined(steps: Sequence[Hop]) -> set[tuple[Hop, ...]]:
    """Return all multisets of hops that join steps, with any number of joins."""
    hops = {tuple(sorted(steps))}
    for first, second in permutations(range(len(steps)), 2):
        if steps[first][1] == steps[second][0] != 0:
            rest = [step for number, step in enumerate(steps) if number not in (first, second)]
            hops |= joined([*rest, (steps[first][0], steps[second][1])])
    return hops


def plain(hops: Iterable[Hop]) -> str:
    """Write hops as GNU Backgammon does in .mat files."""
    return " ".join(f"{start}/{end}" for start, end in hops)


def random_hops(rng: random.Random, board: Board, roll: tuple[int, int]) -> list[Hop]:
    """Return nearly legal hops: mostly own checkers, and distances from the dice."""
    dice = roll * 2 if roll[0] == roll[1] else roll
    sources = [point for point in range(1, 26) if board[point] > 0] * 3 + [rng.randint(1, 25)]
    hops = []
    for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 4])):
        start = rng.choice(sources)
        pips = sum(rng.sample(dice, rng.choice([1, 1, 1, 2, 2, len(dice)]))) if rng.random() < 0.95 else 3
        hops.append((start, max(start - pips, 0)))
        sources.append(max(start - pips, 1))
    return hops
