"""How to break the reading of what is typed: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["CLI_MUTATIONS", "CLI_TESTS"]

_PARSER = "bgfast/cli/parser.py"

CLI_TESTS = {
    _PARSER: ["tests/cli/test_main.py"],
}

# name, what stands there, what comes in its place, source
CLI_MUTATIONS = [
    ("options behind two dashes", 'if word == "--":', "if False:", _PARSER),
    (
        "two dashes are a word",
        "                words += rest\n",
        "                words += [word, *rest]\n",
        _PARSER,
    ),
]
