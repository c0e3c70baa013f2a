"""Exact cube decisions of opponents in match environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast.evaluators import Hypergammon
from tests.support.environments import Int8, environments

envs = environments()

from bgfast.evaluation.evaluators.exact_tables import exact_tables  # noqa: E402
from bgfast.learning.environments import opponent_policy  # noqa: E402
from bgfast.learning.environments.opponent_policy import OpponentPolicy, flip_to_mover, match_decision  # noqa: E402
from tests.support.few_checkers import all_boards  # noqa: E402
from tests.support.match_environments import NAMES, PHASE, PHASES, RESIGNATION, legal_action  # noqa: E402

pytestmark = pytest.mark.slow  # the fixture solves the game with two checkers per side

START = bgfast.Position.from_array([0, -1, *[0] * 4, 1, *[0] * 7, 1, *[0] * 2, -1, *[0] * 8], 2)
BEAVERS = bgfast.RuleSet(beavers=True)
JACOBY = bgfast.RuleSet(jacoby=True, beavers=True)


class CheckedOpponent(OpponentPolicy):
    """Opponent whose cube actions are compared with `cube_decision`."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.clear()

    def clear(self) -> None:
        self.action_counts = dict.fromkeys(NAMES, 0)
        self.exact_count = self.formula_count = 0

    def choose_actions(self, observations: Int8, random: np.random.Generator) -> Any:
        indices = super().choose_actions(observations, random)
        for row, index in zip(observations, indices.tolist(), strict=True):
            assert NAMES[index] in self.expected_actions(row)
            self.action_counts[NAMES[index]] += 1
        return indices

    def expected_actions(self, row: Int8) -> tuple[str, ...]:
        """Return the actions that `cube_decision` allows: two if both have the same equity."""
        assert self.policy is not None
        decision = match_decision(flip_to_mover(row[None])[0], self.length, self.rules, self.checkers)
        phase = PHASES[row[PHASE]]
        result = bgfast.cube_decision(decision, self.policy.timed.evaluator, rules=self.rules)
        self.exact_count += result.is_exact
        self.formula_count += not result.is_exact
        equities = result.equities
        if phase == "to_roll":
            return ("double",) if equities.doubles else ("roll",)
        if phase == "resigned":
            assert not self.length
            level = int(row[RESIGNATION])
            lost_points = 1 if decision.jacoby and decision.cube_owner == 0 else level
            is_fair = -lost_points <= equities.no_double + 0.05
            return ("accept_resignation",) if is_fair else ("refuse_resignation",)
        if phase == "doubled":
            return (equities.answers,)
        take_loss = equities.double_take - equities.double_drop
        return ("take", "drop") if abs(take_loss) < 1e-9 else ("take",) if take_loss < 0 else ("drop",)


def play(env: Any, steps: int, resign_rate: float = 0.0) -> CheckedOpponent:
    """Let a random learner play in an environment whose opponent is checked."""
    env._games.opponent.__class__ = CheckedOpponent
    opponent: CheckedOpponent = env._games.opponent
    opponent.clear()
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for _ in range(steps):
        if isinstance(env, envs.BackgammonMatchEnv):
            _, _, terminated, _, info = env.step(legal_action(info["action_mask"], rng, resign_rate))
            info = env.reset()[1] if terminated else info
        else:
            actions = [legal_action(mask, rng, resign_rate) for mask in info["action_mask"]]
            info = env.step(actions)[4]
    return opponent


@pytest.mark.parametrize("phase", ["to_roll", "doubled", "beavered", "raccooned"])
def test_every_cube_decision_is_exact(tables: Hypergammon, phase: str) -> None:
    opponent = CheckedOpponent(tables, BEAVERS, 0, 2)
    boards = np.array(list(all_boards(2))[::1000], np.int8)
    observations = np.zeros((len(boards), 35), np.int8)
    observations[:, :26], observations[:, PHASE] = boards, PHASES.index(phase)
    opponent.choose_actions(observations, np.random.default_rng(1))
    expected = {"to_roll": {"roll", "double"}, "doubled": {"take", "drop", "beaver"}}
    assert {name for name, count in opponent.action_counts.items() if count} == expected.get(
        phase, {"take", "drop"}
    )
    assert (opponent.exact_count, opponent.formula_count) == (len(boards), 0)


@pytest.mark.parametrize("rules", [bgfast.STANDARD, BEAVERS])
def test_money_play_is_exact(tables: Hypergammon, rules: bgfast.RuleSet) -> None:
    opponent = play(envs.BackgammonMatchVectorEnv(32, tables, rules=rules, start=START), 60, resign_rate=0.5)
    assert (opponent.exact_count > 500, opponent.formula_count) == (True, 0)
    unused_actions = {name for name, count in opponent.action_counts.items() if not count}
    assert unused_actions == {name for name in NAMES if name.startswith(("resign", "raccoon"))} | (
        set() if rules.beavers else {"beaver"}
    )


def test_matches_are_exact_up_to_three_points(tables: Hypergammon) -> None:
    opponent = play(envs.BackgammonMatchVectorEnv(32, tables, length=3, start=START), 80)
    assert (opponent.exact_count > 500, opponent.formula_count) == (True, 0)
    assert all(opponent.action_counts[name] for name in ("roll", "double", "take", "drop"))
    single_env_opponent = play(envs.BackgammonMatchEnv(tables, length=3, start=START), 150)
    assert (single_env_opponent.exact_count > 30, single_env_opponent.formula_count) == (True, 0)


def test_the_formula_decides_outside_the_tables(tables: Hypergammon) -> None:
    for options in ({"length": 4}, {"rules": JACOBY}):
        opponent = play(envs.BackgammonMatchVectorEnv(16, tables, start=START, **options), 40)
        assert min(opponent.exact_count, opponent.formula_count) > 5


def test_the_builtin_network_uses_its_bearoff_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    used_tables: list[Any] = []

    def record_tables(*arguments: Any) -> Any:
        used_tables.append(exact_tables(*arguments))
        return used_tables[-1]

    monkeypatch.setattr(opponent_policy, "exact_tables", record_tables)
    position = bgfast.Position.from_array([0, 1, 2, 0, 0, 1, 1, *[0] * 12, -1, -1, -1, 0, -1, -1, 0])
    network = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
    observations = np.zeros((2, 35), np.int8)
    observations[0, :26], observations[1, :26] = position.to_array(), bgfast.Position.start().to_array()
    expected = bgfast.cube_decision(bgfast.Decision(position=position), network)
    assert expected.is_exact
    for evaluator in (network, bgfast.evaluators.Lookahead(network, ply=0)):
        opponent = OpponentPolicy(evaluator, bgfast.STANDARD, 0, 15)
        used_tables.clear()
        indices = opponent.choose_actions(observations, np.random.default_rng(1))
        assert (NAMES[indices[0]] == "double") == bool(expected.equities.doubles)
        assert [tables and tables._tables for tables in used_tables] == [network.bearoff, None]


@pytest.mark.parametrize("rules", [bgfast.FIVE_STACK, bgfast.RuleSet(win_scheme="not_all_home")])
def test_tables_require_the_standard_rules(tables: Hypergammon, rules: bgfast.RuleSet) -> None:
    opponent = play(envs.BackgammonMatchVectorEnv(16, tables, rules=rules, start=START), 20)
    assert (opponent.exact_count, opponent.formula_count > 50) == (0, True)
