"""Why a play is illegal: one sentence that names the rule, the points and the dice concerned.

A *hop* is what a player writes: one checker carried from one point to a lower one by one die or several,
``(from, to)`` with 25 = bar and to 0 = off. `refusal` asks the rules one after the other, the most specific
first; each is a small function with the sentence of the rules beside it. What the rules allow is asked of
`single_moves` and `sequences`. Most switches of a rule set only take moves away: they are put back one after
the other, and the first with which the play cannot be made any more is the one to name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .rules import RuleSet
from .sequences import Stand, Turn, without
from .single_moves import (
    BAR,
    HOME,
    OFF,
    bear_off_from,
    board_after,
    may_forfeit,
    move_end,
    ordinary_moves,
    rearmost,
)

__all__ = ["POINT_NAMES", "forfeit_parts", "refusal", "ways"]

Hop = tuple[int, int]
Board = tuple[int, ...]

POINT_NAMES = ("off", *map(str, range(1, BAR)), "bar")


def refusal(
    turn: Turn,
    hops: Sequence[Hop],
    forfeits: Sequence[int],
    moves: Sequence[Any] | npt.NDArray[np.int8],
) -> str:
    """Say in one sentence which rule an illegal play breaks.

    Parameters
    ----------
    turn : Turn
        The position, the roll and the rule set.
    hops : sequence of (from, to)
        What was to be played, in any order; single-die steps and joined ones alike (25 = bar, to 0 = off).
    forfeits : sequence of int
        The dice that were to be forfeited. Neither hops nor forfeits means that the mover wanted to pass.
    moves : (n, 4, 2) array of int8
        The single-die steps of all legal plays, unused rows (-1, -1); n = 0 when the turn passes.

    Returns
    -------
    str
        One sentence without a full stop. There is always one, whatever the hops.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> from bgfast import EXACT, STANDARD
    >>> board = [0] * 26
    >>> board[24], board[19] = 1, -2
    >>> steps = [[[24, 20], [-1, -1], [-1, -1], [-1, -1]]]
    >>> refusal(Turn(board, (5, 4), STANDARD), [(24, 19)], (), steps)
    "illegal play '24/19' for 5-4: the landing point 19 is held by 2 opposing checkers"
    >>> refusal(Turn(board, (5, 4), EXACT), [(24, 20)], (5,), steps).partition(": ")[2]
    'a number may be forfeited only with all checkers home, and one stands on 20'
    """
    plays = ([(int(start), int(end)) for start, end in steps if start >= 0] for steps in moves)
    claim = _Claim(
        turn=turn,
        hops=[(int(start), int(end)) for start, end in hops],
        forfeits=tuple(forfeits),
        example=min(plays, key=lambda steps: sum(start == end for start, end in steps), default=[]),
    )
    for rule in _RULES:
        reason = rule(claim)
        if reason:
            break
    else:
        reason = f"it is not one of the {len(moves)} legal plays"
    return f"illegal play '{claim.text or 'pass'}' for {claim.roll}: {reason}"


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


@dataclass(frozen=True)
class _Claim:
    """A play that somebody claims to be legal.

    ``example`` is a legal play (single-die steps) with as few forfeits as any, empty when there is none.
    """

    turn: Turn
    hops: list[Hop]
    forfeits: tuple[int, ...]
    example: list[Hop]

    @property
    def board(self) -> Board:
        return self.turn.start.board

    @property
    def dice(self) -> tuple[int, ...]:
        return self.turn.start.dice

    @property
    def rules(self) -> RuleSet:
        return self.turn.rules

    @property
    def is_double(self) -> bool:
        return len(self.dice) == 4

    @property
    def roll(self) -> str:
        return f"{self.dice[0]}-{self.dice[1]}"

    @property
    def text(self) -> str:
        return _text(self.hops, self.forfeits)

    @property
    def instead(self) -> str:
        """What could be played."""
        forfeits = [start for start, end in self.example if start == end]
        return _text([hop for hop in self.example if hop[0] != hop[1]], forfeits)

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """The dice that are not forfeited."""
        return reduce(without, self.forfeits, self.dice)

    @property
    def borne_off(self) -> list[Hop]:
        return [hop for hop in self.hops if hop[1] == OFF]

    @cached_property
    def after(self) -> Board:
        """The board after the hops, whatever the rules."""
        return _moved(self.board, self.hops)

    # The orders in which the play can be made, were no die compulsory: with more and more of the rule set.

    @cached_property
    def freely(self) -> list[_Order]:
        """Orders of the hops with bear-offs free, points that hold any number, and forfeits at will."""
        return self._orders(replace(self.rules, bearoff_compulsory=False, stack_max=0))

    @cached_property
    def bearing_off(self) -> list[_Order]:
        """Orders of the hops with bear-offs as the rules want them."""
        return self._orders(replace(self.rules, stack_max=0))

    @cached_property
    def stacking(self) -> list[_Order]:
        """Orders of the hops with the limit of a point, too: only forfeits still are at will."""
        return self._orders(self.rules)

    @cached_property
    def endings(self) -> list[Stand]:
        """Where the orders of hops and forfeits lead."""
        return [order.end for order in _orders(self.turn.start, self.hops, self.forfeits, self.rules)]

    @property
    def boards(self) -> set[Board]:
        """Where the hops lead past, start and end included, forfeits apart."""
        passed = {board for order in self.stacking for board, *_ in order.moves}
        return passed | {order.end.board for order in self.stacking}

    def _orders(self, rules: RuleSet) -> list[_Order]:
        return list(_orders(Stand(self.board, self.moving), self.hops, (), rules))

    @cached_property
    def used(self) -> int:
        """The greatest number of dice that the play can use; ask only if there are endings."""
        return len(self.dice) - min(len(end.dice) for end in self.endings)


# The rules, each as a function that returns the reason or None. Quotations are from RULES.md, section 1.


def _turn_passes(claim: _Claim) -> str | None:
    # "L == 0: there is no legal play, the turn passes"
    return None if claim.example else "no checker can move, so the turn passes"


def _cannot_pass(claim: _Claim) -> str | None:
    # "(2) it used at least L dice": with L >= 1 no play is empty.
    if claim.hops or claim.forfeits:
        return None
    return f"the turn passes only when no checker can move, and {claim.instead} can be played"


def _not_forfeitable(claim: _Claim) -> str | None:
    # forfeit: never. "*empty_point*: F(d) is allowed when ..."
    if not claim.forfeits or claim.rules.forfeit != "never":
        return None
    return "a number cannot be forfeited under these rules"


def _not_rolled(claim: _Claim) -> str | None:
    # "forfeit(s, d): a lawful but never compulsory use of d", one of the dice thrown
    for die in claim.forfeits:
        if die not in claim.dice:
            return f"{claim.roll} has no {die} to forfeit"
        if claim.forfeits.count(die) > claim.dice.count(die):
            return f"the {die} can be forfeited only once"
    return None


def _not_a_move(claim: _Claim) -> str | None:
    # Notation: "the mover moves down", from "bar = 25" to "off = 0".
    for start, end in claim.hops:
        if not OFF <= end < start <= BAR:
            return (
                f"{_hop_text((start, end))} is no move: a checker goes from the bar (25) or a point"
                " down to a lower point or off (0)"
            )
    return None


def _no_checker(claim: _Claim) -> str | None:
    # "*move* = one checker, one die": each hop needs a checker of the mover where it starts.
    leaving = Counter(start for start, _ in claim.hops)
    arriving = Counter(end for _, end in claim.hops)
    for point in sorted(leaving, reverse=True):
        there = max(claim.board[point], 0) + arriving[point]
        if not there:
            return f"no checker of the mover stands on {_place(point)}"
        if there < leaving[point]:
            return (
                f"{leaving[point]} checkers cannot leave {_place(point)}, where this play finds only {there}"
            )
    return None


def _bar_first(claim: _Claim) -> str | None:
    # "bar occupied: only bar -> 25-d"
    waiting = claim.board[BAR]
    entering = sum(start == BAR for start, _ in claim.hops)
    if entering >= waiting:
        return None
    for start, end in claim.hops:
        if start != BAR or start - end > claim.dice[0]:  # goes on after entering while another waits
            who = "a checker is" if waiting == 1 else f"{waiting} checkers are"
            return f"{who} on the bar and must enter first"
    return None


def _held_point(claim: _Claim) -> str | None:
    # "landable(q): opponent has at most one checker on q"
    for start, end in claim.hops:
        if end != OFF and claim.board[end] <= -2:
            kind = "entry" if start == BAR and start - end in claim.dice else "landing"
            return f"the {kind} point {end} is held by {-claim.board[end]} opposing checkers"
    return None


def _wrong_distance(claim: _Claim) -> str | None:
    # "*move* = one checker, one die"; several dice are combined one after the other with one checker.
    for start, end in claim.hops:
        if not any(True for _ in ways([(start, end)], claim.dice)):
            gives = f"gives the {_pips(start - end)} of" if end != OFF else "is enough for"
            return f"no die or combination of {claim.roll} {gives} {_hop_text((start, end))}"
    return None


def _too_few_dice(claim: _Claim) -> str | None:
    # "doubles give four dice, other rolls two", and a forfeit is a use of one, too
    if any(True for _ in ways(claim.hops, claim.moving)):
        return None
    if claim.is_double:
        return f"a double gives four moves of {_pips(claim.dice[0])}, and this needs more"
    return "each of the two numbers can be used only once, and this needs more"


def _held_stop(claim: _Claim) -> str | None:
    # "landable(q)", and section 4: combined "with one checker by touching down after each die"
    held: list[int] = []
    for touched in ways(claim.hops, claim.moving):
        blocked = [point for point in touched if point != OFF and claim.board[point] <= -2]
        if not blocked:
            return None
        held += blocked
    points = [f"{point} (held by {-claim.board[point]})" for point in sorted(set(held), reverse=True)]
    if len(points) == 1:
        return f"the checker would have to touch down on {points[0]}, a point of the opponent"
    return f"the checker would have to touch down on {' or '.join(points)}, points of the opponent"


def _not_home(claim: _Claim) -> str | None:
    # "bearing off only when no own checker is on 7..24 or on the bar"
    last = rearmost(claim.after)
    if not claim.borne_off or last <= HOME:
        return None
    return f"no checker may be borne off while one stands outside home, on {_place(last)}"


def _higher_checker(claim: _Claim) -> str | None:
    # bearoff_die standard: "from point d, or from the highest occupied point r if r < d"
    if claim.rules.bearoff_die != "standard" or claim.freely or not claim.borne_off:
        return None
    inside = _moved(claim.board, [hop for hop in claim.hops if hop[1] != OFF])
    stuck = [
        hop
        for hop in claim.borne_off
        if not any(True for _ in _orders(Stand(inside, claim.moving), [hop], (), claim.rules))
    ]
    hop = (stuck or claim.borne_off)[0]
    return (
        f"a number above the point may not be used for {_hop_text(hop)} while a checker stands higher, on "
        f"{rearmost(claim.after)}"
    )


def _exact_number(claim: _Claim) -> str | None:
    # bearoff_die exact: "from point d only"
    if claim.rules.bearoff_die != "exact" or claim.freely or not claim.borne_off:
        return None
    pips = {sum(dice) for n in range(1, 5) for dice in combinations(claim.dice, n)}
    for hop in claim.borne_off:
        if hop[0] not in pips:
            return (
                "only the exact number bears a checker off, and no die or combination of "
                f"{claim.roll} gives the {_pips(hop[0])} of {_hop_text(hop)}"
            )
    return f"only the exact number bears a checker off, and {claim.roll} does not give it for {claim.text}"


def _rearmost_only(claim: _Claim) -> str | None:
    # bearoff_die rearmost: "only from r, if d >= r; no other checker ever bears off"
    if claim.rules.bearoff_die != "rearmost" or claim.freely or not claim.borne_off:
        return None
    hop, last = min(claim.borne_off), rearmost(claim.after)
    if hop[0] < last:
        return f"only the rearmost checker may be borne off: not {_hop_text(hop)} while one stands on {last}"
    # All the way, too: 6/off with 3-3 bears off from 3.
    return (
        f"only the rearmost checker may be borne off: on its way {_hop_text(hop)} steps below one on {last}"
    )


def _must_bear_off(claim: _Claim) -> str | None:
    # bearoff_compulsory: "if die d can bear a checker off now, other moves with d do not exist"
    if claim.bearing_off or not claim.freely:
        return None
    die, source, instead = next(
        (die, source, _hop_text((start, end)))
        for board, die, start, end in claim.freely[0].moves
        if end != OFF and (source := bear_off_from(board, die, claim.rules))
    )
    return f"the {die} can bear a checker off from {source}, so it must: {instead} may not be played with it"


def _full_point(claim: _Claim) -> str | None:
    # stack_max n: "no landing (move or entry) on a point that already holds n own checkers"; section 4: "the
    # limit holds for entry and for stops on the way too"
    if claim.stacking or not claim.bearing_off:
        return None
    most = claim.rules.stack_max
    full = [
        {(end, start == BAR) for board, _, start, end in order.moves if end != OFF and board[end] >= most}
        for order in claim.bearing_off
    ]
    rule = f"a point may not hold more than {most} {'checker' if most == 1 else 'checkers'} of one side"
    ends = {hop[1] for hop in claim.hops}
    # A stop that is full can be cleared first by a checker that stands there, unless it held too many before.
    landings = [(end, entered) for end, entered in set.intersection(*full) if end in ends]
    if landings:
        end, entered = max(landings)
        return f"{rule}, and the {'entry' if entered else 'landing'} point {end} is full"
    stops = " or ".join(map(str, sorted({end for end, _ in set.union(*full)}, reverse=True)))
    return f"{rule}, and the checker would have to touch down on {stops}, full already"


def _forfeit_too_early(claim: _Claim) -> str | None:
    # "F(d) is allowed when no own checker is on the bar or on 7-24"
    if claim.endings or not claim.stacking or any(rearmost(board) <= HOME for board in claim.boards):
        return None
    last = rearmost(claim.after)
    return f"a number may be forfeited only with all checkers home, and one stands on {_place(last)}"


def _forfeit_of_the_needed(claim: _Claim) -> str | None:
    # "... at least one is on the board, and own[d] == 0. One die at a time, also in doubles. The right can
    # begin in mid-turn"
    if claim.endings or not claim.stacking:
        return None
    home = [board for board in claim.boards if rearmost(board) <= HOME]
    for die in claim.forfeits:
        if all(board[die] > 0 for board in home):
            return f"the {die} may not be forfeited while a checker stands on {die}"
        if not any(may_forfeit(board, die, claim.rules) for board in home):
            return f"the {die} may not be forfeited once the last checker is off"
    return f"no order of {claim.text} lets every number be forfeited at its time"


def _both_numbers(claim: _Claim) -> str | None:
    # "(1) none of its unused dice has an ordinary move in its final state"
    if claim.is_double or claim.turn.longest != 2 or not claim.endings or claim.used != 1:
        return None
    if not any(ordinary_moves(board, left[0], claim.rules) for board, left in claim.endings):
        return None
    return "both numbers can be played, so both must be; this uses only one"


def _other_number(claim: _Claim) -> str | None:
    # "(2) it used at least L dice", L being "the greatest number of dice used by any sequence"
    if claim.is_double or claim.turn.longest != 2 or not claim.endings or claim.used != 1:
        return None
    left = claim.endings[0].dice[0]
    return f"this leaves the {left} unplayable, while {claim.instead} uses both numbers"


def _more_of_the_double(claim: _Claim) -> str | None:
    # "(2) it used at least L dice": "with doubles as many as possible"
    number, needed = claim.dice[0], claim.turn.longest
    if not claim.is_double or not claim.endings or claim.used >= needed:
        return None
    count = "all" if needed == 4 else f"{needed} of the"
    return f"{count} four {number}s can be played, so {needed} must be; this uses only {claim.used}"


def _higher_number(claim: _Claim) -> str | None:
    # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
    # ordinary move at the start of the turn"
    if claim.is_double or claim.turn.longest != 1 or not claim.endings:
        return None
    high = claim.dice[0]
    if any(high not in end.dice for end in claim.endings):
        return None
    return f"either number can be played but not both, so it must be the higher, the {high}"


def _left_over(claim: _Claim) -> str | None:
    # "(1) none of its unused dice has an ordinary move in its final state": a forfeit has been used instead
    for board, left in claim.endings:
        for die in left:
            for start, end in ordinary_moves(board, die, claim.rules):
                return f"a {die} is left that can still be played, as with {_hop_text((start, end))}"
    return None


_RULES: tuple[Callable[[_Claim], str | None], ...] = (
    _turn_passes,
    _cannot_pass,
    _not_forfeitable,
    _not_rolled,
    _not_a_move,
    _no_checker,
    _bar_first,
    _held_point,
    _wrong_distance,
    _too_few_dice,
    _held_stop,
    _not_home,
    _higher_checker,
    _exact_number,
    _rearmost_only,
    _must_bear_off,
    _full_point,
    _forfeit_too_early,
    _forfeit_of_the_needed,
    _both_numbers,
    _other_number,
    _more_of_the_double,
    _left_over,
    _higher_number,
)


# Playing the hops out.


class _Order(NamedTuple):
    """One order of single moves that makes all the hops."""

    moves: tuple[tuple[Board, int, int, int], ...]  # board before, die, from, to
    end: Stand


def _orders(
    stand: Stand,
    hops: Sequence[Hop],
    forfeits: tuple[int, ...],
    rules: RuleSet,
    made: tuple[tuple[Board, int, int, int], ...] = (),
) -> Iterator[_Order]:
    """Yield each order of ordinary moves and forfeits that makes all the hops and forfeits."""
    board, dice = stand
    if not hops and not forfeits:
        yield _Order(made, stand)
    for die in dict.fromkeys(forfeits):
        if die in dice and may_forfeit(board, die, rules):
            yield from _orders(Stand(board, without(dice, die)), hops, without(forfeits, die), rules, made)
    for number, (start, end) in enumerate(hops):
        for die in dict.fromkeys(dice):
            point = move_end(board, start, die, rules)
            if point is None or point < end:
                continue
            rest = [*hops[:number], *([(point, end)] if point > end else []), *hops[number + 1 :]]
            after = Stand(board_after(board, start, point), without(dice, die))
            yield from _orders(after, rest, forfeits, rules, (*made, (board, die, start, point)))


def _moved(board: Board, hops: Sequence[Hop]) -> Board:
    return reduce(lambda here, hop: board_after(here, *hop), hops, board)


# Words.


def forfeit_parts(dice: Sequence[int]) -> list[str]:
    """Return the parts of a text that say which dice are forfeited, the higher first.

    Examples
    --------
    >>> forfeit_parts((5, 6)), forfeit_parts((5, 5))
    (['F6', 'F5'], ['F5(2)'])
    """
    counts = sorted(Counter(dice).items(), reverse=True)
    return [f"F{die}" if count == 1 else f"F{die}({count})" for die, count in counts]


def _text(hops: Sequence[Hop], forfeits: Sequence[int]) -> str:
    return " ".join([*map(_hop_text, hops), *forfeit_parts(forfeits)])


def _hop_text(hop: Hop) -> str:
    start, end = hop
    return f"{_name(start)}/{_name(end)}"


def _name(point: int) -> str:
    return POINT_NAMES[point] if OFF <= point <= BAR else str(point)


def _place(point: int) -> str:
    return "the bar" if point == BAR else str(point)


def _pips(number: int) -> str:
    return "1 pip" if number == 1 else f"{number} pips"
