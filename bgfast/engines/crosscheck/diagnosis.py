"""Which rule decides a disagreement: the one that an illegal result breaks, the kind of play that is missing.

An illegal result is looked for by moving one checker with one die at a time: first as the rules say, which
leaves the rules on whole plays; then with one rule after the other lifted. The first with which the result
can be reached is the one that it breaks. Quotations are from RULES.md, sections 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from bgfast.common.vocabulary import BAR, HOME, OFF, Board
from bgfast.position.hops import forfeit_parts
from bgfast.position.moves import bear_off_from, board_after, may_forfeit, ordinary_moves, rearmost
from bgfast.position.objects import PlayList
from bgfast.position.play_text import play_text
from bgfast.position.refusal import refusal
from bgfast.position.turn import Turn, TurnState, from_the_rear, without
from bgfast.rules import RuleSet

__all__ = ["ILLEGAL_RULES", "MISSING_PLAYS", "Broken", "broken_rule", "missed_play"]

Hop = tuple[int, int]
Step = tuple[Hop, Board]

ILLEGAL_RULES: Mapping[str, str] = MappingProxyType(
    {
        "pass-though-a-play-exists": "The turn passes only when no checker can move.",
        "pass-listed": "Where no checker can move the turn passes: there is no play to list.",
        "must-play-both": "Both numbers can be played, so both must be.",
        "must-play-both-last-checker": (
            "Both numbers can be played, so both must be, even if one alone bears off the last checker."
        ),
        "higher-die": "Either number can be played but not both, so it must be the higher.",
        "as-many-as-possible": "Of a double as many numbers must be played as can be.",
        "bar-first": "A checker on the bar must enter before any other moves.",
        "blocked-point": "No checker lands on a point that two or more opposing checkers hold.",
        "bear-off-before-all-home": "No checker is borne off while one stands outside home or on the bar.",
        "bear-off-too-far": "A checker is not borne off with a number below its point.",
        "bear-off-higher-point": "A number above the point bears a checker off only if none stands higher.",
        "bear-off-exact-number": "Only the exact number bears a checker off (bearoff_die=exact).",
        "bear-off-rearmost-only": "Only the rearmost checker may be borne off (bearoff_die=rearmost).",
        "bear-off-compulsory": "A die that can bear a checker off must (bearoff_compulsory).",
        "full-point": "A point holds no more own checkers than the limit (stack_max).",
        "hit-not-taken": "A single opposing checker that is landed on goes to the bar.",
        "too-many-dice": "Each number is played once, each number of a double at most four times.",
        "several-rules": "It breaks several rules at once.",
        "not-reachable": "No moves with these dice lead there, whatever the rules.",
    }
)
"""What an illegal result can break: name and sentence."""

MISSING_PLAYS: Mapping[str, str] = MappingProxyType(
    {
        "pass": "The engine lists no play at all, though there are some.",
        "forfeits": "A play that forfeits a number.",
        "one-die-only": "The only number that can be played has to be.",
        "enters-from-bar": "A play that enters a checker from the bar.",
        "bears-off": "A play that bears a checker off.",
        "hits": "A play that hits.",
        "double": "A play of a double.",
        "runs-with-one-checker": "A play with one checker alone.",
        "plain": "A play of two checkers that neither enter nor hit nor are borne off.",
    }
)
"""What a missing result can be, the first that fits: name and sentence."""

BEAR_OFF_RULES = {
    "standard": "bear-off-higher-point",
    "exact": "bear-off-exact-number",
    "rearmost": "bear-off-rearmost-only",
}


class Broken(NamedTuple):
    """What an illegal result is.

    Attributes
    ----------
    rule : str
        A name of `ILLEGAL_RULES`.
    play : str or None
        The moves that lead there, if some do.
    reason : str or None
        What a rule on single moves says about these, with their points.
    """

    rule: str
    play: str | None
    reason: str | None


def broken_rule(plays: PlayList, rules: RuleSet, result: Board) -> Broken:
    """Return the rule that a result breaks.

    Parameters
    ----------
    plays : PlayList
        The legal plays of the position and roll under `rules`.
    rules : RuleSet
    result : tuple of 26 int
        The board after a play that is not legal, mover's side.

    Returns
    -------
    Broken
    """
    turn = Turn(plays.position.to_array().tolist(), plays.roll, rules)
    rule, hops = _rule_and_hops(turn, result)
    if hops is None:
        return Broken(rule, None, None)
    moved = [(start, end) for start, end in hops if start != end]
    forfeits = tuple(sorted((start for start, end in hops if start == end), reverse=True))
    # The hops are no legal play, so that what they forfeit cannot be taken from what legal plays do.
    text = " ".join([play_text(turn.start.board, turn.roll, moved), *forfeit_parts(forfeits)]).strip()
    reason = None
    if rule in _lifted(rules) and rule != "hit-not-taken":  # those of one move, where points can be named
        reason = refusal(turn, moved, forfeits, plays.moves).partition(": ")[2]
    return Broken(rule, text or "pass", reason)


def _rule_and_hops(turn: Turn, result: Board) -> tuple[str, list[Hop] | None]:
    if result == turn.start.board:
        return ("pass-though-a-play-exists" if turn.longest else "pass-listed"), []
    found = _way(turn.start, result, turn.rules)
    if found is not None:
        return _rule_on_whole_plays(turn, result, len(found)), found
    for rule, lifted in _lifted(turn.rules).items():
        found = _way(turn.start, result, turn.rules, [lifted])
        if found is not None:
            return rule, found
    dice = turn.start.dice
    found = _way(
        TurnState(turn.start.board, dice * 2 if len(dice) == 2 else dice + dice[:2]), result, turn.rules
    )
    if found is not None:
        return "too-many-dice", found
    found = _way(turn.start, result, turn.rules, list(_lifted(turn.rules).values()))
    if found is not None:
        return "several-rules", found
    return "not-reachable", None


def _rule_on_whole_plays(turn: Turn, result: Board, used: int) -> str:
    """Return which condition on whole plays does not hold where no move breaks a rule.

    Not "(1) none of its unused dice has an ordinary move in its final state": without forfeits one more die
    could be used, so that (2) does not hold; and next to a forfeit every die left could be forfeited, too.
    """
    # "(2) it used at least L dice"
    if used < turn.longest:
        if len(turn.start.dice) == 4:
            return "as-many-as-possible"
        return "must-play-both" if rearmost(result) else "must-play-both-last-checker"
    # "(3) when L == 1 on a non-double and it used one die: that die is the higher ..."
    return "higher-die"


def _way(start: TurnState, result: Board, rules: RuleSet, lifted: Sequence[_Lifted] = ()) -> list[Hop] | None:
    """Return the moves of the way to a result that uses most dice; None if there is none."""
    wanted = from_the_rear(result)
    seen = {start}
    level: list[tuple[TurnState, list[Hop]]] = [(start, [])]
    best = None
    while level:
        further: list[tuple[TurnState, list[Hop]]] = []
        for stand, hops in level:
            if stand.board == result and hops:
                best = hops
            for die in dict.fromkeys(stand.dice):
                rest = without(stand.dice, die)
                for hop, board in _steps(stand.board, die, rules, lifted):
                    after = TurnState(board, rest)
                    if after not in seen and _may_lead(after, wanted, result):
                        seen.add(after)
                        further.append((after, [*hops, hop]))
        level = further
    return best


def _may_lead(stand: TurnState, wanted: Sequence[int], result: Board) -> bool:
    """Whether the result may still come: checkers only go down, opposing ones only away.

    Each checker that does not stand where the result has one takes a die. Most wrong results are refused by
    that alone; without it an engine that is wrong in every answer keeps the search busy for minutes.
    """
    board, dice = stand
    astray = sum(max(0, here - max(0, there)) for here, there in zip(board, result, strict=True))
    if astray > len(dice):
        return False
    return all(map(int.__ge__, from_the_rear(board), wanted)) and all(
        min(here, 0) <= min(there, 0) for here, there in zip(board[1:BAR], result[1:BAR], strict=True)
    )


def _steps(board: Board, die: int, rules: RuleSet, lifted: Sequence[_Lifted]) -> Iterator[Step]:
    """Yield what one die can do, and more where rules are lifted; a forfeited die d is the hop (d, d)."""
    for start, end in ordinary_moves(board, die, rules):
        yield (start, end), board_after(board, start, end)
    if may_forfeit(board, die, rules):
        yield (die, die), board
    for more in lifted:
        yield from more(board, die, rules)


# Each rule lifted: what a die could do without it, with the rule beside it.

_Lifted = Callable[[Board, int, RuleSet], Iterator[Step]]


def _lifted(rules: RuleSet) -> dict[str, _Lifted]:
    """Return the rules on single moves that these rules have, in the order in which they are tried."""
    found: dict[str, _Lifted] = {}
    # What only some rule sets have comes first: an engine that does not know it breaks that.
    if rules.bearoff_compulsory:
        found["bear-off-compulsory"] = _not_off_at_will
    if rules.stack_max:
        found["full-point"] = _onto_full_points
    return {
        **found,
        "bar-first": _past_the_bar,
        "blocked-point": _onto_blocked_points,
        "bear-off-before-all-home": _off_before_all_home,
        BEAR_OFF_RULES[rules.bearoff_die]: _off_with_numbers_that_reach,
        "bear-off-too-far": _off_from_too_far,
        "hit-not-taken": _without_hitting,
    }


def _past_the_bar(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # "bar occupied: only bar -> 25-d"
    if board[BAR] > 0:
        for start, end in ordinary_moves((*board[:BAR], 0), die, rules):
            yield (start, end), board_after(board, start, end)


def _onto_blocked_points(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # "landable(q): opponent has at most one checker on q"
    for start in _movable(board):
        end = start - die
        if end >= 1 and board[end] <= -2:
            for after in _met(board, start, end):
                yield (start, end), after


def _without_hitting(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # "hit: opponent has exactly one checker on q -> it goes to his bar"
    for start, end in ordinary_moves(board, die, rules):
        if end != OFF and board[end] == -1:
            for after in _met(board, start, end):
                yield (start, end), after


def _met(board: Board, start: int, end: int) -> Iterator[Board]:
    """Yield what engines may make of a checker among opposing ones, for which a board has no number."""
    met = -board[end]
    # The numbers added up; the opposing checkers gone; one of them hit, or all; the own checker gone.
    for stays, hit in ((1 - met, 0), (1, 0), (1, 1), (1, met), (-met, 0)):
        after = list(board)
        after[start] -= 1
        after[end] = stays
        after[0] -= hit
        yield tuple(after)


def _off_before_all_home(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # "bearing off only when no own checker is on 7..24 or on the bar"
    if rearmost(board) > HOME:
        home = (*board[: HOME + 1], *(min(number, 0) for number in board[HOME + 1 :]))
        source = bear_off_from(home, die, rules)
        if source:
            yield (source, OFF), board_after(board, source, OFF)


def _off_with_numbers_that_reach(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # standard: "from point d, or from the highest occupied point r if r < d"; exact: "from point d only";
    # rearmost: "only from r, if d >= r; no other checker ever bears off"
    yield from _borne_off(board, range(1, die + 1))


def _off_from_too_far(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # standard and exact: "from point d"; rearmost: "if d >= r"
    yield from _borne_off(board, range(die + 1, HOME + 1))


def _borne_off(board: Board, sources: range) -> Iterator[Step]:
    if rearmost(board) <= HOME:
        for source in sources:
            if board[source] > 0:
                yield (source, OFF), board_after(board, source, OFF)


def _not_off_at_will(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # "if bearoff_compulsory and some bear-off exists: only the bear-offs"
    for start, end in ordinary_moves(board, die, replace(rules, bearoff_compulsory=False)):
        yield (start, end), board_after(board, start, end)


def _onto_full_points(board: Board, die: int, rules: RuleSet) -> Iterator[Step]:
    # "stack_max == 0 or own[q] < stack_max"
    for start, end in ordinary_moves(board, die, replace(rules, stack_max=0)):
        yield (start, end), board_after(board, start, end)


def _movable(board: Board) -> list[int]:
    return [BAR] if board[BAR] > 0 else [point for point in range(1, BAR) if board[point] > 0]


# Missing plays.


def missed_play(plays: PlayList, row: int) -> str:
    """Return what kind of play a missing one is: a name of `MISSING_PLAYS`, but "pass".

    Parameters
    ----------
    plays : PlayList
        The legal plays of the position and roll.
    row : int
        Which one is missing.

    Returns
    -------
    str
    """
    steps = [(int(start), int(end)) for start, end in plays.moves[row] if start >= 0]
    before, after = plays.position.to_array(), plays.boards[row]
    if any(start == end for start, end in steps):
        return "forfeits"
    if len(steps) == 1:
        return "one-die-only"
    if any(start == BAR for start, _ in steps):
        return "enters-from-bar"
    if any(end == OFF for _, end in steps):
        return "bears-off"
    if after[0] < before[0]:
        return "hits"
    if plays.roll[0] == plays.roll[1]:
        return "double"
    return "runs-with-one-checker" if steps[0][1] == steps[1][0] else "plain"
