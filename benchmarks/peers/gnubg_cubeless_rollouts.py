"""Cubeless rollouts by GNU Backgammon: 0 plies, luck subtracted, to the end or the one-sided database."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from bgfast.engines.adapters.gnubg import find_program
from tests.support.gnubg_rollout import NUMBER, ROLLOUT_SETTINGS, SESSION, numbers, told

__all__ = ["gnubg_rollouts", "gnubg_version"]

_SETTINGS = SESSION + ROLLOUT_SETTINGS


def gnubg_version() -> str:
    """Return name and version of the program."""
    command = [find_program(), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def gnubg_rollouts(position_ids: Sequence[str], trials: int) -> list[tuple[float, float]]:
    """Return equities and standard errors of positions, in points, for the player on roll."""
    questions = "".join(f"set board {position_id}\nrollout\n" for position_id in position_ids)
    text = told(f"{_SETTINGS.format(trials=trials, seed=1, on='on')}{questions}quit\n")
    results = []
    for end in text.split("Rollout done.")[1:]:
        if f"\n{trials} games, " not in end or "Full cubeless rollout" not in end:
            raise AssertionError(end)
        equity, error = re.findall(rf"^ [ \[]({NUMBER} .* CL +{NUMBER})", end, re.MULTILINE)[:2]
        results.append((float(numbers(equity)[-1]), float(numbers(error)[-1])))
    return results
