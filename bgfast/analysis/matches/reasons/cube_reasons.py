"""Reasons why a cube action is right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from typing import Literal, NamedTuple

from bgfast.analysis.matches.reasons.races import race_reason
from bgfast.analysis.matches.reasons.reason import share
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.points import CubePoints, cube_points
from bgfast.position.decision import Decision

ProperAction = Literal["double", "no double", "too good", "take", "beaver", "drop"]
"""Proper action of the doubler, or of the player who answers."""


class CubeFacts(NamedTuple):
    """Numbers of a cube decision, all from the doubler's side."""

    decision: Decision  # before the double, or with the double on offer
    probabilities: Sequence[float]  # the five of `Choice.probabilities`
    market_lost: float | None = None  # share of the next two rolls; None if unknown


def cube_reasons(
    facts: CubeFacts,
    action: ProperAction,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
) -> list[str]:
    """Return the reasons for the proper action.

    Chances and the cube point that decides, unless the point contradicts the action, which may come from a
    search or a rollout; market losers; in a race the pips.
    """
    points = cube_points(facts.probabilities, facts.decision, efficiency=efficiency, met=met)
    reasons = [*_chances(facts.probabilities, action, points)]
    if facts.market_lost is not None and action in ("double", "no double"):
        reasons.append(f"{share(facts.market_lost)} of the next two rolls are market losers")
    if facts.decision.position.phase != "contact":
        reasons.append(race_reason(facts.decision.position))
    return reasons


def _chances(probabilities: Sequence[float], action: ProperAction, points: CubePoints) -> Iterator[str]:
    """Yield the chances of the player who decides, with the distance from the cube point that decides."""
    win, gammon = probabilities[0], probabilities[1]
    if action in ("take", "beaver", "drop"):
        distance = _distance(1 - win, 1 - points.cash, "take point", above=action != "drop")
        yield f"wins {share(1 - win)}{distance}"
        yield f"loses a gammon in {share(gammon)}"
    elif action == "too good":
        yield f"wins {share(win)}{_distance(win, points.too_good, 'point of being too good', above=True)}"
        yield f"wins a gammon in {share(gammon)}"
    else:
        yield f"wins {share(win)}{_distance(win, points.double, 'doubling point', above=action == 'double')}"


def _distance(win: float, point: float, name: str, *, above: bool) -> str:
    """Return the distance from a cube point; empty without a point or if the action contradicts it."""
    if isnan(point) or (win >= point) != above:
        return ""
    side = "above" if above else "below"
    return f", {share(abs(win - point))} {side} the {name} of {share(point)}"
