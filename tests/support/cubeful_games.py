"""Bear-offs of few checkers with a cube, played to every end: what a rollout of them comes to."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import bgfast
from bgfast import Network
from bgfast.evaluation.cube.efficiency import cube_efficiencies
from bgfast.evaluators import WithBearoff
from tests.support.plain_cube import Game, Match, decide

__all__ = ["MODEL", "PLAYER", "Branches", "branches", "small_bearoffs", "without_tables"]

PLAYER = WithBearoff(Network.builtin())
OTHER = {"centred": "centred", "owned": "unavailable", "unavailable": "owned"}
MODEL = "gnubg"
EFFICIENCY = float(
    cube_efficiencies([bgfast.Position.from_array([0, 1, 1] + [0] * 21 + [-1, 0])], model=MODEL)[0]
)
"""That of all bear-offs, by the model that has one number for them."""

Board = tuple[int, ...]


def without_tables(boards: np.ndarray) -> np.ndarray:
    """Say the same as `PLAYER`, of whose tables nobody knows then: the formula decides about the cube."""
    return PLAYER(boards)


class Branches(NamedTuple):
    """What a position is worth for the player on roll, who does not double, or doubles and it is taken."""

    no_double: float
    double_take: float
    formula: tuple[float, float]


def small_bearoffs(number: int, most: int, seed: int) -> list[Board]:
    """Return boards with one to so many checkers a side, all within six points of home."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        board = [0] * 26
        for _ in range(random.integers(1, most + 1)):
            board[random.integers(1, 7)] += 1
        for _ in range(random.integers(1, most + 1)):
            board[random.integers(19, 25)] -= 1
        found.append(tuple(board))
    return found


def branches(board: Board, game: Game, cube: int, owner: str) -> Branches:
    """Return what both branches come to if everybody plays on as `PLAYER` and the slow formula say."""
    told = decide(game, probabilities(board), cube, owner, EFFICIENCY)
    return Branches(
        rolled(board, game, cube, owner),
        rolled(board, game, 2 * cube, "unavailable"),
        (told.no_double, told.double_take),
    )


@cache
def probabilities(board: Board) -> tuple[float, ...]:
    return tuple(PLAYER([board])[0].tolist())


@cache
def before_roll(board: Board, game: Game, cube: int, owner: str) -> float:
    """The player on roll doubles or not, and rolls."""
    told = decide(game, probabilities(board), cube, owner, EFFICIENCY)
    words = told.action.split(", ")
    if words[0] not in ("double", "redouble"):
        return rolled(board, game, cube, owner)
    if words[1] == "drop":
        return told.double_drop
    return rolled(board, game, 2 * cube if words[1] == "take" else 4 * cube, "unavailable")


@cache
def rolled(board: Board, game: Game, cube: int, owner: str) -> float:
    """The mean over the rolls, each played best."""
    total = 0.0
    for after, weight in zip(after_rolls(board), bgfast.ROLL_WEIGHTS, strict=True):
        points = -int(bgfast.results([after])[0])
        if points:
            value = game.worth(points * cube)
        elif isinstance(game, Match):
            value = 1 - before_roll(after, other_side(game), cube, OTHER[owner])
        else:
            value = -before_roll(after, game, cube, OTHER[owner])
        total += weight * value
    return total / 36


@cache
def other_side(game: Match) -> Match:
    return Match(game.tables, game.away[::-1], game.crawford, game.limit)


@cache
def after_rolls(board: Board) -> list[Board]:
    """Return the boards after the best plays of the 21 rolls."""
    found = bgfast.successors([board], "all", flip=True, passes="keep")
    ended = bgfast.results(found.boards)
    equities = ended.astype(float)
    going = found.boards[ended == 0]
    if len(going):
        equities[ended == 0] = 2 * PLAYER(going)[:, 0] - 1
    best = [begin + int(np.argmin(equities[begin:end])) for begin, end in pairwise(found.offsets)]
    return [tuple(found.boards[row].tolist()) for row in best]
