"""Which decisions of a match are contested, and what a rollout says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.matches.analysed import NORMAL_95, AnalysedDecision, Choice
from bgfast.analysis.matches.rates import CLOSE, marked
from bgfast.analysis.rollouts.result import CubeVerdict, Estimate, RolloutResult
from bgfast.common.probabilities import flipped_probabilities
from bgfast.position.decision import Decision

__all__ = ["NEAR", "Contested", "contested", "is_settled", "judged_by"]

NEAR = 0.08
"""By how much plays that are rolled out are behind the best, at most; but the one that was made."""


class Contested(NamedTuple):
    """What one rollout settles: a play, or whether to double and, if that was done, the answer.

    Attributes
    ----------
    places : tuple of int
        Of the decisions among those of the match.
    decision : Decision
        Before an offer.
    plays : tuple of str
        The candidates; none of a decision about the cube.
    """

    places: tuple[int, ...]
    decision: Decision
    plays: tuple[str, ...]


def contested(decisions: Sequence[AnalysedDecision]) -> list[Contested]:
    """Return what of the decisions of a match is to be rolled out: the costliest errors first.

    Where a double or its answer is contested both are judged by the rollout.
    """
    places: dict[tuple[int, Decision], tuple[int, ...]] = {}
    candidates: dict[tuple[int, Decision], tuple[str, ...]] = {}
    for place, each in enumerate(decisions):
        if each.recorded.kind == "resignation":
            continue
        key = each.recorded.game, replace(each.recorded.decision, offer=None)
        places[key] = (*places.get(key, ()), place)
        plays = _candidates(each) if each.recorded.kind == "play" else ()
        if len(plays) > 1 or _is_contested_cube(each):
            candidates[key] = plays
    found = [Contested(places[key], key[1], plays) for key, plays in candidates.items()]
    return sorted(found, key=lambda one: -max(decisions[place].error for place in one.places))


def _candidates(each: AnalysedDecision) -> tuple[str, ...]:
    near = [choice.text for choice in each.choices if each.best.equity - choice.equity <= NEAR]
    if marked(each.error) is not None and each.chosen.text not in near:
        near.append(each.chosen.text)
    return tuple(near)


def _is_contested_cube(each: AnalysedDecision) -> bool:
    if each.recorded.kind not in ("double", "take"):
        return False
    if stakes_of(each.recorded.decision).may_beaver_below_limit:  # which no rollout tells
        return False
    best, other = each.choices[:2]
    return best.equity - other.equity < CLOSE or marked(each.error) is not None


# ---- what a rollout says ----


class _Difference(NamedTuple):
    """How much what was chosen is better than the best of the others, and the standard error of that."""

    mean: float
    error: float


def _difference(each: AnalysedDecision, result: RolloutResult) -> _Difference:
    chosen = each.recorded.chosen
    if each.recorded.kind == "play":
        best, *others = result.estimates
        made = next(one for one in result.estimates if one.name == chosen)
        if made is not best:
            return _Difference(made.difference, made.difference_se)
        # The one that comes nearest by its interval.
        nearest = min(others, key=lambda one: _standard_errors(-one.difference, one.difference_se))
        return _Difference(-nearest.difference, nearest.difference_se)
    verdict = _verdict(result)
    if each.recorded.kind == "double":
        sign = 1 if chosen == "no double" else -1
        return _Difference(sign * verdict.difference, verdict.difference_se)
    answers = _answers(verdict)
    mean = min(value for name, (value, _) in answers.items() if name != chosen) - answers[chosen][0]
    times = 2 if "beaver" in answers else 1  # at most
    return _Difference(mean, times * verdict.double_take_se)


def _standard_errors(mean: float, error: float) -> float:
    return mean / error if error else float("inf") if mean else 0.0


def is_settled(each: AnalysedDecision, result: RolloutResult, errors: float) -> bool:
    """Return whether what was chosen is so many standard errors better, or worse, than the best other."""
    return abs(_standard_errors(*_difference(each, result))) >= errors


def judged_by(
    each: AnalysedDecision, results: Sequence[RolloutResult], met: MatchEquityTable
) -> AnalysedDecision:
    """Return a decision as rollouts of it say; a later one is of candidates that the ones before left.

    What was rolled out stands before what was not.
    """
    final, taken = results[-1], None
    if each.recorded.kind == "play":
        choices = _plays(each, results)
    elif each.recorded.kind == "double":
        choices = _doubles(each, final, met)
        taken = _taken(each, final, met)
    else:
        choices = _takes(each, final, met)
    mean, error = _difference(each, final)
    settled = is_settled(each, final, NORMAL_95)
    return replace(
        each,
        choices=tuple(choices),
        rank=1 + next(row for row, one in enumerate(choices) if one.text == each.recorded.chosen),
        status="settled" if settled else "too close to call",
        error_se=0.0 if settled and mean > 0 else error,
        taken=taken,
    )


def _plays(each: AnalysedDecision, results: Sequence[RolloutResult]) -> list[Choice]:
    known: dict[str, Choice] = {}
    ply = {choice.text: choice.ply for choice in each.choices}
    for result in reversed(results):
        for one in result.estimates:
            if one.name not in known:
                known[one.name] = _choice(one, ply[one.name], result.trials)
    return [*known.values(), *(choice for choice in each.choices if choice.text not in known)]


def _choice(one: Estimate, ply: int, trials: int) -> Choice:
    told = one.probabilities, trials, one.equity_se, one.probabilities_se
    return Choice(one.name, one.equity, one.mwc, ply, *told)


def _verdict(result: RolloutResult) -> CubeVerdict:
    assert result.cube is not None
    return result.cube


def _answers(verdict: CubeVerdict) -> dict[str, tuple[float, float]]:
    """Return what each answer leaves the doubler, and its standard error."""
    found = {"take": (verdict.double_take, verdict.double_take_se), "pass": (verdict.double_pass, 0.0)}
    if verdict.double_beaver is not None:
        found["beaver"] = verdict.double_beaver, 2 * verdict.double_take_se
    return found


def _doubles(each: AnalysedDecision, result: RolloutResult, met: MatchEquityTable) -> list[Choice]:
    verdict = _verdict(result)
    values = {
        "no double": (verdict.no_double, verdict.no_double_se),
        "double": min(_answers(verdict).values()),
    }
    return _cube_choices(each.choices, each, values, result, met, sign=1)


def _taken(each: AnalysedDecision, result: RolloutResult, met: MatchEquityTable) -> Choice | None:
    """Return what a double is worth that is taken."""
    if each.taken is None:
        return None
    verdict = _verdict(result)
    values = {each.taken.text: (verdict.double_take, verdict.double_take_se)}
    return _cube_choices([each.taken], each, values, result, met, sign=1)[0]


def _takes(each: AnalysedDecision, result: RolloutResult, met: MatchEquityTable) -> list[Choice]:
    return _cube_choices(each.choices, each, _answers(_verdict(result)), result, met, sign=-1)


def _cube_choices(
    choices: Sequence[Choice],
    each: AnalysedDecision,
    values: dict[str, tuple[float, float]],
    result: RolloutResult,
    met: MatchEquityTable,
    *,
    sign: int,
) -> list[Choice]:
    """Return the choices, from values for the doubler; `sign` is -1 where the opponent decides."""
    stakes = stakes_of(each.recorded.decision, met)
    waiting, doubled = (
        next(one for one in result.estimates if one.name.startswith("no ") == first)
        for first in (True, False)
    )
    found = []
    for choice in choices:
        value, error = values[choice.text]
        mwc = float(stakes.denormalized(value)) if stakes.is_match else None
        branch = waiting if choice.text == "no double" else doubled
        told, told_se = branch.probabilities, branch.probabilities_se
        if choice.text == "pass":
            told = told_se = None
        elif sign < 0 and told is not None and told_se is not None:
            told = tuple(flipped_probabilities(np.array([told]))[0].tolist())
            told_se = (told_se[0], *told_se[3:], *told_se[1:3])
        if sign < 0 and mwc is not None:
            mwc = 1 - mwc
        found.append(Choice(choice.text, sign * value, mwc, choice.ply, told, result.trials, error, told_se))
    return sorted(found, key=lambda one: -one.equity)
