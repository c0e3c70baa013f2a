"""Disagreements of one engine, grouped into classes: what kind, and which rule decides it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from bgfast.engines.crosscheck.diagnosis import ILLEGAL_RULES, MISSING_PLAYS, broken_rule, missed_play
from bgfast.engines.crosscheck.difference import Difference, difference, legal_successors
from bgfast.engines.protocol import (
    Board,
    Capabilities,
    Case,
    CrashedError,
    Engine,
    EngineError,
    HungError,
    UnreachableError,
)
from bgfast.position.objects import Position

__all__ = [
    "FAILURES",
    "SENTENCES",
    "Answer",
    "Class",
    "ClassKey",
    "Classes",
    "Sighting",
    "judged",
    "size_for",
]

FAILURES = ("hang", "crash", "rubbish")
"""The kinds that are no wrong list but none at all."""


class ClassKey(NamedTuple):
    """What two disagreements of one class have in common."""

    kind: str
    rule: str


SENTENCES: Mapping[ClassKey, str] = MappingProxyType(
    {
        **{ClassKey("illegal", rule): text for rule, text in ILLEGAL_RULES.items()},
        **{
            ClassKey("missing", rule): f"Every legal play is to be listed. {text}"
            for rule, text in MISSING_PLAYS.items()
        },
        ClassKey("repeated", "each-once"): (
            "Plays that end in the same position are one play, and the engine promises to list it once."
        ),
        ClassKey("hang", "no-answer"): "The engine did not answer within the time limit.",
        ClassKey("crash", "ended"): "The engine ended before it answered, or said that it failed.",
        ClassKey("rubbish", "unreadable"): "The answer cannot be read, or holds a position that cannot be.",
    }
)
"""Every class there is, and what it means."""


class Sighting(NamedTuple):
    """A disagreement of one class in one case.

    Attributes
    ----------
    number : int
        Which case, counted from 0.
    case : Case
    key : ClassKey
    boards : tuple of Board
        The results that it is about; none of a failure.
    message : str
        What the engine did instead of answering; empty unless it failed.
    found : Difference, or None
        All that was wrong in the case, whatever the class; None if the engine failed.
    """

    number: int
    case: Case
    key: ClassKey
    boards: tuple[Board, ...] = ()
    message: str = ""
    found: Difference | None = None


class Answer(NamedTuple):
    """What came of one case: nothing wrong, not reachable for the engine, or what it did wrong."""

    number: int
    case: Case
    reached: bool
    wrong: tuple[Sighting, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there was no list at all."""
        return any(sighting.key.kind in FAILURES for sighting in self.wrong)


def judged(engine: Engine, number: int, case: Case) -> Answer:
    """Ask an engine and compare what it lists with what is legal."""
    try:
        if not _can_be_asked(engine.capabilities, case):
            return Answer(number, case, reached=False)
        listed = engine.successors(case)
    except UnreachableError:
        return Answer(number, case, reached=False)
    except EngineError as error:
        return Answer(number, case, True, (Sighting(number, case, _failure(error), message=str(error)),))
    legal = legal_successors(case)
    found = difference(listed, legal, distinct=engine.capabilities.distinct)
    if found.none:
        return Answer(number, case, reached=True)
    plays = Position.from_array(case.board, case.checkers).plays(case.roll, case.rules)
    boards: dict[ClassKey, list[Board]] = {}
    for board in found.illegal:
        boards.setdefault(ClassKey("illegal", broken_rule(plays, case.rules, board).rule), []).append(board)
    for board in found.missing:
        rule = missed_play(plays, legal.index(board)) if listed else "pass"
        boards.setdefault(ClassKey("missing", rule), []).append(board)
    if found.repeated:
        boards[ClassKey("repeated", "each-once")] = list(found.repeated)
    wrong = tuple(Sighting(number, case, key, tuple(those), found=found) for key, those in boards.items())
    return Answer(number, case, True, wrong)


def _can_be_asked(capabilities: Capabilities, case: Case) -> bool:
    return case.checkers in capabilities.checkers and (capabilities.positions or case.game is not None)


def _failure(error: EngineError) -> ClassKey:
    if isinstance(error, HungError):
        return ClassKey("hang", "no-answer")
    return (
        ClassKey("crash", "ended") if isinstance(error, CrashedError) else ClassKey("rubbish", "unreadable")
    )


@dataclass
class Class:
    """One class: how many cases, the first of them and the smallest."""

    cases: int
    first: Sighting
    smallest: Sighting


@dataclass
class Classes:
    """All classes of one engine, in the order in which they were met.

    Parameters
    ----------
    size : function
        Of the cases of a class the one of the smallest size is kept, the first of equal ones.
    """

    size: Callable[[Case], int]
    by_key: dict[ClassKey, Class] = field(default_factory=dict)

    def add(self, sighting: Sighting) -> None:
        """Count a sighting; they come in the order of the cases."""
        known = self.by_key.get(sighting.key)
        if known is None:
            self.by_key[sighting.key] = Class(1, sighting, sighting)
            return
        known.cases += 1
        if self.size(sighting.case) < self.size(known.smallest.case):
            known.smallest = sighting


def checkers_on(case: Case) -> int:
    """Return how many checkers stand on the board, bars included."""
    return sum(map(abs, case.board))


def turns_before(case: Case) -> int:
    """Return how many turns of a game lead to the position."""
    return len(case.game or ())


def size_for(capabilities: Capabilities) -> Callable[[Case], int]:
    """Return how the size of a case is measured: what has to be looked through by hand."""
    return checkers_on if capabilities.positions else turns_before
