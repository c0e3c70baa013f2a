"""Records as sites, programs and people write them, with what is right.

Every record here is made up, and so are the names in it. The expected values follow the policy of
docs/RECORDS.md and not the code: the records were written before the code was read.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import bgfast
from bgfast import Match
from bgfast.games import Finding

SEVERITIES = ("clean", "note", "warning", "error")


@dataclass(frozen=True)
class Case:
    """A record and what is right."""

    text: str
    plays: int
    results: tuple[tuple[int, int | None, str], ...] = ()
    """Winner, points (None where they are not known) and ending ("" where the record leaves it open)."""
    score: tuple[int, int] | None = None
    odd: tuple[tuple[str, str, int], ...] = ()
    """Severity of every finding, the text that begins at its place, and the number of its game."""
    worst: str = "clean"
    """The worst severity that is acceptable, for cases without `odd`."""
    winner: int | None = None
    names: tuple[str, str] = ("Ida", "Jon")
    points: tuple[tuple[int, int, int], ...] = ()
    """Player, point and number of checkers there at the end."""


def place(text: str, entry: str) -> tuple[int, int]:
    """Return line and column, from 1, at which an entry begins that occurs once."""
    assert text.count(entry) == 1, entry
    before = text[: text.index(entry)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def worst_of(findings: tuple[Finding, ...]) -> str:
    """Return the worst severity, "clean" without a finding."""
    return max((finding.severity for finding in findings), key=SEVERITIES.index, default="clean")


def head(length: int = 5, score: tuple[int, int] = (0, 0), number: int = 1) -> str:
    """Return the lines above the first row of a game."""
    return f"{length} point match\n\n{game(number, score)}"


def game(number: int, score: tuple[int, int]) -> str:
    """Return the heading of a game and the line with the names."""
    return f" Game {number}\n Ida : {score[0]}                         Jon : {score[1]}\n"


def sheet(cells: list[str], opener: int = 0) -> str:
    """Return rows of two cells, the first of them for the player who opens."""
    padded = [""] * opener + cells
    padded += [""] * (len(padded) % 2)
    rows = zip(padded[::2], padded[1::2], strict=True)
    return "".join(f"{row:3}) {left:32}{right}".rstrip() + "\n" for row, (left, right) in enumerate(rows, 1))


TWO = "  1) 42: 8/4 6/4                  63: 24/15\n"
THREE = TWO + "  2) 51: 13/8 24/23\n"
FOUR = TWO + "  2) 51: 13/8 24/23               31: 8/5 6/5\n"
RIGHT_OPENS = "  1)                              43: 24/20 13/10\n  2) 65: 24/13"
RIGHT = " " * 34
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
DROPPED = "  2)  Doubles => 2                 Drops\n"

MAT_CASES = {
    # Words for giving up.
    "losses, left, own row": Case(
        head() + FOUR + f"  3)  Losses 1 point\n{RIGHT}Wins 1 point\n", 4, (RESIGNED_1_RIGHT,), (0, 1)
    ),
    "losses, left, same row": Case(
        head() + FOUR + "  3)  Losses 2 point               Wins 2 point\n", 4, (RESIGNED_2_RIGHT,), (0, 2)
    ),
    "losses, right, own row": Case(
        head() + THREE + f"  3) {RIGHT} Losses 1 point\n      Wins 1 point\n", 3, (RESIGNED_1,), (1, 0)
    ),
    "losses, right, gammon": Case(
        head() + THREE.rstrip("\n") + "                Losses 2 point\n      Wins 2 point\n",
        3,
        (RESIGNED_2,),
        (2, 0),
    ),
    "losses, right, a blank line before the result": Case(
        head(3) + THREE.rstrip("\n") + "                Losses 3 point\n\n      Wins 3 point and the match\n",
        3,
        (RESIGNED_3,),
        (3, 0),
        winner=0,
    ),
    "losses, right, result in the same row": Case(
        head() + FOUR + "  3)  Wins 1 point                 Losses 1 point\n", 4, (RESIGNED_1,), (1, 0)
    ),
    "losses, after the take": Case(
        head()
        + TWO
        + "  2)  Doubles => 2                 Takes\n  3) 51: 13/8 24/23                Losses 4 point\n"
        "      Wins 4 point\n",
        3,
        ((0, 4, "resignation"),),
        (4, 0),
    ),
    "losses, in the row of the take": Case(
        head()
        + THREE.rstrip("\n")
        + "                Doubles => 2\n  3)  Takes                        Losses 2 point\n"
        "      Wins 2 point\n",
        3,
        ((0, 2, "resignation"),),
        (2, 0),
    ),
    "losses, a second row number inside the row": Case(
        head(3) + TWO + "  2) 51: 13/8 24/23                2)  Losses 1 point"
        "                                Wins 1 point\n",
        3,
        (RESIGNED_1_RIGHT,),
        (0, 1),
    ),
    "losses, a second row number, the match": Case(
        head(3) + TWO + "  2) 51: 13/8 24/23                2)  Losses 3 point"
        "                                Wins 3 point and the match\n",
        3,
        (RESIGNED_3_RIGHT,),
        (0, 3),
        winner=1,
    ),
    "losses, without a number of points": Case(
        head() + THREE.rstrip("\n") + "                Losses\n      Wins 1 point\n", 3, (RESIGNED_1,), (1, 0)
    ),
    "losses, plural": Case(
        head() + THREE.rstrip("\n") + "                Losses 3 points\n      Wins 3 points\n",
        3,
        (RESIGNED_3,),
        (3, 0),
    ),
    "resigns, right, single": Case(
        head() + THREE.rstrip("\n") + "                Resigns\n      Wins 1 point\n",
        3,
        (RESIGNED_1,),
        (1, 0),
    ),
    "resigns, right, backgammon": Case(
        head() + THREE.rstrip("\n") + "                Resigns\n      Wins 3 points\n",
        3,
        (RESIGNED_3,),
        (3, 0),
    ),
    "resigns, left, own row": Case(
        head() + FOUR + f"  3)  Resigns\n{RIGHT} Wins 2 points\n", 4, (RESIGNED_2_RIGHT,), (0, 2)
    ),
    "resigns, left, gammon with the cube on 2": Case(
        head(9) + CUBE_2 + "  4)  Resigns                      Wins 4 points\n",
        4,
        ((1, 4, "resignation"),),
        (0, 4),
    ),
    "resigns, behind a roll": Case(
        head() + THREE.rstrip("\n") + "               31: Resigns\n      Wins 1 point\n",
        3,
        (RESIGNED_1,),
        (1, 0),
        worst="note",
    ),
    "losses, behind a roll": Case(
        head() + THREE.rstrip("\n") + "               31: Losses 2 point\n      Wins 2 point\n",
        3,
        (RESIGNED_2,),
        (2, 0),
        worst="note",
    ),
    "resigned game, left": Case(
        head() + FOUR + f"  3)  Resigned Game\n{RIGHT} Wins 1 point\n",
        4,
        (RESIGNED_1_RIGHT,),
        (0, 1),
        worst="note",
    ),
    "resigned game, right, gammon": Case(
        head() + THREE.rstrip("\n") + "                Resigned Game\n      Wins 2 points\n",
        3,
        (RESIGNED_2,),
        (2, 0),
        worst="note",
    ),
    "resigned match, left, what is missing": Case(
        head(5, (1, 3)) + FOUR + f"  3)  Resigned Match\n{RIGHT} Wins 2 points and the match\n",
        4,
        ((1, 2, "resignation"),),
        (1, 5),
        worst="note",
        winner=1,
    ),
    "resigned match, more than a backgammon": Case(
        head(7) + THREE.rstrip("\n") + "                Resigned Match\n      Wins 7 points and the match\n",
        3,
        ((0, None, ""),),
        worst="note",
        winner=0,
    ),
    "resigned match, cube on 2, no multiple": Case(
        head(5, (0, 2)) + CUBE_2 + f"  4)  Resigned Match\n{RIGHT} Wins 3 points and the match\n",
        4,
        ((1, 4, "resignation"),),
        worst="note",
        winner=1,
    ),
    "concedes, left, own row": Case(
        head() + FOUR + f"  3) Concedes\n{RIGHT}Wins 1 point\n", 4, (RESIGNED_1_RIGHT,), (0, 1)
    ),
    "concedes, right, a result with a number": Case(
        head() + THREE.rstrip("\n") + "               Concedes\n  3)  Wins 3 point\n",
        3,
        (RESIGNED_3,),
        (3, 0),
    ),
    "concedes, left, result in the row": Case(
        head() + FOUR + "  3) Concedes                     Wins 2 point\n", 4, (RESIGNED_2_RIGHT,), (0, 2)
    ),
    "concedes, behind a roll": Case(
        head() + THREE.rstrip("\n") + "               65: Concedes\n      Wins 1 point\n",
        3,
        (RESIGNED_1,),
        (1, 0),
        worst="note",
    ),
    # Wins without a word of resignation.
    "loses on time, left": Case(
        head(3) + FOUR + f"  3) Loses on time\n{RIGHT}Wins 3 points and the match\n",
        4,
        ((1, 3, "unexplained"),),
        (0, 3),
        worst="note",
        winner=1,
    ),
    "lost on time, right": Case(
        head(3) + THREE.rstrip("\n") + "               Lost on time\n      Wins 1 point\n",
        3,
        ((0, 1, "unexplained"),),
        (1, 0),
        worst="note",
    ),
    "loses on time, behind a roll": Case(
        head(3) + THREE.rstrip("\n") + "               52: Loses on time\n      Wins 1 point\n",
        3,
        ((0, 1, "unexplained"),),
        (1, 0),
        worst="note",
    ),
    "forfeits, right": Case(
        head(7) + THREE.rstrip("\n") + "               Forfeits\n      Wins 7 points and the match\n",
        3,
        ((0, 7, "unexplained"),),
        (7, 0),
        worst="note",
        winner=0,
    ),
    "forfeits, left, same row": Case(
        head(7, (2, 3)) + FOUR + "  3) Forfeits                     Wins 4 points and the match\n",
        4,
        ((1, 4, "unexplained"),),
        (2, 7),
        worst="note",
        winner=1,
    ),
    "a win without a word": Case(
        head() + FOUR + "      Wins 1 point\n\n" + game(2, (1, 0)) + TWO,
        6,
        ((0, 1, "unexplained"),),
        (1, 0),
        worst="note",
    ),
    "a win of the right player without a word, the cube on 2": Case(
        head() + CUBE_2 + f"{RIGHT} Wins 2 points\n", 4, ((1, 2, "unexplained"),), (0, 2), worst="note"
    ),
    "with a gammon, after a resignation": Case(
        head() + THREE.rstrip("\n") + "                Resigns\n      Wins 2 points with a gammon\n",
        3,
        (RESIGNED_2,),
        (2, 0),
        worst="note",
    ),
    "with a gammon, the cube on 2": Case(
        head(9) + CUBE_2 + f"  4)  Resigns\n{RIGHT}Wins 4 points with a gammon\n",
        4,
        ((1, 4, "resignation"),),
        (0, 4),
        worst="note",
    ),
    "with a gammon, without a word": Case(
        head() + FOUR + f"{RIGHT}Wins 2 points with a gammon\n",
        4,
        ((1, 2, "unexplained"),),
        (0, 2),
        worst="note",
    ),
    "with a gammon, borne off": Case(
        head() + sheet(GAMMON) + "      Wins 2 points with a gammon\n", 21, ((0, 2, "bearoff"),), (2, 0)
    ),
    # Forfeits of the rest of the match, with several values of the cube, and codes.
    "forfeited, cube on 1": Case(
        head(11, (0, 2)) + FOUR + f"  3)  Losses 9 point\n{RIGHT}Wins 9 point and the match\n",
        4,
        ((1, None, ""),),
        (0, 11),
        worst="note",
        winner=1,
    ),
    "forfeited, cube on 2": Case(
        head(9) + CUBE_2.replace("31: 8/5 6/5", " Losses 9 point") + "      Wins 9 point and the match\n",
        3,
        ((0, None, ""),),
        (9, 0),
        worst="note",
        winner=0,
    ),
    "forfeited, 5 points with the cube on 2": Case(
        head(5) + CUBE_2.replace("31: 8/5 6/5", " Losses 5 point") + "      Wins 5 point and the match\n",
        3,
        ((0, 6, "resignation"),),
        worst="note",
        winner=0,
    ),
    "forfeited, not the whole match": Case(
        head(11) + THREE.rstrip("\n") + "                Losses 5 point\n      Wins 5 point\n",
        3,
        ((0, None, ""),),
        (5, 0),
        worst="note",
    ),
    "code 1004, left": Case(
        head() + THREE.rstrip("\n") + "               66: ????\n  3)  Wins 1004 point\n",
        3,
        ((0, None, ""),),
        worst="note",
    ),
    "code 4016, right": Case(
        head() + FOUR + f"  3) 21: ????\n{RIGHT}Wins 4016 point\n", 4, ((1, None, ""),), worst="note"
    ),
    "code 1008, then a game": Case(
        head() + FOUR + "      Wins 1008 point\n\n" + game(2, (2, 0)) + TWO,
        6,
        ((0, None, ""),),
        (2, 0),
        worst="note",
    ),
    # Turns that were not played, and marks behind plays.
    "00, left": Case(
        head() + FOUR + "  3) 00: ????                      Wins 1 point\n",
        4,
        (RESIGNED_1_RIGHT,),
        (0, 1),
        worst="note",
    ),
    "00, right, gammon at cube 2": Case(
        head(9) + CUBE_2.replace("31: 8/5 6/5", "00: ????") + "  4)  Wins 4 point\n",
        3,
        ((0, 4, "resignation"),),
        (4, 0),
        worst="note",
    ),
    "a roll that was not played": Case(
        head() + THREE.rstrip("\n") + "               31: ????\n  3)  Wins 2 point\n",
        3,
        (RESIGNED_2,),
        (2, 0),
        worst="note",
    ),
    "a play followed by marks": Case(
        head()
        + "  1) 42: 8/4 6/4 ???              63: 24/15\n  2) 51: 13/8 24/23               31: 8/5 6/5 ????\n",
        4,
        worst="note",
    ),
    "a play followed by marks, then a result": Case(
        head() + THREE.rstrip("\n") + "               31: 8/5 6/5 ????\n      Wins 1 point\n",
        4,
        ((0, 1, ""),),
        (1, 0),
        worst="note",
    ),
    # Rolls without a colon.
    "rolls without colons": Case(
        head() + "  1) 42 8/4 6/4                   63 24/15\n  2) 51 13/8 24/23                31 8/5 6/5\n",
        4,
    ),
    "one roll without a colon": Case(head() + TWO + "  2) 51 13/8 24/23                31: 8/5 6/5\n", 4),
    "rolls without colons, the right player opens": Case(
        head() + "  1)                              43 24/20 13/10\n  2) 65 24/13\n", 2
    ),
    # Tabs.
    "tabs, both cells": Case(head() + "1)\t42: 8/4 6/4\t63: 24/15\n2)\t51: 13/8 24/23\t31: 8/5 6/5\n", 4),
    "tabs, two of them": Case(
        head() + "  1) 42: 8/4 6/4\t\t63: 24/15\n  2) 51: 13/8 24/23\t\t31: 8/5 6/5\n", 4
    ),
    "tabs, a lone left cell": Case(head() + "  1)\t42: 8/4 6/4\t\t63: 24/15\n  2)\t51: 13/8 24/23\n", 3),
    "tabs, the right player opens": Case(
        head() + "  1)\t\t43: 24/20 13/10\n  2) 65: 24/13\t\t21: 13/11 6/5\n", 3
    ),
    "tabs, the right player opens, alone": Case(head() + "  1)\t\t43: 24/20 13/10\n", 1),
    "tabs between the names, too": Case(
        "5 point match\n\n Game 1\n Ida : 0\tJon : 0\n1)\t42: 8/4 6/4\t63: 24/15\n2)\t51: 13/8 24/23\n", 3
    ),
    "tabs, cube and result": Case(
        head() + "  1)\t42: 8/4 6/4\t\t63: 24/15\n  2)\tDoubles => 2\t\tDrops\n\tWins 1 point\n",
        2,
        ((0, 1, "drop"),),
        (1, 0),
    ),
    "tabs, a lone right result": Case(
        head() + "  1)\t42: 8/4 6/4\t\t63: 24/15\n  2)\tResigns\n\t\t\tWins 1 point\n",
        2,
        (RESIGNED_1_RIGHT,),
        (0, 1),
    ),
    "tabs, blanks and tabs mixed": Case(
        head() + "  1) 42: 8/4 6/4 \t 63: 24/15\n  2) \t51: 13/8 24/23\t                31: 8/5 6/5\n", 4
    ),
    # Names.
    "names of 60 characters": Case(
        "5 point match\n\n Game 1\n " + "I" * 60 + " : 0      " + "J" * 60 + " : 0\n" + FOUR,
        4,
        names=("I" * 60, "J" * 60),
    ),
    "a name of 90 characters, the right player opens": Case(
        "5 point match\n\n Game 1\n " + "I" * 90 + " : 0      Jon : 0\n" + RIGHT_OPENS + "\n",
        2,
        names=("I" * 90, "Jon"),
    ),
    "300 blanks between the names": Case(
        "5 point match\n\n Game 1\n Ida : 0" + " " * 300 + "Jon : 0\n" + FOUR, 4
    ),
    # Points capped by the site.
    "gammon, one point missing": Case(
        head(7, (6, 2)) + sheet(GAMMON) + "      Wins 1 point and the match\n",
        21,
        ((0, None, "bearoff"),),
        worst="note",
        winner=0,
    ),
    "gammon, capped at the match length": Case(
        head(1) + sheet(GAMMON) + "      Wins 1 point and the match\n",
        21,
        ((0, None, "bearoff"),),
        worst="note",
        winner=0,
    ),
    "gammon of the right player, capped": Case(
        head(3, (0, 2)) + sheet(GAMMON, 1) + f"{RIGHT}Wins 1 point and the match\n",
        21,
        ((1, None, "bearoff"),),
        worst="note",
        winner=1,
    ),
    "backgammon, two points missing": Case(
        head(5, (3, 4)) + sheet(BACKGAMMON) + "      Wins 2 points and the match\n",
        19,
        ((0, None, "bearoff"),),
        worst="note",
        winner=0,
    ),
    "backgammon of the right player, capped at the match length": Case(
        head(1) + sheet(BACKGAMMON, 1) + f"{RIGHT}Wins 1 point and the match\n",
        19,
        ((1, None, "bearoff"),),
        worst="note",
        winner=1,
    ),
    "backgammon, paid in full": Case(
        head(5, (3, 4)) + sheet(BACKGAMMON) + "      Wins 3 points and the match\n",
        19,
        ((0, 3, "bearoff"),),
        (6, 4),
        winner=0,
    ),
    "a capped resignation at cube 2": Case(
        head(5, (2, 2))
        + CUBE_2.replace("31: 8/5 6/5", " Losses 3 point")
        + "      Wins 3 point and the match\n",
        3,
        ((0, 4, "resignation"),),
        worst="note",
        winner=0,
    ),
    "a capped resignation at cube 4": Case(
        head(7, (0, 1)) + CUBE_2 + "  4) 65: 13/7 13/8                 Doubles => 4\n  5)  Takes\n"
        "  6)  Losses 6 point               Wins 6 point and the match\n",
        5,
        ((1, 8, "resignation"),),
        worst="note",
        winner=1,
    ),
    # Wrong results and scores.
    "wrong points of a drop": Case(
        head() + TWO + DROPPED + "      Wins 4 points\n\n" + game(2, (1, 0)) + TWO,
        4,
        ((0, 1, "drop"),),
        (1, 0),
        odd=(("warning", "Wins 4 points", 1),),
    ),
    "wrong points of a gammon that was borne off": Case(
        head(9) + sheet(GAMMON) + "      Wins 3 points\n",
        21,
        ((0, 2, "bearoff"),),
        (2, 0),
        odd=(("warning", "Wins 3 points", 1),),
    ),
    "a score that the games before do not lead to": Case(
        head() + TWO + DROPPED + "      Wins 1 point\n\n" + game(2, (0, 2)) + TWO,
        4,
        ((0, 1, "drop"),),
        None,
        worst="warning",
    ),
    "a result is missing": Case(
        head() + FOUR + "\n" + game(2, (1, 0)) + TWO, 6, ((0, 1, "unexplained"),), (1, 0), worst="note"
    ),
    "a game is missing in the middle": Case(
        head(7)
        + TWO
        + DROPPED
        + "      Wins 1 point\n\n"
        + game(3, (1, 2))
        + TWO
        + DROPPED
        + "      Wins 1 point\n",
        4,
        ((0, 1, "drop"), (0, 1, "drop")),
        (2, 2),
        worst="warning",
    ),
    "two games are missing in the middle": Case(
        head(7) + TWO + DROPPED + "      Wins 1 point\n\n" + game(4, (3, 3)) + FOUR,
        6,
        ((0, 1, "drop"),),
        (3, 3),
        worst="warning",
    ),
    "a game behind the end of the match": Case(
        head(1)
        + TWO
        + "  2)  Resigns                      Wins 1 point and the match\n\n"
        + game(2, (0, 1))
        + TWO,
        2,
        (RESIGNED_1_RIGHT,),
        (0, 1),
        worst="error",
        winner=1,
    ),
    "the first game in the file is not the first": Case(head(9, (4, 6), 8) + FOUR, 4, (), (4, 6)),
    "a double at one point short, the Crawford game was before": Case(
        head(5, (1, 4), 6)
        + TWO
        + "  2)  Doubles => 2                 Takes\n  3) 51: 13/8 24/23               31: 8/5 6/5\n",
        4,
        (),
        (1, 4),
        worst="note",
    ),
    "a double of the right player at one point short": Case(
        head(5, (4, 2), 7)
        + THREE.rstrip("\n")
        + "                Doubles => 2\n  3)  Takes                       31: 8/5 6/5\n",
        4,
        (),
        (4, 2),
        worst="note",
    ),
    # Illegal plays that hands can make.
    "a checker moved backwards": Case(
        head() + "  1) 62: 24/18 6/8                63: 24/15\n  2) 51: 13/8 6/5\n",
        3,
        odd=(("error", "62: 24/18 6/8", 1),),
        points=((0, 24, 1), (0, 18, 1), (0, 6, 3), (0, 8, 5), (0, 5, 1)),
    ),
    "three hops": Case(
        head()
        + "  1) 42: 8/4 6/4                  63: 24/15\n  2) 21: 13/11 6/5 24/23          31: 8/5 6/5\n",
        4,
        odd=(("error", "21: 13/11 6/5 24/23", 1),),
        points=((0, 13, 4), (0, 11, 1), (0, 6, 3), (0, 5, 1), (0, 23, 1)),
    ),
    "ten pips in one hop with 3-3": Case(
        head() + "  1) 42: 8/4 6/4                  33: 24/14\n  2) 51: 13/8 24/23\n",
        3,
        odd=(("error", "33: 24/14", 1),),
        points=((1, 24, 1), (1, 14, 1)),
    ),
    "a hit on the way backwards": Case(
        head() + TWO + "  2) 21: 8/10* 6/5                61: bar/24 13/7\n",
        4,
        odd=(("error", "21: 8/10* 6/5", 1),),
        points=((0, 10, 1), (0, 8, 1), (0, 5, 1), (1, 24, 2), (1, 7, 1)),
    ),
    "borne off too early": Case(
        head() + "  1) 61: 6/off 8/7                63: 24/15\n",
        2,
        odd=(("error", "61: 6/off 8/7", 1),),
        points=((0, 6, 4), (0, 8, 2), (0, 7, 1)),
    ),
    "a play with a checker on the bar": Case(
        head() + TWO + "  2) 31: 13/10* 6/5               52: 13/8 13/11\n  3) 61: 8/7 13/7\n",
        5,
        odd=(("error", "52: 13/8 13/11", 1),),
        points=((1, 25, 1), (1, 13, 3), (1, 11, 1)),
    ),
    "one die too few": Case(
        head() + TWO + "  2) 52: 13/8                     31: 8/5 6/5\n",
        4,
        odd=(("error", "52: 13/8", 1),),
        points=((0, 13, 4), (0, 8, 3)),
    ),
    "another roll than the play": Case(
        head() + TWO + "  2) 65: 13/9                     31: 8/5 6/5\n",
        4,
        odd=(("error", "65: 13/9", 1),),
        points=((0, 13, 4), (0, 9, 1), (1, 15, 1)),
    ),
    "the same die twice": Case(
        head() + "  1)                              52: 13/8 13/8\n  2) 43: 24/20 24/21\n",
        2,
        odd=(("error", "52: 13/8 13/8", 1),),
        points=((1, 13, 3), (1, 8, 5)),
    ),
    "two illegal plays": Case(
        head() + "  1) 31: 24/20 6/5                63: 24/15\n  2) 21: 13/11 6/7\n",
        3,
        odd=(("error", "31: 24/20 6/5", 1), ("error", "21: 13/11 6/7", 1)),
        points=((0, 20, 1), (0, 7, 1)),
    ),
    # Illegal plays that end a game.
    "a landing on a held point": Case(
        head()
        + TWO
        + "  2) 31: 24/21 24/19              52: 13/8 13/11\n\n"
        + game(2, (2, 0))
        + TWO
        + DROPPED
        + "      Wins 1 point\n",
        4,
        ((0, 2, "unexplained"), (0, 1, "drop")),
        (3, 0),
        worst="error",
    ),
    "a checker that is not there": Case(
        head() + TWO + "  2) 63: 23/17 13/10              52: 13/8 13/11\n\n" + game(2, (0, 3)) + TWO,
        4,
        ((1, 3, "unexplained"),),
        (0, 3),
        worst="error",
    ),
    "the first play of the first game cannot be made": Case(
        head() + "  1) 31: 24/19 6/5                63: 24/15\n\n" + game(2, (0, 1)) + TWO,
        2,
        ((1, 1, "unexplained"),),
        (0, 1),
        worst="error",
    ),
    # A roll without a play.
    "a roll without a play": Case(
        head() + TWO + "  2) 51:                          31: 8/5 6/5\n  3) 21: 13/11 6/5\n",
        5,
        odd=(("warning", "51:", 1),),
        points=((0, 13, 4), (0, 6, 3)),
    ),
    # Lines and cells that cannot be read.
    "a line of chat": Case(
        head() + TWO + "hello there, how are you\n  2) 51: 13/8 24/23               31: 8/5 6/5\n",
        4,
        odd=(("error", "hello", 1),),
    ),
    "a cell of another kind": Case(
        head() + FOUR + "  3) Pauses for tea\n\n" + game(2, (1, 0)) + TWO,
        6,
        ((0, 1, "unexplained"),),
        (1, 0),
        worst="error",
    ),
    "a play that cannot be read": Case(
        head()
        + TWO
        + "  2) 51: 13/8 24/2x               31: 8/5 6/5\n\n"
        + game(2, (0, 1))
        + TWO
        + DROPPED
        + "      Wins 1 point\n",
        4,
        ((1, 1, "unexplained"), (0, 1, "drop")),
        (1, 1),
        worst="error",
    ),
    "a line of rubbish between games": Case(
        head() + TWO + DROPPED + "      Wins 1 point\n\n!!! 17 ???\n\n" + game(2, (1, 0)) + TWO,
        4,
        ((0, 1, "drop"),),
        (1, 0),
        odd=(("error", "!!!", 1),),
    ),
    # Cube actions that were not available.
    "a take of nothing": Case(
        head() + TWO + "  2)  Takes\n  3) 51: 13/8 24/23               31: 8/5 6/5\n",
        4,
        odd=(("error", "Takes", 1),),
    ),
    "a drop of nothing": Case(
        head() + TWO + "  2)  Drops\n  3) 51: 13/8 24/23               31: 8/5 6/5\n",
        4,
        odd=(("error", "Drops", 1),),
    ),
    "a double by a player who does not own the cube": Case(
        head(9) + CUBE_2 + "  4)  Doubles => 4                 Takes\n  5) 65: 13/7 13/8\n", 5, worst="error"
    ),
    "a double in the Crawford game": Case(
        head(3)
        + sheet(GAMMON)
        + "      Wins 2 points\n\n"
        + game(2, (2, 0))
        + TWO
        + "  2) 51: 13/8 24/23                Doubles => 2\n  3)  Takes                       31: 8/5 6/5\n",
        25,
        ((0, 2, "bearoff"),),
        (2, 0),
        worst="error",
    ),
    "a beaver in a match": Case(
        head()
        + THREE.rstrip("\n")
        + "                Doubles => 2\n  3)  Beavers => 4                 Takes\n"
        "  4)                              31: 8/5 6/5\n",
        4,
        worst="error",
    ),
    "a beaver with a number of its own": Case(
        head(0)
        + THREE.rstrip("\n")
        + '                Doubles => 2\n  3)  Beaver "3"                   Takes\n'
        "  4)                              31: 8/5 6/5\n",
        4,
        worst="note",
    ),
    "a double to the wrong value": Case(
        head(9)
        + TWO
        + "  2)  Doubles => 8                 Takes\n  3) 51: 13/8 24/23               31: 8/5 6/5\n",
        4,
        worst="error",
    ),
    "the wrong player rolls": Case(
        head() + TWO + "  2) 51: 13/8 24/23\n  3) 65: 13/7 13/8\n\n" + game(2, (0, 2)) + TWO,
        5,
        ((1, 2, "unexplained"),),
        (0, 2),
        worst="error",
    ),
}

SGF_HEAD = "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]"
SGF_NAMES = "PW[Ida]PB[Jon]"
SGF_START = f"{SGF_HEAD}MI[length:5]{SGF_NAMES}"
SGF_PLAYS = ";W[42hdfd];B[63aggj];W[51mhxw];B[31qtst]"
SGF_CASES = {
    "no cube": Case(f"{SGF_HEAD}MI[length:0][game:0][ws:0][bs:0]{SGF_NAMES}RU[NoCube]{SGF_PLAYS})", 4),
    "no cube in a match": Case(
        f"{SGF_HEAD}MI[length:3][game:0][ws:0][bs:1]{SGF_NAMES}RU[NoCube]{SGF_PLAYS})", 4
    ),
    "an identifier as the number": Case(
        f"{SGF_HEAD}MI[length:5][game:table-17][ws:1][bs:0]{SGF_NAMES}{SGF_PLAYS})", 4, (), (1, 0)
    ),
    "no number": Case(f"{SGF_HEAD}MI[length:5][game:][ws:1][bs:0]{SGF_NAMES}{SGF_PLAYS})", 4, (), (1, 0)),
    "two games with identifiers": Case(
        f"{SGF_HEAD}MI[length:5][game:a1][ws:0][bs:0]{SGF_NAMES};W[42hdfd];B[double];W[drop])\n"
        f"{SGF_HEAD}MI[length:5][game:a2][ws:0][bs:1]{SGF_NAMES}{SGF_PLAYS})",
        5, ((1, 1, "drop"),), (0, 1), worst="note",
    ),
    "no MI": Case(f"{SGF_HEAD}{SGF_NAMES}{SGF_PLAYS})", 4, worst="note"),
    "no MI, a drop": Case(
        f"{SGF_HEAD}{SGF_NAMES};W[42hdfd];B[double];W[drop])", 1, ((1, 1, "drop"),), (0, 1), worst="note"
    ),
    "a double after the Crawford game": Case(
        f"{SGF_HEAD}MI[length:5][game:6][ws:4][bs:2]{SGF_NAMES};W[42hdfd];B[double];W[take];B[63aggj])",
        2, (), (4, 2), worst="note",
    ),
    "a double after the Crawford game, with its rule": Case(
        f"{SGF_HEAD}MI[length:7][game:9][ws:3][bs:6]{SGF_NAMES}RU[Crawford];W[42hdfd];B[63aggj];W[double];B[take];"
        "W[51mhxw])", 3, (), (3, 6), worst="note",
    ),
}  # fmt: skip
CASES = {f"mat: {name}": case for name, case in MAT_CASES.items()}
CASES |= {f"sgf: {name}": case for name, case in SGF_CASES.items()}
all_cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def read(case: Case) -> Match:
    """Return the match of a record, in the first words of the test."""
    return bgfast.records.read_match(case.text)


def again_mat(match: Match) -> Match:
    return bgfast.records.read_match(match.to_mat())


def again_sgf(match: Match) -> Match:
    return bgfast.records.read_match(match.to_sgf())


def played(match: Match) -> list[str]:
    return [item.text for item in match.history if item.name in ("play", "pass")]
