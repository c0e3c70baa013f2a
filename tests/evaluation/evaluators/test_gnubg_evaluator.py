"""GNU Backgammon as an evaluator: evaluations, best plays, failures."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.conformance.protocol import Case
from bgfast.evaluation.evaluators.engines import Gnubg
from bgfast.evaluation.evaluators.evaluators import TimedEvaluator
from bgfast.evaluators import GnubgNN, Pubeval
from bgfast.learning.contest import contest
from tests.support.gnubg import program
from tests.support.patience import patient
from tests.support.processes import MarkedProcesses

if os.name != "posix":
    pytest.skip("NOT TESTED: GNU Backgammon is called through POSIX pipes", allow_module_level=True)

LIMIT = patient(60.0)
"""Time limit in seconds, long enough for the slowest machine."""
PHASES = ("contact", "race", "bearoff")


@pytest.fixture(scope="module")
def gnubg() -> Iterator[Gnubg]:
    program("gnubg")
    evaluator = Gnubg()
    yield evaluator
    evaluator.close()


@pytest.mark.parametrize("phase", PHASES)
def test_evaluations_equal_gnubg_nn(phase: str, gnubg: Gnubg) -> None:
    pytest.importorskip("gnubg_nn", reason="NOT INSTALLED: gnubg-nn, so nothing was compared with it")
    boards = bgfast.random_positions(300, seed=3, phase=phase)  # type: ignore[arg-type]
    evaluations = gnubg(boards)
    assert evaluations.shape == (300, 5)
    differences = np.abs(evaluations - GnubgNN()(boards))
    assert differences.max() < 0.1
    assert differences.mean() < 0.001


def test_a_certain_gammon_has_certain_probabilities(gnubg: Gnubg) -> None:
    board = np.zeros((1, 26), np.int8)
    board[0, 1], board[0, 13] = 2, -15
    assert gnubg(board)[0] == pytest.approx([1, 1, 0, 0, 0], abs=0.01)
    assert gnubg(bgfast.flip(board))[0] == pytest.approx([0, 0, 0, 1, 0], abs=0.01)


def test_best_plays_equal_gnu_backgammons_hints(gnubg: Gnubg) -> None:
    from bgfast.conformance.adapters import GnubgAdapter

    boards, dice = bgfast.random_positions(60, seed=6), bgfast.random_dice(60, seed=6)
    plays = bgfast.successors(boards, dice, flip=True)
    equities = TimedEvaluator(gnubg).equities(plays.boards, bgfast.results(plays.boards))
    adapter = GnubgAdapter()
    hint_count = 0
    for row, (board, roll) in enumerate(zip(boards, dice, strict=True)):
        hints = adapter.successors(Case(tuple(board.tolist()), (int(roll[0]), int(roll[1]))))
        rows = slice(*plays.offsets[row : row + 2])
        assert len(hints) == len(plays.boards[rows])
        if hints:
            is_best = (plays.boards[rows] == Position.from_array(hints[0]).flip().to_array()).all(axis=1)
            assert equities[rows][is_best] == pytest.approx(equities[rows].min(), abs=3e-6)
            hint_count += 1
    adapter.close()
    assert hint_count > 50


@pytest.mark.slow
def test_contests_are_reproducible(gnubg: Gnubg) -> None:
    result = contest(gnubg, Pubeval(), games=30, seed=2)
    assert result == contest(gnubg, Pubeval(), games=30, seed=2)
    assert 0 < result.points_per_game < 1.5


def test_results_do_not_depend_on_batches_and_threads(gnubg: Gnubg) -> None:
    boards = bgfast.random_positions(500, seed=9)
    expected = gnubg(boards)
    assert np.array_equal(
        np.concatenate([gnubg(boards[begin : begin + 7]) for begin in range(0, 500, 7)]), expected
    )
    assert gnubg(boards[:0]).shape == (0, 5)
    with ThreadPoolExecutor(4) as pool:
        assert np.array_equal(np.concatenate([*pool.map(gnubg, np.split(boards, 10))]), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(gnubg))(boards[:3]), expected[:3])
    assert repr(gnubg) == "Gnubg()"


def test_a_killed_process_is_restarted() -> None:
    program("gnubg")
    gnubg = Gnubg()
    board = Position.start().to_array()[None]
    evaluations = gnubg(board)
    (child,) = gnubg._programs
    os.kill(child.process.pid, signal.SIGKILL)
    time.sleep(0.1)
    with pytest.raises(BgfastError, match="gnubg exited with status -9"):
        gnubg(board)
    assert np.array_equal(gnubg(board), evaluations)
    (child,) = gnubg._programs
    gnubg.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child.process.pid, 0)


def test_processes_end_with_bgfast(monkeypatch: pytest.MonkeyPatch) -> None:
    program("gnubg")
    processes = MarkedProcesses(monkeypatch)
    code = (
        "import time, bgfast; from bgfast.evaluation.evaluators.engines import Gnubg; "
        "gnubg = Gnubg(); "
        "gnubg(bgfast.Position.start().to_array()[None]); print(gnubg._programs[0].process.pid, flush=True); "
        "time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    assert pid in processes.running_ids() or not Path("/proc").exists()
    parent.kill()
    parent.communicate()
    processes.assert_gone(LIMIT)


def test_a_missing_program_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path: None)
    with pytest.raises(BgfastError, match=r"gnubg is not installed .*install GNU Backgammon 1.07 or later"):
        Gnubg()
