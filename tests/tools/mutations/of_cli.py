"""How to break the reading of what is typed: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["CLI_MUTATIONS", "CLI_TESTS"]

_TESTS = ["tests/cli/test_main.py"]
_TESTS_OF_FILES = ["tests/cli/test_given_positions.py"]
_PARSER = "bgfast/cli/parser.py"
_POSITIONS = "bgfast/position/position_text.py"
_FILES = "bgfast/position/position_files.py"
_GIVEN = "bgfast/cli/given_positions.py"

CLI_TESTS = {
    **dict.fromkeys((_PARSER, _POSITIONS), _TESTS),
    **dict.fromkeys((_FILES, _GIVEN), _TESTS_OF_FILES),
}

# name, what stands there, what comes in its place, source
CLI_MUTATIONS = [
    (
        "a match ID below its position is dropped",
        "words = [*_before_match_id(found), *words]",
        "return",
        _GIVEN,
    ),
    ("a double is played on", "    refuse_offer(text.context)\n", "", _GIVEN),
    ("a comment is part of the line", '.partition("#")[0]', "", _FILES),
    ("a file of nothing is fine", "if not any(words):", "if False:", _FILES),
    ("a pasted position is none", "if pasted is not None:", "if False:", _POSITIONS),
    ("a roll with its colon is none", " ?:?", "", _POSITIONS),
    ("a roll with its colon is a position", "[0-9.,:+-]*", "[0-9.,+-]*", _POSITIONS),
    (
        "help that cannot be written is success",
        'print(self.format_help(), end="", file=file)',
        "super().print_help(file)",
        _PARSER,
        "tests/cli/test_status.py",
    ),
    (
        "nobody says whose chances stand below an offered double",
        "whose = [] if found.decision.offer is None else",
        "whose = [] if True else",
        "bgfast/cli/analysed.py",
        "tests/cli/test_analyse_cube.py",
    ),
    (
        "who tells equities alone is silently cubeless",
        "if decision is None and given.context is not None and points",
        "if False and points",
        "bgfast/cli/analyse.py",
        "tests/cli/test_analyse_cube.py",
    ),
    (
        "a raccoon that is rolled out is taken",
        'taken = "take" if found.cube.take_difference <= 0 else "pass"',
        'taken = "take"',
        "bgfast/cli/analysed.py",
        "tests/cli/test_analyse_cube.py",
    ),
    (
        "nobody says how to answer a double that is rolled out",
        'not in ("double", "raccoon")',
        'not in ("raccoon",)',
        "bgfast/cli/analysed.py",
        "tests/cli/test_analyse_cube.py",
    ),
    (
        "market losers where nobody may double",
        "if stakes_of(found.decision).may_double:",
        "if True:",
        "bgfast/cli/analysed.py",
        "tests/cli/test_analyse_cube.py",
    ),
    (
        "a match to one point comes after its Crawford game",
        "== 1 < decision.match_length",
        "== 1",
        "bgfast/evaluation/cube/played_for.py",
        "tests/cli/test_analyse_cube.py",
    ),
    ("options behind two dashes", 'if word == "--":', "if False:", _PARSER),
    (
        "two dashes are a word",
        "                words += rest\n",
        "                words += [word, *rest]\n",
        _PARSER,
    ),
]
