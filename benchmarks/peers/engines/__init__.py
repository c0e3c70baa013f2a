"""What is timed of each engine: the adapters of `bgfast.engines`, and a workload in the terms of each."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from bgfast.engines import protocol
from bgfast.engines.protocol import Board, Capabilities, Case, Roll, UnreachableError

__all__ = [
    "ADAPTERS",
    "Board",
    "Capabilities",
    "Case",
    "Engine",
    "Missing",
    "Roll",
    "UnreachableError",
    "load_engines",
]

ADAPTERS = {
    "bgfast": "bgfast_plays",
    "gnubg-nn": "gnubg",
    "bgsage": "sage",
    "open_spiel": "openspiel",
    "pgx": "pgx_steps",
    "gym-backgammon": "gym_plays",
}
"""Engine by name, and the module here that holds its adapter as `Adapter`."""


class Engine(protocol.Engine, Protocol):
    """What the comparison asks of an engine.

    Attributes
    ----------
    unit : str
        What `workload` counts: "successors", or whatever the engine hands out instead.
    note : str
        What is called and timed, in a line.
    check_limit : int
        How many positions of a set are compared at most; the slow ones are compared on fewer.
    """

    unit: str
    note: str
    check_limit: int

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        """Return what is timed: one call a case, in the engine's own terms, returning the units it met.

        Conversions are done before, outside of the time.
        """
        ...


class Missing(NamedTuple):
    """An engine that is not there, and why."""

    name: str
    reason: str


def load_engines(names: Sequence[str]) -> tuple[list[Engine], list[Missing]]:
    """Return the adapters of the engines that can be imported, and the names of the others."""
    found: list[Engine] = []
    missing: list[Missing] = []
    for name in names:
        try:
            found.append(importlib.import_module(f"{__name__}.{ADAPTERS[name]}").Adapter())
        # Whatever a foreign package does on import, the others are still to be measured.
        except Exception as error:
            missing.append(Missing(name, f"{type(error).__name__}: {error}".splitlines()[0][:200]))
    return found, missing
