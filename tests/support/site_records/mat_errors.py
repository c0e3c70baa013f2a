"""Errors in .mat: illegal plays, unreadable lines, impossible cube actions."""

from __future__ import annotations

from tests.support.site_records.cases import (
    CUBE_2,
    DROPPED,
    FOUR,
    GAMMON,
    OPEN_ROW,
    RESIGNED_1_RIGHT,
    RIGHT,
    THREE,
    TWO,
    WON_BY_DROP,
    Case,
    game,
    head,
    sheet,
)

CASES = {
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
    # Illegal plays after which the board is unknown.
    "a landing on a held point": Case(
        head() + TWO + "  2) 31: 24/21 24/19              52: 13/8 13/11\n\n" + game(2, (2, 0)) + WON_BY_DROP,
        6,
        ((0, 2, "unexplained"), (0, 1, "drop")),
        (3, 0),
        worst="error",
    ),
    "a checker that is not there": Case(
        head() + TWO + "  2) 63: 23/17 13/10              52: 13/8 13/11\n\n" + game(2, (0, 3)) + TWO,
        6,
        ((1, 3, "unexplained"),),
        (0, 3),
        worst="error",
    ),
    "the first play of the first game cannot be made": Case(
        head() + "  1) 31: 24/19 6/5                63: 24/15\n\n" + game(2, (0, 1)) + TWO,
        4,
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
    "a forced play is left out": Case(
        head()
        + "  1)                                65: 8/3 8/2\n"
        + "  2) 22: 24/22* 13/7                55: bar/15 13/3*\n"
        + "  3) 41: bar/24 6/2                 54: 15/6\n"
        + "  4) 11: 24/23* 24/22* 7/6          53:\n"
        + "  5) 52: 13/8 6/4                   61: 22/15\n",
        9,
        odd=(("note", "53:", 1),),
        points=((1, 20, 1), (1, 15, 1)),
    ),
    "a forced play is left out, and the result follows": Case(
        head()
        + "  1)                                65: 8/3 8/2\n"
        + "  2) 22: 24/22* 13/7                55: bar/15 13/3*\n"
        + "  3) 41: bar/24 6/2                 54: 15/6\n"
        + "  4) 11: 24/23* 24/22* 7/6          53: ????\n  5)  Resigns\n"
        + f"{RIGHT} Wins 1 point\n",
        7,
        (RESIGNED_1_RIGHT,),
        (0, 1),
        odd=(("note", "53:", 1),),
    ),
    # Remarks after plays.
    "remarks after plays": Case(
        head()
        + "  1) 42: 8/4 6/4 ILLEGAL?         63: 24/15 (better: double, or pass)\n"
        + "  2) 51: 13/8 24/23!              31: 8/5 6/5 - forced\n",
        4,
        odd=(("note", "ILLEGAL?", 1), ("note", "(better", 1), ("note", "- forced", 1)),
    ),
    "a remark after an illegal play": Case(
        head() + TWO + "  2) 21: 13/11 6/5 24/23 illegal  31: 8/5 6/5\n",
        4,
        odd=(("error", "21: 13/11", 1), ("note", "illegal", 1)),
    ),
    "no remark after the number of a row": Case(
        head()
        + TWO
        + "  2) (Doubles => 2)               Takes\n  3) 51: 13/8 24/23               31: 8/5 6/5\n",
        4,
        odd=(("error", "(Doubles", 1),),
    ),
    "a remark far from the play": Case(
        head() + "  1) 42: 8/4 6/4      Pauses\n                                  63: 24/15\n",
        2,
        odd=(("error", "Pauses", 1),),
    ),
    "a pass after moves": Case(
        head() + TWO + "  2) 51: 13/8 24/23 Pass          31: 8/5 6/5\n", 4, odd=(("error", "51: 13/8", 1),)
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
        head() + TWO + "  2) 51: 13/8 24/2x               31: 8/5 6/5\n\n" + game(2, (0, 1)) + WON_BY_DROP,
        6,
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
        head() + OPEN_ROW + " Doubles => 2\n  3)  Beavers => 4                 Takes\n"
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
        6,
        ((1, 2, "unexplained"),),
        (0, 2),
        worst="error",
    ),
}
