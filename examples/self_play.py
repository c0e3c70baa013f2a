"""Generate training data by self-play, many games at once: python self_play.py [games]."""

import sys

import numpy as np
import numpy.typing as npt

import bgfast
from bgfast.evaluators import Evaluator

Boards = npt.NDArray[np.int8]
Integers = npt.NDArray[np.int64]


def self_play(evaluator: Evaluator, games: int, seed: int = 0) -> tuple[Boards, Integers, Integers]:
    """Return all boards, their games, and the results (-3 to 3) for the player on roll."""
    rng = np.random.default_rng(seed)
    boards = np.tile(bgfast.Position(), (games, 1))
    unfinished_games, points = np.arange(games), np.zeros(games, np.int8)
    turns: list[tuple[Integers, Boards]] = []
    while len(unfinished_games):
        turns.append((unfinished_games, boards))
        dice = rng.integers(1, 7, (len(unfinished_games), 2), np.int8)
        plays = bgfast.successors(boards, dice, flip=True, passes="keep")
        results = bgfast.results(plays.boards)
        # Results and equities are for the next player: the mover chooses the smallest.
        equities = results.astype(np.float64)
        equities[results == 0] = evaluator(plays.boards[results == 0])
        best_rows = bgfast.best_rows(equities, plays.offsets, best="min")
        boards, outcomes = plays.boards[best_rows], results[best_rows]
        # Points are for the player on roll at ply 0, who moves at even plies.
        points[unfinished_games] = outcomes if len(turns) % 2 == 0 else -outcomes
        unfinished_games, boards = unfinished_games[outcomes == 0], boards[outcomes == 0]
    game_indices = np.concatenate([games for games, _ in turns])
    rows = np.concatenate([boards for _, boards in turns])
    signs = np.repeat(1 - 2 * (np.arange(len(turns)) % 2), [len(boards) for _, boards in turns])
    return rows, game_indices, signs * points[game_indices]


if __name__ == "__main__":
    boards, games, results = self_play(bgfast.evaluators.PipCount(), *map(int, sys.argv[1:] or ["1000"]))
    print(f"{games.max() + 1:,} games, {len(boards):,} positions, gammons {np.mean(np.abs(results) > 1):.0%}")
    print(f"on roll at the start: {results[: games.max() + 1].mean():+.3f} points a game")
