"""Match of `bgfast.games` with the action numbers of the match environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from bgfast.batch.successors import Successors
from bgfast.common.validation import whole_number
from bgfast.common.vocabulary import BOARD_SIZE
from bgfast.errors import IllegalActionError, shown
from bgfast.games.match import Match
from bgfast.games.scoring import LEVELS, other_player
from bgfast.learning.environments._games import (
    AWAY,
    AWAY_OPPONENT,
    CRAWFORD,
    CUBE,
    MATCH_OBSERVED,
    OWNER,
    PHASE,
    RESIGNATION,
)
from bgfast.learning.environments.frames import Frame, frame
from bgfast.learning.environments.ground import Mask, Observation, action_mask, listed
from bgfast.learning.environments.match_ground import MATCH_ACTIONS, MATCH_PHASES
from bgfast.position.objects import PlayList, Position
from bgfast.rules import RuleSet

_RESIGNATIONS = {f"resign_{level}": number for number, level in enumerate(LEVELS, 1)}


class NumberedMatch:
    """Match at a decision of a player; actions without a choice are carried out automatically.

    A `length` of 0 is money play: a single game. `start` is from the side of player 0.
    """

    def __init__(
        self, length: int, rules: RuleSet, start: Position, max_plays: int, dice: np.random.Generator
    ) -> None:
        self.match = Match(length or None, rules, position=start, dice=dice)
        self._max_plays = max_plays
        self.plays: PlayList | None = None  # legal plays of the roll; None unless a play is due
        self.names: tuple[str, ...] = ()  # legal actions of `MATCH_ACTIONS`
        self._advance()

    @property
    def is_over(self) -> bool:
        """True if the match, or the money game, is over."""
        match = self.match
        return match.winner is not None if match.length is not None else match.result is not None

    @property
    def player(self) -> int:
        """Player to act, 0 or 1; at the end the player on turn."""
        match = self.match
        player = match.on_turn if self.is_over else match.to_act
        assert player is not None
        return player

    def is_legal(self, action: Any) -> bool:
        """Return whether an action is legal."""
        number = whole_number(action)
        if number is None or 0 <= number < self._play_count():
            return number is not None
        index = number - self._max_plays
        return 0 <= index < len(MATCH_ACTIONS) and MATCH_ACTIONS[index] in self.names

    def act(self, action: int) -> None:
        """Carry out a legal action."""
        if action < self._play_count():
            self._play(int(action))
        else:
            self._do(MATCH_ACTIONS[action - self._max_plays])
        self._advance()

    def lose(self, player: int, points: int) -> None:
        """Award the match, or a money game with `points` points, to the opponent of a player."""
        winner, match = other_player(player), self.match
        match.award(winner, points if match.length is None else match.length - match.score[winner])
        self._advance()

    def reward(self, player: int) -> float:
        """Return the reward of a player: points of money play, 1 or -1 in a match; 0 until the end."""
        if not self.is_over:
            return 0.0
        assert self.match.result is not None
        size = self.match.result.points if self.match.length is None else 1
        return float(size if self.match.result.winner == player else -size)

    def refused(self, action: Any) -> IllegalActionError:
        """Return the error for an illegal action."""
        return illegal_action("", action, self._max_plays, self._play_count(), self.names)

    # ---------------------------------------------------------------- observations

    def observation(self, player: int) -> Observation:
        """Return the observation of a player."""
        match, state = self.match, self.match.state.game
        numbers = np.zeros(MATCH_OBSERVED, np.int8)
        numbers[:BOARD_SIZE] = match.board(player)
        if self.plays is not None and state.on_turn == player and state.dice is not None:
            numbers[BOARD_SIZE : BOARD_SIZE + 2] = state.dice
        numbers[CUBE] = state.cube.value.bit_length() - 1
        if state.cube.owner is not None:
            numbers[OWNER] = 1 if state.cube.owner == player else -1
        if match.length is not None:
            away = [max(0, match.length - points) for points in match.score]
            numbers[AWAY], numbers[AWAY_OPPONENT] = away[player], away[other_player(player)]
            numbers[CRAWFORD] = state.match is not None and state.match.crawford
        numbers[PHASE] = MATCH_PHASES.index(state.phase)
        numbers[RESIGNATION] = state.resignation
        return numbers

    def action_mask(self, player: int) -> Mask:
        """Return ones for the legal actions of a player."""
        acts = player == self.player
        plays = action_mask(self._play_count() if acts else 0, self._max_plays)
        names = self.names if acts else ()
        return np.concatenate((plays, np.array([name in names for name in MATCH_ACTIONS], np.int8)))

    def successors(self) -> Successors:
        """Return the successors of the roll, with the next player on roll; none unless a play is due."""
        return listed(self.plays, self.match.position)

    def text(self) -> str:
        """Return the board as text with cube, score and dice, X at the bottom."""
        return self.match.decision._board(self.match.status)

    def pixels(self) -> Frame:
        """Return the board as pixels, X at the bottom."""
        return frame(self.match.state._diagram())

    # ---------------------------------------------------------------- actions

    def _play_count(self) -> int:
        return 0 if self.plays is None else max(1, len(self.plays))

    def _play(self, number: int) -> None:
        assert self.plays is not None
        if len(self.plays):
            self.match.play(self.plays[number])
        else:
            self.match.pass_turn()

    def _do(self, name: str) -> None:
        if name in _RESIGNATIONS:
            self.match.resign(_RESIGNATIONS[name])
        else:
            getattr(self.match, name)()

    def _advance(self) -> None:
        """Carry out lots, openings, rolls where no double is legal, and the next game."""
        match = self.match
        legal: tuple[str, ...] = ()
        while not self.is_over:
            legal = match.legal_actions()
            if "next_game" in legal:
                match.next_game()
            elif "draw_lot" in legal:
                match.draw_lot()
            elif match.phase in ("opening", "first_roll") or (
                match.phase == "to_roll" and "double" not in legal
            ):
                match.roll()
            else:
                break
        self.plays = match.plays() if match.phase == "to_play" else None
        names = [name for name in MATCH_ACTIONS if name in legal]
        self.names = (*names, *_RESIGNATIONS) if "resign" in legal else tuple(names)


def illegal_action(
    where: str, action: Any, max_plays: int, plays: int, names: tuple[str, ...]
) -> IllegalActionError:
    """Return the error for an illegal action."""
    expected = [f"{max_plays + MATCH_ACTIONS.index(name)} ({name})" for name in names]
    if plays:
        expected.insert(0, f"0 to {plays - 1} (plays)")
    return IllegalActionError(f"{where}action is {shown(action)}; expected {', '.join(expected)}")
