"""All legal plays of a position according to the reference, and random hops that are nearly legal."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from bgfast import reference
from bgfast.rules import RuleSet

Board = tuple[int, ...]
Moves = tuple[tuple[int, int], ...]
Plays = dict[Board, list[Moves]]
Hop = tuple[int, int]


def plays_of(board: Board, roll: tuple[int, int], rules: RuleSet, rng: random.Random) -> Plays:
    """Return each board after a legal play, with all lists of moves that lead to it in random order."""
    move_lists: dict[Board, set[Moves]] = defaultdict(set)
    for steps, end_board in reference.legal_sequences(board, *roll, rules):
        move_lists[end_board].add(tuple((start, to) for _, start, to, _ in steps))
    return {board: rng.sample(sorted(lists), len(lists)) for board, lists in move_lists.items()}


def arrays(plays: Plays) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return the boards and the first list of moves for each board, in the generator's format."""
    boards = np.array(list(plays), np.int8).reshape(-1, 26)
    moves = np.full((len(plays), 4, 2), -1, np.int8)
    for row, lists in zip(moves, plays.values(), strict=True):
        row[: len(lists[0])] = lists[0]
    return boards, moves


def forfeited_dice(moves: Moves) -> tuple[int, ...]:
    """Return the forfeited dice of a play, the highest first."""
    return tuple(sorted((start for start, to in moves if start == to), reverse=True))


def parse_forfeits(text: str) -> tuple[int, ...]:
    forfeits = re.findall(r"F(\d)(?:\((\d)\))?", text)
    return tuple(int(die) for die, count in forfeits for _ in range(int(count or 1)))


def join(hops: Sequence[Hop]) -> set[tuple[Hop, ...]]:
    """Return the hops, sorted, and every sorted list that results from joining consecutive hops."""
    joined_hops = {tuple(sorted(hops))}
    for first, second in permutations(range(len(hops)), 2):
        if hops[first][1] == hops[second][0] != 0:
            rest = [hop for index, hop in enumerate(hops) if index not in (first, second)]
            joined_hops |= join([*rest, (hops[first][0], hops[second][1])])
    return joined_hops


def hops_text(hops: Iterable[Hop]) -> str:
    """Return hops as GNU Backgammon writes them in .mat files."""
    return " ".join(f"{start}/{end}" for start, end in hops)


def random_hops(rng: random.Random, board: Board, roll: tuple[int, int]) -> list[Hop]:
    """Return nearly legal hops; most move an own checker by a sum of dice."""
    dice = roll * 2 if roll[0] == roll[1] else roll
    sources = [point for point in range(1, 26) if board[point] > 0] * 3 + [rng.randint(1, 25)]
    hops = []
    for _ in range(rng.choice([1, 1, 2, 2, 2, 3, 4])):
        start = rng.choice(sources)
        pips = sum(rng.sample(dice, rng.choice([1, 1, 1, 2, 2, len(dice)]))) if rng.random() < 0.95 else 3
        hops.append((start, max(start - pips, 0)))
        sources.append(max(start - pips, 1))
    return hops
