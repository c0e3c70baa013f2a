"""Opponents of several levels: a simple player, pubeval, and the built-in networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from bgfast.analysis.decisions.cube_decision import cube_decision
from bgfast.batch.successors import Successors, flip
from bgfast.common.validation import generated_switches
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import Policy, Pubeval
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.state import ActionName
from bgfast.learning.strength import simple_player
from bgfast.position.objects import Play
from bgfast.rules import STANDARD, RuleSet

_ANSWERS: Mapping[str, ActionName] = MappingProxyType(
    {"Take": "take", "Drop": "drop", "Beaver": "beaver", "Raccoon": "raccoon"}
)
RESIGNATION_TOLERANCE = 0.05
"""Maximum equity, in points, that accepting a resignation may cost."""


class Opponent(ABC):
    """Player of one side of a game; by default cube decisions depend on the pip counts."""

    is_trained = False  # True if it was trained on `standard` games

    def __init__(self, rules: RuleSet = STANDARD) -> None:
        self.rules = rules

    @property
    def notice(self) -> str | None:
        """Notice about rules without training, or None."""
        as_standard = generated_switches(self.rules) is None and self.rules.win_scheme == STANDARD.win_scheme
        if as_standard or not self.is_trained:
            return None
        return "O was trained on the rules `standard` only; under these rules it plays less well."

    @abstractmethod
    def best_play(self, game: Game | Match) -> Play:
        """Return the best play; the game has a legal one."""

    def offers_double(self, game: Game | Match) -> bool:
        """Return whether the player doubles where a double is legal."""
        return bool(simple_player.is_pip_double(*game.position.pip_counts))

    def answer(self, game: Game | Match) -> ActionName:
        """Return the answer to a double, a beaver or a raccoon."""
        return "take" if self.takes_double(game) else "drop"

    def takes_double(self, game: Game | Match) -> bool:
        """Return whether it does not drop a double, a beaver or a raccoon."""
        # The player on roll answers a beaver, as the opponent would answer a double.
        doubler = game.position.flip() if game.on_turn == game.to_act else game.position
        return bool(simple_player.is_pip_take(*doubler.pip_counts))

    def accepts_resignation(self, game: Game | Match, level: int) -> bool:
        """Return whether the player accepts a resignation at this level."""
        return simple_player.accepts_resignation(game.position, level, self.rules)

    def act(self, game: Game | Match) -> tuple[ActionName, Play | None]:
        """Carry out a legal action; return its name, and its play or None."""
        legal = game.legal_actions()
        if "play" in legal:
            play = self.best_play(game)
            game.play(play)
            return "play", play
        name = self._choose(game, legal)
        action: Any = getattr(game, name)
        action()
        return name, None

    def _choose(self, game: Game | Match, legal: tuple[ActionName, ...]) -> ActionName:
        if "take" in legal:
            return self.answer(game)
        if "accept_resignation" in legal:
            accepts = self.accepts_resignation(game, game.history[-1].level)
            return "accept_resignation" if accepts else "refuse_resignation"
        if "double" in legal and self.offers_double(game):
            return "double"
        remaining: tuple[ActionName, ...] = ("draw_lot", "roll", "pass_turn", "next_game")
        return next(name for name in remaining if name in legal)


class SimpleOpponent(Opponent):
    """Opponent with the rules of thumb of `simple_player`."""

    def best_play(self, game: Game | Match) -> Play:
        """Return the play with the highest score."""
        return simple_player.best_play(game.plays())


class PubevalOpponent(Opponent):
    """Opponent with pubeval for plays and the pip count for the cube."""

    is_trained = True

    def __init__(self, rules: RuleSet = STANDARD) -> None:
        super().__init__(rules)
        self._policy = Policy(Pubeval(), rules)

    def best_play(self, game: Game | Match) -> Play:
        """Return the best play by pubeval."""
        plays = game.plays()
        boards = flip(plays.boards)
        segment = Successors(boards, np.array([0, len(boards)], np.int64), None)
        return plays[int(self._policy.rows(game.position.to_array()[None], segment)[0])]


class NetworkOpponent(Opponent):
    """Opponent with a network and bear-off databases at `ply` plies for plays, cube and resignations."""

    is_trained = True

    def __init__(self, network: Network, rules: RuleSet = STANDARD, ply: int = 0) -> None:
        super().__init__(rules)
        self._player = Lookahead(WithBearoff(network), ply=ply, rules=rules)

    def best_play(self, game: Game | Match) -> Play:
        """Return the best play by the network."""
        return self._player.best_plays(game.decision)[0].play

    def offers_double(self, game: Game | Match) -> bool:
        """Return whether `cube_decision` doubles where a double is legal."""
        return bool(cube_decision(game.decision, self._player, rules=self.rules).equities.doubles)

    def answer(self, game: Game | Match) -> ActionName:
        """Return the answer of `cube_decision` to a double, a beaver or a raccoon."""
        return _ANSWERS[cube_decision(game.decision, self._player, rules=self.rules).proper_action]

    def takes_double(self, game: Game | Match) -> bool:
        """Return whether `answer` is not a drop."""
        return self.answer(game) != "drop"

    def accepts_resignation(self, game: Game | Match, level: int) -> bool:
        """Return whether the level is at least the cubeless equity of the player to act."""
        return level + RESIGNATION_TOLERANCE >= self._equity(game)

    def _equity(self, game: Game | Match) -> float:
        equity = self._player.evaluation(game.position).equity
        return equity if game.on_turn == game.to_act else -equity


OPPONENTS: Mapping[str, Callable[[RuleSet], Opponent]] = MappingProxyType(
    {
        "beginner": SimpleOpponent,
        "casual": PubevalOpponent,
        "intermediate": lambda rules: NetworkOpponent(Network.builtin_fast(), rules),
        "advanced": lambda rules: NetworkOpponent(Network.builtin(), rules, ply=1),
    }
)
"""Opponents by level, the weakest first."""


def opponent(level: str, rules: RuleSet = STANDARD) -> Opponent:
    """Return the opponent of a level; raise `BgfastError` if the level is unknown."""
    if level not in OPPONENTS:
        raise BgfastError(f"no level {shown(level)}; expected {', '.join(OPPONENTS)}")
    return OPPONENTS[level](rules)
