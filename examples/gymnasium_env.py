"""Train a neuron from zero weights, in many games at once: python gymnasium_env.py [games steps].

With TD(0) the neuron learns the opponent's equity in the position after a play, with the opponent on roll.
The opponent plays at random.
"""

import sys

import numpy as np
import numpy.typing as npt

import bgfast
from bgfast.environments import BackgammonVectorEnv

Floats = npt.NDArray[np.float32]


def equities(boards: npt.NDArray[np.int8], weights: Floats) -> Floats:
    """Return the equities of boards for the player on roll: -3 to 3 points."""
    points: Floats = 3 * np.tanh(bgfast.encode_tdgammon(boards) @ weights)
    return points


def best_plays(successors: bgfast.Successors, weights: Floats) -> npt.NDArray[np.int64]:
    """Return, for each game, the row of the play with the smallest equity for the opponent."""
    values = equities(successors.boards, weights).astype(np.float64)
    results = bgfast.results(successors.boards)  # negative where the play wins
    values[results < 0] = results[results < 0]
    return bgfast.best_rows(values, successors.offsets, best="min")


def points_per_game(weights: Floats, games: int, steps: int, seed: int) -> float:
    """Return the mean points of the finished games."""
    env = BackgammonVectorEnv(games, copy=False)
    _, info = env.reset(seed=seed)
    rewards: list[npt.NDArray[np.float64]] = []
    for _ in range(steps):
        successors = info["successors"]
        rows = best_plays(successors, weights)
        _, reward, terminated, _, info = env.step(rows - successors.offsets[:-1])
        rewards.append(reward[terminated])
    return float(np.concatenate(rewards).mean())


def learn(games: int, steps: int, rate: float = 0.02, seed: int = 1) -> Floats:
    """Train the neuron; return its weights."""
    env = BackgammonVectorEnv(games, copy=False)
    _, info = env.reset(seed=seed)
    weights, previous = np.zeros(198, np.float32), None
    for _ in range(steps):
        successors = info["successors"]
        rows = best_plays(successors, weights)
        boards = successors.boards[rows]
        values = equities(boards, weights)
        if previous is not None:
            # The target of the previous boards is the opponent's reward, or the equity one step later.
            inputs, previous_values, reward, terminated = previous
            error = np.where(terminated, -reward, values) - previous_values
            slope = error * (3 - previous_values**2 / 3)
            weights += rate / games * (slope.astype(np.float32) @ inputs)
        _, reward, terminated, _, info = env.step(rows - successors.offsets[:-1])
        previous = bgfast.encode_tdgammon(boards), values, reward, terminated
    return weights


def main(games: int = 256, steps: int = 3000) -> tuple[float, float]:
    """Train the neuron; return its points per game before and after."""
    untrained, trained = np.zeros(198, np.float32), learn(games, steps)
    before, after = (points_per_game(weights, games, 150, seed=2) for weights in (untrained, trained))
    print(f"before: {before:+.2f} points a game against random plays")
    print(f"after:  {after:+.2f} points a game, {games * steps:,} plays later")
    return before, after


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
