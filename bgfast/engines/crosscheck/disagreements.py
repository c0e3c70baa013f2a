"""What an engine does wrong in one case, with all rules that may explain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from bgfast.engines.crosscheck.diagnosis import (
    ILLEGAL_RULES,
    MISSING_PLAYS,
    Causes,
    illegal_causes,
    missed_play,
    missing_causes,
)
from bgfast.engines.crosscheck.difference import Difference, difference, legal_successors
from bgfast.engines.protocol import (
    Board,
    Capabilities,
    Case,
    CrashedError,
    Engine,
    EngineError,
    HungError,
    MissingEngineError,
    UnreachableError,
)
from bgfast.position.objects import Position
from bgfast.position.turn import Turn

__all__ = [
    "FAILURES",
    "SENTENCES",
    "UNEXAMINED",
    "Finding",
    "Heading",
    "Symptom",
    "Verdict",
    "findings",
    "judged",
    "no_answer",
]

FAILURES = ("hang", "crash", "rubbish")
"""The kinds that are no wrong list but none at all."""

EXAMINED = 16
"""Results of one kind that are examined in one case. Engines that have lost their way list thousands."""

UNEXAMINED = "unexamined"
"""In the place of a rule: these results of a case are too many to examine. They come under no heading."""


class Heading(NamedTuple):
    """Under which disagreements are grouped: what kind they are, and which rule decides."""

    kind: str
    rule: str


SENTENCES: Mapping[Heading, str] = MappingProxyType(
    {
        **{Heading("illegal", rule): text for rule, text in ILLEGAL_RULES.items()},
        **{
            Heading("missing", rule): f"Every legal play is to be listed. {text}"
            for rule, text in MISSING_PLAYS.items()
        },
        Heading("repeated", "each-once"): (
            "Plays that end in the same position are one play, and the engine promises to list it once."
        ),
        Heading("hang", "no-answer"): "The engine did not answer within the time limit.",
        Heading("crash", "ended"): "The engine ended before it answered, or said that it failed.",
        Heading("rubbish", "unreadable"): "The answer cannot be read, or holds a position that cannot be.",
    }
)
"""Every heading there is, and what it means."""


class Symptom(NamedTuple):
    """What is known of some wrong results without looking at other cases.

    Attributes
    ----------
    kind, rule : str
        The heading under which they come if none of the causes is that of the engine.
    causes : Causes
        The smallest sets of rules that explain them each.
    """

    kind: str
    rule: str
    causes: Causes = ()


class Finding(NamedTuple):
    """Results of one case that are wrong in the same way.

    Attributes
    ----------
    symptom : Symptom
    boards : tuple of Board
        The results; none if the engine did not answer.
    message : str
        What the engine did instead of answering; empty unless it failed.
    """

    symptom: Symptom
    boards: tuple[Board, ...] = ()
    message: str = ""


class Verdict(NamedTuple):
    """What came of one case: nothing wrong, not reachable for the engine, or what it did wrong.

    Attributes
    ----------
    number : int
        Which case, counted from 0.
    case : Case
    reached : bool
    findings : tuple of Finding
        All that is wrong.
    """

    number: int
    case: Case
    reached: bool
    findings: tuple[Finding, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there was no list at all."""
        return any(finding.symptom.kind in FAILURES for finding in self.findings)

    @property
    def difference(self) -> Difference:
        """All wrong results together."""
        boards: dict[str, list[Board]] = {kind: [] for kind in Difference._fields}
        for finding in self.findings:
            boards.setdefault(finding.symptom.kind, []).extend(finding.boards)
        return Difference(*(tuple(sorted(boards[kind])) for kind in Difference._fields))


def judged(engine: Engine, number: int, case: Case) -> Verdict:
    """Ask an engine and compare what it lists with what is legal."""
    try:
        if not _can_be_asked(engine.capabilities, case):
            return Verdict(number, case, reached=False)
        listed = engine.successors(case)
    except UnreachableError:
        return Verdict(number, case, reached=False)
    except EngineError as error:
        return Verdict(number, case, True, (no_answer(error),))
    found = difference(listed, legal_successors(case), distinct=engine.capabilities.distinct)
    return Verdict(number, case, True, findings(case, found))


def _can_be_asked(capabilities: Capabilities, case: Case) -> bool:
    return case.checkers in capabilities.checkers and (capabilities.positions or case.game is not None)


def no_answer(error: EngineError | MissingEngineError) -> Finding:
    """Return what it is called when an engine does not answer."""
    if isinstance(error, HungError):
        return Finding(Symptom("hang", "no-answer"), message=str(error))
    crashed = isinstance(error, (CrashedError, MissingEngineError))
    return Finding(
        Symptom("crash", "ended") if crashed else Symptom("rubbish", "unreadable"), message=str(error)
    )


def findings(case: Case, found: Difference) -> tuple[Finding, ...]:
    """Say of wrong results which rules may explain them."""
    if found.none:
        return ()
    plays = Position.from_array(case.board, case.checkers).plays(case.roll, case.rules)
    turn = Turn(case.board, case.roll, case.rules)
    boards: dict[Symptom, list[Board]] = {}
    illegal, left = _examined(found.illegal)
    symptoms = [Symptom("illegal", *illegal_causes(turn, board)) for board in illegal]
    for board, symptom in zip(illegal, symptoms, strict=True):
        boards.setdefault(symptom, []).append(board)
    boards[Symptom("illegal", UNEXAMINED)] = left
    missing, left = _examined(found.missing)
    causes = missing_causes(turn, missing, (symptom.causes for symptom in symptoms))
    legal = list(map(tuple, plays.boards.tolist()))
    for board, those in zip(missing, causes, strict=True):
        rule = (
            "pass"
            if len(found.missing) == len(legal) and not found.illegal
            else missed_play(plays, legal.index(board))
        )
        boards.setdefault(Symptom("missing", rule, those), []).append(board)
    boards[Symptom("missing", UNEXAMINED)] = left
    boards[Symptom("repeated", "each-once")] = list(found.repeated)
    return tuple(Finding(symptom, tuple(those)) for symptom, those in boards.items() if those)


def _examined(boards: Sequence[Board]) -> tuple[list[Board], list[Board]]:
    """Part those that are examined from the rest: some from everywhere in the list."""
    few = min(len(boards), EXAMINED)
    chosen = {at * len(boards) // few for at in range(few)}
    parts: tuple[list[Board], list[Board]] = [], []
    for at, board in enumerate(boards):
        parts[at not in chosen].append(board)
    return parts
