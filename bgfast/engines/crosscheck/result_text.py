"""What a position after a play is called in a report, also if no legal play leads there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bgfast.engines.crosscheck.attribution import Attribution
from bgfast.engines.crosscheck.diagnosis import PASSES
from bgfast.engines.crosscheck.disagreements import Comparison, Symptom
from bgfast.engines.protocol import Board
from bgfast.errors import InvalidPositionError
from bgfast.position.objects import Position
from bgfast.position.rule_book.hops import forfeit_parts
from bgfast.position.rule_book.lifted_turn import LiftedTurn, Way
from bgfast.position.rule_book.turn import Turn
from bgfast.position.text.play_text import play_text

__all__ = ["Result", "described"]


class Result(NamedTuple):
    """A result of a play, legal or not.

    Attributes
    ----------
    board : tuple of 26 int
        The board after it, mover's side.
    position_id : str or None
        Its GNU position ID; None of what is no position.
    play : str or None
        The play that leads there; None if there is none, or no notation for it.
    rules : tuple of str
        The rule that it breaks, a name of `ILLEGAL_RULES`, or several together; "unexamined" of one result
        too many; none of a legal one.
    reason : str or None
        What a rule on single moves says of it, with the points.
    others : tuple of str
        Other rules that would explain it each on its own.
    """

    board: Board
    position_id: str | None
    play: str | None
    rules: tuple[str, ...] = ()
    reason: str | None = None
    others: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The position ID, or the numbers of the board."""
        return self.position_id or " ".join(map(str, self.board))


def described(comparison: Comparison, boards: Iterable[Board], attribution: Attribution) -> list[Result]:
    """Return what these results of a case are called, in their order.

    Parameters
    ----------
    comparison : Comparison
        Of the case.
    boards : iterable of Board
        Legal ones, and any that the comparison finds fault with.
    attribution : Attribution
        What the engine's mistakes are.

    Returns
    -------
    list of Result
    """
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
        else _illegal(turn, board, case.checkers, symptoms[board], attribution)
        for board in boards
    ]


def _illegal(turn: Turn, board: Board, checkers: int, symptom: Symptom, attribution: Attribution) -> Result:
    rules = tuple(class_.rule for class_ in attribution.classes(symptom))
    others = dict.fromkeys(other for rule in rules for other in attribution.others(symptom, rule))
    result = Result(board, _position_id(board, checkers), None, rules, None, tuple(others))
    cause = attribution.cause(symptom)
    if cause and board == turn.start.board and cause[0] in PASSES:
        return result._replace(play="pass")
    way = LiftedTurn(turn, frozenset(cause)).way_to(board) if cause else None
    if way is None:  # also if a resume file that somebody has changed gives a cause
        return result
    return result._replace(play=_text(turn, way) if way.plain else None, reason=way.reason)


def _text(turn: Turn, way: Way) -> str:
    moved = [(start, end) for start, end in way.moves if start != end]
    forfeits = sorted((start for start, end in way.moves if start == end), reverse=True)
    # The moves are no legal play, so that what they forfeit cannot be taken from what legal plays do.
    return " ".join(
        [*filter(None, [play_text(turn.start.board, turn.roll, moved)]), *forfeit_parts(forfeits)]
    )


def _position_id(board: Board, checkers: int) -> str | None:
    try:
        return Position.from_array(board, checkers).gnubg_id
    except InvalidPositionError:
        return None
