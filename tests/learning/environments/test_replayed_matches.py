"""Random matches in the match environments, replayed with `Match`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bgfast
from tests.support.environments import Int8, environments

envs = environments()

from tests.support.match_environments import (  # noqa: E402
    NAMES,
    PHASE,
    PHASES,
    PLAYS,
    SETTINGS,
    MatchSettings,
    Replay,
    legal_action,
)


class ReplayedTable:
    """Wrapper around a vector environment's table that replays its rows and counts events."""

    def __init__(self, table: Any, settings: MatchSettings) -> None:
        self.table, self.settings = table, settings
        self.matches: dict[int, Replay] = {}
        self.step_rewards: dict[int, float] = {}
        self.counts = dict.fromkeys((*NAMES, "play", "pass", "crawford", "after_crawford", "matches"), 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def begin(self, rows: Any, seed: int, opponent: int) -> None:
        self.rewards_by_row = {}  # these rewards do not belong to the step
        self.table.begin(rows, seed, opponent)
        for row in rows.tolist():
            self.matches[row] = Replay(self.settings, self.table.array[row])

    def step(self, actions: Any, successors: Int8, seed: int, opponent: int) -> None:
        first_rows = self.table.offsets[:-1]
        boards = [
            successors[first_row + action].copy() if action < PLAYS else None
            for first_row, action in zip(first_rows, actions.tolist(), strict=True)
        ]
        self.step_rewards = self.rewards_by_row = {}
        self.table.step(actions, successors, seed, opponent)
        self.replay(range(len(actions)), actions.tolist(), boards)

    def act_plays(self, boards: Int8, seed: int, player: int) -> None:
        rows = self.table.play_rows[: self.table.play_count].tolist()
        boards = boards.copy()  # its memory may be reused for the next plays
        self.table.act_plays(boards, seed, player)
        self.replay(rows, [0] * len(rows), list(boards))

    def act_others(self, indices: Any, seed: int, player: int) -> None:
        rows = self.table.other_rows[: self.table.other_count].tolist()
        self.table.act_others(indices, seed, player)
        self.replay(rows, (PLAYS + indices).tolist(), [None] * len(rows))

    def replay(self, rows: Any, actions: list[int], boards: list[Any]) -> None:
        """Replay actions that the table has performed, and compare the observations of both players."""
        for row, action, board in zip(rows, actions, boards, strict=True):
            replay = self.matches[row]
            self.count(replay, action)
            replay.act(action, board, self.table.array[row])
            if replay.is_over:
                self.counts["matches"] += 1
                self.rewards_by_row[row] = self.reward(replay)
        for player in (0, 1):
            observations = self.table.observe(player, np.array(rows, np.int64))
            assert observations.tolist() == [self.matches[row].observation(player) for row in rows]

    def reward(self, replay: Replay) -> float:
        result = replay.match.result
        assert result is not None
        return (1 if result.winner == 0 else -1) * (1 if self.settings.length else result.points)

    def count(self, replay: Replay, action: int) -> None:
        self.counts["play" if action < PLAYS else NAMES[action - PLAYS]] += 1
        game = replay.match.state.game
        self.counts["pass"] += action < PLAYS and not len(replay.match.plays())
        if game.match is not None and min(game.match.away) == 1 and self.settings.length != 1:
            self.counts["crawford" if game.match.crawford else "after_crawford"] += 1


def replay_matches(
    case: str, match_count: int, opponent: Any = None, num_envs: int = 64, resignation_weight: float = 0.02
) -> dict[str, int]:
    """Play random matches and replay them; return the counts of events.

    Resignations have the weight `resignation_weight`, except 0.02 in every eighth row.
    """
    games = envs.BackgammonMatchVectorEnv(
        num_envs, bgfast.evaluators.Random() if opponent is None else opponent, **SETTINGS[case]._asdict()
    )
    games._games.table = table = ReplayedTable(games._games.table, SETTINGS[case])
    rng = np.random.default_rng(1)
    observations, info = games.reset(seed=1)
    while table.counts["matches"] < match_count:
        offsets = info["successors"].offsets
        for row, replay in table.matches.items():
            assert observations[row].tolist() == replay.observation(0)
            assert replay.match.to_act == 0
            names = [NAMES[i] for i in np.flatnonzero(info["action_mask"][row, PLAYS:])]
            assert names == replay.legal_actions()
            boards = info["successors"].boards[offsets[row] : offsets[row + 1]]
            plays = replay.match.plays() if replay.match.phase == "to_play" else None
            if plays is None:
                assert not len(boards)
            elif len(plays):
                assert (boards == bgfast.flip(plays.boards)).all()
            else:
                assert (boards == [replay.match.position.flip().to_array()]).all()
            assert info["action_mask"][row, :PLAYS].sum() == len(boards)
            assert info["action_mask"][row, : len(boards)].all()
        actions = [
            legal_action(mask, rng, resignation_weight if row % 8 else 0.02)
            for row, mask in enumerate(info["action_mask"])
        ]
        observations, rewards, ended, truncated, info = games.step(actions)
        assert rewards.tolist() == [table.step_rewards.get(row, 0.0) for row in range(num_envs)]
        assert not truncated.any()
        assert ((rewards != 0) == ended).all()
        if ended.any():
            assert (info["final_obs"][ended][:, PHASE] == PHASES.index("over")).all()
            assert not info["final_obs"][~ended].any()
            assert (info["_final_obs"] == ended).all()
        assert observations in games.observation_space
    return table.counts


SLOW_NAMES = ("jacoby", "lot", "money", "1", "2", "3", "hypergammon-3", "uneven")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case in SLOW_NAMES)) for case in SETTINGS]
)
def test_random_matches_agree_with_match(case: str) -> None:
    # Money games are short, and so are matches with few checkers.
    is_long = SETTINGS[case].length is not None and SETTINGS[case].start.checkers == 15
    check_counts(case, replay_matches(case, 12 if is_long else 60))


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", SETTINGS)
def test_a_hundred_thousand_random_matches_agree_with_match(case: str) -> None:
    # Most games end early by resignation, which varies cubes, scores and openings.
    check_counts(case, replay_matches(case, 100_000 // len(SETTINGS), num_envs=256, resignation_weight=0.5))


def check_counts(case: str, counts: dict[str, int]) -> None:
    """Assert that exactly the events that the rules allow have occurred."""
    length, rules, start = SETTINGS[case]
    impossible_events: set[str] = set()
    if length is not None or not rules.beavers:
        impossible_events |= {"beaver", "raccoon"}
    if length == 1:
        # The cube is dead from the start, and there is no Crawford game.
        impossible_events |= {"roll", "double", "take", "drop"}
    if length is None or length == 1:
        impossible_events |= {"crawford", "after_crawford"}
    missing_events = {name for name, count in counts.items() if not count}
    if start.checkers == 3:
        # Games are short; rare events may be missing.
        assert impossible_events <= missing_events
        assert not missing_events & {"roll", "double", "take", "drop", "resign_single", "play", "matches"}
    else:
        assert missing_events == impossible_events


@pytest.mark.parametrize("case", ["limited", "5", "hypergammon-3"])
@pytest.mark.parametrize(
    "opponent", [bgfast.evaluators.PipCount(), bgfast.Network.builtin_fast()], ids=["pips", "network"]
)
def test_evaluating_opponents_act_legally(opponent: Any, case: str) -> None:
    counts = replay_matches(case, 8, opponent, num_envs=16)
    assert counts["double"] > 0
    assert counts["accept_resignation"] + counts["refuse_resignation"] > 0
