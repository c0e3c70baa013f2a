"""Match records as sites, programs and people write them, with expected results.

A case is a line of `site_records.txt`: FORMAT: NAME | RECORD | RESULTS. The record is an f-string in which
the names of this module are defined; the results are the other arguments of `Case`. Records and names are
invented. Expected values follow docs/RECORDS.md and not the code.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bgfast
from bgfast import Match
from bgfast.games import Finding

SEVERITIES = ("clean", "note", "warning", "error")


@dataclass(frozen=True)
class Case:
    """Record with the expected results of reading it."""

    text: str
    plays: int
    results: tuple[tuple[int, int | None, str], ...] = ()
    """Winner, points (None if unknown) and ending ("" if unknown) of each game."""
    score: tuple[int, int] | None = None
    findings: tuple[tuple[str, str, int], ...] = ()
    """Severity, text at the location, and game number of every finding."""
    worst: str = "clean"
    """Worst severity, for cases without `findings`."""
    winner: int | None = None
    names: tuple[str, str] = ("Ida", "Jon")
    points: tuple[tuple[int, int, int], ...] = ()
    """Player, point and number of checkers at the end."""


def place(text: str, entry: str) -> tuple[int, int]:
    """Return the line and the column, counted from 1, of an entry that occurs once."""
    assert text.count(entry) == 1, entry
    before = text[: text.index(entry)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def worst_of(findings: tuple[Finding, ...]) -> str:
    """Return the worst severity, or "clean" if there are no findings."""
    return max((finding.severity for finding in findings), key=SEVERITIES.index, default="clean")


def head(length: int = 5, score: tuple[int, int] = (0, 0), number: int = 1) -> str:
    """Return the lines above the first row of a game."""
    return f"{length} point match\n\n{game(number, score)}"


def game(number: int, score: tuple[int, int]) -> str:
    """Return the heading of a game and the line with the names."""
    return f" Game {number}\n Ida : {score[0]}                         Jon : {score[1]}\n"


def sheet(cells: list[str], opener: int = 0) -> str:
    """Return rows of two cells; if player 1 opens, the first left cell is empty."""
    padded = [""] * opener + cells
    padded += [""] * (len(padded) % 2)
    rows = zip(padded[::2], padded[1::2], strict=True)
    return "".join(f"{row:3}) {left:32}{right}".rstrip() + "\n" for row, (left, right) in enumerate(rows, 1))


# TWO, THREE and FOUR are the rows with that many plays.
TWO = "  1) 42: 8/4 6/4                  63: 24/15\n"
THREE = TWO + "  2) 51: 13/8 24/23\n"
OPEN_ROW = THREE.rstrip("\n") + 15 * " "
"""Three plays, padded for text in the right cell of the last row."""
FOUR = TWO + "  2) 51: 13/8 24/23               31: 8/5 6/5\n"
RIGHT_OPENS = "  1)                              43: 24/20 13/10\n  2) 65: 24/13"
EMPTY_LEFT_CELL = " " * 34
CUBE_2 = TWO + "  2)  Doubles => 2                 Takes\n  3) 51: 13/8 24/23               31: 8/5 6/5\n"
BACKGAMMON = [
    "65: 8/3 8/2", "22: 13/7 6/4", "55: 13/8(2) 13/3", "21: 13/11 4/3", "44: 24/16 8/4(2)", "21: 11/8",
    "55: 16/6 13/8(2)", "22: 13/11 13/7", "44: 24/12* 8/4", "31: bar/24 11/8", "66: 12/off 8/2(2)", "21: 7/4",
    "66: 6/off(4)", "11: 6/5(2) 3/1", "66: 6/off(2) 4/off(2)", "11: 8/6(2)", "55: 4/off 3/off(2) 2/off",
    "11: 7/5 6/5(2)", "66: 2/off(2)",
]  # fmt: skip
GAMMON = [
    "65: 24/13", "11: 24/23 6/3", "66: 24/18 13/7(3)", "31: 23/20 3/2", "66: 8/2 7/1*(3)", "31: bar/21",
    "66: 13/7(2) 13/1", "31: 21/20 6/3", "33: 18/15 7/4 7/1", "31: 6/5 6/3", "55: 15/10 6/1(3)",
    "22: 20/14 13/11", "66: 10/4 8/2(2) 6/off", "11: 11/9 8/7(2)", "66: 6/off 4/off(2) 2/off",
    "31: 13/10 5/4",
    "44: 2/off(2) 1/off(2)", "22: 20/14 10/8", "66: 1/off(4)", "21: 14/12 8/7", "66: 1/off(2)",
]  # fmt: skip
RESIGNED_1, RESIGNED_2, RESIGNED_3 = ((0, level, "resignation") for level in (1, 2, 3))
RESIGNED_1_RIGHT, RESIGNED_2_RIGHT, RESIGNED_3_RIGHT = ((1, level, "resignation") for level in (1, 2, 3))
DROP_ROW = "  2)  Doubles => 2                 Drops\n"
WON_BY_DROP = TWO + DROP_ROW + "      Wins 1 point\n"


ANN_BOB = ("Ann", "Bob")
HIDDEN_PLAY = """\
 3 point match

 Game 1
 Ann : 0                          Bob : 0
  1) 31: 8/5 6/5                    42: 8/4 6/4
  2) 61: 13/7 8/7                   63: 24/15
  3) 21: ????                       51: 13/8 6/5
  4) 42: 8/4 6/4                    Doubles => 2
  5)  Drops                         Wins 1 point
"""
SET_POSITION = """\
; [Site "x"]

 5 point match

 Game 1
 Ann : 0                          Bob : 1
; Set Pos=-CB--------------------bb-/0
  1) 31: 2/1 2/off                    21: 2/off 1/off
  2) 64: 1/off(2)                     65: 2/off 1/off
                                   Wins 1 point
"""
DUMP = "5;0;1;0;0;Ann;Bob;0;0;0;1;0;0;-2;0;0;1;1;4;0;2;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;4;2;"
ILLEGAL_PLAY_DUMP = f"""\
 5 point match

 Game 1
 Ann : 0                          Bob : 0
  1) 31: Illegal play ({DUMP}) 42: 8/4 6/4
  2) 61: 13/7 8/7                     63: 24/15
  3) 51: 13/8 5/4                     Doubles => 2
  4) Drops                            Wins 1 point

 Game 2
 Ann : 0                          Bob : 1
  1) 31: 8/5 6/5                      42: 8/4 6/4
"""
SWAPPED_DUMP = "Bob;Ann;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-2;0;-4;-1;-1;0;0;2;0;4;2;"
"""The board of `DUMP` from Bob's side."""
FORCED_ROWS = """\
  1)                                65: 8/3 8/2
  2) 22: 24/22* 13/7                55: bar/15 13/3*
  3) 41: bar/24 6/2                 54: 15/6
  4) 11: 24/23* 24/22* 7/6          """
HIDDEN_ROW = "  3) 21: ????                     51: 13/8 6/5\n"
BEAR_OFF = "-CB--------------------bb-"
DUMP_POINTS = ((0, 4, 1), (0, 5, 1), (0, 6, 4), (0, 8, 2))
BOB_WINS = ((1, 1, "drop"),)
CUSTOM_BOARD = "AE[a:y]AW[a][a][a][b][b]AB[w][w][x][x]"
SGF_HEAD = "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]"
SGF_NAMES = "PW[Ida]PB[Jon]"
SGF_START = f"{SGF_HEAD}MI[length:5]{SGF_NAMES}"
SGF_PLAYS = ";W[42hdfd];B[63aggj];W[51mhxw];B[31qtst]"


def _cases() -> dict[str, Case]:
    """Return the cases of the file by format and name."""
    cases = {}
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, record, results = line.split(" | ")
            text = eval(f"f'''{record}'''")
            cases[name] = eval(f"Case(text, {results})", {**globals(), "text": text})
    return cases


CASES = _cases()
MAT_CASES, SGF_CASES = (
    {name[5:]: case for name, case in CASES.items() if name.startswith(f"{format}: ")}
    for format in ("mat", "sgf")
)


def all_cases(check: Callable[..., None]) -> Callable[..., None]:
    """Return a test that runs a check on every case; a failure notes the name of the case."""

    @functools.wraps(check)
    def test(**fixtures: Any) -> None:
        for name, case in CASES.items():
            try:
                check(case=case, **fixtures)
            except BaseException as error:
                error.add_note(f"case {name!r}")
                raise

    signature = inspect.signature(check)
    fixtures = [item for name, item in signature.parameters.items() if name != "case"]
    test.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
    return test


def read(case: Case) -> Match:
    return bgfast.records.read_match(case.text)


def mat_round_trip(match: Match) -> Match:
    return bgfast.records.read_match(match.to_mat())


def sgf_round_trip(match: Match) -> Match:
    return bgfast.records.read_match(match.to_sgf())


def play_texts(match: Match) -> list[str]:
    return [item.text for item in match.history if item.name in ("play", "pass")]
