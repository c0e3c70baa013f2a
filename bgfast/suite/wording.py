"""What a position after a play is called in a report, also if no legal play leads there."""

from __future__ import annotations

from collections.abc import Iterator

from ..engines.protocol import Board, Case
from ..hops import POINT_NAMES
from ..position import Position
from ..sequences import Stand, Turn
from ..single_moves import OFF

__all__ = ["result_text"]


def result_text(case: Case, after: Board) -> str:
    """Return the play that leads to a position: the canonical text if it is legal, else moves or numbers.

    Examples
    --------
    >>> from bgfast.engines.protocol import Case
    >>> board = (0, 0, 0, 0, 1) + 19 * (0,) + (-2, 0)
    >>> gone = 24 * (0,) + (-2, 0)
    >>> result_text(Case(board, (4, 1)), gone), result_text(Case(board, (4, 1)), board)
    ('4/off', 'no move at all')
    """
    if after == case.board:
        return "no move at all"
    plays = Position.from_array(case.board, checkers=case.checkers).plays(case.roll, case.rules)
    for board, play in zip(plays.boards.tolist(), plays, strict=True):
        if tuple(board) == after:
            return str(play)
    return next(_moves(case, after), f"the position {','.join(map(str, after))}")


def _moves(case: Case, after: Board) -> Iterator[str]:
    """Yield move by move how a position is reached that is no result of a whole play, if it can be."""
    turn = Turn(case.board, case.roll, case.rules)
    seen = {turn.start: ""}
    pending: list[Stand] = [turn.start]
    for stand in pending:  # grows while it is read
        for (_, start, end), reached in turn.uses(stand):
            if reached in seen or start == end:
                continue
            hit = "*" if end != OFF and stand.board[end] == -1 else ""
            seen[reached] = f"{seen[stand]} {POINT_NAMES[start]}/{POINT_NAMES[end]}{hit}".lstrip()
            if reached.board == after:
                yield f"{seen[reached]} (not a whole play)"
                return
            pending.append(reached)
