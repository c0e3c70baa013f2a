"""Slow, independent implementation of the network's features that uses sets of points and all 36 rolls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

NAMES = (
    "shots",
    "shot pips",
    "double shots",
    "rear freedom",
    "least freedom",
    "held",
    "blockade",
    "rear",
    "entering",
    "anchor",
)
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]
ROLL_COUNT_KNOTS = (0, 2, 5, 9, 14, 20, 27, 36)
KNOTS = (*[ROLL_COUNT_KNOTS] * 7, range(26), range(21), range(13))


def freedom(point: int, blocked: set[int]) -> int:
    """Return the number of rolls (of 36) that a checker on the point can play completely."""

    def can_land(pips: int) -> bool:
        return point - pips not in blocked

    return sum((can_land(a) or can_land(b)) and can_land(a + b) for a, b in ROLLS)


def blots_hit(own_checkers: dict[int, int], blocked: set[int], blots: set[int], a: int, b: int) -> set[int]:
    """Return the blots that some play of a roll can hit; checkers on the bar enter first."""

    def destinations(points: set[int], pips: int) -> set[int]:
        return {point - pips for point in points if point > pips and point - pips not in blocked}

    landing_points: set[int] = set()
    own_points, on_bar = set(own_checkers), own_checkers.get(25, 0)
    orders = [(a,) * 4] if a == b else [(a, b), (b, a)]
    for order in orders:
        points = own_points
        steps = list(order)
        if on_bar:
            entry_points = destinations({25}, steps.pop(0))
            landing_points |= entry_points
            if not entry_points:
                continue
            points = entry_points | (own_points - {25})
            if on_bar > 1:
                points = entry_points
                steps = steps[1:]
        for pips in steps:
            points = destinations(points, pips)
            landing_points |= points
    return landing_points & blots


def side_features(board: npt.NDArray[np.int64]) -> list[int]:
    """Return the features of the mover, in the order of `NAMES`."""
    own_checkers = {point: int(board[point]) for point in range(1, 26) if board[point] > 0}
    blocked = {point for point in range(1, 25) if board[point] <= -2}
    blots = {point for point in range(1, 25) if board[point] == -1}
    held_points = {point for point in own_checkers if own_checkers[point] > 1 and point < 25}
    hits = [blots_hit(own_checkers, blocked, blots, a, b) for a, b in ROLLS]
    rear_freedoms = [freedom(point, blocked) for point in own_checkers if point >= 13]
    blocked_for_opponent = {25 - point for point in held_points}
    return [
        sum(bool(hit) for hit in hits),
        sum(max(hit, default=0) for hit in hits) // 24,
        sum(len(hit) > 1 for hit in hits),
        freedom(max(own_checkers), blocked),
        min(rear_freedoms, default=36),
        min(36, sum(36 - rolls for rolls in rear_freedoms) // 4),
        36 - min(freedom(point, blocked_for_opponent) for point in range(19, 26)),
        max(own_checkers),
        sum(point >= 19 for point in blocked) + 7 * min(own_checkers.get(25, 0), 2),
        max((point - 12 for point in held_points if point >= 13), default=0),
    ]


def reference_features(board: npt.NDArray[np.integer]) -> list[int]:
    """Return the features of the mover and of the opponent."""
    mover = board.astype(np.int64)
    return side_features(mover) + side_features(-mover[::-1])


@cache
def knot_weights(value: int, feature: int) -> list[float]:
    """Return the weights of a feature's knots in the linear interpolation of a value."""
    knots = list(KNOTS[feature])
    return [float(np.interp(value, knots, row)) for row in np.eye(len(knots))]


def reference_inputs(values: Sequence[int] | npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return the network inputs for the features of one side."""
    return np.concatenate([knot_weights(int(value), feature) for feature, value in enumerate(values)])


def reference_row(board: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return the 552 inputs of a board as in docs/NETWORK.md, in the order of the weight rows."""
    sides = [np.maximum(side, 0).astype(int) for side in (board, -board[::-1])]
    points = [[n == 1, n >= 2, n >= 3, n >= 4, n >= 5, max(n - 5, 0) / 2] for own in sides for n in own[1:25]]
    off = [k < 15 - own.sum() for own in sides for k in range(15)]
    values = reference_features(board)
    features = reference_inputs(values[:10]), reference_inputs(values[10:])
    return np.concatenate([np.ravel(points), [own[25] / 2 for own in sides], off, *features]).astype(float)


def reference_triples(board: npt.NDArray[np.integer]) -> list[int]:
    """Return the weight row of each group of three adjacent points."""
    codes = [max(-2, min(2, int(n))) + 2 for n in board[1:25]]
    return [25 * codes[k] + 5 * codes[k + 1] + codes[k + 2] for k in range(0, 24, 3)]


def reference_bucket(board: npt.NDArray[np.integer]) -> int:
    if np.flatnonzero(board > 0).max() < np.flatnonzero(board < 0).min():
        return 4
    return 2 * (not (board[19:] > 0).any()) + (not (board[:7] < 0).any())
