"""Results in .mat: capped points, wrong results and scores, missing games."""

from __future__ import annotations

from tests.support.site_records.cases import (
    BACKGAMMON,
    CUBE_2,
    DROPPED,
    FOUR,
    GAMMON,
    OPEN_ROW,
    RESIGNED_1_RIGHT,
    RIGHT,
    TWO,
    WON_BY_DROP,
    Case,
    game,
    head,
    sheet,
)

CASES = {
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
    "a checker that does not move": Case(
        head(7) + sheet([*GAMMON[:-1], "66: 1/off(2) 0/0 0/0"]) + "      Wins 2 points\n",
        21,
        ((0, 2, "bearoff"),),
        (2, 0),
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
        head() + WON_BY_DROP + "\n" + game(2, (0, 2)) + TWO, 4, ((0, 1, "drop"),), None, worst="warning"
    ),
    "a result is missing": Case(
        head() + FOUR + "\n" + game(2, (1, 0)) + TWO, 6, ((0, 1, "unexplained"),), (1, 0), worst="note"
    ),
    "a game is missing in the middle": Case(
        head(7) + WON_BY_DROP + "\n" + game(3, (1, 2)) + WON_BY_DROP,
        4,
        ((0, 1, "drop"), (0, 1, "drop")),
        (2, 2),
        worst="warning",
    ),
    "two games are missing in the middle": Case(
        head(7) + WON_BY_DROP + "\n" + game(4, (3, 3)) + FOUR, 6, ((0, 1, "drop"),), (3, 3), worst="warning"
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
        head(5, (4, 2), 7) + OPEN_ROW + " Doubles => 2\n  3)  Takes                       31: 8/5 6/5\n",
        4,
        (),
        (4, 2),
        worst="note",
    ),
}
