"""Disagreements of an engine with bgfast in one case, with all rules that may explain them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bgfast.common.vocabulary import Board
from bgfast.engines.adapters.bgfast import legal_successors
from bgfast.engines.crosscheck.diagnosis import (
    ILLEGAL_RULES,
    MISSING_PLAYS,
    Causes,
    illegal_causes,
    missing_causes,
    missing_kind,
)
from bgfast.engines.protocol import (
    Case,
    CrashedError,
    Engine,
    EngineError,
    HungError,
    MissingEngineError,
    RubbishError,
    UnreachableError,
)
from bgfast.engines.sides import MOVER, Side, impossible_board, plausible_sides
from bgfast.position.explain.turn import Turn
from bgfast.position.objects import Position

FAILURES = ("hang", "crash", "rubbish")
"""Kinds of disagreements without any list of successors."""

MAX_EXAMINED = 16
"""Maximum number of successors of one kind to examine in a case; broken engines list thousands."""

FLIPPED: Mapping[str, str] = {
    "whole-board": "The boards are seen from the opponent's side.",
    "points-only": "The points are counted from the opponent's side, though the signs are the mover's.",
    "signs-only": "The signs are the opponent's, though the points are counted from the mover's side.",
}
"""Sentences for the wrong perspectives, by the names of `SIDES`."""

UNEXAMINED = "unexamined"
"""Pseudo-rule of the successors beyond `MAX_EXAMINED`; they belong to no class."""


class ClassKey(NamedTuple):
    """Class of disagreements: their kind and the rule that is broken."""

    kind: str
    rule: str


SENTENCES: Mapping[ClassKey, str] = {
    **{ClassKey("illegal", rule): text for rule, text in ILLEGAL_RULES.items()},
    **{
        ClassKey("missing", rule): f"Every legal play must be listed. {text}"
        for rule, text in MISSING_PLAYS.items()
    },
    ClassKey("repeated", "each-once"): (
        "Plays that end in the same position are one play, and the engine promises to list it once."
    ),
    **{
        ClassKey("flipped", name): f"{text} They must be from the mover's side, as in the question."
        for name, text in FLIPPED.items()
    },
    ClassKey("hang", "no-answer"): "The engine did not answer within the time limit.",
    ClassKey("crash", "ended"): "The engine ended before it answered, or reported a failure.",
    ClassKey("rubbish", "unreadable"): "The answer cannot be read, or lists an impossible position.",
}
"""Sentences that explain the classes, for all classes."""


class Difference(NamedTuple):
    """Difference between a list of successors and the legal ones; distinct, sorted, from the mover's side."""

    missing: tuple[Board, ...]
    illegal: tuple[Board, ...]
    repeated: tuple[Board, ...]

    @property
    def is_empty(self) -> bool:
        """True if the two lists agree."""
        return not (self.missing or self.illegal or self.repeated)


def difference(listed: Sequence[Board], legal: Sequence[Board], *, distinct: bool) -> Difference:
    """Compare an engine's list with the legal one; `distinct` is true if it promises no repetitions."""
    counts = Counter(listed)
    legal_boards = set(legal)
    return Difference(
        missing=tuple(sorted(legal_boards - counts.keys())),
        illegal=tuple(sorted(counts.keys() - legal_boards)),
        repeated=tuple(sorted(board for board, n in counts.items() if n > 1)) if distinct else (),
    )


class Symptom(NamedTuple):
    """Symptom of wrong successors, from one case alone; it names the class if the engine breaks no cause."""

    kind: str
    rule: str
    causes: Causes = ()


class Disagreement(NamedTuple):
    """Successors of one case that are wrong in the same way; none if the engine did not answer.

    The message is the engine's failure, or for a wrong perspective the first board as listed and from the
    mover's side; otherwise empty.
    """

    symptom: Symptom
    boards: tuple[Board, ...] = ()
    message: str = ""


class Comparison(NamedTuple):
    """Outcome of one case."""

    number: int  # from 0
    case: Case
    reached: bool  # False if the engine cannot be set to the position
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def failed(self) -> bool:
        """True if the engine gave no list of successors."""
        return any(disagreement.symptom.kind in FAILURES for disagreement in self.disagreements)

    @property
    def difference(self) -> Difference:
        """All wrong successors together."""
        boards: dict[str, list[Board]] = {kind: [] for kind in Difference._fields}
        for disagreement in self.disagreements:
            boards.setdefault(disagreement.symptom.kind, []).extend(disagreement.boards)
        return Difference(*(tuple(sorted(boards[kind])) for kind in Difference._fields))


def compare_case(engine: Engine, number: int, case: Case) -> Comparison:
    """Ask an engine for the successors of a case and compare them with the legal ones."""
    can = engine.capabilities
    if case.checkers not in can.checkers or not (can.positions or case.game is not None):
        return Comparison(number, case, reached=False)
    try:
        listed = engine.successors(case)
    except UnreachableError:
        return Comparison(number, case, reached=False)
    except EngineError as error:
        return Comparison(number, case, True, (failure_of(error),))
    return Comparison(number, case, True, diagnose_list(case, listed, distinct=can.distinct))


def failure_of(error: EngineError | MissingEngineError) -> Disagreement:
    """Return the disagreement for an engine that fails to answer."""
    if isinstance(error, HungError):
        return Disagreement(Symptom("hang", "no-answer"), message=str(error))
    crashed = isinstance(error, (CrashedError, MissingEngineError))
    return Disagreement(
        Symptom("crash", "ended") if crashed else Symptom("rubbish", "unreadable"), message=str(error)
    )


def diagnose_list(case: Case, listed: Sequence[Board], *, distinct: bool) -> tuple[Disagreement, ...]:
    """Return the disagreements of a list; `distinct` is true if the engine promises no repetitions.

    Lists from another perspective are diagnosed after conversion to the mover's side.
    """
    legal = legal_successors(case)
    diff = difference(listed, legal, distinct=distinct)
    if diff.is_empty:
        return ()
    side = detect_side(case, listed, legal)
    if side is MOVER:
        problem = impossible_board(listed, case.board, (MOVER,))
        return (failure_of(RubbishError(problem)),) if problem else disagreements(case, diff)
    converted = list(map(side.from_mover, listed))
    message = f"the first was listed as {_numbers(listed[0])}; the mover sees {_numbers(converted[0])}"
    flipped = Disagreement(Symptom("flipped", side.name), message=message)
    return flipped, *disagreements(case, difference(converted, legal, distinct=distinct))


def detect_side(case: Case, listed: Sequence[Board], legal: Sequence[Board]) -> Side:
    """Return the perspective in which most boards of a list are legal; the mover's if none is in any."""
    legal_boards = {*legal, case.board}  # some engines list the unchanged board for a pass
    boards = set(listed)
    counts = {
        side: sum(side.from_mover(board) in legal_boards for board in boards)
        for side in plausible_sides(listed, case.board)
    }
    best = max(counts, key=counts.__getitem__, default=MOVER)  # the first of a tie
    return best if counts.get(best) else MOVER


def _numbers(board: Board) -> str:
    return " ".join(map(str, board))


def disagreements(case: Case, diff: Difference) -> tuple[Disagreement, ...]:
    """Group wrong successors by their symptoms."""
    if diff.is_empty:
        return ()
    plays = Position.from_array(case.board, case.checkers).plays(case.roll, case.rules)
    turn = Turn(case.board, case.roll, case.rules)
    boards: dict[Symptom, list[Board]] = {}
    illegal, rest = _split_sample(diff.illegal)
    symptoms = [Symptom("illegal", *illegal_causes(turn, board)) for board in illegal]
    for board, symptom in zip(illegal, symptoms, strict=True):
        boards.setdefault(symptom, []).append(board)
    boards[Symptom("illegal", UNEXAMINED)] = rest
    missing, rest = _split_sample(diff.missing)
    causes = missing_causes(turn, missing, (symptom.causes for symptom in symptoms))
    legal = list(map(tuple, plays.boards.tolist()))
    for board, board_causes in zip(missing, causes, strict=True):
        rule = (
            "pass"
            if len(diff.missing) == len(legal) and not diff.illegal
            else missing_kind(plays, legal.index(board))
        )
        boards.setdefault(Symptom("missing", rule, board_causes), []).append(board)
    boards[Symptom("missing", UNEXAMINED)] = rest
    boards[Symptom("repeated", "each-once")] = list(diff.repeated)
    return tuple(Disagreement(symptom, tuple(wrong)) for symptom, wrong in boards.items() if wrong)


def _split_sample(boards: Sequence[Board]) -> tuple[list[Board], list[Board]]:
    """Split boards into an evenly spaced sample of at most `MAX_EXAMINED` and the rest."""
    size = min(len(boards), MAX_EXAMINED)
    sample = {index * len(boards) // size for index in range(size)}
    parts: tuple[list[Board], list[Board]] = [], []
    for index, board in enumerate(boards):
        parts[index not in sample].append(board)
    return parts
