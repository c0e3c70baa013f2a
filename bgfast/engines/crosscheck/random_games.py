"""The turns of a random game, from a stream of random numbers and the rules alone.

OpenSpiel cannot be set to an arbitrary position, but it can replay a game. A game does therefore not depend
on the order in which some generator lists its plays.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from bgfast.common.vocabulary import Board, Roll
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet

__all__ = ["PlayedTurn", "random_roll", "random_turns"]


class PlayedTurn(NamedTuple):
    """One turn of a game: the board before, the roll, the board after; both from the mover's side."""

    board: Board
    roll: Roll
    after: Board


def random_roll(rng: random.Random) -> Roll:
    """Return two dice; only `random()` is asked, which gives the same numbers in every version of Python."""
    return 1 + int(rng.random() * 6), 1 + int(rng.random() * 6)


def random_turns(rng: random.Random, rules: RuleSet = STANDARD) -> Iterator[PlayedTurn]:
    """Yield the turns of a random game, from the start to the last checker borne off."""
    position = Position.start()
    # The dice that begin a game differ; an engine that starts its own games cannot begin with a double.
    roll = (1 + int(rng.random() * 5), 6)
    while position.phase != "over":
        board = tuple(position.to_array().tolist())
        successors = sorted(map(tuple, position.plays(roll, rules).boards.tolist()))
        after = successors[int(rng.random() * len(successors))] if successors else board
        yield PlayedTurn(board, roll, after)
        position = Position.from_array(after).flip()
        roll = random_roll(rng)
