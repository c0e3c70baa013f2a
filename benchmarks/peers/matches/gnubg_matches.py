"""Matches played by GNU Backgammon against a weaker setting of itself, and its analysis of them at 2 plies.

Both players search 0 plies, with noise on the equities: 0.015 for one, 0.060 for the other. A match takes a
few seconds, its analysis half a minute of processor time. Existing files are reused.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bgfast.engines.adapters.gnubg import find_program

__all__ = ["LENGTH", "gnubg_analysis", "played_match", "run_gnubg"]

INSIDE = Path(__file__).with_name("gnubg_matches_inside.py")
LENGTH = 7
NOISE = (0.015, 0.060)


def played_match(folder: Path, seed: int) -> Path:
    """Return the file of a match; play it if the file does not exist."""
    path = folder.resolve() / f"m{seed}.mat"
    if not path.exists():
        lines = [f"set player {player} gnubg" for player in (0, 1)]
        for player, noise in enumerate(NOISE):
            for part in ("chequer", "cube"):
                lines.append(f"set player {player} {part} evaluation plies 0")
                lines.append(f"set player {player} {part} evaluation noise {noise}")
        lines += ["set output matchpc off", "set display off", f"set seed {seed}", f"new match {LENGTH}"]
        lines += [f"export match mat {path}"]
        run_gnubg([], {}, "".join(line + "\n" for line in lines))
        if not path.exists():
            raise SystemExit(f"GNU Backgammon did not write {path}")
    return path


def gnubg_analysis(match: Path) -> dict[str, Any]:
    """Return GNU Backgammon's analysis of a match; analyse the match if its file does not exist.

    Keys are ``cpu``, the seconds of processor time, and ``match``, the result of `gnubg.match`.
    """
    path = match.with_suffix(".json")
    if not path.exists():
        part = path.with_suffix(".part")
        run_gnubg(["--python", str(INSIDE)], {"BGFAST_MATCH": str(match), "BGFAST_ANALYSIS": str(part)})
        part.replace(path)
    analysis: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
    return analysis


def run_gnubg(options: list[str], variables: dict[str, str], commands: str = "") -> None:
    """Run GNU Backgammon with options, environment variables and commands."""
    with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
        subprocess.run(
            [find_program(), "--tty", "--quiet", "--no-rc", "--prefsdir", folder, *options],
            check=True,
            input=commands,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C", **variables},
        )
