"""Colours of pictures of positions: themes, and replacements by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from bgfast.errors import BgfastError, shown

Theme = Literal["light", "dark", "print"]

# Source: Extensible Markup Language 1.0, section 2.2.
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_COLOURS = {
    "background": ("#ffffff", "#16191d", "#ffffff"),
    "frame": ("#7a5230", "#0c0e10", "#ffffff"),
    "board": ("#f3e3c3", "#2b3138", "#ffffff"),
    "dark_points": ("#b5743c", "#1f4e5f", "#c4c4c4"),
    "light_points": ("#e0bd87", "#596773", "#ffffff"),
    "tray": ("#d9bf94", "#20252b", "#ffffff"),
    "checkers_x": ("#fffdf6", "#ece6d8", "#ffffff"),
    "checkers_o": ("#33302e", "#a8432f", "#000000"),
    "outline_x": ("#5a4a3a", "#8d8676", "#000000"),
    "outline_o": ("#0f0e0d", "#5e2015", "#000000"),
    "text": ("#222222", "#e6e6e6", "#000000"),
    "cube": ("#ffffff", "#ece6d8", "#ffffff"),
    "arrows": ("#1f5fbf", "#6db3ff", "#555555"),
    "other_arrows": ("#e0007a", "#ff7ab8", "#000000"),
    "hits": ("#d02020", "#ffd23f", "#999999"),
}
"""Colours in the themes "light", "dark" and "print"."""
_THEMES: Mapping[str, Mapping[str, str]] = {
    theme: {name: colours[column] for name, colours in _COLOURS.items()}
    for column, theme in enumerate(("light", "dark", "print"))
}


_LETTERS = ("frame_text", "checkers_x_text", "checkers_o_text", "cube_text")
"""Optional colours of letters by background; by default they contrast with it."""


def themed_colours(theme: Any, colours: Any) -> Mapping[str, str]:
    """Return the colours of a theme, with replacements; raise `BgfastError` if an argument is invalid."""
    if not isinstance(theme, str) or theme not in _THEMES:
        raise BgfastError(f"theme is {shown(theme)}; expected {', '.join(map(repr, _THEMES))}")
    defaults = _THEMES[theme]
    if colours is None:
        return defaults
    if not isinstance(colours, Mapping):
        raise BgfastError(f"colours is {shown(colours)}; expected a mapping from {', '.join(defaults)}")
    for name, colour in colours.items():
        if name not in defaults and name not in _LETTERS:
            raise BgfastError(f"colours has {shown(name)}; expected some of {', '.join(defaults)}")
        if not isinstance(colour, str):
            raise BgfastError(f"the colour of {name} is {shown(colour)}; expected text, as '#b5743c'")
        check_characters(f"the colour of {name}", colour)
    return {**defaults, **colours}


def check_characters(name: str, text: str) -> None:
    """Raise `BgfastError` if a text has a character that XML cannot represent, even escaped."""
    invalid = _NOT_IN_XML.search(text)
    if invalid is not None:
        raise BgfastError(
            f"{name} has {invalid[0]!a} at {invalid.start()}; expected text without control characters and "
            "lone surrogates, which SVG cannot represent"
        )


def contrast(background: str, text: str) -> str:
    """Return white or black, whichever is readable on a background; the text colour if that is a name."""
    if len(background) == 7 and background.startswith("#"):
        try:
            channels = [int(background[i : i + 2], 16) for i in (1, 3, 5)]
        except ValueError:
            return text
        return "#ffffff" if sum(channels) < 3 * 128 else "#222222"
    return text
