"""Training on a game with two checkers per side, compared with exact values."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import bgfast
from bgfast import Position
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluators import Bearoff
from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings

# Each side has two checkers, on its points 6 and 4; thirteen are off.
START = Position.from_array([0] * 4 + [1, 0, 1] + [0] * 12 + [-1, 0, -1] + [0] * 4)


def exact_equities(boards: np.ndarray) -> np.ndarray:
    """Return the exact equities of boards, including finished ones."""
    results = bgfast.results(boards)
    equities = results.astype(float)
    equities[results == 0] = 2 * Bearoff()(boards[results == 0])[:, 0] - 1
    return equities


def sample_positions(network: Network, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of a network's games after the start, with their frequencies."""
    boards = np.repeat(START.to_array()[None], count, axis=0)
    counts: Counter[bytes] = Counter()
    for ply in range(100):
        # The player with the higher die starts, so the first roll is not a double.
        boards = network.best_successors(
            boards, bgfast.random_dice(len(boards), seed=ply, opening=ply == 0)
        ).boards
        boards = boards[bgfast.results(boards) == 0]
        if not len(boards):
            break
        counts.update(board.tobytes() for board in boards)
    rows = np.array([np.frombuffer(row, np.int8) for row in counts])
    return rows, np.array([*counts.values()]) / counts.total()


@pytest.fixture(scope="module")
def trained_network() -> Network:
    settings = Settings(
        hidden=64,
        dense=0,
        seed=1,
        opening=1_000_000,
        rounds=40,
        positions=2000,
        noise=0.3,
        bearoff=False,
        start=START.gnubg_id,
    )
    training = Training(settings)
    for _ in training.train():
        pass
    return training.network


@pytest.mark.slow
def test_evaluations_converge(trained_network: Network) -> None:
    boards, frequencies = sample_positions(trained_network, 20_000)
    wins, evaluations = (exact_equities(boards) + 1) / 2, trained_network.evaluate(boards)
    errors = np.abs(evaluations[:, 0] - wins)
    assert errors @ frequencies < 0.003
    # Both sides already have checkers off, so no gammon is possible.
    assert evaluations[:, 1:].max(axis=1) @ frequencies < 0.001
    untrained_evaluations = Network.random(64, seed=1).evaluate(boards)
    assert np.abs(untrained_evaluations[:, 0] - wins) @ frequencies > 0.2


@pytest.mark.slow
def test_plays_are_nearly_as_good_as_exact_plays(trained_network: Network) -> None:
    boards, frequencies = sample_positions(trained_network, 20_000)
    plays = bgfast.successors(boards, "all", flip=True)
    equities = exact_equities(plays.boards)
    best_rows = bgfast.best_rows(equities, plays.offsets, best="min")
    boards_and_rolls = np.repeat(boards, 21, axis=0), np.tile(bgfast.ROLLS, (len(boards), 1))
    chosen_equities = exact_equities(trained_network.best_successors(*boards_and_rolls).boards)
    losses = bgfast.mean_over_rolls(chosen_equities - equities[best_rows])
    assert losses.min() > -1e-9
    assert losses @ frequencies < 0.003  # points per move
