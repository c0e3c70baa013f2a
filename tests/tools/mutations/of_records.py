"""Mutations of recorded matches."""

from __future__ import annotations

_PLAIN = "bgfast/records/formats/_mat.pyx"
_TURNS = "bgfast/games/_turns.pyx"

TESTS = {
    _PLAIN: [
        "tests/cli/test_check.py",
        "tests/records/test_match_files.py",
        "tests/records/formats/test_mat.py",
        "tests/records/test_replay.py",
        "tests/records/formats/test_sgf.py",
    ],
    _TURNS: [
        "tests/cli/test_check.py",
        "tests/records/test_match_files.py",
        "tests/records/formats/test_mat.py",
        "tests/records/test_replay.py",
        "tests/records/formats/test_sgf.py",
    ],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "records: plain cells on the right belong to the left player",
        "<int> (5 * (cell.at + 1) > 3 * right)",
        "0",
        _PLAIN,
    ),
    (
        "records: plain columns begin with 0",
        "_tuple(Place, (number, cell.at + 1))",
        "_tuple(Place, (number, cell.at))",
        _PLAIN,
    ),
    ("records: a plain win ends no match", "            cell.match,\n", "            False,\n", _PLAIN),
    (
        "records: a blot on the way is ignored",
        "if stop > 0 and board.point[stop] == -1:",
        "if False:",
        _TURNS,
    ),
    (
        "records: 6-4 is played as nine pips and one",
        "        if not (\n            (fits_die",
        "        if False and not (\n            (fits_die",
        _TURNS,
    ),
    (
        "records: 2-2 is played with three pips",
        "if hops.end[i] and (point - hops.end[i]) % die:",
        "if False:",
        _TURNS,
    ),
    ("records: turns of the wrong player", "if turn_player != player or", "if", _TURNS),
    (
        "records: a pass though there are plays",
        "if generate(NULL, board, die1, die2, rows, NULL, False):\n        return False",
        "if False:\n        return False",
        _TURNS,
    ),
]
