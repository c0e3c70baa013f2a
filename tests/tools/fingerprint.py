"""Print digests of results to compare machines and versions: ``python -m tests.tools.fingerprint``.

Each line is the digest of the exact bytes of a group of results on positions drawn from a seed. Softmax
choices are excluded, since the exponential depends on the C library.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple

import numpy as np

import bgfast
from bgfast import Network, Position, evaluators
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings
from tests.support.positions import random_board
from tests.support.rule_cases import RULES

PERFT_STARTS = ("start", "nackgammon", "longgammon", "hypergammon")


def result_bytes(value: object) -> Iterator[bytes]:
    """Yield the bytes of a result, which are the same on all machines."""
    if isinstance(value, np.ndarray):
        yield f"{value.shape}{value.dtype.str}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, tuple | list):
        for item in value:
            yield from result_bytes(item)
    else:
        yield repr(value).encode()


def groups(cases: int, seed: int) -> dict[str, Callable[[], object]]:
    """Return the groups of results by name; a case is a position with one of the 21 rolls."""
    rng = random.Random(seed)
    boards = np.array([random_board(rng) for _ in range(-(-cases // 21))], np.int8)
    network, random_network = Network.builtin(), Network.random(96, seed)
    dense = Network.random(96, seed, dense=64, shared=True)
    ids = bgfast.gnubg_ids(boards).tolist()

    def results_under_rules() -> Iterator[object]:
        for rules in RULES.values():
            yield bgfast.successors(boards[:200], "all", rules=rules, moves=True, passes="keep")[:3]
            yield bgfast.count_successors(boards[:200], "all", rules=rules)

    def rollout_results() -> list[str]:
        players = evaluators.Random(), evaluators.PipCount(), evaluators.Pubeval(), network
        starts = [Position.start(), Position.from_array(boards[0])]
        rollouts = [
            bgfast.rollout(starts, evaluator=player, trials=72, seed=seed).estimates for player in players
        ]
        return [repr(astuple(estimate)) for estimates in rollouts for estimate in estimates]

    def database_arrays() -> object:
        with tempfile.TemporaryDirectory() as folder:
            bearoff = Bearoff(folder=folder)
            return [np.array(array) for database in bearoff.databases for array in database.arrays]

    def train() -> object:
        settings = Settings(hidden=32, opening=1, rounds=1, positions=500, keep=500, seed=seed)
        training = Training(settings, threads=2)
        for _ in training.train():
            pass
        return list(training.network.weights.arrays())

    return {
        "successors": lambda: bgfast.successors(boards, "all", moves=True, passes="keep")[:3],
        "flipped": lambda: bgfast.successors(boards, "all", flip=True)[:2],
        "counts": lambda: bgfast.count_successors(boards, "all"),
        "other rules": lambda: list(results_under_rules()),
        "one at a time": lambda: [
            (plays.boards, plays.moves, [str(play) for play in plays[:5]])
            for plays in (Position.from_array(board).plays((6, 5)) for board in boards[:300])
        ],
        "perft": lambda: [bgfast.perft(getattr(Position, name)(), 2) for name in PERFT_STARTS],
        "position IDs": lambda: (ids, bgfast.from_gnubg_ids(ids)),
        "pip counts": lambda: bgfast.pip_counts(boards),
        "results": lambda: bgfast.results(boards),
        "encode_tdgammon": lambda: bgfast.encode_tdgammon(boards),
        "encode_onehot": lambda: bgfast.encode_onehot(boards, dtype="int8"),
        "random positions": lambda: bgfast.random_positions(2_000, seed),
        "random successors": lambda: bgfast.random_successors(boards, "random", seed=seed),
        "random dice": lambda: bgfast.random_dice(2_000, seed),
        "mean over rolls": lambda: bgfast.mean_over_rolls(np.sqrt(np.arange(1.0, 21 * 500 + 1))),
        "network": lambda: (network.evaluate(boards), network.equities(boards)),
        "a fresh network": lambda: (random_network.evaluate(boards), list(random_network.weights.arrays())),
        "network's choice": lambda: tuple(network.best_successors(boards, (4, 2))),
        "a dense network": lambda: (dense.evaluate(boards), *dense.best_successors(boards, (4, 2))),
        "training": train,
        "rollouts": rollout_results,
        "bear-off databases": database_arrays,
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each group; times go to standard error."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.fingerprint", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="number of (position, roll) cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--perft", type=int, default=0, metavar="DEPTH", help="also run perft from the start")
    parser.add_argument(
        "--only", default="", metavar="WORD", help="print only groups with this word in their names"
    )
    arguments = parser.parse_args(argv)
    calls = groups(arguments.cases, arguments.seed)
    if arguments.perft:
        calls["perft from the start"] = lambda: bgfast.perft(Position.start(), arguments.perft)
    for name, call in calls.items():
        if arguments.only not in name:
            continue
        start = time.monotonic()
        digest = hashlib.sha256()
        length = 0
        for chunk in result_bytes(call()):
            digest.update(chunk)
            length += len(chunk)
        print(f"{digest.hexdigest()[:32]}  {name}, {length} bytes")
        print(f"{name}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
