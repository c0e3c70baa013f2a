"""Registry of the engines that have an adapter, and the function that opens an engine."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence

from bgfast.common.files import is_missing_file
from bgfast.conformance.engine_process import EngineProcess, RestartedProgram
from bgfast.conformance.line_protocol import serve
from bgfast.conformance.protocol import Engine, MissingEngineError, UnknownEngineError
from bgfast.conformance.ubgi_client import UbgiProcess
from bgfast.errors import short_repr

PROGRAM = "program:"
UBGI = "ubgi:"

ENGINES: Mapping[str, str] = {
    "gnubg": "install GNU Backgammon 1.07 or later, on Debian the package gnubg",
    "gnubg-nn": "pip install gnubg-nn==1.1.0a11",
    "bgsage": "pip install bgsage",
    "open_spiel": "pip install open_spiel",
    "pgx": "pip install pgx",
    "reference": "it comes with bgfast",
    "bgfast": "it comes with bgfast",
}
"""Installation hints for the engines with an adapter, by name; docs/ENGINES.md describes them."""
NAMES = (*ENGINES, PROGRAM)


def open_engine(name: str, *, time_limit: float = 60.0) -> RestartedProgram:
    """Start an engine in a separate process; close it, or use it as a context manager.

    The name is one of `ENGINES`, ``program:`` with the command line of a program that speaks the line
    protocol, or ``ubgi:`` with the command line of a UBGI engine that lists its plays. The time limit of an
    answer is in seconds. Raises `UnknownEngineError`, `MissingEngineError`, or `EngineError` if the
    introduction does not follow the protocol.
    """
    if name.startswith(UBGI):
        ubgi = UbgiProcess(command_line(name, UBGI), time_limit=time_limit)
        if ubgi.listing_command is None:
            ubgi.close()
            problem = "it has no key engine.multipv and no option MultiPV"
            raise MissingEngineError(f"{ubgi.name} lists no plays: {problem}")
        return ubgi
    if name.startswith(PROGRAM):
        command = command_line(name, PROGRAM)
    elif name in ENGINES:
        # ``-m`` would prefer a package named bgfast in the current folder.
        code = "from bgfast.conformance.registry import main; main()"
        command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}", name]
    else:
        names = ", ".join(ENGINES)
        problem = "no such file:" if is_missing_file(name) else "no engine is named"
        raise UnknownEngineError(
            f"{problem} {short_repr(name)}; expected {names}, or {PROGRAM!r} or {UBGI!r} and a command line"
        )
    try:
        return EngineProcess(command, time_limit=time_limit)
    except MissingEngineError as error:
        if name not in ENGINES:
            raise
        raise MissingEngineError(f"{name} is not installed ({error}): {ENGINES[name]}") from None


def command_line(name: str, prefix: str) -> list[str]:
    """Return the program and arguments after a prefix; raise `UnknownEngineError` if there are none."""
    try:
        command = shlex.split(name[len(prefix) :])
    except ValueError as error:
        raise UnknownEngineError(f"the command line in {short_repr(name)} cannot be read: {error}") from None
    if not command:
        raise UnknownEngineError(f"no command line follows {prefix!r}")
    return command


def main(argv: Sequence[str] | None = None) -> None:
    """Serve the engine named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m bgfast.engines.serve", description=main.__doc__)
    parser.add_argument("name", choices=ENGINES)
    name = parser.parse_args(argv).name

    def make_adapter() -> Engine:
        from bgfast.conformance.adapters import ADAPTERS

        return ADAPTERS[name]()

    serve(make_adapter)
