"""Thread pool: results, concurrent calls, forks, exit, and Ctrl-C."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, InvalidPositionError
from tests.support.patience import patient
from tests.support.positions import board_of_id

BOARD_COUNT = 16_000  # enough boards for seven threads in one call
BOARDS = bgfast.random_positions(BOARD_COUNT, 21)
DICE = np.random.default_rng(5).integers(1, 7, (BOARD_COUNT, 2)).astype(np.int8)
WIDE_BOARD = np.array(board_of_id("AAABRSkppZQCAA"), np.int8)  # 2,226 successors for 1-1
FORCED_BOARD = np.array([0, 1] + [0] * 22 + [-1, 0], np.int8)  # a single successor for every roll
IMPOSSIBLE_BOARD = np.array([0] + [1] * 24 + [15], np.int8)
TASK_FOLDER = Path("/proc/self/task")
VALUES = np.random.default_rng(6).normal(size=3 * 60_000)
OFFSETS = np.arange(0, len(VALUES) + 1, 3)

CALLS: dict[str, Callable[[int], object]] = {
    "counts": lambda n: bgfast.count_successors(BOARDS, DICE, threads=n),
    "counts of all rolls": lambda n: bgfast.count_successors(BOARDS[:2000], "all", passes="keep", threads=n),
    "successors": lambda n: bgfast.successors(BOARDS, DICE, threads=n)[:2],
    "successors with moves": lambda n: bgfast.successors(BOARDS, DICE, moves=True, passes="keep", threads=n),
    "flipped successors": lambda n: bgfast.successors(BOARDS[:1500], "all", flip=True, threads=n)[:2],
    "five-stack plays": lambda n: bgfast.successors(BOARDS, DICE, rules="five_stack", moves=True, threads=n),
    "random successors": lambda n: bgfast.random_successors(BOARDS, "random", seed=3, threads=n),
    "random positions": lambda n: bgfast.random_positions(100, seed=3),
    "network inputs": lambda n: bgfast.encode_tdgammon(BOARDS, threads=n),
    "one-hot inputs": lambda n: bgfast.encode_onehot(BOARDS, dtype="int8", threads=n),
    "best rows": lambda n: bgfast.best_rows(VALUES, OFFSETS, threads=n),
    "best float32 rows": lambda n: bgfast.best_rows(VALUES.astype(np.float32), OFFSETS, threads=n),
    "softmax samples": lambda n: bgfast.sample_rows(VALUES, OFFSETS, 1, temperature=0.3, threads=n),
    "epsilon samples": lambda n: bgfast.sample_rows(VALUES, OFFSETS, 1, epsilon=0.3, threads=n),
    "means over rolls": lambda n: bgfast.mean_over_rolls(VALUES[: 21 * 8000], threads=n),
}


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def are_equal(a: object, b: object) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(are_equal(x, y) for x, y in zip(a, b, strict=True))
    return (a is None and b is None) or np.array_equal(a, b)


def run_in_process(program: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    preamble = (
        "import os, signal, sys, threading, time, numpy as np, bgfast\n"
        "boards = np.tile(bgfast.random_positions(500, 1), (40, 1))\n"
        "expected = bgfast.count_successors(boards, (3, 1))\n"
        "def is_correct(): return (bgfast.count_successors(boards, (3, 1), threads=3) == expected).all()\n"
    )
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", preamble + program],
        capture_output=True,
        text=True,
        timeout=patient(timeout),
        env=os.environ | {"PYTHONOPTIMIZE": ""},  # the programs rely on `assert`
    )


# ---- results ----


@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_the_number_of_threads(name: str) -> None:
    call = CALLS[name]
    expected = call(1)
    for threads in (2, 3, 7, 40):
        assert are_equal(call(threads), expected), threads


def test_more_successors_than_the_sample_suggests() -> None:
    """The sampled boards have one successor each; 500 other boards have 2,226 each."""
    boards = np.repeat(FORCED_BOARD[None], 12_288, axis=0)
    boards[np.arange(500) * 12 + 5] = WIDE_BOARD
    wide_result = bgfast.successors(WIDE_BOARD[None], (1, 1), moves=True)
    forced_result = bgfast.successors(FORCED_BOARD[None], (1, 1), moves=True)
    counts = bgfast.count_successors(boards, (1, 1))
    for threads, moves in ((1, False), (1, True), (2, True), (5, False)):
        result = bgfast.successors(boards, (1, 1), moves=moves, threads=threads)
        assert np.array_equal(np.diff(result.offsets), counts)
        for i in (0, 4, 5, 6, 5_993, 12_287):
            expected = wide_result if (boards[i] == WIDE_BOARD).all() else forced_result
            segment = slice(*result.offsets[i : i + 2])
            assert np.array_equal(result.boards[segment], expected.boards)
            assert not moves or np.array_equal(result.moves[segment], expected.moves)


@pytest.mark.skipif(not TASK_FOLDER.exists(), reason="threads are counted in /proc")
def test_workers_are_reused_and_limited() -> None:
    program = (
        "def task_count(): return len(os.listdir('/proc/self/task'))\n"
        "initial_count = task_count()\n"
        "few_boards = boards[:100]\n"
        "bgfast.count_successors(few_boards, (3, 1), threads=4); print(task_count() - initial_count)\n"
        "assert is_correct(); print(task_count() - initial_count)\n"
        "assert all(is_correct() for _ in range(50)); print(task_count() - initial_count)\n"
    )
    assert run_in_process(program).stdout.split() == ["0", "2", "2"]


@pytest.mark.skipif(
    len(getattr(os, "sched_getaffinity", lambda _: [0])(0)) < 2, reason="needs two processors"
)
def test_workers_share_the_work() -> None:
    """The time of the workers is the process time minus the time of this thread."""
    for _ in range(20):
        process_start, thread_start = time.process_time(), time.thread_time()
        for _ in range(10):
            bgfast.count_successors(BOARDS, "all", threads=2)
        worker_seconds = (time.process_time() - process_start) - (time.thread_time() - thread_start)
        if worker_seconds > 0.2 * (time.thread_time() - thread_start):
            return
    pytest.fail("the workers do hardly any work")


def test_concurrent_calls_from_python_threads_are_correct() -> None:
    expected = {name: call(1) for name, call in CALLS.items()}
    wrong_names: list[str] = []

    def work(names: list[str]) -> None:
        for name in names:
            if not are_equal(CALLS[name](3), expected[name]):
                wrong_names.append(name)

    orders = itertools.islice(itertools.permutations(CALLS), 0, 4000, 1000)
    threads = [threading.Thread(target=work, args=(list(order),)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong_names


# ---- errors ----


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_error_names_the_first_invalid_row(threads: int) -> None:
    """Rows 6999 and 7001 are in consecutive ranges of 1,000 boards, which different threads may process."""
    boards = BOARDS.copy()
    boards[[6999, 7001, 15_999]] = IMPOSSIBLE_BOARD
    for call in (
        lambda: bgfast.count_successors(boards, DICE, threads=threads),
        lambda: bgfast.successors(boards, DICE, threads=threads),
        lambda: bgfast.successors(boards, DICE, moves=True, threads=threads),
        lambda: bgfast.successors(boards, DICE, threads=threads, out=np.empty((400_000, 26), np.int8)),
        lambda: bgfast.random_successors(boards, DICE, 1, threads=threads),
        lambda: bgfast.encode_tdgammon(boards, threads=threads),
        lambda: bgfast.encode_onehot(boards, threads=threads),
    ):
        for _ in range(4):
            with pytest.raises(InvalidPositionError, match="row 6999: the mover has 39 checkers"):
                call()
    assert are_equal(CALLS["successors"](threads), CALLS["successors"](1))


def test_the_error_names_the_first_row_even_if_a_later_row_is_found_earlier() -> None:
    """The first 1,000 boards take long enough for the other thread to reach row 1000 first."""
    boards, dice = BOARDS.copy(), np.ones_like(DICE)
    boards[:999] = WIDE_BOARD
    boards[[999, 1000]] = IMPOSSIBLE_BOARD
    for _ in range(50):
        with pytest.raises(InvalidPositionError, match="row 999: the mover has 39 checkers"):
            bgfast.count_successors(boards, dice, threads=2)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize(("boards", "dice"), [(BOARDS, DICE), (BOARDS[:300], "all")], ids=["each", "all"])
def test_the_error_for_a_small_output_names_the_required_size(
    boards: np.ndarray, dice: np.ndarray | str, threads: int
) -> None:
    total = int(bgfast.count_successors(boards, dice).sum())
    for missing_rows in (1, 2, total // 2, total):
        memory = np.full((total - missing_rows + 200, 26), 77, np.int8)
        with pytest.raises(BgfastError, match=f"out has {total - missing_rows} rows; {total} are needed"):
            bgfast.successors(boards, dice, out=memory[: total - missing_rows], threads=threads)
        assert (memory[total - missing_rows :] == 77).all()


# ---- forks, exit, signals ----


@needs_fork
def test_a_forked_child_has_separate_workers() -> None:
    program = (
        "has_proc = os.path.isdir('/proc/self/task')\n"
        "def task_count(): return len(os.listdir('/proc/self/task')) if has_proc else None\n"
        "assert is_correct()\n"
        "for _ in range(20):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        initial = task_count()\n"
        "        correct = is_correct() and is_correct()\n"
        "        os._exit(0 if correct and (not has_proc or (initial, task_count()) == (1, 3)) else 1)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "    assert is_correct()\n"
    )
    completed = run_in_process(program)
    assert (completed.returncode, completed.stderr) == (0, "")


@needs_fork
def test_children_forked_during_calls_in_other_threads_work() -> None:
    program = (
        "stop = False\n"
        "def call():\n"
        "    while not stop: assert is_correct()\n"
        "threads = [threading.Thread(target=call) for _ in range(2)]\n"
        "for thread in threads: thread.start()\n"
        "for _ in range(30):\n"
        "    child = os.fork()\n"
        "    if child == 0: os._exit(0 if is_correct() else 1)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "stop = True\n"
        "for thread in threads: thread.join()\n"
    )
    completed = run_in_process(program)
    assert (completed.returncode, completed.stderr) == (0, "")


@pytest.mark.parametrize(
    "final_code",
    [
        "def work():\n while is_correct(): pass\nthreading.Thread(target=work, daemon=True).start()",
        "import atexit; atexit.register(is_correct)",
        "bgfast.successors(boards[:4000], 'all', threads=4); sys.exit(0)",
    ],
    ids=["at work", "called at exit", "sys.exit"],
)
def test_workers_end_at_exit(final_code: str) -> None:
    completed = run_in_process(f"assert is_correct()\n{final_code}\n")
    assert (completed.returncode, completed.stderr) == (0, "")


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_ends_a_call(threads: int) -> None:
    many_boards = np.repeat(BOARDS, 75, axis=0)
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    start_time = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bgfast.count_successors(many_boards, "all", rules=bgfast.FIVE_STACK, threads=threads)
    assert time.monotonic() - start_time < patient(3)
    timer.join()
    counts = bgfast.count_successors(BOARDS, DICE, threads=threads)
    assert np.array_equal(counts, bgfast.count_successors(BOARDS, DICE))


@needs_fork
def test_a_child_forked_by_a_signal_handler_raises_an_error() -> None:
    """The child has no workers to wait for."""
    program = (
        "many_boards = np.repeat(boards, 2, axis=0)\n"
        "child = 1\n"
        "def handler(*_):\n"
        "    global child\n"
        "    child = os.fork()\n"
        "signal.signal(signal.SIGALRM, handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.1)\n"
        "try:\n"
        "    bgfast.count_successors(many_boards, 'all', rules=bgfast.FIVE_STACK, threads=3)\n"
        "except RuntimeError as error:\n"
        "    os._exit(0 if child == 0 and 'forked during a call' in str(error) and is_correct() else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), is_correct())\n"
    )
    assert run_in_process(program).stdout == "0 True\n"
