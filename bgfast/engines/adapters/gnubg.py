"""GNU Backgammon itself, in text mode: one long-lived process that runs a script of ours inside."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bgfast.engines.protocol import (
    Board,
    Capabilities,
    Case,
    EngineError,
    MissingEngineError,
    Roll,
    UnreachableError,
)
from bgfast.position.objects import Position

INSIDE = Path(__file__).with_name("gnubg_inside.py")
CHAIN = re.compile(r"((?:bar|\d+)(?:/(?:off|\d+)\*?)+)(?:\((\d)\))?")


class Adapter:
    """``gnubg.hint(5000)`` at 0 plies, which lists every play, each result once, and nothing for a pass.

    Nothing of the user's settings counts or changes: it starts with an empty folder of preferences, which is
    removed at once.
    """

    name = "gnubg"
    capabilities = Capabilities()

    def __init__(self) -> None:
        said = subprocess.run(
            [find_program(), "--version"], capture_output=True, text=True, check=True
        ).stdout
        self.version = said.splitlines()[0].removeprefix("GNU Backgammon ")
        its_end, our_question = os.pipe()
        our_answer, its_answer = os.pipe()
        with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
            self._process = subprocess.Popen(
                program_words(folder, "--python", INSIDE),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(its_end, its_answer),
                env={**os.environ, "HOME": folder, "BGFAST_PIPES": f"{its_end} {its_answer}"},
            )
            os.close(its_end)
            os.close(its_answer)
            self._questions = os.fdopen(our_question, "w", encoding="ascii")
            self._answers = os.fdopen(our_answer, encoding="ascii")
            # Once it answers it needs the folder no more, and whoever kills it leaves nothing behind.
            self._ask(f"{Position.start().gnubg_id}:{match_id((2, 1))}")

    def successors(self, case: Case) -> list[Board]:
        position = Position.from_array(case.board).gnubg_id
        said = self._ask(f"{position}:{match_id(case.roll)}")
        if said["position"] != position or sorted(said["dice"]) != sorted(case.roll):
            raise UnreachableError(f"asked for {position}, it set {said['position']} with {said['dice']}")
        return [board_after(case.board, text) for text in said["plays"]]

    def close(self) -> None:
        # It ends when there is nothing more to read.
        with contextlib.suppress(OSError):
            self._questions.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def _ask(self, gnubg_id: str) -> dict[str, Any]:
        try:
            self._questions.write(gnubg_id + "\n")
            self._questions.flush()
            line = self._answers.readline()
        except OSError:
            line = ""
        if not line:
            raise EngineError(f"gnubg ended with status {self._process.wait()}")
        said: dict[str, Any] = json.loads(line)
        return said


def find_program() -> str:
    """Return the path of gnubg, which Debian puts where few users look.

    Raises
    ------
    MissingEngineError
        If there is none.
    """
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games"))
    program = shutil.which("gnubg", path=path)
    if program is None:
        raise MissingEngineError("no program gnubg is on the PATH or in /usr/games")
    return program


def program_words(folder: str, option: str, file: Path) -> list[str]:
    """Return how to start gnubg with a file to do, so that nothing of the user's settings counts or changes.

    Its preferences are those of an empty folder.
    """
    return [find_program(), *"--tty --quiet --no-rc --prefsdir".split(), folder, option, str(file)]


def match_id(roll: Roll) -> str:
    """Return the match ID of a game for money, cube in the middle, in which the player on roll has thrown.

    67 bits, least significant first: 4-5 nobody owns the cube, 6 and 11 who is on roll, 8-10 a game is
    played, 15-17 and 18-20 the dice, larger first.
    """
    bits = 3 << 4 | 1 << 6 | 1 << 8 | 1 << 11 | max(roll) << 15 | min(roll) << 18
    return base64.b64encode(bits.to_bytes(9, "little")).decode("ascii")


def board_after(board: Board, text: str) -> Board:
    """Return the board after a play as gnubg writes it, ``24/18*/12* 13/7`` or ``bar/20(2) 6/off``."""
    row = list(board)
    chains = []
    for part in text.split():
        found = CHAIN.fullmatch(part)
        if found is None:
            raise EngineError(f"gnubg wrote a play that cannot be read: {text!r}")
        stops = found[1].split("/")
        # Whichever chain bears the sign, the blot has left before any checker stands there.
        for stop in stops:
            if stop.endswith("*") and row[int(stop[:-1])] == -1:
                row[int(stop[:-1])] = 0
                row[0] -= 1
        chains.append((stops[0], stops[-1].rstrip("*"), int(found[2] or 1)))
    for start, end, times in chains:
        row[25 if start == "bar" else int(start)] -= times
        if end != "off":
            row[int(end)] += times
    return tuple(row)
