"""Cases of `pytest benchmarks`: positions with a roll and the number of successors.

`make_counts.py` takes counts from `bgfast.reference`. A generator that misses or invents a play fails the
benchmarks.
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
from bgfast.common.validation import Roll

Boards = npt.NDArray[np.int8]

COUNTS_FILE = DATA / "counts.json"
SET_NAMES = ("opening", "contact", "race", "bearoff", "hard")
POSITIONS_PER_SET = 300
DOUBLES = tuple(roll for roll in ROLLS if roll[0] == roll[1])
NON_DOUBLES = tuple(roll for roll in ROLLS if roll[0] != roll[1])
ORDERED_ROLLS = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
SEED = 1


class Cases(NamedTuple):
    """Positions, a roll for each, and the number of successors of each."""

    boards: Boards
    dice: Boards
    counts: npt.NDArray[np.int64]

    @property
    def successors(self) -> int:
        """Number of successors of all cases."""
        return int(self.counts.sum())

    def part(self, first: int, end: int) -> Cases:
        """Return the cases from `first` to `end` - 1."""
        return Cases(*(array[first:end] for array in self))

    def batches(self, size: int) -> list[Cases]:
        """Return the cases in batches of `size`."""
        return [self.part(first, first + size) for first in range(0, len(self.boards), size)]

    def output_memory(self) -> Boards:
        """Return initialized memory for the successors: the first write to a page is slow."""
        # The memory is an eighth larger, so that surplus successors fail the check of the count.
        return np.ones((self.successors + self.successors // 8 + 1, 26), np.int8)

    def calls(self) -> list[tuple[Position, Roll]]:
        """Return the position and roll of each case."""
        pairs = zip(self.boards, self.dice.tolist(), strict=True)
        return [(Position.from_array(board), (first, second)) for board, (first, second) in pairs]


def all_cases(set_name: str, rolls: Sequence[Roll]) -> Cases:
    """Return every position of a set with each of the rolls."""
    positions, counts = _counted_positions(set_name)
    boards = np.repeat(positions, len(rolls), axis=0)
    dice = np.tile(np.array(rolls, np.int8), (len(positions), 1))
    return Cases(boards, dice, counts[:, [ROLLS.index(roll) for roll in rolls]].reshape(-1))


@functools.cache
def draw(count: int, set_names: Sequence[str] = SET_NAMES, rolls: Sequence[Roll] = ORDERED_ROLLS) -> Cases:
    """Return cases drawn at random from the positions of the sets and the rolls.

    The cases are in random order, in which the processor cannot predict their branches. It could if a few
    thousand cases repeated in the same order.
    """
    sets = [_counted_positions(set_name) for set_name in set_names]
    positions, counts = (np.concatenate(arrays) for arrays in zip(*sets, strict=True))
    # NumPy guarantees the raw numbers of PCG64, but not the methods of Generator.
    raw_numbers = np.random.PCG64(SEED).random_raw((count, 2))
    rows, roll_indices = raw_numbers[:, 0] % len(positions), raw_numbers[:, 1] % len(rolls)
    columns = np.array([ROLLS.index((max(pair), min(pair))) for pair in rolls])
    drawn_dice = np.array(rolls, np.int8)[roll_indices]
    return Cases(positions[rows], drawn_dice, counts[rows, columns[roll_indices]])


@functools.cache
def _counted_positions(set_name: str) -> tuple[Boards, npt.NDArray[np.int64]]:
    """Return the positions of a set, and the number of successors of each with each of `ROLLS`."""
    boards = np.array([sample.board for sample in read_samples(set_name, POSITIONS_PER_SET)], np.int8)
    counts = np.array(json.loads(COUNTS_FILE.read_text(encoding="utf-8"))[set_name], np.int64)
    assert boards.shape == (POSITIONS_PER_SET, 26)
    assert counts.shape == (POSITIONS_PER_SET, len(ROLLS))
    return boards, counts
