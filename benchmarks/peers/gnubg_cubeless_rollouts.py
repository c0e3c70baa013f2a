"""Cubeless rollouts by GNU Backgammon: 0 plies, luck subtracted, to the end or the one-sided database."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from bgfast.engines.adapters.gnubg import find_program
from tests.support.gnubg_rollout import NUMBER, numbers, told

__all__ = ["gnubg_rollouts", "gnubg_version"]

_SETTINGS = """
set player 0 human
set player 1 human
set automatic game off
set automatic roll off
new session
set jacoby off
set turn 1
set output digits 5
set threads 1
set rollout trials {trials}
set rollout seed 1
set rollout cubeful off
set rollout varredn on
set rollout quasirandom on
set rollout initial off
set rollout truncation enable off
set rollout bearofftruncation exact on
set rollout bearofftruncation onesided on
set rollout chequerplay plies 0
set rollout chequerplay cubeful off
set rollout chequerplay noise 0
set rollout chequerplay prune off
set rollout later enable off
set rollout limit enable off
set rollout jsd stop off
"""


def gnubg_version() -> str:
    """Return name and version of the program."""
    command = [find_program(), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def gnubg_rollouts(position_ids: Sequence[str], trials: int) -> list[tuple[float, float]]:
    """Return equities and standard errors of positions, in points, for the player on roll."""
    questions = "".join(f"set board {position_id}\nrollout\n" for position_id in position_ids)
    text = told(f"{_SETTINGS.format(trials=trials)}{questions}quit\n")
    results = []
    for end in text.split("Rollout done.")[1:]:
        if f"\n{trials} games, " not in end or "Full cubeless rollout" not in end:
            raise AssertionError(end)
        equity, error = re.findall(rf"^ [ \[]({NUMBER} .* CL +{NUMBER})", end, re.MULTILINE)[:2]
        results.append((float(numbers(equity)[-1]), float(numbers(error)[-1])))
    return results
