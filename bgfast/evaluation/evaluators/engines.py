"""Other engines as evaluators at 0 plies: networks in Python packages, and the GNU Backgammon program."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import threading
import time
import weakref
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from bgfast.batch.successors import flip
from bgfast.common.extras import import_optional, installed_version
from bgfast.common.machine import usable_cores
from bgfast.common.probabilities import PROBABILITIES, Numbers, flip_probabilities
from bgfast.common.threads import parallel_map
from bgfast.common.validation import Boards
from bgfast.conformance.adapters import find_program, program_command
from bgfast.conformance.engine_process import START_LIMIT
from bgfast.conformance.protocol import EngineError, MissingEngineError
from bgfast.conformance.registry import ENGINES
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import ForeignEvaluator

GNUBG_NN = "gnubg-nn==1.1.0a11"
BGSAGE = "bgsage"


class GnubgNN(ForeignEvaluator):
    """GNU Backgammon's networks at 0 plies, from the package gnubg-nn; returns probabilities.

    Positions with few checkers left are looked up in the package's bear-off databases. Each side has 15
    checkers: missing checkers count as borne off.

    Source: gnubg-nn 1.1.0a11, ``gnubg_nn.probabilities``; GPL.

    See Also
    --------
    Bgsage : Networks of Open Sage.

    Notes
    -----
    `BgfastError` is raised if gnubg-nn is not installed. Picklable. Thread-safe, but calls are serialized.
    `gnubg_nn.net_use` and `gnubg_nn.set` change the results in the whole process.

    Examples
    --------
    Probabilities of the player on roll at the start::

        evaluator = bgfast.evaluators.GnubgNN()
        win, win_gammon, *_ = evaluator(bgfast.Position())
    """

    def __init__(self) -> None:
        self._probabilities = import_optional("gnubg_nn", GNUBG_NN, "GnubgNN").probabilities
        self.name = f"gnubg-nn {installed_version('gnubg-nn')}"

    def _evaluate(self, boards: Boards) -> Numbers:
        # The opponent's checkers, then the mover's, each from that player's own side: points 1 to 24, bar.
        sides = np.stack((np.maximum(-boards[:, 24::-1], 0), np.maximum(boards[:, 1:], 0)), axis=1)
        probabilities = [self._probabilities(board, 0) for board in sides.tolist()]
        return np.array(probabilities, np.float64).reshape(-1, PROBABILITIES)


class Bgsage(ForeignEvaluator):
    """Networks of Open Sage at 0 plies, which Open Sage calls 1 ply; returns probabilities.

    Open Sage's bear-off database is not used: put `Bearoff` before `Bgsage` in a `Chain`. Each side has 15
    checkers: missing checkers count as borne off.

    Source: bgsage, its production model; MPL 2.0.

    See Also
    --------
    GnubgNN : GNU Backgammon's networks.

    Notes
    -----
    `BgfastError` is raised if bgsage is not installed. Picklable and thread-safe. Each process loads the
    networks once.

    Examples
    --------
    Probabilities of the player on roll at the start::

        evaluator = bgfast.evaluators.Bgsage()
        win, win_gammon, *_ = evaluator(bgfast.Position())
    """

    def __init__(self) -> None:
        self._engine, self._networks = _bgsage()
        self.name = f"bgsage {installed_version('bgsage')}"

    def _evaluate(self, boards: Boards) -> Numbers:
        # bgsage evaluates for the player who has just moved.
        rows = flip(boards)
        rows[:, 0] *= -1  # bgsage counts the opponent's checkers on the bar as positive
        centered = self._engine.CubeOwner.CENTERED
        evaluations = self._engine.batch_evaluate_post_move(
            [(row, centered) for row in rows.tolist()], self._networks, 1
        )
        probabilities = np.array([item["probs"] for item in evaluations], np.float64)
        return flip_probabilities(probabilities.reshape(-1, PROBABILITIES))


@cache
def _bgsage() -> tuple[Any, Any]:
    """Return bgsage's compiled module and its networks; loading takes 34 ms."""
    weights = import_optional("bgsage", BGSAGE, "Bgsage").default_weights()
    engine = import_optional("bgbot_cpp", BGSAGE, "Bgsage")
    networks = engine.create_strategy(
        weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
    )
    return engine, networks


# ---- GNU Backgammon, the program ----

MIN_BOARDS = 64  # per process
POLL_SECONDS = 0.02  # between two attempts to connect to a starting process
# FIBS board: names, money game, 24 points and 2 bars, side to move, no dice, cube, directions.
REQUEST = "evaluation fibsboard board:a:b:0:0:0:{}:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0 plies 0\n"


class Gnubg(ForeignEvaluator):
    """GNU Backgammon's cubeless evaluation at 0 plies, computed by the program; returns probabilities.

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
                jobs = [*zip(self._programs, bounds, bounds[1:], strict=False)]
                parts = parallel_map(
                    lambda job: [*map(job[0].probabilities, rows[job[1] : job[2]])], jobs, workers
                )
                return np.array([row for part in parts for row in part]).reshape(-1, PROBABILITIES)
            except EngineError as error:
                self.close()
                raise BgfastError(str(error)) from None
            # After Ctrl-C too, a late answer must not be read as the answer to the next request.
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """End the processes; the next call starts new ones."""
        for program in self._programs:
            program.close()
        self._programs = []


class _Program:
    """GNU Backgammon process and the socket over which it answers.

    A temporary folder replaces the user's settings and contains the socket; it is deleted after connecting.
    When the socket is closed, even by the end of this process, the program cannot open another one in the
    deleted folder and exits.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="bgfast-gnubg-") as folder:
            path, commands = Path(folder, "socket"), Path(folder, "commands")
            commands.write_text(f"external {path}\n", encoding="utf-8")
            self.process = subprocess.Popen(
                program_command(folder, "--commands", commands),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "HOME": folder, "LC_ALL": "C"},
                start_new_session=True,  # Ctrl-C in the terminal does not reach it
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
        if status is None:
            raise EngineError(f"gnubg did not answer within {START_LIMIT:g} s")
        raise EngineError(f"gnubg exited with status {status}")

    def probabilities(self, row: list[int]) -> list[float]:
        """Return the five probabilities of a board."""
        try:
            self._socket.sendall(REQUEST.format(":".join(map(str, row))).encode("ascii"))
            line = self._answers.readline()
        except OSError:
            line = b""
        if not line:
            raise EngineError(f"gnubg exited with status {self.process.wait()}")
        try:
            probabilities = [*map(float, line.split())][:-1]
        except ValueError:
            probabilities = []
        if len(probabilities) != PROBABILITIES:
            raise EngineError(f"gnubg answered {short_repr(line)}; expected five probabilities and an equity")
        return probabilities


def _end(process: subprocess.Popen[bytes], connection: socket.socket, answers: BinaryIO) -> None:
    answers.close()
    connection.close()
    process.kill()
    process.wait()
