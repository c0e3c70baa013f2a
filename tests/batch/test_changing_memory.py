"""Arrays that change during a call: each board is copied once, and the copy is checked and used.

The result of such a call is unspecified. But the call ends, with a result or a bgfast error, and writes
no byte outside its result; CI also runs these tests under sanitizers.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import product

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, InvalidPositionError
from bgfast.evaluators import Pubeval, WithBearoff
from tests.support.processes import run_python
from tests.support.rule_cases import RULES

GUARD = 77
IMPOSSIBLE = np.array([0] + [1] * 24 + [15], np.int8)  # no buffer has room for so many sources
ROUNDS = 12
MANY_ROUNDS = 20  # a change seldom hits a short call on busy processors
BOARD_COUNT = 4_000  # a call takes longer than the interpreter's switch interval


@contextmanager
def mutate(memory: np.ndarray, valid_content: np.ndarray, *invalid_contents: np.ndarray) -> Iterator[None]:
    """In another thread, write valid content most of the time and invalid content briefly."""
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for content in invalid_contents:
                time.sleep(0.0002)
                memory[...] = content
                memory[...] = valid_content

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        memory[...] = valid_content


def collect_outcomes(call: Callable[[], object], rounds: int = ROUNDS) -> set[str]:
    """Call repeatedly; return the outcomes, "result" or names of `BgfastError` classes."""
    outcomes = set()
    for _ in range(rounds):
        try:
            call()
            outcomes.add("result")
        except BgfastError as error:
            outcomes.add(type(error).__name__)
    return outcomes


@cache
def valid_boards() -> np.ndarray:
    return bgfast.random_positions(BOARD_COUNT, 11)


def copy_boards() -> np.ndarray:
    return valid_boards().copy()


CALLS: dict[str, Callable[[np.ndarray], object]] = {
    "all rolls": lambda boards: bgfast.successors(boards, "all"),
    "moves": lambda boards: bgfast.successors(boards, (6, 6), moves=True),
    "flip": lambda boards: bgfast.successors(boards, (5, 5), flip=True),
    "threads": lambda boards: bgfast.successors(boards, "all", threads=2),
    "count": lambda boards: bgfast.count_successors(boards, "all"),
    "random": lambda boards: bgfast.random_successors(boards, "random", 3),
    "tdgammon": lambda boards: bgfast.encode_tdgammon(boards),
    "onehot": lambda boards: bgfast.encode_onehot(boards),
    "ids": lambda boards: bgfast.gnubg_ids(boards),
    "flipped": lambda boards: bgfast.flip(boards),
    "pips": lambda boards: bgfast.pip_counts(boards),
    "results": lambda boards: bgfast.results(boards),
    "network": lambda boards: bgfast.Network.builtin_fast()(boards),
    "with bear-offs": lambda boards: WithBearoff(bgfast.Network.builtin_fast())(boards),
    "pubeval": lambda boards: Pubeval()(boards),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_end_if_boards_change(name: str) -> None:
    boards = copy_boards()
    with mutate(boards, boards.copy(), IMPOSSIBLE, np.full(26, -128, np.int8), np.full(26, 127, np.int8)):
        assert collect_outcomes(lambda: CALLS[name](boards)) <= {"result", "InvalidPositionError"}
    CALLS[name](boards)  # unchanged boards are valid again


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_calls_end_if_boards_change_under_every_rule_set(rules: bgfast.RuleSet) -> None:
    boards = copy_boards()[:1000]
    out = np.full((100_000, 26), GUARD, np.int8)
    with mutate(boards, boards.copy(), IMPOSSIBLE):
        for call in (
            lambda: bgfast.successors(boards, (2, 2), rules=rules, out=out),
            lambda: bgfast.random_successors(boards, "random", 3, rules=rules),
        ):
            assert collect_outcomes(call) <= {"result", "InvalidPositionError"}


def test_calls_end_if_dice_change() -> None:
    boards = copy_boards()
    dice = np.full((BOARD_COUNT, 2), 3, np.int8)
    with mutate(dice, dice.copy(), np.int8(100), np.int8(-7)):
        for call in (
            lambda: bgfast.successors(boards, dice),
            lambda: bgfast.successors(boards, dice, threads=2, out=np.empty((400_000, 26), np.int8)),
            lambda: bgfast.count_successors(boards, dice),
            lambda: bgfast.random_successors(boards, dice, 3),
        ):
            assert collect_outcomes(call) <= {"result", "InvalidDiceError"}


class MutatingRoll:
    """Roll whose conversion to an array invalidates a board that was already checked."""

    def __init__(self, boards: np.ndarray) -> None:
        self.boards = boards

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        self.boards[3] = IMPOSSIBLE
        return np.array([6, 6], np.int8)


def test_boards_are_checked_after_the_conversion_of_dice() -> None:
    random_successors = partial(bgfast.random_successors, seed=1)
    for threads, call in product((1, 2), (bgfast.successors, bgfast.count_successors, random_successors)):
        boards = copy_boards()
        with pytest.raises(InvalidPositionError, match="row 3: the mover has 39 checkers; expected"):
            call(boards, MutatingRoll(boards), threads=threads)


def test_calls_end_if_offsets_change() -> None:
    result = bgfast.successors(copy_boards(), "all", passes="keep")
    values = np.linspace(0, 1, len(result.boards))
    offsets = result.offsets.copy()
    noise = np.random.default_rng(1).integers(-(2**62), 2**62, len(offsets))
    with mutate(offsets, result.offsets, noise, noise[::-1], np.int64(len(values) + 5)):
        for call in (
            lambda: bgfast.best_rows(values, offsets),
            lambda: bgfast.sample_rows(values, offsets, 1, temperature=0.5),
            lambda: bgfast.sample_rows(values, offsets, 1, epsilon=0.5),
            lambda: bgfast.mean_over_rolls(values, offsets),
            lambda: bgfast.mean_over_rolls(values, offsets, empty=np.zeros(BOARD_COUNT)),
        ):
            assert collect_outcomes(call, MANY_ROUNDS) <= {"result", "BgfastError"}
    rows = bgfast.best_rows(values, offsets)
    assert (rows == result.offsets[1:] - 1).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dice", ["all", (1, 1), (6, 5)], ids=str)
def test_memory_after_the_rows_is_untouched(dice: tuple[int, int] | str, threads: int) -> None:
    """The board counts produce every kind of last segment, including passes and single plays."""
    boards = bgfast.random_positions(300, 5)
    boards[::7] = [0] * 19 + [-2] * 6 + [1]  # the mover is closed out and passes
    out = np.empty((120_000, 26), np.int8)
    for count in [*range(40), 150, 299, 300]:
        for passes in ("omit", "keep"):
            out.fill(GUARD)
            result = bgfast.successors(boards[:count], dice, passes=passes, out=out, threads=threads)
            assert (out[len(result.boards) :] == GUARD).all()
            assert (result.boards == bgfast.successors(boards[:count], dice, passes=passes).boards).all()


class OversizedArray(np.ndarray):
    """Array that reports a larger shape than its memory holds."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (10**6, 26)

    def __len__(self) -> int:
        return 10**6


def test_memory_size_comes_from_the_buffer() -> None:
    memory = np.full((40, 26), GUARD, np.int8)
    boards = copy_boards()[:50]
    with pytest.raises(BgfastError, match="out has 20 rows; "):
        bgfast.successors(boards, "all", out=memory[:20].view(OversizedArray))
    assert (memory[20:] == GUARD).all()
    with pytest.raises(BgfastError, match=r"out is of dtype int8, shape \(20, 26\); expected an array of"):
        bgfast.random_successors(boards, "random", 1, out=memory[:20].view(OversizedArray))
    assert (memory[20:] == GUARD).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("forks", [2, pytest.param(30, marks=pytest.mark.slow)])
def test_a_fork_during_the_first_call_of_a_thread_does_not_hang(forks: int) -> None:
    """Late imports hold a lock, for which a forked child would wait forever."""
    program = (
        "import os, sys, threading, numpy as np, bgfast; sys.stderr = sys.stdout\n"
        "boards = np.zeros((3, 26), np.int8); boards[:, 6] = 1; boards[:, 19] = -1\n"
        "def call():\n"
        "    bgfast.rollout; bgfast.successors(boards, 'all'); bgfast.gnubg_ids(boards)\n"
        "    bgfast.mean_over_rolls([0.0] * 21, range(22))\n"
        "threading.Thread(target=call).start()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    call(); os._exit(0)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    for _ in range(forks):
        assert run_python(program) == ""


@pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="needs fork")
def test_late_imports_register_no_hooks_before_forks() -> None:
    """Hooks registered while a fork waits run only after it and would release a lock that is not held."""
    program = (
        "import os, bgfast\n"
        "calls = []\n"
        "os.register_at_fork = lambda **hooks: calls.append(hooks)\n"
        "for name in bgfast.__all__: getattr(bgfast, name)\n"
        "print([hooks for hooks in calls if 'before' in hooks])\n"
    )
    assert run_python(program) == "[]\n"
