"""Interface of an engine, and its errors: the base of the cross-check and the suite.

An adapter returns the successors that its engine lists for one position and roll. Every engine runs in a
separate process, with a time limit (`process`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Board, Roll
from bgfast.errors import BgfastError
from bgfast.rules import STANDARD, RuleSet

ANY_RULES = "any"
"""Entry of `Capabilities.rules`: the engine plays every combination of switches."""


class TurnRecord(NamedTuple):
    """Turn of a game: the roll, and the board after the play, from the side of the player who made it."""

    roll: Roll
    after: Board


class Case(NamedTuple):
    """Position, roll and rules for which an engine lists the successors.

    Index 25 of the board is the mover's bar, 24 to 1 the points (own > 0, opponent < 0), 0 the opponent's bar
    (0 or less). The dice are in the order in which the engine gets them. A game leads from the starting
    position to this one; its first roll is no double.
    """

    board: Board
    roll: Roll
    rules: RuleSet = STANDARD
    checkers: int = 15  # per side; those not on the board are borne off
    game: tuple[TurnRecord, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """Cases that an engine can answer; `distinct` promises to list no successor twice."""

    rules: tuple[str, ...] = ("standard",)  # names of presets, or (ANY_RULES,)
    positions: bool = True  # True if it can be set to any position; otherwise it replays `Case.game`
    distinct: bool = True
    checkers: tuple[int, ...] = (15,)  # supported numbers per side

    def supports(self, rules: RuleSet) -> bool:
        """Return whether the engine supports these rules, by any name."""
        switches = generated_switches(rules)
        return ANY_RULES in self.rules or any(
            generated_switches(RuleSet.named(name)) == switches for name in self.rules
        )


class Engine(Protocol):
    """Interface of an engine: an adapter in this process, or a separate process (`EngineProcess`)."""

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
    """Answer that does not follow the protocol; the message says what happened instead."""


class HungError(EngineError):
    """No answer within the time limit."""


class CrashedError(EngineError):
    """The engine's process exited before it answered, or reported a failure."""


class RubbishError(EngineError):
    """Answer that cannot be read, or that lists an impossible position."""


class InProcessEngine:
    """Base of engines that run in this process and need no cleanup."""

    def close(self) -> None:
        """Do nothing."""
