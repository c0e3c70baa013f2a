"""What is compared for one position and roll: the generator against the reference, and against itself."""

from __future__ import annotations

from collections.abc import Sequence

from bgfast import Position, reference
from bgfast.core.tree import leaves_of_roll

Board = tuple[int, ...]


def problems(board: Sequence[int], roll: tuple[int, int], expected: set[Board] | None = None) -> list[str]:
    """Return what is wrong with the generator here, as sentences; nothing if all is well.

    `expected` is the reference's answer, if it is known already.
    """
    if expected is None:
        expected = reference.legal_positions(board, *roll)
    position = Position.from_array(board)
    plays = position.plays(roll)
    rows = [tuple(row) for row in plays.boards.tolist()]
    found = set(rows)
    wrong = []
    if len(rows) != len(found):
        wrong.append(f"{len(rows)} plays, but only {len(found)} distinct results")
    for name, difference in (("missing", expected - found), ("illegal", found - expected)):
        if difference:
            wrong.append(f"{len(difference)} {name}, for example {sorted(difference)[0]}")
    if [tuple(row) for row in position.plays(roll[::-1]).boards.tolist()] != rows:
        wrong.append("another list for the same dice in the other order")
    # The counting path is another code path; perft counts a pass as one child.
    if leaves_of_roll(position.to_array(), *roll, 1, False, True) != max(1, len(rows)):
        wrong.append("another number when only counting")
    # ... and so are the rows seen from the next player's side.
    if leaves_of_roll(position.to_array(), *roll, 1, False, False) != max(1, len(rows)):
        wrong.append("another number when flipped")
    moves = plays.moves.tolist()
    for row, steps in zip(rows, moves, strict=True):
        reached = moved(board, roll, steps)
        if reached != row:
            wrong.append(f"the moves {steps} lead to {reached}, the board is {row}")
    return wrong


def moved(board: Sequence[int], roll: tuple[int, int], steps: list[list[int]]) -> Board | str:
    """Play (from, to) steps one by one, or say which of them could not be played."""
    numbers = list(board)
    dice = list(roll) * (2 if roll[0] == roll[1] else 1)
    for source, to in steps:
        if source == -1:
            continue
        if numbers[25] > 0 and source != 25:
            return f"{source}/{to} with a checker on the bar"
        # An exact die first; a higher one may bear off the rearmost checker.
        die = min((die for die in dice if die == source - to or (to == 0 and die > source)), default=None)
        if die is None:
            return f"{source}/{to} with none of {dice}"
        dice.remove(die)
        if numbers[source] < 1:
            return f"{source}/{to} without a checker there"
        if to == 0 and (
            any(n > 0 for n in numbers[7:]) or (die > source and any(n > 0 for n in numbers[source + 1 :]))
        ):
            return f"{source}/off too early"
        numbers[source] -= 1
        if to > 0:
            if numbers[to] < -1:
                return f"{source}/{to} on a held point"
            if numbers[to] == -1:
                numbers[to] = 0
                numbers[0] -= 1
            numbers[to] += 1
    return tuple(numbers)
