"""Parser of commands: argparse with examples in the help, and errors in one line; colours on terminals."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from itertools import islice
from sysconfig import get_path
from traceback import extract_tb
from typing import Any, NoReturn, TextIO

from bgfast.cli.streams import complain
from bgfast.common.text import folded
from bgfast.errors import one_line

RED, PLAIN = "\x1b[31m", "\x1b[0m"
COLOURS = {"X": "\x1b[36m", "O": "\x1b[33m"}  # cyan and yellow
INTERRUPTED = 130
FRAME = 43  # columns of a printed board, before its margin
OUR_CODE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def wants_colour(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal and NO_COLOR is unset (https://no-color.org)."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def coloured_board(text: str, stream: TextIO | None) -> str:
    """Return a printed board with the checkers of each side in a colour, if the stream takes colours."""
    if not wants_colour(stream):
        return text

    def coloured(row: re.Match[str]) -> str:
        return re.sub(r"(?<= )[XO](?= )", lambda side: COLOURS[side[0]] + side[0] + PLAIN, row[0])

    return re.sub(rf"^\|.{{0,{FRAME - 1}}}", coloured, text, flags=re.MULTILINE)


def print_result(arguments: argparse.Namespace, content: Any, *lines: str, coloured: bool = False) -> None:
    """Print `content` as one JSON object with ``--json``, or else lines folded to the terminal."""
    if arguments.json:
        print(json.dumps(content), flush=True)
    else:
        text = folded("\n".join(lines), sys.stdout)
        print(coloured_board(text, sys.stdout) if coloured else text, flush=True)


def complain_of_error(text: str) -> None:
    """Write an error message, with unprintable characters escaped, to the standard error."""
    line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    head = f"{RED}error{PLAIN}" if wants_colour(sys.stderr) else "error"
    complain(f"bgfast: {head}: {line}", is_clean=True)


def raised(error: BaseException) -> str:
    """Return an exception in one line, with its source line if that is in external code."""
    message = one_line(error)
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    inside = (OUR_CODE, get_path("stdlib"), "<")
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(inside)]
    return f"{text} ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else text


def aligned(rows: Sequence[Sequence[str]], names: int = 1) -> list[str]:
    """Return rows of cells as lines; the first `names` columns are text, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    signs = "<" * names + ">" * (len(widths) - names)
    return [
        "  ".join(
            f"{cell:{sign}{width}}" for cell, sign, width in zip(row, signs, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


# ---- parser ----


MAX_SHOWN = 200  # characters of an error


class Parser(argparse.ArgumentParser):
    """argparse with errors in one line, and ordered words: a board may begin with a minus sign."""

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with status 2."""
        # argparse prefixes errors of option types: "argument --seed: is 'x'; expected ..."
        text = re.sub(r"^argument (--[\w-]+): is ", r"\1 is ", " ".join(message.split()))
        # exit() of Python 3.10 fails if the message cannot be written.
        complain_of_error(text[:MAX_SHOWN])
        self.exit(2)

    def __init__(self, *args: Any, **options: Any) -> None:
        # Paragraphs are kept, and texts aligned after the longest option.
        formatter = partial(argparse.RawDescriptionHelpFormatter, max_help_position=28)
        options |= {"allow_abbrev": False, "formatter_class": formatter}
        super().__init__(*args, **options)

    def format_help(self) -> str:
        """Return the help, folded to the width of the terminal."""
        return folded(super().format_help(), sys.stdout)

    def print_help(self, file: Any = None) -> None:
        """Print the help; unlike argparse, raise if it cannot be written."""
        print(self.format_help(), end="", file=file)

    def parse_arranged(self, argv: list[str]) -> argparse.Namespace:
        """Parse options first, then the words in order, and all arguments after `--` as words."""
        if not any(action.dest == "words" for action in self._actions):
            return self.parse_args(argv)
        options: list[str] = []
        words: list[str] = []
        rest = iter(argv)
        for word in rest:
            if word == "--":
                words += rest
                break
            if not word.startswith("--") and word not in ("-h", "-q"):
                words.append(word)
                continue
            options.append(word)
            action = self._option_string_actions.get(word)
            if action is not None and action.nargs is None:
                options += islice(rest, 1)
        return self.parse_args([*options, "--", *words])
