"""Layouts of .mat: rolls without colons, tabs, names."""

from __future__ import annotations

from tests.support.site_records.cases import FOUR, RESIGNED_1_RIGHT, RIGHT_OPENS, TWO, Case, head

CASES = {
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
}
