"""Suite format: round trips, and refusal of malformed files with the line."""

from __future__ import annotations

import pytest

from bgfast.conformance.suite.suite_file import InvalidSuiteError, read_suite

GOOD = """\
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


def read(text: str | bytes):
    return read_suite(text if isinstance(text, bytes) else text.encode(), "x.txt")


def test_read_suite() -> None:
    suite = read(GOOD)
    assert suite.seed == 7
    assert suite.rule_sets["odd"].bearoff_die == "rearmost"
    assert suite.rule_sets["odd"].bearoff_compulsory is True
    assert suite.rule_sets["odd"].stack_max == 3
    first, second = suite.cases
    assert (first.id, first.section, first.rules, first.roll, first.count) == (
        "a.1",
        "first",
        "standard",
        (6, 5),
        1,
    )
    assert first.board == tuple(map(int, BOARD.split(",")))
    assert (first.digest, first.reason) == ("0123456789abcdef", "last | one")
    assert (second.roll, second.count, second.reason) == ((5, 6), 0, "")
    (line,) = suite.perft
    assert (line.id, line.section, line.rules, line.depth, line.leaves) == ("b", "counts", "odd", 1, (21, 36))
    assert read(GOOD.replace("\n", "\r\n")) == suite
    assert read(GOOD.rstrip()) == suite


REFUSED = [
    ("bgfast-suite 1", "bgfast-suite 2", 1, "version '2' of the format; expected 'bgfast-suite 1'"),
    ("bgfast-suite 1", "", 1, "the first line is ''; expected 'bgfast-suite 1'"),
    ("bgfast-suite 1", "P01 | mover", 1, "'P01 | mover'; expected 'bgfast-suite 1'"),
    ("seed 7", "seed -1", 4, "the seed is '-1'; expected a whole number from 0"),
    ("seed 7", "seed 18446744073709551616", 4, "the seed is '18446744073709551616'"),
    ("seed 7", "seed", 4, "0 fields after its kind; expected 1: N"),
    ("seed 7\n", "seed 7\nseed 8\n", 5, "a second seed; expected one"),
    ("seed 7\n", "", 7, "expected lines of kind 'seed' and 'section' above"),
    ("section first\n", "", 7, "expected lines of kind 'seed' and 'section' above"),
    ("section first", "section fir/st", 7, "the name is 'fir/st'; expected letters"),
    ("stack_max=3", "stack_max=-3", 6, "stack_max is '-3'; expected a whole number from 0"),
    ("stack_max=3", "stacks=3", 6, "the switches bearoff_die, bearoff_compulsory, forfeit, stacks; expected"),
    ("stack_max=3", "", 6, "4 fields after its kind; expected 5: NAME bearoff_die=VALUE"),
    (
        "forfeit=never stack_max=3",
        "forfeit=sometimes stack_max=3",
        6,
        "forfeit is 'sometimes'; expected one of",
    ),
    ("compulsory=yes", "compulsory=True", 6, "bearoff_compulsory is 'True'; expected yes or no"),
    ("rules odd", "rules standard", 6, "the rule set 'standard' for the second time"),
    (
        "a.2 odd",
        "a.2 acey",
        9,
        "the rule set 'acey'; expected one of the lines of kind 'rules': standard, odd",
    ),
    (
        "case a.2",
        "game a.2",
        9,
        "a line of kind 'game'; expected one of seed, rules, section, case, perft, end",
    ),
    ("5,6 0 ", "5,6 ", 9, "5 fields after its kind; expected 6: ID RULES BOARD ROLL COUNT HASH"),
    ("5,6 0 ", "5,6 0 1 ", 9, "7 fields after its kind; expected 6"),
    (f"odd {BOARD} 5,6", f"odd {BOARD[:-2]} 5,6", 9, "a board of 25 numbers; expected 26"),
    (f"odd {BOARD} 5,6", f"odd {BOARD},0 5,6", 9, "a board of 27 numbers; expected 26"),
    (f"odd {BOARD} 5,6", f"odd x{BOARD[1:]} 5,6", 9, "number 0 of the board is 'x'; expected a whole number"),
    (
        f"odd {BOARD} 5,6",
        f"odd 16{BOARD[1:]} 5,6",
        9,
        "number 0 of the board is '16'; expected a whole number",
    ),
    (f"odd {BOARD} 5,6", f"odd {BOARD[:-1]}-1 5,6", 9, "an impossible position: "),
    (f"odd {BOARD} 5,6", f"odd 1{BOARD[1:]} 5,6", 9, "an impossible position: "),
    (f"odd {BOARD} 5,6", f"odd 0,15{BOARD[3:]} 5,6", 9, "an impossible position: "),
    (f"odd {BOARD} 5,6", f"odd {BOARD.replace('1', '0')} 5,6", 9, "a finished position; expected checkers"),
    ("5,6", "5,7", 9, "a die is '7'; expected a whole number from 1 to 6"),
    ("5,6", "0,6", 9, "a die is '0'; expected a whole number from 1 to 6"),
    ("5,6", "56", 9, "the roll is '56'; expected two dice"),
    ("0 0000000000000000", "-1 0000000000000000", 9, "the count is '-1'; expected a whole number"),
    ("0123456789abcdef", "0123456789abcde", 8, "the hash is '0123456789abcde'; expected 16 hexadecimal"),
    ("0123456789abcdef", "0123456789ABCDEF", 8, "the hash is '0123456789ABCDEF'; expected 16 hexadecimal"),
    ("0000000000000000", "0000000000000001", 9, "the hash of no successors is 0000000000000001; expected"),
    ("case a.2", "case a.1", 9, "the ID 'a.1' is already in line 8; expected a new one"),
    ("perft b", "perft a.1", 11, "the ID 'a.1' is already in line 8"),
    ("perft b", "perft b|", 11, "the ID is 'b|'; expected letters"),
    ("1 21 36", "1 21", 11, "5 fields after its kind; expected 6: ID RULES BOARD DEPTH LEAVES21 LEAVES36"),
    ("1 21 36", "0 21 36", 11, "the depth is '0'; expected a whole number from 1 to 9"),
    ("1 21 36", "1 0 36", 11, "the leaves over 21 rolls is '0'"),
    ("1 21 36", "1 21 36.0", 11, "the leaves over 36 rolls is '36.0'"),
    ("1 21 36", "1 21 36 | why", 11, "a reason in a line of kind 'perft'"),
    ("end 3", "end 4", 12, "'end' counts 4 cases, but 3 were read; expected the same number"),
    ("end 3", "end", 12, "0 fields after its kind; expected 1: N"),
    ("end 3\n", "end 3\nseed 8\n", 13, "'seed 8' after the line 'end'; expected nothing more"),
    ("end 3\n", "", 12, "the file ends here; expected a last line 'end'"),
    ("36\nend 3\n", "3", 11, "the file ends here; expected a last line 'end'"),
    (GOOD[GOOD.index("section") :], "end 0\n", 7, "no case at all; expected one or more"),
    (GOOD, "bgfast-suite 1\nend 0\n", 2, "no case at all; expected one or more"),
    ("made by", "made by ä", 2, r"the byte b'\xc3' at place 11; expected ASCII text"),
]


@pytest.mark.parametrize(("old", "new", "line", "problem"), REFUSED)
def test_a_malformed_file_is_refused_with_its_line(old: str, new: str, line: int, problem: str) -> None:
    assert old in GOOD
    with pytest.raises(InvalidSuiteError) as refused:
        read(GOOD.replace(old, new, 1))
    message = str(refused.value)
    assert message.startswith(f"x.txt, line {line}: ")
    assert problem in message
    assert "expected" in message
    assert len(message) < 300


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\x00" * 100, b"bgfast-suite 1", b"bgfast-suite 1\n", b"\xff"]
)
def test_empty_files_are_refused(content: bytes) -> None:
    with pytest.raises(InvalidSuiteError, match=r"x\.txt, line \d: .*expected"):
        read(content)


def test_truncated_files_are_refused() -> None:
    for end in range(len(GOOD) - 2):
        with pytest.raises(InvalidSuiteError):
            read(GOOD[:end])
