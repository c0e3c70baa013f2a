"""History of a game or match: its start, actions and undone actions, and their JSON form."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from bgfast.common.validation import dice_pair, flag
from bgfast.errors import BgfastError, IllegalActionError, InvalidGameError, short_repr
from bgfast.games.dice import DiceSource, restore_source, throw_text
from bgfast.games.scoring import PLAYER_NAMES, Cube, award_points, player_number, resign_level, score_pair
from bgfast.games.state import Action, ActionName, GameState, State, evolve
from bgfast.games.transitions import ACTIONS, actor, next_state
from bgfast.games.turns import Turn, Turns, apply_turns, check_saved_play, play_of_turn
from bgfast.position.objects import Position
from bgfast.rules import RuleSet

FORMAT = 1
KEYS = ("bgfast", "format", "start", "dice", "actions", "done")


def _check_type(type_: type, name: str, value: Any) -> Any:
    """Return `value`; raise `InvalidGameError` with `name` in its message unless `value` is a `type_`."""
    if not isinstance(value, type_):
        raise InvalidGameError(f"{name} is {short_repr(value)}; expected a {type_.__name__}")
    return value


_check_flag, _check_text = partial(_check_type, bool), partial(_check_type, str)


def _optional(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else read(value)


# Readers for the values of a saved action, by key. A key that ends with a question mark may be missing in
# older files and where a record does not state the value.
_READERS: Mapping[str, Mapping[str, Callable[[Any], Any] | None]] = {
    "draw_lot": {"white": partial(player_number, "white")},
    "roll": {"dice": dice_pair},
    "roll_again": {"dice": dice_pair},
    "play": {
        "play": partial(_check_text, "play of a play"),
        "position": None,  # `read_action` reads this value
        "unchecked": partial(_check_flag, "unchecked of a play"),
        "ends_turn": partial(_check_flag, "ends_turn of a play"),
        "unknown?": partial(_check_flag, "unknown of a play"),
    },
    "double": {"unchecked?": partial(_check_flag, "unchecked of a double")},
    "resign": {"level": resign_level, "player?": _optional(partial(player_number, "player"))},
    "award": {"winner": partial(player_number, "winner"), "points": award_points},
    "set_position": {
        "position": None,
        "on_turn": partial(player_number, "on_turn"),
        "cube": _optional(lambda value: read_object("its cube", value, Cube)),
        "dice": _optional(dice_pair),
    },
    "next_game": {
        "score?": _optional(score_pair),
        "crawford?": _optional(partial(_check_flag, "crawford of next_game")),
    },
}
_FIELDS = {"play": "text", "position": "after", "on_turn": "player"}
"""Field of `Action` by key, where the names differ."""


def read_saved_text(text: Any, noun: str) -> dict[str, Any]:
    """Parse a saved game or match and check its top-level values."""
    try:
        content = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidGameError(f"not a saved {noun}: {error!s:.100}") from None
    if not isinstance(content, dict) or content.get("bgfast") != noun:
        raise InvalidGameError(f"not a saved {noun}: {short_repr(content)}")
    if content.get("format") != FORMAT:
        raise InvalidGameError(
            f"format {short_repr(content.get('format'))} of a saved {noun}; expected {FORMAT}"
        )
    check_keys(f"a saved {noun}", content, KEYS)
    if not isinstance(content["actions"], list):
        raise InvalidGameError(f"the saved actions are {short_repr(content['actions'])}; expected a list")
    done = content["done"]
    if type(done) is not int or not 0 <= done <= len(content["actions"]):
        raise InvalidGameError(f"done is {short_repr(done)}; expected 0 to {len(content['actions'])} actions")
    return content


def check_keys(name: str, content: Any, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Raise `InvalidGameError` unless `content` has the keys `names`; `optional` keys may be present."""
    if not isinstance(content, dict) or set(content) - set(optional) != set(names):
        keys = sorted(content) if isinstance(content, dict) else content
        raise InvalidGameError(f"{name} has {short_repr(keys)}; expected the keys {', '.join(names)}")


def read_object(name: str, content: Any, class_: Any, optional: tuple[str, ...] = ()) -> Any:
    """Parse an instance of a dataclass; `optional` fields may be missing."""
    names = tuple(field.name for field in fields(class_) if field.name not in optional)
    check_keys(name, content, names, optional)
    return class_(**content)


def read_rules(content: Any) -> Any:
    """Parse the fields of a rule set."""
    return read_object("its rule set", content, RuleSet, ("cube_limit",))  # absent in older files


def dataclass_content(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass as plain data."""
    return None if value is None else asdict(value)


def position_content(position: Position) -> dict[str, Any]:
    """Return a position as plain data."""
    return {"gnubg_id": position.gnubg_id, "checkers": position.checkers}


def read_position(content: Any) -> Position:
    """Parse the result of `position_content`."""
    check_keys("its position", content, ("gnubg_id", "checkers"))
    return Position.from_gnubg_id(content["gnubg_id"], content["checkers"])


def action_content(action: Action) -> dict[str, Any]:
    """Return an action as plain data, without its player where the game implies the player."""
    position = None if action.after is None else action.after.gnubg_id
    details: dict[str, Any] = {**vars(action), "play": action.text, "position": position}
    details |= {"on_turn": action.player, "cube": dataclass_content(action.cube)}
    details["unknown"] = action.unknown or None
    names = [key.rstrip("?") for key in _READERS.get(action.name, ())]
    if action.name in ("next_game", "play"):
        names = [name for name in names if details[name] is not None]
    return {"action": action.name, **{name: details[name] for name in names}}


def read_action(content: Any, names: tuple[ActionName, ...], checkers: int) -> Action:
    """Parse an action; `names` are the valid action names, `checkers` the checkers per side."""
    name: ActionName | None = content.get("action") if isinstance(content, dict) else None
    if not isinstance(name, str) or name not in names:
        raise InvalidGameError(f"{short_repr(content)}; expected an action: {', '.join(names)}")
    readers = _READERS.get(name, {})
    optional = tuple(key[:-1] for key in readers if key[-1] == "?")
    required = (key for key in readers if key[-1] != "?")
    check_keys(f"the action {name}", content, ("action", *required), optional)
    values = {
        _FIELDS.get(key, key): content[key] if read is None else read(content[key])
        for key, read in ((key.rstrip("?"), read) for key, read in readers.items())
        if key in content
    }
    if name == "play" or values.get("after") is not None:
        values["after"] = Position.from_gnubg_id(values["after"], checkers)
    return Action(name, **values)


# ---------------------------------------------------------------- history


Self = TypeVar("Self", bound="History[Any]")


class History(ABC, Generic[State]):
    """Base class of games and matches: start, actions with the state after each, undone actions, and dice."""

    _NOUN: ClassVar[str]
    _ACTIONS: ClassVar[tuple[ActionName, ...]] = (*ACTIONS, "award", "set_position")

    def __init__(self, start: State, source: DiceSource | None) -> None:
        self._start = start
        self._source = source
        self._log: list[tuple[Action | Turns, State]] = []
        self._action_count = 0
        self._undone: list[tuple[Action, State]] = []

    @abstractmethod
    def _start_content(self) -> dict[str, Any]:
        """Return the constructor's arguments, without the dice, as plain data."""

    @classmethod
    @abstractmethod
    def _from_start(cls, content: Any) -> Any:
        """Return a game or match with this start."""

    def _after(self, state: State, action: Action) -> State:
        return state._with_game(next_state(state._game, action))

    # ---------------------------------------------------------------- state

    @property
    def state(self) -> State:
        """Current state, immutable."""
        return self._log[-1][1] if self._log else self._start

    @property
    def _game(self) -> GameState:
        return self.state._game

    @property
    def history(self) -> tuple[Action, ...]:
        """Actions since the start, without undone actions."""
        return tuple(action for action, _ in self._expand_log())

    @property
    def states(self) -> tuple[State, ...]:
        """State before each action of `history`, followed by the current state."""
        return (self._start, *(state for _, state in self._expand_log()))

    def _expand_log(self) -> list[tuple[Action, State]]:
        """Return each action and the state after it, with batches of turns expanded."""
        if any(isinstance(entry, Turns) for entry, _ in self._log):
            # A single assignment: a concurrent reader sees one of two equivalent lists.
            self._log = list(self._expand_turns())
        return self._log  # type: ignore[return-value]

    def _expand_turns(self) -> Iterator[tuple[Action, State]]:
        state = self._start
        for entry, after in self._log:
            if isinstance(entry, Action):
                yield entry, after
            else:
                for count, turn in enumerate(entry.turns, 1):
                    if state._game.phase != "to_play":
                        action, state = self._result(state, Action("roll", dice=turn[1]))
                        yield action, state
                    action, state = self._result(state, play_of_turn(state._game, turn))
                    yield action, after if count == len(entry.turns) else state
            state = after  # the same object that callers have seen, not an equal one

    @property
    def action_count(self) -> int:
        """Number of actions in `history`, counted without building it."""
        return self._action_count

    @property
    def turn_count(self) -> int:
        """Number of plays and passes in `history`, counted without building it."""
        return sum(
            len(entry.turns) if isinstance(entry, Turns) else entry.name in ("play", "pass_turn")
            for entry, _ in self._log
        )

    # ---------------------------------------------------------------- actions and undo

    def _do(self, action: Action, by: int | None) -> None:
        """Apply an action; on an error nothing changes."""
        action, after = self._result(self.state, action)
        player = action.player
        if by is not None and player is not None and player_number("by", by) != player:
            # "only the player on turn ..."
            name, other = PLAYER_NAMES[player], PLAYER_NAMES[1 - player]
            raise IllegalActionError(f"{action.name}: it is {name}'s turn to act, not {other}'s")
        self._log.append((action, after))
        self._action_count += 1
        self._undone.clear()

    def _result(self, state: State, action: Action) -> tuple[Action, State]:
        """Return the action with its player, and the state after it."""
        player = actor(state._game, action.name)
        if action.name in ("resign", "set_position") and action.player is not None:
            player = action.player  # may be either player, whoever is on turn
        action = evolve(action, player=player)
        return action, self._after(state, action)

    def _apply_turns(self, turns: list[Turn | None], first: int) -> int:
        """Apply legal turns from index `first` as `roll` and `play` would; return the number applied."""
        if self._source is not None:
            return 0
        result = apply_turns(self._game, turns, first)
        if result is None:
            return 0
        batch, game = result
        self._log.append((batch, self.state._with_game(game)))
        self._action_count += batch.action_count
        self._undone.clear()
        return len(batch.turns)

    def undo(self) -> None:
        """Undo the last action; repeated throws give the same dice, unless dice are entered by hand.

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
            raise IllegalActionError("undo: there is no action to undo")
        self._undone.append(self._expand_log().pop())
        self._action_count -= 1

    def redo(self) -> None:
        """Redo the last undone action; a new action discards all undone actions.

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
        """Return the start and the actions as JSON, with one action per line.

        Parameters
        ----------
        complete : bool
            False omits undone actions and future dice (the state of the generator, or the remaining recorded
            throws); the restored game continues with dice entered by hand. True includes both: anyone who
            reads the text can predict every throw. A pickle is always complete.

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
        actions = ",\n  ".join(json.dumps(action_content(action)) for action in (*self.history, *undone))
        dice = self._source.content() if is_complete and self._source is not None else None
        start, done = json.dumps(self._start_content()), self._action_count
        return (
            f'{{"bgfast": "{self._NOUN}",\n "format": {FORMAT},\n "start": {start},\n'
            f' "dice": {json.dumps(dice)},\n "actions": [\n  {actions}\n ],\n "done": {done}}}\n'
        )

    @classmethod
    def from_json(cls: type[Self], text: str) -> Self:
        """Restore a game or match from the text of `to_json`; check every action again.

        Later dice are entered by hand unless the text was written with `complete`.

        Raises
        ------
        InvalidGameError
            If the text is not a saved game or has an impossible entry, which the message names.
        """
        content = read_saved_text(text, cls._NOUN)
        try:
            game: Self = cls._from_start(content["start"])
            game._source = restore_source(content["dice"])
            for index, action in enumerate(content["actions"], 1):
                game._replay(action, index)
        except BgfastError as error:
            raise InvalidGameError(f"saved {cls._NOUN}: {error}") from None
        if game._source is not None and game._source.content() != content["dice"]:
            raise InvalidGameError(f"saved {cls._NOUN}: its actions use more throws than its dice contain")
        for _ in range(len(content["actions"]) - content["done"]):
            game.undo()
        return game

    def _replay(self, content: Any, index: int) -> None:
        try:
            game = self._game
            action = read_action(content, self._ACTIONS, game.position.checkers)
            if action.name == "play" and game.phase in ("to_play", "moved"):
                check_saved_play(game, action)
            throw = {"draw_lot": action.white, "set_position": None}.get(action.name, action.dice)
            self._do(action, None)
            if self._source is not None and throw is not None:
                expected = self._source.throw_at(game.throws, action.name == "draw_lot")
                if throw != expected:
                    raise InvalidGameError(f"{throw_text(throw)}, but the dice give {throw_text(expected)}")
        except BgfastError as error:
            raise InvalidGameError(f"action {index}: {error}") from None

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
