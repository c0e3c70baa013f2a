"""Cases of a cross-check: named ones, files, hard random positions, random games; reproducible by seed.

OpenSpiel cannot be set to a position, but it can replay a game.
"""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bgfast.common.files import checked_path
from bgfast.common.validation import CHECKERS, ORDERED_ROLLS, Board, Roll, dice_pair
from bgfast.conformance.protocol import Case, TurnRecord, own_and_other
from bgfast.errors import InvalidPositionError
from bgfast.position.objects import Position
from bgfast.position.position_ids import is_match_id
from bgfast.position.position_text import read_content, read_lines, read_position
from bgfast.rules import STANDARD, RuleSet

GENERATION = 2
"""Version of the case generator; incremented whenever a seed yields different cases."""


class FilePosition(NamedTuple):
    """Position of a file, with its roll if the file states one."""

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
        yield from self._hard_cases("random", self.hard, [*SOURCES.values()])
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

    def _hard_cases(self, kind: str, positions: int, sources: Sequence[Source]) -> Iterator[Case]:
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
            for board, turn in random_turns(self._stream("game", number), self.rules):
                game = tuple(turns)
                for roll in self._rolls(rng, first=not turns):
                    yield Case(board, roll, self.rules, game=game)
                turns.append(turn)
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


def random_roll(rng: random.Random) -> Roll:
    """Return two dice, drawn by `random()` alone, whose numbers are the same in every version of Python."""
    return 1 + int(rng.random() * 6), 1 + int(rng.random() * 6)


def random_turns(rng: random.Random, rules: RuleSet = STANDARD) -> Iterator[tuple[Board, TurnRecord]]:
    """Yield the turns of a random game to the last checker borne off, each with the mover's board before it.

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
    name = checked_path(path, "positions")
    content = read_content(name, name)

    def add_line(line: int, words: list[str], positions: list[FilePosition]) -> None:
        # GNU Backgammon prints the match ID on a separate line.
        if not (positions and is_match_id(" ".join(words))):
            positions.append(_position(words, checkers))

    return PositionFile(tuple(read_lines(name, content, add_line)), hashlib.sha256(content).hexdigest())


def _position(words: list[str], checkers: int | None) -> FilePosition:
    text = read_position(" ".join(words), checkers)
    if text.position.phase == "over":
        raise InvalidPositionError("the game is over; expected an unfinished position")
    roll = dice_pair(text.roll()) if text.rest or text.dice else None
    return FilePosition(tuple(text.position), text.position.checkers, roll)


# ---------------------------------------------------------------- hard positions

# Bars, bear-offs, blots, walls and last checkers are rare in self-play. A source returns 26 numbers from
# the mover's side; `is_possible` rejects impossible ones. No rules of play are used here: the code
# under test has no influence on the test.


Source = Callable[[random.Random], Board]


def place_checkers(own: Iterable[int], opponent: Iterable[int]) -> Board:
    """Put a checker on every listed point; the opponent's go to the bar where an own checker stands."""
    board = [0] * 26
    for point in own:
        board[point] += 1
    for point in opponent:
        board[point if board[point] <= 0 else 0] -= 1
    return tuple(board)


Part = tuple[Sequence[int], int, int]
"""Points, with the minimum and the maximum number of checkers on them."""


def scattering(opponent: Part, *own: Part) -> Source:
    """Return the source of boards with checkers on random points of each part."""

    def draw_points(rng: random.Random, parts: Iterable[Part]) -> list[int]:
        return [
            point for points, low, high in parts for point in rng.choices(points, k=rng.randint(low, high))
        ]

    def scatter(rng: random.Random) -> Board:
        own_points = draw_points(rng, own)
        return place_checkers(own_points, draw_points(rng, [opponent]))

    return scatter


def blots_everywhere(rng: random.Random) -> Board:
    """Place single checkers only: every move may hit."""
    points = rng.sample(range(1, 25), 24)
    own = rng.randint(1, 12)
    return place_checkers(points[:own] + [25] * rng.randint(0, 2), points[own : own + rng.randint(1, 12)])


def bar_heavy(rng: random.Random) -> Board:
    """Put one to five own checkers on the bar, against a home board with gaps and blots."""
    home = [point for point in range(19, 25) for _ in range(rng.choice([0, 1, 2, 2]))]
    return place_checkers(
        [25] * rng.randint(1, 5) + rng.choices(range(1, 25), k=rng.randint(0, 10)),
        home[:15] + rng.choices(range(25), k=rng.randint(0, 3)) or [0],
    )


def walls(rng: random.Random) -> Board:
    """Build an opposing prime or closed board with a gap or a blot, with own checkers behind it."""
    first = rng.randint(1, 19)
    wall = [first + i for i in range(6) for _ in range(rng.choice([2, 2, 2, 2, 1, 0]))]
    return place_checkers(rng.choices(range(1, 26), k=rng.randint(1, 12)), [*wall, rng.randrange(25)])


def stacks(rng: random.Random) -> Board:
    """Build a few tall own stacks: many ways to move several checkers from one point."""
    points = rng.sample(range(1, 25), rng.randint(1, 5))
    return place_checkers(rng.choices(points, k=15), rng.choices(range(25), k=rng.randint(1, 8)))


SOURCES: Mapping[str, Source] = {
    # Both sides all over the board, some checkers on the bars.
    "anywhere": scattering((range(25), 4, 15), (range(1, 26), 4, 15)),
    "blots_everywhere": blots_everywhere,
    "bar_heavy": bar_heavy,
    # All own checkers home; the opponent is on the bar, on an anchor, or past.
    "bearing_off": scattering(([0, *range(1, 7), 19, 24], 1, 6), (range(1, 7), 1, 15)),
    # One to three own checkers outside: a bear-off may begin in the middle of a play.
    "nearly_home": scattering(([0, *range(1, 13), 24], 1, 8), (range(7, 14), 1, 3), (range(1, 7), 0, 10)),
    # One to three checkers a side, anywhere.
    "last_checkers": scattering((range(25), 1, 3), (range(1, 26), 1, 3)),
    # One to four own checkers near home among a few opposing ones.
    "last_checkers_home": scattering((range(9), 1, 4), (range(1, 9), 1, 4)),
    "walls": walls,
    "stacks": stacks,
}
BEAR_OFF_SOURCES = (
    *(SOURCES[name] for name in ("bearing_off", "nearly_home", "last_checkers_home")),
    scattering((range(19, 25), 1, 15), (range(1, 7), 1, 15)),  # without contact
)


def random_board(rng: random.Random, sources: Sequence[Source]) -> Board:
    """Return a possible, unfinished position from a random source."""
    while True:
        board = rng.choices(sources)[0](rng)
        if is_possible(board):
            return board


def is_possible(board: Board) -> bool:
    """Return whether both sides have 1 to 15 checkers and the position is not a mutual closeout."""
    deadlock = (
        board[25] > 0
        and board[0] < 0
        and all(number <= -2 for number in board[19:25])
        and all(number >= 2 for number in board[1:7])
    )
    return all(1 <= checkers <= CHECKERS for checkers in own_and_other(board)) and not deadlock
