"""Random games under every preset."""

from __future__ import annotations

import numpy as np
import pytest

from bgfast import ROLLS, Game, Position, RuleSet
from bgfast.cli.game import act_at_random
from tests.support.games import PRESETS

MAX_TURNS = 10_000  # longer games are stopped


def level_of(position: Position, scheme: str) -> int:
    """Return the level of a win according to docs/RULES.md; the loser is the mover."""
    loser = np.maximum(position.to_array(), 0)
    has_checker_off = position.off[0] > 0
    in_winners_home = loser[25] > 0 or loser[19:25].any()
    if scheme == "not_all_home":
        return 3 if loser[7:].any() else 1 if has_checker_off else 2
    if scheme == "bar_home_beats_off":
        return 3 if in_winners_home else 1 if has_checker_off else 2
    return 1 if has_checker_off else 3 if in_winners_home else 2


def is_playable(position: Position, rules: RuleSet) -> bool:
    """Return whether either side has a legal play with any roll."""
    return any(len(side.plays(roll, rules)) for side in (position, position.flip()) for roll in ROLLS)


@pytest.mark.parametrize(
    ("game_count", "seed", "min_turns"), [(5, 1, 16), pytest.param(10_000, 0, 0, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", PRESETS)
def test_random_games_end_correctly(name: str, game_count: int, seed: int, min_turns: int) -> None:
    rules = RuleSet.named(name)
    dice, rng = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    for _ in range(game_count):
        game, turns = Game(rules, dice=dice), 0
        while game.result is None and turns < MAX_TURNS:
            act_at_random(game, rng, cube=False)
            turns += game.history[-1].name in ("play", "pass_turn")
        assert turns >= min_turns
        result = game.result
        if result is None:
            assert game_count > 100
            assert is_playable(game.position, rules), game.position
            continue
        assert (result.ending, result.winner) == ("bearoff", game.history[-1].player)
        assert result.points == result.level == level_of(game.position, rules.win_scheme), game.position
        assert game.position.off[1] == 15
        assert game.position.off[0] < 15
