"""Access to the learning environments, which need optional packages, with test games and random plays."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bgfast

PRESETS = [bgfast.STANDARD, bgfast.EXACT, bgfast.REAR_FIRST, bgfast.FIVE_STACK]
PRESET_NAMES = ["standard", "exact", "rear_first", "five_stack"]
Int8 = npt.NDArray[np.int8]
START = bgfast.Position.start()
HYPERGAMMON = bgfast.Position.hypergammon()
UNEVEN = bgfast.Position.from_array([0, 0, 1, 1, 0, 1, *[0] * 13, -1, 0, -1, *[0] * 4], 3)
"""The player on roll has three checkers; the opponent has two and can bear off both with one roll."""
GAMES = [(rules, START) for rules in PRESETS]
GAMES += [(bgfast.STANDARD, HYPERGAMMON), (bgfast.STANDARD, UNEVEN), (bgfast.EXACT, UNEVEN.flip())]
GAME_NAMES = [*PRESET_NAMES, "hypergammon", "uneven", "uneven-exact"]


def environments(consequence: str = "bgfast.environments was not tested") -> Any:
    """Return `bgfast.environments`; skip the test if its packages are missing."""
    for package in ("gymnasium", "pettingzoo"):
        pytest.importorskip(package, reason=f"NOT INSTALLED: {package}, so {consequence}")
    return importlib.import_module("bgfast.environments")


def random_play(info: dict[str, Any], rng: np.random.Generator) -> Any:
    """Return an array with the index of a random play for each game."""
    offsets = info["successors"].offsets
    return (rng.random(len(offsets) - 1) * np.diff(offsets)).astype(np.int64)


def flipped_board(position: bgfast.Position) -> Int8:
    return position.flip().to_array()
