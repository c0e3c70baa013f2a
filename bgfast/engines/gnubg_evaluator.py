"""GNU Backgammon, the program, as a static evaluator."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import BinaryIO

import numpy as np

from bgfast.common.machine import usable_cores
from bgfast.common.probabilities import PROBABILITIES, Numbers
from bgfast.common.threads import parallel_map
from bgfast.common.vocabulary import Boards
from bgfast.engines.adapters.gnubg import find_program, program_words
from bgfast.engines.process import START_LIMIT
from bgfast.engines.protocol import EngineError, MissingEngineError
from bgfast.engines.registry import ENGINES
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import ForeignEvaluator

MIN_BOARDS = 64
"""Minimum number of boards for each process."""
POLL_SECONDS = 0.02
"""Interval between two attempts to connect to a starting process."""
# FIBS board: names, money game, the 26 points and bars, side to move, no dice, cube, directions.
REQUEST = "evaluation fibsboard board:a:b:0:0:0:{}:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0 plies 0\n"


class Gnubg(ForeignEvaluator):
    """GNU Backgammon's cubeless evaluation at 0 plies, computed by the program; five probabilities.

    The first call starts up to one process for each usable processor; the boards of a call are divided among
    them.

    Source: GNU Backgammon 1.07, its command ``external``.

    Raises
    ------
    BgfastError
        If GNU Backgammon is not installed. A call also raises it if the program cannot be started or exits.

    Notes
    -----
    Instances can be pickled. Calls from several threads are serialized.
    """

    name = "gnubg"

    def __init__(self) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise BgfastError("gnubg needs Unix sockets, which this system does not have; use gnubg-nn")
        try:
            find_program()
        except MissingEngineError as error:
            raise BgfastError(f"gnubg is not installed ({error}): {ENGINES['gnubg']}") from None
        self._lock = threading.Lock()
        self._programs: list[_Program] = []

    def _evaluate(self, boards: Boards) -> Numbers:
        rows = boards.tolist()
        workers = max(1, min(usable_cores(), len(rows) // MIN_BOARDS))
        bounds = [len(rows) * index // workers for index in range(workers + 1)]
        with self._lock:
            try:
                while len(self._programs) < workers:
                    self._programs.append(_Program())
                parts = parallel_map(
                    lambda index: list(
                        map(self._programs[index].probabilities, rows[bounds[index] : bounds[index + 1]])
                    ),
                    range(workers),
                    workers,
                )
                return np.array([row for part in parts for row in part]).reshape(-1, PROBABILITIES)
            except EngineError as error:
                self.close()
                raise BgfastError(str(error)) from None
            # Including Ctrl-C: an answer still to come must not be read as the answer to the next request.
            except BaseException:
                self.close()
                raise

    def processes(self) -> list[int]:
        """Return the IDs of the running processes."""
        return [program.process.pid for program in self._programs]

    def close(self) -> None:
        """End the processes; the next call starts new ones."""
        for program in self._programs:
            program.close()
        self._programs = []

    def __reduce__(self) -> tuple[type[Gnubg], tuple[()]]:
        return Gnubg, ()

    def __repr__(self) -> str:
        """Return the constructor call."""
        return "Gnubg()"


class _Program:
    """GNU Backgammon process and the socket over which it answers.

    The temporary folder replaces the user's settings and holds the socket's path; it is deleted after the
    connection. When the socket is closed, also by the end of this process, the program cannot open another
    one there and exits.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
            path, commands = Path(folder, "socket"), Path(folder, "commands")
            commands.write_text(f"external {path}\n", encoding="utf-8")
            self.process = subprocess.Popen(
                program_words(folder, "--commands", commands),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "HOME": folder, "LC_ALL": "C"},
                start_new_session=True,  # keeps Ctrl-C in the terminal away from it
            )
            try:
                self._socket = self._connect(str(path))
            except BaseException:
                self.process.kill()
                self.process.wait()
                raise
        self._answers = self._socket.makefile("rb")
        self.close = weakref.finalize(self, _end, self.process, self._socket, self._answers)

    def _connect(self, path: str) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + START_LIMIT
        while self.process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                connection.connect(path)
                return connection
            time.sleep(POLL_SECONDS)
        connection.close()
        status = self.process.poll()
        problem = (
            f"ended with status {status}" if status is not None else f"does not answer in {START_LIMIT:g} s"
        )
        raise EngineError(f"gnubg {problem}")

    def probabilities(self, row: list[int]) -> list[float]:
        """Return the five probabilities of a board."""
        try:
            self._socket.sendall(REQUEST.format(":".join(map(str, row))).encode("ascii"))
            line = self._answers.readline()
        except OSError:
            line = b""
        if not line:
            raise EngineError(f"gnubg ended with status {self.process.wait()}")
        try:
            *probabilities, _ = map(float, line.split())
        except ValueError:
            probabilities = []
        if len(probabilities) != PROBABILITIES:
            raise EngineError(f"gnubg answered {shown(line)}; expected five probabilities and an equity")
        return probabilities


def _end(process: subprocess.Popen[bytes], connection: socket.socket, answers: BinaryIO) -> None:
    answers.close()
    connection.close()
    process.kill()
    process.wait()
