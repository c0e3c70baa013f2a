"""The command ``bgfast``: dispatch of commands, exit status, and completion.

Bad input gives one line on standard error and exit status 2, before anything is printed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from pkgutil import resolve_name
from signal import Signals
from typing import Any

from bgfast.cli.parser import INTERRUPTED, Parser, complain_of_error, error_text
from bgfast.cli.streams import EndSignal, complain, discard, flush_errors, mend_streams
from bgfast.common.foreign_names import nearest
from bgfast.errors import UNBUILT, BgfastError, WrongCountError, is_unbuilt, short_repr

COMMANDS: Mapping[str, str] = {
    "analyse": "rank plays, or evaluate a position or a cube decision",
    "report": "errors, luck and error rates in recorded matches",
    "plays": "list every legal play of a roll",
    "show": "print a position and its IDs",
    "rollout": "roll out positions and plays",
    "play": "play against bgfast or another engine",
    "game": "let two players play a game and print its score sheet",
    "contest": "play two players against each other",
    "check": "check recorded matches",
    "convert": "convert a recorded match to another format",
    "compare": "compare with the analysis in match files",
    "bearoff": "exact bear-off probabilities and effective pip counts",
    "hypergammon": "solve the game with three checkers per side",
    "perft": "count positions after DEPTH plays",
    "errors": "average error per play",
    "train": "train a network by self-play",
    "crosscheck": "compare the plays of other engines with bgfast's",
    "suite": "write the conformance suite, or run it against an engine",
    "ubgi": "serve bgfast as an engine that speaks UBGI",
    "bench": "measure the speed on this machine",
}
"""Summary of each command.

The module of a command has `HELP` and `run`, and optionally `TYPES`, `DEFAULTS` and `SUGGESTIONS`.
"""
MODULES: Mapping[str, str] = {"errors": "error_per_play"}
"""Modules whose name differs from the command."""
SPELLINGS: Mapping[str, str] = {"analyze": "analyse"}
"""Other spellings of commands."""
_SUGGESTIONS = """\
analyse: best cube eval evaluate hint position roll
analyse XGID, which prints take points: takepoint takepoints take-point points
show: board id pip pips view
show --svg FILE: diagram draw image picture png svg
plays: legal list move moves
report: html match mistakes review stats
report FILE --anki FILE: anki cards flashcards quiz
convert: export import save
contest: duel tournament versus vs
bench: benchmark
check: validate
game, which plays one, or train: self-play selfplay simulate
ubgi: engine
bgfast.cube.MatchEquityTable.builtin()(4, 2) in Python: met
bgfast.random_positions(n, seed=SEED) in Python: random
bgfast.encode_tdgammon(boards) in Python: encode"""
SUGGESTIONS: Mapping[str, str] = {
    name: suggestion
    for suggestion, _, names in (line.rpartition(": ") for line in _SUGGESTIONS.splitlines())
    for name in names.split()
}
"""Suggested command for each name that other programs use."""
VERSION, HELP = ("--version", "-V", "version"), ("--help", "-h", "help", "?")


def _main_parser(command_names: Container[str] = ()) -> Parser:
    """Return the parser of `bgfast` itself, with the options of the commands in `command_names`."""
    parser = Parser(
        prog="bgfast",
        usage="bgfast COMMAND [options]",
        description="Backgammon: analysis, rollouts, matches, every legal play.",
    )
    parser.add_argument("--version", action="store_true", help="show version and build")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, summary in COMMANDS.items():
        aliases = [spelling for spelling, target in SPELLINGS.items() if target == name]
        command = commands.add_parser(name, help=summary, aliases=aliases)
        if any(spelling in command_names for spelling in (name, *aliases)):
            _load_command(command, name)
    parser.epilog = (
        "bgfast help COMMAND describes a command. A roll, a position or a file without a\n"
        "command is analysed.\n\n"
        "exit status: 0 success; 1 a check has failed or output cannot be written;\n"
        "  2 bad input; 130 after Ctrl-C.\n\nexample: bgfast 31"
    )
    return parser


def _print_version() -> None:
    from bgfast.common.machine import description  # imports NumPy

    versions = description()
    print(
        f"bgfast {versions['bgfast']}\n"
        f"generator {versions['build']}, compiled with {versions['compiler']}, Cython {versions['cython']}\n"
        f"{versions['python']}, NumPy {versions['numpy']}, {versions['system']}"
    )


def _load_command(parser: Parser, name: str) -> Any:
    """Return the module of a command, after adding its options to a parser."""
    from bgfast.cli.options import describe  # imports NumPy

    command = importlib.import_module(f"bgfast.cli.{MODULES.get(name, name)}")
    parser.suggestions = {**parser.suggestions, **getattr(command, "SUGGESTIONS", {})}
    if hasattr(command, "add_options"):  # a command whose actions have their own options
        command.add_options(parser)
    else:
        describe(parser, command.HELP, **getattr(command, "TYPES", {}))
        parser.set_defaults(**getattr(command, "DEFAULTS", {}))
    return command


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, by default ``sys.argv``, and return its exit status; see `exit_status`."""
    _complete()
    try:
        return exit_status(lambda: _run(list(sys.argv[1:] if argv is None else argv)))
    except SystemExit as exit_:  # raised by argparse after help or an error
        return int(exit_.code or 0)


def _run(argv: list[str]) -> int | None:
    """Run a command line; return the status of its command, or None for success."""
    if any("\0" in argument for argument in argv):  # callers of `main` can pass one, shells cannot
        raise BgfastError("a zero byte in the arguments; expected text")
    if sys.stdout is None:
        complain("bgfast: error: standard output is closed")
        return 1
    if argv[:1] and argv[0] in HELP:
        argv = [*argv[1:2], "--help"]
    elif argv[1:] == ["help"]:
        argv = [argv[0], "--help"]
    if not argv or argv[0] in HELP:
        _main_parser().print_help()
        return None
    if argv[0] in VERSION:
        _print_version()
        return None
    name = SPELLINGS.get(argv[0], argv[0])
    if name not in COMMANDS:
        _check_subject(argv)
        name, argv = "analyse", ["analyse", *argv]
    from bgfast.cli.options import table_file

    parser = Parser(prog=f"bgfast {name}", description=COMMANDS[name])
    command = _load_command(parser, name)
    arguments = parser.parse_options_first(argv[1:])
    if getattr(arguments, "json", False) and getattr(arguments, "csv", False):
        raise BgfastError("--json and --csv cannot be combined")
    with table_file(arguments):
        return command.run(arguments)


def _check_subject(argv: Sequence[str]) -> None:
    """Raise `BgfastError` unless a command line without a command begins with a subject or an option."""
    from bgfast.cli.options import is_subject
    from bgfast.common.validation import STARTS  # imports NumPy

    name = argv[0]
    if is_subject([*takewhile(lambda name: not name.startswith("--"), argv)] or argv):
        return
    is_option = name.startswith("--")
    similar_name = nearest(
        name.lower(), [*VERSION, *HELP] if is_option else [*COMMANDS, *SPELLINGS, *STARTS, "help", "version"]
    )
    suggestion = SUGGESTIONS.get(name.lower(), similar_name)
    if suggestion is not None or not is_option:
        instead = f"did you mean {suggestion}?" if suggestion else "bgfast help lists the commands"
        raise BgfastError(f"{short_repr(name)} is not a command, roll, position or file; {instead}")


# ---- exit status ----

SIGNAL_STATUS = 128
"""Base of the exit status after a signal, to which the signal's number is added, as in shells."""


def exit_status(run: Callable[[], int | None]) -> int:
    """Run a command and return the exit status; `run` returns a status, or None for success.

    The status is 2 for bad input; 1 if output cannot be written, a measurement is invalid, or external code
    such as a named callable raised an exception; 130 after Ctrl-C; 128 plus the signal number after SIGTERM,
    SIGHUP or SIGQUIT. In Python's development mode exceptions of external code are raised.
    """
    mend_streams()
    with EndSignal() as end, warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = partial(_show_warning, warnings.showwarning)
        status = _status(run, end)
    return SIGNAL_STATUS + end.signal if end.signal else status


def _show_warning(
    default: Callable[..., object], message: Warning | str, category: type[Warning], *location: object
) -> None:
    """Print a warning of bgfast in one line, without its source line."""
    if category is UserWarning:
        complain(f"bgfast: {message}")
    else:
        default(message, category, *location)


def _status(run: Callable[[], int | None], end: EndSignal) -> int:
    try:
        try:
            status = run()
        except SystemExit:  # argparse has printed the help or an error
            flush_errors()
            print(end="", flush=True)
            raise
        print(end="", flush=True)
        return status or 0
    except (BgfastError, WrongCountError) as error:
        complain_of_error(str(error))
        return 2 if isinstance(error, BgfastError) else 1
    except KeyboardInterrupt:
        complain(f"bgfast: ended by {Signals(end.signal).name}" if end.signal else "bgfast: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader, such as head or less, has closed the pipe.
        discard(sys.stdout)
        return 1
    except OSError as error:
        if error.filename is not None:
            complain_of_error(f"{error.filename}: {error.strerror}")
            return 2
        discard(sys.stdout)
        complain(f"bgfast: error: standard output: {error.strerror}")
        return 1
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        if is_unbuilt(error):
            complain_of_error(UNBUILT)
            return 2
        complain_of_error(f"{error_text(error)}; python -X dev -m bgfast shows where")
        return 1


# ---- completion by argcomplete, which takes commands and options from the parsers ----

EVALUATORS = "bgfast.cli.players:EVALUATORS"
COMPLETIONS: Mapping[str, str] = {
    **dict.fromkeys(("evaluator", "policy", "A", "PLAYER"), EVALUATORS),
    **dict.fromkeys(("engine", "ENGINE..."), "bgfast.conformance.registry:NAMES"),
    "level": "bgfast.players.opponents:OPPONENTS",
    "rules": "bgfast.rules:PRESETS",
    "[POSITION]": "bgfast.common.validation:STARTS",
}
"""Choices of each option, or of the first word of a usage, as module:name; imported on use."""


def _complete() -> None:
    """Answer a completion request of the shell, if there is one, and exit."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    from bgfast.common.extras import import_optional

    argcomplete = import_optional("argcomplete", "'bgfast[completion]'", "completion")
    parser = _main_parser(os.environ.get("COMP_LINE", "").split())
    _set_completers(parser, argcomplete.FilesCompleter())
    argcomplete.autocomplete(
        parser, exclude=list(SPELLINGS), default_completer=argcomplete.SuppressCompleter()
    )


def _set_completers(parser: argparse.ArgumentParser, files: Callable[..., Iterable[str]]) -> None:
    """Set the completers of all options and arguments of a parser and its subparsers."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for subparser in action.choices.values():
                _set_completers(subparser, files)
        elif action.choices is None and action.nargs != 0:
            setattr(action, "completer", _completer(action, files))  # noqa: B010 - argparse has no such name


def _completer(action: argparse.Action, files: Callable[..., Iterable[str]]) -> Callable[..., list[str]]:
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    names = COMPLETIONS.get((metavar.split() or [""])[0] if action.dest == "operands" else action.dest)
    takes_file = metavar.startswith(("FILE", "IN ", "[POSITION]")) or names == EVALUATORS

    def completions(prefix: str, **options: Any) -> list[str]:
        choices = [] if names is None else [name for name in resolve_name(names) if name.startswith(prefix)]
        return choices + list(files(prefix=prefix, **options)) if takes_file else choices

    return completions
