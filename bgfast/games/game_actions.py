"""Actions of `Game` and `Match`; the module `transitions` holds the rules."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from bgfast.common.foreign_names import names_arguments
from bgfast.common.validation import CHECKERS, PositionLike, RollLike, dice_pair, flag
from bgfast.errors import InvalidDiceError, InvalidGameError, short_repr
from bgfast.games.dice import Dice, Throw, throw_text
from bgfast.games.scoring import Cube, award_points, player_number, resign_level
from bgfast.games.state import Action, ActionName, State
from bgfast.games.transitions import check_action
from bgfast.games.turns import play_action, unknown_play
from bgfast.games.views import GameQueries
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position
from bgfast.rules import STANDARD, RuleSetLike

Self = TypeVar("Self", bound="GameBase[Any]")


class GameBase(GameQueries[State]):
    """Actions of a game, as the docstring of `Game` describes them."""

    @classmethod
    def from_decision(
        cls: type[Self],
        decision: str | Decision,
        rules: RuleSetLike = STANDARD,
        *,
        dice: Dice = None,
        checkers: int = CHECKERS,
    ) -> Self:
        """Return the game, match or session of money games that continues from a decision; player 0 is X.

        Parameters
        ----------
        decision : Decision, or the text of one
            As for `Decision.read`. Its dice are the roll to play, and a double on offer becomes the first
            entry of the history. A `Game` ignores points won in money play. Later games of a `Match` begin
            with `Position.start`.
        rules, dice
            As for `Game`. In money play the decision determines beavers and the Jacoby rule.
        checkers : int
            Checkers per side of a decision given as text.

        Raises
        ------
        NotationError, InvalidPositionError
            If the text cannot be read, or the position is finished.
        IllegalActionError
            If the double, beaver or raccoon on offer is not legal.

        Examples
        --------
        >>> import bgfast
        >>> match = bgfast.Match.from_decision("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10")
        >>> match.on_turn, match.dice, match.cube, match.score, match.length
        (1, (3, 1), Cube(value=2, owner=1), (2, 3), 7)
        """
        decision = decision if isinstance(decision, Decision) else Decision.read(decision, checkers)
        game: Self = cls._of_decision(decision, rules, dice)
        offers: tuple[ActionName, ...] = ("double", "beaver", "raccoon")
        for name in () if decision.offer is None else offers[: offers.index(decision.offer) + 1]:
            game._do(Action(name), None)
        return game

    @classmethod
    @abstractmethod
    def _of_decision(cls, decision: Decision, rules: RuleSetLike, dice: Dice) -> Any:
        """Return a game or match that begins with a decision, before any offer."""

    # ---------------------------------------------------------------- dice

    def draw_lot(self, white: int | None = None, *, by: int | None = None) -> int:
        """Draw lots for the colours, under ``opening="colour_lot"``; return White, who rolls first.

        Parameters
        ----------
        white : {0, 1}
            The outcome, if dice are entered by hand.

        Errors are as for `roll`.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(bgfast.EXACT)
        >>> game.draw_lot(1), game.on_turn, game.legal_actions()
        (1, 1, ('roll', 'resign'))
        """
        check_action(self._game, "draw_lot")
        lot = self._throw(True, None if white is None else player_number("white", white))
        assert isinstance(lot, int)
        self._do(Action("draw_lot", white=lot), by)
        return lot

    @names_arguments
    def roll(self, dice: RollLike | None = None, *, by: int | None = None) -> tuple[int, int]:
        """Throw two dice and return them.

        In the opening the first die belongs to player 0, the second to player 1; after a tie the opening is
        rolled again. Before the end of the opponent's turn, the roll is premature: it ends that turn
        or, under ``premature_roll="void"``, is void and leaves `dice` unchanged unless the opponent's play
        was forced or there is no contact. Rolling accepts an illegal play of the opponent.

        Parameters
        ----------
        dice : (int, int) or str
            The dice, such as (3, 1) or ``"31"``, if they are entered by hand.

        Raises
        ------
        InvalidDiceError
            If dice are passed although the game has its own, are missing though they are entered by hand, or
            are invalid, or if the recorded dice have ended.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["44", "53"])
        >>> game.roll(), game.on_turn
        ((4, 4), None)
        >>> game.roll(), game.on_turn
        ((5, 3), 0)
        """
        return self._roll_dice("roll", dice, by)

    def roll_again(self, dice: RollLike | None = None, *, by: int | None = None) -> tuple[int, int]:
        """Throw both dice again, because a die was cocked or landed outside the right half of the board.

        Legal until a checker is moved. Parameters, result and errors are as for `roll`.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.roll("31"), game.roll_again("62"), game.dice
        ((3, 1), (6, 2), (6, 2))
        """
        return self._roll_dice("roll_again", dice, by)

    def _roll_dice(self, name: ActionName, dice: RollLike | None, by: int | None) -> tuple[int, int]:
        check_action(self._game, name)
        throw = self._throw(False, None if dice is None else dice_pair(dice))
        assert not isinstance(throw, int)
        self._do(Action(name, dice=throw), by)
        return throw

    def _throw(self, is_lot: bool, throw: Throw | None) -> Throw:
        if self._source is None:
            if throw is None:
                call = "draw_lot(0) or draw_lot(1)" if is_lot else "roll((3, 1))"
                expected = f"{call}, Game(dice=SEED), or one from to_json(complete=True)"
                raise InvalidDiceError(f"the dice of this game are entered by hand; expected {expected}")
            return throw
        if throw is not None:
            text = throw_text(throw)
            raise InvalidDiceError(f"{text} given, but this game has dice of its own; expected none")
        return self._source.throw_at(self._game.throws, is_lot)

    # ---------------------------------------------------------------- the cube

    def double(self, *, unchecked: bool = False, by: int | None = None) -> None:
        """Offer to double the stake; this accepts an illegal play of the opponent.

        Parameters
        ----------
        unchecked : bool
            True to turn a dead cube, which has no effect but occurs in records of other programs.

        See Also
        --------
        bgfast.cube_decision : Equities of doubling, taking and dropping.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.double()
        >>> game.to_act, game.legal_actions()
        (1, ('take', 'drop'))
        """
        self._do(Action("double", unchecked=flag("unchecked", unchecked)), by)

    def take(self, *, by: int | None = None) -> None:
        """Accept a double, or, as the doubler, a beaver, or, as the beaverer, a raccoon.

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
        """Refuse a double, beaver or raccoon, and lose the previous stake.

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

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(bgfast.RuleSet(beavers=True), on_turn=0)
        >>> game.double()
        >>> game.beaver()
        >>> game.xgid.split(":")[4]
        'B'
        """
        self._do(Action("beaver"), by)

    def raccoon(self, *, by: int | None = None) -> None:
        """Answer a beaver by turning the cube once more; it stays with the opponent.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(bgfast.RuleSet(beavers=True), on_turn=0)
        >>> game.double()
        >>> game.beaver()
        >>> game.raccoon()
        >>> game.xgid.split(":")[4]
        'R'
        """
        self._do(Action("raccoon"), by)

    # ---------------------------------------------------------------- plays

    def play(
        self,
        play: str | Play | Iterable[Sequence[int]],
        *,
        unchecked: bool = False,
        end_turn: bool = True,
        unknown: bool = False,
        by: int | None = None,
    ) -> None:
        """Play the roll.

        Parameters
        ----------
        play : str, Play, or sequence of moves
            As for `Position.play`; without a legal play, ``"pass"`` or an empty sequence calls `pass_turn`.
        unchecked : bool
            Make the play even if it is illegal, as on a real board; forfeited dice are not used. `challenge`
            can take back the play until the opponent accepts it by rolling or doubling.
        end_turn : bool
            False leaves the dice on the board; another play can replace this one until `end_turn`.
        unknown : bool
            Record a play that is not fully known, and end the turn: `play` is the text of the known moves,
            and ends in ``?`` if there were more. Moves that fit the board are made.
            `GameState.board_unknown` is True from then on, until `set_position`.

        Raises
        ------
        IllegalPlayError
            If the play is illegal; the message names the rule. With `unchecked`, if it is physically
            impossible, or would end the game before it could be challenged.
        NotationError
            If text cannot be read, or fits several distinct results.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["31"])
        >>> _ = game.roll()
        >>> game.play("8/4", unchecked=True, end_turn=False)
        >>> game.play("8/5 6/5")
        >>> game.history[-1].text
        '8/5 6/5'
        """
        is_unchecked, ends_turn = flag("unchecked", unchecked), flag("end_turn", end_turn)
        if self._game.phase not in ("to_play", "moved"):
            check_action(self._game, "play")
        if flag("unknown", unknown):
            self._do(unknown_play(self._game, play), by)
        else:
            self._do(play_action(self._game, play, is_unchecked, ends_turn), by)

    def pass_turn(self, *, by: int | None = None) -> None:
        """Pass, since there is no legal play.

        Examples
        --------
        >>> import bgfast
        >>> closed_out = bgfast.Position([0] * 19 + [-2] * 6 + [1])
        >>> game = bgfast.Game(position=closed_out, on_turn=0)
        >>> _ = game.roll("65")
        >>> game.pass_turn()
        >>> game.on_turn
        1
        """
        self._do(Action("pass_turn"), by)

    def end_turn(self, *, by: int | None = None) -> None:
        """Pick up the dice after a play made with ``end_turn=False``.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["31"])
        >>> _ = game.roll()
        >>> game.play("8/5 6/5", end_turn=False)
        >>> game.end_turn()
        >>> game.on_turn
        1
        """
        self._do(Action("end_turn"), by)

    def challenge(self, *, by: int | None = None) -> None:
        """Take back the opponent's illegal play; the opponent must play the same roll legally.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=["31"])
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

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.resign(2)
        >>> game.status
        'X resigns a gammon; O to answer'
        """
        if by is None:
            check_action(self._game, "resign")
        player = None if by is None else player_number("by", by)
        self._do(Action("resign", player=player, level=resign_level(level)), None)

    def accept_resignation(self, *, by: int | None = None) -> None:
        """Accept the opponent's resignation, which ends the game.

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

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.resign()
        >>> game.refuse_resignation()
        >>> game.phase
        'to_roll'
        """
        self._do(Action("refuse_resignation"), by)

    def award(self, winner: int, points: int) -> None:
        """Award the game to a player, as after a timeout or for a record that states only the winner.

        The action is not among `legal_actions`.

        Parameters
        ----------
        winner : {0, 1}
        points : int
            1 to 2**40, regardless of the cube.

        Examples
        --------
        >>> import bgfast
        >>> match = bgfast.Match(5)
        >>> match.award(1, 4)
        >>> str(match.result), match.score
        ('4 points (unexplained)', (0, 4))
        """
        action = Action("award", winner=player_number("winner", winner), points=award_points(points))
        self._do(action, None)

    def set_position(
        self,
        position: PositionLike | None,
        *,
        on_turn: int,
        cube: Cube | None = None,
        roll: RollLike | None = None,
    ) -> None:
        """Continue the game from another position, or begin it there, as a record states.

        Pending rolls, offers and resignations are void. The action is not among `legal_actions`.

        Parameters
        ----------
        position : Position, text, board of 26 numbers, or None
            From the side of the player on turn. None if it is unknown; see `GameState.board_unknown`.
        on_turn : {0, 1}
            The player who is about to double or to roll.
        cube : Cube, optional
            By default the cube stays as it is.
        roll : (int, int) or str, optional
            Roll already thrown by the player on turn; the dice of the game are not used for it.

        Raises
        ------
        InvalidPositionError, InvalidGameError, InvalidDiceError
            If an argument is invalid, or the position is finished or has another number of checkers.

        Examples
        --------
        >>> import bgfast
        >>> match = bgfast.Match(5)
        >>> race = bgfast.Position("XGID=-CB--------------------cb-:0:0:1:00:0:0:0:0:10")
        >>> match.set_position(race, on_turn=1, cube=bgfast.games.Cube(2, owner=1))
        >>> match.xgid
        'XGID=-BC--------------------bc-:1:-1:-1:00:0:0:0:5:10'
        """
        position = None if position is None else Position(position)
        if cube is not None and not isinstance(cube, Cube):
            raise InvalidGameError(f"cube is {short_repr(cube)}; expected a Cube or None")
        action = Action(
            "set_position",
            player=player_number("on_turn", on_turn),
            after=position,
            cube=cube,
            dice=None if roll is None else dice_pair(roll),
        )
        self._do(action, None)
