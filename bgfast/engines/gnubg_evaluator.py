"""The program GNU Backgammon as an evaluator: what its networks make of a position, without looking ahead."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from bgfast.batch.validation import checked_boards
from bgfast.common.machine import usable_cores
from bgfast.common.probabilities import PROBABILITIES, Numbers
from bgfast.common.threads import each
from bgfast.common.vocabulary import CHECKERS, Boards
from bgfast.engines.adapters.gnubg import find_program, program_words
from bgfast.engines.process import START_LIMIT
from bgfast.engines.protocol import EngineError, MissingEngineError
from bgfast.engines.registry import ENGINES
from bgfast.errors import BgfastError, shown

__all__ = ["Gnubg"]

LEAST = 64  # boards that are worth a process of their own
PAUSE = 0.02  # seconds between two looks whether it has started
# As FIBS tells a board: names, a money game, the 26 places, whose turn, no dice, the cube, who moves where.
QUESTION = "evaluation fibsboard board:a:b:0:0:0:{}:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0 plies 0\n"


class Gnubg:
    """GNU Backgammon's evaluation at 0 plies, cubeless, by the program itself; five probabilities.

    A process for each usable processor is started when the first boards come, and each judges a part of them.

    Source: GNU Backgammon 1.07, its command ``external``.

    Raises
    ------
    BgfastError
        If GNU Backgammon is not installed; on being called also if it cannot be started, or ends.

    Notes
    -----
    Can be pickled, and called from several threads, which wait for each other.
    """

    name = "gnubg"

    def __init__(self) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise BgfastError("gnubg is asked over a socket that this system does not have; take gnubg-nn")
        try:
            find_program()
        except MissingEngineError as error:
            raise BgfastError(f"gnubg is not installed ({error}): {ENGINES['gnubg'].install}") from None
        self._lock = threading.Lock()
        self._programs: list[_Program] = []

    def __call__(self, boards: Boards) -> Numbers:
        """Return the five probabilities of boards (n, 26) for the player on roll, (n, 5)."""
        rows = checked_boards(boards, CHECKERS).tolist()
        number = max(1, min(usable_cores(), len(rows) // LEAST))
        bounds = [len(rows) * part // number for part in range(number + 1)]
        with self._lock:
            try:
                while len(self._programs) < number:
                    self._programs.append(_Program())
                parts = each(
                    lambda part: self._programs[part].probabilities(rows[bounds[part] : bounds[part + 1]]),
                    range(number),
                    number,
                )
                return np.array([five for part in parts for five in part]).reshape(-1, PROBABILITIES)
            except EngineError as error:
                self.close()
                raise BgfastError(str(error)) from None
            # Ctrl-C, too: the answer that is still to come must not be taken for that to the next question.
            except BaseException:
                self.close()
                raise

    def processes(self) -> list[int]:
        """Return the numbers of the processes that run."""
        return [program.process.pid for program in self._programs]

    def close(self) -> None:
        """End the processes; the next call starts others."""
        for program in self._programs:
            program.close()
        self._programs = []

    def __reduce__(self) -> tuple[type[Gnubg], tuple[()]]:
        return Gnubg, ()

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return "Gnubg()"


class _Program:
    """One process, and the socket over which it answers.

    Nothing of the user's settings counts or changes: it starts with an empty folder of preferences. That has
    gone when it has started, and the place of its socket with it: once the socket is closed, also by the end
    of this process, it finds no place for another one and ends.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
            place, commands = Path(folder, "socket"), Path(folder, "commands")
            commands.write_text(f"external {place}\n", encoding="utf-8")
            self.process = subprocess.Popen(
                program_words(folder, "--commands", commands),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "HOME": folder, "LC_ALL": "C"},
                start_new_session=True,  # Ctrl-C in the terminal is not for it
            )
            try:
                self._socket = self._connected(str(place))
            except BaseException:
                self.process.kill()
                self.process.wait()
                raise
        self._answers = self._socket.makefile("rb")
        self.close = weakref.finalize(self, _end, self.process, self._socket, self._answers)

    def _connected(self, place: str) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + START_LIMIT
        while self.process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                connection.connect(place)
                return connection
            time.sleep(PAUSE)
        connection.close()
        status = self.process.poll()
        why = f"ended with status {status}" if status is not None else f"does not answer in {START_LIMIT:g} s"
        raise EngineError(f"gnubg {why}")

    def probabilities(self, rows: Iterable[list[int]]) -> list[list[float]]:
        """Return the five probabilities of each board."""
        return [self._five(row) for row in rows]

    def _five(self, row: list[int]) -> list[float]:
        try:
            self._socket.sendall(QUESTION.format(":".join(map(str, row))).encode("ascii"))
            line = self._answers.readline()
        except OSError:
            line = b""
        if not line:
            raise EngineError(f"gnubg ended with status {self.process.wait()}")
        try:
            *five, _ = map(float, line.split())
        except ValueError:
            five = []
        if len(five) != PROBABILITIES:
            raise EngineError(f"gnubg answered {shown(line)}; expected five probabilities and an equity")
        return five


def _end(process: subprocess.Popen[bytes], connection: socket.socket, answers: BinaryIO) -> None:
    answers.close()
    connection.close()
    process.kill()
    process.wait()
