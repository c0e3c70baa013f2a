"""Suite format: valid files are read, and truncated files are refused."""

from __future__ import annotations

import pytest

from bgfast.conformance.suite.suite_file import InvalidSuiteError, Suite, read_suite

VALID_TEXT = """\
bgfast-suite 1
# made by hand

seed 7
rules standard bearoff_die=standard bearoff_compulsory=no forfeit=never stack_max=0
rules odd bearoff_die=rearmost bearoff_compulsory=yes forfeit=never stack_max=3
section first
case a.1 standard 0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0 6,5 1 0123456789abcdef | last | one
case a.2 odd 0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0 5,6 0 0000000000000000
section counts
perft b odd 0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0 1 21 36
end 3
"""
BOARD = "0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0"


def read(text: str | bytes) -> Suite:
    return read_suite(text if isinstance(text, bytes) else text.encode(), "x.txt")


def read_changed(old: str, new: str) -> Suite:
    """Read the valid suite with a change; tests/refusals/conformance.txt lists changes that are refused."""
    assert old in VALID_TEXT
    return read(VALID_TEXT.replace(old, new, 1))


def test_valid_files_are_read() -> None:
    suite = read(VALID_TEXT)
    assert suite.seed == 7
    assert suite.rule_sets["odd"].bearoff_die == "rearmost"
    assert suite.rule_sets["odd"].bearoff_compulsory is True
    assert suite.rule_sets["odd"].stack_max == 3
    first, second = suite.cases
    expected = "a.1", "first", "standard", (6, 5), 1
    assert (first.id, first.section, first.rules, first.roll, first.count) == expected
    assert first.board == tuple(map(int, BOARD.split(",")))
    assert (first.digest, first.reason) == ("0123456789abcdef", "last | one")
    assert (second.roll, second.count, second.reason) == ((5, 6), 0, "")
    (line,) = suite.perft
    assert (line.id, line.section, line.rules, line.depth, line.leaves) == ("b", "counts", "odd", 1, (21, 36))
    assert read(VALID_TEXT.replace("\n", "\r\n")) == suite
    assert read(VALID_TEXT.rstrip()) == suite


def test_truncated_files_are_refused() -> None:
    for end in range(len(VALID_TEXT) - 2):
        with pytest.raises(InvalidSuiteError):
            read(VALID_TEXT[:end])
