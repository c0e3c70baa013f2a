"""Cases of a cross-check: named ones, files, hard random positions, random games; reproducible by seed."""

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

GENERATION = 2
"""Version of the case generator; incremented whenever a seed yields different cases."""


@dataclass(frozen=True, kw_only=True)
class CaseList:
    """Cases of a run, generated lazily; every iteration yields the same ones."""

    named: Sequence[tuple[Board, Roll]] = ()  # with their own rolls
    file: PositionFile | None = None  # with their own rolls, if any, unless `all_rolls`
    hard: int = 0
    bearoff: int = 0
    games: int = 0  # only these cases include their game
    all_rolls: bool = False  # all 36 ordered rolls for every position but the named ones
    seed: int = 0
    rules: RuleSet = STANDARD

    def __len__(self) -> int:
        rolls = len(ORDERED_ROLLS) if self.all_rolls else 1
        positions = len(self.file.positions) if self.file else 0
        return len(self.named) + (positions + self.hard + self.bearoff + self.games) * rolls

    def __iter__(self) -> Iterator[Case]:
        for board, roll in self.named:
            yield Case(board, roll, self.rules)
        yield from self._file_cases()
        yield from self._hard_cases("random", self.hard, HARD_SOURCES)
        yield from self._hard_cases("bearoff", self.bearoff, BEAR_OFF_SOURCES)
        yield from self._game_cases()

    def job(self) -> dict[str, Any]:
        """Return the parameters that identify the cases, except the rules, as a JSON object."""
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

    def _file_cases(self) -> Iterator[Case]:
        for number, position in enumerate(self.file.positions if self.file else ()):
            own_roll = [position.roll] if position.roll and not self.all_rolls else None
            rolls = own_roll or self._rolls(self._stream("roll", number))
            for roll in rolls:
                yield Case(position.board, roll, self.rules, position.checkers)

    def _hard_cases(self, kind: str, positions: int, sources: tuple[Source, ...]) -> Iterator[Case]:
        for number in range(positions):
            rng = self._stream(kind, number)
            board = random_board(rng, sources)
            for roll in self._rolls(rng):
                yield Case(board, roll, self.rules)

    def _game_cases(self) -> Iterator[Case]:
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
        # A stream for every position: the first positions do not depend on how many follow.
        return random.Random(f"{self.seed}/{kind}/{number}")
