"""JSON form of games, with validation on reading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from bgfast.common.validation import dice_pair
from bgfast.errors import InvalidGameError, shown
from bgfast.games.scoring import (
    Cube,
    MatchScore,
    player_number,
    point_number,
    resigned_level,
    score_pair,
)
from bgfast.games.state import Action, ActionName
from bgfast.position.objects import Position
from bgfast.rules import RuleSet

FORMAT = 1
KEYS = ("bgfast", "format", "start", "dice", "actions", "done")

# Fields of an action besides its name; actions that are not listed have none.
_DETAILS: Mapping[str, tuple[str, ...]] = {
    "draw_lot": ("white",),
    "roll": ("dice",),
    "roll_again": ("dice",),
    "play": ("play", "position", "unchecked", "ends_turn", "unknown"),
    "double": ("unchecked",),
    "resign": ("level", "player"),
    "award": ("winner", "points"),
    "set_position": ("position", "on_turn", "cube", "dice"),
    "next_game": ("score", "crawford"),
}
# Fields that may be missing: in older files, or where the record does not state them.
_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "double": ("unchecked",),
    "play": ("unknown",),
    "resign": ("player",),
    "next_game": ("score", "crawford"),
}


def saved(kind: str, start: Any, dice: Any, actions: list[Any], done: int) -> str:
    """Return a game or match as JSON, one action a line."""
    lines = ",\n  ".join(json.dumps(action) for action in actions)
    return (
        f'{{"bgfast": "{kind}",\n "format": {FORMAT},\n "start": {json.dumps(start)},\n'
        f' "dice": {json.dumps(dice)},\n "actions": [\n  {lines}\n ],\n "done": {done}}}\n'
    )


def read_saved(text: Any, kind: str) -> dict[str, Any]:
    """Parse the result of `saved` and check its outermost level."""
    try:
        content = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidGameError(f"no saved {kind}: {error!s:.100}") from None
    if not isinstance(content, dict) or content.get("bgfast") != kind:
        raise InvalidGameError(f"no saved {kind}: {shown(content)}")
    if content.get("format") != FORMAT:
        raise InvalidGameError(f"format {shown(content.get('format'))} of a saved {kind}; expected {FORMAT}")
    same_keys(f"a saved {kind}", content, KEYS)
    if not isinstance(content["actions"], list):
        raise InvalidGameError(f"its actions are {shown(content['actions'])}; expected a list")
    done = content["done"]
    if type(done) is not int or not 0 <= done <= len(content["actions"]):
        raise InvalidGameError(f"done is {shown(done)}; expected 0 to {len(content['actions'])} actions")
    return content


def same_keys(name: str, content: Any, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Raise `InvalidGameError` unless `content` is an object with these keys, apart from optional ones."""
    if not isinstance(content, dict) or set(content) - set(optional) != set(names):
        keys = sorted(content) if isinstance(content, dict) else content
        raise InvalidGameError(f"{name} has {shown(keys)}; expected the keys {', '.join(names)}")


def read_object(name: str, content: Any, class_: Any, optional: tuple[str, ...] = ()) -> Any:
    """Return the instance of a dataclass with these fields."""
    names = tuple(field.name for field in fields(class_) if field.name not in optional)
    same_keys(name, content, names, optional)
    return class_(**content)


def read_rules(content: Any) -> RuleSet:
    """Parse a rule set."""
    rules: RuleSet = read_object("its rule set", content, RuleSet, ("cube_limit",))  # absent in older files
    return rules


def plain(value: RuleSet | MatchScore | Cube | None) -> dict[str, Any] | None:
    """Return the fields as plain data."""
    return None if value is None else asdict(value)


def position_content(position: Position) -> dict[str, Any]:
    """Return a position as plain data."""
    return {"gnubg_id": position.gnubg_id, "checkers": position.checkers}


def read_position(content: Any) -> Position:
    """Parse a position."""
    same_keys("its position", content, ("gnubg_id", "checkers"))
    return Position.from_gnubg_id(content["gnubg_id"], content["checkers"])


def action_content(action: Action) -> dict[str, Any]:
    """Return an action as plain data; the game implies its player."""
    position = None if action.after is None else action.after.gnubg_id
    details: dict[str, Any] = {**vars(action), "play": action.text, "position": position}
    details |= {"on_turn": action.player, "cube": plain(action.cube), "unknown": action.unknown or None}
    names = _DETAILS.get(action.name, ())
    if action.name in ("next_game", "play"):
        names = tuple(name for name in names if details[name] is not None)
    return {"action": action.name, **{name: details[name] for name in names}}


def read_action(content: Any, names: tuple[ActionName, ...], checkers: int) -> Action:
    """Parse an action; `names` are the valid action names, `checkers` is the number per side."""
    name: ActionName | None = content.get("action") if isinstance(content, dict) else None
    if not isinstance(name, str) or name not in names:
        raise InvalidGameError(f"{shown(content)}; expected an action: {', '.join(names)}")
    details, optional = _DETAILS.get(name, ()), _OPTIONAL.get(name, ())
    needed = (detail for detail in details if detail not in optional)
    same_keys(f"the action {name}", content, ("action", *needed), optional)
    if name == "draw_lot":
        return Action(name, white=player_number("white", content["white"]))
    if name in ("roll", "roll_again"):
        return Action(name, dice=dice_pair(content["dice"]))
    if name == "resign":
        player = content.get("player")
        return Action(
            name,
            level=resigned_level(content["level"]),
            player=None if player is None else player_number("player", player),
        )
    if name == "award":
        return Action(
            name, winner=player_number("winner", content["winner"]), points=point_number(content["points"])
        )
    if name == "set_position":
        position, cube, dice = content["position"], content["cube"], content["dice"]
        return Action(
            name,
            player=player_number("on_turn", content["on_turn"]),
            dice=None if dice is None else dice_pair(dice),
            after=None if position is None else Position.from_gnubg_id(position, checkers),
            cube=None if cube is None else read_object("its cube", cube, Cube),
        )
    if name == "next_game":
        score, crawford = content.get("score"), content.get("crawford")
        if crawford is not None and not isinstance(crawford, bool):
            raise InvalidGameError(f"crawford of next_game is {shown(crawford)}; expected a bool")
        return Action(name, score=None if score is None else score_pair(score), crawford=crawford)
    if name == "double":
        if not isinstance(content.get("unchecked", False), bool):
            raise InvalidGameError(f"unchecked of a double is {shown(content['unchecked'])}; expected a bool")
        return Action(name, unchecked=content.get("unchecked", False))
    if name != "play":
        return Action(name)
    content = {"unknown": False, **content}
    for key, type_ in (("play", str), ("unchecked", bool), ("ends_turn", bool), ("unknown", bool)):
        if not isinstance(content[key], type_):
            raise InvalidGameError(f"{key} of a play is {shown(content[key])}; expected a {type_.__name__}")
    return Action(
        name,
        after=Position.from_gnubg_id(content["position"], checkers),
        text=content["play"],
        unchecked=content["unchecked"],
        ends_turn=content["ends_turn"],
        unknown=content["unknown"],
    )
