"""Queries that `Game` and `Match` have in common: state, legal actions, and score sheet."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import Roll
from bgfast.errors import IllegalActionError
from bgfast.games.history import History, State
from bgfast.games.legal_actions import allowed_actions
from bgfast.games.score_sheet import sheet_text
from bgfast.games.scoring import Cube, GameResult, player_number
from bgfast.games.state import ActionName, GamePhase, GameState
from bgfast.position.board_svg import Svg, diagram_svg
from bgfast.position.decision import Decision
from bgfast.position.diagram import Diagram
from bgfast.position.next_moves import NextMoves, PlaySoFar
from bgfast.position.objects import PlayList, Position
from bgfast.rules import RuleSet


class GameQueries(History[State]):
    """State of a game, and its history as a score sheet."""

    @abstractmethod
    def _head(self, state: State) -> str:
        """Return the heading of a game in a score sheet; empty for a game outside a match."""

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self._game(self._start).rules

    @property
    def phase(self) -> GamePhase:
        """Phase of the game; see `GameState`."""
        return self._game(self.state).phase

    @property
    def position(self) -> Position:
        """The position from the side of the player on turn; see `GameState`."""
        return self._game(self.state).position

    @property
    def status(self) -> str:
        """Action that is due, or the result, in words: ``"4-4 is a tie: roll again"``."""
        return self.state.status

    @property
    def on_turn(self) -> int | None:
        """The player on turn: 0 or 1, None before the opening has decided it."""
        return self._game(self.state).on_turn

    @property
    def to_act(self) -> int | None:
        """Player to act, 0 or 1; None for both or none of them."""
        return self._game(self.state).to_act

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll to play, or None."""
        return self._game(self.state).dice

    @property
    def cube(self) -> Cube:
        """The doubling cube."""
        return self._game(self.state).cube

    @property
    def result(self) -> GameResult | None:
        """Result of the game; None until it is over."""
        return self._game(self.state).result

    @property
    def decision(self) -> Decision:
        """Decision with dice, cube, score and rules; player 0 is X.

        Before the opening is decided, X is on roll. Resignations and plays that can still be changed are left
        out.
        """
        return self.state.decision

    @property
    def xgid(self) -> str:
        """The XGID of `decision`. Raises `NotationError` for a cube of more than 32768."""
        return self.decision.xgid

    def board(self, player: int) -> npt.NDArray[np.int8]:
        """Return the board from the side of a player.

        Parameters
        ----------
        player : {0, 1}

        Returns
        -------
        ndarray of int8, shape (26,)
            The player's checkers are positive. The board is that before a play that can still be changed.

        Raises
        ------
        InvalidGameError
            If `player` is neither 0 nor 1.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(3, 1)])
        >>> _ = game.roll()
        >>> game.play("8/5 6/5")
        >>> int(game.board(0)[5]), int(game.board(1)[20])
        (2, -2)
        """
        game = self._game(self.state)
        player = player_number("player", player)
        return (game.position if player == (game.on_turn or 0) else game.position.flip()).to_array()

    def score_sheet(self) -> str:
        """Return the score sheet of the actions so far.

        Returns
        -------
        str
            One line for two turns, with X (player 0) on the left; points are numbered from the mover's side.
            The result, and actions of both players, have separate lines.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(4, 4), (3, 1), (6, 5)])
        >>> _ = game.roll(), game.roll()
        >>> game.play("8/5 6/5")
        >>> _ = game.roll()
        >>> game.play("24/13")
        >>> game.double()
        >>> game.drop()
        >>> print(game.score_sheet())
             X                                   O
        opening roll 4-4: a tie
          1) 31: 8/5 6/5                         65: 24/13
          2) Doubles to 2                        Drops
        X wins 1 point (single, drop)
        """
        states = self.states
        return sheet_text(self.history, list(map(self._game, states)), list(map(self._head, states)))

    def _diagram(self) -> Diagram:
        return self.state._diagram()

    def _repr_svg_(self) -> Svg:
        return diagram_svg(self._diagram())

    def legal_actions(self) -> tuple[ActionName, ...]:
        """Return the legal actions, as the names of methods.

        Returns
        -------
        tuple of str
            Empty when the game is over. ``"play"`` stands for any of `plays`, ``"resign"`` for each of its
            levels.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.legal_actions()
        ('roll', 'double', 'resign')
        """
        return allowed_actions(self._game(self.state))

    def plays(self) -> PlayList:
        """Return the legal plays of the roll.

        Returns
        -------
        PlayList
            Empty if the turn passes.

        Raises
        ------
        IllegalActionError
            If there is no roll to be played.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(3, 1)])
        >>> _ = game.roll()
        >>> len(game.plays())
        16
        """
        game, _ = self._rolled_game("plays")
        return game.plays()

    def next_moves(self, so_far: Iterable[Sequence[int]] = ()) -> NextMoves:
        """Return the single moves that continue a partial play of the roll; see `Position.next_moves`.

        Parameters
        ----------
        so_far : sequence of (from, to) or (die, from, to, hit)
            The moves already made.

        Returns
        -------
        NextMoves

        Raises
        ------
        IllegalActionError
            If there is no roll to be played.
        IllegalPlayError
            If no legal play begins with `so_far`.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(6, 5)])
        >>> _ = game.roll()
        >>> [move.to for move in game.next_moves([(24, 18)]).moves]
        [13, 8, 3]
        """
        game, roll = self._rolled_game("next_moves")
        return game.position.next_moves(roll, so_far, game.rules)

    def play_so_far(self, so_far: Iterable[Sequence[int]]) -> PlaySoFar:
        """Return the turn after the moves of a partial play; see `Position.play_so_far`.

        Parameters and errors are those of `next_moves`.

        Returns
        -------
        PlaySoFar

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(6, 5)])
        >>> _ = game.roll()
        >>> game.play_so_far([(24, 18)]).text
        '24/18'
        """
        game, roll = self._rolled_game("play_so_far")
        return game.position.play_so_far(roll, so_far, game.rules)

    def _rolled_game(self, name: str) -> tuple[GameState, Roll]:
        """Return the state and its roll; without a roll raise the error of the action `name`."""
        game = self._game(self.state)
        if game.dice is None:
            reason = "" if game.tied_dice is None else f"; {game.status}"
            raise IllegalActionError(f"{name}: there is no roll to be played{reason}")
        return game, game.dice
