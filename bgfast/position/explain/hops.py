"""Plays as hops and forfeits, as players write them, and the dice that make the hops.

A *hop* is the path of a checker to a lower point with one die or several, ``(from, to)`` with 25 = bar and
0 = off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bgfast.common.vocabulary import BAR, OFF

Hop = tuple[int, int]

POINT_NAMES = ("off", *map(str, range(1, BAR)), "bar")


def ways(hops: Sequence[Hop], dice: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every assignment of the dice to the hops, as the points touched: stops and ends, hop after hop.

    Some dice may stay unused. Checkers on the points are ignored; a die larger than the distance bears off.
    """
    if not hops:
        yield ()
        return
    (start, end), later = hops[0], hops[1:]
    for die in dict.fromkeys(dice):
        point = max(start - die, OFF)
        if point < end:
            continue
        rest = list(dice)
        rest.remove(die)
        for touched in ways(later if point == end else [(point, end), *later], rest):
            yield (point, *touched)


def forfeit_parts(dice: Sequence[int]) -> list[str]:
    """Return the text of forfeited dice, the higher first: ``["F6", "F5(2)"]``."""
    counts = sorted(Counter(dice).items(), reverse=True)
    return [f"F{die}" if count == 1 else f"F{die}({count})" for die, count in counts]


def hops_text(hops: Sequence[Hop], forfeits: Sequence[int]) -> str:
    """Return the text of a play: hops in their order, then the forfeited dice."""
    return " ".join([*map(hop_text, hops), *forfeit_parts(forfeits)])


def hop_text(hop: Hop) -> str:
    """Return the text of a hop, also of an invalid one."""
    start, end = hop
    return f"{_name(start)}/{_name(end)}"


def _name(point: int) -> str:
    return POINT_NAMES[point] if OFF <= point <= BAR else str(point)


def place_name(point: int) -> str:
    """Return the name of a point in a sentence."""
    return "the bar" if point == BAR else str(point)


def pips_text(number: int) -> str:
    """Return a number of pips in words."""
    return "1 pip" if number == 1 else f"{number} pips"
