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
    RubbishError,
    UnreachableError,
)
from bgfast.engines.sides import MOVER, Side, impossible, possible_sides
from bgfast.position.objects import Position
from bgfast.position.rule_book.turn import Turn

__all__ = [
    "FAILURES",
    "SENTENCES",
    "UNEXAMINED",
    "ClassKey",
    "Comparison",
    "Disagreement",
    "Symptom",
    "compared",
    "disagreements",
    "judged",
    "no_answer",
    "side_of",
]

FAILURES = ("hang", "crash", "rubbish")
"""The kinds that are no wrong list but none at all."""

EXAMINED = 16
"""Results of one kind that are examined in one case. Engines that have lost their way list thousands."""

FLIPPED: Mapping[str, str] = MappingProxyType(
    {
        "whole-board": "The boards are seen from the opponent's side.",
        "points-only": "The points are counted from the opponent's side, though the signs are the mover's.",
        "signs-only": "The signs are the opponent's, though the points are counted from the mover's side.",
    }
)
"""The sides that are taken for the mover's, by the names of `SIDES`, and what is wrong then."""

UNEXAMINED = "unexamined"
"""In the place of a rule: these results of a case are too many to examine. They come into no class."""


class ClassKey(NamedTuple):
    """What makes a class of disagreements: what kind they are, and which rule decides."""

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
        **{
            ClassKey("flipped", name): f"{text} They are to be seen as in the question, by the mover."
            for name, text in FLIPPED.items()
        },
        ClassKey("hang", "no-answer"): "The engine did not answer within the time limit.",
        ClassKey("crash", "ended"): "The engine ended before it answered, or said that it failed.",
        ClassKey("rubbish", "unreadable"): "The answer cannot be read, or holds a position that cannot be.",
    }
)
"""Every class there is, and what it means."""


class Symptom(NamedTuple):
    """What is known of some wrong results without looking at other cases.

    Attributes
    ----------
    kind, rule : str
        The class into which they come if none of the causes is that of the engine.
    causes : Causes
        The smallest sets of rules that explain them each.
    """

    kind: str
    rule: str
    causes: Causes = ()


class Disagreement(NamedTuple):
    """Results of one case that are wrong in the same way.

    Attributes
    ----------
    symptom : Symptom
    boards : tuple of Board
        The results; none if the engine did not answer.
    message : str
        What the engine did instead of answering, or what its boards looked like before they were turned to
        the mover's side; else empty.
    """

    symptom: Symptom
    boards: tuple[Board, ...] = ()
    message: str = ""


class Comparison(NamedTuple):
    """What came of one case: nothing wrong, not reachable for the engine, or what it did wrong.

    Attributes
    ----------
    number : int
        Which case, counted from 0.
    case : Case
    reached : bool
    disagreements : tuple of Disagreement
        All that is wrong.
    """

    number: int
    case: Case
    reached: bool
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there was no list at all."""
        return any(disagreement.symptom.kind in FAILURES for disagreement in self.disagreements)

    @property
    def difference(self) -> Difference:
        """All wrong results together."""
        boards: dict[str, list[Board]] = {kind: [] for kind in Difference._fields}
        for disagreement in self.disagreements:
            boards.setdefault(disagreement.symptom.kind, []).extend(disagreement.boards)
        return Difference(*(tuple(sorted(boards[kind])) for kind in Difference._fields))


def judged(engine: Engine, number: int, case: Case) -> Comparison:
    """Ask an engine and compare what it lists with what is legal."""
    try:
        if not _can_be_asked(engine.capabilities, case):
            return Comparison(number, case, reached=False)
        listed = engine.successors(case)
    except UnreachableError:
        return Comparison(number, case, reached=False)
    except EngineError as error:
        return Comparison(number, case, True, (no_answer(error),))
    return Comparison(number, case, True, compared(case, listed, distinct=engine.capabilities.distinct))


def _can_be_asked(capabilities: Capabilities, case: Case) -> bool:
    return case.checkers in capabilities.checkers and (capabilities.positions or case.game is not None)


def no_answer(error: EngineError | MissingEngineError) -> Disagreement:
    """Return what it is called when an engine does not answer."""
    if isinstance(error, HungError):
        return Disagreement(Symptom("hang", "no-answer"), message=str(error))
    crashed = isinstance(error, (CrashedError, MissingEngineError))
    return Disagreement(
        Symptom("crash", "ended") if crashed else Symptom("rubbish", "unreadable"), message=str(error)
    )


def compared(case: Case, listed: Sequence[Board], *, distinct: bool) -> tuple[Disagreement, ...]:
    """Say what is wrong with a list; `distinct`: whether the engine promises no repetitions.

    A list that is seen from another side than the mover's is turned to his first, so that rules that it
    breaks are found as well.
    """
    legal = legal_successors(case)
    found = difference(listed, legal, distinct=distinct)
    if found.none:
        return ()
    side = side_of(case, listed, legal)
    if side is MOVER:
        problem = impossible(listed, case.board, (MOVER,))
        return (no_answer(RubbishError(problem)),) if problem else disagreements(case, found)
    turned = list(map(side.turned, listed))
    message = f"the first was listed as {_numbers(listed[0])}; the mover sees {_numbers(turned[0])}"
    flipped = Disagreement(Symptom("flipped", side.name), message=message)
    return flipped, *disagreements(case, difference(turned, legal, distinct=distinct))


def side_of(case: Case, listed: Sequence[Board], legal: Sequence[Board]) -> Side:
    """Return the side from which most of a list is known; the mover's if none is from any other."""
    known = {*legal, case.board}  # some engines list the unchanged board for a pass
    boards = set(listed)
    numbers = {
        side: sum(side.turned(board) in known for board in boards)
        for side in possible_sides(listed, case.board)
    }
    best = max(numbers, key=numbers.__getitem__, default=MOVER)  # of a tie the first
    return best if numbers.get(best) else MOVER


def _numbers(board: Board) -> str:
    return " ".join(map(str, board))


def disagreements(case: Case, found: Difference) -> tuple[Disagreement, ...]:
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
    return tuple(Disagreement(symptom, tuple(those)) for symptom, those in boards.items() if those)


def _examined(boards: Sequence[Board]) -> tuple[list[Board], list[Board]]:
    """Part those that are examined from the rest: some from everywhere in the list."""
    few = min(len(boards), EXAMINED)
    chosen = {at * len(boards) // few for at in range(few)}
    parts: tuple[list[Board], list[Board]] = [], []
    for at, board in enumerate(boards):
        parts[at not in chosen].append(board)
    return parts
