"""Records as sites, programs and people write them: wording, odd entries, round trips, limits and commands.

Every record here is made up, and so are the names in it. The expected values follow the policy of
docs/RECORDS.md and not the code: the records were written before the code was read.
"""

from __future__ import annotations

import json
import pickle
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import bgfast
from bgfast import BgfastError, Match, RuleSet
from bgfast.cli.main import main
from bgfast.errors import RecordError
from bgfast.games import Finding, MatchInfo
from tests.support.patience import patient

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


# --- What is read -----------------------------------------------------------------------------------------


@all_cases
def test_results_and_plays(case: Case) -> None:
    match = read(case)
    assert match.info.players == case.names
    assert match.turn_count == case.plays
    assert len(match.results) == len(case.results)
    for result, (winner, points, ending) in zip(match.results, case.results, strict=True):
        assert result.winner == winner
        assert points is None or result.points == points
        assert ending in ("", result.ending)
    assert case.score is None or match.score == case.score
    assert match.winner == case.winner
    for player, point, checkers in case.points:
        assert match.board(player)[point] == checkers, (player, point)


@all_cases
def test_findings(case: Case) -> None:
    findings = read(case).findings
    if case.odd:
        expected = [(severity, *place(case.text, entry), number) for severity, entry, number in case.odd]
        assert [(item.severity, item.line, item.column, item.game) for item in findings] == expected
    else:
        assert SEVERITIES.index(worst_of(findings)) <= SEVERITIES.index(case.worst), findings
    places = [(item.line, item.column) for item in findings]
    assert places == sorted(places)
    assert all(line >= 1 and column >= 1 for line, column in places)


@all_cases
def test_strict_raises_at_the_first_error(case: Case) -> None:
    errors = [item for item in read(case).findings if item.severity == "error"]
    if not errors:
        assert bgfast.records.read_match(case.text, strict=True) == read(case)
        return
    with pytest.raises(RecordError) as raised:
        bgfast.records.read_match(case.text, strict=True)
    assert (raised.value.line, raised.value.column) == (errors[0].line, errors[0].column)


@all_cases
def test_games_one_by_one_agree_with_the_match(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_text(case.text, encoding="utf-8")
    match, games = bgfast.load_match(path), list(bgfast.records.load_games(path))
    assert sum(item.turn_count for item in games) == match.turn_count
    assert tuple(result for item in games for result in item.results) == match.results
    assert len(list(bgfast.records.load_matches(path))) == 1


@pytest.mark.parametrize("name", sorted(name for name in MAT_CASES if "hops" in name or "backwards" in name))
def test_an_illegal_play_says_which_rule_it_breaks(name: str) -> None:
    (finding,) = bgfast.records.read_match(MAT_CASES[name].text).findings
    assert finding.kind == "play"
    assert finding.move >= 1
    assert finding.board.startswith("XGID=")
    assert "illegal play" in finding.message


@pytest.mark.parametrize(
    ("name", "entry", "number"),
    [
        ("a landing on a held point", "31: 24/21 24/19", 1),
        ("a checker that is not there", "63: 23/17 13/10", 1),
        ("the first play of the first game cannot be made", "31: 24/19 6/5", 1),
        ("a cell of another kind", "Pauses", 1),
        ("a play that cannot be read", "51: 13/8 24/2x", 1),
        ("a double by a player who does not own the cube", "Doubles => 4", 1),
        ("a double in the Crawford game", "Doubles => 2", 2),
        ("a beaver in a match", "Beavers => 4", 1),
        ("the wrong player rolls", "65: 13/7 13/8", 1),
    ],
)
def test_the_first_error_is_where_it_belongs(name: str, entry: str, number: int) -> None:
    case = MAT_CASES[name]
    first = next(item for item in read(case).findings if item.severity == "error")
    assert (first.line, first.column, first.game) == (*place(case.text, entry), number)


def test_notes_that_the_cases_must_have() -> None:
    """A statement that the board contradicts or does not explain is not passed over."""
    for name in (
        "gammon, one point missing", "backgammon, two points missing", "forfeited, cube on 1",
        "code 1004, left",
        "code 4016, right", "a result is missing", "a game is missing in the middle",
        "a score that the games before do not lead to", "a game behind the end of the match",
    ):  # fmt: skip
        assert read(MAT_CASES[name]).findings, name


def test_cubes() -> None:
    match = read(MAT_CASES["a beaver with a number of its own"])
    assert match.cube == bgfast.games.Cube(4, 0)
    match = read(MAT_CASES["a double at one point short, the Crawford game was before"])
    assert match.cube == bgfast.games.Cube(2, 1)
    assert match.state.crawford_played


@pytest.mark.parametrize("name", ["no cube", "no cube in a match"])
def test_without_a_cube_nobody_may_double(name: str) -> None:
    match = bgfast.records.read_match(SGF_CASES[name].text)
    assert "roll" in match.legal_actions()
    assert all("double" not in item for item in (match.legal_actions(), again_sgf(match).legal_actions()))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "hello\n",
        "5 point match\n",
        " Game\n",
        "(;GM[1])",
        "(;GM[6]",
        "\x00\x01\x02",
        ";;;;",
        "(((((",
    ],
)
def test_a_file_without_a_game_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        bgfast.records.read_match(text)


# --- Round trips ------------------------------------------------------------------------------------------


def again_mat(match: Match) -> Match:
    return bgfast.records.read_match(match.to_mat())


def again_sgf(match: Match) -> Match:
    return bgfast.records.read_match(match.to_sgf())


def played(match: Match) -> list[str]:
    return [item.text for item in match.history if item.name in ("play", "pass")]


@all_cases
@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_written_records_are_read_back(case: Case, again: Callable[[Match], Match]) -> None:
    match = read(case)
    second = again(match)
    assert second.info.players == match.info.players
    assert second.score == match.score
    assert second.winner == match.winner
    assert [(item.winner, item.points) for item in second.results] == [
        (item.winner, item.points) for item in match.results
    ]
    assert second.turn_count == match.turn_count
    assert played(second) == played(match)
    assert (second.to_mat(), second.to_sgf()) == (match.to_mat(), match.to_sgf())
    assert again(second).history == second.history


@all_cases
@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_endings_are_kept(case: Case, again: Callable[[Match], Match]) -> None:
    match = read(case)
    assert [item.ending for item in again(match).results] == [item.ending for item in match.results]


@all_cases
def test_pickle(case: Case) -> None:
    match = read(case)
    copy = pickle.loads(pickle.dumps(match))
    assert copy.history == match.history
    assert copy.state == match.state
    assert copy.findings == match.findings
    assert copy.info == match.info


@all_cases
def test_json_undo_and_redo(case: Case) -> None:
    match = read(case)
    for copy in (Match.from_json(match.to_json()), Match.from_json(match.to_json(complete=True))):
        assert copy.history == match.history
        assert copy.state == match.state
        assert copy.results == match.results
    history, states = match.history, match.states
    for state in states[-2::-1]:
        match.undo()
        assert match.state == state
    assert match.action_count == 0
    for state in states[1:]:
        match.redo()
        assert match.state == state
    assert match.history == history


# --- Limits and faults ------------------------------------------------------------------------------------


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """Return the shortest processor time of some runs."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def attempt(text: str) -> None:
    """Read a text, which may be refused."""
    with suppress(RecordError):
        bgfast.records.read_match(text)


GROWING: dict[str, Callable[[int], str]] = {
    "blanks between the names": lambda n: "5 point match\n Game 1\n Ida : 0" + " " * n + "Jon : 0\n" + FOUR,
    "blanks and no second name": lambda n: "5 point match\n Game 1\n Ida : 0" + " " * n + "\n" + FOUR,
    "blanks around a colon": lambda n: f"5 point match\n Game 1\n Ida{' ' * n}:{' ' * n}x\n{FOUR}",
    "colons in the names": lambda n: "5 point match\n Game 1\n Ida" + " : 0" * (n // 4) + " x\n" + FOUR,
    "digits in the names": lambda n: "5 point match\n Game 1\n Ida : " + "0" * n + " Jon : x\n" + FOUR,
    "blanks in front of a cell": lambda n: head() + TWO + "  2)" + " " * n + "51: 13/8 24/23\n",
    "blanks between cells": lambda n: head() + "  1) 42: 8/4 6/4" + " " * n + "63: 24/15\n",
    "blanks behind a row": lambda n: head() + TWO.rstrip("\n") + " " * n + "x\n",
    "tabs between cells": lambda n: head() + "  1) 42: 8/4 6/4" + "\t" * n + "63: 24/15\n",
    "a row number of many digits": lambda n: head() + "  " + "1" * n + ") 42: 8/4 6/4\n",
    "a play of many parts": lambda n: head() + "  1) 42: " + "8/4 " * (n // 4) + "\n",
    "a play of many hops": lambda n: head() + "  1) 42: 8" + "/4" * (n // 2) + "\n",
    "a play with a long count": lambda n: head() + "  1) 42: 8/4(" + "2" * n + ")\n",
    "question marks": lambda n: head() + "  1) 42: " + "?" * n + "x\n",
    "a long double": lambda n: head() + TWO + "  2)  Doubles =>" + " " * n + "x\n",
    "a long number of points": lambda n: head() + FOUR + "      Wins " + "1" * n + " points\n",
    "blanks in a result": lambda n: head() + FOUR + "      Wins" + " " * n + "1 point\n",
    "words in a cell": lambda n: head() + TWO + "  2) " + "Losses " * (n // 7) + "\n",
    "row numbers in a row": lambda n: head() + TWO + " 2)" * (n // 3) + "\n",
    "a tag without an end": lambda n: '; [Event "' + "x" * n + "\n" + head() + FOUR,
    "quotation marks in a tag": lambda n: '; [Event ' + '"' * n + "\n" + head() + FOUR,
    "blanks in a tag": lambda n: ";" + " " * n + "[Event" + " " * n + '"x"\n' + head() + FOUR,
    "blanks before the length": lambda n: " " * n + "5 point match\n\n" + game(1, (0, 0)) + FOUR,
    "blanks in the length": lambda n: "5" + " " * n + "point" + " " * n + "x\n" + game(1, (0, 0)) + FOUR,
    "lines of rubbish": lambda n: head() + TWO + "rubbish\n" * (n // 8),
    "empty lines": lambda n: head() + TWO + "\n" * n,
    "headings": lambda n: "5 point match\n" + " Game 1\n" * (n // 8) + " Ida : 0    Jon : 0\n" + FOUR,
    "resignations": lambda n: head() + TWO + "Resigns\n" * (n // 8),
    "losses on time": lambda n: head() + TWO + "Lost on time\n" * (n // 13),
    "rolls without plays": lambda n: head() + TWO + "  2) 31:                       31:\n" * (n // 35),
    "turns that were not thrown": lambda n: head() + TWO + "  2) 00: ????\n" * (n // 14),
    "results": lambda n: head() + TWO + "      Wins 1 point\n" * (n // 19),
    "doubles": lambda n: head() + TWO + " Doubles => 2\n" * (n // 14),
    "comments": lambda n: head() + TWO + "; word\n" * (n // 7),
    "SGF: rolls without plays": lambda n: f"{SGF_START};W[42hdfd]" + ";B[31];W[31]" * (n // 12) + ")",
    "SGF: automatic doubles": lambda n: f"{SGF_HEAD}{SGF_NAMES}CV{'[1073741824]' * (n // 12)}{SGF_PLAYS})",
    "SGF: a value without an end": lambda n: f"{SGF_HEAD}PW[" + "x" * n,
    "SGF: semicolons": lambda n: "(" + ";" * n,
    "SGF: brackets": lambda n: "(" * n,
    "SGF: nodes": lambda n: f"{SGF_START}" + ";" * n + ")",
    "SGF: backslashes": lambda n: f"{SGF_HEAD}MI[length:5]C[" + "\\" * n + f"]{SGF_NAMES}{SGF_PLAYS})",
    "SGF: blanks": lambda n: f"{SGF_START}" + " " * n + SGF_PLAYS + ")",
    "SGF: many values": lambda n: f"{SGF_START}C" + "[a]" * (n // 3) + SGF_PLAYS + ")",
    "SGF: many properties": lambda n: f"{SGF_START}" + "XX[a]" * (n // 5) + SGF_PLAYS + ")",
    "SGF: letters": lambda n: f"{SGF_START}" + "X" * n + SGF_PLAYS + ")",
    "SGF: a long play": lambda n: f"{SGF_START};W[42" + "hd" * (n // 2) + "])",
}  # fmt: skip


@pytest.mark.parametrize("build", GROWING.values(), ids=GROWING)
def test_time_is_linear(build: Callable[[int], str]) -> None:
    """Four times as long a text takes at most about four times as long; 100 KB take seconds at most."""
    small = seconds(lambda: attempt(build(25_000)))
    large = seconds(lambda: attempt(build(100_000)))
    assert large < patient(10.0)
    assert large < 8 * small + patient(0.02)


@pytest.mark.parametrize(
    "name", ["resignations", "losses on time", "rolls without plays", "turns that were not thrown"]
)
def test_time_of_long_games_is_linear(name: str) -> None:
    """Entries that look for what follows them do not walk, or copy, the rest of the game."""
    small, large = (GROWING[name](size) for size in (100_000, 400_000))
    assert seconds(lambda: attempt(large), 1) < 7 * seconds(lambda: attempt(small), 1)


SESSION_GAME = TWO + DROPPED + "      Wins 1 point\n"


def session(games: int) -> str:
    return "0 point match\n\n" + "".join(
        game(number + 1, (number, 0)) + SESSION_GAME for number in range(games)
    )


def test_time_of_long_sessions_is_linear() -> None:
    small, large = session(500), session(2000)
    assert bgfast.records.read_match(large).score == (2000, 0)
    assert seconds(lambda: bgfast.records.read_match(large)) < 8 * seconds(
        lambda: bgfast.records.read_match(small)
    )


def test_time_of_many_findings_is_linear() -> None:
    small, large = (head() + TWO + "  3)  Takes\n" * lines for lines in (2000, 8000))
    assert len(bgfast.records.read_match(small).findings) == 2000
    assert seconds(lambda: bgfast.records.read_match(large)) < 8 * seconds(
        lambda: bgfast.records.read_match(small)
    )


INJECTED = [
    '[Event "x"]',
    '; [Event "x"]',
    '[Event "x"]\n\n 7 point match\n\n Game 1\n Mal : 0      Eve : 0\n  1) 31: 8/5 6/5\n',
    " 7 point match",
    " Game 2\n Mal : 3      Eve : 0\n  1) 31: 8/5 6/5",
    "\n\n Game 2\n Mal : 3      Eve : 0\n",
    "  3) 65: 13/7 13/8                Drops",
    "      Wins 3 points and the match",
    "a\r 7 point match\r\r Game 1",
    "a\x0b 7 point match\x0c Game 1\x85 Game 2\u2028 Game 3\u2029",
    "](;FF[4]GM[6]MI[length:7]PW[Mal]PB[Eve])",
    "\\](;GM[6]PW[Mal])",
    "\\",
    "]",
    "(;GM[6])",
    "\x1b[31m red",
    "; note",
    "Wins 1 point",
    "\t\t31: 8/5",
]


@pytest.mark.parametrize("comment", INJECTED)
@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_comments_stay_comments(comment: str, again: Callable[[Match], Match]) -> None:
    match = bgfast.records.read_match(head() + FOUR + "  3)  Doubles => 2                 Takes\n")
    for count in (0, 2, 5, match.action_count):
        match.info = MatchInfo(players=("Ida", "Jon"), event="cup", comments=((count, comment),))
        second = again(match)
        assert second.history == match.history
        assert (second.length, second.info.players, second.info.event) == (5, ("Ida", "Jon"), "cup")
        assert not second.findings
        third = again(second)
        assert third.info == second.info
        assert (third.to_mat(), third.to_sgf()) == (second.to_mat(), second.to_sgf())


@pytest.mark.parametrize(
    "name", [*INJECTED, "Ann : 5   Bob : 3", "Ann : 5", ": 3", "5", "Game 1", "1) 31: 8/5 6/5", '"']
)
@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_names_and_tags_stay_what_they_are(name: str, again: Callable[[Match], Match]) -> None:
    match = bgfast.records.read_match(head() + FOUR)
    match.info = MatchInfo(players=(name, name), event=name, round=name, site=name, annotator=name)
    second = again(match)
    assert second.history == match.history
    assert second.length == 5
    third = again(second)
    assert third.info == second.info
    assert third.history == second.history
    assert third.to_mat() == second.to_mat()
    assert third.to_sgf() == second.to_sgf()


@pytest.mark.parametrize("length", [10, 30, 31, 32, 33, 53, 54, 55, 56, 57, 60, 70, 71, 72, 100, 200, 400])
@pytest.mark.parametrize("opener", [0, 1])
def test_long_names_in_mat(length: int, opener: int) -> None:
    for lengths in ((length, 3), (3, length), (length, length)):
        names = "I" * lengths[0], "J" * lengths[1]
        for scores in ((0, 0), (12, 345)):
            match = Match(1000, score=scores, dice=[(4, 2) if not opener else (2, 4), (6, 3)])
            match.info = MatchInfo(players=names)
            match.roll()
            match.play("8/4 6/4")
            second = again_mat(match)
            assert second.info.players == names
            assert [(item.name, item.player) for item in second.history] == [
                (item.name, item.player) for item in match.history
            ]
            assert second.to_mat() == match.to_mat()


@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_automatic_doubles_are_read_back(again: Callable[[Match], Match]) -> None:
    rules = RuleSet(automatic_doubles=2)
    ties = Match(None, rules, dice=[(3, 3), (5, 5), (4, 2), (6, 3)])
    while ties.dice is None:
        ties.roll()
    ties.play("8/4 6/4")
    assert ties.cube.value == 4
    ties.roll()
    ties.play("24/15")
    ended = Match.from_json(ties.to_json(complete=True))
    ended.resign(2)
    ended.accept_resignation()
    for match in (ties, ended):
        second = again(match)
        assert played(second) == played(match)
        assert [item.points for item in second.results] == [item.points for item in match.results]
        assert second.score == match.score
        assert worst_of(second.findings) in ("clean", "note")
        assert (second.to_mat(), second.to_sgf()) == (again(second).to_mat(), again(second).to_sgf())


@pytest.mark.parametrize("field", ["event", "round", "site", "annotator", "comment", "name"])
@pytest.mark.parametrize("length", [499, 500, 501, 2000, 20000])
@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_long_texts_are_kept_or_refused(field: str, length: int, again: Callable[[Match], Match]) -> None:
    match = bgfast.records.read_match(head() + FOUR)
    text = ("word " * length)[: length - 1] + "."
    players = (text, "Jon") if field == "name" else ("Ida", "Jon")
    comments = ((2, text),) if field == "comment" else ()
    fields = {field: text} if field in ("event", "round", "site", "annotator") else {}
    match.info = MatchInfo(players=players, comments=comments, **fields)
    try:
        written = match.to_mat() if again is again_mat else match.to_sgf()
    except BgfastError:
        return
    second = bgfast.records.read_match(written)
    assert second.history == match.history
    assert second.info == match.info


@pytest.mark.parametrize("text", ["(;", "a (; b", "(;GM[6]MI[length:1]PW[Mal]PB[Eve];W[31hefe])", "\\(;)"])
@pytest.mark.parametrize("field", ["name", "comment"])
@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_a_text_does_not_change_the_format(text: str, field: str, again: Callable[[Match], Match]) -> None:
    """Without tags in front, names and comments are near the beginning by which a format is recognised."""
    match = bgfast.records.read_match(head() + FOUR)
    match.info = MatchInfo(
        players=(text, "Jon") if field == "name" else ("Ida", "Jon"),
        comments=((0, text),) * (field == "comment"),
    )
    second = again(match)
    assert (second.length, second.info.players) == (match.length, match.info.players)
    assert second.history == match.history


def test_a_match_without_the_crawford_game_is_read_back() -> None:
    match = Match(3, crawford=False, score=(2, 0))
    for again in (again_mat, again_sgf):
        second = again(match)
        assert not second.state.crawford
        assert (second.to_mat(), second.to_sgf()) == (match.to_mat(), match.to_sgf())


@pytest.mark.parametrize("again", [again_mat, again_sgf])
def test_an_award_is_read_back_wherever_a_game_ends(again: Callable[[Match], Match]) -> None:
    match = bgfast.records.read_match(head() + THREE)
    for winner, points in ((0, 1), (1, 3), (0, 4), (1, 17)):
        copy = Match.from_json(match.to_json())
        copy.award(winner, points)
        assert again(copy).results == copy.results
    match.double()
    match.award(1, 4)
    assert again(match).results == match.results


@pytest.mark.parametrize("word", ["Resigns", "Concedes", "Lost on time", "Losses 1 point", "Forfeits"])
def test_a_loss_before_the_opening_roll_ends_no_reading(word: str) -> None:
    """A stray word is one finding; the rest of the game and the other games are read."""
    match = bgfast.records.read_match(head() + word + "\n" + FOUR)
    assert match.turn_count == 4
    assert match.findings
    text = head() + TWO + DROPPED + "      Wins 1 point\n\n" + game(2, (1, 0)) + word + "\n" + FOUR
    assert bgfast.records.read_match(text).turn_count == 6


def test_reading_goes_on_behind_many_lines_that_cannot_be_read() -> None:
    """A collection with an odd line in every game is read to its end."""
    games = 1200
    text = "0 point match\n\n" + "".join(
        game(number + 1, (number, 0)) + TWO + "hello there\n" + DROPPED + "      Wins 1 point\n"
        for number in range(games)
    )
    assert len(bgfast.records.read_match(text).results) == games


def test_a_stranger_cannot_hide_a_finding_in_control_characters() -> None:
    match = bgfast.records.read_match(head() + TWO + "  2) \x1b[2J\x07 rubbish\n")
    assert all(item.isprintable() for finding in match.findings for item in str(finding))


# --- Commands ---------------------------------------------------------------------------------------------

CLEAN = MAT_CASES["losses, left, own row"].text
NOTED = MAT_CASES["forfeited, cube on 1"].text
WARNED = MAT_CASES["wrong points of a drop"].text
WRONG = MAT_CASES["a checker moved backwards"].text


def save(tmp_path: Path, **texts: str) -> list[str]:
    """Write files and return their paths."""
    for name, text in texts.items():
        (tmp_path / f"{name}.mat").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.mat") for name in texts]


@pytest.mark.parametrize(
    ("text", "status", "strict"),
    [(CLEAN, 0, 0), (NOTED, 0, 0), (WARNED, 0, 1), (WRONG, 1, 1), ("no record\n", 2, 2)],
    ids=["clean", "note", "warning", "error", "nothing"],
)
def test_exit_status_of_check(
    text: str, status: int, strict: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = save(tmp_path, record=text)
    assert main(["check", *paths]) == status
    out = capsys.readouterr().out
    if status < 2:
        for finding in bgfast.load_match(paths[0]).findings:
            assert (
                f"line {finding.line}, column {finding.column}" in out
                or f":{finding.line}:{finding.column}" in out
            )
            assert finding.severity in out
            assert finding.message in out
    assert main(["check", "--strict", *paths]) == strict


@pytest.mark.parametrize("name", MAT_CASES)
def test_check_agrees_with_load_match(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = save(tmp_path, record=MAT_CASES[name].text)
    findings = bgfast.load_match(path).findings
    assert main(["check", "--json", path]) == int(worst_of(findings) == "error")
    (told,) = json.loads(capsys.readouterr().out)["files"]
    assert [(item["severity"], item["line"], item["column"]) for item in told["findings"]] == [
        (item.severity, item.line, item.column) for item in findings
    ]


def test_check_of_several_files_has_the_worst_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clean, warned, wrong, nothing = save(tmp_path, clean=CLEAN, warned=WARNED, wrong=WRONG, nothing="?\n")
    assert main(["check", clean, warned]) == 0
    assert main(["check", "--strict", clean, warned]) == 1
    assert main(["check", wrong, clean]) == 1
    assert main(["check", nothing, wrong, clean]) == 2
    assert main(["check", clean, nothing]) == 2
    capsys.readouterr()


@pytest.mark.parametrize("name", MAT_CASES)
def test_convert_writes_what_was_read(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = save(tmp_path, record=MAT_CASES[name].text)
    match = bgfast.load_match(path)
    assert main(["convert", path, str(tmp_path / "out.sgf")]) == 0
    err = capsys.readouterr().err
    assert bool(err) == bool(match.findings), err
    if match.findings:
        assert sum(map(int, re.findall(r"(\d+) (?:error|warning|note)s?\b", err))) == len(match.findings)
        assert "\\n" not in err
        worst = next(item for item in match.findings if item.severity == worst_of(match.findings))
        assert worst.message in err
    assert bgfast.load_match(tmp_path / "out.sgf").results == match.results


@pytest.mark.parametrize("command", ["convert", "analyse", "show"])
def test_nothing_read_is_status_2(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = save(tmp_path, record="5 point match\n\nhello\n")
    words = [path, str(tmp_path / "out.sgf")] if command == "convert" else [path]
    assert main([command, *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bgfast: error: ")
    assert not (tmp_path / "out.sgf").exists()


def test_partial_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = save(tmp_path, record=CLEAN)
    assert main(["convert", "--partial", path, str(tmp_path / "out.sgf")]) == 2
    assert "--partial" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        CLEAN,
        NOTED,
        WARNED,
        WRONG,
        MAT_CASES["a landing on a held point"].text,
        MAT_CASES["a line of chat"].text,
    ],
)
def test_analyse_reads_on(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = save(tmp_path, record=text)
    match = bgfast.load_match(path)
    assert main(["analyse", path, "--ply", "0", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert bool(err) == bool(match.findings), err
    if match.findings:
        worst = next(item for item in match.findings if item.severity == worst_of(match.findings))
        assert worst.message in err


def test_analyse_of_a_folder_with_a_bad_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(tmp_path, clean=CLEAN, noted=NOTED, wrong=WRONG, bad="nothing in here\n")
    assert main(["analyse", str(tmp_path), "--ply", "0"]) == 0
    out, err = capsys.readouterr()
    assert "3 of 4 files read" in out + err


def test_analyse_of_a_folder_of_odd_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(tmp_path, clean=CLEAN, noted=NOTED, again=NOTED)
    assert main(["analyse", str(tmp_path), "--ply", "0"]) == 0
    out, err = capsys.readouterr()
    assert "3 of 3 files read, 2 with notes" in out + err


def test_analyse_of_a_folder_of_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(tmp_path, bad="nothing in here\n", worse="\n")
    assert main(["analyse", str(tmp_path), "--ply", "0"]) == 2
    assert "0 of 2 files read" in "".join(capsys.readouterr())


def test_a_report_says_how_many_games_were_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = save(tmp_path, record=MAT_CASES["a landing on a held point"].text)
    assert main(["analyse", *paths, "--ply", "0"]) == 0
    assert "1 of 2 games read" in "".join(capsys.readouterr())


def test_show_goes_to_a_move_behind_an_illegal_play(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = save(tmp_path, record=WRONG)
    assert main(["show", path, "--game", "1", "--move", "2"]) == 0
    assert "X to play 5-1" in capsys.readouterr().out


def test_findings_of_a_later_game_have_its_number() -> None:
    later = MAT_CASES["three hops"].text.split("Jon : 0\n")[1]
    text = head(9) + TWO + DROPPED + "      Wins 1 point\n\n" + game(2, (1, 0)) + later
    (finding,) = bgfast.records.read_match(text).findings
    assert (finding.game, finding.move) == (2, 2)


def test_findings_of_a_match_are_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A small file cannot fill the memory with findings; the match ends where their number is reached."""
    monkeypatch.setattr("bgfast.records.finding_log.MAX_FINDINGS", 50)
    text = head() + TWO + "  3)  Takes\n" * 200 + game(2, (0, 0)) + TWO
    match = bgfast.records.read_match(text)
    assert [finding.kind for finding in match.findings[49:]] == ["cube", "text", "skipped"]
    assert match.findings[50].message == "50 findings; the rest of the match is not read"
    assert match.state.number == 1
    path = tmp_path / "match.mat"
    path.write_text(text)
    assert [len(played.findings) for played in bgfast.records.load_games(path)] == [52]


def test_boards_of_findings_are_those_before_the_entry() -> None:
    boards = [
        finding.board
        for finding in bgfast.records.read_match(head() + "Takes\nDrops\n" + TWO + "Takes\n").findings
    ]
    start, after_two = bgfast.Match(5), bgfast.records.read_match(head() + TWO)
    assert boards == [start.decision.xgid, start.decision.xgid, after_two.decision.xgid]


@pytest.mark.parametrize(
    ("words", "ending"), [("Losses 1 point", "resignation"), ("Loses on time", "unexplained")]
)
def test_a_loss_without_a_result_ends_as_the_next_score_shows(words: str, ending: str) -> None:
    text = head() + TWO + f"      {words}\n" + game(2, (0, 1)) + TWO
    match = bgfast.records.read_match(text)
    assert match.score == (0, 1)
    assert [(result.points, result.ending) for result in match.results] == [(1, ending)]


def test_a_loss_by_an_unknown_player_without_a_result_is_a_note() -> None:
    (finding,) = bgfast.records.read_match(head() + TWO + "      Resigns\n").findings
    assert (finding.severity, finding.kind) == ("note", "resignation")
    assert finding.message == "a resignation by an unknown player, and no result"


@pytest.mark.parametrize("is_json", [False, True])
def test_check_counts_findings_with_and_without_json(
    is_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "match.mat"
    path.write_text(head() + TWO + "  3)  Takes\n" * 3 + "      Wins 1 point\n")
    assert main(["check", str(path), *(["--json"] if is_json else [])]) == 1
    printed = capsys.readouterr().out
    if is_json:
        (content,) = json.loads(printed)["files"]
        assert [finding["severity"] for finding in content["findings"]] == ["error"] * 3 + ["note"]
    else:
        assert printed.splitlines()[-1].endswith("3 errors, 1 note: 1 game, 2 plays")
