"""Positions, play lists, arrays, games, networks and databases give the same results if threads share them.

With a GIL, only code that releases it runs in parallel; free-threaded interpreters run all code in parallel.
"""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Game, Network, PlayList, Position
from bgfast.cli.game import act_at_random
from bgfast.evaluation.bearoff.bearoff import Bearoff
from tests.support.comparison import problems
from tests.support.patience import patient

THREADS = 6
BOARDS = bgfast.random_positions(2_000, 41)
BEAROFFS = bgfast.random_positions(200, 42, phase="bearoff")
DICE = np.random.default_rng(7).integers(1, 7, (len(BOARDS), 2)).astype(np.int8)
POSITIONS = [Position.from_array(board) for board in BOARDS[:8]]
ROLL = (4, 2)

Job = Callable[[], object]


def run_in_threads(*jobs: Job) -> list[object]:
    """Run jobs in threads that start together; return their results, or raise the first error."""
    results: list[object] = [None] * len(jobs)
    errors: list[BaseException] = []
    barrier = threading.Barrier(len(jobs))

    def run(index: int) -> None:
        try:
            barrier.wait(patient(60))
            results[index] = jobs[index]()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patient(900))
    assert not any(thread.is_alive() for thread in threads), "threads are still running"
    if errors:
        raise errors[0]
    return results


def run_shuffled(jobs: dict[str, Job], seed: int) -> dict[str, object]:
    """Run all jobs in a random order; return their results by name."""
    names = list(jobs)
    random.Random(seed).shuffle(names)
    return {name: jobs[name]() for name in names}


def to_comparable(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    if isinstance(value, tuple | list):
        return [to_comparable(item) for item in value]
    return value


def jobs_of_a_position(position: Position) -> dict[str, Job]:
    """Return calls on a position and its list of plays, which all threads share."""
    plays = position.plays(ROLL)
    five_stack_plays = position.plays(ROLL, bgfast.FIVE_STACK)
    return {
        "measures": lambda: (list(position), position.pip_counts, position.off, position.phase),
        "texts": lambda: (position.gnubg_id, position.xgid, str(position), repr(position)),
        "hash": lambda: hash(position),
        "pickle": lambda: pickle.loads(pickle.dumps(position)) == position,
        "plays": lambda: [len(position.plays(roll)) for roll in bgfast.ROLLS],
        "boards": lambda: plays.boards,
        "moves": lambda: plays.moves,
        "dice used": lambda: plays.dice_used,
        "play texts": lambda: [str(play) for play in plays],
        "plays by text": lambda: [plays[str(play)].position.gnubg_id for play in plays[:3]],
        "pickled list": lambda: pickle.loads(pickle.dumps(plays)) == plays,
        "other rules": lambda: (five_stack_plays.boards, five_stack_plays.moves),
        "next moves": lambda: [str(move) for move in position.next_moves(ROLL).moves],
        "picture": lambda: position.flip()._repr_svg_(),
    }


def jobs_of_arrays(boards: np.ndarray, dice: np.ndarray, network: Network) -> dict[str, Job]:
    """Return calls on arrays that all threads read."""
    values = np.arange(3 * len(boards), dtype=float) % 17
    offsets = np.arange(0, len(values) + 1, 3)

    def fill_output_array() -> object:
        out = np.empty((120 * len(boards), 26), np.int8)
        return bgfast.successors(boards, dice, out=out, threads=2)[:2]

    return {
        "counts": lambda: bgfast.count_successors(boards, dice, threads=2),
        "successors": lambda: bgfast.successors(boards, dice, moves=True)[:3],
        "out=": fill_output_array,
        "other rules": lambda: bgfast.successors(boards[:200], dice[:200], rules="exact")[:2],
        "random successors": lambda: bgfast.random_successors(boards, dice, seed=3),
        "inputs": lambda: bgfast.encode_tdgammon(boards, threads=2),
        "one-hot": lambda: bgfast.encode_onehot(boards[:500]),
        "ids": lambda: bgfast.gnubg_ids(boards[:500]),
        "best": lambda: bgfast.best_rows(values, offsets),
        "perft": lambda: bgfast.perft(Position.start(), 2, threads=2),
        "network": lambda: network.evaluate(boards, threads=2),
        "network's choice": lambda: tuple(network.best_successors(boards[:300], dice[:300])),
        "rollout": lambda: repr(bgfast.rollout(POSITIONS[0], evaluator=network, trials=20, seed=1).estimates),
    }


def play_random_game(seed: int) -> str:
    """Play a random game with undo and redo; return its JSON record."""
    game = Game(dice=seed)
    rng = np.random.default_rng(seed)
    for _ in range(40):
        if game.result is not None:
            break
        act_at_random(game, rng)
    for _ in range(5):
        game.undo()
    game.redo()
    assert Game.from_json(game.to_json(complete=True)) == game
    return game.to_json(complete=True)


def test_free_threading_stays_enabled() -> None:
    """An extension module that does not declare support would enable the GIL."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this interpreter has a GIL")
    modules = "bgfast.learning.environments._lockstep, bgfast.capi, bgfast.reference, bgfast.cli.main"
    program = (
        f"import sys, bgfast, {modules}\n"
        "for name in (*bgfast.__all__, 'evaluators'): getattr(bgfast, name)\n"
        "print(sys._is_gil_enabled())\n"
    )
    completed = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert (completed.stdout, completed.stderr) == ("False\n", "")


def test_shared_objects_are_immortal() -> None:
    """Immortal objects avoid contention between threads over reference counts."""
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this interpreter has a GIL")
    functions = (Position.plays, Position.play, Position.flip, Position.from_array, PlayList.play)
    for item in (bgfast.STANDARD, bgfast.FIVE_STACK, *functions):
        assert sys.getrefcount(item) > 2**31, item


def test_threads_share_positions_and_lists_of_plays() -> None:
    for index, position in enumerate(POSITIONS):
        expected = {name: to_comparable(job()) for name, job in jobs_of_a_position(position).items()}
        jobs = jobs_of_a_position(Position.from_gnubg_id(position.gnubg_id))
        results = run_in_threads(*(partial(run_shuffled, jobs, 100 * index + n) for n in range(THREADS)))
        for result in results:
            assert isinstance(result, dict)
            assert {name: to_comparable(value) for name, value in result.items()} == expected


@pytest.mark.parametrize("rounds", [1, pytest.param(15, marks=pytest.mark.slow)])
def test_threads_share_arrays_and_networks(rounds: int) -> None:
    expected = {
        name: to_comparable(job())
        for name, job in jobs_of_arrays(BOARDS.copy(), DICE.copy(), Network.random(64, 5)).items()
    }
    for index in range(rounds):
        jobs = jobs_of_arrays(BOARDS, DICE, Network.random(64, 5))
        for result in run_in_threads(*(partial(run_shuffled, jobs, 100 * index + n) for n in range(THREADS))):
            assert isinstance(result, dict)
            assert {name: to_comparable(value) for name, value in result.items()} == expected


def test_threads_play_separate_games() -> None:
    seeds = range(1, 3)
    expected = [play_random_game(seed) for seed in seeds]
    for games in run_in_threads(*(lambda: [play_random_game(seed) for seed in seeds],) * THREADS):
        assert games == expected


def test_threads_read_a_shared_game() -> None:
    """States are immutable; other threads see each action as a whole."""
    game = Game(dice=8)
    states = [game.state]
    rng = np.random.default_rng(8)

    def play() -> None:
        for _ in range(60):
            if game.result is not None:
                return
            act_at_random(game, rng)
            states.append(game.state)

    def read() -> list[Any]:
        return [(state := game.state, state.position and state.position.gnubg_id) for _ in range(300)]

    observations = run_in_threads(play, *(read,) * (THREADS - 1))[1:]
    for states_and_ids in observations:
        assert isinstance(states_and_ids, list)
        for state, gnubg_id in states_and_ids:
            assert state in states
            assert gnubg_id == (state.position and state.position.gnubg_id)


def test_threads_open_and_share_databases(tmp_path: Path) -> None:
    boards = BEAROFFS[Bearoff(folder=tmp_path / "alone").covers(BEAROFFS)]
    assert len(boards) > 50
    expected = Bearoff(folder=tmp_path / "alone").probabilities(boards)

    def read_separately() -> bool:
        return bool((Bearoff(folder=tmp_path / "shared").probabilities(boards) == expected).all())

    assert run_in_threads(*(read_separately,) * THREADS) == [True] * THREADS
    bearoff = Bearoff(folder=tmp_path / "shared")
    means = [bearoff.mean_rolls(board) for board in boards[:20]]

    def read_shared() -> bool:
        is_equal = bool((bearoff.probabilities(boards) == expected).all())
        return is_equal and [bearoff.mean_rolls(board) for board in boards[:20]] == means

    assert run_in_threads(*(read_shared,) * THREADS) == [True] * THREADS


def test_threads_import_public_names_concurrently() -> None:
    # Public names are imported on first use.
    program = (
        "import random, sys, threading, bgfast\n"
        "begin = threading.Barrier(8)\n"
        "seen = []\n"
        "def import_all(n):\n"
        "    names = list(bgfast.__all__)\n"
        "    random.Random(n).shuffle(names)\n"
        "    begin.wait()\n"
        "    seen.append({name: id(getattr(bgfast, name)) for name in names})\n"
        "threads = [threading.Thread(target=import_all, args=(n,)) for n in range(8)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(len(seen), all(ids == seen[0] for ids in seen))\n"
    )
    completed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=patient(300)
    )
    assert (completed.stdout, completed.stderr) == ("8 True\n", "")


def test_threads_compare_the_generator_with_the_reference() -> None:
    def find_problems() -> list[str]:
        return [text for board in BOARDS[:3] for text in problems(board.tolist(), ROLL)]

    assert run_in_threads(*(find_problems,) * THREADS) == [[]] * THREADS
