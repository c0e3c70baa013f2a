"""What equities are counted for, in words: for money and without a cube, whatever a position came with."""

from __future__ import annotations

from bgfast.position.decision import Decision

__all__ = ["CUBELESS", "judged_as"]

CUBELESS = "cubeless, money"


def judged_as(*contexts: Decision | None) -> str:
    """Return what equities are counted for, and what of these contexts they ignore.

    Examples
    --------
    >>> judged_as(None), judged_as(Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"))
    ('cubeless, money', 'cubeless, money')
    >>> judged_as(Decision.read("-b----E-C---eE---c-e----B-:1:1:1:31:0:0:0:0:10"))
    'cubeless, money; cube and score ignored'
    >>> judged_as(Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"))
    'cubeless, money; Jacoby rule ignored'
    """
    given = [context for context in contexts if context is not None]
    ignored = {
        "Jacoby rule": any(context.jacoby for context in given),
        "beavers": any(context.beaver for context in given),
    }
    words = [word for word, there in ignored.items() if there]
    if any(_has_cube_or_score(context) for context in given):
        words += ["cube", "score"]
    if not words:
        return CUBELESS
    *first, last = words
    return f"{CUBELESS}; {', '.join(first)}{' and ' if first else ''}{last} ignored"


def _has_cube_or_score(context: Decision) -> bool:
    """Whether the cube is not in the middle at 1, or there is a match or a score."""
    return bool(context.match_length or any(context.score) or context.cube > 1 or context.cube_owner)
