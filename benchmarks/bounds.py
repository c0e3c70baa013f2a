"""Effect of the rules' bounds on evaluations, compared with an installation without them.

    python -m benchmarks.bounds FOLDER [--positions N] [--games N]

FOLDER has a built bgfast with the same network. Prints the share of evaluations of `builtin` that differ,
and by how much, in positions of its games and in random ones, and a contest of the two at 0 plies.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import bgfast
from bgfast.common.vocabulary import Boards
from bgfast.evaluators import WithBearoff
from bgfast.learning.strength.contest import contest

CHILD = """
import sys
import numpy as np
import bgfast
evaluate = bgfast.evaluators.WithBearoff(bgfast.Network.builtin())
while header := sys.stdin.buffer.read(8):
    content = sys.stdin.buffer.read(26 * int.from_bytes(header, "little"))
    boards = np.frombuffer(content, np.int8).reshape(-1, 26).copy()
    sys.stdout.buffer.write(np.ascontiguousarray(evaluate(boards)).tobytes())
    sys.stdout.buffer.flush()
"""


class OtherInstallation:
    """`builtin` of the bgfast in a folder, in a process of its own."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __call__(self, boards: Boards) -> npt.NDArray[np.float64]:
        """Return the five probabilities of boards."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(len(boards).to_bytes(8, "little") + boards.tobytes())
        self._process.stdin.flush()
        return np.frombuffer(self._process.stdout.read(40 * len(boards))).reshape(-1, 5)


def game_positions(n: int, seed: int) -> Boards:
    """Return unfinished positions of games that `builtin-fast` plays against itself."""
    network = bgfast.Network.builtin_fast()
    start = bgfast.Position.start().to_array()
    boards, visited, ply = np.tile(start, (200, 1)), [], 0
    while sum(map(len, visited)) < n:
        visited.append(boards.copy())
        dice = bgfast.random_dice(len(boards), seed=seed + ply)
        boards = network.best_successors(boards, dice).boards
        boards[bgfast.results(boards) != 0] = start
        ply += 1
    return np.concatenate(visited)[:n]


def random_positions(n: int, seed: int) -> Boards:
    """Return unfinished random positions of all phases, most of them with checkers off."""
    phases = ("contact", "race", "bearoff")
    return np.concatenate(
        [bgfast.random_positions(n // 3 + (i < n % 3), seed, phase=phase) for i, phase in enumerate(phases)]
    )


def report(title: str, boards: Boards, before: OtherInstallation) -> None:
    """Print the differences of the two evaluators."""
    with_bounds, without = WithBearoff(bgfast.Network.builtin())(boards), before(boards)
    differs = (np.abs(with_bounds - without) > 1e-6).any(axis=1)
    change = np.abs((with_bounds - without) @ [2, 1, 1, -1, -1])
    print(
        f"{title}: {len(boards):,} evaluations, {differs.mean():.2%} differ; equity changes by "
        f"{change.mean():.2e} on average, by {change.max():.3f} at most"
    )


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--games", type=int, default=20_000)
    arguments = parser.parse_args()
    before = OtherInstallation(arguments.folder)
    report("positions of games", game_positions(arguments.positions, 1), before)
    report("random positions", random_positions(arguments.positions, 1), before)
    with_bounds = WithBearoff(bgfast.Network.builtin())
    print("with bounds:", contest(lambda boards: with_bounds(boards), before, games=arguments.games, seed=51))


if __name__ == "__main__":
    main()
