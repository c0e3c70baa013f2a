"""Text for cubeless money equities: what they refer to, and what they ignore."""

from __future__ import annotations

from bgfast.position.decision import Decision

__all__ = ["CUBELESS", "judged_as"]

CUBELESS = "cubeless, money"


def judged_as(*contexts: Decision | None) -> str:
    """Return a description of cubeless money equities, with the parts of the contexts that they ignore.

    Examples
    --------
    >>> judged_as(None), judged_as(Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"))
    ('cubeless, money', 'cubeless, money')
    >>> judged_as(Decision.read("-b----E-C---eE---c-e----B-:1:1:1:31:0:0:0:0:10"))
    'cubeless, money; cube and score ignored'
    >>> judged_as(Decision.read("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"))
    'cubeless, money; Jacoby rule ignored'
    """
    present = [context for context in contexts if context is not None]
    ignored = {
        "Jacoby rule": any(context.jacoby for context in present),
        "beavers": any(context.beaver for context in present),
    }
    words = [word for word, is_ignored in ignored.items() if is_ignored]
    if any(_has_cube_or_score(context) for context in present):
        words += ["cube", "score"]
    if not words:
        return CUBELESS
    *first, last = words
    return f"{CUBELESS}; {', '.join(first)}{' and ' if first else ''}{last} ignored"


def _has_cube_or_score(context: Decision) -> bool:
    """Return whether there is a match, a score, or a cube other than a centred 1."""
    return bool(context.match_length or any(context.score) or context.cube > 1 or context.cube_owner)
