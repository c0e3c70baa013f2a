"""Cases of a cross-check: named, from a file, random, or from random games; reproducible by seed.

Cases from games include the game: OpenSpiel cannot be set to a position, but it can replay a game.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from bgfast.common.files import validate_path
from bgfast.common.validation import ORDERED_ROLLS, Board, Roll, dice_pair
from bgfast.conformance.hard_positions import BEAR_OFF_MAKERS, HARD_MAKERS, Maker, RandomNumbers, make_boards
from bgfast.conformance.protocol import Case, TurnRecord
from bgfast.errors import InvalidPositionError
from bgfast.position.objects import Position
from bgfast.position.position_ids import is_match_id
from bgfast.position.position_text import read_content, read_lines, read_position
from bgfast.rules import STANDARD, RuleSet

GENERATION = 3
"""Version of the case generator; incremented whenever a seed yields different cases."""


class FilePosition(NamedTuple):
    """Position from a file, with its roll if the file states one."""

    board: Board
    checkers: int
    roll: Roll | None


class PositionFile(NamedTuple):
    """Positions of a file, and the SHA-256 digest of its content."""

    positions: tuple[FilePosition, ...]
    digest: str


@dataclass(frozen=True, kw_only=True)
class CaseList:
    """Cases of a run, generated lazily; every iteration yields the same ones."""

    named: Sequence[tuple[Board, Roll]] = ()
    file: PositionFile | None = None  # its rolls are used unless `all_rolls`
    random: int = 0  # number of positions, like the next two fields
    bearoff: int = 0
    games: int = 0  # positions from random games; only their cases include the game
    all_rolls: bool = False  # all 36 ordered rolls for every position but the named ones
    seed: int = 0
    rules: RuleSet = STANDARD

    def __len__(self) -> int:
        rolls = len(ORDERED_ROLLS) if self.all_rolls else 1
        positions = len(self.file.positions) if self.file else 0
        return len(self.named) + (positions + self.random + self.bearoff + self.games) * rolls

    def __iter__(self) -> Iterator[Case]:
        for board, roll in self.named:
            yield Case(board, roll, self.rules)
        yield from self._file_cases()
        yield from self._constructed_cases("random", self.random, HARD_MAKERS)
        yield from self._constructed_cases("bearoff", self.bearoff, BEAR_OFF_MAKERS)
        yield from self._game_cases()

    def job(self) -> dict[str, Any]:
        """Return the parameters that identify the cases, except the rules, as a JSON object."""
        return {
            "named": len(self.named),
            "positions": self.file.digest if self.file else None,
            "random": self.random,
            "bearoff": self.bearoff,
            "games": self.games,
            "all_rolls": self.all_rolls,
            "seed": self.seed,
            "generation": GENERATION,
        }

    def _file_cases(self) -> Iterator[Case]:
        for index, position in enumerate(self.file.positions if self.file else ()):
            own_roll = [position.roll] if position.roll and not self.all_rolls else None
            rolls = own_roll or self._rolls(self._stream("roll", index))
            for roll in rolls:
                yield Case(position.board, roll, self.rules, position.checkers)

    def _constructed_cases(self, name: str, count: int, makers: Sequence[Maker]) -> Iterator[Case]:
        for index in range(count):
            rng = self._stream(name, index)
            maker = makers[index % len(makers)]
            board = next(make_boards([maker], RandomNumbers(rng.getrandbits(64))))
            for roll in self._rolls(rng):
                yield Case(board, roll, self.rules)

    def _game_cases(self) -> Iterator[Case]:
        remaining = self.games
        index = 0
        while remaining:
            turns: list[TurnRecord] = []
            rng = self._stream("roll of game", index)
            for board, turn in random_turns(self._stream("game", index), self.rules):
                game = tuple(turns)
                for roll in self._rolls(rng, first=not turns):
                    yield Case(board, roll, self.rules, game=game)
                turns.append(turn)
                remaining -= 1
                if not remaining:
                    return
            index += 1

    def _rolls(self, rng: Random, *, first: bool = False) -> Iterable[Roll]:
        if self.all_rolls:
            return ORDERED_ROLLS
        roll = random_roll(rng)
        while first and roll[0] == roll[1]:  # no game begins with a double
            roll = random_roll(rng)
        return [roll]

    def _stream(self, name: str, index: int) -> Random:
        # Each position has its own stream, so it does not depend on the number of positions.
        return Random(f"{self.seed}/{name}/{index}")


def random_roll(rng: Random) -> Roll:
    """Return two dice, using only `random()`, which gives the same numbers in every version of Python."""
    return 1 + int(rng.random() * 6), 1 + int(rng.random() * 6)


def random_turns(rng: Random, rules: RuleSet = STANDARD) -> Iterator[tuple[Board, TurnRecord]]:
    """Yield the turns of a complete random game, each with the mover's board before it.

    The successors are sorted: games do not depend on the order in which a generator lists its plays.
    """
    position = Position.start()
    # The first roll of a game is never a double, and engines that start their own games rely on that.
    roll = (1 + int(rng.random() * 5), 6)
    while position.phase != "over":
        board = tuple(position)
        successors = sorted(map(tuple, position.plays(roll, rules).boards.tolist()))
        after = successors[int(rng.random() * len(successors))] if successors else board
        yield board, TurnRecord(roll, after)
        position = Position.from_array(after).flip()
        roll = random_roll(rng)


def read_positions(path: str | os.PathLike[str], checkers: int | None = None) -> PositionFile:
    """Read a file, or pipe, of positions, in the syntax of ``bgfast plays``; see docs/CROSSCHECK.md."""
    name = validate_path(path, "positions")
    content = read_content(name, name)

    def add_line(line: int, tokens: list[str], positions: list[FilePosition]) -> None:
        # GNU Backgammon prints the match ID on a separate line.
        if not (positions and is_match_id(" ".join(tokens))):
            positions.append(_position(tokens, checkers))

    return PositionFile(tuple(read_lines(name, content, add_line)), hashlib.sha256(content).hexdigest())


def _position(tokens: list[str], checkers: int | None) -> FilePosition:
    text = read_position(" ".join(tokens), checkers)
    if text.position.phase == "over":
        raise InvalidPositionError("the game is over; expected an unfinished position")
    roll = dice_pair(text.roll()) if text.rest or text.dice else None
    return FilePosition(tuple(text.position), text.position.checkers, roll)
