"""Second implementation of section 1 of docs/RULES.md, and comparisons of the generator with it.

The implementation is independent of the generator and of `bgfast.reference`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bgfast import STANDARD, Position, RuleSet, count_successors, flip, reference, successors
from bgfast.batch._perft import leaves_of_roll
from bgfast.common.validation import generator_switches

Board = tuple[int, ...]
Move = tuple[int, int]


def is_landable(board: Board, point: int, rules: RuleSet) -> bool:
    return board[point] >= -1 and (rules.stack_max == 0 or board[point] < rules.stack_max)


def ordinary_moves(board: Board, die: int, rules: RuleSet) -> list[Move]:
    """Return every move of one checker with one die as (from, to); 25 is the bar, 0 is off."""
    if board[25] > 0:
        return [(25, 25 - die)] if is_landable(board, 25 - die, rules) else []
    points = [point for point in range(1, 25) if board[point] > 0]
    board_moves = [(p, p - die) for p in points if p > die and is_landable(board, p - die, rules)]
    bear_offs: list[Move] = []
    if points and points[-1] <= 6:
        rear_point = points[-1]
        off_point = rear_point if rear_point <= die else None
        if rules.bearoff_die == "rearmost":
            bear_offs = [] if off_point is None else [(off_point, 0)]
        elif board[die] > 0:
            bear_offs = [(die, 0)]
        elif rules.bearoff_die == "standard" and off_point is not None:
            bear_offs = [(off_point, 0)]
    return bear_offs if bear_offs and rules.bearoff_compulsory else board_moves + bear_offs


def may_forfeit(board: Board, die: int, rules: RuleSet) -> bool:
    points = [point for point in range(1, 26) if board[point] > 0]
    return rules.forfeit == "empty_point" and points != [] and points[-1] <= 6 and die not in points


def board_after(board: Board, move: Move) -> Board:
    """Return the board after a move; a forfeit changes nothing."""
    source, target = move
    counts = list(board)
    if source != target:
        counts[source] -= 1
        if target > 0 and counts[target] == -1:
            counts[target] = 0
            counts[0] -= 1
        if target > 0:
            counts[target] += 1
    return tuple(counts)


@lru_cache(1 << 12)  # the plays of a roll share most of their boards
def uses(board: Board, die: int, rules: RuleSet) -> list[Move]:
    """Return the legal uses of a die, forfeits as (die, die)."""
    return ordinary_moves(board, die, rules) + ([(die, die)] if may_forfeit(board, die, rules) else [])


def dice_of(roll: Sequence[int]) -> tuple[int, ...]:
    return tuple(roll) * (2 if roll[0] == roll[1] else 1)


def remove_die(dice: tuple[int, ...], die: int) -> tuple[int, ...]:
    unused_dice = list(dice)
    unused_dice.remove(die)
    return tuple(unused_dice)


def replay(
    board: Board, roll: Sequence[int], steps: Sequence[Sequence[int]], rules: RuleSet = STANDARD
) -> set[Board]:
    """Return the set of boards after (from, to) steps, empty if a step is illegal.

    A bear-off does not determine its die; every die is tried.
    """
    states = {(tuple(board), dice_of(roll))}
    for source, target in (step for step in steps if step[0] != -1):
        states = {
            (board_after(result, (source, target)), remove_die(dice, die))
            for result, dice in states
            for die in set(dice)
            if (source, target) in uses(result, die, rules)
        }
    return {result for result, _ in states}


def fewest_forfeits(board: Board, roll: Sequence[int], rules: RuleSet) -> dict[Board, int]:
    """Return the minimum number of forfeits by resulting board, for all legal plays."""
    dice = dice_of(roll)
    min_forfeits: dict[tuple[Board, tuple[int, ...]], int] = {}

    def extend(result: Board, rest: tuple[int, ...], forfeits: int) -> None:
        if min_forfeits.get((result, rest), 9) <= forfeits:
            return
        min_forfeits[result, rest] = forfeits
        for die in set(rest):
            for move in uses(result, die, rules):
                extend(board_after(result, move), remove_die(rest, die), forfeits + (move[0] == move[1]))

    extend(tuple(board), dice, 0)
    max_count = max(len(dice) - len(rest) for (_, rest), forfeits in min_forfeits.items() if forfeits == 0)
    live_dice = [die for die in dice if ordinary_moves(tuple(board), die, rules)]
    results: dict[Board, int] = {}
    for (result, rest), forfeits in min_forfeits.items():
        count = len(dice) - len(rest)
        if max_count == 0 or count < max_count or any(ordinary_moves(result, die, rules) for die in rest):
            continue
        if max_count == count == 1 and len(dice) == 2 and remove_die(dice, rest[0]) != (max(live_dice),):
            continue
        results[result] = min(forfeits, results.get(result, 9))
    return results


def problems(
    board: Sequence[int], roll: tuple[int, int], expected: set[Board] | None = None, rules: RuleSet = STANDARD
) -> list[str]:
    """Return descriptions of the generator's errors for a position and roll.

    `expected` has the reference's successors, if already computed.
    """
    if expected is None:
        expected = reference.legal_positions(board, *roll, rules=rules)
    position = Position.from_array(board)
    plays = position.plays(roll, rules)
    rows = [tuple(row) for row in plays.boards.tolist()]
    distinct_rows = set(rows)
    errors = []
    if len(rows) != len(distinct_rows):
        errors.append(f"{len(rows)} plays, but only {len(distinct_rows)} distinct results")
    for name, difference in (("missing", expected - distinct_rows), ("illegal", distinct_rows - expected)):
        if difference:
            errors.append(f"{len(difference)} {name}, for example {sorted(difference)[0]}")
    if [tuple(row) for row in position.plays(roll[::-1], rules).boards.tolist()] != rows:
        errors.append("different plays when the dice are swapped")
    # Counting and flipping use separate code paths; perft counts a pass as one child.
    switches = generator_switches(rules)
    if leaves_of_roll(switches, position.to_array(), *roll, 1, False, True) != max(1, len(rows)):
        errors.append("different number of plays when only counting")
    if leaves_of_roll(switches, position.to_array(), *roll, 1, False, False) != max(1, len(rows)):
        errors.append("different number of plays when flipped")
    if rules != STANDARD:
        errors += batch_problems(np.array([board], np.int8), roll, rules, plays.boards, plays.moves)
    for row, steps in zip(rows, plays.moves.tolist(), strict=True):
        result = replay(tuple(board), roll, steps, rules)
        if result != {row}:
            errors.append(f"the moves {steps} lead to {result or 'no legal board'}; expected {row}")
    return errors


def batch_problems(
    boards: np.ndarray, roll: tuple[int, int], rules: RuleSet, rows: np.ndarray, moves: np.ndarray
) -> list[str]:
    """Return descriptions of differences between the batch functions and the plays of one position."""
    errors = []
    batch = successors(boards, roll, rules=rules, moves=True)
    if not np.array_equal(batch.boards, rows) or not np.array_equal(batch.moves, moves):
        errors.append("different plays in a batch")
    # A larger output array takes a separate code path.
    output = np.empty((4000, 26), np.int8)
    if not np.array_equal(successors(boards, roll, rules=rules, flip=True, out=output).boards, flip(rows)):
        errors.append("different plays in a batch when flipped")
    if count_successors(boards, roll, rules=rules).tolist() != [len(rows)]:
        errors.append("different number of plays in a batch when only counting")
    return errors
