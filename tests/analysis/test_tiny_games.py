"""A game of two checkers a side, learnt from self-play alone, against its exact values."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.analysis.network import Network
from bgfast.analysis.training import Schedule, Training
from bgfast.evaluators import Bearoff

# Thirteen checkers of either side are off; two stand on the points 6 and 4.
START = Position.from_array([0] * 4 + [1, 0, 1] + [0] * 12 + [-1, 0, -1] + [0] * 4)
GAMES = 40_000


def met_in_games(number: int) -> tuple[np.ndarray, np.ndarray]:
    """The positions after the first turn of games that are played without a mistake, and how often they came."""
    exact = Bearoff()
    boards = np.repeat(START.to_array()[None], number, axis=0)
    met: Counter[bytes] = Counter()
    for ply in range(100):
        # The first roll of a game is no double.
        dice = bgfast.random_dice(len(boards), seed=ply, opening=ply == 0)
        plays = bgfast.successors(boards, dice, flip=True)
        over = bgfast.results(plays.boards)
        values = np.where(over != 0, over, 0.0)
        values[over == 0] = 2 * exact(plays.boards[over == 0])[:, 0] - 1
        boards = plays.boards[bgfast.best_successors(values, plays.offsets, best="min")]
        boards = boards[bgfast.results(boards) == 0]
        if not len(boards):
            break
        met.update(board.tobytes() for board in boards)
    rows = np.array([np.frombuffer(row, np.int8) for row in met])
    return rows, np.array(list(met.values()), float)


@pytest.fixture(scope="module")
def trained() -> Network:
    schedule = Schedule(first=0.05, last=0.0005)
    training = Training(GAMES, Network.random(32, seed=1), seed=1, schedule=schedule, start=START)
    assert [*training.play()][-1] == GAMES
    return training.network


def test_it_comes_to_its_exact_values(trained: Network) -> None:
    boards, times = met_in_games(20_000)
    exact, found = Bearoff()(boards), trained.evaluate(boards)
    off = np.abs(found[:, 0] - exact[:, 0])
    weights = times / times.sum()
    print(len(boards), off @ weights, off[times > 200].max(), np.abs(found[:, 1:]).max(axis=1) @ weights)
    assert off @ weights < 0.01
    assert off[times > 200].max() < 0.03
    # Nobody wins a gammon where both have borne off.
    assert np.abs(found[:, 1:]).max(axis=1) @ weights < 0.01
    before = Network.random(32, seed=1).evaluate(boards)
    assert np.abs(before[:, 0] - exact[:, 0]) @ weights > 0.1


def test_it_plays_as_the_database_does(trained: Network) -> None:
    boards, times = met_in_games(20_000)
    exact = Bearoff()
    plays = bgfast.successors(boards, "all", flip=True)
    over = bgfast.results(plays.boards)
    values = over.astype(float)
    values[over == 0] = 2 * exact(plays.boards[over == 0])[:, 0] - 1
    best = bgfast.best_successors(values, plays.offsets, best="min")
    guessed = over.astype(float)
    guessed[over == 0] = trained.equities(plays.boards[over == 0])
    chosen = bgfast.best_successors(guessed, plays.offsets, best="min")
    lost = bgfast.expectation(values[chosen] - values[best])
    print(lost @ times / times.sum(), lost.max())
    assert lost @ times / times.sum() < 0.002


def test_a_start_that_is_none() -> None:
    for start in (Position.hypergammon(), Position.from_array([0] * 24 + [-15, 0])):
        with pytest.raises(BgfastError, match="start is Position.*expected a game to be played"):
            Training(10, Network.random(32), start=start)


def test_a_training_goes_on_from_its_start_only() -> None:
    training = Training(256, Network.random(32), start=START)
    next(training.play())
    assert Training(256, training.network, start=START).played == 128
    assert Training(256, training.network).played == 0
