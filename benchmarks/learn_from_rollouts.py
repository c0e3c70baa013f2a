"""Supervised learning: teach a network what rollouts by a network make of positions of its games.

``python -m benchmarks.learn_from_rollouts roll FILE.npz`` rolls positions out,
``python -m benchmarks.learn_from_rollouts learn FILE.npz ... --out NETWORK`` learns from such files. A
thirtieth of the positions is not learnt from: how far off the network is on these is said after each pass.
What came of it stands in docs/NETWORK.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bgfast import Network, Position, random_dice, results, sample_rows, successors
from bgfast.analysis.evaluators._network import position_parts
from bgfast.analysis.evaluators.network_file import Weights
from bgfast.analysis.rollouts.trials import Job, play_block
from bgfast.analysis.training._training import train_supervised
from bgfast.analysis.training.training import LANES, Schedule
from bgfast.common.probabilities import equities_of
from bgfast.common.progress import shown_progress
from bgfast.common.vocabulary import Boards
from bgfast.rules import STANDARD

GAMES = 4096  # side by side
AT_ONCE = 256  # positions that are rolled out with the same dice
BATCH = 512  # positions between two looks at the weights
HELD_BACK = 30
RACE = 4

Probabilities = npt.NDArray[np.float32]


def positions(network: Network, count: int, seed: int, share: float, temperature: float) -> Boards:
    """Return positions of games of a network against itself, none twice.

    Of a share of the decisions it is not the position after the best play, but after one by lot, the better
    the likelier; the game goes on with the best.
    """
    random = np.random.default_rng(seed)
    start = Position.start().to_array()
    boards = np.repeat(start[None], GAMES, axis=0)
    found: list[Boards] = []
    number = ply = 0
    while number < count:
        dice = random_dice(GAMES, seed=seed + ply)
        some = np.nonzero(random.random(GAMES) < share)[0]
        plays = successors(boards[some], dice[some], flip=True)
        rows = sample_rows(
            network.equities(plays.boards), plays.offsets, seed + ply, temperature=temperature, best="min"
        )
        chosen = plays.boards[rows[rows >= 0]]
        boards = network.best_successors(boards, dice).boards
        boards[results(boards) != 0] = start
        ply += 1
        if ply > 20:  # games begin together; after some plies they are everywhere
            found.append(chosen[results(chosen) == 0])
            number += len(found[-1])
    every = np.unique(np.concatenate(found), axis=0)
    random.shuffle(every)
    return np.ascontiguousarray(every[:count])


def rolled_out(
    network: Network, boards: Boards, trials: int, truncate: int, seed: int
) -> Iterator[Probabilities]:
    """Yield the five probabilities of so many boards at a time."""
    for first in range(0, len(boards), AT_ONCE):
        job = Job(
            boards=boards[first : first + AT_ONCE],
            checkers=15,
            rules=STANDARD,
            seed=seed + first,
            quasi_random=True,
            truncate=truncate,
            policy=network,
            evaluator=network,
            luck_evaluator=None,
        )
        adjusted = play_block(job, 0, trials).adjusted
        assert adjusted is not None
        yield adjusted.mean(axis=1)[:, :5].astype(np.float32)


def roll(arguments: argparse.Namespace) -> None:
    """Write positions and what they are worth."""
    network = Network.builtin() if arguments.network is None else Network.load(arguments.network)
    boards = positions(network, arguments.positions, arguments.seed, arguments.share, arguments.temperature)
    found: list[Probabilities] = []
    with shown_progress("roll", len(boards), "positions") as progress:
        for values in rolled_out(network, boards, arguments.trials, arguments.truncate, arguments.seed):
            found.append(values)
            progress(min(len(found) * AT_ONCE, len(boards)))
    np.savez(arguments.file, boards=boards, targets=np.concatenate(found))


class Study:
    """A network that learns from positions and what they are worth."""

    def __init__(self, network: Network, boards: Boards, targets: Probabilities) -> None:
        self._weights = [part.rows.copy() for part in network.weights]
        self._feature_rows = [part.features.shape[1] for part in network.weights]
        self._output_bias = [np.zeros(LANES, np.float32) for _ in network.weights]
        for bias, part in zip(self._output_bias, network.weights, strict=True):
            bias[:5] = part.output_bias
        self._about = network.about
        held_back = np.arange(len(boards)) % HELD_BACK == 0
        self._unseen = boards[held_back], targets[held_back]
        self._boards, self._targets = boards[~held_back], targets[~held_back]
        parts = position_parts(self._boards)
        self._rows = [np.nonzero(parts == part)[0] for part in range(len(network.weights))]

    @property
    def network(self) -> Network:
        """The network as it is now."""
        parts = [
            Weights.of_rows(*arrays)
            for arrays in zip(self._weights, self._output_bias, self._feature_rows, strict=True)
        ]
        return Network(parts, {"before": self._about})

    def learn(self, passes: int, schedule: Schedule, seed: int) -> Iterator[int]:
        """Go through all positions so many times; yield how many times it was."""
        random = np.random.default_rng(seed)
        steps = passes * sum(-(-len(rows) // BATCH) for rows in self._rows)
        done = 0
        for number in range(passes):
            batches = [
                (part, batch)
                for part, rows in enumerate(self._rows)
                for batch in np.array_split(random.permutation(rows), -(-len(rows) // BATCH) or 1)
            ]
            for place in random.permutation(len(batches)):
                part, batch = batches[place]
                train_supervised(
                    self._weights[part],
                    self._output_bias[part],
                    self._boards[batch],
                    self._targets[batch],
                    schedule.rate(done / steps),
                    self._feature_rows[part] > 0,
                )
                done += 1
            yield number + 1

    def off(self) -> str:
        """Return how far off the equities are where it has not learnt: the root of the mean square."""
        boards, targets = self._unseen
        error = self.network.equities(boards) - equities_of(targets.astype(np.float64))
        race = position_parts(boards) == RACE
        return ", ".join(
            f"{kind} {np.sqrt(np.square(error[which]).mean()):.4f}"
            for kind, which in (("contact", ~race), ("races", race))
            if which.any()
        )


def learn(arguments: argparse.Namespace) -> None:
    """Learn from files, and write the network."""
    network = Network.builtin() if arguments.network is None else Network.load(arguments.network)
    files = [np.load(file) for file in arguments.file]
    boards, targets = (np.concatenate([file[name] for file in files]) for name in ("boards", "targets"))
    work = Study(network, boards, targets)
    print(f"{len(boards):,} positions; before: {work.off()}", flush=True)
    for number in work.learn(arguments.passes, Schedule(*arguments.steps), arguments.seed):
        work.network.save(arguments.out)
        print(f"pass {number}: {work.off()}", flush=True)


def main() -> int:
    """Roll out, or learn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(required=True)
    rolling = kinds.add_parser("roll", help="roll positions out")
    rolling.set_defaults(run=roll)
    rolling.add_argument("file", type=Path)
    rolling.add_argument("--positions", type=int, default=100_000, metavar="N")
    rolling.add_argument("--trials", type=int, default=36, metavar="N", help="of a position (36)")
    rolling.add_argument("--truncate", type=int, default=5, metavar="PLIES", help="(5)")
    rolling.add_argument("--share", type=float, default=0.1, help="of the positions of a game (0.1)")
    rolling.add_argument("--temperature", type=float, default=0.02, help="of the play chosen by lot (0.02)")
    learning = kinds.add_parser("learn", help="learn from files")
    learning.set_defaults(run=learn)
    learning.add_argument("file", type=Path, nargs="+")
    learning.add_argument("--out", type=Path, required=True)
    learning.add_argument("--passes", type=int, default=4, metavar="N")
    learning.add_argument("--steps", type=float, nargs=2, default=(0.002, 0.00003), metavar=("FIRST", "LAST"))
    for options in (rolling, learning):
        options.add_argument("--network", metavar="FILE", help="not the one that comes with bgfast")
        options.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.run(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
