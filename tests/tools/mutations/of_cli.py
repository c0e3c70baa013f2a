"""How to break the reading of what is typed: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["CLI_MUTATIONS", "CLI_TESTS"]

_TESTS = ["tests/cli/test_main.py"]
_PARSER = "bgfast/cli/parser.py"
_POSITIONS = "bgfast/formats/position_text.py"

CLI_TESTS = {
    **dict.fromkeys((_PARSER, _POSITIONS), _TESTS),
}

# name, what stands there, what comes in its place, source
CLI_MUTATIONS = [
    ("a pasted position is none", "if pasted is not None:", "if False:", _POSITIONS),
    ("a roll with its colon is none", " ?:?", "", _POSITIONS),
    ("a roll with its colon is a position", "[0-9.,:+-]*", "[0-9.,+-]*", _POSITIONS),
    ("options behind two dashes", 'if word == "--":', "if False:", _PARSER),
    (
        "two dashes are a word",
        "                words += rest\n",
        "                words += [word, *rest]\n",
        _PARSER,
    ),
]
