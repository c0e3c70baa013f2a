"""Refusals of illegal plays: a sentence with the rule, the points and the dice.

Most switches of a rule set only remove moves. This module lifts them and restores them one at a time: a play
breaks the first rule that makes it impossible. The rules are tested in order, the most specific first. Each
rule is a function that returns the reason, or None. Comments quote sections 1 and 2 of docs/RULES.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.text import pluralize
from bgfast.common.validation import BAR, BOARD_SIZE, HOME, OFF, Board
from bgfast.position.turn import (
    NONE,
    Hop,
    Step,
    Turn,
    TurnState,
    bear_off_from,
    board_after,
    hop_text,
    hops_text,
    place_name,
    rearmost,
    steps,
    use_die,
    ways,
)
from bgfast.rules import RuleSet

# ---- attempted plays, and the orders in which their hops can be made ----


class Attempt:
    """Attempted play, legal or not; `example` has the steps of a legal play, if there is one."""

    def __init__(self, turn: Turn, hops: list[Hop], forfeits: tuple[int, ...], example: list[Hop]) -> None:
        self.turn, self.hops, self.forfeits, self.example = turn, hops, forfeits, example
        self.board, self.dice = turn.start
        self.rules = turn.rules
        self.is_double = len(self.dice) == 4
        self.roll = f"{self.dice[0]}-{self.dice[1]}"
        self.text = hops_text(hops, forfeits)
        self.borne_off = [hop for hop in hops if hop[1] == OFF]

    @property
    def alternative(self) -> str:
        """Text of a legal play."""
        forfeits = [start for start, end in self.example if start == end]
        return hops_text([hop for hop in self.example if hop[0] != hop[1]], forfeits)

    @cached_property
    def move_dice(self) -> tuple[int, ...]:
        """The dice that are not forfeited; all forfeited dice must be in the roll."""
        return reduce(use_die, self.forfeits, self.dice)

    @cached_property
    def after(self) -> Board:
        """The board after the hops, ignoring the rules."""
        return apply_hops(self.board, self.hops)


class Order(NamedTuple):
    """Order of steps that makes all hops and forfeits."""

    steps: tuple[Step, ...]
    end: TurnState

    @property
    def broken(self) -> set[str]:
        """The rules broken by the steps."""
        return set().union(*(step.broken for step in self.steps))


def orders(
    state: TurnState,
    hops: Sequence[Hop],
    forfeits: tuple[int, ...],
    rules: RuleSet,
    lifted: frozenset[str] = NONE,
    earlier: tuple[Step, ...] = (),
) -> Iterator[Order]:
    """Yield the orders of steps that make all hops and forfeits and break only lifted rules."""
    board, dice = state
    if not hops and not forfeits:
        yield Order(earlier, state)
    lowest = list(range(BOARD_SIZE))
    for start, end in hops:
        lowest[start] = min(lowest[start], end)
    successors = [
        (step, TurnState(step.after, use_die(dice, die)))
        for die in dict.fromkeys(dice)
        for step in steps(board, die, rules, lifted, lowest)
    ]
    for step, after in successors:
        if step.is_forfeit and step.die in forfeits:
            yield from orders(after, hops, use_die(forfeits, step.die), rules, lifted, (*earlier, step))
    for index, (start, end) in enumerate(hops):
        for step, after in successors:
            if step.start == start and step.end >= end and not step.is_forfeit:
                remainder = [(step.end, end)] if step.end > end else []
                rest = [*hops[:index], *remainder, *hops[index + 1 :]]
                yield from orders(after, rest, forfeits, rules, lifted, (*earlier, step))


def apply_hops(board: Board, hops: Sequence[Hop]) -> Board:
    """Return the board after the hops, ignoring the rules."""
    return reduce(lambda current, hop: board_after(current, *hop), hops, board)


# ---- sentences ----


RULES: Mapping[str, str] = {
    "pass-though-a-play-exists": "The turn passes only when no checker can move.",
    "pass-listed": "Where no checker can move, the turn passes: there is no play to list.",
    "must-play-both-last-checker": (
        "Both numbers can be played, so both must be, even if one alone bears off the last checker."
    ),
    "must-play-both": "Both numbers can be played, so both must be.",
    "higher-die": "Either number can be played but not both, so it must be the higher.",
    "as-many-as-possible": "As many numbers of a double must be played as possible.",
    "bear-off-compulsory": "A die that can bear a checker off must (bearoff_compulsory).",
    "full-point": "A point holds no more checkers of one side than the limit (stack_max).",
    "bar-first": "A checker on the bar must enter before any other moves.",
    "bear-off-before-all-home": "No checker is borne off while one stands outside home or on the bar.",
    "bear-off-higher-point": "A number above the point bears a checker off only if none stands higher.",
    "bear-off-exact-number": "Only the exact number bears a checker off (bearoff_die=exact).",
    "bear-off-rearmost-only": "Only the rearmost checker may be borne off (bearoff_die=rearmost).",
    "bear-off-too-far": "A checker is not borne off with a number below its point.",
    "forfeit-occupied-point": "A number is not forfeited while a checker stands on its point (forfeit).",
    "forfeit-before-all-home": "A number is forfeited only with all checkers home (forfeit).",
    "too-many-dice": "Each number is played once, and each number of a double at most four times.",
    "hit-not-taken": "A single opposing checker that is landed on goes to the bar.",
    "blocked-point": "No checker lands on a point that two or more opposing checkers hold.",
}
"""Sentence of each rule by name. Ordinary mistakes come first; captures come last, as they explain almost
any number of checkers on a point."""


def clause(rule: str) -> str:
    """Return the sentence of a rule as part of another: in lower case, without the full stop."""
    sentence = RULES[rule]
    return sentence[0].lower() + sentence[1:-1]


def enters_first(board: Board) -> str:
    """Return a clause stating that checkers on the bar must enter first."""
    checkers = "a checker is" if board[BAR] == 1 else f"{board[BAR]} checkers are"
    return f"{checkers} on the bar and must enter first"


def may_not_be_forfeited(die: int) -> str:
    """Return a clause stating that a die with a checker on its point may not be forfeited."""
    return f"the {die} may not be forfeited while a checker stands on {die}"


def reason_for(board: Board, step: Step, rules: RuleSet) -> str | None:
    """Return the reason why a step from `board` breaks a rule, with the points; None if it breaks none."""
    if step.captured and len(step.broken) == 1:
        return _capture_reason(board, step)
    return next((text(board, step, rules) for rule, text in _REASONS.items() if rule in step.broken), None)


def _outside_reason(board: Board, step: Step, rules: RuleSet) -> str:
    prohibition = f"the {step.die} may not be forfeited" if step.is_forfeit else "no checker may be borne off"
    rear = rearmost(board)
    return f"{prohibition} while one stands {'on the bar' if rear == BAR else f'outside home, on {rear}'}"


def _higher_point_reason(board: Board, step: Step, rules: RuleSet) -> str:
    higher = max(point for point in range(1, HOME + 1) if board[point] > 0)
    return f"the {step.die} may not bear a checker off from {step.start} while one stands higher, on {higher}"


def _capture_reason(board: Board, step: Step) -> str:
    # The step leaves checkers of both sides on one point, which no board can hold.
    captured, total, hit = step.captured, step.after[step.end], board[OFF] - step.after[OFF]
    rest = "the other vanishes" if captured == 2 else "the others vanish"
    if captured == 1:
        checkers = ", and the single opposing checker there "
        outcomes = "stays, and the mover's vanishes", "vanishes, and so does the mover's", "vanishes"
        outcome = outcomes[total + 1]
    else:
        checkers = f", held by {captured} opposing checkers: "
        if total == 1:
            outcome = {0: "they vanish", 1: f"one is hit, {rest}", captured: "all are hit"}[hit]
        else:
            outcome = "the numbers are added up" if total == 1 - captured else "the mover's checker vanishes"
    return f"{hop_text((step.start, step.end))} lands on {step.end}{checkers}{outcome}"


_REASONS: dict[str, Callable[[Board, Step, RuleSet], str]] = {
    "bar-first": lambda board, *_: enters_first(board),
    "bear-off-compulsory": lambda board, step, rules: (
        f"the {step.die} can bear a checker off from {bear_off_from(board, step.die, rules)}, so it must"
    ),
    "full-point": lambda board, step, _: f"{step.end} holds {board[step.end]} checkers already",
    "bear-off-before-all-home": _outside_reason,
    "bear-off-higher-point": _higher_point_reason,
    "bear-off-exact-number": lambda _, step, __: (
        f"the {step.die} bears a checker off from {step.die} only, not from {step.start}"
    ),
    "bear-off-rearmost-only": _higher_point_reason,
    "bear-off-too-far": lambda _, step, __: f"the {step.die} does not bear a checker off from {step.start}",
    "forfeit-before-all-home": _outside_reason,
    "forfeit-occupied-point": lambda _, step, __: may_not_be_forfeited(step.die),
}


# ---- refusals ----


def refusal(
    turn: Turn, hops: Sequence[Hop], forfeits: Sequence[int], moves: Sequence[Any] | npt.NDArray[np.int8]
) -> str:
    """Return a sentence that names the rule an illegal play breaks, without a full stop.

    `hops` may be joined steps, in any order; without hops and forfeits the attempt is a pass. `moves`, shape
    (n, 4, 2), has the steps of all legal plays, with unused rows -1.
    """
    plays = ([(int(start), int(end)) for start, end in steps if start >= 0] for steps in moves)
    example = min(plays, key=lambda steps: sum(start == end for start, end in steps), default=[])
    attempt = Attempt(turn, [(int(start), int(end)) for start, end in hops], tuple(forfeits), example)
    reasons = (rule(attempt) for rule in _RULES)
    reason = next(filter(None, reasons), f"it is not one of the {len(moves)} legal plays")
    return f"illegal play '{attempt.text or 'pass'}' for {attempt.roll}: {reason}"


def _wrong_pass(attempt: Attempt) -> str | None:
    # "L == 0: there is no legal play, the turn passes"
    if not attempt.example:
        return "no checker can move, so the turn passes"
    # "(2) it used at least L dice": with L >= 1 no play is empty.
    if attempt.hops or attempt.forfeits:
        return None
    return f"{clause('pass-though-a-play-exists')}, and {attempt.alternative} can be played"


def _wrong_forfeit(attempt: Attempt) -> str | None:
    # forfeit: never. "*empty_point*: F(d) is allowed when ..."
    if attempt.forfeits and attempt.rules.forfeit == "never":
        return "a number cannot be forfeited under these rules"
    # "forfeit(s, d): a lawful but never compulsory use of d", one of the dice thrown
    for die in attempt.forfeits:
        if die not in attempt.dice:
            return f"{attempt.roll} has no {die} to forfeit"
        if attempt.forfeits.count(die) > attempt.dice.count(die):
            return f"the {die} can be forfeited only once"
    return None


def _no_checker(attempt: Attempt) -> str | None:
    # "*move* = one checker, one die": each hop needs a checker of the mover where it starts.
    departures = Counter(start for start, _ in attempt.hops)
    arrivals = Counter(end for _, end in attempt.hops)
    for point in sorted(departures, reverse=True):
        available = max(attempt.board[point], 0) + arrivals[point]
        name = place_name(point)
        if not available:
            return f"no checker of the mover stands on {name}"
        if available < departures[point]:
            return f"{departures[point]} checkers cannot leave {name}, where this play has only {available}"
    return None


def _bar_first(attempt: Attempt) -> str | None:
    # "bar occupied: only bar -> 25-d"
    entry_count = sum(start == BAR for start, _ in attempt.hops)
    if entry_count >= attempt.board[BAR]:
        return None
    for start, end in attempt.hops:
        if start != BAR or start - end > attempt.dice[0]:  # this checker moves on while another waits
            return enters_first(attempt.board)
    return None


def _held_point(attempt: Attempt) -> str | None:
    # "landable(q): opponent has at most one checker on q"
    for start, end in attempt.hops:
        if end != OFF and attempt.board[end] <= -2:
            use = "entry" if start == BAR and start - end in attempt.dice else "landing"
            return f"the {use} point {end} is held by {-attempt.board[end]} opposing checkers"
    return None


def _wrong_distance(attempt: Attempt) -> str | None:
    # "*move* = one checker, one die"; several dice are combined one after the other with one checker.
    for start, end in attempt.hops:
        if not any(True for _ in ways([(start, end)], attempt.dice)):
            verb = f"gives the {pluralize(start - end, 'pip')} of" if end != OFF else "is enough for"
            return f"no die or combination of {attempt.roll} {verb} {hop_text((start, end))}"
    return None


def _no_route(attempt: Attempt) -> str | None:
    # "doubles give four dice, other rolls two", and a forfeit also uses one
    routes = list(ways(attempt.hops, attempt.move_dice))
    if not routes:
        if attempt.is_double:
            return f"a double gives four moves of {pluralize(attempt.dice[0], 'pip')}, and this needs more"
        return "each of the two numbers can be used only once, and this needs more"
    # "landable(q)", and section 4: combined "with one checker by touching down after each die"
    blocked_points = {point for point, count in enumerate(attempt.board) if point != OFF and count <= -2}
    held_stops = [blocked_points.intersection(route) for route in routes]
    if not all(held_stops):
        return None
    stops = sorted(set().union(*held_stops), reverse=True)
    points = " or ".join(f"{point} (held by {-attempt.board[point]})" for point in stops)
    description = "a point of the opponent" if len(stops) == 1 else "points of the opponent"
    return f"the checker would have to touch down on {points}, {description}"


def _not_home(attempt: Attempt) -> str | None:
    # "bearing off only when no own checker is on 7..24 or on the bar"
    last = rearmost(attempt.after)
    if not attempt.borne_off or last <= HOME:
        return None
    return f"no checker may be borne off while one stands outside home, on {place_name(last)}"


def _no_order(attempt: Attempt) -> str | None:
    """Lift the rules on bear-offs, full points and forfeits, and restore them one at a time."""
    lifted = frozenset({"bear-off-compulsory", "full-point"})
    start = TurnState(attempt.board, attempt.move_dice)
    free_orders = list(orders(start, attempt.hops, (), attempt.rules, lifted))
    if not free_orders:
        reasons = {"standard": _higher_checker, "exact": _exact_number, "rearmost": _rearmost_only}
        return reasons[attempt.rules.bearoff_die](attempt) if attempt.borne_off else None
    allowed_orders = [order for order in free_orders if "bear-off-compulsory" not in order.broken]
    if not allowed_orders:
        return _must_bear_off(attempt, free_orders[0])
    legal_orders = [order for order in allowed_orders if not order.broken]
    if not legal_orders:
        return _full_point(attempt, allowed_orders)
    ends = [order.end for order in orders(attempt.turn.start, attempt.hops, attempt.forfeits, attempt.rules)]
    return _dice_left(attempt, ends) if ends else _untimely_forfeit(attempt, legal_orders)


def _higher_checker(attempt: Attempt) -> str:
    # bearoff_die standard: "from point d, or from the highest occupied point r if r < d"
    board = apply_hops(attempt.board, [hop for hop in attempt.hops if hop[1] != OFF])
    refused_hops = [
        hop
        for hop in attempt.borne_off
        if not any(True for _ in orders(TurnState(board, attempt.move_dice), [hop], (), attempt.rules))
    ]
    hop = (refused_hops or attempt.borne_off)[0]
    return (
        f"a number above the point may not be used for {hop_text(hop)} while a checker stands higher, on "
        f"{rearmost(attempt.after)}"
    )


def _exact_number(attempt: Attempt) -> str:
    # bearoff_die exact: "from point d only"
    sums = {sum(dice) for n in range(1, 5) for dice in combinations(attempt.dice, n)}
    hop = next((hop for hop in attempt.borne_off if hop[0] not in sums), None)
    if hop is None:
        reason = f"{attempt.roll} does not give it for {attempt.text}"
    else:
        pips = f"the {pluralize(hop[0], 'pip')} of {hop_text(hop)}"
        reason = f"no die or combination of {attempt.roll} gives {pips}"
    return f"only the exact number bears a checker off, and {reason}"


def _rearmost_only(attempt: Attempt) -> str:
    # bearoff_die rearmost: "only from r, if d >= r; no other checker ever bears off"
    hop, last = min(attempt.borne_off), rearmost(attempt.after)
    if hop[0] < last:
        return f"only the rearmost checker may be borne off: not {hop_text(hop)} while one stands on {last}"
    # The rule applies to every step: 6/off with 3-3 bears off from 3.
    return f"only the rearmost checker may be borne off: {hop_text(hop)} first moves below another on {last}"


def _must_bear_off(attempt: Attempt, order: Order) -> str:
    # bearoff_compulsory: "if die d can bear a checker off now, other moves with d do not exist"
    boards = (attempt.board, *(step.after for step in order.steps))
    board, step = next(
        (board, step)
        for board, step in zip(boards, order.steps, strict=False)
        if "bear-off-compulsory" in step.broken
    )
    move = hop_text((step.start, step.end))
    return f"{reason_for(board, step, attempt.rules)}: {move} may not be played with it"


def _full_point(attempt: Attempt, orders: Sequence[Order]) -> str:
    # stack_max n: "no landing (move or entry) on a point that already holds n own checkers"; section 4: "the
    # limit holds for entry and for stops on the way too"
    full_points = [
        {(step.end, step.start == BAR) for step in order.steps if "full-point" in step.broken}
        for order in orders
    ]
    limit = pluralize(attempt.rules.stack_max, "checker")
    rule = f"a point may not hold more than {limit} of one side"
    ends = {hop[1] for hop in attempt.hops}
    # A checker can leave a full point before another stops there, unless the point held too many before.
    landings = [(end, entered) for end, entered in set.intersection(*full_points) if end in ends]
    if landings:
        end, entered = max(landings)
        return f"{rule}, and the {'entry' if entered else 'landing'} point {end} is full"
    stops = " or ".join(map(str, sorted({end for end, _ in set.union(*full_points)}, reverse=True)))
    return f"{rule}, and the checker would have to touch down on {stops}, already full"


def _untimely_forfeit(attempt: Attempt, orders: Sequence[Order]) -> str:
    # "F(d) is allowed when no own checker is on the bar or on 7-24, at least one is on the board, and
    # own[d] == 0. One die at a time, also in doubles. The right can begin in mid-turn"
    boards = {attempt.board, *(step.after for order in orders for step in order.steps)}
    home_boards = [board for board in boards if rearmost(board) <= HOME]
    if not home_boards:
        last = place_name(rearmost(attempt.after))
        return f"a number may be forfeited only with all checkers home, and one stands on {last}"
    for die in attempt.forfeits:
        if all(board[die] > 0 for board in home_boards):
            return may_not_be_forfeited(die)
        if not any(step.is_forfeit for board in home_boards for step in steps(board, die, attempt.rules)):
            return f"the {die} may not be forfeited once the last checker is off"
    return f"no order of the moves in {attempt.text} allows every forfeit"


def _dice_left(attempt: Attempt, ends: Sequence[TurnState]) -> str | None:
    needed, used = attempt.turn.longest, len(attempt.dice) - min(len(end.dice) for end in ends)
    moves = (move for board, dice in ends for die in dice for move in attempt.turn.moves(board, die))
    playable_move = next(moves, None)
    if attempt.is_double and used < needed:
        # "(2) it used at least L dice": "with doubles as many as possible"
        count = "all" if needed == 4 else f"{needed} of the"
        return f"{count} four {attempt.dice[0]}s can be played, so {needed} must be; this uses only {used}"
    if not attempt.is_double and (needed, used) == (2, 1):
        # "(1) none of its unused dice has an ordinary move in its final state"
        if playable_move:
            return f"{clause('must-play-both')}; this uses only one"
        # "(2) it used at least L dice", L being "the greatest number of dice used by any sequence"
        return f"this leaves the {ends[0].dice[0]} unplayable, while {attempt.alternative} uses both numbers"
    if playable_move:
        # "(1)" again, here if a die was forfeited
        move = hop_text((playable_move.start, playable_move.end))
        return f"a {playable_move.die} is left that can still be played, as with {move}"
    if not attempt.is_double and needed == 1:
        # "(3) when L == 1 on a non-double and it used one die: that die is the higher of those that had an
        # ordinary move at the start of the turn"
        return f"{clause('higher-die')}, the {attempt.dice[0]}"
    return None


# The most specific reason comes first.
_RULES: tuple[Callable[[Attempt], str | None], ...] = (
    _wrong_pass, _wrong_forfeit, _no_checker, _bar_first, _held_point, _wrong_distance, _no_route,
    _not_home, _no_order,
)  # fmt: skip
