"""Hard positions that test engines, drawn with SplitMix64.

Checkers on the bar, bear-offs, many blots, primes and last checkers are rare in games. The rules of play are
not used here, so the code under test cannot influence the test.

The published suite depends on these random numbers, so they must not vary between versions of Python or
bgfast: only arithmetic modulo 2**64 is used.

References
----------
G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from bgfast.common.validation import BAR, BOARD_SIZE, CHECKERS, OFF, Board

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15  # increment of the generator's state
POINTS = range(1, 25)
HOME = range(1, 7)
OPPONENTS_HOME = range(19, 25)
OPPONENTS_BAR = OFF

Item = TypeVar("Item")


def mix(value: int) -> int:
    """Mix a 64-bit number: a permutation in which every input bit affects the output."""
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


class RandomNumbers:
    """Random number generator, reproducible by its seed, 0 to 2**64 - 1."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def next(self) -> int:
        """Return the next random 64-bit number."""
        self._state = (self._state + STEP) & MASK
        return mix(self._state)

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1, uniform to one part in 2**64 / `limit`."""
        return self.next() * limit >> 64

    def choice(self, items: Sequence[Item]) -> Item:
        """Return a random item."""
        return items[self.below(len(items))]

    def shuffle(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order."""
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled


# ---- Makers: functions that put checkers on an empty board, seen from the mover's side ----

Maker = Callable[[list[int], RandomNumbers], None]


def scatter(board: list[int], random: RandomNumbers, side: int, count: int, points: Sequence[int]) -> None:
    """Put checkers of a side (1 mover, -1 opponent) on points that the other side does not occupy."""
    for _ in range(count):
        board[random.choice([point for point in points if board[point] * side >= 0])] += side


def put_on_bar(board: list[int], random: RandomNumbers) -> None:
    """Put one to four checkers on the bar against a home board with some closed points."""
    board[BAR] = 1 + random.below(4)
    for point in OPPONENTS_HOME:
        board[point] = -2 if random.below(2) else -random.below(2)
    scatter(board, random, -1, CHECKERS + sum(board[1:25]), range(1, 19))
    scatter(board, random, 1, CHECKERS - board[BAR], POINTS)


def build_prime(board: list[int], random: RandomNumbers) -> None:
    """Build a prime of four to six points in front of some checkers."""
    length = 4 + random.below(3)
    first = 2 + random.below(23 - length)
    for point in range(first, first + length):
        board[point] = -2
    scatter(board, random, 1, 1 + random.below(4), range(first + length, BAR))
    scatter(board, random, -1, CHECKERS - 2 * length, POINTS)
    scatter(board, random, 1, 8 + random.below(4), POINTS)


def place_blots(board: list[int], random: RandomNumbers) -> None:
    """Place many blots, so that one play can hit several."""
    for index, point in enumerate(random.shuffle(POINTS)[: 8 + random.below(17)]):
        board[point] = 1 if index % 2 else -1
    board[BAR] = random.below(3)


def leave_few(board: list[int], random: RandomNumbers) -> None:
    """Leave the mover a few checkers against points and blots, where the higher-die rule often decides."""
    occupied = random.shuffle(POINTS)[: 1 + random.below(5)]
    for point in occupied:
        board[point] = -1 - random.below(2)
    scatter(board, random, 1, 1 + random.below(4), [*POINTS, BAR])


def stack(board: list[int], random: RandomNumbers) -> None:
    """Put the mover's checkers on three to five points, for rule sets that limit stacks."""
    stacks = random.shuffle(POINTS)[: 3 + random.below(3)]
    scatter(board, random, 1, CHECKERS, stacks)
    scatter(board, random, -1, CHECKERS, [point for point in POINTS if point not in stacks])


def set_up_contact(board: list[int], random: RandomNumbers) -> None:
    """Set up a bear-off against opposing checkers in the mover's home or on the bar."""
    for _ in range(1 + random.below(2)):
        board[random.choice([OPPONENTS_BAR, *HOME])] -= 1 + random.below(2)
    scatter(board, random, 1, 1 + random.below(CHECKERS), [*HOME, *HOME, 7 + random.below(2)])
    scatter(board, random, -1, random.below(6), OPPONENTS_HOME)


def leave_last(board: list[int], random: RandomNumbers) -> None:
    """Leave the mover one to four checkers near home, and the opponent one to four there or on the bar."""
    scatter(board, random, 1, 1 + random.below(4), range(1, 9))
    scatter(board, random, -1, 1 + random.below(4), [*[OPPONENTS_BAR] * 3, *range(1, 9)])


def set_up_race(board: list[int], random: RandomNumbers) -> None:
    """Set up a bear-off of both sides, without contact."""
    scatter(board, random, 1, 1 + random.below(CHECKERS), HOME)
    scatter(board, random, -1, 1 + random.below(CHECKERS), OPPONENTS_HOME)


HARD_MAKERS: tuple[Maker, ...] = (put_on_bar, build_prime, place_blots, leave_few, stack, set_up_contact)
BEAR_OFF_MAKERS: tuple[Maker, ...] = (leave_last, leave_last, set_up_contact, set_up_race)


def make_boards(makers: Sequence[Maker], random: RandomNumbers) -> Iterator[Board]:
    """Yield positions from the makers in turn, without end."""
    while True:
        for make in makers:
            board = [0] * BOARD_SIZE
            make(board, random)
            yield tuple(board)
