"""History of a game or match: its start, actions and undone actions, and their JSON form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Generic, TypeVar

from bgfast.common.validation import flag
from bgfast.errors import BgfastError, IllegalActionError, InvalidGameError
from bgfast.games.dice import DiceSource, restored_source, throw_text
from bgfast.games.legal_actions import ACTIONS, actor
from bgfast.games.saving import action_content, read_action, read_saved, saved
from bgfast.games.scoring import PLAYER_NAMES, player_number
from bgfast.games.state import Action, ActionName, GameState, StateBase, changed
from bgfast.games.transitions import check_action
from bgfast.games.turns import Turn, Turns, apply_turns, play_of_turn
from bgfast.games.unchecked_plays import check_saved_play

State = TypeVar("State", bound=StateBase)
Self = TypeVar("Self", bound="History[Any]")


class History(ABC, Generic[State]):
    """Start, actions with the state after each, undone actions, and dice.

    Subclasses define the state after an action; `legal_actions` and `transitions` hold the rules.
    """

    _KIND: ClassVar[str]
    _ACTIONS: ClassVar[tuple[ActionName, ...]] = (*ACTIONS, "award", "set_position")

    def __init__(self, start: State, source: DiceSource | None) -> None:
        self._start = start
        self._source = source
        self._log: list[tuple[Action | Turns, State]] = []
        self._action_count = 0
        self._undone: list[tuple[Action, State]] = []

    # ---------------------------------------------------------------- overridden by games and matches

    @abstractmethod
    def _game(self, state: State) -> GameState:
        """Return the state of the game that is being played."""

    @abstractmethod
    def _after(self, state: State, action: Action) -> State:
        """Return the state after an action, or raise."""

    @abstractmethod
    def _with_game(self, state: State, game: GameState) -> State:
        """Return the state with the current game replaced."""

    @abstractmethod
    def _start_content(self) -> dict[str, Any]:
        """Return the arguments of the constructor as plain data, the dice apart."""

    @classmethod
    @abstractmethod
    def _from_start(cls, content: Any) -> Any:
        """Return a game or match with this start."""

    # ---------------------------------------------------------------- state

    @property
    def state(self) -> State:
        """Current state, immutable."""
        return self._log[-1][1] if self._log else self._start

    @property
    def history(self) -> tuple[Action, ...]:
        """The actions since the start, undone actions left out."""
        return tuple(action for action, _ in self._expand_log())

    @property
    def states(self) -> tuple[State, ...]:
        """State before each action of `history`, followed by the current state."""
        return (self._start, *(state for _, state in self._expand_log()))

    def _expand_log(self) -> list[tuple[Action, State]]:
        """Return each action and the state after it, with batches of turns expanded."""
        if any(isinstance(entry, Turns) for entry, _ in self._log):
            # One assignment, so that a thread that only reads sees either of two equivalent lists.
            self._log = list(self._expanded())
        return self._log  # type: ignore[return-value]

    def _expanded(self) -> Iterator[tuple[Action, State]]:
        state = self._start
        for entry, after in self._log:
            if isinstance(entry, Action):
                yield entry, after
            else:
                for number, turn in enumerate(entry.turns, 1):
                    if self._game(state).phase != "to_play":
                        action, state = self._result(state, Action("roll", dice=turn[1]))
                        yield action, state
                    action, state = self._result(state, play_of_turn(self._game(state), turn))
                    yield action, after if number == len(entry.turns) else state
            state = after  # the object that callers have seen

    @property
    def action_count(self) -> int:
        """Length of `history`, without building it."""
        return self._action_count

    @property
    def turn_count(self) -> int:
        """Number of plays and passes in `history`, without building it."""
        return sum(
            len(entry.turns) if isinstance(entry, Turns) else entry.name in ("play", "pass_turn")
            for entry, _ in self._log
        )

    # ---------------------------------------------------------------- actions and undo

    def _check(self, name: ActionName) -> None:
        check_action(self._game(self.state), name)

    def _do(self, action: Action, by: int | None) -> None:
        """Apply an action; on an error nothing changes."""
        completed, after = self._result(self.state, action)
        player = completed.player
        if by is not None and player is not None and player_number("by", by) != player:
            # "only the player on turn ..."
            raise IllegalActionError(
                f"{action.name}: it is for {PLAYER_NAMES[player]} to act, not for {PLAYER_NAMES[1 - player]}"
            )
        self._log.append((completed, after))
        self._action_count += 1
        self._undone.clear()

    def _result(self, state: State, action: Action) -> tuple[Action, State]:
        """Return the action with its player, and the state after it."""
        player = actor(self._game(state), action.name)
        if action.name in ("resign", "set_position") and action.player is not None:
            player = action.player  # whoever is on turn
        completed = changed(action, player=player)
        return completed, self._after(state, completed)

    def _apply_turns(self, turns: list[Turn | None], first: int) -> int:
        """Apply recorded turns from index `first`; return the number applied.

        It stops at a turn that is None, illegal, or not in plain notation. The history equals that of `roll`
        and `play`.
        """
        if self._source is not None:
            return 0
        result = apply_turns(self._game(self.state), turns, first)
        if result is None:
            return 0
        batch, game = result
        self._log.append((batch, self._with_game(self.state, game)))
        self._action_count += batch.actions
        self._undone.clear()
        return len(batch.turns)

    def undo(self) -> None:
        """Undo the last action. Throws repeated after it are the same, unless entered by hand.

        Raises
        ------
        IllegalActionError
            If there is no action to undo.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=7)
        >>> dice = game.roll()
        >>> game.undo()
        >>> game.roll() == dice
        True
        """
        if not self._log:
            raise IllegalActionError("undo: nothing was done yet")
        last, state = self._log[-1]
        if isinstance(last, Turns):
            last, state = self._expand_log()[-1]
        self._log.pop()
        self._action_count -= 1
        self._undone.append((last, state))

    def redo(self) -> None:
        """Redo the last action undone; a new action discards those undone.

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
        self._log.append(self._undone.pop())
        self._action_count += 1

    # ---------------------------------------------------------------- JSON and pickling

    def to_json(self, *, complete: bool = False) -> str:
        """Return the start and the actions as JSON.

        Parameters
        ----------
        complete : bool
            False omits undone actions and future dice: the generator, or the remaining recorded throws. The
            restored game continues with dice entered by hand. True includes them, so that a reader can
            predict every throw: do not send it to players.

        Returns
        -------
        str
            JSON with one action per line.

        Notes
        -----
        A pickle is always complete.

        Examples
        --------
        >>> import bgfast
        >>> game = bgfast.Game(dice=7)
        >>> _ = game.roll()
        >>> bgfast.Game.from_json(game.to_json()).state == game.state
        True
        >>> restored = bgfast.Game.from_json(game.to_json(complete=True))
        >>> restored == game, restored.roll_again() == game.roll_again()
        (True, True)
        """
        is_complete = flag("complete", complete)
        undone = [action for action, _ in reversed(self._undone)] if is_complete else []
        return saved(
            self._KIND,
            self._start_content(),
            self._source.content() if is_complete and self._source is not None else None,
            [action_content(action) for action in (*self.history, *undone)],
            self._action_count,
        )

    @classmethod
    def from_json(cls: type[Self], text: str) -> Self:
        """Restore a game or match from `to_json`; every action is checked again.

        Parameters
        ----------
        text : str
            Later dice are entered by hand unless it was written with `complete`.

        Raises
        ------
        InvalidGameError
            If the text is not a saved game or has an impossible entry, which the message names.

        Examples
        --------
        >>> import bgfast
        >>> text = bgfast.Game(on_turn=0).to_json()
        >>> bgfast.Game.from_json(text).legal_actions()
        ('roll', 'double', 'resign')
        >>> bgfast.Game.from_json(text.replace('"value": 1', '"value": 3'))
        Traceback (most recent call last):
            ...
        bgfast.errors.InvalidGameError: saved game: the cube's value is 3; expected a power of two \
from 1 to 2**30
        """
        content = read_saved(text, cls._KIND)
        try:
            game: Self = cls._from_start(content["start"])
            game._source = restored_source(content["dice"])
            for number, action in enumerate(content["actions"], 1):
                game._replay(action, number)
        except BgfastError as error:
            raise InvalidGameError(f"saved {cls._KIND}: {error}") from None
        if game._source is not None and game._source.content() != content["dice"]:
            raise InvalidGameError(f"saved {cls._KIND}: it has used more dice than its record of them holds")
        for _ in range(len(content["actions"]) - content["done"]):
            game.undo()
        return game

    def _replay(self, content: Any, number: int) -> None:
        try:
            game = self._game(self.state)
            action = read_action(content, self._ACTIONS, game.position.checkers)
            if action.name == "play" and game.phase in ("to_play", "moved"):
                check_saved_play(game, action)
            kind = "roll" if action.white is None else "lot"
            thrown = action.dice if action.white is None else action.white
            if action.name == "set_position":
                thrown = None
            self._do(action, None)
            if self._source is not None and thrown is not None:
                expected = self._source.throw_at(game.throws, kind)
                if thrown != expected:
                    raise InvalidGameError(f"{throw_text(thrown)}, but the dice give {throw_text(expected)}")
        except BgfastError as error:
            raise InvalidGameError(f"action {number}: {error}") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History) or type(self) is not type(other):
            return NotImplemented
        # The states follow from the start and the actions.
        return bool(
            self._start == other._start
            and self.history == other.history
            and [action for action, _ in self._undone] == [action for action, _ in other._undone]
            and self._source == other._source
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]
