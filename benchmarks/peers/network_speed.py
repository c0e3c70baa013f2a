"""Speed of the shipped networks, compared with GNU Backgammon.

Run ``python -m benchmarks.peers.network_speed`` from a clone, on an idle machine with gnubg installed. Each
program uses one thread; the programs alternate, and the best of several rounds counts.

* Evaluations: all successors of positions from a network's own games, move generation included; for GNU
  Backgammon, the speed that ``calibrate`` reports.
* Games of a rollout: from the starting position to the end, cubeless, without variance reduction or bear-off
  databases.
* Decisions: ``best_plays`` in random contact positions, and in contested decisions.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import bgfast
from bgfast import BgfastError, Network, Position
from bgfast.common.validation import Boards
from bgfast.evaluators import Lookahead
from bgfast.learning.contested_decisions import read_decisions

Pairs = list[tuple[Position, tuple[int, int]]]

NETWORKS = {"builtin": Network.builtin, "builtin-fast": Network.builtin_fast}
GAMES = 250
PLIES = 40
TRIALS = 1296
DECISION_COUNT = 40
STRIDE = 27
"""Stride through the decisions; families alternate, so the stride is not a multiple of their number."""
DEFAULT_PROGRAM = "/usr/games/gnubg"
CALIBRATE = "set threads 1\ncalibrate 1\nexit\n"
ROLLOUT = f"""set threads 1
set rollout trials {TRIALS}
set rollout varredn off
set rollout cubeful off
set rollout truncation enable off
set rollout bearofftruncation exact off
set rollout bearofftruncation onesided off
set rollout quasirandom on
set rollout chequerplay evaluation plies 0
set rollout chequerplay evaluation noise 0
set output rawboard on
new game
set board 4HPwATDgc/ABMA
rollout
exit
"""


def self_play_positions(network: Network) -> tuple[Boards, Boards, int]:
    """Return positions of a network's games against itself, their rolls, and the number of successors."""
    boards = np.repeat(Position.start().to_array()[None], GAMES, axis=0)
    all_boards, all_dice = [], []
    for ply in range(PLIES):
        dice = bgfast.random_dice(len(boards), seed=ply)
        all_boards.append(boards)
        all_dice.append(dice)
        boards = network.best_successors(boards, dice).boards
        boards[bgfast.results(boards) != 0] = Position.start().to_array()
    boards, dice = np.concatenate(all_boards), np.concatenate(all_dice)
    return boards, dice, int(bgfast.count_successors(boards, dice).sum())


def time_call(function: Callable[..., object], *arguments: Any) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def run_gnubg(program: str, commands: str) -> str:
    process = subprocess.run(
        [program, "-t", "-q", "-r"], input=commands, capture_output=True, text=True, check=True
    )
    return process.stdout


def gnubg_evaluations(program: str) -> float:
    """Return GNU Backgammon's static evaluations per second, measured by ``calibrate``."""
    match = re.search(r"Calibration result: (\d+) static", run_gnubg(program, CALIBRATE))
    if match is None:
        raise BgfastError(f"{program} printed no calibration result")
    return float(match[1])


def pair_with_rolls(boards: Boards, dice: Boards) -> Pairs:
    return [
        (Position.from_array(board), (int(roll[0]), int(roll[1])))
        for board, roll in zip(boards, dice, strict=True)
    ]


def rank(search: Lookahead, pairs: Pairs) -> None:
    for position, roll in pairs:
        search.best_plays(position, roll)


def measure(rounds: int, program: str) -> dict[str, dict[str, float]]:
    """Return GNU Backgammon's and each network's rates per second and seconds per decision."""
    results: dict[str, dict[str, float]] = {}

    def record(name: str, task: str, value: float) -> None:
        previous_value = results.setdefault(name, {}).get(task, value)
        results[name][task] = min(previous_value, value) if "decision" in task else max(previous_value, value)

    contested = read_decisions()
    rolls = np.array([decision.roll for decision in contested.decisions], np.int8)
    contact_boards = bgfast.random_positions(DECISION_COUNT, seed=1, phase="contact")
    decisions = {
        "decision": pair_with_rolls(contact_boards, bgfast.random_dice(DECISION_COUNT, seed=1)),
        "contested decision": pair_with_rolls(contested.boards[::STRIDE], rolls[::STRIDE]),
    }
    networks = {name: make() for name, make in NETWORKS.items()}
    samples = {name: self_play_positions(network) for name, network in networks.items()}
    for _ in range(rounds):
        record("gnubg", "evaluations", gnubg_evaluations(program))
        startup_seconds = time_call(run_gnubg, program, "exit\n")
        record("gnubg", "games", TRIALS / (time_call(run_gnubg, program, ROLLOUT) - startup_seconds))
        for name, network in networks.items():
            boards, dice, count = samples[name]
            record(name, "evaluations", count / time_call(network.best_successors, boards, dice))
            rollout = partial(bgfast.rollout, Position.start(), evaluator=network, trials=TRIALS)
            record(name, "games", TRIALS / time_call(rollout))
            for ply, (task, pairs) in product((0, 1, 2), decisions.items()):
                duration = time_call(rank, Lookahead(network, ply=ply), pairs) / len(pairs)
                record(name, f"{task}, {ply} plies", duration)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.network_speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the best is reported (5)")
    parser.add_argument("--program", default=shutil.which("gnubg") or DEFAULT_PROGRAM, help="path of gnubg")
    arguments = parser.parse_args()
    speeds = measure(arguments.rounds, arguments.program)
    for name in NETWORKS:
        for task, value in speeds[name].items():
            if task in speeds["gnubg"]:
                gnubg = speeds["gnubg"][task]
                print(f"{name}: {value:,.0f} {task} a second, {value / gnubg:.1f} times gnubg's {gnubg:,.0f}")
            else:
                print(f"{name}: {task}: {1000 * value:.2f} ms")


if __name__ == "__main__":
    main()
