"""Command-line parser, based on argparse, with one-line errors; printed results, in colour on terminals."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from sysconfig import get_path
from traceback import extract_tb
from typing import Any, NoReturn, TextIO

from bgfast.cli.streams import complain
from bgfast.common.foreign_names import nearest
from bgfast.common.text import fold_text
from bgfast.errors import one_line, short_repr

RED, RESET = "\x1b[31m", "\x1b[0m"
COLOURS = {"X": "\x1b[36m", "O": "\x1b[33m"}  # cyan and yellow
INTERRUPTED = 130  # exit status
BOARD_COLUMNS = 43  # width of a printed board without its margin
PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def wants_colour(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal with colours and NO_COLOR is unset (https://no-color.org)."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:  # the stream is closed
        return False


def colour_board(text: str, stream: TextIO | None) -> str:
    """Return a printed board with the checkers of each side in its colour, if the stream supports colours."""
    if not wants_colour(stream):
        return text

    def colour_row(row: re.Match[str]) -> str:
        return re.sub(r"(?<= )[XO](?= )", lambda side: COLOURS[side[0]] + side[0] + RESET, row[0])

    return re.sub(rf"^\|.{{0,{BOARD_COLUMNS - 1}}}", colour_row, text, flags=re.MULTILINE)


def print_result(arguments: argparse.Namespace, content: Any, *lines: str, coloured: bool = False) -> None:
    """Print `content` as one JSON object with ``--json``, else the lines, folded to the terminal's width."""
    if arguments.json:
        print(json.dumps(content), flush=True)
    else:
        text = fold_text("\n".join(lines), sys.stdout)
        print(colour_board(text, sys.stdout) if coloured else text, flush=True)


def complain_of_error(text: str) -> None:
    """Write an error message, with unprintable characters escaped, to standard error."""
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    head = f"{RED}error{RESET}" if wants_colour(sys.stderr) else "error"
    complain(f"bgfast: {head}: {line}", is_clean=True)


def error_text(error: BaseException) -> str:
    """Describe an exception in one line, with its source line if it comes from external code."""
    message = one_line(error)
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    prefixes = (PACKAGE_FOLDER, get_path("stdlib"), "<")
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(prefixes)]
    return f"{text} ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else text


def align(rows: Sequence[Sequence[str]], text_columns: int = 1) -> list[str]:
    """Return rows of cells as lines; the first `text_columns` are text, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    signs = "<" * text_columns + ">" * (len(widths) - text_columns)
    return [
        "  ".join(
            f"{cell:{sign}{width}}" for cell, sign, width in zip(row, signs, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


# ---- parser ----

MAX_ERROR_LENGTH = 200
HELP_COLUMN = 26
_OPTION = re.compile(r"--.*|-[A-Za-z][a-z]*\d*", re.ASCII | re.DOTALL)  # a board may begin with a minus sign
_SUGGESTIONS = """\
--plies --depth --search -d -p: --ply
--network --net --model --weights --engine -e: --evaluator | --begin
--output --outfile --write --save -o: --html | --svg | --out | --file | --log | --csv | a redirection, > FILE
--games --trials --count --number -n: --games | --trials | --top | --rounds | --worst
--top --worst --limit --max --best --all -k: --top | --worst
--cube --score --cubeful --matchid: an XGID or a match ID, which has cube and score
--dice --roll: the roll after the position, as in start 31
--position --xgid --id --board --gnubgid: the position itself, as in start 31
--cpus --cores --workers --processes -j -t: --threads | --jobs
--overwrite --yes -f -y: --force
--difficulty --level --opponent --strength: --level | --ply
--game --variant: --rules NAME, or the name of a position, as in nackgammon 31
--length --points: --match
--silent -s: --quiet | --seed
--seconds --time --timeout --max-time --duration: --time-limit
--resume --checkpoint: --checkpoint | --resume
--format: --json | --csv
-v -V: bgfast version"""
SUGGESTIONS: Mapping[str, Sequence[str]] = {
    name: suggestions.split(" | ")
    for names, _, suggestions in (line.partition(": ") for line in _SUGGESTIONS.splitlines())
    for name in names.split()
}
"""Replacements for options of other programs: the first option that the command has, or a text."""


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Formatter that keeps paragraphs and shortens the metavars of options with several values."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=HELP_COLUMN)

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        return (
            f"{action.metavar}..." if action.nargs == "+" else super()._format_args(action, default_metavar)
        )


class Parser(argparse.ArgumentParser):
    """`ArgumentParser` with one-line errors and operands in order; unknown options are reported first."""

    suggestions: Mapping[str, Sequence[str]] = SUGGESTIONS

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with status 2."""
        # argparse prefixes errors of option types: "argument --seed: is 'x'; expected ..."
        text = re.sub(r"^argument (--[\w-]+): is ", r"\1 is ", " ".join(message.split()))
        if text.startswith("unrecognized arguments"):
            text += f"; {self.prog} --help lists the options"
        # exit() of Python 3.10 fails if the message cannot be written.
        complain_of_error(text[:MAX_ERROR_LENGTH])
        self.exit(2)

    def __init__(self, *args: Any, **options: Any) -> None:
        options |= {"allow_abbrev": False, "formatter_class": _HelpFormatter}
        super().__init__(*args, **options)

    def format_help(self) -> str:
        """Return the help, folded to the width of the terminal."""
        return fold_text(super().format_help(), sys.stdout)

    def print_help(self, file: Any = None) -> None:
        """Print the help; unlike argparse, raise if it cannot be written."""
        print(self.format_help(), end="", file=file)

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """Parse as argparse does, after a check of the names of all options."""
        if self._subparsers is None:
            rest = takewhile("--".__ne__, sys.argv[1:] if args is None else args)
            for argument in rest:
                if _OPTION.fullmatch(argument):
                    self._take_value(argument, rest)
        return super().parse_known_args(args, namespace)

    def parse_options_first(self, argv: list[str]) -> argparse.Namespace:
        """Parse options first, then the operands in order, and all arguments after `--` as operands."""
        if not any(action.dest == "operands" for action in self._actions):
            return self.parse_args(argv)
        options: list[str] = []
        operands: list[str] = []
        rest = iter(argv)
        for argument in rest:
            if argument == "--":
                operands += rest
            elif _OPTION.fullmatch(argument):
                options += [argument, *self._take_value(argument, rest)]
            elif options and options[-1] == "--csv" and _names_table(argument):
                options[-1] = f"--csv={argument}"
            else:
                operands.append(argument)
        return self.parse_args([*options, "--", *operands])

    def _take_value(self, option: str, rest: Iterator[str]) -> list[str]:
        """Return the value of an option, taken from the following arguments; refuse an unknown option."""
        name, has_value, _ = option.partition("=")
        action = self._option_string_actions.get(name)
        if action is None:
            self.error(f"no option {short_repr(name)}; {self._replacement_hint(name)}")
        return list(islice(rest, 1)) if action.nargs is None and not has_value else []

    def _replacement_hint(self, option: str) -> str:
        """Return a hint about the probable replacement of an unknown option."""
        for suggestion in self.suggestions.get(option.rstrip("0123456789"), ()):
            if " " in suggestion:
                return f"expected {suggestion}"
            if suggestion in self._option_string_actions:
                return f"did you mean {suggestion}?"
        similar_name = nearest(option, self._option_string_actions)
        return f"did you mean {similar_name}?" if similar_name else f"{self.prog} --help lists the options"


def _names_table(argument: str) -> bool:
    """Return whether an argument after ``--csv`` names the table, not a position or an input file."""
    return argument == "-" or argument.lower().endswith((".csv", ".tsv", ".xls", ".xlsx"))
