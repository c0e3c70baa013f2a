"""What the tests of games share: positions near the end, and which rule sets the generator plays."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bgfast import Game, Match, Position, RuleSet
from bgfast.errors import InvalidRulesError

PRESETS = ("standard", "exact", "rear_first", "five_stack")
BAR = 25


def generated(rules: RuleSet) -> bool:
    """Whether the generator plays these rules."""
    try:
        Position.start().plays((3, 1), rules)
    except InvalidRulesError:
        return False
    return True


def needs_generator(name: str) -> object:
    """A parameter that is skipped, loudly, as long as the generator does not play the preset."""
    missing = not generated(RuleSet.named(name))
    reason = f"NOT TESTED: the generator does not play the rule set {name!r} in this version"
    return pytest.param(name, marks=pytest.mark.skipif(missing, reason=reason))


PRESETS_PLAYED = [needs_generator(name) for name in PRESETS]


def nearly_won(loser: Mapping[int, int]) -> Position:
    """The mover has one checker, on his 1 point; the loser's stand on these points of his own."""
    board = [0] * 26
    board[1] = 1
    for point, number in loser.items():
        assert board[BAR - point] == 0
        board[BAR - point] = -number
    return Position.from_array(board)


def bear_off(game: Game | Match) -> None:
    """Roll a 2-1 by hand and play the last checker off."""
    game.roll((2, 1))
    game.play(next(play for play in game.plays() if play.position.phase == "over"))
