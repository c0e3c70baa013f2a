"""The command ``bgfast``: dispatch of commands and exit status.

Bad input gives one line on standard error and exit status 2, before anything is printed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bgfast.cli.parser import Parser
from bgfast.cli.status import exit_status
from bgfast.common.streams import complain
from bgfast.errors import BgfastError

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "plays": "list every legal play of a roll",
        "show": "print a position and its IDs",
        "perft": "count positions after DEPTH plays",
        "analyse": "rank plays or evaluate a position",
        "compare": "compare analyses with those in match files",
        "rollout": "roll out positions and plays",
        "contest": "play two players against each other",
        "errors": "average error per play",
        "train": "train a network by self-play",
        "bearoff": "exact bear-off probabilities and effective pip counts",
        "hypergammon": "solve the game with three checkers a side",
        "check": "check recorded matches",
        "convert": "convert a recorded match to another format",
        "bench": "measure the speed on this machine",
        "game": "let two players play a game and print its score sheet",
        "play": "play against bgfast or another engine",
        "crosscheck": "compare the plays that other engines list with those of bgfast",
        "ubgi": "serve bgfast as an engine that speaks UBGI",
        "suite": "run the conformance suite against an engine, or write it",
    }
)
"""Summaries by command. A command is a module of this package with `add_options` and `run`."""
MODULES: Mapping[str, str] = MappingProxyType({"errors": "error_per_play"})
"""Modules whose name differs from the command."""
SPELLINGS: Mapping[str, str] = MappingProxyType({"analyze": "analyse"})
"""Other spellings of commands."""


def _first_parser(with_options: Container[str] = ()) -> Parser:
    """Return the parser of `bgfast` itself, with the options of the commands in `with_options`."""
    parser = Parser(prog="bgfast", description="Every legal backgammon play, exactly and fast.")
    parser.add_argument("--version", action=_Version, help="show version and build")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, summary in COMMANDS.items():
        aliases = [spelling for spelling, target in SPELLINGS.items() if target == name]
        command = commands.add_parser(name, help=summary, aliases=aliases)
        if any(word in with_options for word in (name, *aliases)):
            _command(name).add_options(command)
    parser.epilog = (
        "bgfast COMMAND --help describes a command.\n\n"
        "exit status: 0 success; 1 a check has failed or output cannot be written; 2 bad input;\n"
        "  130 after Ctrl-C.\n\nexample:\n  bgfast plays 31"
    )
    return parser


class _Version(argparse.Action):
    """Action that prints version and build; it imports NumPy only when used."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from bgfast.common.machine import description

        about = description()
        print(
            f"bgfast {about['bgfast']}\n"
            f"generator {about['build']}, compiled with {about['compiler']}, Cython {about['cython']}\n"
            f"{about['python']}, NumPy {about['numpy']}, {about['system']}"
        )
        parser.exit()


def _command(name: str) -> Any:
    return importlib.import_module(f"bgfast.cli.{MODULES.get(name, name)}")


def _complete() -> None:
    """Answer a completion request of the shell, and end the process after it."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    from bgfast.cli.completion import complete

    complete(_first_parser(os.environ.get("COMP_LINE", "").split()), hidden=SPELLINGS)


def _parsed(words: list[str]) -> tuple[Callable[[argparse.Namespace], int | None], argparse.Namespace]:
    """Return the function of the command, and its parsed arguments."""
    name = SPELLINGS.get(words[0], words[0]) if words else "--help"
    if name not in COMMANDS:
        _first_parser().parse_args([name])  # --help, --version, or the error that names the commands
    command = _command(name)
    parser = Parser(prog=f"bgfast {name}", description=COMMANDS[name])
    command.add_options(parser)
    return command.run, parser.parse_arranged(words[1:])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process, and return its exit status; see `exit_status`."""
    _complete()
    try:
        return exit_status(lambda: _run(list(sys.argv[1:] if argv is None else argv)))
    except SystemExit as ended:  # by argparse: help, version or an error
        return int(ended.code or 0)


def _run(words: list[str]) -> int | None:
    if any("\0" in word for word in words):  # impossible in a shell, but not for callers of `main`
        raise BgfastError("a zero byte in the arguments; expected text")
    if sys.stdout is None:
        complain("bgfast: error: standard output is closed")
        return 1
    run, arguments = _parsed(words)
    return run(arguments)
