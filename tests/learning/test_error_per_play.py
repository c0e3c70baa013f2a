"""Error per play: means by family, their intervals, mistakes, and the difference between two players."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.evaluators import PipCount, Pubeval, Random
from bgfast.learning.contested_decisions import (
    ContestedDecision,
    ContestedDecisions,
    SecondJudgement,
    read_decisions,
)
from bgfast.learning.error_per_play import RunningErrors, error_difference, error_per_play
from tests.support.contested import blot_equity, blot_evaluator, contested_decision, decisions_text
from tests.support.rollouts import unbounded_pip_count

START = Position.start()
RACE = Position.from_array([0] * 4 + [1, 0, 2] + [0] * 11 + [-1, 0, -1] + [0] * 5)
CASES = [(START, (3, 1)), (START, (6, 2)), (RACE, (2, 1)), (START, (5, 4))]
DECISIONS = [contested_decision(position, roll, blot_equity) for position, roll in CASES]


def blot_player(boards: np.ndarray) -> np.ndarray:
    return -blot_evaluator(boards)


def make_dataset(folder: Path, *decisions: ContestedDecision) -> ContestedDecisions:
    path = folder / "contested"
    path.write_text(decisions_text([], decisions), encoding="ascii")
    return read_decisions(path)


def range_of_blots(position: Position, roll: tuple[int, int]) -> int:
    """Return how many more blots the worst play leaves than the best."""
    blot_counts = (position.plays(roll).boards == 1).sum(axis=1)
    return int(blot_counts.max() - blot_counts.min())


def test_a_perfect_player_makes_no_errors(tmp_path: Path) -> None:
    result = error_per_play(blot_evaluator, make_dataset(tmp_path, *DECISIONS), worst=9)
    assert result.overall == (4, 0, 0, 0, 1)
    assert list(result.families) == ["opening", "bear-off"]
    assert result.families["opening"] == (3, 0, 0, 0, 1)
    assert result.families["bear-off"].decisions == 1
    assert result.mistakes == ()
    assert result.losses == (0, 0, 0, 0)


def test_errors_of_an_imperfect_player(tmp_path: Path) -> None:
    losses = [10.0 * range_of_blots(position, roll) for position, roll in CASES]
    result = error_per_play(blot_player, make_dataset(tmp_path, *DECISIONS), worst=2)
    assert result.losses == pytest.approx(losses)
    assert result.overall.millipoints == pytest.approx(np.mean(losses))
    # The standard error follows from the spread of losses; each play but the best has a rollout error of 2.
    assert result.overall.standard_error == pytest.approx(np.std(losses, ddof=1) / 2)
    error_count = np.count_nonzero(losses)
    assert result.overall.rollout_error == pytest.approx(2 * math.sqrt(error_count) / 4)
    assert result.overall.agreed == 1 - error_count / 4
    margin = 1.959964 * np.std(losses, ddof=1) / 2
    assert result.overall.interval == pytest.approx((np.mean(losses) - margin, np.mean(losses) + margin))
    assert result.families["opening"].millipoints == pytest.approx(np.mean([losses[0], losses[1], losses[3]]))
    assert result.families["bear-off"].millipoints == pytest.approx(losses[2])
    assert math.isnan(result.families["bear-off"].standard_error)
    mistake = result.mistakes[0]
    assert len(result.mistakes) == 2
    assert mistake.millipoints == pytest.approx(max(losses))
    assert mistake.standard_error == pytest.approx(2)
    assert (mistake.position, mistake.roll) in CASES
    assert mistake.family == "opening"
    plays = mistake.position.plays(mistake.roll)
    blot_counts = dict(zip([str(play) for play in plays], (plays.boards == 1).sum(axis=1), strict=True))
    assert blot_counts[mistake.played] == max(blot_counts.values())
    assert blot_counts[mistake.best] == min(blot_counts.values())


def test_plays_outside_the_candidates_have_no_rollout_error(tmp_path: Path) -> None:
    decision = contested_decision(START, (6, 2), blot_equity, window=0.01)
    result = error_per_play(blot_player, make_dataset(tmp_path, decision), worst=1)
    assert result.overall.millipoints == pytest.approx(10 * range_of_blots(START, (6, 2)))
    assert result.overall.rollout_error == 0
    assert math.isnan(result.mistakes[0].standard_error)


def test_decisions_on_which_the_judges_differ_are_also_averaged_separately(tmp_path: Path) -> None:
    best, *_, last = DECISIONS[1].candidates
    judgements = (
        SecondJudgement(best.position_id, 36, 0, 0.001),
        SecondJudgement(last.position_id, 36, 0.5, 0.001),
    )
    dataset = make_dataset(tmp_path, DECISIONS[0], DECISIONS[1]._replace(second=judgements), DECISIONS[2])
    result = error_per_play(blot_player, dataset)
    assert result.judges_differ.decisions == 1
    assert result.judges_differ.millipoints == pytest.approx(result.losses[1])
    assert result.overall.decisions == 3
    judges_differ = error_per_play(blot_player, make_dataset(tmp_path, *DECISIONS)).judges_differ
    assert judges_differ.decisions == 0
    assert math.isnan(judges_differ.millipoints)


def test_the_difference_between_two_players_is_paired(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path, *DECISIONS)
    runs = [RunningErrors(player, dataset) for player in (blot_player, PipCount(), blot_evaluator)]
    for run in runs:
        list(run.play())
    losses, other_losses = (np.array(run.result().losses) for run in runs[:2])
    difference = error_difference(*runs[:2])
    assert difference.overall.millipoints == pytest.approx((losses - other_losses).mean())
    assert difference.overall.standard_error == pytest.approx((losses - other_losses).std(ddof=1) / 2)
    is_same_play = runs[0].rows() == runs[1].rows()
    assert difference.overall.agreed == is_same_play.mean()
    assert is_same_play[2]  # pip counts do not distinguish plays
    assert not is_same_play.all()
    # Where the plays differ, the rollout errors of both count.
    errors = np.where(is_same_play, 0, np.hypot(2 * (losses > 0), 2 * (other_losses > 0)))
    assert difference.overall.rollout_error == pytest.approx(math.hypot(*errors) / 4)
    assert difference.families["opening"].decisions == 3
    self_difference = error_difference(runs[0], runs[0])
    assert self_difference.overall == (4, 0, 0, 0, 1)
    assert error_difference(runs[0], runs[2]).overall.millipoints == pytest.approx(losses.mean())


def test_differences_use_only_common_decisions(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path, *DECISIONS)
    complete_run, unstarted_run = RunningErrors(blot_player, dataset), RunningErrors(blot_evaluator, dataset)
    list(complete_run.play())
    assert error_difference(complete_run, unstarted_run).overall.decisions == 0
    other_run = RunningErrors(blot_evaluator, make_dataset(tmp_path, *DECISIONS[:2]))
    with pytest.raises(BgfastError, match="the players have different decisions; expected the same"):
        error_difference(complete_run, other_run)


def test_players_have_plausible_errors_on_the_shipped_decisions() -> None:
    dataset = read_decisions()
    players = [bgfast.Network.builtin(), Pubeval(), PipCount(), Random()]
    builtin, pubeval, pip_count, random_player = [error_per_play(player, dataset) for player in players]
    assert 1 < builtin.overall.millipoints < 10
    assert 30 < pubeval.overall.millipoints < 90
    assert min(pip_count.overall.millipoints, random_player.overall.millipoints) > 150
    assert set(builtin.families) == {decision.family for decision in dataset.decisions}


def test_ctrl_c_leaves_an_intermediate_result() -> None:
    calls = 0

    def player(boards: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return unbounded_pip_count(boards)

    run = RunningErrors(player)
    with pytest.raises(KeyboardInterrupt):
        list(run.play())
    decision_count = run.done
    assert 8 < decision_count < 100
    assert run.result().overall.decisions == decision_count
    fractions = list(run.play())
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert fractions[0] < 0.1
    assert run.result(3).losses == error_per_play(PipCount(), worst=3).losses
    assert RunningErrors(player).result().overall.decisions == 0
