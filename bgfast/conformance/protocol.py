"""Engine interface and errors, shared by the cross-check and the suite.

An adapter returns the successors that its engine lists for one position and roll. Every engine runs in a
separate process with a time limit; see `engine_process`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from bgfast.common.validation import BAR, OFF, Board, Roll, generator_switches
from bgfast.errors import BgfastError, short_repr
from bgfast.rules import STANDARD, RuleSet

ANY_RULES = "any"
"""Entry of `Capabilities.rules`: the engine plays every combination of switches."""


class TurnRecord(NamedTuple):
    """Turn of a game: the roll, and the board after the play, from the side of the player who made it."""

    roll: Roll
    after: Board


class Case(NamedTuple):
    """Position, roll and rules for which an engine lists the successors; the dice keep their order.

    `game`, unless None, leads from the starting position to `board`; its first roll is not a double.
    """

    board: Board
    roll: Roll
    rules: RuleSet = STANDARD
    checkers: int = 15  # number per side; checkers that are not on the board are borne off
    game: tuple[TurnRecord, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """Cases that an engine can answer."""

    rules: tuple[str, ...] = ("standard",)  # names of presets, or (ANY_RULES,)
    positions: bool = True  # True if the engine can be set to any position; otherwise it replays `Case.game`
    distinct: bool = True  # True if the engine lists no successor twice
    checkers: tuple[int, ...] = (15,)  # supported numbers of checkers per side

    def supports(self, rules: RuleSet) -> bool:
        """Return whether the engine supports these rules, under any name."""
        switches = generator_switches(rules)
        return ANY_RULES in self.rules or any(
            generator_switches(RuleSet.named(name)) == switches for name in self.rules
        )


class Engine(Protocol):
    """Interface of an engine: an adapter in this process, or a separate process (`EngineProcess`).

    See Also
    --------
    bgfast.engines.serve.serve : Serve an engine on standard input and output.
    """

    name: str
    version: str
    capabilities: Capabilities

    def successors(self, case: Case) -> list[Board]:
        """Return the successors, from the mover's side, with the engine's repetitions; empty for a pass.

        Raises `UnreachableError` if the engine cannot be set to this position, which is not a defect, and
        `EngineError` if the answer does not follow the protocol.
        """
        ...

    def close(self) -> None:
        """Release the engine; it is not used afterwards."""
        ...


class MissingEngineError(BgfastError):
    """Engine that is not installed; the message says what to install."""


class UnknownEngineError(MissingEngineError):
    """Name that is neither an engine nor a command line: there is nothing to install."""


class UnreachableError(Exception):
    """The engine cannot be set to this position."""


class EngineError(Exception):
    """Answer that does not follow the protocol; the message describes what happened instead."""


class HungError(EngineError):
    """No answer within the time limit."""


class CrashedError(EngineError):
    """The engine's process exited before it answered, or reported a failure."""


class RubbishError(EngineError):
    """Answer that cannot be read, or that lists an impossible position."""


class InProcessEngine:
    """Base class for engines that run in this process and need no cleanup."""

    def close(self) -> None:
        """Do nothing."""


# ---- Perspective of the boards in an answer. Some engines flip the board after a play, or reverse only the
# points, or negate only the signs. The bars may be reversed, negated, both or neither.


class Perspective(NamedTuple):
    """Perspective of a board, named by the part that is seen from the opponent's side."""

    name: str
    points: tuple[int, int]  # step and sign
    bars: tuple[int, int]  # step and sign

    def from_mover(self, board: Board) -> Board:
        """Return the board from the mover's side."""
        (step, sign), (bar_step, bar_sign) = self.points, self.bars
        first, last = (bar_sign * checkers for checkers in (board[OFF], board[BAR])[::bar_step])
        return (first, *(sign * checkers for checkers in board[OFF + 1 : BAR][::step]), last)


_SAME, _FLIPPED, _REVERSED, _NEGATIVE = (1, 1), (-1, -1), (-1, 1), (1, -1)
MOVER = Perspective("mover", _SAME, _SAME)
PERSPECTIVES = (
    MOVER,
    *(
        Perspective(name, points, bars)
        for name, points in (("whole-board", _FLIPPED), ("points-only", _REVERSED), ("signs-only", _NEGATIVE))
        for bars in dict.fromkeys((points, _SAME, _FLIPPED, _REVERSED, _NEGATIVE))
    ),
)
"""All recognized perspectives; the mover's comes first."""


def impossible_board(
    boards: Sequence[Board], before: Board, perspectives: Sequence[Perspective] = PERSPECTIVES
) -> str:
    """Return a message about the first board that no play can reach; empty if one perspective fits all."""
    if next(plausible_perspectives(boards, before, perspectives), None) is not None:
        return ""
    return next(
        describe_impossible(board, problem) for board in boards if (problem := _problem(board, before))
    )


def plausible_perspectives(
    boards: Sequence[Board], before: Board, perspectives: Sequence[Perspective] = PERSPECTIVES
) -> Iterator[Perspective]:
    """Yield the perspectives from which a play, legal or illegal, could reach every board of the list."""
    return (
        side for side in perspectives if not any(_problem(side.from_mover(board), before) for board in boards)
    )


def describe_impossible(row: object, reason: str) -> str:
    """Return the message about an impossible board; only a board of numbers is quoted in full."""
    is_board = isinstance(row, list | tuple) and len(row) <= 30 and set(map(type, row)) == {int}
    text = json.dumps(row) if is_board else ""
    return (
        f"it listed an impossible board, {reason}: {text if text and len(text) <= 200 else short_repr(row)}"
    )


def _problem(board: Board, before: Board) -> str:
    """Return why no play can reach a board, given from the mover's side; empty if a play can."""
    mover, opponent = count_checkers(before)
    mover_after, opponent_after = count_checkers(board)
    if mover_after > mover:
        return f"the mover has {mover_after} checkers on it instead of at most {mover}"
    # Fewer checkers are accepted, since an engine may forget to put a hit checker on the bar.
    if opponent_after > opponent:
        return f"the opponent has {opponent_after} checkers on it instead of at most {opponent}"
    if not 0 <= board[BAR] <= before[BAR]:
        return f"the mover's bar, index 25, holds {board[BAR]} instead of 0 to {before[BAR]}"
    if board[OFF] > before[OFF]:
        return f"the opponent's bar, index 0, holds {board[OFF]} instead of {before[OFF]} or less"
    return ""


def count_checkers(board: Board) -> tuple[int, int]:
    """Return the number of checkers of the mover and of the opponent."""
    difference, total = sum(board), sum(map(abs, board))
    return (total + difference) // 2, (total - difference) // 2
