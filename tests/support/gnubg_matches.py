"""Matches that GNU Backgammon plays against itself and exports, and what it makes of those it imports."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.support.gnubg_bearoff import program
from tests.support.patience import patient

PLAYERS = ("Anna Lee", "bob")
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


class Played(NamedTuple):
    """The files of a match or session, and the IDs that the program printed while it was played."""

    mat: Path
    sgf: Path
    ids: list[tuple[str, str]]


def told(commands: str) -> str:
    """Return what GNU Backgammon prints when it is told this, line by line."""
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
) -> Played:
    """Let it play a match, or a session of so many games with beavers and the Jacoby rule."""
    mat, sgf = folder / f"{name}.mat", folder / f"{name}.sgf"
    played = f"new match {length}\n"
    if length is None:
        played = "set jacoby on\nset beavers 3\nset automatic game off\nnew session\n" + "new game\n" * (
            games - 1
        )
    shown = "" if display else "set display off\n"
    said = told(f"{_SETTINGS}{shown}set seed {seed}\n{played}export match mat {mat}\nsave match {sgf}\n")
    return Played(mat, sgf, _SHOWN.findall(said))


def imported(path: Path) -> tuple[str, str]:
    """Return the score of a file in its words, and the last position ID of it."""
    load = f"import mat {path}" if path.suffix == ".mat" else f"load match {path}"
    said = told(f"set output matchpc off\n{load}\nshow score\nshow board\n")
    scores = re.findall(r"The score \(after[^\n]*|[^\n]*(?:wins|has won) [^\n]*", said)
    ids = _SHOWN.findall(said)
    return (scores[-1] if scores else said[-400:]), (ids[-1][0] if ids else "")
