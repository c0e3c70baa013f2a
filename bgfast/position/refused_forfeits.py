"""Why a play is illegal. Giving up a number without a move.

Each function returns the reason or None. Quotations are from RULES.md, section 1.
"""

from __future__ import annotations

from bgfast.position.attempt import Claim, Rule
from bgfast.position.hops import place_name
from bgfast.position.moves import HOME, may_forfeit, rearmost

__all__ = ["FORFEITED_DICE", "FORFEIT_TIMES"]


def _not_forfeitable(claim: Claim) -> str | None:
    # forfeit: never. "*empty_point*: F(d) is allowed when ..."
    if not claim.forfeits or claim.rules.forfeit != "never":
        return None
    return "a number cannot be forfeited under these rules"


def _not_rolled(claim: Claim) -> str | None:
    # "forfeit(s, d): a lawful but never compulsory use of d", one of the dice thrown
    for die in claim.forfeits:
        if die not in claim.dice:
            return f"{claim.roll} has no {die} to forfeit"
        if claim.forfeits.count(die) > claim.dice.count(die):
            return f"the {die} can be forfeited only once"
    return None


def _forfeit_too_early(claim: Claim) -> str | None:
    # "F(d) is allowed when no own checker is on the bar or on 7-24"
    if claim.endings or not claim.stacking or any(rearmost(board) <= HOME for board in claim.boards):
        return None
    last = rearmost(claim.after)
    return f"a number may be forfeited only with all checkers home, and one stands on {place_name(last)}"


def _forfeit_of_the_needed(claim: Claim) -> str | None:
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


FORFEITED_DICE: tuple[Rule, ...] = (_not_forfeitable, _not_rolled)
FORFEIT_TIMES: tuple[Rule, ...] = (_forfeit_too_early, _forfeit_of_the_needed)
