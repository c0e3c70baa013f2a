"""GNU Backgammon's cubeless rollouts: 0 plies, variance reduction, truncated at the one-sided database."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from bgfast.conformance.adapters import find_program
from tests.support.gnubg_rollout import NUMBER, ROLLOUT_SETTINGS, SESSION, parse_numbers, run_commands

__all__ = ["gnubg_rollouts", "gnubg_version"]

_SETTINGS = SESSION + ROLLOUT_SETTINGS


def gnubg_version() -> str:
    """Return the program's name and version."""
    command = [find_program(), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def gnubg_rollouts(position_ids: Sequence[str], trials: int) -> list[tuple[float, float]]:
    """Return equities and standard errors of positions, in points, for the player on roll."""
    commands = "".join(f"set board {position_id}\nrollout\n" for position_id in position_ids)
    output = run_commands(f"{_SETTINGS.format(trials=trials, seed=1, switch='on')}{commands}quit\n")
    results = []
    for result in output.split("Rollout done.")[1:]:
        if f"\n{trials} games, " not in result or "Full cubeless rollout" not in result:
            raise AssertionError(result)
        equity_row, error_row = re.findall(rf"^ [ \[]({NUMBER} .* CL +{NUMBER})", result, re.MULTILINE)[:2]
        results.append((float(parse_numbers(equity_row)[-1]), float(parse_numbers(error_row)[-1])))
    return results
