"""Cost of reading long and hostile records: function calls in the quick test, seconds in the slow one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import pytest

import bgfast
from bgfast.errors import RecordError
from tests.support.patience import patient
from tests.support.site_records import (
    DROP_ROW,
    DUMP,
    FOUR,
    SGF_HEAD,
    SGF_NAMES,
    SGF_PLAYS,
    SGF_START,
    TWO,
    game,
    head,
)


def count_calls(function: Callable[[], object]) -> int:
    """Return the number of calls of Python and C functions, which is the same in every run."""
    count = 0

    def count_call(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_call)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def measure_seconds(function: Callable[[], object], runs: int = 3) -> float:
    """Return the shortest processor time of several runs."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def try_to_read(text: str) -> None:
    """Read a text, valid or not."""
    with suppress(RecordError):
        bgfast.records.read_match(text)


RECORD_BUILDERS: dict[str, Callable[[int], str]] = {
    "blanks between the names": lambda n: "5 point match\n Game 1\n Ida : 0" + " " * n + "Jon : 0\n" + FOUR,
    "blanks and no second name": lambda n: "5 point match\n Game 1\n Ida : 0" + " " * n + "\n" + FOUR,
    "blanks around a colon": lambda n: f"5 point match\n Game 1\n Ida{' ' * n}:{' ' * n}x\n{FOUR}",
    "colons in the names": lambda n: "5 point match\n Game 1\n Ida" + " : 0" * (n // 4) + " x\n" + FOUR,
    "digits in the names": lambda n: "5 point match\n Game 1\n Ida : " + "0" * n + " Jon : x\n" + FOUR,
    "blanks in front of a cell": lambda n: head() + TWO + "  2)" + " " * n + "51: 13/8 24/23\n",
    "blanks between cells": lambda n: head() + "  1) 42: 8/4 6/4" + " " * n + "63: 24/15\n",
    "blanks after a row": lambda n: head() + TWO.rstrip("\n") + " " * n + "x\n",
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
    "results in a row": lambda n: head() + FOUR + "\t" + "Wins " * (n // 5) + "\n",
    "losses on time": lambda n: head() + TWO + "Lost on time\n" * (n // 13),
    "rolls without plays": lambda n: head() + TWO + "  2) 31:                       31:\n" * (n // 35),
    "turns without a roll": lambda n: head() + TWO + "  2) 00: ????\n" * (n // 14),
    "hidden plays": lambda n: head() + TWO + "  2) 31: ????                     31: ????\n" * (n // 44),
    "missing turns": lambda n: head() + TWO + "  2) 31: 8/5 6/5\n" * (n // 17),
    "positions": lambda n: head() + TWO + "; Set Pos=-CB--------------------bb-/0\n" * (n // 39),
    "boards after illegal plays": lambda n: head() + f"31: Illegal play ({DUMP}) " * (n // 100) + "\n",
    "boards without an end": lambda n: head() + f"31: Illegal play (1;1;1;1;1;{90 * 'a'}" * (n // 113),
    "results": lambda n: head() + TWO + "      Wins 1 point\n" * (n // 19),
    "doubles": lambda n: head() + TWO + " Doubles => 2\n" * (n // 14),
    "comments": lambda n: head() + TWO + "; word\n" * (n // 7),
    "a line without an end": lambda n: head() + FOUR + "x" * n,
    "SGF: rolls without plays": lambda n: f"{SGF_START};W[42hdfd]" + ";B[31];W[31]" * (n // 12) + ")",
    "SGF: automatic doubles": lambda n: f"{SGF_HEAD}{SGF_NAMES}CV{'[1073741824]' * (n // 12)}{SGF_PLAYS})",
    "SGF: a value without an end": lambda n: f"{SGF_HEAD}PW[" + "x" * n,
    "SGF: semicolons": lambda n: "(" + ";" * n,
    "SGF: brackets": lambda n: "(" * n,
    "SGF: nodes": lambda n: f"{SGF_START}" + ";" * n + ")",
    "SGF: nodes with a value": lambda n: f"{SGF_START}" + ";W[]" * (n // 4) + ")",
    "SGF: values without a name": lambda n: f"{SGF_START};" + "[x]" * (n // 3) + ")",
    "SGF: text without property names": lambda n: f"{SGF_START}" + "+1" * (n // 2) + ")",
    "SGF: backslashes": lambda n: f"{SGF_HEAD}MI[length:5]C[" + "\\" * n + f"]{SGF_NAMES}{SGF_PLAYS})",
    "SGF: blanks": lambda n: f"{SGF_START}" + " " * n + SGF_PLAYS + ")",
    "SGF: many values": lambda n: f"{SGF_START}C" + "[a]" * (n // 3) + SGF_PLAYS + ")",
    "SGF: many properties": lambda n: f"{SGF_START}" + "XX[a]" * (n // 5) + SGF_PLAYS + ")",
    "SGF: letters": lambda n: f"{SGF_START}" + "X" * n + SGF_PLAYS + ")",
    "SGF: positions": lambda n: f"{SGF_START}" + ";AE[a:y]AW[a]AB[x]C[a]" * (n // 22) + ")",
    "SGF: points": lambda n: f"{SGF_START};AE[a:y]AW" + "[a:y]" * (n // 5) + "AB[x])",
    "SGF: parts of a position": lambda n: f"{SGF_START};AE[a:y]" + ";AW[a];AB[x]" * (n // 12) + ")",
    "SGF: a long play": lambda n: f"{SGF_START};W[42" + "hd" * (n // 2) + "])",
}  # fmt: skip
"""Builders of records of about n characters, by the element that grows."""


SESSION_GAME = TWO + DROP_ROW + "      Wins 1 point\n"
RECORD_BUILDERS["games of a session"] = lambda n: (
    "0 point match\n\n" + "".join(game(index + 1, (index, 0)) + SESSION_GAME for index in range(n // 200))
)
RECORD_BUILDERS["findings"] = lambda n: head() + TWO + "  3)  Takes\n" * (n // 12)


def test_calls_grow_linearly() -> None:
    """Look-ahead does not scan the rest of the game, and no entry is reread for every other entry."""
    for name, build in RECORD_BUILDERS.items():
        small_count, large_count = (count_calls(lambda: try_to_read(build(size))) for size in (600, 2_400))  # noqa: B023
        assert large_count < 5 * small_count, name


@pytest.mark.slow
def test_time_is_linear() -> None:
    """Regular expressions, whose steps `count_calls` cannot count, do not backtrack over long gaps."""
    for name, build in RECORD_BUILDERS.items():
        times = [measure_seconds(lambda: try_to_read(build(size)), 2) for size in (8_000, 32_000)]  # noqa: B023
        assert times[1] < patient(10.0), name
        assert times[1] < 8 * times[0] + patient(0.02), name
