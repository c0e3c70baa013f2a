"""UBGI's notation of plays, in all dialects, and refusals of lines."""

from __future__ import annotations

from bgfast.common.vocabulary import BAR, OFF
from bgfast.position.objects import Play

PASS = "pass"
"""Payload of `bestmove` where no play is legal."""
_NAMES = {BAR: "bar", OFF: "off"}


class Refusal(Exception):  # noqa: N818 - a line that is refused, no failure
    """Line that cannot be obeyed, with its code in draft 0.2, as "bad_value"."""

    def __init__(self, code: str, detail: object) -> None:
        super().__init__(detail)
        self.code = code


def play_words(play: Play) -> str:
    """Return a play as separate moves of one die each, without hits: ``24/18 18/13``; "" for a pass."""
    # From the rear, so that the moves can be made in this order.
    moves = sorted(play.moves, reverse=True)
    return " ".join(f"{_NAMES.get(start, start)}/{_NAMES.get(end, end)}" for start, end in moves)
