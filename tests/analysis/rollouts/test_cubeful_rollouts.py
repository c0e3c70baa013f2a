"""Cubeful rollouts: compiled games compared with lockstep games and exact values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

import bgfast
from bgfast import BgfastError, Decision, Network, Position, rollout
from bgfast.analysis.rollouts import trials as rollout_trials
from bgfast.analysis.rollouts._turns import MAX_DOUBLES
from bgfast.analysis.rollouts.candidates import CubeUse, RolloutOptions
from bgfast.analysis.rollouts.estimates import cube_verdict, standard_errors
from bgfast.analysis.rollouts.result import CubeVerdict, Estimate
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.common.validation import Boards
from bgfast.evaluators import Bearoff, Lookahead, PipCount, Pubeval
from bgfast.rollouts import RolloutResult
from tests.support.cubeful_games import EVALUATOR, MODEL, branch_equities, opaque_evaluator, random_bearoffs
from tests.support.journals import rewrite
from tests.support.lockstep_games import actions_of, compare_with_lockstep
from tests.support.reference_cube import KAZAROSS, Game, Match, Money, emg
from tests.support.rollouts import RACE, five_probabilities

START = Position.start()
NETWORK = Network.builtin_fast()
BEAROFF = Position.from_array([0, 3, 0, 2, 1] + [0] * 16 + [-1, -2, 0, -1, 0])
HOLDING = Decision.read("XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:0:0:10").position
COUNTS = pytest.mark.parametrize(
    "count", [5, pytest.param(80, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.long)]
)
CONTEXTS: list[dict[str, Any]] = [
    {},
    {"jacoby": True, "beaver": True},
    {"cube": 2, "cube_owner": 1},
    {"cube": 4, "cube_owner": -1},
    {"match_length": 5, "score": (3, 1)},
    {"match_length": 3, "score": (0, 2)},  # after the Crawford game
]


def play_both_ways(candidates: Any, first: int, last: int, **settings: Any) -> rollout_trials.Block:
    """Compare trials of compiled games with lockstep games; return the compiled block."""
    job, core, games = compare_with_lockstep(candidates, first, last, **settings)
    assert core.adjusted.shape == games.adjusted.shape == (*core.points.shape, 7)
    assert np.isfinite(core.adjusted).all()
    # Rounding may change the best play of a roll, and hence the luck.
    tolerance = 0.1 if job.luck_evaluator is not None else 1e-6
    assert np.abs(core.adjusted - games.adjusted).max() < tolerance
    assert np.abs((core.adjusted - games.adjusted).mean(axis=1)).max() < max(1e-6, tolerance / 10)
    return core


@pytest.mark.parametrize("context", CONTEXTS, ids=str)
def test_compiled_games_equal_lockstep_games(context: dict[str, Any]) -> None:
    for position, settings in (
        (HOLDING, {"truncate": 3}),
        (RACE, {}),
        (BEAROFF, {"truncate": 4, "variance_reduction": True}),
        (HOLDING, {"truncate": 4, "variance_reduction": True}),
    ):
        decision = Decision(position=position, **context)
        play_both_ways(decision, 30, 42, seed=3, **settings)
        play_both_ways(replace(decision, dice=(6, 1)), 30, 33, seed=3, **settings)


def test_cached_board_without_cube_action_is_not_reused() -> None:
    """Both players dance; the player without a cube action on the first ply doubles on the third."""
    decision = Decision.read("XGID=aBBBBB-BB----c---a-b-bbbbA:0:0:1:00:0:0:0:0:10")
    play_both_ways(decision, 0, 36, seed=3, truncate=4, variance_reduction=True)


def test_compared_games_contain_doubles_and_drops() -> None:
    job = Rollout(Decision(position=RACE), NETWORK).job
    block = rollout_trials.play_block(job, 0, 36)
    cube_values = np.abs(block.adjusted[..., 6])
    assert set(np.unique(cube_values)) >= {1.0, 2.0, 4.0}
    is_dropped = (block.adjusted[..., 0] != 0) & (block.adjusted[..., 0] != 1)
    assert 0.1 < is_dropped.mean() < 0.9
    assert (block.points[is_dropped] != 0).all()


# ---- exact values ----

GAMES: dict[str, tuple[Game, dict[str, Any]]] = {
    "money": (Money(), {}),
    "money, owned": (Money(), {"cube": 2, "cube_owner": 1}),
    "beavers": (Money(beavers=True), {"beaver": True}),
    "3-away, 4-away": (Match(KAZAROSS, (3, 4)), {"match_length": 7, "score": (4, 3)}),
    "5-away, 4-away, owned": (
        Match(KAZAROSS, (5, 4)),
        {"match_length": 5, "score": (0, 1), "cube": 2, "cube_owner": 1},
    ),
    "post-Crawford": (Match(KAZAROSS, (3, 1), "after"), {"match_length": 5, "score": (2, 4)}),
}


def branch_errors(
    board: tuple[int, ...], game: Game, context: dict[str, Any], trials: int = 1296, **settings: Any
) -> list[float]:
    """Return the differences of both branches from exact values, in standard errors."""
    cube = context.get("cube", 1)
    owner = "owned" if context.get("cube_owner") else "centred"
    equities = branch_equities(board, game, cube, owner)
    evaluator = EVALUATOR if isinstance(game, Match) else opaque_evaluator
    decision = Decision(position=Position.from_array(board), **context)
    result = rollout(decision, evaluator=evaluator, trials=trials, efficiency=MODEL, **settings)
    errors = []
    for value, estimate, standard_error in (
        (equities.no_double, result.cube.no_double, result.cube.no_double_se),
        (equities.double_take, result.cube.double_take, result.cube.double_take_se),
    ):
        expected = emg(game, value, cube) if isinstance(game, Match) else value / cube
        errors.append(abs(estimate - expected) / max(standard_error, 1e-3))
    return errors


@COUNTS
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_bearoffs_agree_with_recursion(game: tuple[Game, dict[str, Any]], count: int) -> None:
    max_checkers = 2 if count < 80 else 3
    errors = np.array([branch_errors(board, *game) for board in random_bearoffs(count, max_checkers, 5)])
    assert (errors < 3).mean() > 0.99
    assert np.mean(errors**2) < (2 if count < 80 else 1.3)


@COUNTS
@pytest.mark.parametrize("owner", [0, 1], ids=["centred", "owned"])
def test_bearoffs_agree_with_exact_tables(owner: int, count: int) -> None:
    for board in random_bearoffs(count, 4, seed=9):
        decision = Decision(position=Position.from_array(board), cube=2 if owner else 1, cube_owner=owner)
        exact_equity = Bearoff().cubeful_equities([board])[0, 0 if owner else 1]
        result = rollout(decision, evaluator=EVALUATOR, trials=1296).cube
        double = min((result.double_take, result.double_take_se), (1.0, 0.0))
        estimate, standard_error = max((result.no_double, result.no_double_se), double)
        assert abs(estimate - exact_equity) < 3 * max(standard_error, 2e-3)


@pytest.mark.parametrize("owner", [0, 1], ids=["centred", "owned"])
def test_exact_tables_decide_covered_positions(owner: int) -> None:
    """The sample includes doubles on which the formula and the tables disagree."""
    states = CubeUse(
        Decision(position=START, cube=1 + owner, cube_owner=owner), EVALUATOR, (), "gnubg", None
    ).states()
    boards = np.array(random_bearoffs(300, 4, seed=2), np.int8)
    chances = np.column_stack((EVALUATOR(boards), np.zeros(len(boards))))
    start_states = np.zeros(len(boards), np.int32)
    exact_equities = Bearoff().doubling_equities(boards)
    no_double, double_take = exact_equities[:, 1 - owner], exact_equities[:, 2]
    proper_states = np.where(
        np.minimum(double_take, 1) <= no_double, 0, np.where(double_take > 1, -1, states.after_double(0))
    )
    next_states, equities = actions_of(states, boards, chances, start_states)
    assert np.array_equal(next_states, proper_states)
    assert equities == pytest.approx(np.maximum(no_double, np.minimum(double_take, 1)))
    assert (actions_of(states, boards, chances, start_states, use_tables=False)[0] != proper_states).any()
    uncovered_boards = boards.copy()
    uncovered_boards[:, 1] += 6  # the tables do not cover so many checkers
    uncovered_states, _ = actions_of(states, uncovered_boards, chances, start_states)
    assert not np.array_equal(uncovered_states, next_states)
    formula_states, _ = actions_of(states, uncovered_boards, chances, start_states, use_tables=False)
    assert np.array_equal(uncovered_states, formula_states)


def test_formula_agrees_with_cube_actions() -> None:
    """The formula uses the cube efficiencies before and after the double."""
    decision = Decision(position=START)
    states = CubeUse(decision, NETWORK, (), "bgfast", None).states()
    boards = bgfast.random_positions(120, seed=8)
    chances = np.column_stack((NETWORK(boards), np.zeros(len(boards)))).astype(np.float64)
    next_states, equities = actions_of(states, boards, chances, np.zeros(len(boards), np.int32))
    for row, board in enumerate(boards):
        expected = bgfast.cube.cube_actions(
            chances[row, :5], replace(decision, position=Position.from_array(board))
        )
        assert equities[row] == pytest.approx(expected.best)
        doubled_state = -1 if expected.answers == "drop" else states.after_double(0)
        assert next_states[row] == (doubled_state if expected.cost_double == 0 else 0)
    assert len(set(next_states.tolist())) == 3


def test_a_correct_double_may_be_beavered() -> None:
    """Under the Jacoby rule the trailer may double to make gammons count."""
    decision = Decision(position=Position.from_array([0, 2] + [0] * 22 + [-2, 0]), jacoby=True, beaver=True)
    states = CubeUse(decision, NETWORK, (), "bgfast", None).states()
    boards, chances = decision.position.to_array()[None], np.array([[0.3, 0.25, 0.25, 0, 0, 0.0]])
    expected = bgfast.cube.cube_actions(chances[0, :5], decision)
    assert expected.words == "Double, beaver"
    ((state,), (value,)) = actions_of(states, boards, chances, np.zeros(1, np.int32))
    assert value == pytest.approx(expected.double_beaver)
    assert (states.stakes(state).of_points(1), states.stakes(state).owner) == (4, -1)


def test_tables_exclude_gammons_and_cube_limits() -> None:
    boards = np.array([[0, 1, 1, 1] + [0] * 18 + [-1, -1, -1, 0]], np.int8)
    chances, start_states = np.array([[0.7, 0.1, 0, 0, 0, 0.0]]), np.zeros(1, np.int32)
    decision = Decision(position=START)
    for other_decision, checkers in ((decision, 3), (replace(decision, max_cube=2), 15)):
        states = CubeUse(other_decision, EVALUATOR, (), "bgfast", None, checkers).states()
        results = [
            actions_of(states, boards, chances, start_states, use_tables=use_tables)
            for use_tables in (True, False)
        ]
        assert results[0][1] == results[1][1]
    states = CubeUse(decision, EVALUATOR, (), "bgfast", None).states()
    _, table_equities = actions_of(states, boards, chances, start_states)
    _, formula_equities = actions_of(states, boards, chances, start_states, use_tables=False)
    assert table_equities != formula_equities


def test_luck_has_mean_zero() -> None:
    settings: dict[str, Any] = {"trials": 216, "variance_reduction": True, "quasi_random": False}
    errors = np.array(
        [branch_errors(board, Money(), {}, **settings) for board in random_bearoffs(8, 3, seed=6)]
    )
    assert errors.max() < 3.5
    assert np.mean(errors**2) < 2


def test_variance_reduction_includes_the_cube() -> None:
    """Variance reduction also lowers the standard error in games that end with a drop."""
    decision = Decision(position=HOLDING)
    plain_estimate, reduced_estimate = (
        rollout(
            decision, evaluator=NETWORK, trials=72, quasi_random=False, variance_reduction=is_reduced
        ).estimates[0]
        for is_reduced in (False, True)
    )
    assert reduced_estimate.equity_se < 0.35 * plain_estimate.equity_se


# ---- consequences of the rules ----


def test_dead_cube_equals_no_cube() -> None:
    decision = Decision(position=HOLDING, cube=2, max_cube=2, dice=(6, 1))
    result = rollout(decision, evaluator=NETWORK, trials=72)
    cubeless_result = rollout(decision, evaluator=NETWORK, trials=72, cubeless=True)
    for cubeful, cubeless in zip(result.estimates, cubeless_result.estimates, strict=True):
        assert (cubeful.name, cubeful.points) == (cubeless.name, cubeless.points)
        assert cubeful.probabilities == cubeless.probabilities
        assert cubeful.equity == pytest.approx(cubeful.cubeless_equity) == pytest.approx(cubeless.equity)
    assert cubeless_result.conditions == "cubeless, money; cube and score ignored"
    assert result.conditions.startswith("cubeful, money; cube 2, centred")


def test_illegal_double_leaves_one_candidate() -> None:
    for context in (
        {"match_length": 3, "score": (2, 0), "crawford": True},
        {"match_length": 3, "score": (1, 1), "cube": 2, "cube_owner": 1},
        {"cube": 2, "cube_owner": -1},
        {"cube": 64, "max_cube": 64, "cube_owner": 1},
    ):
        result = rollout(Decision(position=RACE, **context), evaluator=NETWORK, trials=2)
        assert [estimate.name for estimate in result.estimates] == [RACE.gnubg_id]
        assert result.cube is None


def test_results_do_not_depend_on_the_colour() -> None:
    xgid = "-a-B--E-B-a-dDB--b-bcb----:1:1:1:61:3:1:0:5:10"
    decision = Decision.read(xgid)
    mirrored_decision = Decision.read(bgfast.Decision(**{**vars(decision), "turn": -1}).xgid)
    assert mirrored_decision.turn == -1
    estimates, mirrored_estimates = (
        rollout(item, evaluator=NETWORK, trials=36).estimates for item in (decision, mirrored_decision)
    )
    assert estimates == mirrored_estimates


def test_play_and_its_position_have_opposite_equities() -> None:
    """After the play and in its position the same player is on roll and may double."""
    decision = Decision(position=RACE, match_length=5, score=(3, 1))
    play = next(iter(RACE.plays((6, 1))))
    reply = Decision(position=play.position, match_length=5, score=(1, 3))
    play_estimate = rollout([play], evaluator=NETWORK, trials=72, context=decision).best
    reply_estimate = rollout([play.position] * 2, evaluator=NETWORK, trials=72, context=reply).best
    assert play_estimate.mwc == pytest.approx(1 - reply_estimate.mwc)
    assert play_estimate.equity == pytest.approx(-reply_estimate.equity)


def favourite_evaluator(boards: Boards) -> npt.NDArray[np.float64]:
    """Return 75 % wins for the player on roll: double and take are always correct."""
    return np.tile([0.75, 0.0, 0.0, 0.0, 0.0], (len(boards), 1))


def test_number_of_doubles_is_limited() -> None:
    result = rollout(Decision(position=RACE), evaluator=favourite_evaluator, trials=4)
    job = Rollout(Decision(position=RACE), favourite_evaluator).job
    block = rollout_trials.play_block(job, 0, 8)
    assert set(np.unique(np.abs(block.adjusted[0, :, 6]))) == {2.0**MAX_DOUBLES}
    assert result.settings["cube"]["most_doubles"] == MAX_DOUBLES == 6


# ---- candidates and evaluators ----


def test_inputs_with_cube_and_score_are_cubeful() -> None:
    def roll_out(candidates: Any, context: Decision | None = None) -> RolloutResult:
        return rollout(candidates, evaluator=NETWORK, trials=2, context=context)

    def names(result: RolloutResult) -> set[str]:
        return {estimate.name for estimate in result.estimates}

    text = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:0:0:0:0:10"
    for result in (roll_out(text), roll_out(Decision.read(text)), roll_out(HOLDING, Decision.read(text))):
        assert names(result) == {"no double", "double, take"}
        assert result.conditions.startswith("cubeful, money; cube 1, centred")
    for result in map(roll_out, (HOLDING, "start", HOLDING.to_array())):
        assert names(result) == {"no double", "double, take"}
        assert result.conditions.startswith("cubeful, money; cube 1, centred")
    assert len(names(roll_out([HOLDING, START]))) == 2
    assert len(rollout("start", (3, 1), trials=2, truncate=1).estimates) == 16
    result = rollout(HOLDING, evaluator="pip-count", trials=2)
    assert result.conditions == "cubeless, money; pip-count returns no probabilities, which the cube needs"
    assert "cube" not in result.settings
    assert result.best.cubeless_equity is None
    owned_result = roll_out(Decision(position=HOLDING, cube=2, cube_owner=1))
    assert names(owned_result) == {"no redouble", "redouble, take"}
    play_result = roll_out(text.replace(":00:", ":61:"))
    assert len(play_result.estimates) == len(HOLDING.plays((6, 1)))
    assert play_result.cube is None


def test_answers_to_doubles_are_rolled_out_as_doubles() -> None:
    double = Decision(position=HOLDING, match_length=7, score=(2, 3))
    answer = replace(double, offer="double")
    expected = rollout(double, evaluator=NETWORK, trials=36)
    for candidates, context in ((answer, None), (answer.xgid, None), (HOLDING, answer)):
        result = rollout(candidates, evaluator=NETWORK, trials=36, context=context)
        assert (result.estimates, result.cube) == (expected.estimates, expected.cube)


@pytest.mark.parametrize("offer", ["beaver", "raccoon"])
def test_answers_to_beavers_are_rolled_out_as_doubles(offer: Literal["beaver", "raccoon"]) -> None:
    double = Decision(position=HOLDING, beaver=True)
    expected = rollout(double, evaluator=NETWORK, trials=36)
    result = rollout(replace(double, offer=offer), evaluator=NETWORK, trials=36)
    assert (result.estimates, result.cube) == (expected.estimates, expected.cube)
    assert f"answer to a beaver: {result.cube.beaver_answer}" in str(result)
    assert RolloutResult.from_json(result.to_json()) == result


def test_rules_and_maximum_cubes_exclude_beavers() -> None:
    decision = Decision(position=HOLDING, beaver=True, max_cube=8)
    assert len(rollout(decision, evaluator=NETWORK, trials=2, cubeless=True).estimates) == 1
    for other in (replace(decision, max_cube=2), replace(decision, cube=8), replace(decision, beaver=False)):
        result = rollout(other, evaluator=NETWORK, trials=2)
        assert result.cube is None or result.cube.double_beaver is None


def test_candidates_may_differ_in_position_or_in_an_unused_cube() -> None:
    decision = Decision(position=HOLDING)
    for other_decision, cubeless in (
        (replace(decision, position=RACE), False),
        (replace(decision, cube=2), True),
    ):
        result = rollout([decision, other_decision], evaluator=NETWORK, trials=2, cubeless=cubeless)
        assert len(result.estimates) == 2


def test_cubeless_rollouts_need_only_equities() -> None:
    for settings in ({"policy": Pubeval()}, {"policy": PipCount(), "truncate": 3}):
        result = rollout(Decision(position=RACE), evaluator=NETWORK, trials=2, cubeless=True, **settings)
        assert result.trials == 2


def test_search_policy_decides_the_cube_statically() -> None:
    job = Rollout(Decision(position=RACE), Lookahead(NETWORK, ply=1)).job
    assert job.cube.evaluator == NETWORK
    assert job.in_core


def test_cube_decisions_come_from_the_evaluator_and_not_the_policy() -> None:
    def even_evaluator(boards: Boards) -> npt.NDArray[np.float64]:
        """Return even chances, with which nobody doubles."""
        return np.tile([0.5, 0.0, 0.0, 0.0, 0.0], (len(boards), 1))

    even_result, network_result = (
        rollout(Decision(position=RACE), evaluator=evaluator, policy=NETWORK, trials=72)
        for evaluator in (even_evaluator, NETWORK)
    )
    no_double = {estimate.name: estimate for estimate in even_result}["no double"]
    assert no_double.equity == no_double.cubeless_equity
    assert {estimate.name: estimate for estimate in network_result}["no double"].equity != no_double.equity


def test_external_evaluators_use_the_cube() -> None:
    result = rollout(Decision(position=RACE), evaluator=five_probabilities, trials=36)
    assert result.cube is not None
    assert result.evaluator_share > 0


def test_external_evaluators_never_get_finished_games() -> None:
    decision = Decision(position=Position.from_array([0, 1] + [0] * 22 + [-1, 0]))
    for settings in ({}, {"variance_reduction": True}):
        result = rollout(decision, evaluator=five_probabilities, trials=4, **settings)
        assert {round(estimate.equity, 12) for estimate in result.estimates} == {1.0, 2.0}


# ---- reproducibility ----

DECISION = Decision(position=RACE, match_length=7, score=(2, 4))


@pytest.mark.parametrize("settings", [{}, {"variance_reduction": True, "truncate": 5}], ids=str)
def test_threads_and_checkpoints_change_nothing(settings: dict[str, Any], tmp_path: Path) -> None:
    expected = rollout(DECISION, evaluator=NETWORK, trials=60, seed=6, **settings)
    result = rollout(DECISION, evaluator=NETWORK, trials=60, seed=6, threads=3, **settings)
    assert result.estimates == expected.estimates
    file = tmp_path / "checkpoint"
    rollout(DECISION, evaluator=NETWORK, trials=29, seed=6, checkpoint=file, **settings)
    run = Rollout(DECISION, NETWORK, RolloutOptions(trials=60, seed=6, **settings))
    list(run.play(checkpoint=file))
    assert run.resumed == 29
    assert run.result().estimates == expected.estimates
    assert run.result().cube == expected.cube


def test_checkpoint_with_another_cube_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    rollout(DECISION, evaluator=NETWORK, trials=4, checkpoint=file)
    content = file.read_bytes()
    for change in (
        {"cubeless": True},
        {"efficiency": "gnubg"},
        {"decision": Decision(position=RACE, match_length=7, score=(4, 2))},
        {"decision": Decision(position=RACE)},
    ):
        decision = change.pop("decision", DECISION)
        with pytest.raises(BgfastError, match="belongs to another rollout"):
            rollout(decision, evaluator=NETWORK, trials=4, checkpoint=file, **change)
    assert file.read_bytes() == content


def test_checkpoint_with_impossible_values_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    rollout(DECISION, evaluator=NETWORK, trials=4, checkpoint=file)
    for value in (1.5, -0.5, None, "1"):

        def change(lines: list[dict[str, Any]], value: Any = value) -> None:
            lines[1]["adjusted"][0][0][6] = value

        rewrite(file, change)
        with pytest.raises(BgfastError, match="adjusted are not"):
            rollout(DECISION, evaluator=NETWORK, trials=4, checkpoint=file)


# ---- results ----


def test_result_and_json_are_complete() -> None:
    result = rollout(DECISION, evaluator=NETWORK, trials=72)
    estimates = {estimate.name: estimate for estimate in result.estimates}
    assert result.cube.no_double == estimates["no double"].equity
    assert result.cube.double_take == estimates["double, take"].equity
    assert result.cube.double_drop == 1
    difference = abs(result.cube.no_double - result.cube.double_take)
    assert result.estimates[1].difference == pytest.approx(-difference)
    assert RolloutResult.from_json(result.to_json()) == result
    content = result.to_dict()["cube"]
    assert content["proper_action"] == result.cube.actions.words
    assert content["too_close"] is result.cube.too_close
    lines = str(result).splitlines()
    assert lines[0].split() == "equity ± 95 % mwc ± 95 % win win g win bg lose g lose bg".split()
    assert lines[4].startswith(f"{result.cube.actions.words}; ")
    assert lines[-2].startswith("cubeful, match to 7, X 5 away, O 3 away; cube 1, centred")
    assert result.cube.actions.words in result._repr_html_()
    row = result.rows()[0]
    assert row["mwc"] == result.best.mwc
    assert row["cubeless_equity"] == result.best.cubeless_equity
    for text in (
        result.to_json().replace('"redouble": false', '"redouble": 0'),
        result.to_json().replace('"double_drop": 1.0', '"double_drop": null'),
        result.to_json().replace('"too_close"', '"close"'),
    ):
        assert text != result.to_json()
        with pytest.raises(BgfastError, match="is not a rollout"):
            RolloutResult.from_json(text)


def estimate(equity: float, gap: float = 0.0) -> Estimate:
    return Estimate("", "", equity, 0.02, None, None, {}, 1.0, 1, -gap, 0.01 if gap else 0.0)


VERDICTS = [
    (0.6, 0.7, None, "Double, take", -0.1),
    (0.6, 0.5, None, "No double, take", 0.1),
    (0.9, 1.2, None, "Double, drop", -0.1),
    (1.1, 1.4, None, "Too good to double, drop", 0.1),
    (-0.2, -0.1, -0.2, "Optional double, beaver", 0.0),
]


def test_verdicts_have_the_difference_from_the_best_answer() -> None:
    for no_double, double_take, beaver, action, difference in VERDICTS:
        gap = abs(no_double - double_take)
        result = cube_verdict(
            estimate(no_double), estimate(double_take, gap), redouble=False, beavers=beaver is not None
        )
        assert result.actions.words == action
        assert result.difference == pytest.approx(difference, abs=1e-12)
        expected_se = 0.02 if "drop" in action else 0.01
        if beaver is not None:  # the take counts twice in the variance
            expected_se = (2 * 0.01**2 - 0.02**2 + 2 * 0.02**2) ** 0.5
        assert result.difference_se == pytest.approx(expected_se)


def test_verdicts_have_the_best_answer_to_a_beaver() -> None:
    answers = (-1.1, -2, "drop"), (-0.9, -1.8, "take"), (0.1, 0.2, "raccoon"), (2.1, 4.2, "take")
    for take_equity, beaver_equity, answer in answers:
        no_double, double_take = estimate(-0.3), estimate(take_equity, 0.1)
        verdict = cube_verdict(no_double, double_take, redouble=False, beavers=True)
        assert (verdict.double_beaver, verdict.beaver_answer) == (pytest.approx(beaver_equity), answer)
        # The value of a dropped beaver is exact: only no double has a standard error.
        assert answer != "drop" or verdict.difference_se == no_double.equity_se
        assert cube_verdict(no_double, double_take, redouble=False, beavers=False).beaver_answer is None


def test_the_standard_error_of_a_beaver_follows_from_three_errors() -> None:
    """The error of n - 2t follows from the errors of n, t and n - t."""
    take, noise = np.random.default_rng(1).normal(size=(2, 400))
    no_double = 0.5 * take + noise
    gap_variance, no_double_variance, take_variance, expected = (
        float(standard_errors(values[:, None], False)[0]) ** 2
        for values in (no_double - take, no_double, take, no_double - 2 * take)
    )
    assert 2 * gap_variance - no_double_variance + 2 * take_variance == pytest.approx(expected)


# ---- stopping rules ----


def test_settled_decision_stops_the_rollout() -> None:
    decision = Decision(position=BEAROFF)
    result = rollout(decision, evaluator=NETWORK, trials=10**6, stop={"settled": 3})
    assert result.trials == 1296
    assert abs(result.cube.difference) >= 3 * result.cube.difference_se
    plays = list(START.plays((3, 1)))[:2]
    play_result = rollout(plays, evaluator=NETWORK, trials=10**6, truncate=3, stop={"settled": 3})
    assert play_result.trials % 1296 == 0
    assert play_result.trials < 10**6
    assert play_result.estimates[1].difference <= -3 * play_result.estimates[1].difference_se


def test_clear_cube_decisions_are_settled() -> None:
    for no_double, double_take, is_settled in (
        (0.6, 0.8, True),  # double, take
        (0.6, 0.62, False),
        (0.6, 0.4, True),  # no double
        (0.9, 1.02, True),  # double, take or drop
        (1.02, 1.2, False),  # too good or double, drop
        (1.2, 1.0, True),
    ):
        gap = -abs(no_double - double_take)
        estimates = tuple(
            Estimate("", "", 0.0, 0.02, None, None, {}, 1.0, 1, difference, error)
            for difference, error in ((0.0, 0.0), (gap, 0.02))
        )
        verdict = CubeVerdict(no_double, 0.02, double_take, 0.02, 1.0, None, False, 0.0, 0.02)
        assert RolloutResult(estimates, 1296, {"cube": {}}, cube=verdict).settled(3) is is_settled
