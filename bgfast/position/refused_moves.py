"""Why a play is illegal. Single checkers: where they stand, how far the dice carry them, where they land.

Each function returns the reason or None. Quotations are from RULES.md, section 1.
"""

from __future__ import annotations

from collections import Counter

from bgfast.position.attempt import Claim, Rule
from bgfast.position.hops import hop_text, pips_text, place_name, ways
from bgfast.position.moves import BAR, OFF

__all__ = ["FULL_POINTS", "MOVES"]


def _not_a_move(claim: Claim) -> str | None:
    # Notation: "the mover moves down", from "bar = 25" to "off = 0".
    for start, end in claim.hops:
        if not OFF <= end < start <= BAR:
            return (
                f"{hop_text((start, end))} is no move: a checker goes from the bar (25) or a point"
                " down to a lower point or off (0)"
            )
    return None


def _no_checker(claim: Claim) -> str | None:
    # "*move* = one checker, one die": each hop needs a checker of the mover where it starts.
    leaving = Counter(start for start, _ in claim.hops)
    arriving = Counter(end for _, end in claim.hops)
    for point in sorted(leaving, reverse=True):
        there = max(claim.board[point], 0) + arriving[point]
        if not there:
            return f"no checker of the mover stands on {place_name(point)}"
        if there < leaving[point]:
            place = place_name(point)
            return f"{leaving[point]} checkers cannot leave {place}, where this play finds only {there}"
    return None


def _bar_first(claim: Claim) -> str | None:
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


def _held_point(claim: Claim) -> str | None:
    # "landable(q): opponent has at most one checker on q"
    for start, end in claim.hops:
        if end != OFF and claim.board[end] <= -2:
            kind = "entry" if start == BAR and start - end in claim.dice else "landing"
            return f"the {kind} point {end} is held by {-claim.board[end]} opposing checkers"
    return None


def _wrong_distance(claim: Claim) -> str | None:
    # "*move* = one checker, one die"; several dice are combined one after the other with one checker.
    for start, end in claim.hops:
        if not any(True for _ in ways([(start, end)], claim.dice)):
            gives = f"gives the {pips_text(start - end)} of" if end != OFF else "is enough for"
            return f"no die or combination of {claim.roll} {gives} {hop_text((start, end))}"
    return None


def _too_few_dice(claim: Claim) -> str | None:
    # "doubles give four dice, other rolls two", and a forfeit is a use of one, too
    if any(True for _ in ways(claim.hops, claim.moving)):
        return None
    if claim.is_double:
        return f"a double gives four moves of {pips_text(claim.dice[0])}, and this needs more"
    return "each of the two numbers can be used only once, and this needs more"


def _held_stop(claim: Claim) -> str | None:
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


def _full_point(claim: Claim) -> str | None:
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


MOVES: tuple[Rule, ...] = (
    _not_a_move,
    _no_checker,
    _bar_first,
    _held_point,
    _wrong_distance,
    _too_few_dice,
    _held_stop,
)
FULL_POINTS: tuple[Rule, ...] = (_full_point,)
