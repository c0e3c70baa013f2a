"""Engine adapters of `bgfast.conformance` with a timed workload."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from bgfast.common.validation import Board, Roll
from bgfast.conformance import protocol
from bgfast.conformance.protocol import Capabilities, Case, UnreachableError

__all__ = [
    "ADAPTERS",
    "Board",
    "Capabilities",
    "Case",
    "Engine",
    "MissingEngine",
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
"""Modules of this package that define `Adapter`, by engine."""


class Engine(protocol.Engine, Protocol):
    """Engine with a timed workload.

    Attributes
    ----------
    unit : str
        Unit that `workload` counts: "successors", or the engine's own unit.
    note : str
        One-line description of the timed call.
    check_limit : int
        Maximum number of positions to compare from a set; smaller for slow engines.
    """

    unit: str
    note: str
    check_limit: int

    def workload(self, cases: Sequence[Case]) -> Callable[[], int]:
        """Return the function to time, which makes one call for each case and returns the number of units.

        The cases are converted before the timing.
        """
        ...


class MissingEngine(NamedTuple):
    """An engine that cannot be imported, and the reason."""

    name: str
    reason: str


def load_engines(names: Sequence[str]) -> tuple[list[Engine], list[MissingEngine]]:
    """Return the adapters of the installed engines, and the missing engines with the reasons."""
    engines: list[Engine] = []
    missing: list[MissingEngine] = []
    for name in names:
        try:
            engines.append(importlib.import_module(f"{__name__}.{ADAPTERS[name]}").Adapter())
        # An external package may raise anything on import; the other engines are still measured.
        except Exception as error:
            missing.append(MissingEngine(name, f"{type(error).__name__}: {error}".splitlines()[0][:200]))
    return engines, missing
