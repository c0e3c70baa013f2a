"""Opponents of several levels: rules of thumb, pubeval, and the built-in networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from bgfast.analysis.cube_decision import cube_decision
from bgfast.batch.successors import Successors, flip, pip_counts
from bgfast.common.validation import HOME
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import Policy, Pubeval
from bgfast.evaluation.evaluators.exact_tables import is_standard
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.games.game import Game
from bgfast.games.match import Match
from bgfast.games.scoring import win_level
from bgfast.games.state import ActionName
from bgfast.position.objects import Play, PlayList, Position
from bgfast.rules import STANDARD, RuleSet

# Values in pips: a checker borne off and, by board index, a point held and a blot that can be hit.
BORNE_OFF_VALUE = 8
POINT_VALUES = np.array([0, 2, 3, 4, 6, 7, 6, 5, 3, *[1] * 11, 3, 2, 2, 1, 1, 0])
BLOT_COSTS = np.array([0, *range(1, 19), 8, 7, 6, 5, 4, 3, 0]) // 2 + 1

# Limits as fractions of the doubler's pip count.
MIN_DOUBLE_LEAD = 0.10
MAX_TAKE_DEFICIT = 0.13


def simple_play(plays: PlayList) -> Play:
    """Return the best play according to rules of thumb; `plays` is not empty."""
    boards = plays.boards
    pips = pip_counts(boards)
    indices = np.arange(26)
    opponent_rear = np.where(boards < 0, indices, 26).min(axis=1)
    exposed_blots = (boards == 1) & (indices > opponent_rear[:, None])
    score = (pips[:, 1] - pips[:, 0]).astype(np.float64)
    score += (boards >= 2) @ POINT_VALUES - exposed_blots @ BLOT_COSTS
    score -= BORNE_OFF_VALUE * np.maximum(boards, 0).sum(axis=1)
    return plays[int(np.argmax(score))]


def is_pip_double(doubler: Any, taker: Any) -> Any:
    """Return whether a player with pip count `doubler` doubles: bool or ndarray of bool."""
    return taker - doubler > MIN_DOUBLE_LEAD * doubler


def is_pip_take(doubler: Any, taker: Any) -> Any:
    """Return whether a player with pip count `taker` takes: bool or ndarray of bool."""
    return taker - doubler < MAX_TAKE_DEFICIT * doubler


def accepts_by_race(position: Position, level: int, rules: RuleSet = STANDARD) -> bool:
    """Return whether the opponent of the player on roll accepts a resignation, judged by a pure race."""
    return level >= win_level(_position_after_race(position), rules)


def _position_after_race(position: Position) -> Position:
    """Return the remaining checkers of the side on roll after losing a pure race."""
    board = position.to_array().clip(0)
    pips = position.pip_counts[1]
    while board.sum() > 1:
        rear = int(board.nonzero()[0][-1])
        # A checker outside home moves pip by pip; at home it is borne off.
        cost = 1 if rear > HOME else rear
        if cost > pips:
            break
        pips -= cost
        board[rear] -= 1
        board[rear - cost] += rear > HOME
    return Position.from_array(board, position.checkers)


# ---- opponents ----

_ANSWERS: Mapping[str, ActionName] = MappingProxyType(
    {"Take": "take", "Drop": "drop", "Beaver": "beaver", "Raccoon": "raccoon"}
)
RESIGNATION_TOLERANCE = 0.05
"""Maximum equity, in points, that accepting a resignation may cost."""


class Opponent(ABC):
    """Player of one side of a game; by default cube decisions depend on the pip counts."""

    is_trained = False  # True if the opponent was trained on `standard` games

    def __init__(self, rules: RuleSet = STANDARD) -> None:
        self.rules = rules

    @property
    def notice(self) -> str | None:
        """Notice if the opponent was not trained on these rules, otherwise None."""
        if is_standard(self.rules) or not self.is_trained:
            return None
        return "O was trained on the rules `standard` only; under these rules it plays less well."

    @abstractmethod
    def best_play(self, game: Game | Match) -> Play:
        """Return the best play; `game` must have a legal play."""

    def offers_double(self, game: Game | Match) -> bool:
        """Return whether the player doubles where a double is legal."""
        return bool(is_pip_double(*game.position.pip_counts))

    def answer(self, game: Game | Match) -> ActionName:
        """Return the answer to a double, a beaver or a raccoon."""
        # The player on roll answers a beaver; the opponent then counts as the doubler.
        position = game.position.flip() if game.on_turn == game.to_act else game.position
        return "take" if is_pip_take(*position.pip_counts) else "drop"

    def accepts_resignation(self, game: Game | Match, level: int) -> bool:
        """Return whether the player accepts a resignation at this level."""
        return accepts_by_race(game.position, level, self.rules)

    def act(self, game: Game | Match) -> tuple[ActionName, Play | None]:
        """Choose and carry out a legal action; return its name, and the play or None."""
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
        other_actions: tuple[ActionName, ...] = ("draw_lot", "roll", "pass_turn", "next_game")
        return next(name for name in other_actions if name in legal)


class SimpleOpponent(Opponent):
    """Opponent that plays by rules of thumb: race, make points, hit, leave few blots."""

    def best_play(self, game: Game | Match) -> Play:
        """Return the best play according to rules of thumb."""
        return simple_play(game.plays())


class PubevalOpponent(Opponent):
    """Opponent that uses pubeval for plays and the pip count for the cube."""

    is_trained = True

    def __init__(self, rules: RuleSet = STANDARD) -> None:
        super().__init__(rules)
        self._policy = Policy(Pubeval(), rules)

    def best_play(self, game: Game | Match) -> Play:
        """Return the best play according to pubeval."""
        plays = game.plays()
        boards = flip(plays.boards)
        segment = Successors(boards, np.array([0, len(boards)], np.int64), None)
        return plays[int(self._policy.rows(game.position.to_array()[None], segment)[0])]


class NetworkOpponent(Opponent):
    """Opponent that uses a network at `ply` plies, with bear-off databases, for all its decisions."""

    is_trained = True

    def __init__(self, network: Network, rules: RuleSet = STANDARD, ply: int = 0) -> None:
        super().__init__(rules)
        self._player = Lookahead(WithBearoff(network), ply=ply, rules=rules)

    def best_play(self, game: Game | Match) -> Play:
        """Return the best play according to the network."""
        return self._player.best_plays(game.decision)[0].play

    def offers_double(self, game: Game | Match) -> bool:
        """Return whether `cube_decision` doubles where a double is legal."""
        return bool(cube_decision(game.decision, self._player, rules=self.rules).equities.doubles)

    def answer(self, game: Game | Match) -> ActionName:
        """Return the answer of `cube_decision` to a double, a beaver or a raccoon."""
        return _ANSWERS[cube_decision(game.decision, self._player, rules=self.rules).proper_action]

    def accepts_resignation(self, game: Game | Match, level: int) -> bool:
        """Return whether the level is at least the player's cubeless equity, within a tolerance."""
        equity = self._player.evaluation(game.position).equity
        return level + RESIGNATION_TOLERANCE >= (equity if game.on_turn == game.to_act else -equity)


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
        raise BgfastError(f"no level {short_repr(level)}; expected {', '.join(OPPONENTS)}")
    return OPPONENTS[level](rules)
