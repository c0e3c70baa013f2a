"""A play as players write it: checkers carried from point to point, dice given up; how dice do it.

A *hop* is one checker carried from one point to a lower one by one die or several, ``(from, to)`` with
25 = bar and to 0 = off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bgfast.common.vocabulary import BAR, OFF

__all__ = ["POINT_NAMES", "Hop", "forfeit_parts", "hop_text", "hops_text", "pips_text", "place_name", "ways"]

Hop = tuple[int, int]

POINT_NAMES = ("off", *map(str, range(1, BAR)), "bar")


def ways(hops: Sequence[Hop], dice: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every way in which the dice carry the checkers over these hops.

    Parameters
    ----------
    hops : sequence of (from, to)
        25 = bar, to 0 = off; from > to.
    dice : sequence of int
        The dice at hand: two, or four of a double. Not all of them need be used.

    Yields
    ------
    tuple of int
        The points touched, stops and ends, hop after hop; 0 = off. Only the distances are looked at, not
        what stands on the points. A die that is larger than the distance carries a checker off.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> list(ways([(24, 15)], (5, 4)))
    [(19, 15), (20, 15)]
    >>> list(ways([(4, 0), (13, 8)], (6, 5)))
    [(0, 8)]
    >>> list(ways([(13, 6)], (6, 4)))
    []
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
    """Return the parts of a text that say which dice are forfeited, the higher first.

    Examples
    --------
    >>> forfeit_parts((5, 6)), forfeit_parts((5, 5))
    (['F6', 'F5'], ['F5(2)'])
    """
    counts = sorted(Counter(dice).items(), reverse=True)
    return [f"F{die}" if count == 1 else f"F{die}({count})" for die, count in counts]


def hops_text(hops: Sequence[Hop], forfeits: Sequence[int]) -> str:
    """Return the text of a play as it was given: hops in their order, then the forfeited dice."""
    return " ".join([*map(hop_text, hops), *forfeit_parts(forfeits)])


def hop_text(hop: Hop) -> str:
    """Return the text of one hop; whatever its numbers are."""
    start, end = hop
    return f"{_name(start)}/{_name(end)}"


def _name(point: int) -> str:
    return POINT_NAMES[point] if OFF <= point <= BAR else str(point)


def place_name(point: int) -> str:
    """Return how a sentence calls a point."""
    return "the bar" if point == BAR else str(point)


def pips_text(number: int) -> str:
    """Return a number of pips in words."""
    return "1 pip" if number == 1 else f"{number} pips"
