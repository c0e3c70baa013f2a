"""Conditions of equities, as text and as named values: cube, score, match equities, efficiency."""

from __future__ import annotations

from typing import Any

from bgfast.position.decision import Decision

CUBELESS = "cubeless, money"
EXACT, RACE_RECURSION, FORMULA = METHODS = ("exact", "race recursion", "formula")
"""Sources of cubeful equities: exact tables, a recursion over one-sided plays, the efficiency model."""
_PLAYERS = {1: "X", -1: "O"}


def cubeful_conditions(
    decision: Decision, met: str, efficiency: str, method: str = FORMULA, *, at_scores: bool = False
) -> str:
    """Describe the conditions of cubeful equities in one line; with `at_scores` those of a score map.

    `met` and `efficiency` are names of a match equity table and of a model, `method` one of `METHODS`.
    """
    stage = ["cubeful", *(["matches at each score"] if at_scores else _stage(decision))]
    owner = "centred" if not decision.cube_owner else f"{_PLAYERS[decision.cube_owner * decision.turn]}'s"
    table = f"; match equities: {met}" if decision.match_length or at_scores else ""
    cube = f"efficiency: {efficiency}" if method == FORMULA else method
    return f"{', '.join(stage)}; cube {decision.cube}, {owner}{table}; {cube}"


def cubeful_fields(
    decision: Decision, met: str, efficiency: str, method: str = FORMULA, *, at_scores: bool = False
) -> dict[str, Any]:
    """Return the conditions of `cubeful_conditions` as JSON fields, from the mover's side."""
    cube = {"cube": decision.cube, "cube_owner": decision.cube_owner, "max_cube": decision.max_cube}
    stage = {
        "match_length": decision.match_length,
        "score": list(decision.score),
        "crawford": decision.crawford,
        "jacoby": decision.jacoby,
        "beaver": decision.beaver,
    }
    names = {
        "match_equity_table": met if decision.match_length or at_scores else None,
        "efficiency": efficiency if method == FORMULA else None,
    }
    return cube | ({} if at_scores else stage) | names


def match_stage(decision: Decision) -> str:
    """Describe money play and its rules, or a match and its score."""
    return ", ".join(_stage(decision))


def _stage(decision: Decision) -> list[str]:
    if not decision.match_length:
        switches = (("Jacoby rule", decision.jacoby), ("beavers", decision.beaver))
        return ["money", *(name for name, is_on in switches if is_on)]
    own, other = (decision.match_length - points for points in decision.score)
    mover, opponent = _PLAYERS[decision.turn], _PLAYERS[-decision.turn]
    is_one_away = min(own, other) == 1 < decision.match_length  # a match to one point has no Crawford game
    crawford = ("Crawford game" if decision.crawford else "after the Crawford game") if is_one_away else ""
    away = [f"{mover} {own} away", f"{opponent} {other} away"]
    return [f"match to {decision.match_length}", *away, *filter(None, [crawford])]


def cubeless_conditions(*decisions: Decision | None) -> str:
    """Describe cubeless money equities in one line, with the parts of the decisions that they ignore."""
    present = [decision for decision in decisions if decision is not None]
    has_cube_or_score = any(
        decision.match_length or any(decision.score) or decision.cube > 1 or decision.cube_owner
        for decision in present
    )
    ignored = {
        "Jacoby rule": any(decision.jacoby for decision in present),
        "beavers": any(decision.beaver for decision in present),
        "cube": has_cube_or_score,
        "score": has_cube_or_score,
    }
    names = [name for name, is_ignored in ignored.items() if is_ignored]
    if not names:
        return CUBELESS
    *first, last = names
    return f"{CUBELESS}; {', '.join(first)}{' and ' if first else ''}{last} ignored"
