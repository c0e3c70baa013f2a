"""Learn to play from nothing, in many games at once: python gymnasium_env.py [games steps].

One neuron learns by TD(0) what the position after a play is worth to the opponent, who is on roll there.
The opponent plays at random.
"""

import sys

import numpy as np
import numpy.typing as npt

import bgfast
from bgfast.environments import BackgammonVectorEnv

Floats = npt.NDArray[np.float32]


def equities(boards: npt.NDArray[np.int8], weights: Floats) -> Floats:
    """Return what boards are worth to the player on roll: -3 to 3 points."""
    points: Floats = 3 * np.tanh(bgfast.encode_tdgammon(boards) @ weights)
    return points


def best(found: bgfast.Successors, weights: Floats) -> npt.NDArray[np.int64]:
    """Return the row of the play in each game that leaves the opponent least."""
    after = equities(found.boards, weights).astype(np.float64)
    results = bgfast.results(found.boards)  # who has just borne off the last checker has won
    after[results < 0] = results[results < 0]
    return bgfast.best_rows(after, found.offsets, best="min")


def points_a_game(weights: Floats, games: int, steps: int, seed: int) -> float:
    """Return the mean of the games that end."""
    env = BackgammonVectorEnv(games, copy=False)
    _, info = env.reset(seed=seed)
    rewards: list[npt.NDArray[np.float64]] = []
    for _ in range(steps):
        found = info["successors"]
        _, reward, ended, _, info = env.step(best(found, weights) - found.offsets[:-1])
        rewards.append(reward[ended])
    return float(np.concatenate(rewards).mean())


def learn(games: int, steps: int, rate: float = 0.02, seed: int = 1) -> Floats:
    """Return the weights."""
    env = BackgammonVectorEnv(games, copy=False)
    _, info = env.reset(seed=seed)
    weights, before = np.zeros(198, np.float32), None
    for _ in range(steps):
        found = info["successors"]
        rows = best(found, weights)
        boards = found.boards[rows]
        now = equities(boards, weights)
        if before is not None:
            # The boards of the step before are worth what came of them: a reward, or what it is worth now.
            inputs, then, reward, ended = before
            error = np.where(ended, -reward, now) - then
            slope = error * (3 - then**2 / 3)
            weights += rate / games * (slope.astype(np.float32) @ inputs)
        _, reward, ended, _, info = env.step(rows - found.offsets[:-1])
        before = bgfast.encode_tdgammon(boards), now, reward, ended
    return weights


def main(games: int = 256, steps: int = 3000) -> tuple[float, float]:
    """Learn; return the points a game before and after."""
    untrained, trained = np.zeros(198, np.float32), learn(games, steps)
    before, after = (points_a_game(weights, games, 150, seed=2) for weights in (untrained, trained))
    print(f"before: {before:+.2f} points a game against random plays")
    print(f"after:  {after:+.2f} points a game, {games * steps:,} plays later")
    return before, after


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
