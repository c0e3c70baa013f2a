"""What is compared for one position and roll: the generator against the reference, and against itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bgfast import STANDARD, Position, RuleSet, count_successors, flip, reference, successors
from bgfast.batch.perft._perft import leaves_of_roll
from bgfast.common.validation import generated_switches
from tests.support.replaying import replayed

Board = tuple[int, ...]


def problems(
    board: Sequence[int],
    roll: tuple[int, int],
    expected: set[Board] | None = None,
    rules: RuleSet = STANDARD,
) -> list[str]:
    """Return what is wrong with the generator here, as sentences; nothing if all is well.

    `expected` is the reference's answer, if it is known already.
    """
    if expected is None:
        expected = reference.legal_positions(board, *roll, rules=rules)
    position = Position.from_array(board)
    plays = position.plays(roll, rules)
    rows = [tuple(row) for row in plays.boards.tolist()]
    found = set(rows)
    wrong = []
    if len(rows) != len(found):
        wrong.append(f"{len(rows)} plays, but only {len(found)} distinct results")
    for name, difference in (("missing", expected - found), ("illegal", found - expected)):
        if difference:
            wrong.append(f"{len(difference)} {name}, for example {sorted(difference)[0]}")
    if [tuple(row) for row in position.plays(roll[::-1], rules).boards.tolist()] != rows:
        wrong.append("another list for the same dice in the other order")
    # The counting path is another code path; perft counts a pass as one child.
    switches = generated_switches(rules)
    if leaves_of_roll(switches, position.to_array(), *roll, 1, False, True) != max(1, len(rows)):
        wrong.append("another number when only counting")
    # ... and so are the rows seen from the next player's side.
    if leaves_of_roll(switches, position.to_array(), *roll, 1, False, False) != max(1, len(rows)):
        wrong.append("another number when flipped")
    if rules != STANDARD:
        wrong += bulk_problems(np.array([board], np.int8), roll, rules, plays.boards, plays.moves)
    for row, steps in zip(rows, plays.moves.tolist(), strict=True):
        reached = replayed(tuple(board), roll, steps, rules)
        if reached != {row}:
            wrong.append(f"the moves {steps} lead to {reached or 'nothing lawful'}, the board is {row}")
    return wrong


def bulk_problems(
    boards: np.ndarray, roll: tuple[int, int], rules: RuleSet, rows: np.ndarray, moves: np.ndarray
) -> list[str]:
    """Return how the functions on many positions differ from the rows and moves of one."""
    wrong = []
    found = successors(boards, roll, rules=rules, moves=True)
    if not np.array_equal(found.boards, rows) or not np.array_equal(found.moves, moves):
        wrong.append("another list in bulk")
    # With room behind the rows there is another path.
    room = np.empty((4000, 26), np.int8)
    if not np.array_equal(successors(boards, roll, rules=rules, flip=True, out=room).boards, flip(rows)):
        wrong.append("another list in bulk when flipped")
    if count_successors(boards, roll, rules=rules).tolist() != [len(rows)]:
        wrong.append("another number in bulk when only counting")
    return wrong
