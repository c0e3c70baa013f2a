"""Adapter of GNU Backgammon, the program: a long-lived process in text mode that runs `gnubg_inside`."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from bgfast.common.vocabulary import Board, Roll
from bgfast.engines.play_notation import board_after
from bgfast.engines.protocol import Capabilities, Case, EngineError, MissingEngineError, UnreachableError
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

INSIDE = Path(__file__).with_name("gnubg_inside.py")


class Adapter:
    """``gnubg.hint(5000)`` at 0 plies, which lists every successor once and nothing for a pass."""

    name = "gnubg"
    capabilities = Capabilities()

    def __init__(self) -> None:
        version_text = subprocess.run(
            [find_program(), "--version"], capture_output=True, text=True, check=True
        ).stdout
        self.version = version_text.splitlines()[0].removeprefix("GNU Backgammon ")
        question_read, question_write = os.pipe()
        answer_read, answer_write = os.pipe()
        with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
            self._process = subprocess.Popen(
                program_words(folder, "--python", INSIDE),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(question_read, answer_write),
                env={**os.environ, "HOME": folder, "BGFAST_PIPES": f"{question_read} {answer_write}"},
            )
            os.close(question_read)
            os.close(answer_write)
            self._questions = os.fdopen(question_write, "w", encoding="ascii")
            self._answers = os.fdopen(answer_read, encoding="ascii")
            # Wait for the first answer: then the folder is no longer needed and can be deleted.
            self._request(money_decision(Position.start(), (2, 1)).gnubg_id)

    def successors(self, case: Case) -> list[Board]:
        decision = money_decision(Position.from_array(case.board), case.roll)
        position = decision.position.gnubg_id
        answer = self._request(decision.gnubg_id)
        if answer["position"] != position or sorted(answer["dice"]) != sorted(case.roll):
            raise UnreachableError(
                f"gnubg set {answer['position']} with {answer['dice']}; expected {position}"
            )
        return [board_after(case.board, text) for text in answer["plays"]]

    def close(self) -> None:
        # The script exits at the end of its input.
        with contextlib.suppress(OSError):
            self._questions.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()

    def _request(self, gnubg_id: str) -> dict[str, Any]:
        try:
            self._questions.write(gnubg_id + "\n")
            self._questions.flush()
            line = self._answers.readline()
        except OSError:
            line = ""
        if not line:
            raise EngineError(f"gnubg ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def find_program() -> str:
    """Return the path of gnubg, or raise `MissingEngineError`; Debian's /usr/games may not be on the PATH."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/games"))
    program = shutil.which("gnubg", path=path)
    if program is None:
        raise MissingEngineError("no program gnubg is on the PATH or in /usr/games")
    return program


def program_words(folder: str, option: str, file: Path) -> list[str]:
    """Return the command that runs a file in gnubg; the empty `folder` replaces the user's settings."""
    return [find_program(), *"--tty --quiet --no-rc --prefsdir".split(), folder, option, str(file)]


def money_decision(position: Position, roll: Roll) -> Decision:
    """Return the decision of a money game with a centred cube."""
    return Decision(position=position, dice=roll, jacoby=True)
