"""Unknown boards, and positions that a record states, in .mat and SGF."""

from __future__ import annotations

from tests.support.site_records.cases import FOUR, TWO, Case, game, head
from tests.support.site_records.sgf import SGF_NAMES, SGF_PLAYS, SGF_START

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
NAMED_SWAPPED = "Bob;Ann;0;0;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-2;0;-4;-1;-1;0;0;2;0;4;2;"
"""The same board from the side of Bob."""
FORCED = """\
  1)                                65: 8/3 8/2
  2) 22: 24/22* 13/7                55: bar/15 13/3*
  3) 41: bar/24 6/2                 54: 15/6
  4) 11: 24/23* 24/22* 7/6          """
AFTER_UNKNOWN = "  3) 21: ????                     51: 13/8 6/5\n"
BEAR_OFF = "-CB--------------------bb-"
DUMPED = ((0, 4, 1), (0, 5, 1), (0, 6, 4), (0, 8, 2))
_BOB_WINS = ((1, 1, "drop"),)
CASES = {
    # Unknown boards.
    "a hidden play in the middle of a game": Case(
        HIDDEN_PLAY, 7, _BOB_WINS, (0, 1), odd=(("warning", "21: ????", 1),), names=ANN_BOB
    ),
    "an illegal play without its moves": Case(
        HIDDEN_PLAY.replace("????", "Illegal play"),
        7,
        _BOB_WINS,
        (0, 1),
        odd=(("warning", "21: Ill", 1),),
        names=ANN_BOB,
    ),
    "a play of which only the beginning is known": Case(
        head() + FOUR + "  3) 21: 13/11 ????                  51: 13/8 6/5\n  4) 42: 8/4 6/4\n",
        7,
        odd=(("warning", "21: 13/11", 1),),
    ),
    "a forced play that is left out": Case(
        head() + FORCED + "53:\n  5) 52: 13/8 6/4\n", 8, worst="note", points=((1, 20, 1), (1, 22, 1))
    ),
    "a play where none is possible": Case(
        head() + "; Set Pos=aBBBBBB-----------------c-/0\n" + 34 * " " + "31: 24/20\n  2) 61: 6/off 1/off\n",
        2,
        odd=(("error", "31: 24/20", 1),),
        points=((1, 25, 1), (0, 6, 1), (0, 1, 1)),
    ),
    "two hidden plays": Case(
        head() + FOUR + "  3) 21: ????                       51: ???\n  4) 42: 8/4 6/4\n",
        7,
        odd=(("warning", "21: ????", 1),),
    ),
    "plays that do not fit the unknown board": Case(
        head() + FOUR + AFTER_UNKNOWN + "  4) 66: 7/1(4)                   61: 24/2x\n  5) 11: bar/24\n",
        9,
        odd=(("warning", "21: ????", 1),),
    ),
    "bearing off on an unknown board does not end the game": Case(
        SET_POSITION.replace("2/1 2/off ", "????      "),
        4,
        ((1, 1, "unexplained"),),
        (0, 2),
        odd=(("warning", "31: ????", 1), ("note", "Wins", 1)),
        names=ANN_BOB,
    ),
    "a missing turn in the middle of a game": Case(
        head() + FOUR + "  3) 21: 13/11 6/5\n  4) 65: 24/13\n", 6, odd=(("error", "65:", 1),)
    ),
    "a position that cannot be": Case(
        head() + "; Set Pos=-CB-----------------------/0\n" + TWO, 2, odd=(("error", "; Set", 1),)
    ),
    "a position that cannot be read": Case(
        head() + TWO + "; Set Pos=-CB-x/0\n  2) 51: 13/8 24/23\n", 3, odd=(("warning", "; Set", 1),)
    ),
    # Positions that a record states.
    "a game from a position": Case(SET_POSITION, 4, ((1, 1, "bearoff"),), (0, 2), names=ANN_BOB),
    "a game from a position, the cube turned": Case(
        SET_POSITION.replace("-/0", "-/1"), 4, ((1, 2, "bearoff"),), (0, 3), names=ANN_BOB, worst="warning"
    ),
    "a game from a position, the left player's cube": Case(
        SET_POSITION.replace("-/0", "-/-2").replace("1 point", "4 points"),
        4,
        ((1, 4, "bearoff"),),
        (0, 5),
        winner=1,
        names=ANN_BOB,
    ),
    "a turned cube after the Crawford game": Case(
        head(5, (4, 2)) + f"; Set Pos={BEAR_OFF}/-1\n  1) 21: 2/off 1/off\n", 1, worst="note"
    ),
    "a second game from a position": Case(
        head() + TWO + "      Wins 1 point\n\n" + game(2, (1, 0)) + f"; Set Pos={BEAR_OFF}/0\n"
        "  1)                              66: 2/off(2) 1/off(2)\n" + 34 * " " + "Wins 1 point\n",
        3,
        ((0, 1, "unexplained"), (1, 1, "bearoff")),
        (1, 1),
        worst="note",
    ),
    "a position that begins with two equal dice": Case(
        head() + "; Set Pos=-b----E-C---eE---c-e----B-/0\n  1) 44: 24/20(2) 13/9(2)\n",
        1,
        points=((0, 20, 2),),
    ),
    "the position that is reached": Case(
        head()
        + "; Set Pos=-b----E-C---eE---c-e----B-/0\n"
        + TWO
        + "; Set Pos=-a--B-D-B-a-eE---c-e----B-/0\n  2) 51: 13/8 24/23\n",
        3,
    ),
    "a position after a hidden play": Case(
        head() + FOUR + AFTER_UNKNOWN + f"; Set Pos={BEAR_OFF}/0\n  4) 21: 2/off 1/off\n",
        7,
        odd=(("warning", "21: ????", 1),),
        points=((0, 1, 2), (0, 2, 1), (1, 1, 2), (1, 2, 2)),
    ),
    "the board after an illegal play": Case(
        ILLEGAL_PLAY_DUMP,
        7,
        _BOB_WINS,
        (0, 1),
        odd=(("error", "31: Illegal", 1), ("error", "51:", 1)),
        names=ANN_BOB,
    ),
    "the board after an illegal play, a word for a name": Case(
        ILLEGAL_PLAY_DUMP.replace("Ann", "Drops"), 7, _BOB_WINS, (0, 1), worst="error", names=("Drops", "Bob")
    ),
    "the board after an illegal play, at its end": Case(
        ILLEGAL_PLAY_DUMP.partition(" 42: 8/4")[0] + "\n", 1, worst="error", names=ANN_BOB, points=DUMPED
    ),
    "the board after an illegal play, the second name positive": Case(
        f"{ILLEGAL_PLAY_DUMP.partition('Ann;Bob')[0]}{NAMED_SWAPPED})\n",
        1,
        worst="error",
        names=ANN_BOB,
        points=DUMPED,
    ),
    "the board after an illegal play that no moves lead to": Case(
        ILLEGAL_PLAY_DUMP.partition(" 42: 8/4")[0].replace("4;0;2;0;0;0;-5;5", "4;0;2;0;0;5;-5;0") + "\n",
        1,
        worst="error",
        names=ANN_BOB,
        points=((0, 11, 5), (0, 13, 0)),
    ),
}
ELSEWHERE = "AE[a:y]AW[a][a][a][b][b]AB[w][w][x][x]"
SGF_CASES = {
    "a game from a position": Case(
        f"{SGF_START};{ELSEWHERE}CV[2]CP[w]PL[B];B[21wzxz];W[31babz])", 2, points=((1, 1, 1), (1, 2, 1))
    ),
    "a position in the root": Case(
        f"{SGF_START}{ELSEWHERE};B[66wzwzxzxz])", 1, ((1, 1, "bearoff"),), (0, 1), worst="note"
    ),
    "a position in several nodes": Case(
        f"{SGF_START};AE[a:z];AW[a][a][a][b][b];AB[w][w][x][x];PL[W]DI[31];CV[2];CP[b];W[31babz])",
        1,
        points=((0, 1, 4),),
    ),
    "a position in the middle of a game": Case(
        f"{SGF_START}{SGF_PLAYS};{ELSEWHERE};W[31babz])", 5, points=((0, 1, 4),)
    ),
    "a cube that is set": Case(f"{SGF_START}{SGF_PLAYS};CV[2];CP[w];W[double];B[take])", 4),
    "a part of a position": Case(
        f"{SGF_START}{SGF_PLAYS};AE[f];W[31hefe])", 5, odd=(("warning", "f];W[31", 1),)
    ),
    "a turn without moves": Case(
        f"{SGF_START}{SGF_PLAYS};W[21];B[51lqst])", 6, odd=(("warning", "21];B", 1),)
    ),
    "names beside a position": Case(f"(;GM[6]{SGF_NAMES}{ELSEWHERE};W[31babz])", 1),
}
