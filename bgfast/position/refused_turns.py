"""Why a play is illegal. The turn as a whole: which dice have to be played.

Each function returns the reason or None. Quotations are from RULES.md, section 1.
"""

from __future__ import annotations

from bgfast.position.attempt import Claim, Rule
from bgfast.position.hops import hop_text
from bgfast.position.moves import ordinary_moves

__all__ = ["MUST_PLAY", "PASSES"]


def _turn_passes(claim: Claim) -> str | None:
    # "L == 0: there is no legal play, the turn passes"
    return None if claim.example else "no checker can move, so the turn passes"


def _cannot_pass(claim: Claim) -> str | None:
    # "(2) it used at least L dice": with L >= 1 no play is empty.
    if claim.hops or claim.forfeits:
        return None
    return f"the turn passes only when no checker can move, and {claim.instead} can be played"


def _both_numbers(claim: Claim) -> str | None:
    # "(1) none of its unused dice has an ordinary move in its final state"
    if claim.is_double or claim.turn.longest != 2 or not claim.endings or claim.used != 1:
        return None
    if not any(ordinary_moves(board, left[0], claim.rules) for board, left in claim.endings):
        return None
    return "both numbers can be played, so both must be; this uses only one"


def _other_number(claim: Claim) -> str | None:
    # "(2) it used at least L dice", L being "the greatest number of dice used by any sequence"
    if claim.is_double or claim.turn.longest != 2 or not claim.endings or claim.used != 1:
        return None
    left = claim.endings[0].dice[0]
    return f"this leaves the {left} unplayable, while {claim.instead} uses both numbers"


def _more_of_the_double(claim: Claim) -> str | None:
    # "(2) it used at least L dice": "with doubles as many as possible"
    number, needed = claim.dice[0], claim.turn.longest
    if not claim.is_double or not claim.endings or claim.used >= needed:
        return None
    count = "all" if needed == 4 else f"{needed} of the"
    return f"{count} four {number}s can be played, so {needed} must be; this uses only {claim.used}"


def _left_over(claim: Claim) -> str | None:
    # "(1) none of its unused dice has an ordinary move in its final state": a forfeit has been used instead
    for board, left in claim.endings:
        for die in left:
            for start, end in ordinary_moves(board, die, claim.rules):
                return f"a {die} is left that can still be played, as with {hop_text((start, end))}"
    return None


def _higher_number(claim: Claim) -> str | None:
    # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
    # ordinary move at the start of the turn"
    if claim.is_double or claim.turn.longest != 1 or not claim.endings:
        return None
    high = claim.dice[0]
    if any(high not in end.dice for end in claim.endings):
        return None
    return f"either number can be played but not both, so it must be the higher, the {high}"


PASSES: tuple[Rule, ...] = (_turn_passes, _cannot_pass)
MUST_PLAY: tuple[Rule, ...] = (_both_numbers, _other_number, _more_of_the_double, _left_over, _higher_number)
