"""Matches played, exported and imported by GNU Backgammon."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.support.gnubg_bearoff import program
from tests.support.patience import patient

_SETTINGS = """\
set player 0 gnubg
set player 1 gnubg
set player 0 name Anna Lee
set player 1 name bob
set player 0 chequer evaluation plies 0
set player 1 chequer evaluation plies 0
set player 0 cube evaluation plies 0
set player 1 cube evaluation plies 0
set output matchpc off
set automatic bearoff on
"""
_SHOWN = re.compile(r"Position ID: (\S{14})\s+Match ID\s*: (\S{12})")


class PlayedMatch(NamedTuple):
    """Files of a match or session, and the IDs printed during play."""

    mat: Path
    sgf: Path
    ids: list[tuple[str, str]]


def run_commands(commands: str) -> str:
    """Return GNU Backgammon's output of commands."""
    path = program("gnubg")
    run = subprocess.run(
        [path, "-t", "-q"],
        input=commands,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=patient(300),
        check=False,
    )
    return run.stdout


def play(
    folder: Path, name: str, seed: int, length: int | None, games: int = 5, display: bool = True
) -> PlayedMatch:
    """Play a match, or a session of games with beavers and the Jacoby rule."""
    mat, sgf = folder / f"{name}.mat", folder / f"{name}.sgf"
    start = f"new match {length}\n"
    if length is None:
        start = "set jacoby on\nset beavers 3\nset automatic game off\nnew session\n" + "new game\n" * (
            games - 1
        )
    display_command = "" if display else "set display off\n"
    output = run_commands(
        f"{_SETTINGS}{display_command}set seed {seed}\n{start}export match mat {mat}\nsave match {sgf}\n"
    )
    return PlayedMatch(mat, sgf, _SHOWN.findall(output))


def import_score(path: Path) -> tuple[str, str]:
    """Return GNU Backgammon's score line and last position ID of an imported file."""
    load = f"import mat {path}" if path.suffix == ".mat" else f"load match {path}"
    output = run_commands(f"set output matchpc off\n{load}\nshow score\nshow board\n")
    scores = re.findall(r"The score \(after[^\n]*|[^\n]*(?:wins|has won) [^\n]*", output)
    ids = _SHOWN.findall(output)
    return (scores[-1] if scores else output[-400:]), (ids[-1][0] if ids else "")
