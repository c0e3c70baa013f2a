"""Random games, determined by a stream of random numbers and the rules alone.

OpenSpiel cannot be set to an arbitrary position, but can replay a game. Games must not depend on the order in
which a generator lists its plays, so the successors are sorted.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from bgfast.common.vocabulary import Board, Roll
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSet


class PlayedTurn(NamedTuple):
    """Turn of a game: the board before, the roll, the board after; both boards from the mover's side."""

    board: Board
    roll: Roll
    after: Board


def random_roll(rng: random.Random) -> Roll:
    """Return two dice, drawn by `random()` alone, whose numbers are the same in every version of Python."""
    return 1 + int(rng.random() * 6), 1 + int(rng.random() * 6)


def random_turns(rng: random.Random, rules: RuleSet = STANDARD) -> Iterator[PlayedTurn]:
    """Yield the turns of a random game, from the start to the last checker borne off."""
    position = Position.start()
    # The first roll of a game is never a double, and engines that start their own games rely on that.
    roll = (1 + int(rng.random() * 5), 6)
    while position.phase != "over":
        board = tuple(position.to_array().tolist())
        successors = sorted(map(tuple, position.plays(roll, rules).boards.tolist()))
        after = successors[int(rng.random() * len(successors))] if successors else board
        yield PlayedTurn(board, roll, after)
        position = Position.from_array(after).flip()
        roll = random_roll(rng)
