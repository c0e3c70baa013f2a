"""The table at which a game or a match is played: what `Game` and `Match` share.

A table holds the state it started from, what was done since, what was taken back, and the dice. Rules are
not its business: the states and what leads from one to the next are in the modules below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import tee
from typing import Any, ClassVar, Generic, TypeVar

from .actions import Action
from .dice_sources import DiceSource, Throw, restored_source, throw_text
from .doubling_cube import Cube
from .errors import (
    BgfastError,
    IllegalActionError,
    IllegalPlayError,
    InvalidDiceError,
    InvalidGameError,
    shown,
)
from .free_hands import carried
from .gamestate import GameState
from .inputs import dice_pair
from .legality import ACTIONS, actor, allowed_actions
from .players import PLAYER_NAMES, player_number
from .position import Play, PlayList, Position
from .rules import RuleSet
from .saved_games import action_content, read_action, read_saved, saved
from .scoring import GameResult, resigned_level
from .transitions import check_action

__all__ = ["Table"]

State = TypeVar("State")
Self = TypeVar("Self", bound="Table[Any]")


class Table(ABC, Generic[State]):
    """What can be done in a game, with a history that can be undone and done again.

    Not safe to change from several threads at once; the states that it hands out are.
    """

    _KIND: ClassVar[str]
    _ACTIONS: ClassVar[tuple[str, ...]] = tuple(ACTIONS)

    def __init__(self, start: State, source: DiceSource | None) -> None:
        self._start = start
        self._source = source
        self._done: list[tuple[Action, State]] = []
        self._undone: list[tuple[Action, State]] = []

    # ---------------------------------------------------------------- what a game and a match do differently

    @abstractmethod
    def _game(self, state: State) -> GameState:
        """Return the state of the game that is being played."""

    @abstractmethod
    def _after(self, state: State, action: Action) -> State:
        """Return the state after an action, or raise."""

    @abstractmethod
    def _start_content(self) -> dict[str, Any]:
        """Return the arguments of the constructor as plain data, the dice apart."""

    @classmethod
    @abstractmethod
    def _from_start(cls, content: Any) -> Any:
        """Return a table that starts like this."""

    # ---------------------------------------------------------------- where it stands

    @property
    def state(self) -> State:
        """Where it stands: immutable, to be kept and compared."""
        return self._done[-1][1] if self._done else self._start

    @property
    def history(self) -> tuple[Action, ...]:
        """What was done since the start, undone actions left out."""
        return tuple(action for action, _ in self._done)

    @property
    def states(self) -> tuple[State, ...]:
        """The state before each action of `history`, and the present one behind them."""
        return (self._start, *(state for _, state in self._done))

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self._game(self._start).rules

    @property
    def phase(self) -> str:
        """What the game waits for; see `GameState`."""
        return self._game(self.state).phase

    @property
    def position(self) -> Position:
        """The position from the side of the player on turn; see `GameState`."""
        return self._game(self.state).position

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
        """How the game ended; None while it goes on."""
        return self._game(self.state).result

    def legal_actions(self) -> tuple[str, ...]:
        """Return what may be done now, as the names of methods.

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
        """Return the legal plays of the roll on the table.

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
        game = self._game(self.state)
        if game.dice is None:
            raise IllegalActionError("plays: there is no roll to be played")
        return game.plays()

    # ---------------------------------------------------------------- dice

    def draw_lot(self, white: int | None = None, *, by: int | None = None) -> int:
        """Draw the colours, under ``opening="colour_lot"``; return the player who is White and rolls first.

        Parameters
        ----------
        white : {0, 1}
            The outcome, where dice are entered by hand.
        by : {None, 0, 1}
            The player who does it; refused if it is not for him to do so. None leaves that aside, here and in
            every other action.

        Raises
        ------
        IllegalActionError
            If there is no lot to be drawn.
        InvalidDiceError
            If the outcome is given although the dice are not entered by hand, or missing where they are.

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
        that turn, or, under ``premature_roll="void"``, is void unless his play was forced or there is no
        contact; then `dice` of the game stays what it was. An illegal play is accepted by rolling.

        Parameters
        ----------
        dice : (int, int)
            What was thrown, where dice are entered by hand.
        by : {None, 0, 1}
            The player who does it, as in `draw_lot`.

        Returns
        -------
        (int, int)

        Raises
        ------
        IllegalActionError
            If it is not the moment to roll; the message says why.
        InvalidDiceError
            If dice are given although they come from elsewhere, are missing where they do not, are no dice,
            or the record of them has ended.

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
        """Throw both dice again, since one of them leant or lay outside the right half of the board.

        Only before a checker was moved with them. That they do lean is for the players to see. Parameters,
        result and errors are those of `roll`.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.roll((3, 1)), game.roll_again((6, 2)), game.dice
        ((3, 1), (6, 2), (6, 2))
        """
        return self._rolled("roll_again", dice, by)

    def _rolled(self, name: str, dice: tuple[int, int] | None, by: int | None) -> tuple[int, int]:
        self._check(name)
        thrown = self._throw("roll", None if dice is None else dice_pair(dice))
        assert not isinstance(thrown, int)
        self._do(Action(name, dice=thrown), by)
        return thrown

    def _throw(self, kind: str, given: Throw | None) -> Throw:
        if self._source is None:
            if given is None:
                expected = "draw_lot(0) or draw_lot(1)" if kind == "lot" else "roll((3, 1))"
                raise InvalidDiceError(f"the dice of this game are entered by hand; expected {expected}")
            return given
        if given is not None:
            raise InvalidDiceError(f"{throw_text(given)} given, but this game has dice of its own")
        return self._source.throw_at(self._game(self.state).throws, kind)

    # ---------------------------------------------------------------- the cube

    def double(self, *, by: int | None = None) -> None:
        """Offer to double the stake. An illegal play of the opponent is accepted by that.

        Raises
        ------
        IllegalActionError
            If the player may not double now; the message says why.

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
        self._do(Action("double"), by)

    def take(self, *, by: int | None = None) -> None:
        """Accept a double, or, as the doubler, a beaver.

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
        """Refuse a double and lose the stake before it; as the doubler, give up the stake before a beaver.

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
            If no double is pending, or the rules know no beavers; match play never does.

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
            Make the play even if it is illegal, as hands can: checkers are carried where the play says, and
            the dice that it forfeits are left. It can be taken back with `challenge` until the opponent
            accepts it by rolling or doubling.
        end_turn : bool
            False leaves the dice on the board: the play may be replaced by another one until `end_turn`.

        Raises
        ------
        IllegalActionError
            If there is no roll to be played.
        IllegalPlayError
            If the play is not legal; the message says which rule. Unchecked: if hands cannot make it, or it
            would end the game, after which nobody could challenge it.
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
        self._do(_made(game, play, unchecked, end_turn), by)

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
        """Have the opponent's illegal play taken back; he plays the same roll again, legally.

        Raises
        ------
        IllegalActionError
            If there is no illegal play that could still be challenged.

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

        Raises
        ------
        IllegalActionError
            If the player is not on turn, or has to answer a double.
        InvalidGameError
            If the level is none.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.resign(2)
        >>> game.accept_resignation()
        >>> game.result.winner, game.result.points
        (1, 2)
        """
        self._do(Action("resign", level=resigned_level(level)), by)

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
        """Refuse the opponent's resignation; the game goes on where it stood.

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

    # ---------------------------------------------------------------- doing and undoing

    def _check(self, name: str) -> None:
        check_action(self._game(self.state), name)

    def _do(self, action: Action, by: int | None) -> None:
        """Do something, or raise and leave everything as it is."""
        player = actor(self._game(self.state), action.name)
        made = replace(action, player=player)
        after = self._after(self.state, made)
        if by is not None and player is not None and player_number("by", by) != player:
            # "only the player on turn ..."
            raise IllegalActionError(
                f"{action.name}: it is for {PLAYER_NAMES[player]} to act, not for {PLAYER_NAMES[1 - player]}"
            )
        self._done.append((made, after))
        self._undone.clear()

    def undo(self) -> None:
        """Take the last action back. Dice that are thrown again come out the same, unless entered by hand.

        Raises
        ------
        IllegalActionError
            If nothing was done yet.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=7)
        >>> dice = game.roll()
        >>> game.undo()
        >>> game.roll() == dice
        True
        """
        if not self._done:
            raise IllegalActionError("undo: nothing was done yet")
        self._undone.append(self._done.pop())

    def redo(self) -> None:
        """Do again what was undone last; after another action there is nothing to be done again.

        Raises
        ------
        IllegalActionError
            If nothing was undone.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(on_turn=0)
        >>> game.double()
        >>> game.undo()
        >>> game.redo()
        >>> game.phase
        'doubled'
        """
        if not self._undone:
            raise IllegalActionError("redo: nothing was undone")
        self._done.append(self._undone.pop())

    # ---------------------------------------------------------------- as a value

    def to_json(self) -> str:
        """Return everything as JSON: the start, the dice, the history and what was undone.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=7)
        >>> _ = game.roll()
        >>> bgfast.Game.from_json(game.to_json()) == game
        True
        """
        undone = [action for action, _ in reversed(self._undone)]
        return saved(
            self._KIND,
            self._start_content(),
            None if self._source is None else self._source.content(),
            [action_content(action) for action in (*self.history, *undone)],
            len(self._done),
        )

    @classmethod
    def from_json(cls: type[Self], text: str) -> Self:
        """Return what `to_json` wrote; every action is checked as if it were done now.

        Parameters
        ----------
        text : str

        Raises
        ------
        InvalidGameError
            If the text is no saved game, or something in it is not possible; the message says what.

        Examples
        --------
        >>> import bgfast
        >>> text = bgfast.Game(on_turn=0).to_json()
        >>> bgfast.Game.from_json(text).legal_actions()
        ('roll', 'double', 'resign')
        >>> bgfast.Game.from_json(text.replace('"value": 1', '"value": 3'))
        Traceback (most recent call last):
            ...
        bgfast.errors.InvalidGameError: saved game: the cube's value is 3; expected a power of two
        """
        content = read_saved(text, cls._KIND)
        try:
            table: Self = cls._from_start(content["start"])
            table._source = restored_source(content["dice"])
            for number, action in enumerate(content["actions"], 1):
                table._replay(action, number)
        except BgfastError as error:
            raise InvalidGameError(f"saved {cls._KIND}: {error}") from None
        if table._source is not None and table._source.content() != content["dice"]:
            raise InvalidGameError(f"saved {cls._KIND}: it has used more dice than its record of them holds")
        for _ in range(len(content["actions"]) - content["done"]):
            table.undo()
        return table

    def _replay(self, content: Any, number: int) -> None:
        try:
            game = self._game(self.state)
            action = read_action(content, self._ACTIONS, game.position.checkers)
            if action.name == "play" and game.phase in ("to_play", "moved"):
                _check_text(game, action)
            kind = "roll" if action.white is None else "lot"
            thrown = action.dice if action.white is None else action.white
            self._do(action, None)
            if self._source is not None and thrown is not None:
                expected = self._source.throw_at(game.throws, kind)
                if thrown != expected:
                    raise InvalidGameError(f"{throw_text(thrown)}, but the dice give {throw_text(expected)}")
        except BgfastError as error:
            raise InvalidGameError(f"action {number}: {error}") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table) or type(self) is not type(other):
            return NotImplemented
        return bool(
            self._start == other._start
            and self._done == other._done
            and self._undone == other._undone
            and self._source == other._source
        )

    __hash__ = None  # type: ignore[assignment]


def _made(game: GameState, play: Any, unchecked: bool, end_turn: bool) -> Action:
    """Return what a play is as an action: a pass, or a play with what it leads to and its text."""
    plays = game.plays()
    # Moves that come one after the other can be asked for once only.
    first, again = tee(play) if isinstance(play, Iterator) else (play, play)
    try:
        after = game.position.play(first, plays.roll, game.rules)
        text = ""
    except IllegalPlayError:
        if not unchecked:
            check_action(game, "play")  # where the turn passes it says so
            raise
        after, text = carried(game.position, again)
    if not len(plays) and after == game.position.flip():
        # "No legal play: the turn passes; a pass changes nothing"
        return Action("pass_turn")
    for legal in plays:
        if legal.position == after:
            return Action("play", after=after, text=str(legal), ends_turn=end_turn)
    return Action("play", after=after, text=text, unchecked=True, ends_turn=end_turn)


def _check_text(game: GameState, action: Action) -> None:
    """Raise unless the text of a saved play is that of what it leads to."""
    assert action.after is not None
    found = next((play for play in game.plays() if play.position == action.after), None)
    expected = carried(game.position, action.text) if found is None else (action.after, str(found))
    if (action.after, action.text) != expected:
        raise InvalidGameError(f"the play {shown(action.text)} does not lead to {action.after.gnubg_id}")
