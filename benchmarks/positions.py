"""Positions for comparisons: samples of random games, and streams of fresh positions.

A sample records its game and ply, since OpenSpiel cannot set up a position but replays the game.
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
from bgfast.common.validation import Board
from bgfast.conformance import protocol
from bgfast.conformance.crosscheck.cases import random_turns
from bgfast.conformance.protocol import Case

DATA = Path(__file__).parent / "data"
SETS = ("contact", "race", "hard")
"""Sets for correctness checks: two phases of random games, and hard positions that no game led to."""


class Sample(NamedTuple):
    """Position with the seed of its game and its ply; -1 where unknown."""

    position_id: str
    game: int
    ply: int

    @property
    def board(self) -> Board:
        """Board from the mover's side."""
        return tuple(Position.from_gnubg_id(self.position_id).to_array().tolist())

    def cases(self) -> list[Case]:
        """Return the cases of all 21 rolls, with the game for engines that replay it."""
        game = whole_game(self.game)[: self.ply] if self.game >= 0 else None
        return [Case(self.board, roll, game=game) for roll in ROLLS]


def play_game(seed: int) -> Iterator[tuple[Board, protocol.TurnRecord]]:
    """Yield the boards and turns of the random game with this seed, until a side has borne off."""
    return random_turns(random.Random(seed))


@lru_cache(maxsize=10)
def whole_game(seed: int) -> tuple[protocol.TurnRecord, ...]:
    """Return the turns of the random game with this seed, in the form that engines replay."""
    return tuple(turn for _, turn in play_game(seed))


def read_samples(name: str, count: int) -> list[Sample]:
    """Return the first positions of a set, ordered by game."""
    lines = (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    return [Sample(row[0], int(row[1]), int(row[2])) for row in rows[:count]]


def fresh_stream(count: int, seed: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return unfinished positions of random games in random order, and a random roll for each."""
    rng = np.random.default_rng(seed)
    games = max(1, count // 100)
    start = Position.start().to_array()[None]
    boards = np.repeat(start, games, axis=0)
    batches: list[npt.NDArray[np.int8]] = []
    while sum(map(len, batches)) < count:
        batches.append(boards)
        boards = _play_turn(boards, rng)
        is_over = ~(boards < 0).any(axis=1) | ~(boards > 0).any(axis=1)
        boards[is_over] = start
    stream = np.concatenate(batches)[:count]
    rng.shuffle(stream)
    return stream, rng.integers(1, 7, (count, 2)).astype(np.int8)


def _play_turn(boards: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int8]:
    """Return the boards after a random play in each game, from the next player's side."""
    dice = rng.integers(1, 7, (len(boards), 2))
    plays = bgfast.successors(boards, dice, flip=True, passes="keep")
    sizes = np.diff(plays.offsets)
    # passes="keep" lists a pass as one successor, flipped like the others.
    rows = plays.offsets[:-1] + (rng.random(len(boards)) * sizes).astype(np.int64)
    return plays.boards[rows].copy()
