"""Match environments: observations, opponents, errors and rendering."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bgfast
from tests.support.environments import Int8, environments

envs = environments()

from bgfast.learning.environments.opponent_policy import OpponentPolicy  # noqa: E402
from tests.support import match_environments  # noqa: E402
from tests.support.match_environments import (  # noqa: E402
    AWAY,
    AWAY_OPPONENT,
    CUBE,
    NAMES,
    OWNER,
    PHASE,
    PHASES,
    PLAYS,
    ROLL,
    SETTINGS,
    TAKE,
    Replay,
    legal_action,
)

# ---- matches of two agents ----


@pytest.mark.parametrize("case", ["limited", "3", "uneven-3"])
def test_two_agents_play_legal_matches(case: str) -> None:
    env, rng = envs.match_env(**SETTINGS[case]._asdict()), np.random.default_rng(3)
    phases, actions = set(), set()
    row = env.unwrapped._games.table.array[0]
    for seed in range(12):
        env.reset(seed=seed)
        replay, totals = Replay(SETTINGS[case], row), dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observations, reward, ended, _, info = env.last()
            totals[agent] += reward
            match, player = replay.match, int(agent[-1])
            assert observations["observation"].tolist() == replay.observation(player)
            other_view = env.observe(f"player_{1 - player}")
            assert other_view["observation"].tolist() == replay.observation(1 - player)
            assert not other_view["action_mask"].any()
            phases.add(match.phase)
            if ended:
                assert not observations["action_mask"].any()
                env.step(None)
                continue
            assert match.to_act == player
            names = [NAMES[i] for i in np.flatnonzero(observations["action_mask"][PLAYS:])]
            assert names == replay.legal_actions()
            boards = info["successors"].boards
            assert observations["action_mask"][:PLAYS].sum() == len(boards)
            action = legal_action(observations["action_mask"], rng)
            actions.add((player, "play" if action < PLAYS else NAMES[action - PLAYS]))
            env.step(action)
            replay.act(action, boards[action] if action < PLAYS else boards, row)
            assert sum(env.rewards.values()) == 0
        result = replay.match.result
        assert result is not None
        points = 1.0 if SETTINGS[case].length else result.points
        assert totals == {f"player_{result.winner}": points, f"player_{1 - result.winner}": -points}
    assert {"to_roll", "to_play", "doubled", "resigned", "over"} <= phases
    assert {(player, name) for player in (0, 1) for name in ("play", "double", "take", "drop")} <= actions


# ---- the opponent ----


def observe(phase: str, position: bgfast.Position, **values: int) -> Int8:
    row = np.zeros(35, np.int8)
    row[:26], row[PHASE] = position.to_array(), PHASES.index(phase)
    for column, value in values.items():
        row[vars(match_environments)[column]] = value
    return row


def choose_action(opponent: Any, row: Int8, length: int = 0, rules: bgfast.RuleSet = bgfast.STANDARD) -> str:
    actions = OpponentPolicy(opponent, rules, length, 15).choose_actions(row[None], np.random.default_rng(1))
    return str(NAMES[actions[0]])


def test_an_opponent_uses_the_cube_as_cube_decision_does() -> None:
    network = bgfast.Network.builtin_fast()
    rules = bgfast.RuleSet(beavers=True)
    positions = bgfast.random_positions(400, seed=3)
    names = set()
    for board in positions[(bgfast.results(positions) == 0)][:80]:
        position = bgfast.Position.from_array(board)
        for length in (0, 5):
            fields: dict[str, Any] = {"score": (2, 3), "match_length": 5} if length else {"beaver": True}
            away_values = {"AWAY": 3, "AWAY_OPPONENT": 2} if length else {}
            decision = bgfast.Decision(position=position, **fields)
            actions = bgfast.cube.cube_actions(network(board[None]), decision)
            action = "double" if actions.doubles[0] else "roll"
            row = observe("to_roll", position, **away_values)
            assert choose_action(network, row, length, rules) == action
            answer = actions.answers[0] if actions.answers[0] in ("take", "beaver") else "drop"
            offer_values = {"AWAY": 2, "AWAY_OPPONENT": 3} if length else {}
            offer = observe("doubled", position.flip(), **offer_values)
            assert choose_action(network, offer, length, rules) == answer
            names |= {action, answer}
    assert names == {"double", "roll", "take", "drop", "beaver"}


def test_an_opponent_answers_beavers_raccoons_and_resignations() -> None:
    # The mover is far behind.
    position = bgfast.Position.from_array([0] * 6 + [5] + [0] * 6 + [10] + [0] * 9 + [-2] + [0] * 2)
    rules = bgfast.RuleSet(beavers=True)
    for evaluator in (bgfast.Network.builtin_fast(), bgfast.evaluators.PipCount()):
        # The player on turn, who has doubled, answers the beaver.
        assert choose_action(evaluator, observe("beavered", position), 0, rules) == "drop"
        assert choose_action(evaluator, observe("beavered", position.flip()), 0, rules) == "take"
        # The opponent of the player on turn answers the raccoon.
        assert choose_action(evaluator, observe("raccooned", position), 0, rules) == "drop"
        assert choose_action(evaluator, observe("raccooned", position.flip()), 0, rules) == "take"
        # A gammon is certain; a backgammon is not.
        resignation_rows = [observe("resigned", position.flip(), RESIGNATION=level) for level in (1, 2, 3)]
        refuse, accept = "refuse_resignation", "accept_resignation"
        assert [choose_action(evaluator, row) for row in resignation_rows] == [refuse, accept, accept]
    # Under the Jacoby rule, a gammon counts as a single game until a double is taken.
    jacoby = bgfast.RuleSet(jacoby=True)
    network = bgfast.Network.builtin_fast()
    assert choose_action(network, resignation_rows[0], 0, jacoby) == "accept_resignation"
    resignation_rows[0][[CUBE, OWNER]] = 1
    assert choose_action(network, resignation_rows[0], 0, jacoby) == "refuse_resignation"


# ---- bounds, errors, copies and rendering ----


def test_bounds_of_observations() -> None:
    for name in ("Backgammon", "BackgammonMatch"):
        for space in (
            getattr(envs, f"{name}Env")().observation_space,
            getattr(envs, f"{name}VectorEnv")(2).single_observation_space,
            getattr(envs, f"{name}AEC")().observation_space("player_1")["observation"],
        ):
            has_cube = name == "BackgammonMatch"
            assert space.dtype == np.int8
            assert space.low.tolist() == [-15] * 25 + [0] * 3 + [0, -1, 0, 0, 0, 0, 0] * has_cube
            assert space.high.tolist() == [0] + [15] * 25 + [6, 6] + [30, 1, 127, 127, 1, 6, 3] * has_cube


def test_the_longest_match_can_be_played_against_a_network() -> None:
    games = envs.BackgammonMatchVectorEnv(8, bgfast.Network.builtin_fast(), length=127)
    rng = np.random.default_rng(1)
    observations, info = games.reset(seed=1)
    for _ in range(60):
        observations, _, _, _, info = games.step([legal_action(mask, rng) for mask in info["action_mask"]])
    assert observations[:, AWAY].max() > 100


@pytest.mark.parametrize(
    ("name", "options", "penalty"),
    [("Backgammon", {}, -3.0), ("BackgammonMatch", {"length": 3}, -1.0), ("BackgammonMatch", {}, -3.0)],
)
def test_illegal_actions_are_refused_or_lose(name: str, options: dict[str, Any], penalty: float) -> None:
    env = getattr(envs, f"{name}Env")(**options)
    observations, info = env.reset(seed=3)
    play_count = len(info["successors"].boards)
    assert play_count
    for action in (play_count, -1, 3059, ROLL, TAKE, 3071, 1.0, True, None):
        with pytest.raises(bgfast.errors.IllegalActionError, match=re.escape(f"action is {action!r}; ")):
            env.step(action)
    assert not env.step(np.int64(play_count - 1))[2]  # refused actions have changed nothing
    losing_env = getattr(envs, f"{name}Env")(**options, illegal="lose")
    losing_env.reset(seed=3)
    final_row, reward, ended, truncated, info = losing_env.step(play_count)
    assert (reward, ended, truncated) == (penalty, True, False)
    assert (final_row[:26] == observations[:26]).all()
    assert name == "Backgammon" or final_row[PHASE] == PHASES.index("over")
    assert not info["action_mask"].any()
    with pytest.raises(bgfast.errors.IllegalActionError, match="expected reset"):
        losing_env.step(0)
    games = getattr(envs, f"{name}VectorEnv")(4, **options, illegal="lose")
    _, info = games.reset(seed=1)
    first_actions = [int(mask.argmax()) for mask in info["action_mask"]]  # a play or a roll
    _, rewards, ended, _, info = games.step([first_actions[0], TAKE, first_actions[2], -1])
    assert rewards.tolist() == [0, penalty, 0, penalty]
    assert ended.tolist() == info["_final_obs"].tolist() == [False, True, False, True]


@pytest.mark.parametrize("make_copy", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(("name", "options"), [("Backgammon", {}), ("BackgammonMatch", {"length": 3})])
def test_copies_play_identically(name: str, options: dict[str, Any], make_copy: Callable[[Any], Any]) -> None:
    env, agent_env = (getattr(envs, f"{name}{suffix}")(**options) for suffix in ("Env", "AEC"))
    batch = getattr(envs, f"{name}VectorEnv")(50, **options)
    infos = [env.reset(seed=4)[1], batch.reset(seed=4)[1]]
    agent_env.reset(seed=4)
    rng = np.random.default_rng(1)
    for _ in range(5):
        env, original_env = make_copy(env), env
        action = legal_action(infos[0]["action_mask"], rng)
        observations, _, _, _, infos[0] = env.step(action)
        assert (observations == original_env.step(action)[0]).all()
        batch, original_batch = make_copy(batch), batch
        actions = [legal_action(mask, rng) for mask in infos[1]["action_mask"]]
        observations, _, _, _, infos[1] = batch.step(actions)
        assert (observations == original_batch.step(actions)[0]).all()
        agent_env, original_agent_env = make_copy(agent_env), agent_env
        action = legal_action(agent_env.last()[0]["action_mask"], rng)
        agent_env.step(action)
        original_agent_env.step(action)
        assert (agent_env.last()[0]["observation"] == original_agent_env.last()[0]["observation"]).all()


def test_rendered_text_shows_scores_pips_and_offers(capsys: pytest.CaptureFixture[str]) -> None:
    env = envs.BackgammonMatchEnv(length=5, render_mode="ansi")
    assert env.render() is None
    env.reset(seed=2)
    top_line, bottom_line = env.render().splitlines()[1::10]
    assert top_line.endswith("score 0 of 5")
    assert bottom_line.endswith("score 0 of 5")
    games = envs.BackgammonMatchVectorEnv(30, length=5, render_mode="ansi")
    double_count, cube_count = 0, 0
    rng = np.random.default_rng(1)
    _, info = games.reset(seed=2)
    for _ in range(40):
        observations, _, _, _, info = games.step([legal_action(mask, rng) for mask in info["action_mask"]])
        for row, text in zip(observations, games.render(), strict=True):
            phase = PHASES[row[PHASE]]
            # X, at the bottom, is the learner.
            assert f"score {5 - row[AWAY]} of 5" in text.splitlines()[-2]
            assert f"score {5 - row[AWAY_OPPONENT]} of 5" in text.splitlines()[1]
            assert f"X: pips {bgfast.pip_counts(row[None, :26])[0, 0]}," in text.splitlines()[-1]
            assert (phase == "to_play") == ("X to play" in text)
            assert (phase == "doubled") == ("O offers a double" in text)
            double_count += phase == "doubled"
            cube_count += row[CUBE] > 0
    assert double_count > 0
    assert cube_count > 0
    match_env = envs.match_env(length=5, render_mode="ansi")
    match_env.reset(seed=2)
    sides = "XO" if match_env.agent_selection == "player_0" else "OX"
    match_env.step(envs.MAX_PLAYS + NAMES.index("resign_gammon"))
    assert "{} resigns a gammon; {} to answer".format(*sides) in match_env.render()
    match_env.step(envs.MAX_PLAYS + NAMES.index("accept_resignation"))
    assert "score 2 of 5" in match_env.render()
    money_env = envs.match_env(render_mode="ansi")
    money_env.reset(seed=2)
    money_env.step(envs.MAX_PLAYS + NAMES.index("resign_single"))
    money_env.step(envs.MAX_PLAYS + NAMES.index("accept_resignation"))
    assert f"{sides[1]} has won" in money_env.render()
    match_env = envs.match_env(length=5, render_mode="human")
    match_env.reset(seed=2)
    assert capsys.readouterr().out.startswith("+1")


@pytest.mark.parametrize(
    "make_env",
    [
        envs.BackgammonEnv,
        envs.BackgammonMatchEnv,
        lambda: envs.BackgammonVectorEnv(2),
        lambda: envs.BackgammonMatchVectorEnv(2),
        envs.BackgammonAEC,
        envs.BackgammonMatchAEC,
    ],
)
def test_render_without_a_mode_warns(make_env: Any) -> None:
    env = make_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without specifying any render mode") as warnings:
        assert env.render() is None
    assert [warning.filename for warning in warnings] == [__file__]
