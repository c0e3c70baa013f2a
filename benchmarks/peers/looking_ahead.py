"""Error per play of bgfast and gnubg-nn at 0, 1 and 2 plies, in the contested decisions.

``python -m benchmarks.peers.looking_ahead``, from a clone, with gnubg-nn installed. The rollouts that judge
are those of bgfast's own network: docs/CONTESTED_DECISIONS.md says what GNU Backgammon's rollouts make of
them. gnubg-nn searches every play at 1 and 2 plies, which takes an hour at 2.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from bgfast.batch.validation import checked_boards
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.common.extras import imported
from bgfast.common.probabilities import NORMAL_95, PROBABILITIES, Numbers
from bgfast.common.progress import shown_progress
from bgfast.common.vocabulary import CHECKERS, Boards
from bgfast.learning.strength.error_per_play import MeanLoss, RunningErrors, error_difference

PLAYERS = ("builtin", "builtin-1ply", "builtin-2ply")
"""bgfast's players by their plies."""


class GnubgNNSearch:
    """gnubg-nn's probabilities at so many plies, as an evaluator."""

    def __init__(self, plies: int) -> None:
        self._probabilities = imported("gnubg_nn", "gnubg-nn", "the search").probabilities
        self._plies = plies

    def __call__(self, boards: Boards) -> Numbers:
        """Return the five probabilities of boards (n, 26) for the player on roll, (n, 5)."""
        rows = checked_boards(boards, CHECKERS)
        sides = np.stack((np.maximum(-rows[:, 24::-1], 0), np.maximum(rows[:, 1:], 0)), axis=1)
        values = [self._probabilities(board, self._plies) for board in sides.tolist()]
        return np.array(values, np.float64).reshape(-1, PROBABILITIES)


def run_errors(name: str, run: RunningErrors) -> RunningErrors:
    """Let a player choose in all decisions."""
    with shown_progress(name) as progress:
        for share in run.play():
            progress(share)
    return run


def cell(mean: MeanLoss, sign: str = "") -> str:
    """Return a mean with its interval."""
    return f"{mean.millipoints:{sign}.2f} ± {NORMAL_95 * mean.standard_error:.2f}"


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plies", type=int, nargs="+", choices=range(len(PLAYERS)), default=[0, 1, 2])
    arguments = parser.parse_args()
    print("| plies | bgfast | gnubg-nn | difference | same play |")
    print("|---|---|---|---|---|")
    for plies in arguments.plies:
        own = run_errors(PLAYERS[plies], RunningErrors(named_evaluator(PLAYERS[plies])))
        other = run_errors(f"gnubg-nn, {plies} plies", RunningErrors(GnubgNNSearch(plies)))
        difference = error_difference(own, other).overall
        print(
            f"| {plies} | {cell(own.result().overall)} | {cell(other.result().overall)} | "
            f"{cell(difference, '+')} | {difference.agreed:.1%} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
