"""GNU Backgammon: databases of `makebearoff`, and matches that the program plays, exports and imports.

Source of the formats: bearoff.c and makebearoff.c of GNU Backgammon 1.07.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from tests.support.patience import patient

HEADER_BYTES = 40
MAX_ROLLS = 32
CERTAINTY = 65535
"""Stored value of probability 1."""


def program(name: str) -> str:
    """Return the path of a program of GNU Backgammon; skip the test if it is missing."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/games")
    if path is None:
        pytest.skip(f"NOT INSTALLED: {name} of GNU Backgammon, so nothing is compared with it")
    return path


def make_database(file: Path, *options: str) -> None:
    """Write a database with `makebearoff`."""
    subprocess.run([program("makebearoff"), *options, "-f", str(file)], check=True, capture_output=True)


def dump(file: Path, entry: int) -> str:
    """Return the output of `bearoffdump` for one entry."""
    command = [program("bearoffdump"), "-n", str(entry), str(file)]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def read_one_sided(file: Path) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return each side's distributions of the number of rolls to bear off all checkers and one checker."""
    content = file.read_bytes()
    assert content.startswith(b"gnubg-OS-06-15-1-1-")
    side_count = comb(15 + 6, 6)
    index = np.frombuffer(content, np.uint8, 8 * side_count, HEADER_BYTES).reshape(side_count, 8)
    starts = index[:, :4].copy().view("<u4")[:, 0]
    values = np.frombuffer(content, "<u2", -1, HEADER_BYTES + 8 * side_count)
    tables: tuple[Any, Any] = np.zeros((side_count, MAX_ROLLS)), np.zeros((side_count, MAX_ROLLS))
    for side, start in enumerate(starts.tolist()):
        for table, length, offset in zip(tables, index[side, 4::2], index[side, 5::2], strict=True):
            table[side, offset : offset + length] = values[start : start + int(length)] / CERTAINTY
            start += int(length)
    return tables


def read_two_sided(file: Path, checkers: int) -> npt.NDArray[np.float64]:
    """Return equities indexed by the side numbers of mover and opponent, shape (sides, sides, 4).

    Columns: cubeless, then without a double: cube owned by the mover, centred, owned by the opponent.
    """
    content = file.read_bytes()
    assert content.startswith(b"gnubg-TS-06-%02d-1" % checkers)
    side_count = comb(checkers + 6, 6)
    values = np.frombuffer(content, "<u2", -1, HEADER_BYTES).reshape(side_count, side_count, 4)
    return values / (CERTAINTY / 2) - 1


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
_PRINTED_IDS = re.compile(r"Position ID: (\S{14})\s+Match ID\s*: (\S{12})")


class PlayedMatch(NamedTuple):
    """Files of a match or session, and the IDs printed during play."""

    mat: Path
    sgf: Path
    ids: list[tuple[str, str]]


def run_commands(commands: str) -> str:
    """Run commands in GNU Backgammon and return its output."""
    path = program("gnubg")
    process = subprocess.run(
        [path, "-t", "-q"],
        input=commands,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=patient(300),
        check=False,
    )
    return process.stdout


def play(
    folder: Path, name: str, seed: int, length: int | None, games: int = 5, display: bool = True
) -> PlayedMatch:
    """Play a match, or, if `length` is None, a session with beavers and the Jacoby rule."""
    mat, sgf = folder / f"{name}.mat", folder / f"{name}.sgf"
    setup = f"new match {length}\n"
    if length is None:
        setup = "set jacoby on\nset beavers 3\nset automatic game off\nnew session\n"
        setup += "new game\n" * (games - 1)
    display_command = "" if display else "set display off\n"
    output = run_commands(
        f"{_SETTINGS}{display_command}set seed {seed}\n{setup}export match mat {mat}\nsave match {sgf}\n"
    )
    return PlayedMatch(mat, sgf, _PRINTED_IDS.findall(output))


def import_score(path: Path) -> tuple[str, str]:
    """Import a file and return GNU Backgammon's score line and last position ID."""
    load_command = f"import mat {path}" if path.suffix == ".mat" else f"load match {path}"
    output = run_commands(f"set output matchpc off\n{load_command}\nshow score\nshow board\n")
    scores = re.findall(r"The score \(after[^\n]*|[^\n]*(?:wins|has won) [^\n]*", output)
    ids = _PRINTED_IDS.findall(output)
    return (scores[-1] if scores else output[-400:]), (ids[-1][0] if ids else "")
