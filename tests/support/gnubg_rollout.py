"""Cubeless static evaluations and full rollouts by GNU Backgammon."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.support.gnubg import program

Values = npt.NDArray[np.float64]

SESSION = """
set player 0 human
set player 1 human
set automatic game off
set automatic roll off
new session
set jacoby off
set turn 1
set output digits 5
set threads 1
"""
ROLLOUT_SETTINGS = """
set rollout trials {trials}
set rollout seed {seed}
set rollout cubeful off
set rollout varredn {switch}
set rollout quasirandom on
set rollout initial off
set rollout truncation enable off
set rollout bearofftruncation exact {switch}
set rollout bearofftruncation onesided {switch}
set rollout chequerplay plies 0
set rollout chequerplay cubeful off
set rollout chequerplay noise 0
set rollout chequerplay prune off
set rollout later enable off
set rollout limit enable off
set rollout jsd stop off
"""
"""`switch` ("on" or "off") sets variance reduction and truncation at the bear-off databases."""
SET_BOARD = f"{SESSION}set board {{id}}\n"
EVALUATE = SET_BOARD + "eval\nquit\n"
ROLL_OUT = f"{SET_BOARD}{ROLLOUT_SETTINGS}rollout\nquit\n"
NUMBER = r"[+-]?\d+\.\d+"


def evaluation(gnubg_id: str) -> Values:
    """Return the five static probabilities of the player on roll."""
    output = run_commands(EVALUATE.format(id=gnubg_id))
    return parse_numbers(re.findall(r"^static: (.*)$", output, re.MULTILINE)[-1])[:5]


def rollout(gnubg_id: str, trials: int, seed: int) -> tuple[Values, Values]:
    """Return the five probabilities and the equity of the player on roll, and their standard errors."""
    output = run_commands(ROLL_OUT.format(id=gnubg_id, trials=trials, seed=seed, switch="off"))
    summary = output[output.index("Rollout done.") :]
    assert f"\n{trials} games, " in summary, summary
    assert "Full cubeless rollout without variance reduction" in summary
    means, standard_errors = re.findall(rf"^ [ \[]({NUMBER} .* CL +{NUMBER})", summary, re.MULTILINE)[-2:]
    return remove_losing_probability(parse_numbers(means)), np.delete(parse_numbers(standard_errors), 3)


def remove_losing_probability(values: Values) -> Values:
    """Return the values without the losing probability, the fourth value."""
    assert abs(values[0] + values[3] - 1) < 2e-5
    return np.delete(values, 3)


def parse_numbers(text: str) -> Values:
    return np.array(re.findall(NUMBER, text), np.float64)


def run_commands(commands: str) -> str:
    """Run commands in GNU Backgammon, which prints rollout results only to a terminal; return its output."""
    path = program("gnubg")
    terminal, program_side = pty.openpty()
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        file = Path(folder, "commands")
        file.write_text(commands, encoding="ascii")
        process = subprocess.Popen(
            [path, "--tty", "--quiet", "--no-rc", "--prefsdir", folder, "--commands", str(file)],
            stdin=subprocess.DEVNULL,
            stdout=program_side,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": folder, "LC_ALL": "C"},
        )
        os.close(program_side)
        output = b""
        try:
            while chunk := os.read(terminal, 65536):
                output += chunk
        except OSError:
            pass  # raised when the program exits
        finally:
            os.close(terminal)
            process.wait()
    text = output.decode("ascii", "replace").replace("\r", "")
    assert "nknown keyword" not in text, text
    return text
