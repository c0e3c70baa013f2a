"""What `pytest benchmarks` measures on: positions with a roll, and how many successors each of them has.

The numbers were counted by `bgfast.reference` (`make_counts.py`) and are checked in, so that a generator
which loses a play, or makes one up, fails in every benchmark that meets it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.positions import DATA, read_samples
from bgfast import ROLLS, Position
from bgfast.engines.protocol import Roll

Boards = npt.NDArray[np.int8]

COUNTS_FILE = DATA / "counts.json"
KINDS = ("opening", "contact", "race", "bearoff", "hard")
PER_KIND = 300
DOUBLES = tuple(roll for roll in ROLLS if roll[0] == roll[1])
OTHERS = tuple(roll for roll in ROLLS if roll[0] != roll[1])
ORDERED = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
SEED = 1


class Cases(NamedTuple):
    """Positions, a roll for each, and the number of successors of each."""

    boards: Boards
    dice: Boards
    counts: npt.NDArray[np.int64]

    @property
    def successors(self) -> int:
        """How many there are in all."""
        return int(self.counts.sum())

    def part(self, first: int, last: int) -> Cases:
        """Return those from `first` up to `last`."""
        return Cases(*(array[first:last] for array in self))

    def batches(self, size: int) -> list[Cases]:
        """Return them in batches of that size."""
        return [self.part(first, first + size) for first in range(0, len(self.boards), size)]

    def room(self) -> Boards:
        """Return memory for the successors, touched: the first write to fresh memory costs more than they."""
        # Never too small: too many successors shall fail by their number.
        return np.ones((self.successors + self.successors // 8 + 1, 26), np.int8)

    def calls(self) -> list[tuple[Position, Roll]]:
        """Return what a single call for each takes."""
        pairs = zip(self.boards, self.dice.tolist(), strict=True)
        return [(Position.from_array(board), (first, second)) for board, (first, second) in pairs]


def repeated(kind: str, rolls: Sequence[Roll]) -> Cases:
    """Return every position of a kind with every one of these rolls, to be measured again and again."""
    positions, counts = _known(kind)
    boards = np.repeat(positions, len(rolls), axis=0)
    dice = np.tile(np.array(rolls, np.int8), (len(positions), 1))
    return Cases(boards, dice, counts[:, [ROLLS.index(roll) for roll in rolls]].reshape(-1))


@functools.cache
def fresh(number: int, kinds: Sequence[str] = KINDS, rolls: Sequence[Roll] = ORDERED) -> Cases:
    """Return cases drawn at random from these positions and rolls.

    They repeat sooner or later, but in random order, and then a processor does not foresee the branches that
    the next one takes, as it does after some rounds of a few thousand in the same order.
    """
    known = [_known(kind) for kind in kinds]
    positions, counts = (np.concatenate(arrays) for arrays in zip(*known, strict=True))
    # Raw numbers of PCG64 are guaranteed; what numpy's Generator makes of them may change.
    raw = np.random.PCG64(SEED).random_raw((number, 2))
    position, roll = raw[:, 0] % len(positions), raw[:, 1] % len(rolls)
    columns = np.array([ROLLS.index((max(pair), min(pair))) for pair in rolls])
    return Cases(positions[position], np.array(rolls, np.int8)[roll], counts[position, columns[roll]])


@functools.cache
def _known(kind: str) -> tuple[Boards, npt.NDArray[np.int64]]:
    """Return the positions of a kind and their successors with each of `ROLLS`."""
    boards = np.array([sample.board for sample in read_samples(kind, PER_KIND)], np.int8)
    counts = np.array(json.loads(COUNTS_FILE.read_text(encoding="utf-8"))[kind], np.int64)
    assert boards.shape == (PER_KIND, 26)
    assert counts.shape == (PER_KIND, len(ROLLS))
    return boards, counts
