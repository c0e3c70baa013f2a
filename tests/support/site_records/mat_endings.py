"""Games in .mat that end by resignations, forfeits and codes, and unplayed rolls."""

from __future__ import annotations

from tests.support.site_records.cases import (
    CUBE_2,
    FOUR,
    GAMMON,
    OPEN_ROW,
    RESIGNED_1,
    RESIGNED_1_RIGHT,
    RESIGNED_2,
    RESIGNED_2_RIGHT,
    RESIGNED_3,
    RESIGNED_3_RIGHT,
    RIGHT,
    THREE,
    TWO,
    Case,
    game,
    head,
    sheet,
)

CASES = {
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
        head() + OPEN_ROW + " Losses 2 point\n      Wins 2 point\n", 3, (RESIGNED_2,), (2, 0)
    ),
    "losses, right, a blank line before the result": Case(
        head(3) + OPEN_ROW + " Losses 3 point\n\n      Wins 3 point and the match\n",
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
        head() + OPEN_ROW + " Doubles => 2\n  3)  Takes                        Losses 2 point\n"
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
        head() + OPEN_ROW + " Losses\n      Wins 1 point\n", 3, (RESIGNED_1,), (1, 0)
    ),
    "losses, plural": Case(
        head() + OPEN_ROW + " Losses 3 points\n      Wins 3 points\n", 3, (RESIGNED_3,), (3, 0)
    ),
    "resigns, right, single": Case(
        head() + OPEN_ROW + " Resigns\n      Wins 1 point\n", 3, (RESIGNED_1,), (1, 0)
    ),
    "resigns, right, backgammon": Case(
        head() + OPEN_ROW + " Resigns\n      Wins 3 points\n", 3, (RESIGNED_3,), (3, 0)
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
        head() + OPEN_ROW + "31: Resigns\n      Wins 1 point\n", 3, (RESIGNED_1,), (1, 0), worst="note"
    ),
    "losses, behind a roll": Case(
        head() + OPEN_ROW + "31: Losses 2 point\n      Wins 2 point\n", 3, (RESIGNED_2,), (2, 0), worst="note"
    ),
    "resigned game, left": Case(
        head() + FOUR + f"  3)  Resigned Game\n{RIGHT} Wins 1 point\n",
        4,
        (RESIGNED_1_RIGHT,),
        (0, 1),
        worst="note",
    ),
    "resigned game, right, gammon": Case(
        head() + OPEN_ROW + " Resigned Game\n      Wins 2 points\n", 3, (RESIGNED_2,), (2, 0), worst="note"
    ),
    "resign normal": Case(
        head() + FOUR + "  3) Resign normal                  Wins 1 point\n", 4, (RESIGNED_1_RIGHT,), (0, 1)
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
        head(7) + OPEN_ROW + " Resigned Match\n      Wins 7 points and the match\n",
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
        head() + OPEN_ROW + "Concedes\n  3)  Wins 3 point\n", 3, (RESIGNED_3,), (3, 0)
    ),
    "concedes, left, result in the row": Case(
        head() + FOUR + "  3) Concedes                     Wins 2 point\n", 4, (RESIGNED_2_RIGHT,), (0, 2)
    ),
    "concedes, behind a roll": Case(
        head() + OPEN_ROW + "65: Concedes\n      Wins 1 point\n", 3, (RESIGNED_1,), (1, 0), worst="note"
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
        head(3) + OPEN_ROW + "Lost on time\n      Wins 1 point\n",
        3,
        ((0, 1, "unexplained"),),
        (1, 0),
        worst="note",
    ),
    "loses on time, behind a roll": Case(
        head(3) + OPEN_ROW + "52: Loses on time\n      Wins 1 point\n",
        3,
        ((0, 1, "unexplained"),),
        (1, 0),
        worst="note",
    ),
    "forfeits, right": Case(
        head(7) + OPEN_ROW + "Forfeits\n      Wins 7 points and the match\n",
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
        head() + OPEN_ROW + " Resigns\n      Wins 2 points with a gammon\n",
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
        head(11) + OPEN_ROW + " Losses 5 point\n      Wins 5 point\n",
        3,
        ((0, None, ""),),
        (5, 0),
        worst="note",
    ),
    "code 1004, left": Case(
        head() + OPEN_ROW + "66: ????\n  3)  Wins 1004 point\n", 3, ((0, None, ""),), worst="note"
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
    # Unplayed turns, and marks after plays.
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
        head() + OPEN_ROW + "31: ????\n  3)  Wins 2 point\n", 3, (RESIGNED_2,), (2, 0), worst="note"
    ),
    "a play followed by marks": Case(
        head()
        + "  1) 42: 8/4 6/4 ???              63: 24/15\n  2) 51: 13/8 24/23               31: 8/5 6/5 ????\n",
        4,
        worst="note",
    ),
    "a play followed by marks, then a result": Case(
        head() + OPEN_ROW + "31: 8/5 6/5 ????\n      Wins 1 point\n", 4, ((0, 1, ""),), (1, 0), worst="note"
    ),
}
