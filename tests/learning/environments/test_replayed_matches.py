"""Random matches of the match environments, replayed by `Match`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bgfast
from tests.support.environments import Int8, environments

envs = environments()

from bgfast.learning.environments._games import observe  # noqa: E402
from tests.support.match_environments import (  # noqa: E402
    KINDS,
    NAMES,
    PHASE,
    PHASES,
    PLAYS,
    Kind,
    Replay,
    legal_action,
)


class Replayed:
    """Replays of all rows of a vector environment, with counts of events."""

    def __init__(self, games: Any, kind: Kind) -> None:
        self.games, self.kind = games, kind
        self.matches: list[Replay] = []
        self.counts = dict.fromkeys((*NAMES, "play", "pass", "crawford", "after_crawford", "matches"), 0)
        self._act = games._act
        games._act = self.act

    def act(self, rows: Any, numbers: Any, boards: Int8, places: Any, rewards: Any) -> None:
        after = [boards[places[i]].copy() if numbers[i] < PLAYS else None for i in range(len(rows))]
        rows, numbers = rows.copy(), numbers.copy()
        self._act(rows, numbers, boards, places, rewards)
        table = self.games._matches
        for i, row in enumerate(rows.tolist()):
            number, replay = int(numbers[i]), self.matches[row]
            self.count(replay, number)
            replay.act(number, after[i], table[row])
            expected = 0.0
            if replay.is_over:
                self.counts["matches"] += 1
                result = replay.match.result
                assert result is not None
                expected = (1 if result.winner == 0 else -1) * (1 if self.kind.length else result.points)
            assert rewards[row] == expected
        for player in (0, 1):
            observations = np.empty((len(rows), 35), np.int8)
            observe(player, rows, table, observations)
            assert observations.tolist() == [self.matches[row].observation(player) for row in rows]

    def count(self, replay: Replay, number: int) -> None:
        self.counts["play" if number < PLAYS else NAMES[number - PLAYS]] += 1
        game = replay.match.state.game
        self.counts["pass"] += number < PLAYS and not len(replay.match.plays())
        if game.match is not None and min(game.match.away) == 1 and self.kind.length != 1:
            self.counts["crawford" if game.match.crawford else "after_crawford"] += 1

    def begin(self, rows: Any) -> None:
        """Begin replays of new matches, before the opponent's action."""
        for row in rows.tolist():
            self.matches[row : row + 1] = [Replay(self.kind, self.games._matches[row])]


def replay_matches(
    kind: str,
    matches: int,
    monkeypatch: pytest.MonkeyPatch,
    opponent: Any = None,
    number: int = 64,
    resigns: float = 0.02,
) -> dict[str, int]:
    """Play random matches and replay them; return the counts of events.

    `resigns` is the weight of resignations; in every eighth row they are rare.
    """
    games = envs.BackgammonMatchVectorEnv(
        number, bgfast.evaluators.Random() if opponent is None else opponent, **KINDS[kind]._asdict()
    )
    replayed = Replayed(games, KINDS[kind])
    module = "bgfast.learning.environments.match_vector_env.begin"
    begin = pytest.importorskip("bgfast.learning.environments._games").begin

    def begun(terms: Any, starts: Any, rows: Any, seed: int, table: Any) -> None:
        begin(terms, starts, rows, seed, table)
        replayed.begin(rows)

    monkeypatch.setattr(module, begun)
    rng = np.random.default_rng(1)
    observations, info = games.reset(seed=1)
    while replayed.counts["matches"] < matches:
        offsets = info["successors"].offsets
        for row, replay in enumerate(replayed.matches):
            assert observations[row].tolist() == replay.observation(0)
            assert replay.match.to_act == 0
            names = [NAMES[i] for i in np.flatnonzero(info["action_mask"][row, PLAYS:])]
            assert names == replay.legal()
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
            legal_action(mask, rng, resigns if row % 8 else 0.02)
            for row, mask in enumerate(info["action_mask"])
        ]
        observations, rewards, ended, cut, info = games.step(actions)
        assert not cut.any()
        assert ((rewards != 0) == ended).all()
        if ended.any():
            assert (info["final_obs"][ended][:, PHASE] == PHASES.index("over")).all()
            assert not info["final_obs"][~ended].any()
            assert (info["_final_obs"] == ended).all()
        assert observations in games.observation_space
    return replayed.counts


@pytest.mark.parametrize("kind", KINDS)
def test_random_matches_agree_with_match(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A money game is a short match, and so is one with few checkers.
    is_long = KINDS[kind].length is not None and KINDS[kind].start.checkers == 15
    check_counts(kind, replay_matches(kind, 40 if is_long else 160, monkeypatch))


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_random_matches(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Most end early by a resignation, which varies cubes, scores and openings.
    check_counts(kind, replay_matches(kind, 100_000 // len(KINDS), monkeypatch, number=256, resigns=0.5))


def check_counts(kind: str, counts: dict[str, int]) -> None:
    """Assert that exactly the events that the rules allow have occurred."""
    length, rules, start = KINDS[kind]
    never: set[str] = set()
    if length is not None or not rules.beavers:
        never |= {"beaver", "raccoon"}
    if length == 1:
        # The cube is dead from the start, and there is no Crawford game.
        never |= {"roll", "double", "take", "drop"}
    if length is None or length == 1:
        never |= {"crawford", "after_crawford"}
    missing = {name for name, number in counts.items() if not number}
    if start.checkers == 3:
        # Games are short; rare events may be missing.
        assert never <= missing
        assert not missing & {"roll", "double", "take", "drop", "resign_single", "play", "matches"}
    else:
        assert missing == never


@pytest.mark.parametrize("kind", ["jacoby", "limited", "5", "hypergammon-3"])
@pytest.mark.parametrize(
    "opponent", [bgfast.evaluators.PipCount(), bgfast.Network.builtin_fast()], ids=["pips", "network"]
)
def test_evaluating_opponents_act_legally(opponent: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = replay_matches(kind, 15, monkeypatch, opponent, number=16)
    assert counts["double"] > 0
    assert counts["accept_resignation"] + counts["refuse_resignation"] > 0
