"""`BackgammonVectorEnv`: legal games, fair rolls, memory and threads."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import bgfast
from tests.support.environments import (
    GAME_NAMES,
    GAMES,
    PRESET_NAMES,
    PRESETS,
    START,
    environments,
    flipped_board,
    random_play,
)

envs = environments()

from tests.support.match_environments import legal_action  # noqa: E402

ENVS = [envs.BackgammonVectorEnv, partial(envs.BackgammonMatchVectorEnv, length=3)]


def play(games: Any, count: int, seed: int = 1) -> Iterator[tuple[Any, Any, Any]]:
    """Play random actions; yield observations, actions and results of each step."""
    rng = np.random.default_rng(seed)
    observations, info = games.reset(seed=seed)
    for _ in range(count):
        if games.single_observation_space.shape == (28,):
            actions = random_play(info, rng)
        else:
            actions = np.array([legal_action(mask, rng) for mask in info["action_mask"]])
        results = games.step(actions)
        yield (observations, info), actions, results
        observations, info = results[0], results[4]


@pytest.mark.parametrize("opponent", [bgfast.evaluators.Random(), bgfast.evaluators.Pubeval()])
@pytest.mark.parametrize(("rules", "start"), GAMES, ids=GAME_NAMES)
def test_vector_games_are_legal(opponent: Any, rules: bgfast.RuleSet, start: bgfast.Position) -> None:
    games, checkers = envs.BackgammonVectorEnv(40, opponent, rules=rules, start=start), start.checkers
    opening_boards = bgfast.successors(flipped_board(start)[None], "all", rules=rules, flip=True).boards
    opening_boards = opening_boards[bgfast.results(opening_boards, rules, checkers) == 0]
    opening_bytes = {board.tobytes() for board in (*opening_boards, start.to_array())}
    loss_count, win_count, pass_count = 0, 0, 0
    for (observations, info), actions, (next_rows, rewards, ended, truncated, next_info) in play(games, 80):
        assert observations in games.observation_space
        boards, dice = observations[:, :26], observations[:, 26:]
        plays = bgfast.successors(boards, dice, rules=rules, flip=True, passes="keep")
        pass_count += int((bgfast.count_successors(boards, dice, rules=rules) == 0).sum())
        assert (info["successors"].boards == plays.boards).all()
        assert (info["successors"].offsets == plays.offsets).all()
        sizes = np.diff(plays.offsets)
        assert sizes.min() > 0
        assert (info["action_mask"] == (np.arange(3060) < sizes[:, None])).all()
        chosen_boards = plays.boards[plays.offsets[:-1] + actions]
        learner_points = np.abs(bgfast.results(chosen_boards, rules, checkers))
        assert (rewards[learner_points > 0] == learner_points[learner_points > 0]).all()
        assert rewards.dtype == np.float64
        assert (ended == (rewards != 0)).all()
        assert not truncated.any()
        replies = bgfast.successors(chosen_boards, "all", rules=rules, flip=True, passes="keep")
        last_rows = next_info["final_obs"] if ended.any() else next_rows
        if ended.any():
            assert (next_info["_final_obs"] == ended).all()
            assert not last_rows[ended, 26:].any()
            assert not last_rows[~ended].any()
            assert all(board[:26].tobytes() in opening_bytes for board in next_rows[ended])
            assert (bgfast.results(last_rows[ended, :26], rules, checkers) == rewards[ended]).all()
        else:
            assert "final_obs" not in next_info
        for game in range(40):
            board = last_rows[game, :26] if ended[game] else next_rows[game, :26]
            if learner_points[game]:
                assert (bgfast.flip(chosen_boards[game][None]) == board).all()
            else:
                segment = slice(*replies.offsets[[21 * game, 21 * (game + 1)]])
                assert (replies.boards[segment] == board).all(axis=1).any()
        loss_count += int((rewards < 0).sum())
        win_count += int((rewards > 0).sum())
    assert loss_count > 10
    assert pass_count > 100 or start != START
    assert win_count > 10 or opponent != bgfast.evaluators.Random()


def test_rolls_are_fair_and_new_at_each_step() -> None:
    games = envs.BackgammonVectorEnv(500, copy=False)
    rolls = np.array([next_rows[:, 26:] for _, _, (next_rows, *_) in play(games, 60)])
    counts = np.bincount((rolls[..., 0] * 6 + rolls[..., 1]).ravel() - 7, minlength=36)
    expected = rolls.size / 2 / 36
    # About one roll in 50 is the first of a game, where doubles are rarer.
    assert ((counts - expected) ** 2 / expected).sum() < 36 + 6 * 72**0.5
    repeats = [(rolls[ply] == rolls[ply + 1]).all(axis=1).mean() for ply in range(59)]
    assert max(repeats) < 0.08  # 1 / 36 is expected


@pytest.mark.parametrize("rules", PRESETS, ids=PRESET_NAMES)
def test_either_side_begins(rules: bgfast.RuleSet) -> None:
    games = envs.BackgammonVectorEnv(4000, rules=rules)
    observations, _ = games.reset(seed=3)
    learner_begins = (observations[:, :26] == bgfast.Position.start().to_array()).all(axis=1)
    assert abs(learner_begins.mean() - 0.5) < 0.04
    is_double = observations[:, 26] == observations[:, 27]
    assert abs(is_double[~learner_begins].mean() - 1 / 6) < 0.03
    if rules.opening == "colour_lot":
        assert abs(is_double[learner_begins].mean() - 1 / 6) < 0.03
    else:
        assert (observations[learner_begins, 26] > observations[learner_begins, 27]).all()


@pytest.mark.parametrize("make_env", ENVS)
def test_results_do_not_depend_on_threads_or_memory(make_env: Any) -> None:
    options: list[dict[str, Any]] = [{}, {"threads": 2}, {"copy": False}]
    options += [{"max_plays": 2000}] * (make_env is envs.BackgammonVectorEnv)
    runs = [list(play(make_env(200, **extra_options), 15)) for extra_options in options]
    for step, (_, _, expected) in enumerate(runs[0]):
        for run in runs[1:]:
            actual = run[step][2]
            assert all((actual[index] == expected[index]).all() for index in range(4))
    run = list(play(make_env(200), 1, seed=2))
    assert (run[0][2][0] != runs[0][0][2][0]).any()
    games = make_env(9)
    assert (games.reset(seed=1)[0] == games.reset(seed=1)[0]).all()
    assert (games.reset()[0] != games.reset()[0]).any()


@pytest.mark.parametrize("make_env", ENVS)
@pytest.mark.parametrize("has_copies", [True, False])
def test_arrays_are_copied_or_reused(make_env: Any, has_copies: bool) -> None:
    snapshots: list[Any] = []
    for (observations, info), _, (_, rewards, ended, _, _) in play(make_env(60, copy=has_copies), 40):
        outputs = [observations, rewards, ended, info["successors"].offsets]
        shared_arrays = [info["action_mask"], info["successors"].boards]
        snapshots.append((outputs, copy.deepcopy(outputs), shared_arrays, copy.deepcopy(shared_arrays)))
    for outputs, output_copies, shared_arrays, shared_copies in snapshots:
        assert all((a == b).all() for a, b in zip(outputs, output_copies, strict=True))
        if has_copies:
            assert all((a == b).all() for a, b in zip(shared_arrays, shared_copies, strict=True))
    shares_memory = [np.shares_memory(snapshots[-1][2][index], snapshots[-2][2][index]) for index in (0, 1)]
    assert shares_memory == [not has_copies] * 2


def test_memory_grows_with_the_successors() -> None:
    """A buffer that grows in mid-batch keeps the successors of the earlier games."""
    games = envs.BackgammonVectorEnv(10_000, max_plays=1500, copy=False)
    rng, sizes = np.random.default_rng(1), []
    observations, info = games.reset(seed=1)
    for _ in range(12):
        plays = bgfast.successors(observations[:, :26], observations[:, 26:], flip=True, passes="keep")
        assert (info["successors"].boards == plays.boards).all()
        sizes.append(len(games._games._successors))
        observations, _, _, _, info = games.step(random_play(info, rng))
    assert len(set(sizes)) > 1


def test_actions_of_many_games_are_checked() -> None:
    games = envs.BackgammonVectorEnv(5)
    observations, info = games.reset(seed=1)
    sizes = np.diff(info["successors"].offsets)
    roll = "-".join(map(str, observations[3, 26:]))
    for index in (-1, int(sizes[3])):
        actions = np.zeros(5, np.int32)
        actions[3:] = index, -1
        message = f"game 3: action is {index}; expected 0 to {sizes[3] - 1}, the legal plays of {roll}"
        with pytest.raises(bgfast.errors.IllegalActionError, match=message):
            games.step(actions)
    losing_games = envs.BackgammonVectorEnv(5, illegal="lose")
    losing_games.reset(seed=1)
    _, rewards, ended, _, next_info = losing_games.step([0, -1, 0, sizes[3], 0])
    assert rewards.tolist() == [0, -3, 0, -3, 0]
    assert ended.tolist() == next_info["_final_obs"].tolist() == [False, True, False, True, False]
    assert (losing_games.step([0] * 5)[1] == 0).all()  # the other games are unaffected


def test_better_players_win() -> None:
    def mean_points(opponent: Any, learner: Any) -> float:
        games = envs.BackgammonVectorEnv(300, opponent, copy=False)
        rng = np.random.default_rng(1)
        _, info = games.reset(seed=4)
        points: list[float] = []
        for _ in range(80):
            successors = info["successors"]
            if learner is None:
                actions = random_play(info, rng)
            else:
                equities = -np.abs(bgfast.results(successors.boards)).astype(np.float64)
                is_unfinished = equities == 0
                equities[is_unfinished] = learner(successors.boards[is_unfinished])
                actions = bgfast.best_rows(equities, successors.offsets, best="min") - successors.offsets[:-1]
            _, rewards, ended, _, info = games.step(actions)
            points += rewards[ended].tolist()
        assert len(points) > 200
        return float(np.mean(points))

    pubeval, random_player = bgfast.evaluators.Pubeval(), bgfast.evaluators.Random()
    assert mean_points(pubeval, None) < -1.5
    assert mean_points(random_player, pubeval) > 1.5
    assert abs(mean_points(random_player, None)) < 0.4
    assert abs(mean_points(pubeval, pubeval)) < 0.4
