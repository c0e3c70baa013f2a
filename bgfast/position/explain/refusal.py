"""Refusals of illegal plays: a sentence with the rule, the points and the dice.

The rules are tested in order, the most specific first. Each is a function that returns the reason or None;
comments quote docs/RULES.md (sections 1 and 2 unless noted).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import BAR, HOME, OFF
from bgfast.position.explain.attempt import Attempt, moved, orders
from bgfast.position.explain.hops import Hop, hop_text, pips_text, place_name, ways
from bgfast.position.explain.sentences import clause, enters_first, may_not_be_forfeited, reason_for
from bgfast.position.explain.steps import rearmost, steps
from bgfast.position.explain.turn import Turn, TurnState

Rule = Callable[[Attempt], str | None]
"""Returns the reason why a play breaks a rule, or None."""


def refusal(
    turn: Turn,
    hops: Sequence[Hop],
    forfeits: Sequence[int],
    moves: Sequence[Any] | npt.NDArray[np.int8],
) -> str:
    """Return a sentence that names the rule an illegal play breaks, without a full stop.

    `hops` may be joined steps, in any order; without hops and forfeits the attempt is a pass. `moves`, shape
    (n, 4, 2), has the steps of all legal plays, unused rows -1.
    """
    plays = ([(int(start), int(end)) for start, end in steps if start >= 0] for steps in moves)
    attempt = Attempt(
        turn=turn,
        hops=[(int(start), int(end)) for start, end in hops],
        forfeits=tuple(forfeits),
        example=min(plays, key=lambda steps: sum(start == end for start, end in steps), default=[]),
    )
    for rule in _RULES:
        reason = rule(attempt)
        if reason:
            break
    else:
        reason = f"it is not one of the {len(moves)} legal plays"
    return f"illegal play '{attempt.text or 'pass'}' for {attempt.roll}: {reason}"


# ---------------------------------------------------------------- passing


def _turn_passes(attempt: Attempt) -> str | None:
    # "L == 0: there is no legal play, the turn passes"
    return None if attempt.example else "no checker can move, so the turn passes"


def _cannot_pass(attempt: Attempt) -> str | None:
    # "(2) it used at least L dice": with L >= 1 no play is empty.
    if attempt.hops or attempt.forfeits:
        return None
    return f"{clause('pass-though-a-play-exists')}, and {attempt.alternative} can be played"


# ---------------------------------------------------------------- forfeited dice


def _not_forfeitable(attempt: Attempt) -> str | None:
    # forfeit: never. "*empty_point*: F(d) is allowed when ..."
    if not attempt.forfeits or attempt.rules.forfeit != "never":
        return None
    return "a number cannot be forfeited under these rules"


def _not_rolled(attempt: Attempt) -> str | None:
    # "forfeit(s, d): a lawful but never compulsory use of d", one of the dice thrown
    for die in attempt.forfeits:
        if die not in attempt.dice:
            return f"{attempt.roll} has no {die} to forfeit"
        if attempt.forfeits.count(die) > attempt.dice.count(die):
            return f"the {die} can be forfeited only once"
    return None


# ---------------------------------------------------------------- single checkers: start, distance, landing


def _not_a_move(attempt: Attempt) -> str | None:
    # Notation: "the mover moves down", from "bar = 25" to "off = 0".
    for start, end in attempt.hops:
        if not OFF <= end < start <= BAR:
            return (
                f"{hop_text((start, end))} is not a move: a checker goes from the bar (25) or a point"
                " down to a lower point or off (0)"
            )
    return None


def _no_checker(attempt: Attempt) -> str | None:
    # "*move* = one checker, one die": each hop needs a checker of the mover where it starts.
    leaving = Counter(start for start, _ in attempt.hops)
    arriving = Counter(end for _, end in attempt.hops)
    for point in sorted(leaving, reverse=True):
        available = max(attempt.board[point], 0) + arriving[point]
        name = place_name(point)
        if not available:
            return f"no checker of the mover stands on {name}"
        if available < leaving[point]:
            return f"{leaving[point]} checkers cannot leave {name}, where this play has only {available}"
    return None


def _bar_first(attempt: Attempt) -> str | None:
    # "bar occupied: only bar -> 25-d"
    waiting = attempt.board[BAR]
    entering = sum(start == BAR for start, _ in attempt.hops)
    if entering >= waiting:
        return None
    for start, end in attempt.hops:
        if start != BAR or start - end > attempt.dice[0]:  # moves on while another checker waits
            return enters_first(attempt.board)
    return None


def _held_point(attempt: Attempt) -> str | None:
    # "landable(q): opponent has at most one checker on q"
    for start, end in attempt.hops:
        if end != OFF and attempt.board[end] <= -2:
            kind = "entry" if start == BAR and start - end in attempt.dice else "landing"
            return f"the {kind} point {end} is held by {-attempt.board[end]} opposing checkers"
    return None


def _wrong_distance(attempt: Attempt) -> str | None:
    # "*move* = one checker, one die"; several dice are combined one after the other with one checker.
    for start, end in attempt.hops:
        if not any(True for _ in ways([(start, end)], attempt.dice)):
            gives = f"gives the {pips_text(start - end)} of" if end != OFF else "is enough for"
            return f"no die or combination of {attempt.roll} {gives} {hop_text((start, end))}"
    return None


def _too_few_dice(attempt: Attempt) -> str | None:
    # "doubles give four dice, other rolls two", and a forfeit is a use of one, too
    if any(True for _ in ways(attempt.hops, attempt.moved_dice)):
        return None
    if attempt.is_double:
        return f"a double gives four moves of {pips_text(attempt.dice[0])}, and this needs more"
    return "each of the two numbers can be used only once, and this needs more"


def _held_stop(attempt: Attempt) -> str | None:
    # "landable(q)", and section 4: combined "with one checker by touching down after each die"
    held: list[int] = []
    for touched in ways(attempt.hops, attempt.moved_dice):
        blocked = [point for point in touched if point != OFF and attempt.board[point] <= -2]
        if not blocked:
            return None
        held += blocked
    points = [f"{point} (held by {-attempt.board[point]})" for point in sorted(set(held), reverse=True)]
    if len(points) == 1:
        return f"the checker would have to touch down on {points[0]}, a point of the opponent"
    return f"the checker would have to touch down on {' or '.join(points)}, points of the opponent"


# ---------------------------------------------------------------- bearing off


def _not_home(attempt: Attempt) -> str | None:
    # "bearing off only when no own checker is on 7..24 or on the bar"
    last = rearmost(attempt.after)
    if not attempt.borne_off or last <= HOME:
        return None
    return f"no checker may be borne off while one stands outside home, on {place_name(last)}"


def _wrong_bear_off(attempt: Attempt) -> str | None:
    if attempt.free_orders or not attempt.borne_off:
        return None
    return {"standard": _higher_checker, "exact": _exact_number, "rearmost": _rearmost_only}[
        attempt.rules.bearoff_die
    ](attempt)


def _higher_checker(attempt: Attempt) -> str:
    # bearoff_die standard: "from point d, or from the highest occupied point r if r < d"
    inside = moved(attempt.board, [hop for hop in attempt.hops if hop[1] != OFF])
    stuck = [
        hop
        for hop in attempt.borne_off
        if not any(True for _ in orders(TurnState(inside, attempt.moved_dice), [hop], (), attempt.rules))
    ]
    hop = (stuck or attempt.borne_off)[0]
    return (
        f"a number above the point may not be used for {hop_text(hop)} while a checker stands higher, on "
        f"{rearmost(attempt.after)}"
    )


def _exact_number(attempt: Attempt) -> str:
    # bearoff_die exact: "from point d only"
    pips = {sum(dice) for n in range(1, 5) for dice in combinations(attempt.dice, n)}
    for hop in attempt.borne_off:
        if hop[0] not in pips:
            return (
                "only the exact number bears a checker off, and no die or combination of "
                f"{attempt.roll} gives the {pips_text(hop[0])} of {hop_text(hop)}"
            )
    return (
        f"only the exact number bears a checker off, and {attempt.roll} does not give it for {attempt.text}"
    )


def _rearmost_only(attempt: Attempt) -> str:
    # bearoff_die rearmost: "only from r, if d >= r; no other checker ever bears off"
    hop, last = min(attempt.borne_off), rearmost(attempt.after)
    if hop[0] < last:
        return f"only the rearmost checker may be borne off: not {hop_text(hop)} while one stands on {last}"
    # This holds for every step: 6/off with 3-3 bears off from 3.
    return f"only the rearmost checker may be borne off: on its way {hop_text(hop)} steps below one on {last}"


def _must_bear_off(attempt: Attempt) -> str | None:
    # bearoff_compulsory: "if die d can bear a checker off now, other moves with d do not exist"
    if attempt.bearoff_orders or not attempt.free_orders:
        return None
    sequence = attempt.free_orders[0].steps
    board, step = next(
        (board, step)
        for board, step in zip((attempt.board, *(step.after for step in sequence)), sequence, strict=False)
        if "bear-off-compulsory" in step.broken
    )
    instead = hop_text((step.start, step.end))
    return f"{reason_for(board, step, attempt.rules)}: {instead} may not be played with it"


# ---------------------------------------------------------------- full points


def _full_point(attempt: Attempt) -> str | None:
    # stack_max n: "no landing (move or entry) on a point that already holds n own checkers"; section 4: "the
    # limit holds for entry and for stops on the way too"
    if attempt.stack_orders or not attempt.bearoff_orders:
        return None
    limit = attempt.rules.stack_max
    full = [
        {(step.end, step.start == BAR) for step in order.steps if "full-point" in step.broken}
        for order in attempt.bearoff_orders
    ]
    rule = f"a point may not hold more than {limit} {'checker' if limit == 1 else 'checkers'} of one side"
    ends = {hop[1] for hop in attempt.hops}
    # A checker can leave a full stop first, unless the point held too many before.
    landings = [(end, entered) for end, entered in set.intersection(*full) if end in ends]
    if landings:
        end, entered = max(landings)
        return f"{rule}, and the {'entry' if entered else 'landing'} point {end} is full"
    stops = " or ".join(map(str, sorted({end for end, _ in set.union(*full)}, reverse=True)))
    return f"{rule}, and the checker would have to touch down on {stops}, full already"


# ---------------------------------------------------------------- time of a forfeit


def _untimely_forfeit(attempt: Attempt) -> str | None:
    # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and
    # own[d] == 0. One die at a time, also in doubles. The right can begin in mid-turn"
    if attempt.final_states or not attempt.stack_orders:
        return None
    home = [board for board in attempt.boards if rearmost(board) <= HOME]
    if not home:
        last = place_name(rearmost(attempt.after))
        return f"a number may be forfeited only with all checkers home, and one stands on {last}"
    for die in attempt.forfeits:
        if all(board[die] > 0 for board in home):
            return may_not_be_forfeited(die)
        if not any(step.is_forfeit for board in home for step in steps(board, die, attempt.rules)):
            return f"the {die} may not be forfeited once the last checker is off"
    return f"no order of {attempt.text} lets every number be forfeited at its time"


# ---------------------------------------------------------------- dice that must be played


def _second_number(attempt: Attempt) -> str | None:
    if (
        attempt.is_double
        or attempt.turn.longest != 2
        or not attempt.final_states
        or attempt.max_dice_used != 1
    ):
        return None
    # "(1) none of its unused dice has an ordinary move in its final state"
    if any(attempt.turn.can_move(board, left[0]) for board, left in attempt.final_states):
        return f"{clause('must-play-both')}; this uses only one"
    # "(2) it used at least L dice", L being "the greatest number of dice used by any sequence"
    left = attempt.final_states[0].dice[0]
    return f"this leaves the {left} unplayable, while {attempt.alternative} uses both numbers"


def _more_of_the_double(attempt: Attempt) -> str | None:
    # "(2) it used at least L dice": "with doubles as many as possible"
    number, needed = attempt.dice[0], attempt.turn.longest
    if not attempt.is_double or not attempt.final_states or attempt.max_dice_used >= needed:
        return None
    count = "all" if needed == 4 else f"{needed} of the"
    return (
        f"{count} four {number}s can be played, so {needed} must be; this uses only {attempt.max_dice_used}"
    )


def _left_over(attempt: Attempt) -> str | None:
    # "(1) none of its unused dice has an ordinary move in its final state": a forfeit has been used instead
    for board, left in attempt.final_states:
        for die in left:
            for move in attempt.turn.moves(board, die):
                return f"a {die} is left that can still be played, as with {hop_text((move.start, move.end))}"
    return None


def _higher_number(attempt: Attempt) -> str | None:
    # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
    # ordinary move at the start of the turn"
    if attempt.is_double or attempt.turn.longest != 1 or not attempt.final_states:
        return None
    high = attempt.dice[0]
    if any(high not in end.dice for end in attempt.final_states):
        return None
    return f"{clause('higher-die')}, the {high}"


# The most specific reason first.
_RULES: tuple[Rule, ...] = (
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
    _wrong_bear_off,
    _must_bear_off,
    _full_point,
    _untimely_forfeit,
    _second_number,
    _more_of_the_double,
    _left_over,
    _higher_number,
)
