"""Rollouts: dice, games and standard errors against slow implementations; failures."""

from __future__ import annotations

import math
import multiprocessing
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, InvalidPositionError, Play, Position, rollout
from bgfast.analysis.rollouts import trials as rollout_trials
from bgfast.analysis.rollouts._dice import rollout_dice
from bgfast.analysis.rollouts.rollout import Rollout, RolloutOptions
from bgfast.common.pace import Limit
from bgfast.errors import RolloutError
from bgfast.evaluators import Chain, PipCount, Pubeval, Random
from tests.support.patience import patient
from tests.support.rollouts import ENDING, RACE, five, pip_count
from tests.support.rule_cases import RULE_SETS

START = Position.start()


def dice_of(seed: int, quasi: bool, trials: np.ndarray, ply: int) -> np.ndarray:
    out = np.empty((len(trials), 2), np.int8)
    rollout_dice(seed, quasi, trials, np.full(len(trials), ply), out)
    return out


# ---- dice ----


@pytest.mark.parametrize("first", [0, 17, 36, 1000, 50_001])
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_quasi_random_dice_are_stratified(seed: int, first: int) -> None:
    trials = np.arange(first, first + 1296)
    one, two, three = (dice_of(seed, True, trials, ply).astype(int) @ [6, 1] - 7 for ply in range(3))
    assert sorted(one[:36]) == list(range(36))
    group = slice(-first % 36, -first % 36 + 36)
    assert sorted(two[group]) == sorted(three[group]) == list(range(36))
    assert len(set(zip(one, two, strict=True))) == 1296
    later = dice_of(seed, True, trials, 3).astype(int) @ [6, 1] - 7
    assert len(set(later[:36])) < 36  # plain dice repeat


def test_triples_of_rolls_are_stratified() -> None:
    trials = np.arange(5, 5 + 46_656)
    rolls = [dice_of(9, True, trials, ply).astype(int) @ [6, 1] - 7 for ply in range(3)]
    assert len(set(zip(*rolls, strict=True))) == 46_656


@pytest.mark.parametrize("quasi", [False, True])
def test_dice_never_change(quasi: bool) -> None:
    """Results are compared across versions."""
    result = [dice_of(7, quasi, np.array([0, 1, 1000]), ply).tolist() for ply in (0, 1, 5)]
    assert result == PROMISED[quasi]


PROMISED = {
    False: [[[6, 1], [2, 4], [6, 2]], [[1, 3], [1, 5], [6, 6]], [[6, 3], [3, 6], [2, 4]]],
    True: [[[3, 4], [5, 3], [2, 5]], [[2, 4], [3, 6], [6, 5]], [[6, 3], [3, 6], [2, 4]]],
}


def test_plain_dice_are_fair() -> None:
    dice = dice_of(1, False, np.arange(36_000), 0)
    counts = np.bincount(dice.astype(int) @ [6, 1] - 7, minlength=36)
    assert (
        (counts - 1000) ** 2 / 1000
    ).sum() < 70  # chi square of 35 degrees of freedom: beyond once in 2,000


# ---- games ----


def slow_game(position: Position, seed: int, trial: int, rules: bgfast.RuleSet) -> tuple[int, int]:
    """Play a game of `pip_count` with `Position` objects; return the first player's points, and the plies."""
    for ply in range(100_000):
        roll = tuple(dice_of(seed, True, np.array([trial]), ply)[0].tolist())
        plays = position.plays(roll, rules=rules)
        if not len(plays):
            position = position.flip()
            continue
        after = [play.position for play in plays]
        boards = np.array([each.to_array() for each in after])
        outcomes = bgfast.results(boards, rules).astype(float)
        values = np.where(outcomes != 0, 1000 * outcomes, pip_count(boards))
        position = after[int(np.argmin(values))]
        outcome = int(outcomes[int(np.argmin(values))])
        if outcome:
            return (-outcome if ply % 2 == 0 else outcome), ply + 1
    raise AssertionError("no end")


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_games_equal_a_slow_loop(rules: bgfast.RuleSet) -> None:
    for position, trials in ((RACE, 72), (ENDING, 108)):
        expected = [slow_game(position, 5, trial, rules) for trial in range(trials)]
        for evaluator in (PipCount(), pip_count):
            job = Rollout(position, evaluator, RolloutOptions(trials=trials, seed=5, rules=rules)).job
            block = rollout_trials.play_block(job, 0, trials)
            assert list(zip(block.points[0].tolist(), block.plies[0].tolist(), strict=True)) == expected


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_every_rule_set_can_be_rolled_out(rules: bgfast.RuleSet) -> None:
    for evaluator in (Random(), PipCount()):
        result = rollout(START, evaluator, trials=72, rules=rules)
        assert result.trials == sum(result.best.points.values()) == 72
    last = np.zeros(26, np.int8)
    last[1], last[0], last[24] = 1, -1, -13  # the opponent has one off and one on the bar
    gone = [*last[:1], 0, *last[2:]]
    points = rollout(Position.from_array(last), PipCount(), trials=36, rules=rules).best.points
    assert int(bgfast.results([gone], rules)[0]) in points


def test_hypergammon() -> None:
    result = rollout(Position.hypergammon(), Random(), trials=1296)
    assert {abs(points) for points in result.best.points} == {1, 2, 3}


@pytest.mark.parametrize("policy", [Random(), PipCount(), Pubeval()], ids=repr)
def test_compiled_games_equal_lockstep_games(policy: Any) -> None:
    job = Rollout(START, policy, RolloutOptions(trials=144, seed=3)).job
    core = rollout_trials.play_block(job, 36, 144)
    games = rollout_trials._LockstepGames(job, 36, 144, Limit())
    assert core is not None
    for _ in games.play():
        pass
    assert np.array_equal(core.points, games.points)
    assert np.array_equal(core.plies, games.plies)


def test_pubeval_uses_contact_before_the_play() -> None:
    """Against a second implementation, on positions in which a play may end contact."""
    weights = np.array(bgfast.evaluation.evaluators.pubeval_weights.PUBEVAL_WEIGHTS)
    differs = 0
    for board in bgfast.random_positions(300, 8, phase="contact"):
        position = Position.from_array(board)
        plays = position.plays((6, 5))
        if len(plays) < 2:
            continue
        values = []
        for row in plays.boards:
            inputs = []
            for j in range(1, 25):
                n = int(row[25 - j])
                inputs += [n == -1, n == 1, n >= 2, n == 3, (n - 3) / 2 if n >= 4 else 0]
            inputs += [-row[0] / 2, (15 - row[row > 0].sum()) / 15]
            values.append(np.array(inputs, float) @ weights[:, 0])
        rows = bgfast.flip(plays.boards)
        chosen = Pubeval().choices(
            board[None], rows, np.array([0, len(rows)]), 0, 15, 0, np.zeros(1, int), np.zeros(1, int)
        )
        over = bgfast.results(rows) != 0
        assert over.any() or values[int(chosen[0])] == pytest.approx(max(values), abs=1e-9)
        differs += int(chosen[0]) != int(Pubeval()(rows).argmin())
    assert differs


# ---- candidates, perspectives ----


def test_play_and_its_position_have_opposite_equities() -> None:
    play = START.plays((3, 1))[3]
    made = rollout(play, Pubeval(), trials=360, seed=2)
    there = rollout(play.position, Pubeval(), trials=360, seed=2)
    assert made.equity == pytest.approx(-there.equity, abs=1e-12)
    assert made.equity_se == pytest.approx(there.equity_se, abs=1e-12)
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = there.probabilities
    expected = (1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon)
    assert made.probabilities == pytest.approx(expected, abs=1e-12)
    assert made.best.points == {-points: games for points, games in there.best.points.items()}


def test_candidates_have_common_dice_and_are_ranked() -> None:
    plays = list(START.plays((3, 1)))[:3]
    result = rollout(plays, Pubeval(), trials=360, seed=4)
    assert [estimate.equity for estimate in result.estimates] == sorted(
        (estimate.equity for estimate in result.estimates), reverse=True
    )
    for estimate in result.estimates:
        play = next(play for play in plays if str(play) == estimate.name)
        alone = rollout(play, Pubeval(), trials=360, seed=4)
        assert alone.equity == estimate.equity
        assert estimate.difference == pytest.approx(estimate.equity - result.equity, abs=1e-12)
        assert estimate.difference_interval[0] <= estimate.difference <= estimate.difference_interval[1]
    assert result.best.difference == result.best.difference_se == 0
    twice = rollout([plays[0], plays[0]], Pubeval(), trials=72)
    assert (twice.estimates[1].difference, twice.estimates[1].difference_se) == (0, 0)


# ---- reproducibility ----


class DyingEvaluator:
    """Evaluator that ends its process once a file exists."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        if self.file.exists():
            os._exit(3)
        return PipCount()(boards)


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize("settings", [{}, {"truncate": 7}, {"variance_reduction": True}], ids=str)
@pytest.mark.parametrize("evaluator", [PipCount(), five], ids=["core", "five"])
def test_threads_processes_and_blocks_change_nothing(
    evaluator: Any, settings: dict[str, Any], processes: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments: dict[str, Any] = {"trials": 200, "seed": 6, **settings}
    alone = rollout([RACE, RACE.flip()], evaluator, **arguments)
    for threads in (2, 7):
        assert (
            rollout([RACE, RACE.flip()], evaluator, threads=threads, **arguments).estimates == alone.estimates
        )
    with ThreadPoolExecutor(3) as threads_of_others:
        for executor in (threads_of_others, processes):
            result = rollout([RACE, RACE.flip()], evaluator, executor=executor, **arguments)
            assert result.estimates == alone.estimates
    monkeypatch.setattr(rollout_trials.Job, "block_end", lambda job, first: first + 71)
    assert rollout([RACE, RACE.flip()], evaluator, **arguments).estimates == alone.estimates


def test_memory_is_bounded_by_blocks() -> None:
    sizes = []

    def evaluator(boards: np.ndarray) -> np.ndarray:
        sizes.append(len(boards))
        return pip_count(boards)

    rollout(list(START.plays((2, 1)))[:8], evaluator, trials=324, truncate=3, variance_reduction=True)
    assert max(sizes) <= 32_768


# ---- statistics ----


@cache
def equity_of(board: bytes) -> float:
    """Return the equity of a position of `ENDING` under best play, by recursion."""
    position = Position.from_array(np.frombuffer(board, np.int8))
    total = 0.0
    for roll, weight in zip(bgfast.ROLLS, bgfast.ROLL_WEIGHTS, strict=True):
        afters = [play.position for play in position.plays(roll)] or [position.flip()]
        total += weight * max(
            1.0 if after.phase == "over" else -equity_of(after.to_array().tobytes()) for after in afters
        )
    return total / 36


TRUTH = equity_of(ENDING.to_array().tobytes())


def exact_evaluator(boards: np.ndarray) -> np.ndarray:
    """Return exact equities."""
    rows = np.ascontiguousarray(boards).view("V26").ravel().tolist()
    return np.fromiter(map(equity_of, rows), float, len(rows))


def noisy_evaluator(boards: np.ndarray) -> np.ndarray:
    """Return exact equities plus reproducible errors of up to 0.2."""
    noise = (boards.astype(np.int64) @ np.arange(1, 27) * 7919) % 101 / 250 - 0.2
    return np.clip(exact_evaluator(boards) + noise, -1, 1)


def standardised_errors(runs: int, trials: int, **settings: Any) -> np.ndarray:
    """Return the errors of rollouts in standard errors."""
    found = [rollout(ENDING, exact_evaluator, trials=trials, seed=seed, **settings) for seed in range(runs)]
    return np.array([(result.equity - TRUTH) / result.equity_se for result in found])


def test_plain_errors_are_standard_normal() -> None:
    errors = standardised_errors(200, 432, quasi_random=False)
    assert abs(errors.mean()) < 3 / math.sqrt(200)
    assert 0.75 < errors.var(ddof=1) < 1.30
    assert 0.90 <= (np.abs(errors) < 1.96).mean() <= 0.99


def test_quasi_random_intervals_cover() -> None:
    errors = standardised_errors(200, 432, quasi_random=True)
    assert abs(errors.mean()) < 3 / math.sqrt(200)
    assert (np.abs(errors) < 1.96).mean() >= 0.95
    plain = rollout(ENDING, exact_evaluator, trials=4320, quasi_random=False)
    quasi = rollout(ENDING, exact_evaluator, trials=4320)
    assert quasi.equity_se < 0.8 * plain.equity_se


def test_variance_reduction_with_a_noisy_evaluator() -> None:
    settings = {"variance_reduction": True, "luck_evaluator": noisy_evaluator, "quasi_random": False}
    errors = standardised_errors(60, 144, **settings)
    assert abs(errors.mean()) < 3.3 / math.sqrt(60)
    plain = rollout(ENDING, exact_evaluator, trials=1440, quasi_random=False)
    reduced = rollout(ENDING, exact_evaluator, trials=1440, **settings)
    assert reduced.equity_se < 0.5 * plain.equity_se
    assert reduced.equity == pytest.approx(TRUTH, abs=4 * reduced.equity_se)


def test_variance_reduction_with_an_exact_evaluator() -> None:
    result = rollout(ENDING, exact_evaluator, trials=72, variance_reduction=True)
    assert result.equity == pytest.approx(TRUTH, abs=1e-9)
    assert result.equity_se < 1e-9


def test_negative_zero_probability_is_shown_unsigned() -> None:
    text = "XGID=--BBBDCA--A--------abbaaa-:2:1:-1:54:0:0:0:3:10"
    fast = bgfast.Network.builtin_fast()
    result = rollout(text, fast, trials=36, variance_reduction=True, truncate=5)
    assert any(-5e-5 < chance < 0 for estimate in result.estimates for chance in estimate.probabilities or ())
    assert "-0.00%" not in str(result)
    assert " 0.00%" in str(result)


def test_variance_reduction_of_probabilities() -> None:
    def judge(boards: np.ndarray) -> np.ndarray:
        win = (exact_evaluator(boards) + 1) / 2
        return np.column_stack((win, *[np.zeros(len(boards))] * 4))

    result = rollout(ENDING, judge, trials=72, variance_reduction=True)
    assert result.probabilities[0] == pytest.approx((TRUTH + 1) / 2, abs=1e-9)
    assert max(result.probabilities_se) < 1e-9
    plain = rollout(ENDING, exact_evaluator, trials=72, variance_reduction=True)
    assert plain.probabilities_se[0] > 0.01


def test_truncation_with_an_exact_evaluator() -> None:
    for plies in (1, 2, 3):
        result = rollout(ENDING, exact_evaluator, trials=1296, truncate=plies)
        assert result.equity == pytest.approx(TRUTH, abs=5 * result.equity_se + 1e-9)
        assert result.probabilities is None
    result = rollout(START, five, trials=36, truncate=4)
    assert result.best.points == {0: 36}
    assert result.best.longest == 4
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = result.probabilities
    worth = 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon
    assert result.equity == pytest.approx(worth, abs=1e-12)
    assert lose_gammon > 0


# ---- stopping ----


def test_stopping_on_the_standard_error() -> None:
    result = rollout(RACE, Pubeval(), trials=100_000, stop={"standard_error": 0.013})
    assert result.equity_se <= 0.013
    assert result.trials % 1296 == 0
    before = rollout(RACE, Pubeval(), trials=result.trials - 1296)
    assert before.equity_se > 0.013
    shared = rollout(RACE, Pubeval(), trials=100_000, stop={"standard_error": 0.013}, threads=3)
    assert shared.estimates == result.estimates


def test_stopping_tests_differences_too() -> None:
    plays = Position.hypergammon().plays((3, 1))[:2]
    limit = 0.06
    result = rollout(plays, Pubeval(), trials=100_000, stop={"standard_error": limit})
    assert all(max(estimate.equity_se, estimate.difference_se) <= limit for estimate in result.estimates)
    before = rollout(plays, Pubeval(), trials=result.trials - 1296)
    assert before.estimates[1].difference_se > limit > before.estimates[1].equity_se


def test_interim_analyses_do_not_depend_on_blocks() -> None:
    job = Rollout(RACE, pip_count).job
    assert job.block_end(40) < 1296
    result = rollout(RACE, pip_count, trials=20_000, stop={"standard_error": 0.5})
    assert result.trials == 1296


def test_stopping_on_time() -> None:
    began = time.monotonic()
    result = rollout(START, PipCount(), trials=10**8, stop={"seconds": 0.5})
    assert time.monotonic() - began < patient(20)
    assert result.trials < 10**8


@pytest.mark.parametrize(("done", "first"), [(720, 36), (100, 10), (36 * 150, 108)])
def test_history_equals_shorter_rollouts(done: int, first: int) -> None:
    run = Rollout(
        START.plays((3, 1))[:2], PipCount(), RolloutOptions(trials=done, variance_reduction=True, truncate=2)
    )
    for _ in run.play():
        pass
    course = run.history()
    assert course[-1] == run.result()
    assert [result.trials for result in course[:-1]] == list(range(first, done, first))
    fewer = rollout(START.plays((3, 1))[:2], PipCount(), trials=first, variance_reduction=True, truncate=2)
    assert course[0].estimates == fewer.estimates


class ClockedEvaluator:
    """Evaluator that takes a millisecond per board on a simulated clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sizes: list[int] = []

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        self.now += len(boards) / 1000
        self.sizes.append(len(boards))
        return pip_count(boards)


def test_slow_evaluators_respect_the_time_limit() -> None:
    for settings in ({}, {"policy": Random(), "variance_reduction": True}):
        clock = ClockedEvaluator()
        job = Rollout(START, clock, RolloutOptions(**settings)).job
        limit = Limit(10.0, clock=lambda clock=clock: clock.now)
        assert not [
            block for block in rollout_trials.local_blocks(job, 0, 324, 1, limit) if block is not None
        ]
        assert 10 <= clock.now < 10.5
        assert len(clock.sizes) > 30


@pytest.mark.slow
def test_unfinished_lockstep_blocks_do_not_count() -> None:
    """Finished games are the short ones: a block counts as a whole or not at all."""
    result = rollout(RACE, pip_count, trials=10**8, stop={"seconds": 0.5})
    assert rollout(RACE, pip_count, trials=result.trials).estimates == result.estimates

    def slow(boards: np.ndarray) -> np.ndarray:
        time.sleep(0.001 * len(boards))
        return pip_count(boards)

    for threads in (1, 2):
        began = time.monotonic()
        with pytest.raises(RolloutError, match=r"^0\.3 s were over"):
            rollout(START, slow, stop={"seconds": 0.3}, threads=threads)
        assert time.monotonic() - began < patient(3)


def test_progress() -> None:
    shares: list[float] = []
    rollout(START, Random(), trials=5000, progress=shares.append)
    assert shares[-1] == 1
    assert all(a < b for a, b in pairwise(shares))


MATCH = "XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10"


def test_texts_are_rolled_out() -> None:
    options: Any = {"trials": 36, "truncate": 3}
    pip = PipCount()
    plays = rollout(START.plays((3, 1)), pip, **options)
    for given in (MATCH, "start 31", bgfast.Decision.read(MATCH), [MATCH], "4HPwATDgc/ABMA 3-1"):
        result = rollout(given, pip, cubeless=True, **options)
        assert result.estimates == plays.estimates
        ignored = "; cube and score ignored" if "XGID" in repr(given) else ""
        assert result.judged_as == result.settings["judged_as"] == f"cubeless, money{ignored}"
    several = rollout(["start", Position.nackgammon()], pip, **options)
    assert several.estimates == rollout([START, Position.nackgammon()], pip, **options).estimates


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "'' is no position; expected start"),
        ("31", "'31' is no position"),
        ("start 31 more", "the roll is '31 more'"),
        ("best", "'best' is no position; expected start"),
        (["start", 5], "5 cannot be rolled out; expected a Position, a Play, or the text of a position"),
        (MATCH + " 64", "the roll is 6-4, but the position comes with 3-1"),
        (MATCH.replace(":31:", ":D:") + " 31", "X offers a double, which waits for an answer"),
        (MATCH.replace(":31:", ":00:").replace("-b", "-z"), "expected A-P"),
    ],
)
def test_texts_that_cannot_be_rolled_out(given: Any, message: str) -> None:
    with pytest.raises(BgfastError, match=re.escape(message)):
        rollout(given, PipCount(), trials=36)


# ---- failures ----


@pytest.mark.slow
def test_executor_with_a_dead_worker(tmp_path: Path) -> None:
    file = tmp_path / "now"
    kept = tmp_path / "kept"

    def play(run: Rollout, executor: Executor) -> None:
        for share in run.play(executor=executor, checkpoint=kept):
            if share > 0.2:
                file.touch()

    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        run = Rollout(RACE, DyingEvaluator(file), RolloutOptions(trials=30_000, seed=2))
        with pytest.raises(
            RolloutError, match=r"the executor has failed after .* of 30,000 trials"
        ) as caught:
            play(run, executor)
    result = caught.value.result
    assert result.trials >= 6000
    assert rollout(RACE, PipCount(), trials=result.trials, seed=2).estimates == result.estimates
    file.unlink()
    found = rollout(RACE, DyingEvaluator(file), trials=30_000, seed=2, checkpoint=kept)
    assert found.estimates == rollout(RACE, PipCount(), trials=30_000, seed=2).estimates


def test_executor_that_is_shut_down() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(
        RolloutError, match="the executor has failed after 0 of 1,296 trials: cannot schedule"
    ):
        rollout(RACE, pip_count, executor=executor)


@pytest.mark.parametrize("threads", [1, 2])
def test_exceptions_of_evaluators_are_propagated(threads: int) -> None:
    def broken(boards: np.ndarray) -> np.ndarray:
        raise LookupError("no weights")

    with pytest.raises(LookupError, match="no weights") as caught:
        rollout(START, broken, trials=2000, threads=threads)
    assert any(entry.name == "broken" for entry in caught.traceback)


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda n: np.zeros((n, 4)), r"returned shape \(\d+, 4\) for \d+ boards; expected"),
        (lambda n: np.zeros(n + 1), r"returned shape"),
        (lambda n: 0.5, r"returned shape \(\)"),
        (lambda n: np.full(n, np.nan), r"returned .*nan.* for board 0; expected finite numbers"),
        (lambda n: np.where(np.arange(n) == 2, np.inf, 0.0), "for board 2; expected finite"),
        (lambda n: np.full((n, 5), 1.5), r"for board 0; expected probabilities"),
        (lambda n: ["?"] * n, "expected numbers"),
        (lambda n: None, "returned"),
    ],
)
def test_invalid_evaluations_are_refused(returned: Callable[[int], Any], message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        rollout(START, lambda boards: returned(len(boards)), trials=36)


def test_evaluators_never_get_finished_games() -> None:
    def strict(boards: np.ndarray) -> np.ndarray:
        assert not bgfast.results(boards).any()
        assert len(boards)
        return pip_count(boards)

    rollout(RACE, strict, trials=72, variance_reduction=True)
    rollout(ENDING, strict, trials=72, truncate=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": 0}, "trials is 0; expected a whole number from 2"),
        ({"trials": 1.5}, "trials is 1.5"),
        ({"truncate": 0}, "truncate is 0; expected a whole number from 1"),
        ({"seed": -1}, "seed is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"rules": 5}, "rules is"),
        ({"policy": 3}, "policy is 3; expected a callable"),
        ({"evaluator": None}, "evaluator is None; expected a callable"),
        ({"luck_evaluator": pip_count}, "luck_evaluator is set and variance_reduction is False"),
        ({"evaluator": Pubeval(), "truncate": 3}, "Pubeval's values are not in points"),
        ({"evaluator": Pubeval(), "variance_reduction": True}, "Pubeval's values are not in points"),
        ({"executor": 5}, "executor is 5; expected a concurrent.futures.Executor"),
        ({"progress": 5}, "progress is 5; expected None, or what can be called with the fraction"),
        ({"checkpoint": 5}, "checkpoint is 5; expected the path of a file"),
        ({"checkpoint": b"x"}, "checkpoint is b'x'; expected the path of a file"),
        ({"checkpoint": "a\0b"}, r"checkpoint is 'a\\x00b'; expected the path of a file"),
        ({"stop": 3}, "stop is 3; expected a mapping"),
        ({"stop": {}}, "stop is"),
        ({"stop": {"time": 3}}, "stop is .*; expected a mapping with 'standard_error', 'settled' or 'sec"),
        ({"stop": {"seconds": 0}}, "stop: seconds is 0; expected a number greater than 0"),
    ],
)
def test_invalid_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    arguments = {"evaluator": PipCount(), "trials": 36, **change}
    with pytest.raises(BgfastError, match=message):
        rollout(RACE, arguments.pop("evaluator"), **arguments)


def test_positions_that_cannot_be_rolled_out() -> None:
    finished = Position.from_array([0] * 24 + [-1, 0])
    for given, message in (
        (finished, "the game is over"),
        ([], r"\[\] cannot be rolled out"),
        (7, "7 cannot be rolled out; expected a Position, a Play, text, or several"),
        ([7], "7 cannot be rolled out; expected a Position, a Play, or the text of a position"),
        ([START, Position.hypergammon()], "different numbers of checkers"),
    ):
        with pytest.raises(InvalidPositionError, match=message):
            rollout(given, Random())


def test_ctrl_c_keeps_finished_trials() -> None:
    run = Rollout(START, Random(), RolloutOptions(trials=10**8))
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in run.play(threads=2):
            pass
    timer.join()
    assert run.result().trials >= 1296


def test_chains() -> None:
    class Covers:
        def __init__(self, value: float) -> None:
            self.value = value

        def covers(self, boards: np.ndarray) -> np.ndarray:
            return boards[:, 1] > 0

        def __call__(self, boards: np.ndarray) -> np.ndarray:
            assert self.covers(boards).all()
            return np.full(len(boards), self.value)

    boards = bgfast.random_positions(100, 3)
    result = Chain(Covers(0.25), pip_count)(boards)
    inside = boards[:, 1] > 0
    assert (result[inside] == 0.25).all()
    assert np.array_equal(result[~inside], pip_count(boards[~inside]))
    assert len(Chain(pip_count)(boards[:0])) == 0
    for evaluators, message in (
        ((), "a chain has no evaluators"),
        ((pip_count, pip_count), "evaluator 0 of a chain has no method covers"),
        ((3,), "evaluator 0 is 3; expected a callable"),
    ):
        with pytest.raises(BgfastError, match=message):
            Chain(*evaluators)
    with pytest.raises(BgfastError, match="expected the same shape"):
        Chain(Covers(0.25), five)(boards)


@pytest.mark.parametrize("settings", [{}, {"truncate": 1}], ids=str)
def test_a_play_that_ends_the_game_counts_what_it_wins(settings: dict[str, Any]) -> None:
    """Two checkers on low points go off; of three one stays, and the opponent may finish first."""
    board = np.zeros(26, np.int8)
    board[[1, 2]], board[24] = 1, -1
    (ends,) = Position.from_array(board).plays((6, 5))
    board[3] = 1
    (stays,) = Position.from_array(board).plays((6, 5))
    result = rollout([stays, ends], five, trials=72, **settings)
    best, other = result.estimates
    assert (best.equity, best.equity_se, best.points, best.longest) == (1, 0, {1: 72}, 0)
    assert best.probabilities == (1, 0, 0, 0, 0)
    assert (other.equity, other.points) == (-1, {-1: 72}) or settings
    with pytest.raises(InvalidPositionError, match="the game is over"):
        rollout([ends], five)


def test_plays_of_any_kind_are_candidates() -> None:
    plays = START.plays((6, 6))
    assert isinstance(plays[0], Play)
    assert len(rollout(plays, Random(), trials=36).estimates) == len(plays)


class RecordingExecutor(ThreadPoolExecutor):
    """Threads that are handed pickled jobs as other processes are, and the blocks that they were handed."""

    def __init__(self) -> None:
        super().__init__(2)
        self.calls: list[tuple[Any, ...]] = []

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Any:
        self.calls.append(args)
        return super().submit(fn, *args, **options)


def test_executors_get_few_blocks_and_the_job_once() -> None:
    network, trials = bgfast.Network.random(32, seed=1), 10 * rollout_trials.BLOCK
    with RecordingExecutor() as executor:
        found = rollout(START, network, trials=trials, truncate=1, executor=executor)
    assert found.estimates == rollout(START, network, trials=trials, truncate=1).estimates
    sizes = [last - first for _, first, last, _ in executor.calls]
    assert sum(sizes) == trials
    assert len(sizes) < 40  # 70 when many small ones waited
    assert {type(job) for job, *_ in executor.calls} == {bytes}
    assert len({id(job) for job, *_ in executor.calls}) == 1
    assert 1 not in sizes
