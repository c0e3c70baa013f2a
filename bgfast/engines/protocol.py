"""What is asked of an engine, and what can go wrong: the ground floor of the cross-check.

An adapter says for one position and roll what its engine lists. It knows nothing of comparing, of time limits
or of processes: each engine runs in a process of its own, which may hang or crash (`process`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Board, Roll
from bgfast.errors import BgfastError
from bgfast.rules import STANDARD, RuleSet

__all__ = [
    "ANY_RULES",
    "Board",
    "Capabilities",
    "Case",
    "CrashedError",
    "Engine",
    "EngineError",
    "HungError",
    "Inside",
    "MissingEngineError",
    "Roll",
    "RubbishError",
    "TurnRecord",
    "UnknownEngineError",
    "UnreachableError",
]


ANY_RULES = "any"
"""In `Capabilities.rules`: the engine plays every combination of switches."""


class TurnRecord(NamedTuple):
    """One turn of a game: the roll, and the board after it from the side of the player who made it."""

    roll: Roll
    after: Board


class Case(NamedTuple):
    """One question: the positions that the mover can reach.

    Attributes
    ----------
    board : tuple of 26 int
        The position from the mover's side: index 25 own bar, 24 to 1 the points (own > 0, opponent < 0),
        0 the opponent's bar (0 or less).
    roll : (int, int)
        The dice in the order in which they are to be handed over.
    rules : RuleSet
        The rules that count.
    checkers : int
        Checkers per side; those that are not on the board are borne off.
    game : tuple of TurnRecord, or None
        The turns from the starting position to this one, of a game that begins with a roll that is no double;
        None if the position comes from no game.
    """

    board: Board
    roll: Roll
    rules: RuleSet = STANDARD
    checkers: int = 15
    game: tuple[TurnRecord, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What an engine can be asked.

    Attributes
    ----------
    rules : tuple of str
        The presets that it plays, or ("any",).
    positions : bool
        Whether it can be set to any position; otherwise it replays `Case.game`.
    distinct : bool
        Whether it promises to list no result twice; only then are repetitions a defect.
    checkers : tuple of int
        The numbers of checkers per side that it plays with.
    """

    rules: tuple[str, ...] = ("standard",)
    positions: bool = True
    distinct: bool = True
    checkers: tuple[int, ...] = (15,)

    def plays(self, rules: RuleSet) -> bool:
        """Whether the engine plays by these rules, whatever their name is."""
        wanted = generated_switches(rules)
        return ANY_RULES in self.rules or any(
            generated_switches(RuleSet.named(name)) == wanted for name in self.rules
        )


class Engine(Protocol):
    """An engine as the cross-check sees it: an adapter in this process or, through `process`, one elsewhere.

    Attributes
    ----------
    name, version : str
    capabilities : Capabilities
    """

    name: str
    version: str
    capabilities: Capabilities

    def successors(self, case: Case) -> list[Board]:
        """Return the boards after each play, mover's side, as often as the engine lists them; none: a pass.

        Raises
        ------
        UnreachableError
            If the engine cannot be set to this position; the case is then not asked, which is no defect.
        EngineError
            If the engine did not answer as agreed.
        """
        ...

    def close(self) -> None:
        """Let the engine go; nothing is asked afterwards."""
        ...


class MissingEngineError(BgfastError):
    """An engine of that name is not known, or not installed; the message says what to install."""


class UnknownEngineError(MissingEngineError):
    """What was typed names no engine and is no command line: there is nothing to install."""


class UnreachableError(Exception):
    """The engine cannot be set to this position."""


class EngineError(Exception):
    """The engine did not answer as agreed; the message says what happened instead."""


class HungError(EngineError):
    """No answer within the time limit."""


class CrashedError(EngineError):
    """The engine's process ended before it answered, or said that the engine failed."""


class RubbishError(EngineError):
    """An answer that cannot be read, or a position that cannot be."""


class Inside:
    """An engine inside this process, which leaves nothing behind."""

    def close(self) -> None:
        """Do nothing."""
