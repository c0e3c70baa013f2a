"""n-ply search as a player: agreement of core and batched searches, rollouts, equality, Ctrl-C."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Network, Position
from bgfast.evaluation.evaluators.evaluators import Policy
from bgfast.evaluators import Lookahead, PipCount
from tests.support.networks import map_arrays
from tests.support.patience import patient
from tests.support.search_positions import CLOSED_OUT, ON_THE_BAR, SPECIAL_BOARDS, START, WON, Proxy


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.builtin_fast()


def choose_rows(
    player: Any, boards: np.ndarray, dice: np.ndarray, rules: Any = "standard"
) -> tuple[np.ndarray, Any]:
    plays = bgfast.successors(boards, dice, flip=True, passes="keep", rules=rules)
    policy = Policy(player, bgfast.RuleSet.named(rules))
    return policy.rows(boards, plays), plays


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_core_and_batched_searches_choose_the_same_plays(ply: int, network: Network) -> None:
    count = 20 if ply == 2 else 150
    boards = np.concatenate([bgfast.random_positions(count, seed=1), np.array(SPECIAL_BOARDS, np.int8)])
    dice = bgfast.random_dice(len(boards), seed=1)
    core_rows, plays = choose_rows(Lookahead(network, ply=ply), boards, dice)
    batch_rows, _ = choose_rows(Lookahead(Proxy(network), ply=ply), boards, dice)
    assert (core_rows == batch_rows).mean() > 0.97
    for row in np.flatnonzero(core_rows != batch_rows):  # equities differ only by rounding
        equities = Lookahead(network, ply=ply).equities(plays.boards[[core_rows[row], batch_rows[row]]])
        assert equities[0] == pytest.approx(equities[1], abs=5e-3)
    for row, position in enumerate(map(Position.from_array, boards)):
        ranked_plays = Lookahead(network, ply=ply).best_plays(position, tuple(dice[row].tolist()))
        best = ranked_plays[0].play.position if ranked_plays else position.flip()
        assert (plays.boards[core_rows[row]] == best.to_array()).all()


@pytest.mark.parametrize("candidates", [1, 2, (3, 2)])
def test_core_and_batched_searches_filter_the_same_plays(candidates: Any, network: Network) -> None:
    ply = 2 if candidates == (3, 2) else 1
    boards = bgfast.random_positions(20 if ply == 2 else 150, seed=3, phase="contact")
    dice = bgfast.random_dice(len(boards), seed=3)
    for threshold in (9.0, 0.03):
        player = Lookahead(network, ply=ply, candidates=candidates, threshold=threshold)
        rows, plays = choose_rows(player, boards, dice)
        assert np.array_equal(rows, player._choose_rows(plays, 15))


def test_the_core_evaluates_the_plays_that_the_policy_shortlists() -> None:
    player = Lookahead(Network.builtin(), policy=Network.builtin_fast())
    boards = bgfast.random_positions(150, seed=5, phase="contact")
    rows, plays = choose_rows(player, boards, bgfast.random_dice(150, seed=5))
    assert np.array_equal(rows, player._choose_rows(plays, 15))
    policy_rows, _ = choose_rows(Lookahead(Network.builtin_fast()), boards, bgfast.random_dice(150, seed=5))
    assert (rows != policy_rows).sum() > 5


def test_the_first_of_equal_plays_is_chosen(network: Network) -> None:
    zero_network = Network(map_arrays(network.weights, np.zeros_like))
    boards = bgfast.random_positions(100, seed=1, phase="contact")
    # After any play all checkers are on the board, and all results are possible.
    outside_counts = (np.maximum(side[:, 7:], 0).sum(axis=1) for side in (boards, bgfast.flip(boards)))
    boards = boards[(np.abs(boards).sum(axis=1) == 30) & (np.minimum(*outside_counts) > 4)]
    dice = bgfast.random_dice(len(boards), seed=1)
    for evaluator in (zero_network, Proxy(zero_network)):
        rows, plays = choose_rows(Lookahead(evaluator), boards, dice)
        assert np.array_equal(rows, plays.offsets[:-1])


def test_segments_without_a_play_have_no_row(network: Network) -> None:
    boards = [CLOSED_OUT, START.to_array().tolist(), WON, ON_THE_BAR]
    plays = bgfast.successors(boards, (6, 5), flip=True)
    for evaluator in (network, Proxy(network)):
        closed_out_row, start_row, won_row, bar_row = Lookahead(evaluator)._choose_rows(plays, 15).tolist()
        assert (closed_out_row, won_row) == (-1, -1)
        assert plays.offsets[1] <= start_row < plays.offsets[2]
        assert plays.offsets[3] <= bar_row < plays.offsets[4] or plays.offsets[3] == plays.offsets[4]


def test_core_and_batched_rollouts_agree(network: Network) -> None:
    position = Position.from_array(ON_THE_BAR)
    options: dict[str, Any] = {"evaluator": network, "trials": 36, "seed": 4}
    core_result = bgfast.rollout(position, policy=Lookahead(network), **options)
    thread_result = bgfast.rollout(position, policy=Lookahead(network), threads=2, **options)
    assert core_result.estimates == thread_result.estimates
    batch_result = bgfast.rollout(position, policy=Lookahead(Proxy(network)), **options)
    assert abs(core_result.equity - batch_result.equity) < core_result.equity_se
    assert core_result.estimates[0].mean_plies == pytest.approx(batch_result.estimates[0].mean_plies, rel=0.1)
    race = Position.from_array(bgfast.random_positions(1, seed=2, phase="bearoff")[0])
    equities = [
        bgfast.rollout(race, evaluator=Lookahead(evaluator), trials=36, seed=1).equity
        for evaluator in (network, Proxy(network))
    ]
    assert equities[0] == equities[1]


@pytest.mark.parametrize(
    ("board", "options"),
    [
        (ON_THE_BAR, {"truncate": 2}),
        (ON_THE_BAR, {"truncate": 1, "variance_reduction": True, "luck_evaluator": Network.builtin()}),
        ([0, 1, 1, 1] + [0] * 18 + [-1, -1, -1, 0], {"variance_reduction": True}),
        ([0, 1, 1, 1] + [0] * 18 + [-1, -1, -1, 0], {"variance_reduction": True, "truncate": 1}),
    ],
)
def test_variance_reduced_rollouts_agree(board: list[int], options: dict[str, Any], network: Network) -> None:
    position = Position.from_array(board)
    core_result = bgfast.rollout(position, evaluator=Lookahead(network), trials=36, seed=1, **options)
    batch_result = bgfast.rollout(position, evaluator=Lookahead(Proxy(network)), trials=36, seed=1, **options)
    assert core_result.equity == pytest.approx(batch_result.equity, abs=1e-3)
    assert core_result.probabilities == pytest.approx(batch_result.probabilities, abs=5e-3)


def test_players_are_equal_if_their_settings_are(network: Network) -> None:
    players = [
        Lookahead(network),
        Lookahead(network, ply=2),
        Lookahead(network, candidates=3),
        Lookahead(PipCount()),
        Lookahead(network, policy=Network.random(32)),
        Lookahead(PipCount(), policy=Network.random(32)),
    ]
    assert len({*players, Lookahead(network)}) == len(players)
    assert len({player.name for player in players}) == len(players)
    for player in players:
        copied_player = pickle.loads(pickle.dumps(player))
        assert copied_player == player
        assert (copied_player != player) is False
        assert type(copied_player) is type(player)
        assert copied_player.equities([START.to_array()]) == player.equities([START.to_array()])
    assert players[0] != network
    assert repr(Lookahead(PipCount(), ply=0)) == "Lookahead(PipCount(), ply=0)"
    assert repr(players[3]) == "Lookahead(PipCount(), ply=1, candidates=(8,), threshold=(0.16,))"


def test_ctrl_c_ends_a_search_within_seconds() -> None:
    """At 2 plies a batch of sixteen boards takes seconds, as do the plays of a single position."""
    boards = bgfast.random_positions(3000, 3, phase="contact")
    plays = bgfast.successors(boards[:300], (1, 1), flip=True, passes="keep")
    player = Lookahead(Network.builtin(), ply=2)
    policy = Policy(player, bgfast.STANDARD)
    for call in (lambda: player(boards), lambda: policy.rows(boards[:300], plays)):
        timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        start = time.monotonic()
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            call()
        assert time.monotonic() - start < patient(3)
        timer.join()
