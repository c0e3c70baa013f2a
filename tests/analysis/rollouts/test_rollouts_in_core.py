"""Compiled rollouts with truncation or variance reduction, compared with lockstep games and exact values."""

from __future__ import annotations

import math
import os
import pickle
import signal
import threading
import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Network, Position, rollout
from bgfast.analysis.rollouts import trials as rollout_trials
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.errors import RolloutError
from bgfast.evaluation.evaluators.evaluators import NativeEvaluator
from bgfast.evaluators import Bearoff, Chain, Lookahead, PipCount, Pubeval, Random
from tests.support.lockstep_games import compare_with_lockstep
from tests.support.rollouts import RACE
from tests.support.rule_cases import RULE_SETS

START = Position.start()
NETWORK = Network.builtin_fast()
OTHER_NETWORK = Network.random(32, seed=5)
# The mover is on the bar against a five-point board, closed out, or bearing off.
BAR = Position.from_array([0, 2, 2, 3, 0, 2, 3] + [0] * 9 + [2, -2, -1] + [-2, -2, 0, -2, -2, -2] + [1])
CLOSED_OUT = Position.from_array([0, 0, 0, 0, 2, 2, 2, 3, 3, 2] + [0] * 9 + [-2] * 6 + [1])
BEAROFF = Position.from_array([0, 3, 0, 2, 1] + [0] * 16 + [-1, -2, 0, -1, 0])
POSITIONS = {"start": START, "bar": BAR, "closed out": CLOSED_OUT, "race": RACE, "bearoff": BEAROFF}


def play_both_ways(candidates: Any, first: int, last: int, **settings: Any) -> rollout_trials.Block:
    """Compare trials of compiled games with lockstep games; return the compiled block."""
    job, core, games = compare_with_lockstep(candidates, first, last, cubeless=True, **settings)
    assert (core.adjusted is None) is (games.adjusted is None)
    if core.adjusted is not None and games.adjusted is not None:
        assert np.isfinite(core.adjusted[..., 5]).all()
        assert np.array_equal(np.isnan(core.adjusted), np.isnan(games.adjusted))
        difference = np.nan_to_num(core.adjusted - games.adjusted)
        # Compiled code chooses the best play of a roll with quantized weights, lockstep code with floats:
        # rarely, these are different plays with equal equities and different gammon chances.
        is_rounded = isinstance(job.luck_evaluator, Network)
        assert np.abs(difference[..., 5]).max() < (1e-2 if is_rounded else 1e-6)
        assert np.abs(difference[..., 5].mean(axis=1)).max() < (1e-3 if is_rounded else 1e-6)
        assert np.abs(difference).max() < (0.1 if is_rounded else 1e-6)
        assert np.abs(difference.mean(axis=1)).max() < (5e-3 if is_rounded else 1e-6)
    return core


@pytest.mark.parametrize("name", POSITIONS)
def test_compiled_games_equal_lockstep_games(name: str) -> None:
    for truncate, reduction in ((None, False), (1, True), (2, True), (7, False), (10, True)):
        play_both_ways(POSITIONS[name], 30, 48, truncate=truncate, variance_reduction=reduction, seed=3)
    if name in ("race", "bearoff"):
        play_both_ways(POSITIONS[name], 30, 60, variance_reduction=True, seed=3)


@pytest.mark.parametrize(
    ("policy", "evaluator", "luck_evaluator"),
    [
        (None, NETWORK, OTHER_NETWORK),
        (Pubeval(), NETWORK, None),
        (Random(), NETWORK, PipCount()),
        (PipCount(), NETWORK, PipCount()),
        (NETWORK, PipCount(), NETWORK),
        (Pubeval(), PipCount(), OTHER_NETWORK),
        (None, PipCount(), None),
        (None, Random(), None),
    ],
    ids=repr,
)
def test_every_role_may_have_another_evaluator(policy: Any, evaluator: Any, luck_evaluator: Any) -> None:
    """Evaluators of probabilities or equities serve as policy, for truncation and for luck."""
    settings = {"policy": policy, "evaluator": evaluator, "luck_evaluator": luck_evaluator}
    for truncate in (None, 5, 6):
        block = play_both_ways(RACE, 0, 18, variance_reduction=True, truncate=truncate, **settings)
        has_probabilities = isinstance(evaluator, Network) or truncate is None
        assert np.isnan(block.adjusted[..., :5]).any() == (not has_probabilities)


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_compiled_games_equal_lockstep_games_under_every_rule_set(rules: bgfast.RuleSet) -> None:
    for position in (START, BAR, RACE):
        play_both_ways(position, 0, 12, truncate=9, variance_reduction=True, rules=rules)
    play_both_ways(BEAROFF, 0, 36, variance_reduction=True, rules=rules)


def test_candidates_may_be_finished_games() -> None:
    board = np.zeros(26, np.int8)
    board[[1, 2]], board[24], board[23] = 1, -1, -1
    final_plays = list(Position.from_array(board).plays((6, 5)))
    board[[3, 6]] = 1
    plays = [*Position.from_array(board).plays((3, 1)), *final_plays]
    play_both_ways(plays, 0, 72, truncate=3, variance_reduction=True)
    settings: dict[str, Any] = {"trials": 72, "truncate": 3, "variance_reduction": True, "policy": NETWORK}
    settings["cubeless"] = True
    result = rollout(plays, evaluator=NETWORK, **settings)
    expected = rollout(plays, evaluator=lambda boards: NETWORK(boards), **settings)
    assert result.estimates[0].points == {1: 72}
    for compiled, lockstep in zip(result.estimates, expected.estimates, strict=True):
        assert compiled.name == lockstep.name
        assert (compiled.points, compiled.longest) == (lockstep.points, lockstep.longest)
        for name in ("equity", "difference", "probabilities"):
            for field in (name, f"{name}_se"):
                assert getattr(compiled, field) == pytest.approx(getattr(lockstep, field), abs=1e-5)


def test_only_native_evaluators_of_points_are_compiled() -> None:
    """A job is not compiled if an evaluator is called in Python or returns values that are not points."""

    def in_core(evaluator: Any, **settings: Any) -> bool:
        return Rollout(START, evaluator, RolloutOptions(**settings)).job.in_core

    def external(boards: np.ndarray) -> np.ndarray:
        return NETWORK(boards)

    for settings in ({"truncate": 3}, {"variance_reduction": True}):
        for evaluator in (external, NativeEvaluator(), Chain(Bearoff(), NETWORK)):
            assert not in_core(evaluator, policy=NETWORK, **settings)
        assert in_core(NETWORK, policy=Pubeval(), **settings)
        assert not in_core(NETWORK, policy=external, **settings)
    assert not in_core(NETWORK, truncate=3, variance_reduction=True, luck_evaluator=NativeEvaluator())


def test_compiled_hypergammon_games_equal_lockstep_games() -> None:
    play_both_ways(Position.hypergammon(), 0, 36, truncate=6)
    play_both_ways(Position.hypergammon(), 0, 36, evaluator=PipCount(), variance_reduction=True)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("evaluator", [PipCount(), NETWORK], ids=["pips", "network"])
def test_the_clock_changes_nothing(evaluator: Any, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games are interrupted at any ply and resumed; finished trials are reported in order."""
    arguments: dict[str, Any] = {"trials": 40, "seed": 6}
    if evaluator is NETWORK:
        arguments |= {"variance_reduction": True, "truncate": 9}
    expected = rollout([START, BAR], evaluator=evaluator, **arguments)
    monkeypatch.setattr(rollout_trials, "FIRST_STEP_SECONDS", 0.0)
    monkeypatch.setattr(rollout_trials, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(rollout_trials, "MIN_PLIES_PER_STEP", 0)
    run = Rollout([START, BAR], evaluator, RolloutOptions(**arguments))
    done_counts = [round(fraction * 40) for fraction in run.play(threads=threads)]
    assert run.result().estimates == expected.estimates
    assert done_counts == sorted(done_counts)
    # Progress per step depends on the system, and a long game delays the others.
    assert len(done_counts) > (80 if threads == 1 else 20)
    assert len(set(done_counts)) > (5 if threads == 1 else 2)


@pytest.mark.parametrize("policy", [NETWORK, Random()], ids=["network", "random"])
def test_cached_boards_do_not_change_results(policy: Any) -> None:
    """Cache entries belong to a board, a roll and a candidate."""
    settings: dict[str, Any] = {"truncate": 5, "variance_reduction": True, "policy": policy, "seed": 1}
    plays = list(START.plays((3, 1)))[:3]
    long_block = play_both_ways(plays, 0, 54, **settings)
    short_block = play_both_ways(plays, 50, 53, **settings)
    assert np.array_equal(short_block.adjusted, long_block.adjusted[:, 50:53])


def test_endless_games_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollout_trials, "MAX_PLIES", 20)
    with pytest.raises(BgfastError, match=r"trial 0 is not over after 20 plies"):
        rollout(START, evaluator=NETWORK, trials=36, variance_reduction=True)
    assert rollout(START, evaluator=NETWORK, trials=36, truncate=30).best.longest > 20


# ---- the clock ----


@pytest.mark.slow
def test_a_ply_is_interrupted() -> None:
    """A ply takes half a second; the time limit and Ctrl-C interrupt it."""
    search, settings = Lookahead(NETWORK, ply=2), {"variance_reduction": True, "stop": {"seconds": 0.2}}
    message = r"^0\.2 s passed before 2 trials of each candidate were finished; expected"
    for threads in (1, 2):
        with pytest.raises(RolloutError, match=message):
            rollout(START, evaluator=search, trials=2, truncate=6, threads=threads, **settings)
    run = Rollout(START, search, RolloutOptions(variance_reduction=True))
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        list(run.play(threads=2))
    assert run.done == 0
    timer.join()


@pytest.mark.parametrize("threads", [1, 2])
def test_results_at_the_time_limit_are_whole_trials(threads: int) -> None:
    options = RolloutOptions(trials=10**9, stop={"seconds": 0.05}, cubeless=True)
    run = Rollout([RACE, START, BEAROFF], NETWORK, options)
    list(run.play(threads=threads))
    result = run.result()
    assert 2 <= result.trials < 10**6
    settings: dict[str, Any] = {"trials": result.trials, "cubeless": True}
    assert result.estimates == rollout([RACE, START, BEAROFF], evaluator=NETWORK, **settings).estimates


def test_memory_does_not_depend_on_the_number_of_trials() -> None:
    run = Rollout(RACE, PipCount(), RolloutOptions(trials=10**9))
    tracemalloc.start()
    next(iter(run.play()))
    assert tracemalloc.get_traced_memory()[1] < 2e7
    tracemalloc.stop()


def test_abandoned_evaluations_are_discarded() -> None:
    """Games and caches use no evaluation that a time limit cuts short."""
    settings: dict[str, Any] = {"truncate": 1, "variance_reduction": True, "trials": 8, "cubeless": True}
    job = Rollout(RACE, Lookahead(NETWORK, ply=1), RolloutOptions(**settings)).job
    expected = rollout_trials.play_block(job, 0, 8)
    points, plies, adjusted = np.empty((1, 8), np.int8), np.empty((1, 8), np.int32), np.empty((1, 8, 6))
    interrupted_count = 0
    for seed in range(3):
        trials = rollout_trials._new_trials(job, 1)
        for seconds in np.geomspace(1e-4, 0.03, 20):
            trials.begin(0, points, plies, adjusted)
            interrupted_count += not trials.play(math.inf, seconds)
            is_over = plies > 0
            assert np.array_equal(adjusted[is_over], expected.adjusted[is_over]), seed
    assert interrupted_count > 10


# ---- caches ----


def test_caches_last_for_a_rollout() -> None:
    """All blocks, including an executor's, share one `Trials` instance until the rollout ends."""
    run = Rollout(START, NETWORK, RolloutOptions(trials=2600, truncate=2))
    instances = set()
    for _ in run.play():
        instances.update(map(id, rollout_trials._idle_trials.get(run.job.key, [])))
    assert len(instances) <= 1
    assert run.job.key not in rollout_trials._idle_trials
    for first in (0, 36):
        assert rollout_trials.play_block(pickle.loads(pickle.dumps(run.job)), first, first + 36) is not None
    assert len(rollout_trials._idle_trials[run.job.key]) == 1
    for _ in range(5):
        rollout_trials.play_block(Rollout(START, NETWORK).job, 0, 2)
    assert len(rollout_trials._idle_trials) == rollout_trials.MAX_CACHED_JOBS
    assert run.job.key not in rollout_trials._idle_trials


# ---- exact values ----

ONE_EACH = Position.from_array([0, 0, 0, 0, 0, 0, 1] + [0] * 12 + [-1] + [0] * 6)
TWO_EACH = Position.from_array([0, 0, 0, 0, 0, 0, 2] + [0] * 12 + [-2] + [0] * 6)


@cache
def exact_equity(position: Position) -> float:
    return 2 * float(Bearoff().probabilities([position.to_array()])[0, 0]) - 1


@cache
def network_equity(board: tuple[int, ...]) -> float:
    """Return the equity of a bear-off if both players follow the network, by recursion."""
    best = NETWORK.best_successors([board] * 21, np.array(bgfast.ROLLS))
    total = 0.0
    for successor, weight in zip(best.boards, bgfast.ROLL_WEIGHTS, strict=True):
        outcome = int(bgfast.results([successor])[0])
        total -= weight * (outcome or network_equity(tuple(successor.tolist())))
    return total / 36


def count_covering_intervals(position: Position, equity: float, trials: int, **settings: Any) -> int:
    """Return how many of 20 confidence intervals contain the equity."""
    settings |= {"trials": trials, "cubeless": True}
    results = [rollout(position, evaluator=NETWORK, seed=seed, **settings) for seed in range(20)]
    return sum(result.interval[0] - 1e-9 <= equity <= result.interval[1] + 1e-9 for result in results)


VARIANCE_SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "reduced": {"variance_reduction": True},
    "reduced by equities": {"variance_reduction": True, "luck_evaluator": PipCount()},
    "reduced by nonsense": {"variance_reduction": True, "luck_evaluator": OTHER_NETWORK},
}


@pytest.mark.parametrize("settings", VARIANCE_SETTINGS.values(), ids=VARIANCE_SETTINGS)
def test_intervals_cover_the_truth(settings: dict[str, Any]) -> None:
    """With one checker per side there is no choice of play; with two, the network sometimes errs."""
    assert network_equity(tuple(ONE_EACH.to_array().tolist())) == pytest.approx(
        exact_equity(ONE_EACH), abs=1e-6
    )
    equity = network_equity(tuple(TWO_EACH.to_array().tolist()))
    assert equity == pytest.approx(exact_equity(TWO_EACH), abs=0.03)
    assert Rollout(TWO_EACH, NETWORK, RolloutOptions(**settings)).job.in_core
    assert count_covering_intervals(TWO_EACH, equity, 1296, **settings) >= 18
    assert count_covering_intervals(TWO_EACH, equity, 432, quasi_random=False, **settings) >= 17
    # The two deciding rolls are stratified: no variance is left.
    assert rollout(ONE_EACH, evaluator=NETWORK, cubeless=True, **settings).equity == pytest.approx(
        exact_equity(ONE_EACH), abs=1e-6
    )


def test_intervals_of_truncated_games_cover_the_truth() -> None:
    evaluator, equity = Chain(Bearoff(), NETWORK), exact_equity(TWO_EACH)
    for truncate, reduction in ((1, True), (2, False), (3, True)):
        settings: dict[str, Any] = {"truncate": truncate, "variance_reduction": reduction, "cubeless": True}
        intervals = [
            rollout(TWO_EACH, evaluator=evaluator, trials=216, seed=seed, **settings).interval
            for seed in range(10)
        ]
        assert sum(low - 1e-9 <= equity <= high + 1e-9 for low, high in intervals) >= 8
