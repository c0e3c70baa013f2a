"""Comparison of the generator with the reference, and of its functions with each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bgfast import STANDARD, Position, RuleSet, count_successors, flip, reference, successors
from bgfast.batch._perft import leaves_of_roll
from bgfast.common.validation import generated_switches
from tests.support.replaying import replayed

Board = tuple[int, ...]


def problems(
    board: Sequence[int],
    roll: tuple[int, int],
    expected: set[Board] | None = None,
    rules: RuleSet = STANDARD,
) -> list[str]:
    """Return the errors of the generator in a position with a roll.

    `expected` are the reference's successors, if already computed.
    """
    if expected is None:
        expected = reference.legal_positions(board, *roll, rules=rules)
    position = Position.from_array(board)
    plays = position.plays(roll, rules)
    rows = [tuple(row) for row in plays.boards.tolist()]
    distinct = set(rows)
    wrong = []
    if len(rows) != len(distinct):
        wrong.append(f"{len(rows)} plays, but only {len(distinct)} distinct results")
    for name, difference in (("missing", expected - distinct), ("illegal", distinct - expected)):
        if difference:
            wrong.append(f"{len(difference)} {name}, for example {sorted(difference)[0]}")
    if [tuple(row) for row in position.plays(roll[::-1], rules).boards.tolist()] != rows:
        wrong.append("another list for the dice in the other order")
    # Counting and flipping are other code paths; perft counts a pass as one child.
    switches = generated_switches(rules)
    if leaves_of_roll(switches, position.to_array(), *roll, 1, False, True) != max(1, len(rows)):
        wrong.append("another number when only counting")
    if leaves_of_roll(switches, position.to_array(), *roll, 1, False, False) != max(1, len(rows)):
        wrong.append("another number when flipped")
    if rules != STANDARD:
        wrong += bulk_problems(np.array([board], np.int8), roll, rules, plays.boards, plays.moves)
    for row, steps in zip(rows, plays.moves.tolist(), strict=True):
        reached = replayed(tuple(board), roll, steps, rules)
        if reached != {row}:
            wrong.append(f"the moves {steps} lead to {reached or 'no legal board'}; expected {row}")
    return wrong


def bulk_problems(
    boards: np.ndarray, roll: tuple[int, int], rules: RuleSet, rows: np.ndarray, moves: np.ndarray
) -> list[str]:
    """Return the differences of the batch functions from the rows and moves of a single position."""
    wrong = []
    batch = successors(boards, roll, rules=rules, moves=True)
    if not np.array_equal(batch.boards, rows) or not np.array_equal(batch.moves, moves):
        wrong.append("another list in bulk")
    # A larger output array is another code path.
    output = np.empty((4000, 26), np.int8)
    if not np.array_equal(successors(boards, roll, rules=rules, flip=True, out=output).boards, flip(rows)):
        wrong.append("another list in bulk when flipped")
    if count_successors(boards, roll, rules=rules).tolist() != [len(rows)]:
        wrong.append("another number in bulk when only counting")
    return wrong
