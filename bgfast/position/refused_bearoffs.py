"""Why a play is illegal. Bearing off: when, from where, with which number, and when it must be done.

Each function returns the reason or None. Quotations are from RULES.md, section 1.
"""

from __future__ import annotations

from itertools import combinations

from bgfast.position.attempt import Claim, Rule, moved, orders
from bgfast.position.hops import hop_text, pips_text, place_name
from bgfast.position.moves import HOME, OFF, bear_off_from, rearmost
from bgfast.position.turn import Stand

__all__ = ["BEAROFFS"]


def _not_home(claim: Claim) -> str | None:
    # "bearing off only when no own checker is on 7..24 or on the bar"
    last = rearmost(claim.after)
    if not claim.borne_off or last <= HOME:
        return None
    return f"no checker may be borne off while one stands outside home, on {place_name(last)}"


def _higher_checker(claim: Claim) -> str | None:
    # bearoff_die standard: "from point d, or from the highest occupied point r if r < d"
    if claim.rules.bearoff_die != "standard" or claim.freely or not claim.borne_off:
        return None
    inside = moved(claim.board, [hop for hop in claim.hops if hop[1] != OFF])
    stuck = [
        hop
        for hop in claim.borne_off
        if not any(True for _ in orders(Stand(inside, claim.moving), [hop], (), claim.rules))
    ]
    hop = (stuck or claim.borne_off)[0]
    return (
        f"a number above the point may not be used for {hop_text(hop)} while a checker stands higher, on "
        f"{rearmost(claim.after)}"
    )


def _exact_number(claim: Claim) -> str | None:
    # bearoff_die exact: "from point d only"
    if claim.rules.bearoff_die != "exact" or claim.freely or not claim.borne_off:
        return None
    pips = {sum(dice) for n in range(1, 5) for dice in combinations(claim.dice, n)}
    for hop in claim.borne_off:
        if hop[0] not in pips:
            return (
                "only the exact number bears a checker off, and no die or combination of "
                f"{claim.roll} gives the {pips_text(hop[0])} of {hop_text(hop)}"
            )
    return f"only the exact number bears a checker off, and {claim.roll} does not give it for {claim.text}"


def _rearmost_only(claim: Claim) -> str | None:
    # bearoff_die rearmost: "only from r, if d >= r; no other checker ever bears off"
    if claim.rules.bearoff_die != "rearmost" or claim.freely or not claim.borne_off:
        return None
    hop, last = min(claim.borne_off), rearmost(claim.after)
    if hop[0] < last:
        return f"only the rearmost checker may be borne off: not {hop_text(hop)} while one stands on {last}"
    # All the way, too: 6/off with 3-3 bears off from 3.
    return f"only the rearmost checker may be borne off: on its way {hop_text(hop)} steps below one on {last}"


def _must_bear_off(claim: Claim) -> str | None:
    # bearoff_compulsory: "if die d can bear a checker off now, other moves with d do not exist"
    if claim.bearing_off or not claim.freely:
        return None
    die, source, instead = next(
        (die, source, hop_text((start, end)))
        for board, die, start, end in claim.freely[0].moves
        if end != OFF and (source := bear_off_from(board, die, claim.rules))
    )
    return f"the {die} can bear a checker off from {source}, so it must: {instead} may not be played with it"


BEAROFFS: tuple[Rule, ...] = (_not_home, _higher_checker, _exact_number, _rearmost_only, _must_bear_off)
