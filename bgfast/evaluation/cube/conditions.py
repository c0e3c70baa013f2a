"""Conditions of equities, as text and as named values: cube, score, match equities, efficiency."""

from __future__ import annotations

from typing import Any

from bgfast.position.decision import Decision

__all__ = ["CUBELESS", "cubeful_conditions", "cubeful_fields", "cubeless_conditions", "match_stage"]

CUBELESS = "cubeless, money"
_PLAYERS = {1: "X", -1: "O"}


def cubeful_conditions(
    decision: Decision, met: str, efficiency: str | None, *, at_scores: bool = False
) -> str:
    """Describe the conditions of cubeful equities in one line.

    With `at_scores` the description is that of a score map, which has only the cube of the decision.

    Parameters
    ----------
    decision : Decision
    met, efficiency : str
        Names of the match equity table, which is omitted in money play, and of the efficiency model, None for
        exact equities.

    Examples
    --------
    >>> money = Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10")
    >>> cubeful_conditions(money, "Kazaross", "bgfast")
    'cubeful, money, Jacoby rule; cube 1, centred; efficiency: bgfast'
    >>> match = Decision.read("-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10")
    >>> cubeful_conditions(match, "Kazaross", "bgfast")
    "cubeful, match to 7, X 5 away, O 4 away; cube 2, X's; match equities: Kazaross; efficiency: bgfast"
    """
    stage = ["cubeful", *(["matches at each score"] if at_scores else _stage(decision))]
    owner = "centred" if not decision.cube_owner else f"{_PLAYERS[decision.cube_owner * decision.turn]}'s"
    table = f"; match equities: {met}" if decision.match_length or at_scores else ""
    cube = "exact" if efficiency is None else f"efficiency: {efficiency}"
    return f"{', '.join(stage)}; cube {decision.cube}, {owner}{table}; {cube}"


def cubeful_fields(
    decision: Decision, met: str, efficiency: str | None, *, at_scores: bool = False
) -> dict[str, Any]:
    """Return the conditions of `cubeful_conditions` as JSON fields, from the mover's side.

    Examples
    --------
    >>> names = cubeful_fields(Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"), "M", "E")
    >>> names["jacoby"], names["match_equity_table"], names["efficiency"]
    (True, None, 'E')
    """
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
        "efficiency": efficiency,
    }
    return cube | ({} if at_scores else stage) | names


def match_stage(decision: Decision) -> str:
    """Describe money play and its rules, or a match and its score.

    Examples
    --------
    >>> match_stage(Decision.read("-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10"))
    'match to 7, X 5 away, O 4 away'
    """
    return ", ".join(_stage(decision))


def _stage(decision: Decision) -> list[str]:
    """Return the phrases for money play and its rules, or for a match and its score."""
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
    """Describe cubeless money equities in one line, with the parts of the decisions that they ignore.

    Examples
    --------
    >>> cubeless_conditions(Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"))
    'cubeless, money'
    >>> cubeless_conditions(Decision.read("-b----E-C---eE---c-e----B-:1:1:1:31:0:0:0:0:10"))
    'cubeless, money; cube and score ignored'
    >>> cubeless_conditions(Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"))
    'cubeless, money; Jacoby rule ignored'
    """
    present = [decision for decision in decisions if decision is not None]
    ignored = {
        "Jacoby rule": any(decision.jacoby for decision in present),
        "beavers": any(decision.beaver for decision in present),
    }
    words = [word for word, is_ignored in ignored.items() if is_ignored]
    if any(_has_cube_or_score(decision) for decision in present):
        words += ["cube", "score"]
    if not words:
        return CUBELESS
    *first, last = words
    return f"{CUBELESS}; {', '.join(first)}{' and ' if first else ''}{last} ignored"


def _has_cube_or_score(decision: Decision) -> bool:
    """Return whether there is a match, a score, or a cube other than a centred 1."""
    return bool(decision.match_length or any(decision.score) or decision.cube > 1 or decision.cube_owner)
