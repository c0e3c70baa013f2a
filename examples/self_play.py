"""Play many games at once against itself, the data of a training: python self_play.py [games]."""

import sys

import numpy as np
import numpy.typing as npt

import bgfast
from bgfast.evaluators import Evaluator

Boards = npt.NDArray[np.int8]
Games = npt.NDArray[np.int64]


def self_play(evaluator: Evaluator, games: int, seed: int = 0) -> tuple[Boards, Games, Games]:
    """Return the boards met, the game of each, and what it was worth to its player on roll: -3 to 3."""
    random = np.random.default_rng(seed)
    boards = np.repeat(bgfast.Position.start().to_array()[None], games, axis=0)
    going, points = np.arange(games), np.zeros(games, np.int8)
    met: list[tuple[Games, Boards]] = []
    while len(going):
        met.append((going, boards))
        dice = random.integers(1, 7, (len(going), 2), np.int8)
        found = bgfast.successors(boards, dice, flip=True, passes="keep")
        over = bgfast.results(found.boards)
        # Both are for the next player: who plays takes what is worst for that one.
        equities = over.astype(np.float64)
        equities[over == 0] = evaluator(found.boards[over == 0])
        chosen = bgfast.best_rows(equities, found.offsets, best="min")
        boards, ended = found.boards[chosen], over[chosen]
        # The one on roll at ply 0 moves at every even one: points are kept for that player.
        points[going] = ended if len(met) % 2 == 0 else -ended
        going, boards = going[ended == 0], boards[ended == 0]
    owners = np.concatenate([games for games, _ in met])
    rows = np.concatenate([boards for _, boards in met])
    signs = np.repeat(1 - 2 * (np.arange(len(met)) % 2), [len(boards) for _, boards in met])
    return rows, owners, signs * points[owners]


if __name__ == "__main__":
    boards, games, rewards = self_play(bgfast.evaluators.PipCount(), *map(int, sys.argv[1:] or ["1000"]))
    print(f"{games.max() + 1:,} games, {len(boards):,} positions, gammons {np.mean(np.abs(rewards) > 1):.0%}")
    print(f"on roll at the start: {rewards[: games.max() + 1].mean():+.3f} points a game")
