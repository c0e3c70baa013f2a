"""Colours of score maps and roll maps, in HTML and in plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bgfast.evaluation.evaluators.ranked_plays import RankedPlays

Colour = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""

DIVERGING: tuple[Colour, ...] = (
    (0.70, 0.09, 0.17),
    (0.96, 0.65, 0.51),
    (0.97, 0.97, 0.97),
    (0.57, 0.77, 0.87),
    (0.13, 0.40, 0.67),
)
"""Colours from the largest loss through zero to the largest gain, distinct for the colour-blind."""
CLEAR_MARGIN = 0.2
"""Minimum margin of a decision with the full colour (EMG)."""
MIN_STRENGTH = 0.15
"""Share of the full colour in the closest decisions."""
_NEUTRAL: Colour = (0.85, 0.85, 0.85)
_WHITE: Colour = (1.0, 1.0, 1.0)
_BLUE: Colour = (0.36, 0.55, 0.78)
_GREEN: Colour = (0.25, 0.62, 0.35)
_VIOLET: Colour = (0.55, 0.35, 0.65)
_ACTION_COLOURS: dict[str, Colour] = {
    "ND": _BLUE,
    "TG": _VIOLET,
    **dict.fromkeys(("D/T", "O/T", "T"), _GREEN),
    **dict.fromkeys(("D/P", "O/P", "P"), (0.87, 0.42, 0.20)),
}
_PLAY_COLOURS: Sequence[Colour] = (
    _BLUE,
    (0.87, 0.52, 0.20),
    _GREEN,
    _VIOLET,
    (0.70, 0.60, 0.15),
    (0.20, 0.62, 0.62),
    (0.80, 0.40, 0.55),
    (0.55, 0.45, 0.35),
)
"""Colours of plays, the most frequent first; they repeat after the eighth."""


def diverging_colour(value: float, limit: float) -> Colour:
    """Return the colour of an equity, of which `limit` is the largest absolute value."""
    steps = len(DIVERGING) - 1
    place = (max(-1.0, min(1.0, value / limit if limit else 0.0)) + 1) / 2 * steps
    index = min(int(place), steps - 1)
    return _mixed(DIVERGING[index], DIVERGING[index + 1], place - index)


def answer_colour(answer: Any, text: str, plays: Sequence[str]) -> Colour | None:
    """Return the colour of a cell of a score map; None for an impossible score.

    `text` is the answer's abbreviation in `ScoreMap.texts`, `plays` are the letters of the map's plays.
    Neutral if no double is possible; paler for closer decisions.
    """
    if answer is None:
        return None
    if isinstance(answer, RankedPlays):
        colour = _PLAY_COLOURS[plays.index(text) % len(_PLAY_COLOURS)]
    elif text in _ACTION_COLOURS:
        colour = _ACTION_COLOURS[text]
    else:
        return _NEUTRAL
    strength = MIN_STRENGTH + (1 - MIN_STRENGTH) * max(0.0, min(1.0, decision_margin(answer) / CLEAR_MARGIN))
    return _mixed(_WHITE, colour, strength)


def decision_margin(answer: Any) -> float:
    """Return the margin of a decision (EMG): the cost of the second-best play or cube action.

    For a correct double a wrong answer counts as well: it may cost less than not doubling.
    """
    if isinstance(answer, RankedPlays):
        return -answer[1].difference if len(answer) > 1 else CLEAR_MARGIN
    values = answer.equities
    margins = [abs(values.double_take - values.double_drop)]
    if answer.decision.offer is None:
        margins = [abs(values.no_double - values.double), *(margins if values.doubles else [])]
    return float(min(margins))


def text_colour(background: Colour) -> str:
    """Return black or white, whichever has the greater contrast by WCAG 2.1 on a colour."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#ffffff"


def css(colour: Colour) -> str:
    """Return a colour in CSS notation."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    red, green, blue = ((1 - share) * a + share * b for a, b in zip(first, second, strict=True))
    return red, green, blue
