"""The engines that are known by name, and how they are opened."""

from __future__ import annotations

import importlib
import shlex
import sys
from types import MappingProxyType
from typing import NamedTuple

from bgfast.common.files import is_missing_file
from bgfast.engines.process import START_LIMIT, EngineProcess
from bgfast.engines.protocol import Engine, MissingEngineError, UnknownEngineError
from bgfast.errors import shown

__all__ = ["ENGINES", "Known", "make_adapter", "open_engine"]

PROGRAM = "program:"


class Known(NamedTuple):
    """An engine that has an adapter here.

    Attributes
    ----------
    what : str
        What is called, in a line.
    install : str
        How it is installed.
    """

    what: str
    install: str


ENGINES = MappingProxyType(
    {
        "gnubg": Known(
            "GNU Backgammon itself: all the plays that its hint lists",
            "install GNU Backgammon 1.07 or later, on Debian the package gnubg",
        ),
        "gnubg-nn": Known(
            "GNU Backgammon's generator as a Python module: gnubg_nn.moves", "pip install gnubg-nn==1.1.0a11"
        ),
        "bgsage": Known("a C++ engine with a Python module: bgsage.possible_moves", "pip install bgsage"),
        "open_spiel": Known(
            "OpenSpiel's backgammon, which replays games: state.legal_actions", "pip install open_spiel"
        ),
        "pgx": Known("an environment for JAX, one checker at a time: env.step", "pip install pgx"),
        "reference": Known(
            "bgfast's slow reference in plain Python, any rules: bgfast.reference.legal_positions",
            "it comes with bgfast",
        ),
        "bgfast": Known("bgfast itself, any rules: Position.plays", "it comes with bgfast"),
    }
)
"""What is known of each engine, by name."""


def make_adapter(name: str) -> Engine:
    """Return the adapter of a known engine in this process; an engine that is not installed: ImportError."""
    module = importlib.import_module(f".adapters.{name.replace('-', '_')}", __package__)
    adapter: type[Engine] = module.Adapter
    return adapter()


def open_engine(name: str, *, time_limit: float = 60.0, start_limit: float = START_LIMIT) -> EngineProcess:
    """Start an engine in a process of its own.

    Parameters
    ----------
    name : str
        One of `ENGINES`, or ``program:`` and the command line of a program that speaks the line protocol.
    time_limit : float
        Seconds for each answer.
    start_limit : float
        Seconds until it has introduced itself.

    Returns
    -------
    EngineProcess
        To be closed, or used in a ``with``.

    Raises
    ------
    UnknownEngineError
        If the name is not known, or the command line cannot be read.
    MissingEngineError
        If the engine is not installed; the message says what to do.
    EngineError
        If the engine does not introduce itself as agreed.

    Examples
    --------
    >>> from bgfast.engines.protocol import Case
    >>> from bgfast.engines.registry import open_engine
    >>> start = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
    >>> with open_engine("reference") as engine:
    ...     len(engine.successors(Case(start, (3, 1))))
    16
    """
    if name.startswith(PROGRAM):
        command = _split(name)
    elif name in ENGINES:
        command = _served(name)
    else:
        known = ", ".join(ENGINES)
        wrong = "no such file:" if is_missing_file(name) else "no engine is named"
        raise UnknownEngineError(
            f"{wrong} {shown(name)}; known are {known}, or {PROGRAM!r} and a command line"
        )
    try:
        return EngineProcess(command, time_limit=time_limit, start_limit=start_limit)
    except MissingEngineError as error:
        if name not in ENGINES:
            raise
        raise MissingEngineError(f"{name} is not installed ({error}): {ENGINES[name].install}") from None


def _served(name: str) -> list[str]:
    """Return the command that serves a known engine, with this very bgfast.

    ``-m`` would take the one of the current folder, which need not be built.
    """
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__package__}.serve import main; main()"
    return [sys.executable, "-c", code, name]


def _split(name: str) -> list[str]:
    try:
        command = shlex.split(name[len(PROGRAM) :])
    except ValueError as error:
        raise UnknownEngineError(f"the command line in {shown(name)} cannot be read: {error}") from None
    if not command:
        raise UnknownEngineError(f"no command line follows {PROGRAM!r}")
    return command
