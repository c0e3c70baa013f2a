"""Names and sentences of the rules, and messages for steps that break them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bgfast.common.vocabulary import BAR, HOME, OFF, Board
from bgfast.position.explain.hops import hop_text
from bgfast.position.explain.steps import Step, bear_off_from, rearmost
from bgfast.rules import RuleSet

RULES: Mapping[str, str] = {
    "pass-though-a-play-exists": "The turn passes only when no checker can move.",
    "pass-listed": "Where no checker can move the turn passes: there is no play to list.",
    "must-play-both-last-checker": (
        "Both numbers can be played, so both must be, even if one alone bears off the last checker."
    ),
    "must-play-both": "Both numbers can be played, so both must be.",
    "higher-die": "Either number can be played but not both, so it must be the higher.",
    "as-many-as-possible": "Of a double as many numbers must be played as can be.",
    "bear-off-compulsory": "A die that can bear a checker off must (bearoff_compulsory).",
    "full-point": "A point holds no more own checkers than the limit (stack_max).",
    "bar-first": "A checker on the bar must enter before any other moves.",
    "bear-off-before-all-home": "No checker is borne off while one stands outside home or on the bar.",
    "bear-off-higher-point": "A number above the point bears a checker off only if none stands higher.",
    "bear-off-exact-number": "Only the exact number bears a checker off (bearoff_die=exact).",
    "bear-off-rearmost-only": "Only the rearmost checker may be borne off (bearoff_die=rearmost).",
    "bear-off-too-far": "A checker is not borne off with a number below its point.",
    "forfeit-occupied-point": "A number is not forfeited while a checker stands on its point (forfeit).",
    "forfeit-before-all-home": "A number is forfeited only with all checkers home (forfeit).",
    "too-many-dice": "Each number is played once, each number of a double at most four times.",
    "hit-not-taken": "A single opposing checker that is landed on goes to the bar.",
    "blocked-point": "No checker lands on a point that two or more opposing checkers hold.",
}
"""Sentence of each rule by name. Ordinary mistakes come first; captures come last, as they explain almost any
number on a point."""


def clause(rule: str) -> str:
    """Return the sentence of a rule as part of another: in lower case, without the full stop."""
    sentence = RULES[rule]
    return sentence[0].lower() + sentence[1:-1]


def enters_first(board: Board) -> str:
    """Return a clause that checkers on the bar must enter first."""
    checkers = "a checker is" if board[BAR] == 1 else f"{board[BAR]} checkers are"
    return f"{checkers} on the bar and must enter first"


def may_not_be_forfeited(die: int) -> str:
    """Return a clause that a die with a checker on its point may not be forfeited."""
    return f"the {die} may not be forfeited while a checker stands on {die}"


def reason_for(board: Board, step: Step, rules: RuleSet) -> str | None:
    """Return the reason why a step from `board` breaks a rule, with the points; None if it breaks none."""
    if step.captured and len(step.broken) == 1:
        return _captured(board, step)
    return next((text(board, step, rules) for rule, text in _REASONS.items() if rule in step.broken), None)


def _is_outside(board: Board, step: Step, rules: RuleSet) -> str:
    clause = f"the {step.die} may not be forfeited" if step.is_forfeit else "no checker may be borne off"
    rear = rearmost(board)
    return f"{clause} while one stands {'on the bar' if rear == BAR else f'outside home, on {rear}'}"


def _stands_higher(board: Board, step: Step, rules: RuleSet) -> str:
    higher = max(point for point in range(1, HOME + 1) if board[point] > 0)
    return f"the {step.die} may not bear a checker off from {step.start} while one stands higher, on {higher}"


def _captured(board: Board, step: Step) -> str:
    # Checkers of both sides landed on one point.
    captured, end = step.captured, step.end
    stays, hit = step.after[end], board[OFF] - step.after[OFF]
    lands = f"{hop_text((step.start, end))} lands on {end}"
    if captured == 1:
        outcome = {
            1: "vanishes",
            0: "vanishes, and so does the mover's",
            -1: "stays, and the mover's vanishes",
        }
        return f"{lands}, and the single opposing checker there {outcome[stays]}"
    if stays < 1:
        outcome = {1 - captured: "the numbers are added up", -captured: "the mover's checker vanishes"}
    else:
        rest = "the other vanishes" if captured == 2 else "the others vanish"
        outcome = {1: {0: "they vanish", 1: f"one is hit, {rest}", captured: "all are hit"}[hit]}
    return f"{lands}, held by {captured} opposing checkers: {outcome[stays]}"


_REASONS: dict[str, Callable[[Board, Step, RuleSet], str]] = {
    "bar-first": lambda board, *_: enters_first(board),
    "bear-off-compulsory": lambda board, step, rules: (
        f"the {step.die} can bear a checker off from {bear_off_from(board, step.die, rules)}, so it must"
    ),
    "full-point": lambda board, step, _: f"{step.end} holds {board[step.end]} checkers already",
    "bear-off-before-all-home": _is_outside,
    "bear-off-higher-point": _stands_higher,
    "bear-off-exact-number": lambda _, step, __: (
        f"the {step.die} bears a checker off from {step.die} only, not from {step.start}"
    ),
    "bear-off-rearmost-only": _stands_higher,
    "bear-off-too-far": lambda _, step, __: f"the {step.die} does not bear a checker off from {step.start}",
    "forfeit-before-all-home": _is_outside,
    "forfeit-occupied-point": lambda _, step, __: may_not_be_forfeited(step.die),
}
