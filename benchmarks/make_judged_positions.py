"""Write the positions that `bgfast errors` asks about, with the worth of every play by gnubg-nn.

``python -m benchmarks.make_judged_positions FILE``, from a clone, with gnubg-nn installed; the file that
comes with bgfast is ``bgfast/analysis/strength/judged_positions.txt``. It takes an hour of one processor, and
goes on with a file that was begun. The positions are those of games between gnubg-nn at 0 plies and pubeval,
each side one or the other by lot, two decisions of a game by lot, none twice, and none where there is nothing
to decide. The same seed gives the same positions, and the same version of gnubg-nn the same numbers.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from bgfast import Position, random_dice, results, successors
from bgfast.analysis.evaluators.engines import GnubgNN
from bgfast.analysis.evaluators.evaluators import Policy, Pubeval
from bgfast.analysis.strength.judged_positions import HEAD, JUDGE, judged_line, judged_order
from bgfast.common.extras import imported
from bgfast.common.vocabulary import Boards
from bgfast.rules import STANDARD

PER_GAME = 2
MOST_PLIES = 1000
AT_ONCE = 4  # positions that a process judges before it hands them over

Decision = tuple[str, tuple[int, int]]


def decisions(seed: int) -> Iterator[Decision]:
    """Yield decisions of game after game."""
    players = [Policy(evaluator, STANDARD) for evaluator in (GnubgNN(), Pubeval())]
    source = random.Random(f"judged positions {seed}")
    met: set[Decision] = set()
    game = 0
    while True:
        game += 1
        sides = [players[int(source.random() * 2)] for _ in range(2)]
        found = of_game(sides, seed * 1_000_000 + game)
        chosen = sorted({int(source.random() * len(found)) for _ in range(PER_GAME)})
        for decision in (found[place] for place in chosen):
            if decision not in met:
                met.add(decision)
                yield decision


def of_game(sides: list[Policy], seed: int) -> list[Decision]:
    """Return each position and roll of a game in which there was something to decide."""
    found: list[Decision] = []
    dice = random_dice(MOST_PLIES, seed)
    dice[0] = random_dice(1, seed, opening=True)[0]
    board = Position.start().to_array()[None]
    for ply in range(MOST_PLIES):
        plays = successors(board, dice[ply], flip=True, passes="keep")
        row = 0
        if len(plays.boards) > 1:
            roll = int(dice[ply].max()), int(dice[ply].min())
            found.append((Position.from_array(board[0]).gnubg_id, roll))
            zeros = np.zeros(1, np.int64)
            row = int(sides[ply % 2].rows(board, plays, zeros, zeros)[0])
        board = plays.boards[row : row + 1]
        if results(board)[0]:
            return found
    raise AssertionError(f"the game of seed {seed} does not end")


def judged(decision: Decision, plies: int) -> str:
    """Return the line of a decision."""
    position_id, roll = decision
    plays = successors(Position.from_gnubg_id(position_id).to_array()[None], roll, flip=True)
    boards = plays.boards[judged_order(plays)]
    return judged_line(position_id, roll, [-equity(board, plies) for board in boards])


def equity(board: Boards, plies: int) -> float:
    """Return what a board is worth for the player on roll, looking so many plies ahead."""
    points = int(results(board[None])[0])
    if points:
        return points
    sides = [np.maximum(-board[24::-1], 0).tolist(), np.maximum(board[1:], 0).tolist()]
    probabilities = imported("gnubg_nn", "gnubg-nn", "the judge").probabilities
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities(sides, plies)
    return float(2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon)


def main() -> int:
    """Write the file, or what is missing of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--positions", type=int, default=2000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plies", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    arguments = parser.parse_args()
    head = [
        HEAD,
        f"{JUDGE}{GnubgNN().name}, {arguments.plies} plies, cubeless",
        f"# python -m benchmarks.make_judged_positions FILE --positions {arguments.positions} "
        f"--seed {arguments.seed} --plies {arguments.plies}",
    ]
    lines = arguments.file.read_text("ascii").splitlines() if arguments.file.exists() else head
    if lines[: len(head)] != head:
        print(f"{arguments.file} was begun with other options", file=sys.stderr)
        return 2
    wanted = decisions(arguments.seed)
    chosen = [next(wanted) for _ in range(arguments.positions)][len(lines) - len(head) :]
    with arguments.file.open("a", encoding="ascii") as file, ProcessPoolExecutor(arguments.jobs) as pool:
        if file.tell() == 0:
            print(*head, sep="\n", file=file)
        for line in pool.map(partial(judged, plies=arguments.plies), chosen, chunksize=AT_ONCE):
            print(line, file=file, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
