"""Expected rollout results of small bear-offs with a cube, computed by enumeration."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import bgfast
from bgfast import Network
from bgfast.evaluation.efficiency import cube_efficiencies
from bgfast.evaluators import WithBearoff
from tests.support.reference_cube import Game, Match, decide

EVALUATOR = WithBearoff(Network.builtin())
FLIPPED_OWNER = {"centred": "centred", "owned": "unavailable", "unavailable": "owned"}
MODEL = "gnubg"
EFFICIENCY = float(
    cube_efficiencies([bgfast.Position.from_array([0, 1, 1] + [0] * 21 + [-1, 0])], model=MODEL)[0]
)
"""Cube efficiency in this model, the same for all bear-offs."""

Board = tuple[int, ...]


def opaque_evaluator(boards: np.ndarray) -> np.ndarray:
    """Evaluate like `EVALUATOR` but hide its tables, so that the formula decides cube actions."""
    return EVALUATOR(boards)


class BranchEquities(NamedTuple):
    """Equities of no double and double/take, by enumeration and by the cube formula."""

    no_double: float
    double_take: float
    formula: tuple[float, float]


def random_bearoffs(count: int, max_checkers: int, seed: int) -> list[Board]:
    """Return random bear-offs with 1 to `max_checkers` checkers per side."""
    rng = np.random.default_rng(seed)
    boards = []
    for _ in range(count):
        board = [0] * 26
        for _ in range(rng.integers(1, max_checkers + 1)):
            board[rng.integers(1, 7)] += 1
        for _ in range(rng.integers(1, max_checkers + 1)):
            board[rng.integers(19, 25)] -= 1
        boards.append(tuple(board))
    return boards


def branch_equities(board: Board, game: Game, cube: int, owner: str) -> BranchEquities:
    """Return a position's equities; `EVALUATOR` chooses plays and the slow formula chooses cube actions."""
    decision = decide(game, probabilities(board), cube, owner, EFFICIENCY)
    return BranchEquities(
        mean_over_rolls(board, game, cube, owner),
        mean_over_rolls(board, game, 2 * cube, "unavailable"),
        (decision.no_double, decision.double_take),
    )


@cache
def probabilities(board: Board) -> tuple[float, ...]:
    return tuple(EVALUATOR([board])[0].tolist())


@cache
def equity_before_roll(board: Board, game: Game, cube: int, owner: str) -> float:
    """Return the equity before the cube decision."""
    decision = decide(game, probabilities(board), cube, owner, EFFICIENCY)
    actions = decision.action.split(", ")
    if actions[0] not in ("double", "redouble"):
        return mean_over_rolls(board, game, cube, owner)
    if actions[1] == "drop":
        return decision.double_drop
    return mean_over_rolls(board, game, 2 * cube if actions[1] == "take" else 4 * cube, "unavailable")


@cache
def mean_over_rolls(board: Board, game: Game, cube: int, owner: str) -> float:
    """Return the mean equity over the rolls, each with its best play."""
    total = 0.0
    for successor, weight in zip(boards_after_rolls(board), bgfast.ROLL_WEIGHTS, strict=True):
        points = -int(bgfast.results([successor])[0])
        if points:
            equity = game.equity_after(points * cube)
        elif isinstance(game, Match):
            equity = 1 - equity_before_roll(successor, flip_match(game), cube, FLIPPED_OWNER[owner])
        else:
            equity = -equity_before_roll(successor, game, cube, FLIPPED_OWNER[owner])
        total += weight * equity
    return total / 36


@cache
def flip_match(game: Match) -> Match:
    return Match(game.tables, game.away[::-1], game.crawford, game.limit)


@cache
def boards_after_rolls(board: Board) -> list[Board]:
    """Return the board after the best play of each of the 21 rolls."""
    plays = bgfast.successors([board], "all", flip=True, passes="keep")
    points = bgfast.results(plays.boards)
    equities = points.astype(float)
    unfinished_boards = plays.boards[points == 0]
    if len(unfinished_boards):
        equities[points == 0] = 2 * EVALUATOR(unfinished_boards)[:, 0] - 1
    best_rows = [start + int(np.argmin(equities[start:end])) for start, end in pairwise(plays.offsets)]
    return [tuple(plays.boards[row].tolist()) for row in best_rows]
