"""Every legal play of a position under any rule set, from the sequences of the reference."""

from __future__ import annotations

import random
import re
from collections import defaultdict

import numpy as np
import numpy.typing as npt

from bgfast import reference
from bgfast.rules import RuleSet

Board = tuple[int, ...]
Moves = tuple[tuple[int, int], ...]
Plays = dict[Board, list[Moves]]


def plays_of(board: Board, roll: tuple[int, int], rules: RuleSet, rng: random.Random) -> Plays:
    """Return all lists of moves by resulting board, in random order."""
    move_lists: dict[Board, set[Moves]] = defaultdict(set)
    for steps, final in reference.legal_sequences(board, *roll, rules):
        move_lists[final].add(tuple((start, to) for _, start, to, _ in steps))
    return {final: rng.sample(sorted(lists), len(lists)) for final, lists in move_lists.items()}


def arrays(plays: Plays) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return the boards and the first list of moves of each, as the generator's arrays."""
    boards = np.array(list(plays), np.int8).reshape(-1, 26)
    moves = np.full((len(plays), 4, 2), -1, np.int8)
    for row, lists in zip(moves, plays.values(), strict=True):
        row[: len(lists[0])] = lists[0]
    return boards, moves


def forfeited(moves: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Return the forfeited dice of a play, the higher first."""
    return tuple(sorted((start for start, to in moves if start == to), reverse=True))


def forfeited_in(text: str) -> tuple[int, ...]:
    """Return the forfeited dice in a play text."""
    parts = re.findall(r"F(\d)(?:\((\d)\))?", text)
    return tuple(int(die) for die, count in parts for _ in range(int(count or 1)))
