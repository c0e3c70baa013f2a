"""What a position after a play is called in a report, also if no legal play leads there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bgfast.engines.crosscheck.diagnosis import broken_rule
from bgfast.engines.protocol import Board, Case
from bgfast.errors import InvalidPositionError
from bgfast.position.objects import Position

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
        The play, or the moves; None if no moves lead there.
    rule : str or None
        The rule that it breaks, a name of `ILLEGAL_RULES`; None of a legal one.
    reason : str or None
        What a rule on single moves says of it, with the points.
    """

    board: Board
    position_id: str | None
    play: str | None
    rule: str | None
    reason: str | None

    @property
    def place(self) -> str:
        """The position ID, or the numbers of the board."""
        return self.position_id or " ".join(map(str, self.board))


def described(case: Case, boards: Iterable[Board]) -> list[Result]:
    """Return what these results of a case are called, in their order.

    Examples
    --------
    >>> board = (0, 0, 0, 0, 1) + 19 * (0,) + (-2, 0)
    >>> gone = 24 * (0,) + (-2, 0)
    >>> [(result.play, result.rule) for result in described(Case(board, (4, 1)), [gone, board])]
    [('4/off', None), ('pass', 'pass-though-a-play-exists')]
    """
    plays = Position.from_array(case.board, case.checkers).plays(case.roll, case.rules)
    legal = {tuple(board): str(play) for board, play in zip(plays.boards.tolist(), plays, strict=True)}
    found = []
    for board in boards:
        position_id = _position_id(board, case.checkers)
        if board in legal:
            found.append(Result(board, position_id, legal[board], None, None))
        else:
            broken = broken_rule(plays, case.rules, board)
            found.append(Result(board, position_id, broken.play, broken.rule, broken.reason))
    return found


def _position_id(board: Board, checkers: int) -> str | None:
    try:
        return Position.from_array(board, checkers).gnubg_id
    except InvalidPositionError:
        return None
