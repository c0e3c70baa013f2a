"""Generate training data by self-play, many games at once: python self_play.py [games]."""

import sys

import numpy as np
import numpy.typing as npt

import bgfast
from bgfast.evaluators import Evaluator

Boards = npt.NDArray[np.int8]
Games = npt.NDArray[np.int64]


def self_play(evaluator: Evaluator, games: int, seed: int = 0) -> tuple[Boards, Games, Games]:
    """Return all boards, their games, and the results (-3 to 3) for the player on roll on each board."""
    random = np.random.default_rng(seed)
    boards = np.tile(bgfast.Position(), (games, 1))
    unfinished, points = np.arange(games), np.zeros(games, np.int8)
    visited: list[tuple[Games, Boards]] = []
    while len(unfinished):
        visited.append((unfinished, boards))
        dice = random.integers(1, 7, (len(unfinished), 2), np.int8)
        plays = bgfast.successors(boards, dice, flip=True, passes="keep")
        results = bgfast.results(plays.boards)
        # Results and equities are for the next player: the mover chooses the smallest.
        equities = results.astype(np.float64)
        equities[results == 0] = evaluator(plays.boards[results == 0])
        chosen = bgfast.best_rows(equities, plays.offsets, best="min")
        boards, ended = plays.boards[chosen], results[chosen]
        # Points are for the player on roll at ply 0, who moves at even plies.
        points[unfinished] = ended if len(visited) % 2 == 0 else -ended
        unfinished, boards = unfinished[ended == 0], boards[ended == 0]
    game_indices = np.concatenate([games for games, _ in visited])
    rows = np.concatenate([boards for _, boards in visited])
    signs = np.repeat(1 - 2 * (np.arange(len(visited)) % 2), [len(boards) for _, boards in visited])
    return rows, game_indices, signs * points[game_indices]


if __name__ == "__main__":
    boards, games, rewards = self_play(bgfast.evaluators.PipCount(), *map(int, sys.argv[1:] or ["1000"]))
    print(f"{games.max() + 1:,} games, {len(boards):,} positions, gammons {np.mean(np.abs(rewards) > 1):.0%}")
    print(f"on roll at the start: {rewards[: games.max() + 1].mean():+.3f} points a game")
