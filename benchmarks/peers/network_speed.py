"""Speed of the shipped networks, beside GNU Backgammon, in turn in one run.

``python -m benchmarks.peers.network_speed``, from a clone, on a machine that does nothing else, with the
program gnubg installed. One thread each, the best of some rounds; a table goes to standard output.

Evaluations are those of all successors of positions of a network's own games, their generation included,
beside ``calibrate``; a rollout's games are from the start to the end, cubeless, plain, without bear-off
databases; a decision is ranked by ``best_plays``, in random positions of contact, and in those of games that
``bgfast errors`` asks.
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
from bgfast.common.vocabulary import Boards
from bgfast.evaluators import Lookahead
from bgfast.learning.strength.contested_decisions import read_decisions

Pairs = list[tuple[Position, tuple[int, int]]]

NETWORKS = {"builtin": Network.builtin, "builtin-fast": Network.builtin_fast}
SIDE_BY_SIDE = 250  # games
PLIES = 40
TRIALS = 1296
DECISIONS = 40
EACH = 27  # contested decisions of which one is timed; no multiple of the families, which take turns
GNUBG = "/usr/games/gnubg"
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


def own_games(network: Network) -> tuple[Boards, Boards, int]:
    """Return positions of games against itself, their rolls, and how many successors these have."""
    boards = np.repeat(Position.start().to_array()[None], SIDE_BY_SIDE, axis=0)
    all_boards, all_dice = [], []
    for ply in range(PLIES):
        dice = bgfast.random_dice(len(boards), seed=ply)
        all_boards.append(boards)
        all_dice.append(dice)
        boards = network.best_successors(boards, dice).boards
        boards[bgfast.results(boards) != 0] = Position.start().to_array()
    found, rolls = np.concatenate(all_boards), np.concatenate(all_dice)
    return found, rolls, int(bgfast.count_successors(found, rolls).sum())


def seconds(work: Callable[..., object], *given: Any) -> float:
    """Return how long it takes."""
    began = time.perf_counter()
    work(*given)
    return time.perf_counter() - began


def said_by_gnubg(program: str, commands: str) -> str:
    """Return what GNU Backgammon answers."""
    done = subprocess.run(
        [program, "-t", "-q", "-r"], input=commands, capture_output=True, text=True, check=True
    )
    return done.stdout


def calibrated(program: str) -> float:
    """Return the static evaluations a second of ``calibrate``."""
    found = re.search(r"Calibration result: (\d+) static", said_by_gnubg(program, CALIBRATE))
    if found is None:
        raise BgfastError(f"{program} does not say how fast it is")
    return float(found[1])


def with_rolls(boards: Boards, dice: Boards) -> Pairs:
    """Return positions, each with its roll."""
    return [
        (Position.from_array(board), (int(a), int(b))) for board, (a, b) in zip(boards, dice, strict=True)
    ]


def rank(player: Lookahead, pairs: Pairs) -> None:
    """Rank the plays of each position and roll."""
    for position, roll in pairs:
        player.best_plays(position, roll)


def measured(rounds: int, program: str) -> dict[str, dict[str, float]]:
    """Return what each does a second, and how many seconds a decision takes."""
    best: dict[str, dict[str, float]] = {}

    def keep(who: str, what: str, value: float) -> None:
        there = best.setdefault(who, {}).get(what, value)
        best[who][what] = min(there, value) if what.startswith("decision") else max(there, value)

    contested = read_decisions()
    rolls = np.array([decision.roll for decision in contested.decisions], np.int8)
    contact = bgfast.random_positions(DECISIONS, seed=1, phase="contact")
    decisions = {
        "decision": with_rolls(contact, bgfast.random_dice(DECISIONS, seed=1)),
        "decision of a game": with_rolls(contested.boards[::EACH], rolls[::EACH]),
    }
    made = {name: make() for name, make in NETWORKS.items()}
    games = {name: own_games(network) for name, network in made.items()}
    for _ in range(rounds):
        keep("gnubg", "evaluations", calibrated(program))
        started = seconds(said_by_gnubg, program, "exit\n")
        keep("gnubg", "games", TRIALS / (seconds(said_by_gnubg, program, ROLLOUT) - started))
        for name, network in made.items():
            boards, dice, number = games[name]
            keep(name, "evaluations", number / seconds(network.best_successors, boards, dice))
            rollout = partial(bgfast.rollout, Position.start(), network, trials=TRIALS)
            keep(name, "games", TRIALS / seconds(rollout))
            for ply, (what, pairs) in product((0, 1, 2), decisions.items()):
                took = seconds(rank, Lookahead(network, ply=ply), pairs) / len(pairs)
                keep(name, f"{what}, {ply} plies", took)
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers.network_speed", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of which the best counts (5)")
    parser.add_argument("--program", default=shutil.which("gnubg") or GNUBG, help="GNU Backgammon's")
    arguments = parser.parse_args()
    found = measured(arguments.rounds, arguments.program)
    for name in NETWORKS:
        for what, value in found[name].items():
            if what in found["gnubg"]:
                peer = found["gnubg"][what]
                print(f"{name}: {value:,.0f} {what} a second, {value / peer:.1f} times gnubg's {peer:,.0f}")
            else:
                print(f"{name}: {what}: {1000 * value:.2f} ms")


if __name__ == "__main__":
    main()
