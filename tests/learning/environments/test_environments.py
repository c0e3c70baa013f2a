"""Environments: checks of Gymnasium and PettingZoo, single games, rendering, and games of two agents."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bgfast
from tests.support.environments import GAME_NAMES, GAMES, HYPERGAMMON, UNEVEN, Int8, environments, random_play

envs = environments()

import gymnasium  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.wrappers.vector import RecordEpisodeStatistics  # noqa: E402
from pettingzoo.test import api_test, seed_test  # noqa: E402

from bgfast.learning.environments.opponent_policy import OpponentPolicy  # noqa: E402
from tests.support.match_environments import SETTINGS  # noqa: E402

GAME_ID = "bgfast/Backgammon-v0"
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{
        name: (GAME_ID, {"rules": rules, "start": start})
        for name, (rules, start) in zip(GAME_NAMES, GAMES, strict=True)
    },
    **{f"match-{name}": ("bgfast/BackgammonMatch-v0", case._asdict()) for name, case in SETTINGS.items()},
}
MATCH_NAMES = ["money", "5", "hypergammon-3", "uneven"]

# ---- checks of Gymnasium and PettingZoo ----


@pytest.mark.parametrize("opponent", [bgfast.evaluators.Random(), bgfast.evaluators.PipCount()])
@pytest.mark.parametrize(("name", "options"), CASES.values(), ids=CASES)
def test_environments_pass_the_gymnasium_check(opponent: Any, name: str, options: dict[str, Any]) -> None:
    # `check_env` tries masked actions, which must not raise.
    env = gymnasium.make(name, opponent=opponent, illegal="lose", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


def test_render_modes_return_their_frame_types(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="NOT INSTALLED: matplotlib, so no pixels were checked")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(GAME_ID, illegal="lose").unwrapped)
    assert envs.BackgammonEnv.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    for mode, frame_type in {"human": type(None), "ansi": str, "rgb_array": np.ndarray}.items():
        game = envs.env(render_mode=mode)
        game.reset(seed=1)
        assert isinstance(game.render(), frame_type)
    capsys.readouterr()


@pytest.mark.parametrize(
    "make_env",
    [
        envs.env,
        envs.raw_env,
        partial(envs.env, start=HYPERGAMMON),
        partial(envs.env, start=UNEVEN),
        *(partial(envs.match_env, **SETTINGS[name]._asdict()) for name in MATCH_NAMES),
    ],
    ids=["env", "raw_env", "hypergammon", "uneven", *(f"match-{name}" for name in MATCH_NAMES)],
)
def test_environments_pass_the_pettingzoo_checks(make_env: Callable[[], Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make_env(), num_cycles=100)
    # `api_test` recognizes environments with a mask by name and warns about others.
    expected = "Observation is not a NumPy array|Observation space for each agent probably should be"
    assert [str(warning.message) for warning in caught if not re.match(expected, str(warning.message))] == []
    seed_test(make_env, num_cycles=100)


# ---- single games ----


@pytest.mark.parametrize("name", ["Backgammon", "BackgammonMatch"])
@pytest.mark.parametrize("opponent", [bgfast.evaluators.Random(), bgfast.evaluators.Pubeval()])
def test_a_single_game_equals_a_batch_of_one(name: str, opponent: Any) -> None:
    for rules, start in GAMES:
        options: dict[str, Any] = {"opponent": opponent, "rules": rules, "start": start}
        game_env, batch_env = (
            getattr(envs, f"{name}Env")(**options),
            getattr(envs, f"{name}VectorEnv")(1, **options),
        )
        rng = np.random.default_rng(1)
        for seed in range(3):
            (observation, info), (rows, batch_info) = (env.reset(seed=seed) for env in (game_env, batch_env))
            ended = False
            while not ended:
                assert observation.tolist() == rows[0].tolist()
                assert (info["action_mask"] == batch_info["action_mask"][0]).all()
                assert (info["successors"].boards == batch_info["successors"].boards).all()
                action = int(rng.choice(np.flatnonzero(info["action_mask"][:-5])))  # without resignations
                observation, reward, ended, truncated, info = game_env.step(action)
                rows, rewards, batch_ended, _, batch_info = batch_env.step([action])
                assert ([reward], [ended], truncated) == (rewards.tolist(), batch_ended.tolist(), False)
                rows = batch_info.get("final_obs", rows)
                if ended:
                    batch_info["action_mask"].fill(0)
            assert observation.tolist() == rows[0].tolist()
            assert observation in game_env.observation_space
            assert not info["action_mask"].any()
            assert len(info["successors"].boards) == 0


def test_an_opponent_scores_wins_according_to_the_rules() -> None:
    """The opponent can win one point or three, depending on the rules, or continue at an equity of 2."""
    final_board = [0] * 26
    final_board[13] = 14  # the loser has one checker off and the rest outside home
    unfinished_board = [0, 1, *[0] * 23, 0]
    unfinished_board[24] = -1
    boards, offsets = np.array([final_board, unfinished_board], np.int8), np.array([0, 2])
    assert bgfast.results(boards).tolist() == [-1, 0]

    def equities(boards: Int8) -> list[float]:
        return [-2.0] * len(boards)

    best_rows = {
        rules: OpponentPolicy(equities, rules, 0, 15)
        .policy.best(bgfast.Successors(boards, offsets, None))
        .tolist()
        for rules in (bgfast.STANDARD, bgfast.REAR_FIRST)
    }
    assert best_rows == {bgfast.STANDARD: [1], bgfast.REAR_FIRST: [0]}


def test_seeds_repeat_games() -> None:
    def play(seed: int | None, env: Any) -> list[Any]:
        rng, results = np.random.default_rng(5), []
        observations, info = env.reset(seed=seed)
        ended = False
        while not ended:
            observations, reward, ended, _, info = env.step(random_play(info, rng)[0] if len(results) else 0)
            results += [observations.tolist(), reward]
        return results

    env = envs.BackgammonEnv()
    first_game = play(7, env)
    later_game = play(None, env)
    assert play(7, envs.BackgammonEnv()) == first_game
    assert play(8, envs.BackgammonEnv()) != first_game
    assert later_game != first_game
    assert play(7, env) == first_game
    assert play(None, env) == later_game


def test_more_plays_than_max_plays_are_an_error() -> None:
    games = envs.BackgammonVectorEnv(50, max_plays=150)
    _, info = games.reset(seed=1)
    assert info["action_mask"].shape == (50, 150)
    with pytest.raises(
        bgfast.BgfastError, match=r"^game \d+: max_plays is 150, but the roll has \d+ legal plays"
    ):
        [games.step(np.zeros(50, int)) for _ in range(50)]


@pytest.mark.parametrize(("make_env", "actions"), [(envs.BackgammonEnv, 0), (envs.BackgammonVectorEnv, [0])])
def test_invalid_evaluations_name_the_evaluator(make_env: Callable[..., Any], actions: Any) -> None:
    def opponent(boards: Int8) -> list[float]:
        return [0.0]

    env = make_env(opponent=opponent)
    with pytest.raises(bgfast.BgfastError, match=r"opponent at .*returned shape"):
        [(env.reset(seed=seed), env.step(actions)) for seed in range(9)]


# ---- creation with gymnasium.make ----


def test_gymnasium_make_returns_the_environments() -> None:
    assert isinstance(gymnasium.make(GAME_ID).unwrapped, envs.BackgammonEnv)
    for mode in (None, "vector_entry_point"):
        games = gymnasium.make_vec(
            GAME_ID, num_envs=3, vectorization_mode=mode, opponent=bgfast.evaluators.PipCount()
        )
        assert isinstance(games, envs.BackgammonVectorEnv)
        assert games.num_envs == 3
        assert games.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP


def test_gymnasium_wraps_and_vectorizes_environments() -> None:
    games = gymnasium.make_vec(GAME_ID, num_envs=3, vectorization_mode="sync")
    _, info = games.reset(seed=1)
    rng = np.random.default_rng(2)
    for _ in range(100):
        masks = info["action_mask"]
        assert [len(plays.boards) for plays in info["successors"]] == masks.sum(axis=1).tolist()
        _, _, _, _, info = games.step([int(rng.integers(max(1, mask.sum()))) for mask in masks])
    games = RecordEpisodeStatistics(envs.BackgammonVectorEnv(20))
    _, info = games.reset(seed=1)
    lengths = []
    for _ in range(100):
        _, rewards, ended, _, info = games.step(random_play(info, rng))
        if ended.any():
            assert (info["episode"]["r"][ended] == rewards[ended]).all()
            lengths += info["episode"]["l"][ended].tolist()
    assert 20 < np.mean(lengths) < 80


def test_rendered_text_shows_board_and_dice() -> None:
    env = envs.BackgammonEnv(render_mode="ansi")
    observations, _ = env.reset(seed=2)
    text = env.render()
    assert text is not None
    board, _, dice = text.rpartition("\n")
    assert dice == f"dice: {observations[26]}-{observations[27]}"
    assert board == str(bgfast.Position.from_array(observations[:26]))
    assert envs.BackgammonEnv().render() is None
    games = envs.BackgammonVectorEnv(3, render_mode="ansi")
    observations, _ = games.reset(seed=2)
    texts = games.render()
    assert [text.splitlines()[-1] for text in texts] == [f"dice: {row[26]}-{row[27]}" for row in observations]
    assert envs.BackgammonVectorEnv(3).render() is None
    hypergammon = envs.BackgammonVectorEnv(1, start="hypergammon", render_mode="ansi")
    hypergammon.reset(seed=2)
    assert hypergammon.render()[0].count("off 0") == 2
    game = envs.env(render_mode="ansi")
    game.reset(seed=2)
    assert game.render().startswith(f"X: {game.agent_selection}\n+13-14")
    assert envs.raw_env().render() is None


def test_rendered_pixels_show_all_checkers() -> None:
    pytest.importorskip("matplotlib", reason="NOT INSTALLED: matplotlib, so no pixels were checked")
    env = envs.BackgammonEnv(render_mode="rgb_array")
    observations, _ = env.reset(seed=2)
    frame = env.render()
    assert (frame.shape, frame.dtype) == ((532, 620, 3), np.uint8)
    position, roll = (
        bgfast.Position.from_array(observations[:26]),
        (int(observations[26]), int(observations[27])),
    )
    assert_shows_checkers(frame, bgfast.svg(bgfast.Decision(position=position, dice=roll)), 30)
    games = envs.BackgammonVectorEnv(2, render_mode="rgb_array")
    observations, _ = games.reset(seed=2)
    for row, frame in zip(observations, games.render(), strict=True):
        assert_shows_checkers(frame, bgfast.svg(bgfast.Position.from_array(row[:26])), 30)
    game = envs.env(render_mode="rgb_array")
    game.reset(seed=4)
    agents = set()
    for _ in range(2):  # X is always at the bottom
        agents.add(game.agent_selection)
        board = bgfast.Position.from_array(game.observe("player_0")["observation"][:26])
        assert_shows_checkers(game.render(), bgfast.svg(board), 30)
        game.step(0)
    assert len(agents) == 2
    options: dict[str, Any] = {"length": 5, "render_mode": "rgb_array"}
    for make_env in (envs.BackgammonMatchEnv, partial(envs.BackgammonMatchVectorEnv, 1), envs.match_env):
        env = make_env(**options)
        env.reset(seed=2)
        frame = np.squeeze(env.render())
        assert (frame.shape, frame.dtype) == ((532, 620, 3), np.uint8)


def assert_shows_checkers(frame: npt.NDArray[np.uint8], picture: str, checkers: int) -> None:
    """Assert that a frame shows every checker of a picture."""
    scale = 620 / float(re.search(r'viewBox="0 0 (\d+)', picture)[1])  # type: ignore[index]
    matches = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="19" fill="#(\w{6})"', picture)
    assert len(matches) == checkers
    for x, y, colour in matches:
        pixel = frame[round(float(y) * scale), round(float(x) * scale)]
        assert pixel.tolist() == list(bytes.fromhex(colour))


def test_human_render_mode_prints_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    human_env, text_env = envs.BackgammonEnv(render_mode="human"), envs.BackgammonEnv(render_mode="ansi")
    for env in (human_env, text_env):
        env.reset(seed=2)
    assert capsys.readouterr().out == f"{text_env.render()}\n\n"
    assert human_env.render() is None
    for env in (human_env, text_env):
        env.step(0)
    assert capsys.readouterr().out == f"{text_env.render()}\n\n"
    human_game, text_game = envs.env(render_mode="human"), envs.env(render_mode="ansi")
    for env in (human_game, text_game):
        env.reset(seed=2)
    assert capsys.readouterr().out == f"{text_game.render()}\n\n"
    assert human_game.render() is None


# ---- two agents ----


@pytest.mark.parametrize(("rules", "start"), GAMES, ids=GAME_NAMES)
def test_two_agents_play_legal_games(rules: bgfast.RuleSet, start: bgfast.Position) -> None:
    env, rng = envs.env(rules=rules, start=start), np.random.default_rng(3)
    for seed in range(4):
        env.reset(seed=seed)
        totals, result = dict.fromkeys(env.possible_agents, 0.0), 0
        for agent in env.agent_iter():
            view, reward, ended, truncated, info = env.last()
            board, dice = np.split(view["observation"][None], [26], axis=1)
            other_view = env.observe(f"player_{1 - int(agent[-1])}")
            assert (other_view["observation"] == [*bgfast.flip(board)[0], 0, 0]).all()
            assert not other_view["action_mask"].any()
            assert truncated is False
            totals[agent] += reward
            if ended:
                assert not view["action_mask"].any()
                assert not dice.any()
                env.step(None)
                continue
            plays = bgfast.successors(board, dice, rules=rules, flip=True, passes="keep")
            assert (info["successors"].boards == plays.boards).all()
            assert view["action_mask"].tolist() == [1] * len(plays.boards) + [0] * (3060 - len(plays.boards))
            action = int(rng.integers(len(plays.boards)))
            (result,) = -bgfast.results(plays.boards[action : action + 1], rules, start.checkers)
            env.step(action)
            winner = agent
        assert totals == {winner: result, next(name for name in totals if name != winner): -result}
        assert result > 0
