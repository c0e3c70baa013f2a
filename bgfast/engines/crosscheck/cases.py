"""Which cases are compared: named, of files, hard random positions, random games; the same for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bgfast.common.rolls import ORDERED_ROLLS
from bgfast.common.vocabulary import Board, Roll
from bgfast.engines.crosscheck.hard_positions import BEAR_OFF_SOURCES, HARD_SOURCES, Source, random_board
from bgfast.engines.crosscheck.position_files import PositionFile
from bgfast.engines.crosscheck.random_games import random_roll, random_turns
from bgfast.engines.protocol import Case, TurnRecord
from bgfast.rules import STANDARD, RuleSet

__all__ = ["GENERATION", "CaseList"]

GENERATION = 2
"""Raised whenever the same seed gives other cases."""


@dataclass(frozen=True, kw_only=True)
class CaseList:
    """The cases of one run, made while they are walked over: the same ones each time, whoever walks.

    Parameters
    ----------
    named : sequence of (Board, Roll)
        What comes first, whatever else is asked for: one position and roll for each rule, so that no engine
        agrees because chance has left a rule out. Each is asked on its own roll alone.
    file : PositionFile, optional
        Positions that come next; those with a roll are compared on it alone unless all rolls are asked for.
    hard, bearoff : int
        How many hard positions of any kind, and of bear-offs.
    games : int
        How many positions of random games; only these tell the game that led there.
    all_rolls : bool
        All 36 ordered rolls for each position but the named ones, not its own or a random one.
    seed : int
    rules : RuleSet
    """

    named: Sequence[tuple[Board, Roll]] = ()
    file: PositionFile | None = None
    hard: int = 0
    bearoff: int = 0
    games: int = 0
    all_rolls: bool = False
    seed: int = 0
    rules: RuleSet = STANDARD

    def __len__(self) -> int:
        rolls = len(ORDERED_ROLLS) if self.all_rolls else 1
        placed = len(self.file.positions) if self.file else 0
        return len(self.named) + (placed + self.hard + self.bearoff + self.games) * rolls

    def __iter__(self) -> Iterator[Case]:
        for board, roll in self.named:
            yield Case(board, roll, self.rules)
        yield from self._placed()
        yield from self._hard("random", self.hard, HARD_SOURCES)
        yield from self._hard("bearoff", self.bearoff, BEAR_OFF_SOURCES)
        yield from self._of_games()

    def job(self) -> dict[str, Any]:
        """Return what tells these cases from others, as JSON can hold it; not the rules."""
        return {
            "named": len(self.named),
            "positions": self.file.digest if self.file else None,
            "random": self.hard,
            "bearoff": self.bearoff,
            "games": self.games,
            "all_rolls": self.all_rolls,
            "seed": self.seed,
            "generation": GENERATION,
        }

    def _placed(self) -> Iterator[Case]:
        for number, placed in enumerate(self.file.positions if self.file else ()):
            own = [placed.roll] if placed.roll and not self.all_rolls else None
            rolls = own or self._rolls(self._stream("roll", number))
            for roll in rolls:
                yield Case(placed.board, roll, self.rules, placed.checkers)

    def _hard(self, kind: str, positions: int, sources: tuple[Source, ...]) -> Iterator[Case]:
        for number in range(positions):
            rng = self._stream(kind, number)
            board = random_board(rng, sources)
            for roll in self._rolls(rng):
                yield Case(board, roll, self.rules)

    def _of_games(self) -> Iterator[Case]:
        left = self.games
        number = 0
        while left:
            turns: list[TurnRecord] = []
            rng = self._stream("roll of game", number)
            for turn in random_turns(self._stream("game", number), self.rules):
                game = tuple(turns)
                for roll in self._rolls(rng, first=not turns):
                    yield Case(turn.board, roll, self.rules, game=game)
                turns.append(TurnRecord(turn.roll, turn.after))
                left -= 1
                if not left:
                    return
            number += 1

    def _rolls(self, rng: random.Random, *, first: bool = False) -> Iterable[Roll]:
        if self.all_rolls:
            return ORDERED_ROLLS
        roll = random_roll(rng)
        while first and roll[0] == roll[1]:  # no game begins with a double
            roll = random_roll(rng)
        return [roll]

    def _stream(self, kind: str, number: int) -> random.Random:
        # One for each position: the first ones are the same however many follow.
        return random.Random(f"{self.seed}/{kind}/{number}")
