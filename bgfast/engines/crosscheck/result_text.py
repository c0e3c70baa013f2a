"""Descriptions of successors in reports: the play, legal or not, and the rules that it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bgfast.common.vocabulary import Board
from bgfast.engines.crosscheck.attribution import Attribution
from bgfast.engines.crosscheck.diagnosis import PASSES
from bgfast.engines.crosscheck.disagreements import Comparison, Symptom
from bgfast.errors import InvalidPositionError
from bgfast.position.explain.hops import forfeit_parts
from bgfast.position.explain.lifted_turn import LiftedTurn, Way
from bgfast.position.explain.turn import Turn
from bgfast.position.objects import Position
from bgfast.position.text.play_text import play_text


class Result(NamedTuple):
    """Description of a successor in a report."""

    board: Board
    position_id: str | None  # None if the board is not a valid position
    play: str | None  # None if no play leads there, or if it cannot be written in notation
    rules: tuple[str, ...] = ()  # names of `ILLEGAL_RULES`, or ("unexamined",); empty if legal
    reason: str | None = None  # explanation of a broken rule on single moves
    others: tuple[str, ...] = ()  # other rules that explain the successor by themselves

    @property
    def place(self) -> str:
        """Position ID, or the numbers of the board."""
        return self.position_id or " ".join(map(str, self.board))


def describe_results(
    comparison: Comparison, boards: Iterable[Board], attribution: Attribution
) -> list[Result]:
    """Describe successors of a case, legal ones or illegal ones of the comparison, in the given order."""
    case = comparison.case
    plays = Position.from_array(case.board, case.checkers).plays(case.roll, case.rules)
    legal = {tuple(board): str(play) for board, play in zip(plays.boards.tolist(), plays, strict=True)}
    symptoms = {
        board: disagreement.symptom
        for disagreement in comparison.disagreements
        if disagreement.symptom.kind == "illegal"
        for board in disagreement.boards
    }
    turn = Turn(case.board, case.roll, case.rules)
    return [
        Result(board, _position_id(board, case.checkers), legal[board])
        if board in legal
        else _describe_illegal(turn, board, case.checkers, symptoms[board], attribution)
        for board in boards
    ]


def _describe_illegal(
    turn: Turn, board: Board, checkers: int, symptom: Symptom, attribution: Attribution
) -> Result:
    rules = tuple(class_.rule for class_ in attribution.classes(symptom))
    others = dict.fromkeys(other for rule in rules for other in attribution.others(symptom, rule))
    result = Result(board, _position_id(board, checkers), None, rules, None, tuple(others))
    cause = attribution.cause(symptom)
    if cause and board == turn.start.board and cause[0] in PASSES:
        return result._replace(play="pass")
    way = LiftedTurn(turn, frozenset(cause)).way_to(board) if cause else None
    if way is None:  # also possible if a resume file was edited
        return result
    return result._replace(play=_way_text(turn, way) if way.plain else None, reason=way.reason)


def _way_text(turn: Turn, way: Way) -> str:
    moved = [(start, end) for start, end in way.moves if start != end]
    forfeits = sorted((start for start, end in way.moves if start == end), reverse=True)
    # The moves are not a legal play, so the forfeits cannot be looked up in the legal plays.
    return " ".join(
        [*filter(None, [play_text(turn.start.board, turn.roll, moved)]), *forfeit_parts(forfeits)]
    )


def _position_id(board: Board, checkers: int) -> str | None:
    try:
        return Position.from_array(board, checkers).gnubg_id
    except InvalidPositionError:
        return None
