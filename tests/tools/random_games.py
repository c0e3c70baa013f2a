"""Random games under a rule set: lengths and results.

``python -m tests.tools.random_games --games 10000 --rules exact`` plays games to the end without a cube and
prints their lengths and the numbers of single games, gammons and backgammons.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from bgfast import ROLLS, Game, Position, RuleSet
from bgfast.cli.game import act_at_random
from tests.support.games import PRESETS

MAX_TURNS = 10_000  # longer games are stopped


@dataclass
class Summary:
    """Results of many games."""

    rules: str
    turns: list[int] = field(default_factory=list)
    levels: Counter[int] = field(default_factory=Counter)
    cut_off: int = 0

    def __str__(self) -> str:
        shares = ", ".join(
            f"{level}: {100 * self.levels[level] / len(self.turns):.1f} %" for level in (1, 2, 3)
        )
        parts = np.percentile(self.turns, [0, 5, 50, 95, 100]).astype(int).tolist()
        return (
            f"{self.rules}: {len(self.turns)} games, {self.cut_off} stopped; "
            f"turns: mean {np.mean(self.turns):.1f}, min {parts[0]}, 5 % {parts[1]}, median {parts[2]}, "
            f"95 % {parts[3]}, max {parts[4]}; points {shares}"
        )


def level_of(position: Position, scheme: str) -> int:
    """Return the points of a finished game according to docs/RULES.md; the loser is the mover."""
    own = np.maximum(position.to_array(), 0)
    off = position.off[0] > 0
    far = own[25] > 0 or own[19:25].any()
    if scheme == "not_all_home":
        return 3 if own[7:].any() else 1 if off else 2
    if scheme == "bar_home_beats_off":
        return 3 if far else 1 if off else 2
    return 1 if off else 3 if far else 2


def is_playable(position: Position, rules: RuleSet) -> bool:
    """Return whether either side has a legal play with any roll."""
    return any(len(side.plays(roll, rules)) for side in (position, position.flip()) for roll in ROLLS)


def play_games(name: str, games: int, seed: int) -> Summary:
    """Play games to the end and check the results."""
    rules = RuleSet.named(name)
    dice, choices = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    summary = Summary(name)
    for _ in range(games):
        game = Game(rules, dice=dice)
        turns = 0
        while game.result is None and turns < MAX_TURNS:
            act_at_random(game, choices, cube=False)
            turns += game.history[-1].name in ("play", "pass_turn")
        summary.turns.append(turns)
        result = game.result
        if result is None:
            assert is_playable(game.position, rules), game.position
            summary.cut_off += 1
            continue
        assert (result.ending, result.winner) == ("bearoff", game.history[-1].player)
        assert result.points == result.level == level_of(game.position, rules.win_scheme), game.position
        assert game.position.off[1] == 15
        assert game.position.off[0] < 15
        summary.levels[result.level] += 1
    return summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rules", choices=PRESETS, nargs="*", default=PRESETS)
    arguments = parser.parse_args()
    for name in arguments.rules:
        print(play_games(name, arguments.games, arguments.seed), flush=True)


if __name__ == "__main__":
    main()
