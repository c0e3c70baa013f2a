"""Reasons for a choice, in words, from probabilities and from the board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import isnan
from typing import NamedTuple

import numpy as np

from bgfast.common.validation import BOARD_SIZE, HOME, ROLLS, roll_weight
from bgfast.evaluation.actions import cube_points
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.rules import STANDARD, RuleSetLike

MIN_CHANGE = 0.005
"""Minimum difference of a probability that is a reason."""


class Reason(NamedTuple):
    """Fact about the best choice, compared with the recorded choice."""

    text: str  # predicate without a subject: "wins 57.3% instead of 54.1%"
    favourable: bool = True  # False: the best choice is best in spite of it


def change_of(words: str, best: float, chosen: float, *, more_is_better: bool = True) -> list[Reason]:
    """Return a reason if two probabilities differ by `MIN_CHANGE` or more."""
    if abs(best - chosen) < MIN_CHANGE:
        return []
    text = f"{words} {best:.1%} instead of {chosen:.1%}"
    return [Reason(text, (best > chosen) == more_is_better)]


def reason_line(reasons: Iterable[Reason], subject: str) -> str:
    """Return reasons as one line; those against the best choice come last. Empty without a reason."""
    reasons = list(reasons)
    pro = _listed([reason.text for reason in reasons if reason.favourable])
    contra = _listed([reason.text for reason in reasons if not reason.favourable])
    if pro and contra:
        return f"{subject} {pro}, although it {contra}."
    if pro:
        return f"{subject} {pro}."
    return f"{subject} is best although it {contra}." if contra else ""


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


# ---- races ----


_OPPONENT = [0] * (BOARD_SIZE - HOME - 3) + [-1, 0]
"""A single opposing checker without contact: only the mover's wastage is computed."""


@cache
def _bearoff() -> Bearoff:
    return Bearoff()


def race_wastage(position: Position) -> float | None:
    """Return the mover's wastage in pips; None unless all checkers of the mover are home."""
    home = [max(0, number) for number in list(position)[: HOME + 1]]
    if sum(home) + position.off[0] < position.checkers or not sum(home):
        return None
    return _bearoff().wastage(Position.from_array([*home, *_OPPONENT], position.checkers))


def race_reason(position: Position) -> str:
    """Return the pip counts of a race, the mover's first, and both wastages if both sides are home."""
    own, opponent = position.pip_counts
    text = f"the race is {own} against {opponent} pips"
    wastages = race_wastage(position), race_wastage(position.flip())
    if wastages[0] is None or wastages[1] is None:
        return text
    return f"{text}, wastage {wastages[0]:.1f} and {wastages[1]:.1f}"


# ---- cube actions ----


def cube_reasons(
    decision: Decision,
    action: str,
    probabilities: Sequence[float],
    market_lost: float | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
) -> Iterator[str]:
    """Yield the reasons for the proper action: "double", "no double", "too good", "take", "beaver" or "drop".

    The decision, its five probabilities and the share of market losers in the next two rolls, if known, are
    from the doubler's side. Reasons are chances and the cube point that decides, unless the point contradicts
    the action, which may come from a search or a rollout; market losers; in a race the pips.
    """
    points = cube_points(probabilities, decision, efficiency=efficiency, met=met)
    win, gammon = probabilities[0], probabilities[1]
    if action in ("take", "beaver", "drop"):
        yield _chance(1 - win, 1 - points.cash, "take point", is_above=action != "drop")
        yield f"loses a gammon in {gammon:.1%}"
    elif action == "too good":
        yield _chance(win, points.too_good, "point of being too good", is_above=True)
        yield f"wins a gammon in {gammon:.1%}"
    else:
        yield _chance(win, points.double, "doubling point", is_above=action == "double")
        if market_lost is not None:
            yield f"{market_lost:.1%} of the next two rolls are market losers"
    if decision.position.phase != "contact":
        yield race_reason(decision.position)


def _chance(win: float, point: float, name: str, *, is_above: bool) -> str:
    """Return a winning chance, and its distance from a cube point that does not contradict the action."""
    if isnan(point) or (win >= point) != is_above:
        return f"wins {win:.1%}"
    side = "above" if is_above else "below"
    return f"wins {win:.1%}, {abs(win - point):.1%} {side} the {name} of {point:.1%}"


# ---- plays ----


BACK_POINT = 18
"""Checkers on this point and further back, the bar included, are back checkers."""
POINTS = 24
FIRST_ANCHOR = 19
MIN_PRIME = 4
"""Minimum length of a prime."""
MIN_WASTAGE = 0.05
"""Minimum difference of wastage that is a reason, in pips."""


def play_reasons(
    before: Position,
    best: Position,
    played: Position,
    best_probabilities: Sequence[float] | None = None,
    played_probabilities: Sequence[float] | None = None,
    rules: RuleSetLike = STANDARD,
) -> list[Reason]:
    """Return the differences between the best play and the play made.

    `before` is seen from the player's side, the positions after the plays from that of the opponent, who is
    on roll; the probabilities are the player's. They come first, then the board: hits, shots, points,
    primes, back checkers; in races checkers borne off, checkers outside the home board and wastage.
    """
    reasons: list[Reason] = []
    if best_probabilities is not None and played_probabilities is not None:
        for index, words in ((0, "wins"), (1, "wins a gammon in"), (3, "loses a gammon in")):
            pair = best_probabilities[index], played_probabilities[index]
            reasons += change_of(words, *pair, more_is_better=index < 3)
    if "contact" in (best.phase, played.phase):
        return [*reasons, *_contact_reasons(before, structure_of(best, rules), structure_of(played, rules))]
    return [*reasons, *_race_reasons(before, best, played)]


def _contact_reasons(before: Position, best: Structure, played: Structure) -> Iterator[Reason]:
    best_hits, hits = best.opponent_on_bar + before[0], played.opponent_on_bar + before[0]
    if best_hits != hits:
        text = f"hits {_number(best_hits, 'checker')} instead of {hits}"
        if 0 in (best_hits, hits):
            text = "does not hit" if not best_hits else "hits" if best_hits == 1 else "hits two checkers"
        yield Reason(text, best_hits > hits)
    yield from _fewer("leaves", best.shots, played.shots, "shot")
    points = frozenset(point for point, number in enumerate(before) if number >= 2)
    for verb, names, is_favourable in (
        ("makes", best.points - played.points - points, True),
        ("keeps", (best.points - played.points) & points, True),
        ("does not make", played.points - best.points - points, False),
        ("breaks", (played.points - best.points) & points, False),
    ):
        if names:
            yield Reason(f"{verb} {' and '.join(map(point_name, sorted(names)))}", is_favourable)
    if best.prime != played.prime and max(best.prime, played.prime) >= MIN_PRIME:
        text = f"has {_number(best.prime, 'point')} in a row instead of {played.prime}"
        yield Reason(text, best.prime > played.prime)
    yield from _fewer("leaves", best.back_checkers, played.back_checkers, "back checker")


def _race_reasons(before: Position, best: Position, played: Position) -> Iterator[Reason]:
    """Return reasons of positions without contact, after the play."""
    off = before.off[0]
    best_off, played_off = best.off[1] - off, played.off[1] - off
    if best_off != played_off:
        text = f"bears off {_number(best_off, 'checker')} instead of {played_off}"
        yield Reason(text, best_off > played_off)
    yield from _fewer("leaves", _outside(best), _outside(played), "checker", " outside")
    wastage, played_wastage = race_wastage(best.flip()), race_wastage(played.flip())
    if wastage is None or played_wastage is None or abs(wastage - played_wastage) < MIN_WASTAGE:
        return
    text = f"wastes {wastage:.1f} pips instead of {played_wastage:.1f}"
    yield Reason(text, wastage < played_wastage)


def _fewer(verb: str, best: int, played: int, noun: str, more: str = "") -> Iterator[Reason]:
    """Yield a reason if two counts differ; the smaller is better."""
    if best != played:
        yield Reason(f"{verb} {_number(best, noun)}{more} instead of {played}", best < played)


def _number(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def _outside(after: Position) -> int:
    """Return the number of checkers outside the home board of the player who has moved."""
    return sum(number for number in list(after.flip())[HOME + 1 :] if number > 0)


# ---- structure of a position ----


class Structure(NamedTuple):
    """Structure of one side, with points as that side counts them."""

    points: frozenset[int]  # with two or more checkers
    prime: int  # length of the longest block with an opposing checker behind it; 0 without one
    back_checkers: int  # on `BACK_POINT` or further back
    opponent_on_bar: int
    shots: int  # rolls of 36 with which the opponent, on roll, hits


def structure_of(after: Position, rules: RuleSetLike = STANDARD) -> Structure:
    """Return the structure of the side that has just played; the opponent is the mover of `after`."""
    board = list(after.flip())
    points = frozenset(point for point in range(1, POINTS + 1) if board[point] >= 2)
    return Structure(
        points=points,
        prime=_prime(points, board),
        back_checkers=sum(number for number in board[BACK_POINT:] if number > 0),
        opponent_on_bar=-board[0],
        shots=hitting_rolls(after, rules),
    )


def _prime(points: frozenset[int], board: Sequence[int]) -> int:
    """Return the length of the longest block with an opposing checker behind it."""
    longest = length = 0
    is_held = board[0] < 0
    for point in range(1, POINTS + 1):
        length = length + 1 if point in points else 0
        longest = max(longest, length if is_held else 0)
        is_held = is_held or board[point] < 0
    return longest


def hitting_rolls(position: Position, rules: RuleSetLike = STANDARD) -> int:
    """Return the number of the 36 rolls with which the player on roll can hit."""
    if position.winner is not None:
        return 0
    hits = (roll for roll in ROLLS if np.any(position.plays(roll, rules).boards[:, 0] < position[0]))
    return sum(map(roll_weight, hits))


def point_name(point: int) -> str:
    """Return the usual name of a point, with its article."""
    if point >= FIRST_ANCHOR:
        return f"the anchor on {point}"
    return {7: "the bar-point", 13: "the midpoint"}.get(point, f"the {point}-point")
