"""The positions that every engine is compared on: random games, reproducible from a seed, and a fresh stream.

OpenSpiel cannot be set to an arbitrary position, so each position of a game names the game and how far it has
gone: such an engine replays the game.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast
from bgfast import ROLLS, Position
from bgfast.engines import protocol
from bgfast.engines.crosscheck.random_games import PlayedTurn, random_turns
from bgfast.engines.protocol import Board, Case

DATA = Path(__file__).parent / "data"
SETS = ("contact", "race", "hard")
"""What engines are compared on: two kinds of positions of random games, and scattered ones that are hard."""


class Sample(NamedTuple):
    """One position; `game` and `ply` say where it comes from, -1 if from no game."""

    position_id: str
    game: int
    ply: int

    @property
    def board(self) -> Board:
        """The 26 numbers, mover's side."""
        return tuple(Position.from_gnubg_id(self.position_id).to_array().tolist())

    def cases(self) -> list[Case]:
        """Return what every engine is asked: all 21 rolls, with the game for those that replay it."""
        game = whole_game(self.game)[: self.ply] if self.game >= 0 else None
        return [Case(self.board, roll, game=game) for roll in ROLLS]


def play_game(seed: int) -> Iterator[PlayedTurn]:
    """Yield the turns of the random game with this seed, from the start to the last checker borne off."""
    return random_turns(random.Random(seed))


@lru_cache(maxsize=10)
def whole_game(seed: int) -> tuple[protocol.TurnRecord, ...]:
    """Return the turns of the random game with this seed, as engines replay them."""
    return tuple(protocol.TurnRecord(turn.roll, turn.after) for turn in play_game(seed))


def read_samples(name: str, number: int) -> list[Sample]:
    """Return the first positions of a set; those of one game stand together."""
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return [Sample(row[0], int(row[1]), int(row[2])) for row in rows[:number]]


def fresh_stream(number: int, seed: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return unfinished positions of random games in random order, and a random roll for each."""
    rng = np.random.default_rng(seed)
    games = max(1, number // 100)
    start = Position.start().to_array()[None]
    boards = np.repeat(start, games, axis=0)
    met: list[npt.NDArray[np.int8]] = []
    while sum(map(len, met)) < number:
        met.append(boards)
        boards = _played_on(boards, rng)
        over = ~(boards < 0).any(axis=1) | ~(boards > 0).any(axis=1)
        boards[over] = start
    every = np.concatenate(met)[:number]
    rng.shuffle(every)
    return every, rng.integers(1, 7, (number, 2)).astype(np.int8)


def _played_on(boards: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int8]:
    """Return the boards after one random play each, from the next player's side."""
    dice = rng.integers(1, 7, (len(boards), 2))
    found = bgfast.successors(boards, dice, flip=True, passes="keep")
    sizes = np.diff(found.offsets)
    # "keep" hands an unchanged board over from the next player's side, too.
    chosen = found.offsets[:-1] + (rng.random(len(boards)) * sizes).astype(np.int64)
    return found.boards[chosen].copy()
