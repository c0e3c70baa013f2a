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
from bgfast.games.scoring import MAX_CUBE_VALUE
from bgfast.games.state import ActionName
from bgfast.learning.strength import simple_player
from bgfast.position.decision import Decision
from bgfast.position.objects import Play
from bgfast.rules import STANDARD, RuleSet

__all__ = [
    "OPPONENTS",
    "NetworkOpponent",
    "Opponent",
    "PubevalOpponent",
    "SimpleOpponent",
    "decision_of",
    "opponent",
]

# Cube actions where the cube is too large for a `Decision`: thresholds of the cubeless equity at cube 1, as
# in money play. At -0.5 a take loses on average as much as a drop; owning the cube is worth a little more.
DOUBLES = 0.4
REDOUBLES = 0.5
TAKES = -0.55
TOO_GOOD = 1.0  # beyond this, gammons are worth more than the point that a drop brings
_ANSWERS: Mapping[str, ActionName] = MappingProxyType(
    {"Take": "take", "Drop": "drop", "Beaver": "beaver", "Raccoon": "raccoon"}
)
ROUNDING = 0.05  # points below which a resignation is not refused


class Opponent(ABC):
    """Player of one side of a game. By default it decides about the cube by the pip count.

    Parameters
    ----------
    rules : RuleSet
        Rules of the game.
    """

    is_trained = False  # True if it was trained on `standard` games

    def __init__(self, rules: RuleSet = STANDARD) -> None:
        self.rules = rules

    @property
    def notice(self) -> str | None:
        """Notice for users about rules it was not trained on, else None."""
        as_standard = generated_switches(self.rules) is None and self.rules.win_scheme == STANDARD.win_scheme
        if as_standard or not self.is_trained:
            return None
        return "O was trained on the rules `standard` only; under these rules it plays less well."

    @abstractmethod
    def best_play(self, game: Game | Match) -> Play:
        """Return the best play by its own judgement; the game has a legal one."""

    def offers_double(self, game: Game | Match) -> bool:
        """Return whether it doubles when it may."""
        return simple_player.offers_double(game.position)

    def answer(self, game: Game | Match) -> ActionName:
        """Return its answer to a double, a beaver or a raccoon."""
        return "take" if self.takes_double(game) else "drop"

    def takes_double(self, game: Game | Match) -> bool:
        """Return whether it does not drop a double, a beaver or a raccoon."""
        # A beaver comes on its own turn and is answered like a double by the player on roll.
        doubler = game.position.flip() if game.on_turn == game.to_act else game.position
        return simple_player.takes_double(doubler)

    def accepts_resignation(self, game: Game | Match, level: int) -> bool:
        """Return whether it accepts a resignation of this level."""
        return simple_player.accepts_resignation(game.position, level, self.rules)

    def act(self, game: Game | Match) -> tuple[ActionName, Play | None]:
        """Carry out one of the legal actions; return its name, and the play if it was one."""
        legal = game.legal_actions()
        if "play" in legal:
            play = self.best_play(game)
            game.play(play)
            return "play", play
        name = self._decision(game, legal)
        does: Any = getattr(game, name)
        does()
        return name, None

    def _decision(self, game: Game | Match, legal: tuple[ActionName, ...]) -> ActionName:
        if "take" in legal:
            return self.answer(game)
        if "accept_resignation" in legal:
            accepts = self.accepts_resignation(game, game.history[-1].level)
            return "accept_resignation" if accepts else "refuse_resignation"
        if "double" in legal and self.offers_double(game):
            return "double"
        others: tuple[ActionName, ...] = ("draw_lot", "roll", "pass_turn", "next_game")
        return next(name for name in others if name in legal)


class SimpleOpponent(Opponent):
    """Opponent with a few rules of thumb."""

    def best_play(self, game: Game | Match) -> Play:
        """Return the best play by the rules of thumb."""
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
        found = Successors(boards, np.array([0, len(boards)], np.int64), None)
        none = np.zeros(1, np.int64)
        return plays[int(self._policy.rows(game.position.to_array()[None], found, none, none)[0])]


class NetworkOpponent(Opponent):
    """Opponent with a network and bear-off databases at `ply` plies for plays, cube and resignations."""

    is_trained = True

    def __init__(self, network: Network, rules: RuleSet = STANDARD, ply: int = 0) -> None:
        super().__init__(rules)
        self._player = Lookahead(WithBearoff(network), ply=ply, rules=rules)

    def best_play(self, game: Game | Match) -> Play:
        """Return the best play by the network."""
        assert game.dice is not None
        decision = decision_of(game)
        if decision is None:
            return self._player.best_plays(game.position, game.dice)[0].play
        return self._player.best_plays(decision)[0].play

    def offers_double(self, game: Game | Match) -> bool:
        """Return whether it doubles when it may, by `cube_decision`."""
        decision = decision_of(game)
        if decision is not None:
            return bool(cube_decision(decision, self._player, rules=self.rules).equities.doubles)
        equity = self._equity(game)
        # Under the Jacoby rule gammons count only after a double, so that no position is too good for one.
        single = self.rules.jacoby and game.cube.owner is None
        if equity > TOO_GOOD and not single:
            return False
        return equity >= (DOUBLES if game.cube.owner is None else REDOUBLES)

    def answer(self, game: Game | Match) -> ActionName:
        """Return its answer to a double, a beaver or a raccoon, by `cube_decision`."""
        decision = decision_of(game)
        if decision is None:
            return "take" if self._equity(game) >= TAKES else "drop"
        proper = cube_decision(decision, self._player, rules=self.rules).proper_action
        return _ANSWERS[proper]

    def takes_double(self, game: Game | Match) -> bool:
        """Return whether it does not drop a double, a beaver or a raccoon."""
        return self.answer(game) != "drop"

    def accepts_resignation(self, game: Game | Match, level: int) -> bool:
        """Return whether the level is at least its equity."""
        return level + ROUNDING >= self._equity(game)

    def _equity(self, game: Game | Match) -> float:
        """Return the cubeless equity of the player to act."""
        equity = self._player.evaluation(game.position).equity
        return equity if game.on_turn == game.to_act else -equity


def decision_of(game: Game | Match) -> Decision | None:
    """Return the decision to be made in a game, or None if the cube is too large for a `Decision`."""
    return game.decision if game.cube.value <= MAX_CUBE_VALUE else None


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
    """Return the opponent of a level.

    Raises
    ------
    BgfastError
        If there is no such level.

    Examples
    --------
    >>> from bgfast import Game
    >>> game = Game(on_turn=1, dice=[(3, 1)])
    >>> player = opponent("intermediate")
    >>> player.act(game)[0], str(player.act(game)[1])
    ('roll', '8/5 6/5')
    """
    if level not in OPPONENTS:
        raise BgfastError(f"no level {shown(level)}; expected {', '.join(OPPONENTS)}")
    return OPPONENTS[level](rules)
