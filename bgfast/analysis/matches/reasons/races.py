"""Races: pip counts, and wastage in the bear-off."""

from __future__ import annotations

from functools import cache

from bgfast.common.vocabulary import BOARD_SIZE, HOME
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.position.objects import Position

_OPPONENT = [0] * (BOARD_SIZE - HOME - 3) + [-1, 0]
"""A single opposing checker without contact: only the mover's wastage is computed."""


@cache
def _bearoff() -> Bearoff:
    return Bearoff()


def race_wastage(position: Position) -> float | None:
    """Return the mover's wastage in pips; None unless all checkers of the mover are home."""
    home = [max(0, number) for number in list(position)[: HOME + 1]]
    if sum(home) + position.off[0] < position.checkers or not sum(home):
        return None
    return _bearoff().wastage(Position.from_array([*home, *_OPPONENT], position.checkers))


def race_reason(position: Position) -> str:
    """Return the pip counts of a race, the mover's first, and both wastages if both sides are home."""
    own, opponent = position.pip_counts
    text = f"the race is {own} against {opponent} pips"
    wastages = race_wastage(position), race_wastage(position.flip())
    if wastages[0] is None or wastages[1] is None:
        return text
    return f"{text}, wastage {wastages[0]:.1f} and {wastages[1]:.1f}"
