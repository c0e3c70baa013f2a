"""Options of several commands: positions, rule sets, files, seeds and other numbers."""

from __future__ import annotations

import argparse
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from textwrap import fill
from typing import Any, NamedTuple, TypeVar

from bgfast.cli.parser import Parser
from bgfast.cli.streams import complain
from bgfast.common.extras import check_plot
from bgfast.common.files import is_missing_file, refuse_missing_folder, write_file
from bgfast.common.validation import MAX_SEED, MAX_THREADS, Roll
from bgfast.errors import BgfastError, NotationError, short_repr
from bgfast.position.decision import Decision, context_of
from bgfast.position.objects import Position
from bgfast.position.position_ids import is_match_id
from bgfast.position.position_text import PositionText, read_content, read_lines, read_position

Item = TypeVar("Item")
STANDARD_INPUT = "-"
POSITION_HELP = (
    "POSITION: start (default), nackgammon, longgammon, hypergammon, an XGID, OGID or GNU position ID, or "
    "26 whole numbers: opponent's bar, points 1 to 24, own bar; own checkers > 0, opponent's < 0. Write -- "
    "before text that begins with --."
)


def option_type(read: Callable[[str], Item | None], expected: str, is_valid: Callable[[Item], bool]) -> Any:
    """Return the type of an option: a function that reads its text, and refuses invalid values and None."""

    def read_valid(text: str) -> Item:
        try:
            value = read(text)
        except ValueError:
            value = None
        if value is None or not is_valid(value):
            raise argparse.ArgumentTypeError(f"is {short_repr(text)}; expected {expected}")
        return value

    return read_valid


def _reader(pattern: str, read: Callable[[str], Item]) -> Callable[[str], Item | None]:
    return lambda text: read(text) if re.fullmatch(pattern, text, re.ASCII) else None


def whole_number(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return the type of an option: a whole number in a range."""
    expected = f"a whole number from {minimum} to {maximum}"
    read = _reader(r"[0-9]{1,20}", int)
    return option_type(read, expected, lambda value: minimum <= value <= maximum)


COMMON = f"""
--json  print one JSON object
--csv FILE?  write a table to FILE.csv, or print it
--force  replace files that exist already
--quiet  show no progress and no notes
--rules NAME=standard  standard (default), exact, rear_first or five_stack
--threads N[1..{MAX_THREADS}]=1  number of threads (1)
--checkers N[1..15]  checkers per side of an ID or board (15)
--positions FILE  positions in a file, one per line; - is standard input
--met FILE  match equity table, GNU Backgammon XML
"""
"""Options of several commands."""
_COMMON = {line.split()[0]: line for line in re.split(r"\n(?=--)", COMMON.strip())}
TYPES: Mapping[str, Any] = {
    "seed": whole_number(0, MAX_SEED),
    "time_limit": option_type(
        _reader(r"[0-9]{1,6}(\.[0-9]{1,6})?", float),
        "seconds, more than 0 and less than a million, such as 60 or 0.5",
        bool,
    ),
    "csv": option_type(
        str, "a name that ends in .csv, or -", lambda name: name == "-" or name.lower().endswith(".csv")
    ),
}
"""Types of options that are the same in all commands."""
WIDTH = 80
OPTION = re.compile(r"(--[\w-]+)((?: [^\s[=]+)*)(?:\[(\d+)\.\.(\d+)\])?(?:=(\S+))?  +(\S.*)")


def describe(parser: Parser, text: str, **types: Any) -> None:
    """Set usage, description, options and example of a command from the paragraphs of a text.

    An option has a name, metavars and, after two blanks, its help. After a metavar, ``[0..2]`` is a range of
    whole numbers, ``+`` allows several values, ``*`` allows the option several times, ``?`` makes the value
    optional (``-`` if omitted), ``!`` makes the option required, ``=1`` is the default. ``|`` before names
    marks alternatives. Other lines continue the help; names without help are options of `COMMON`. `types`
    maps attributes to the functions that read values, or to the choices. The description of positions follows
    a usage that begins with ``[POSITION]``.
    """
    parser.usage, paragraphs = f"{parser.prog} [options]", []
    for paragraph in re.split(r"\n\n+", text.strip()):
        label, _, rest = paragraph.partition(": ")
        if paragraph.startswith(("--", "|")):
            _add_options(parser, paragraph, {**TYPES, **types})
        elif label == "usage":
            parser.usage += f" {rest}"
            paragraphs += [_fill_lines(POSITION_HELP)] if rest.startswith("[POSITION]") else []
            parser.add_argument("operands", nargs="*", metavar=rest, help=argparse.SUPPRESS)
        elif label == "example":
            paragraphs.append(paragraph)
        else:
            paragraphs.append(_fill_lines(paragraph))
    parser.epilog = "\n\n".join(paragraphs)


def _fill_lines(paragraph: str) -> str:
    from shutil import get_terminal_size  # slow to import

    return fill(paragraph, min(WIDTH, get_terminal_size().columns))


def _add_options(parser: Parser, text: str, types: Mapping[str, Any]) -> None:
    group = parser.add_mutually_exclusive_group()
    for line in re.sub(r"\n(?! *(--|\|)) *(?=\S)", " ", text).split("\n"):
        match = OPTION.fullmatch(line.strip("| "))
        if match is None:
            _add_options(parser, "\n".join(_COMMON[name] for name in line.split()), types)
            continue
        name, metavars, minimum, maximum, default, help = match.groups()
        value_type, metavars = types.get(name[2:].replace("-", "_")), metavars.split()
        if minimum is not None:
            value_type = whole_number(int(minimum), int(maximum))
        key = "type" if callable(value_type) else "choices"
        options: dict[str, Any] = {key: value_type, "default": default}
        if metavars:
            count, mark = len(metavars), metavars[0][-1]
            options["metavar"] = metavars[0].rstrip("+*!?") if count == 1 else tuple(metavars)
            options["nargs"] = {"+": "+", "?": "?"}.get(mark) if count == 1 else count
            options["required"] = mark == "!"
            options |= {"const": "-"} if mark == "?" else {}
            options |= {"action": "append"} if mark == "*" else {}
        elif value_type is None:
            options = {"action": "store_true"}
        names = ("-q", name) if name == "--quiet" else (name,)
        (group if line.startswith("|") else parser).add_argument(*names, help=help, **options)


def parse_position(arguments: argparse.Namespace) -> PositionText:
    """Return the typed position, and the words after it."""
    if arguments.operands and not os.path.exists(arguments.operands[0]):
        arguments.operands = " ".join(arguments.operands).split()
    try:
        return read_position(arguments.operands, arguments.checkers)
    except NotationError as error:
        name, problem = short_repr(operand := arguments.operands[0]), str(error)
        if is_missing_file(operand):
            problem = f"no such file: {name}; expected a position"
        elif hasattr(arguments, "positions"):
            if os.path.isfile(operand):
                problem = f"{name} is a file; expected a position, or --positions before the name"
            elif problem.startswith(f"{name} is not a position;"):
                problem += "; there is no file of that name either"
        raise NotationError(problem) from None


def is_subject(operands: Sequence[str]) -> bool:
    """Return whether operands without a command are a roll, a position (valid or not), or file names."""
    operand = operands[0]
    try:
        read_position(" ".join(operands).split())
    except BgfastError as error:
        is_name = operand == STANDARD_INPUT or os.path.exists(operand) or is_missing_file(operand)
        return is_name or not str(error).startswith(f"{short_repr(operand)} is not a position;")
    return True


@contextmanager
def table_file(arguments: argparse.Namespace) -> Iterator[None]:
    """Write the output of the block to the file of ``--csv``, if it names one, even after Ctrl-C."""
    path = getattr(arguments, "csv", None)
    if path in (None, STANDARD_INPUT):
        yield
        return
    values = [value for name, value in vars(arguments).items() if isinstance(value, str) and name != "csv"]
    check_target(path, [*arguments.operands, *values])
    refuse_existing(path, force=arguments.force)
    table = io.StringIO()
    try:
        with redirect_stdout(table):
            yield
    finally:
        if table.getvalue():
            write_file(path, table.getvalue())
            complain(f"bgfast: the table is in {path}")


def input_source(operand: str) -> tuple[str | int, str]:
    """Return a file name or descriptor to read, and its name in errors; ``-`` is standard input."""
    return (sys.stdin.fileno(), "standard input") if operand == STANDARD_INPUT else (operand, operand)


def check_target(path: str | None, used_paths: Iterable[str | None]) -> None:
    """Check, before any work, that `path` is none of `used_paths` and `write_file` can write to it."""
    if path is None:
        return
    refuse_missing_folder(path)
    if os.path.isdir(path):
        raise BgfastError(f"{short_repr(path)}: {os.strerror(errno.EISDIR)}")
    used = {os.path.realpath(used_path) for used_path in used_paths if used_path is not None}
    with suppress(OSError, ValueError, AttributeError):  # standard input is closed, or not a file
        status = os.fstat(sys.stdin.fileno())
        if stat.S_ISREG(status.st_mode) and os.path.samestat(os.stat(path), status):
            used.add(os.path.realpath(path))
    if os.path.realpath(path) in used:
        raise BgfastError(f"{short_repr(path)} is already used by this command; expected another file")


def check_plot_target(arguments: argparse.Namespace, used_paths: Iterable[str | None]) -> None:
    """Check, before any work, that the picture of ``--plot``, if any, can be drawn and written."""
    check_target(arguments.plot, used_paths)
    if arguments.plot is not None:
        refuse_existing(arguments.plot, force=arguments.force)
        check_plot(arguments.plot)


def refuse_existing(path: str, *, force: bool) -> None:
    """Raise `BgfastError` if an output would replace a file, or a folder with files, without `force`."""
    if force or not (os.path.isfile(path) or (os.path.isdir(path) and os.listdir(path))):
        return
    raise BgfastError(f"{short_repr(path)} exists already; expected a new name, or --force")


def option_value(arguments: argparse.Namespace, option: str) -> Any:
    """Return the value of an option such as ``--time-limit``."""
    return getattr(arguments, option[2:].replace("-", "_"))


def check_end(text: PositionText) -> None:
    """Raise `NotationError` if words follow the position."""
    if text.rest:
        raise NotationError(f"{short_repr(' '.join(text.rest))} after the position; expected nothing more")


# ---- positions of a command: typed, or in a file ----


class InputPosition(NamedTuple):
    """Position of a command, with its roll, if any; a position from a file has a line number and tokens."""

    position: Position
    roll: Roll | None
    context: Decision | None = None
    line: int | None = None
    tokens: tuple[str, ...] = ()

    @property
    def heading(self) -> list[str]:
        """Heading of the results; empty for a single position."""
        return [] if self.line is None else [f"line {self.line}: {' '.join(self.tokens)}"]

    @property
    def origin(self) -> dict[str, int | str]:
        """Line and text, for machine-readable output; empty for a single position."""
        return {} if self.line is None else {"line": self.line, "given": " ".join(self.tokens)}

    @property
    def roll_text(self) -> str:
        """Roll as text; empty without a roll."""
        return "" if self.roll is None else "{}-{}".format(*self.roll)

    @property
    def columns(self) -> dict[str, int | str]:
        """First columns of the rows in a table."""
        return {**self.origin, "position": self.position.gnubg_id, "roll": self.roll_text}


def input_positions(
    arguments: argparse.Namespace, prepare: Callable[[InputPosition], Item], *single_options: str
) -> list[tuple[InputPosition, Item]]:
    """Return the positions with the results of `prepare`; refuse `single_options` with ``--positions``.

    Errors in a file begin with the name of the file and the line.
    """
    if arguments.positions is None:
        position = _with_roll(parse_position(arguments))
        return [(position, prepare(position))]
    for option in single_options:
        if option_value(arguments, option) is not None:
            raise BgfastError(f"{option} and --positions cannot be combined")
    if arguments.operands:
        operands = short_repr(" ".join(arguments.operands))
        raise BgfastError(f"{operands} and --positions cannot be combined")

    def add_line(line: int, tokens: list[str], items: list[tuple[InputPosition, Item]]) -> None:
        if is_match_id(" ".join(tokens)):  # GNU Backgammon prints it on a separate line
            if not items or items[-1][0].context is not None:
                problem = "a match ID without a position ID before it; expected one in the line above"
                raise NotationError(problem)
            previous, _ = items.pop()
            line, tokens = previous.line or line, [*previous.tokens, *tokens]
        text = read_position(" ".join(tokens), arguments.checkers)
        position = _with_roll(text)._replace(line=line, tokens=tuple(tokens))
        items.append((position, prepare(position)))

    file, name = input_source(arguments.positions)
    content = getattr(arguments, "positions_content", None) or read_content(file, name)
    return read_lines(name, content, add_line)


def _with_roll(text: PositionText) -> InputPosition:
    roll = text.roll() if text.rest or text.dice is not None else None
    return InputPosition(text.position, roll, context_of(text))
