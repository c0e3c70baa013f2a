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

NUMBER = 16_000  # enough for seven threads of a call for successors
BOARDS = bgfast.random_positions(NUMBER, 21)
DICE = np.random.default_rng(5).integers(1, 7, (NUMBER, 2)).astype(np.int8)
WIDE = np.array(board_of_id("AAABRSkppZQCAA"), np.int8)  # 2,226 successors of 1-1
BARE = np.array([0, 1] + [0] * 22 + [-1, 0], np.int8)  # one of any roll
IMPOSSIBLE = np.array([0] + [1] * 24 + [15], np.int8)
TASKS = Path("/proc/self/task")
VALUES = np.random.default_rng(6).normal(size=3 * 60_000)
OFFSETS = np.arange(0, len(VALUES) + 1, 3)

CALLS: dict[str, Callable[[int], object]] = {
    "counting": lambda n: bgfast.count_successors(BOARDS, DICE, threads=n),
    "counting all rolls": lambda n: bgfast.count_successors(BOARDS[:2000], "all", passes="keep", threads=n),
    "new arrays": lambda n: bgfast.successors(BOARDS, DICE, threads=n)[:2],
    "with moves": lambda n: bgfast.successors(BOARDS, DICE, moves=True, passes="keep", threads=n),
    "all rolls, flipped": lambda n: bgfast.successors(BOARDS[:1500], "all", flip=True, threads=n)[:2],
    "other rules": lambda n: bgfast.successors(BOARDS, DICE, rules=bgfast.FIVE_STACK, moves=True, threads=n),
    "random successors": lambda n: bgfast.random_successors(BOARDS, "random", seed=3, threads=n),
    "random positions": lambda n: bgfast.random_positions(100, seed=3),
    "inputs": lambda n: bgfast.encode_tdgammon(BOARDS, threads=n),
    "one-hot inputs": lambda n: bgfast.encode_onehot(BOARDS, dtype="int8", threads=n),
    "the best": lambda n: bgfast.best_rows(VALUES, OFFSETS, threads=n),
    "the best of float32": lambda n: bgfast.best_rows(VALUES.astype(np.float32), OFFSETS, threads=n),
    "softmax": lambda n: bgfast.sample_rows(VALUES, OFFSETS, 1, temperature=0.3, threads=n),
    "epsilon": lambda n: bgfast.sample_rows(VALUES, OFFSETS, 1, epsilon=0.3, threads=n),
    "means": lambda n: bgfast.mean_over_rolls(VALUES[: 21 * 8000], threads=n),
}


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def same(a: object, b: object) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(same(x, y) for x, y in zip(a, b, strict=True))
    return (a is None and b is None) or np.array_equal(a, b)


def in_a_process(program: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    start = (
        "import os, signal, sys, threading, time, numpy as np, bgfast\n"
        "boards = np.tile(bgfast.random_positions(500, 1), (40, 1))\n"
        "expected = bgfast.count_successors(boards, (3, 1))\n"
        "def right(): return (bgfast.count_successors(boards, (3, 1), threads=3) == expected).all()\n"
    )
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", start + program],
        capture_output=True,
        text=True,
        timeout=patient(timeout),
        env=os.environ | {"PYTHONOPTIMIZE": ""},  # the programs assert
    )


# ---- results ----


@pytest.mark.parametrize("name", CALLS)
def test_results_do_not_depend_on_the_number_of_threads(name: str) -> None:
    call = CALLS[name]
    alone = call(1)
    for threads in (2, 3, 7, 40):
        assert same(call(threads), alone), threads


def test_more_rows_than_estimated_from_the_sample() -> None:
    """The sampled boards have a single row, the others thousands."""
    boards = np.repeat(BARE[None], 12_288, axis=0)
    boards[np.arange(500) * 12 + 5] = WIDE
    wide = bgfast.successors(WIDE[None], (1, 1), moves=True)
    bare = bgfast.successors(BARE[None], (1, 1), moves=True)
    counts = bgfast.count_successors(boards, (1, 1))
    for threads, moves in ((1, False), (1, True), (2, True), (5, False)):
        result = bgfast.successors(boards, (1, 1), moves=moves, threads=threads)
        assert np.array_equal(np.diff(result.offsets), counts)
        for i in (0, 4, 5, 6, 5_993, 12_287):
            block = wide if (boards[i] == WIDE).all() else bare
            segment = slice(*result.offsets[i : i + 2])
            assert np.array_equal(result.boards[segment], block.boards)
            assert not moves or np.array_equal(result.moves[segment], block.moves)


@pytest.mark.skipif(not TASKS.exists(), reason="threads are counted in /proc")
def test_workers_are_reused_and_limited() -> None:
    program = (
        "def tasks(): return len(os.listdir('/proc/self/task'))\n"
        "before = tasks()\n"
        "small = boards[:100]\n"
        "bgfast.count_successors(small, (3, 1), threads=4); print(tasks() - before)\n"
        "assert right(); print(tasks() - before)\n"
        "assert all(right() for _ in range(50)); print(tasks() - before)\n"
    )
    assert in_a_process(program).stdout.split() == ["0", "2", "2"]


@pytest.mark.skipif(
    len(getattr(os, "sched_getaffinity", lambda _: [0])(0)) < 2, reason="needs two processors"
)
def test_workers_share_the_work() -> None:
    """Workers are unknown to Python: their time is the time of the process minus this thread's."""
    for _ in range(20):
        process, own = time.process_time(), time.thread_time()
        for _ in range(10):
            bgfast.count_successors(BOARDS, "all", threads=2)
        workers = (time.process_time() - process) - (time.thread_time() - own)
        if workers > 0.2 * (time.thread_time() - own):
            return
    pytest.fail("the other thread hardly works")


def test_several_python_threads_call_at_once() -> None:
    expected = {name: call(1) for name, call in CALLS.items()}
    wrong: list[str] = []

    def work(names: list[str]) -> None:
        for name in names:
            if not same(CALLS[name](3), expected[name]):
                wrong.append(name)

    orders = itertools.islice(itertools.permutations(CALLS), 0, 4000, 1000)
    threads = [threading.Thread(target=work, args=(list(order),)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong


# ---- errors ----


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_error_names_the_first_invalid_row(threads: int) -> None:
    """Two threads meet an invalid row: at the end of a range of 1,000 boards and at the next start."""
    boards = BOARDS.copy()
    boards[[6999, 7001, 15_999]] = IMPOSSIBLE
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
    assert same(CALLS["new arrays"](threads), CALLS["new arrays"](1))


def test_the_first_invalid_row_is_named_although_another_is_met_before() -> None:
    """The first of the ranges of 1,000 boards takes long enough for the other thread to wake up."""
    boards, dice = BOARDS.copy(), np.ones_like(DICE)
    boards[:999] = WIDE
    boards[[999, 1000]] = IMPOSSIBLE
    for _ in range(50):
        with pytest.raises(InvalidPositionError, match="row 999: the mover has 39 checkers"):
            bgfast.count_successors(boards, dice, threads=2)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize(("boards", "dice"), [(BOARDS, DICE), (BOARDS[:300], "all")], ids=["each", "all"])
def test_too_small_an_output_names_the_required_size(
    boards: np.ndarray, dice: np.ndarray | str, threads: int
) -> None:
    total = int(bgfast.count_successors(boards, dice).sum())
    for missing in (1, 2, total // 2, total):
        memory = np.full((total - missing + 200, 26), 77, np.int8)
        with pytest.raises(BgfastError, match=f"out has {total - missing} rows; {total} are needed"):
            bgfast.successors(boards, dice, out=memory[: total - missing], threads=threads)
        assert (memory[total - missing :] == 77).all()


# ---- forks, exit, signals ----


@needs_fork
def test_a_forked_child_has_separate_workers() -> None:
    program = (
        "seen = os.path.isdir('/proc/self/task')\n"
        "def tasks(): return len(os.listdir('/proc/self/task')) if seen else None\n"
        "assert right()\n"
        "for _ in range(20):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        alone = tasks()\n"
        "        fine = right() and right()\n"
        "        os._exit(0 if fine and (not seen or (alone, tasks()) == (1, 3)) else 1)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "    assert right()\n"
    )
    done = in_a_process(program)
    assert (done.returncode, done.stderr) == (0, "")


@needs_fork
def test_forks_while_others_call() -> None:
    program = (
        "stop = False\n"
        "def call():\n"
        "    while not stop: assert right()\n"
        "threads = [threading.Thread(target=call) for _ in range(2)]\n"
        "for thread in threads: thread.start()\n"
        "for _ in range(30):\n"
        "    child = os.fork()\n"
        "    if child == 0: os._exit(0 if right() else 1)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0\n"
        "stop = True\n"
        "for thread in threads: thread.join()\n"
    )
    done = in_a_process(program)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "last_words",
    [
        "def work():\n while right(): pass\nthreading.Thread(target=work, daemon=True).start()",
        "import atexit; atexit.register(right)",
        "bgfast.successors(boards[:4000], 'all', threads=4); sys.exit(0)",
    ],
    ids=["at work", "called at exit", "sys.exit"],
)
def test_workers_end_at_exit(last_words: str) -> None:
    done = in_a_process(f"assert right()\n{last_words}\n")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_ends_a_call(threads: int) -> None:
    many = np.repeat(BOARDS, 75, axis=0)
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bgfast.count_successors(many, "all", rules=bgfast.FIVE_STACK, threads=threads)
    assert time.monotonic() - began < patient(3)
    timer.join()
    repeated = bgfast.count_successors(BOARDS, DICE, threads=threads)
    assert np.array_equal(repeated, bgfast.count_successors(BOARDS, DICE))


@needs_fork
def test_a_signal_handler_that_forks() -> None:
    """The child has no workers, and raises an error instead of waiting for them."""
    program = (
        "many = np.repeat(boards, 2, axis=0)\n"
        "child = 1\n"
        "def handler(*_):\n"
        "    global child\n"
        "    child = os.fork()\n"
        "signal.signal(signal.SIGALRM, handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.1)\n"
        "try:\n"
        "    bgfast.count_successors(many, 'all', rules=bgfast.FIVE_STACK, threads=3)\n"
        "except RuntimeError as error:\n"
        "    os._exit(0 if child == 0 and 'forked during a call' in str(error) and right() else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), right())\n"
    )
    assert in_a_process(program).stdout == "0 True\n"
