"""bgfast and gnubg-nn looking as many plies ahead, where they differ: rollouts decide.

``python -m benchmarks.peers.looking_ahead``, from a clone, with gnubg-nn installed. Both choose in the judged
positions that come with bgfast (`bgfast errors`); at 2 plies the choice of gnubg-nn is its judgement there.
Where they choose differently, both plays are rolled out on the same dice by bgfast's strong network. That is
bgfast's own judge; gnubg-nn's judgement, 2 plies ahead, stands beside it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.make_judged_positions import equity
from bgfast import Position, rollout
from bgfast.analysis.evaluators.evaluators import Policy, segments
from bgfast.analysis.strength.judged_positions import JudgedPositions, read_judged
from bgfast.cli.evaluator_names import named_evaluator
from bgfast.common.progress import shown_progress
from bgfast.rules import STANDARD

PLAYERS = ("builtin", "builtin-1ply", "builtin-2ply")  # by how many plies they look ahead
TRUNCATE = 11  # plies
MILLI = 1000
Rows = npt.NDArray[np.int64]


class Comparison(NamedTuple):
    """What choices at one depth came to: what bgfast's are worth more, thousandths of a point a decision."""

    plies: int
    decisions: int
    different: int
    by_rollouts: float
    error: float
    by_gnubg: float

    def __str__(self) -> str:
        """Return a row of a table."""
        return (
            f"| {self.plies} | {self.decisions:,} | {self.different} | "
            f"{self.by_rollouts:+.2f} ± {1.96 * self.error:.2f} | {self.by_gnubg:+.2f} |"
        )


def by_bgfast(plies: int, judged: JudgedPositions, number: int) -> Iterator[int]:
    """Yield the rows of the plays that bgfast chooses."""
    policy = Policy(named_evaluator(PLAYERS[plies]), STANDARD)
    zero = np.zeros(1, np.int64)
    for place in range(number):
        row, plays = segments(judged.plays, slice(place, place + 1))
        yield row + int(policy.rows(judged.boards[place : place + 1], plays, zero, zero)[0])


def by_gnubg(plies: int, judged: JudgedPositions, number: int) -> Iterator[int]:
    """Yield the rows of the plays that gnubg-nn chooses; the first of equal ones."""
    for place in range(number):
        begin, end = judged.plays.offsets[place : place + 2]
        if plies == 2:
            worth = -judged.losses[begin:end]
        else:
            worth = np.array([-equity(board, plies) for board in judged.plays.boards[begin:end]])
        yield int(begin + worth.argmax())


def gained(judged: JudgedPositions, place: int, rows: tuple[int, int], judge: Any, trials: int) -> Any:
    """Return what one play is worth more than another by a rollout, and its standard error, in points."""
    plays = Position.from_array(judged.boards[place]).plays(tuple(judged.dice[place].tolist()))
    begin = judged.plays.offsets[place]
    found = rollout([plays[int(row - begin)] for row in rows], judge, trials=trials, truncate=TRUNCATE)
    best, worse = found.estimates
    sign = 1 if best.name == plays[int(rows[0] - begin)].text else -1
    return -sign * worse.difference, worse.difference_se


def compared(plies: int, judged: JudgedPositions, number: int, trials: int) -> Comparison:
    """Let both choose and judge the decisions in which they differ."""
    judge = named_evaluator("builtin")
    rows = []
    for name, choose in (("bgfast", by_bgfast), ("gnubg-nn", by_gnubg)):
        with shown_progress(f"{name}, {plies} plies") as progress:
            chosen = []
            for row in choose(plies, judged, number):
                chosen.append(row)
                progress(len(chosen) / number)
        rows.append(np.array(chosen))
    different = np.flatnonzero(rows[0] != rows[1])
    total = square = 0.0
    with shown_progress("rollouts") as progress:
        for done, place in enumerate(different.tolist()):
            more, error = gained(judged, place, (rows[0][place], rows[1][place]), judge, trials)
            total, square = total + more, square + error**2
            progress(done / len(different))
    losses = judged.losses[rows[1]] - judged.losses[rows[0]]
    return Comparison(
        plies,
        number,
        len(different),
        total / number * MILLI,
        square**0.5 / number * MILLI,
        float(losses.mean()) * MILLI,
    )


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=1000, metavar="N")
    parser.add_argument("--trials", type=int, default=3456, metavar="N")
    parser.add_argument("--plies", type=int, nargs="+", choices=range(len(PLAYERS)), default=[0, 1, 2])
    arguments = parser.parse_args()
    judged = read_judged()
    number = min(arguments.positions, len(judged.boards))
    print("| plies | decisions | different | bgfast better, by rollouts | by gnubg-nn, 2 plies |")
    print("|---|---|---|---|---|")
    for plies in arguments.plies:
        print(compared(plies, judged, number, arguments.trials), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
