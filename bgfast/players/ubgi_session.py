"""Session of a UBGI engine: options (in both drafts of the command dialect), position, cube and score."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

from bgfast.common.validation import MAX_THREADS
from bgfast.position.decision import Decision
from bgfast.position.formats import UNLIMITED_CUBE, Context
from bgfast.position.objects import Position

MAX_PLY = 2
MAX_PLAYS = 5_000
"""Maximum number of plays to list; at most 2,226 are legal."""


class Refusal(Exception):  # noqa: N818 - a refused line, not a failure
    """Refusal of a line, with an error code of draft 0.2 such as "bad_value"."""

    def __init__(self, code: str, detail: object) -> None:
        super().__init__(detail)
        self.code = code


class _Option(NamedTuple):
    """Option of the engine, with its names in drafts 0.2 and 0.1 and the values of draft 0.2."""

    key: str
    name: str
    values: range | tuple[str, ...]
    description: str
    offset: int = 0  # values of draft 0.2 minus values of draft 0.1
    minor: bool = False  # True if the option does not influence strength

    def read(self, text: str, offset: int = 0) -> str:
        """Parse a value and return it in the form of draft 0.2."""
        if isinstance(self.values, range):
            value = int(text) + offset if text.isascii() and text.isdigit() and len(text) < 10 else -1
            if value in self.values:
                return str(value)
            low, high = self.values[0] - offset, self.values[-1] - offset
            raise Refusal("bad_value", f"{text} must be {low}..{high}")
        if text not in self.values:
            raise Refusal("bad_value", f"{text} must be {'|'.join(self.values)}")
        return text


class Settings:
    """Values of the options; immutable. The first evaluator is the default."""

    def __init__(self, evaluators: tuple[str, ...], *, ply: int, threads: int) -> None:
        self._options = (
            _Option("engine.evaluator", "Evaluator", evaluators, "evaluator of the positions"),
            _Option("engine.ply", "EvalPlies", range(1, MAX_PLY + 2), "root-inclusive decision depth", 1),
            _Option("engine.eval_mode", "EvalMode", ("cubeful", "cubeless"), "whether cube and score count"),
            _Option("engine.threads", "Threads", range(1, MAX_THREADS + 1), "worker threads", minor=True),
            _Option("engine.multipv", "MultiPV", range(1, MAX_PLAYS + 1), "plays to list", minor=True),
            _Option("game.variant", "Variant", ("backgammon",), "game"),
        )
        defaults = (evaluators[0], str(ply + 1), "cubeful", str(threads), "1", "backgammon")
        self._set_values(dict(zip((option.key for option in self._options), defaults, strict=True)))

    def _set_values(self, values: dict[str, str]) -> None:
        self._values = values
        self.evaluator = values["engine.evaluator"]
        self.ply = int(values["engine.ply"]) - 1  # 0 is static
        self.cubeless = values["engine.eval_mode"] == "cubeless"
        self.threads = int(values["engine.threads"])
        self.plays = int(values["engine.multipv"])  # maximum number to list

    def option_lines(self) -> Iterator[str]:
        """Yield the lines of draft 0.1 that announce the options."""
        for option in self._options:
            value = self._values[option.key]
            if isinstance(option.values, range):
                low, high = option.values[0] - option.offset, option.values[-1] - option.offset
                default = int(value) - option.offset
                yield f"option name {option.name} type spin default {default} min {low} max {high}"
            else:
                choices = " ".join(f"var {choice}" for choice in option.values)
                yield f"option name {option.name} type combo default {value} {choices}"

    def key_lines(self) -> Iterator[str]:
        """Yield the lines of draft 0.2 that announce the options."""
        for option in self._options:
            value = self._values[option.key]
            if isinstance(option.values, range):
                value_type = f"int {option.values[0]}..{option.values[-1]}"
            else:
                value_type = f"enum {'|'.join(option.values)}"
            yield f"key {option.key} {value_type} {value}{' !' if option.minor else ''} {option.description}"

    def get(self, key: str) -> str:
        """Return the value of a key of draft 0.2."""
        if key not in self._values:
            raise Refusal("unsupported", f"key {key}")
        return self._values[key]

    def with_key(self, key: str, text: str) -> Settings:
        """Return the settings after ``set KEY VALUE`` of draft 0.2."""
        self.get(key)
        return self._with_value(next(option for option in self._options if option.key == key), text)

    def with_option(self, name: str, text: str) -> Settings:
        """Return the settings after ``setoption name NAME value VALUE`` of draft 0.1."""
        name = "EvalPlies" if name == "Ply" else name
        for option in self._options:
            if option.name == name:
                return self._with_value(option, text, option.offset)
        raise Refusal("unsupported", f"option {name}")

    def _with_value(self, option: _Option, text: str, offset: int = 0) -> Settings:
        settings = copy(self)
        settings._set_values(self._values | {option.key: option.read(text, offset)})
        return settings


# ---- position, dice, cube, score ----

PLAYERS = {"p0": 1, "p1": -1}
OWNERS = {**PLAYERS, "center": 0, "centre": 0}


class Table:
    """Position of a session, and its context from the side of p0; players are 1 for p0 and -1 for p1.

    p0 is on roll until ``setturn`` or an ID says otherwise. Only IDs set `beaver`, `max_cube` and `offer`.
    """

    def __init__(self) -> None:
        self.position: Position | None = None  # from the side of the player on roll
        self.context = Context()

    def _update(self, **fields: Any) -> None:
        self.context = replace(self.context, **fields)

    def new_game(self) -> None:
        """Delete the position and dice, and reset the cube; keep the session and its score."""
        self.position = None
        self._update(dice=None, offer=None, turn=1, cube=1, cube_owner=0, max_cube=UNLIMITED_CUBE)

    def new_session(self, tokens: list[str]) -> None:
        """Handle ``newsession type money|match [length N] [jacoby on|off] [crawford on|off]``."""
        values = _read_pairs(tokens, ("type", "length", "jacoby", "crawford"))
        session_type = values.get("type")
        if session_type not in ("money", "match"):
            raise Refusal("bad_value", "expected: newsession type <money|match>")
        length = _read_number(values["length"]) if "length" in values else 1
        if session_type == "match" and length < 1:
            raise Refusal("bad_value", "length must be 1 or more")
        jacoby, crawford = (_read_switch(values.get(name, "off")) for name in ("jacoby", "crawford"))
        if session_type == "match" and jacoby:
            raise Refusal("bad_value", "the Jacoby rule is for money play")
        if session_type == "money" and crawford:
            raise Refusal("bad_value", "the Crawford rule is for matches")
        self.position = None
        self.context = Context(
            match_length=length if session_type == "match" else 0, jacoby=jacoby, crawford=crawford
        )

    def set_score(self, tokens: list[str]) -> None:
        """Handle ``setscore P0 P1``."""
        if len(tokens) != 2:
            raise Refusal("bad_command", "expected: setscore <p0> <p1>")
        self._update(score=tuple(map(_read_number, tokens)))

    def set_cube(self, tokens: list[str]) -> None:
        """Handle ``setcube value N owner center|p0|p1``."""
        values = _read_pairs(tokens, ("value", "owner"))
        if len(values) != 2:
            raise Refusal("bad_command", "expected: setcube value <N> owner <center|p0|p1>")
        cube, owner = _read_number(values["value"]), values["owner"]
        if cube < 1 or cube & (cube - 1):
            raise Refusal("bad_value", "the cube must be a power of two")
        if owner not in OWNERS:
            raise Refusal("bad_value", "owner must be center, p0 or p1")
        self._update(cube=cube, cube_owner=OWNERS[owner])

    def set_turn(self, tokens: list[str]) -> None:
        """Handle ``setturn p0|p1``."""
        if len(tokens) != 1 or tokens[0] not in PLAYERS:
            raise Refusal("bad_value", "expected: setturn <p0|p1>")
        self._update(turn=PLAYERS[tokens[0]])

    def set_dice(self, tokens: list[str]) -> None:
        """Handle ``dice D1 D2``; invalid dice delete the old ones."""
        self._update(dice=None, offer=None)
        if len(tokens) != 2 or not all(len(token) == 1 and token in "123456" for token in tokens):
            raise Refusal("bad_value", "expected: dice <1..6> <1..6>")
        self._update(dice=tuple(map(int, tokens)))

    def set_position(self, tokens: list[str]) -> None:
        """Handle ``position gnubgid ID`` or ``position xgid ID``; delete the old dice.

        An invalid position also deletes the old position: no answer may refer to it.
        """
        self.position = None
        self._update(dice=None, offer=None)
        if len(tokens) != 2 or tokens[0] not in ("gnubgid", "xgid"):
            raise Refusal("bad_command", "expected: position <gnubgid|xgid> <ID>")
        id_type, text = tokens
        decision = Decision.read(text)
        self.position = decision.position
        if id_type == "xgid" or ":" in text:
            context = {name: getattr(decision, name) for name in vars(self.context)}
            self.context = _swap_sides(Context(**context))  # X is p0

    def decision(self, *, with_dice: bool) -> Decision:
        """Return the decision: a play if `with_dice`, otherwise a cube decision.

        Raises `Refusal` if the position or the dice are missing, `BgfastError` if score, cube and session
        contradict each other.
        """
        if self.position is None:
            raise Refusal("bad_state", "missing position")
        if with_dice and self.context.dice is None:
            raise Refusal("bad_state", "missing dice")
        unused_field: dict[str, Any] = {"offer": None} if with_dice else {"dice": None}
        context = replace(_swap_sides(self.context), **unused_field)
        max_cube = max(context.max_cube, context.cube)
        return Decision(position=self.position, **{**vars(context), "max_cube": max_cube})


def _swap_sides(context: Context) -> Context:
    """Convert score and cube owner between the mover's side and p0's."""
    first, second = context.score[:: context.turn]
    return replace(context, score=(first, second), cube_owner=context.cube_owner * context.turn)


def _read_pairs(tokens: list[str], names: tuple[str, ...]) -> dict[str, str]:
    """Parse ``name value`` pairs."""
    if len(tokens) % 2 or not set(tokens[::2]) <= set(names) or len(set(tokens[::2])) < len(tokens) // 2:
        raise Refusal("bad_command", f"expected pairs of name and value: {', '.join(names)}")
    return dict(zip(tokens[::2], tokens[1::2], strict=True))


def _read_number(token: str) -> int:
    if not token.isascii() or not token.isdigit() or len(token) > 6:
        raise Refusal("bad_value", f"{token} must be a whole number")
    return int(token)


def _read_switch(token: str) -> bool:
    if token not in ("on", "off"):
        raise Refusal("bad_value", f"{token} must be on or off")
    return token == "on"
