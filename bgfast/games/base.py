"""State and actions that `Game` and `Match` have in common.

The rules are in `legal_actions` and `transitions`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bgfast.common.validation import dice_pair
from bgfast.common.vocabulary import Roll
from bgfast.errors import IllegalActionError, InvalidDiceError
from bgfast.games.dice import Throw, throw_text
from bgfast.games.history import History, State
from bgfast.games.legal_actions import allowed_actions
from bgfast.games.score_sheet import sheet_text
from bgfast.games.scoring import Cube, GameResult, player_number, point_number, resigned_level
from bgfast.games.state import Action, ActionName, GamePhase, GameState
from bgfast.games.unchecked_plays import play_action
from bgfast.position.board_svg import Diagram, Svg, diagram_svg
from bgfast.position.decision import Decision
from bgfast.position.next_moves import NextMoves, PlaySoFar
from bgfast.position.objects import Play, PlayList, Position
from bgfast.rules import RuleSet

__all__ = ["GameBase"]


class GameBase(History[State]):
    """Actions of a game, with undo and redo.

    Not safe to change from several threads at once; its states are immutable.
    """

    # ---------------------------------------------------------------- overridden by games and matches

    @abstractmethod
    def _head(self, state: State) -> str:
        """Return the heading of a game in a score sheet; empty for a game outside a match."""

    # ---------------------------------------------------------------- state

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
        """The player whom the game waits for: 0 or 1, None for both or none of them."""
        return self._game(self.state).to_act

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll that is to be played, or None."""
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

        Before the opening is decided, X is on roll. Resignations and plays that can
        still be changed are left out.
        """
        return self.state.decision

    @property
    def xgid(self) -> str:
        """The XGID of `decision`. Raises `NotationError` for a cube of more than 32768."""
        return self.decision.xgid

    def board(self, player: int) -> npt.NDArray[np.int8]:
        """Return the board from the side of one player, whoever is on turn.

        Parameters
        ----------
        player : {0, 1}

        Returns
        -------
        ndarray of int8, shape (26,)
            That player's checkers are positive. A play that can still be changed is not on it.

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
        """Return the data of a picture."""
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
        """Return the single moves that some legal play of the roll continues with, as `Position.next_moves`.

        Parameters
        ----------
        so_far : sequence of (from, to) or (die, from, to, hit)
            Moves of this play made so far.

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
        """Return the state of the turn after some of its moves, as `Position.play_so_far`.

        Parameters, errors
            As `next_moves`.

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
        """Return the state with a roll to play; without one raise the error of the action `name`."""
        game = self._game(self.state)
        if game.dice is None:
            reason = "" if game.tied_dice is None else f"; {game.status}"
            raise IllegalActionError(f"{name}: there is no roll to be played{reason}")
        return game, game.dice

    # ---------------------------------------------------------------- dice

    def draw_lot(self, white: int | None = None, *, by: int | None = None) -> int:
        """Draw the colours, under ``opening="colour_lot"``; return the player who is White and rolls first.

        Parameters
        ----------
        white : {0, 1}
            The outcome, where dice are entered by hand.
        by : {None, 0, 1}
            The acting player; the action is refused if it is the other's turn to act. None skips this check,
            as in every other action.

        Raises
        ------
        IllegalActionError
            If there is no lot to be drawn.
        InvalidDiceError
            If the outcome is passed although the game has its own dice, or is missing where dice are entered
            by hand.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(bgfast.EXACT)
        >>> game.draw_lot(1), game.on_turn, game.legal_actions()
        (1, 1, ('roll', 'resign'))
        """
        self._check("draw_lot")
        drawn = self._throw("lot", None if white is None else player_number("white", white))
        assert isinstance(drawn, int)
        self._do(Action("draw_lot", white=drawn), by)
        return drawn

    def roll(self, dice: tuple[int, int] | None = None, *, by: int | None = None) -> tuple[int, int]:
        """Throw two dice and return them.

        In the opening the first die is that of player 0, the second that of player 1; a tie leaves the
        opening to be rolled again. While the opponent's turn has not ended this is a premature roll: it ends
        that turn, or, under ``premature_roll="void"``, is void unless that play was forced or there is no
        contact; then `dice` of the game stays what it was. An illegal play is accepted by rolling.

        Parameters
        ----------
        dice : (int, int)
            The dice, where they are entered by hand.
        by : {None, 0, 1}
            The acting player, as in `draw_lot`.

        Returns
        -------
        (int, int)

        Raises
        ------
        IllegalActionError
            If rolling is not legal now; the message names the rule.
        InvalidDiceError
            If dice are passed although the game has its own, are missing where they are entered by hand, are
            invalid, or the recorded dice have ended.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(4, 4), (5, 3)])
        >>> game.roll(), game.on_turn
        ((4, 4), None)
        >>> game.roll(), game.on_turn
        ((5, 3), 0)
        """
        return self._rolled("roll", dice, by)

    def roll_again(self, dice: tuple[int, int] | None = None, *, by: int | None = None) -> tuple[int, int]:
        """Throw both dice again, because a die was cocked or landed outside the right half of the board.

        Legal until a checker is moved; whether a die was cocked is up to the players. Parameters, result and
        errors are those of `roll`.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.roll((3, 1)), game.roll_again((6, 2)), game.dice
        ((3, 1), (6, 2), (6, 2))
        """
        return self._rolled("roll_again", dice, by)

    def _rolled(self, name: ActionName, dice: tuple[int, int] | None, by: int | None) -> tuple[int, int]:
        self._check(name)
        thrown = self._throw("roll", None if dice is None else dice_pair(dice))
        assert not isinstance(thrown, int)
        self._do(Action(name, dice=thrown), by)
        return thrown

    def _throw(self, kind: str, entered: Throw | None) -> Throw:
        if self._source is None:
            if entered is None:
                expected = "draw_lot(0) or draw_lot(1)" if kind == "lot" else "roll((3, 1))"
                raise InvalidDiceError(
                    f"the dice of this game are entered by hand; expected {expected}, or a game from "
                    "to_json(complete=True)"
                )
            return entered
        if entered is not None:
            raise InvalidDiceError(
                f"{throw_text(entered)} given, but this game has dice of its own; expected none"
            )
        return self._source.throw_at(self._game(self.state).throws, kind)

    # ---------------------------------------------------------------- the cube

    def double(self, *, unchecked: bool = False, by: int | None = None) -> None:
        """Offer to double the stake. This accepts an illegal play of the opponent.

        Parameters
        ----------
        unchecked : bool
            Turn a dead cube, which has no effect; records of other programs contain such doubles.
        by : {None, 0, 1}
            The acting player, as in `draw_lot`.

        Raises
        ------
        IllegalActionError
            If doubling is not legal now; the message names the rule.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.double()
        >>> game.to_act, game.legal_actions()
        (1, ('take', 'drop'))
        >>> game.roll((6, 5))
        Traceback (most recent call last):
            ...
        bgfast.errors.IllegalActionError: roll: a double is pending: it has to be taken or dropped first
        """
        self._do(Action("double", unchecked=unchecked), by)

    def take(self, *, by: int | None = None) -> None:
        """Accept a double, or, as the doubler, a beaver, or, as the beaverer, a raccoon.

        Raises
        ------
        IllegalActionError
            If none is pending.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.double()
        >>> game.take()
        >>> game.cube
        Cube(value=2, owner=1)
        """
        self._do(Action("take"), by)

    def drop(self, *, by: int | None = None) -> None:
        """Refuse a double, beaver or raccoon, and lose the stake before it.

        Raises
        ------
        IllegalActionError
            If none is pending.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.double()
        >>> game.drop()
        >>> game.result.winner, game.result.points
        (0, 1)
        """
        self._do(Action("drop"), by)

    def beaver(self, *, by: int | None = None) -> None:
        """Redouble at once as the doubled player, and keep the cube.

        Raises
        ------
        IllegalActionError
            If no double is pending, or the rules have no beavers, as in all match play.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(bgfast.RuleSet(beavers=True), on_turn=0)
        >>> game.double()
        >>> game.beaver()
        >>> game.take()
        >>> game.cube
        Cube(value=4, owner=1)
        """
        self._do(Action("beaver"), by)

    def raccoon(self, *, by: int | None = None) -> None:
        """Answer a beaver by turning the cube once more; it stays with the other player.

        Raises
        ------
        IllegalActionError
            If no beaver is pending.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(bgfast.RuleSet(beavers=True), on_turn=0)
        >>> game.double()
        >>> game.beaver()
        >>> game.raccoon()
        >>> game.take()
        >>> game.cube
        Cube(value=8, owner=1)
        """
        self._do(Action("raccoon"), by)

    # ---------------------------------------------------------------- plays

    def play(
        self,
        play: str | Play | Iterable[Sequence[int]],
        *,
        unchecked: bool = False,
        end_turn: bool = True,
        by: int | None = None,
    ) -> None:
        """Play the roll.

        Parameters
        ----------
        play : str, Play, or sequence of moves
            As `Position.play` takes it; where the turn passes, ``"pass"`` or no moves at all is `pass_turn`.
        unchecked : bool
            Make the play even if it is illegal, as on a real board: checkers move where the play says, and
            forfeited dice are not used. `challenge` can take it back until the opponent accepts it by
            rolling or doubling.
        end_turn : bool
            False leaves the dice on the board: the play may be replaced by another one until `end_turn`.

        Raises
        ------
        IllegalActionError
            If there is no roll to be played.
        IllegalPlayError
            If the play is not legal; the message names the rule. Unchecked: if it is physically impossible,
            or would end the game, after which it could not be challenged.
        NotationError
            If text cannot be read, or fits several distinct results.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(3, 1)])
        >>> _ = game.roll()
        >>> game.play("8/4", unchecked=True, end_turn=False)
        >>> game.play("8/5 6/4", unchecked=True)
        >>> game.legal_actions()
        ('roll', 'double', 'challenge', 'resign')
        >>> game.challenge()
        >>> game.play("8/5 6/5")
        """
        game = self._game(self.state)
        if game.phase not in ("to_play", "moved"):
            self._check("play")
        self._do(play_action(game, play, unchecked, end_turn), by)

    def pass_turn(self, *, by: int | None = None) -> None:
        """Pass, since there is no legal play.

        Raises
        ------
        IllegalActionError
            If there is one, or no roll to be played.

        Examples
        --------
        >>> import bgfast
        >>> closed_out = bgfast.Position.from_array([0] * 19 + [-2] * 6 + [1])
        >>> game = bgfast.Game(position=closed_out, on_turn=0)
        >>> _ = game.roll((6, 5))
        >>> game.pass_turn()
        >>> game.on_turn
        1
        """
        self._do(Action("pass_turn"), by)

    def end_turn(self, *, by: int | None = None) -> None:
        """Pick up the dice after a play made with ``end_turn=False``.

        Raises
        ------
        IllegalActionError
            If no such play was made.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(3, 1)])
        >>> _ = game.roll()
        >>> game.play("8/5 6/5", end_turn=False)
        >>> game.on_turn
        0
        >>> game.end_turn()
        >>> game.on_turn
        1
        """
        self._do(Action("end_turn"), by)

    def challenge(self, *, by: int | None = None) -> None:
        """Take back the opponent's illegal play; the opponent must play the same roll legally.

        Raises
        ------
        IllegalActionError
            If there is no illegal play to challenge.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=[(3, 1)])
        >>> _ = game.roll()
        >>> game.play("8/4 6/5", unchecked=True)
        >>> game.challenge()
        >>> game.on_turn, game.dice
        (0, (3, 1))
        """
        self._do(Action("challenge"), by)

    # ---------------------------------------------------------------- giving up

    def resign(self, level: int = 1, *, by: int | None = None) -> None:
        """Offer to lose the game; the opponent accepts or refuses.

        Parameters
        ----------
        level : {1, 2, 3}
            A single game, a gammon or a backgammon.
        by : {None, 0, 1}
            The resigning player; either may resign at any moment. None is the player on turn, who may resign
            before the roll or the play.

        Raises
        ------
        IllegalActionError
            If a resignation is pending, or the game is over; without `by` also at any other moment.
        InvalidGameError
            If the level is invalid.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.resign(2)
        >>> game.accept_resignation()
        >>> game.result.winner, game.result.points
        (1, 2)
        """
        if by is None:
            self._check("resign")
        player = None if by is None else player_number("by", by)
        self._do(Action("resign", player=player, level=resigned_level(level)), None)

    def accept_resignation(self, *, by: int | None = None) -> None:
        """Accept the opponent's resignation, which ends the game.

        Raises
        ------
        IllegalActionError
            If none is pending.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.resign()
        >>> game.accept_resignation()
        >>> str(game.result)
        '1 point (single, resignation)'
        """
        self._do(Action("accept_resignation"), by)

    def refuse_resignation(self, *, by: int | None = None) -> None:
        """Refuse the opponent's resignation; the game resumes.

        Raises
        ------
        IllegalActionError
            If none is pending.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> before = game.state
        >>> game.resign()
        >>> game.refuse_resignation()
        >>> game.state == before
        True
        """
        self._do(Action("refuse_resignation"), by)

    def award(self, winner: int, points: int) -> None:
        """Award the game to a player for a reason outside of play.

        For example a timeout, an abandoned game, or a record that states only the winner. It is not one of
        `legal_actions`.

        Parameters
        ----------
        winner : {0, 1}
        points : int
            1 to 2**40, whatever the cube shows.

        Raises
        ------
        IllegalActionError
            If the game is over.
        InvalidGameError
            If the winner is no player, or the points are out of range.

        Examples
        --------
        >>> import bgfast
        >>> match = bgfast.Match(5)
        >>> match.award(1, 4)
        >>> str(match.result), match.score
        ('4 points (unexplained)', (0, 4))
        """
        action = Action("award", winner=player_number("winner", winner), points=point_number(points))
        self._do(action, None)
