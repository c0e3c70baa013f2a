"""Session of a UBGI engine: options in both drafts of the command dialect, position, cube and score."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

from bgfast.common.validation import MAX_THREADS, Roll
from bgfast.position.decision import Decision
from bgfast.position.formats import Context, Offer
from bgfast.position.objects import Position

MAX_PLY = 2
MAX_PLAYS = 5_000
"""Maximum number of plays to list; at most 2,226 are legal."""


class Refusal(Exception):  # noqa: N818 - a refused line, not a failure
    """Line that cannot be obeyed, with its code in draft 0.2, as "bad_value"."""

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
    minor: bool = False  # True if it has no influence on strength

    def read(self, text: str, offset: int = 0) -> str:
        """Parse a value, and return it as in draft 0.2."""
        if isinstance(self.values, range):
            number = int(text) + offset if text.isascii() and text.isdigit() and len(text) < 10 else -1
            if number in self.values:
                return str(number)
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
        return self._with(next(option for option in self._options if option.key == key), text)

    def with_option(self, name: str, text: str) -> Settings:
        """Return the settings after ``setoption name NAME value VALUE`` of draft 0.1."""
        name = "EvalPlies" if name == "Ply" else name
        for option in self._options:
            if option.name == name:
                return self._with(option, text, option.offset)
        raise Refusal("unsupported", f"option {name}")

    def _with(self, option: _Option, text: str, offset: int = 0) -> Settings:
        changed = copy(self)
        changed._set_values(self._values | {option.key: option.read(text, offset)})
        return changed


# ---- position, dice, cube, score ----

PLAYERS = {"p0": 1, "p1": -1}
OWNERS = {**PLAYERS, "center": 0, "centre": 0}
MAX_CUBE = Context().max_cube


@dataclass
class Table:
    """State of a session, with the fields of a `Decision`; players are 1 for p0 and -1 for p1.

    p0 is on roll until ``setturn`` says otherwise. Only IDs state `beaver`, `max_cube` and `offer`.
    """

    position: Position | None = None  # from the side of the player on roll
    dice: Roll | None = None
    turn: int = 1
    cube: int = 1
    cube_owner: int = 0  # 0 for the centre
    score: tuple[int, int] = (0, 0)  # of p0 and p1
    match_length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beaver: bool = False
    max_cube: int = MAX_CUBE
    offer: Offer | None = None

    def new_game(self) -> None:
        """Forget position, dice and cube; the session and its score stay."""
        self.position = self.dice = self.offer = None
        self.cube, self.cube_owner, self.max_cube, self.turn = 1, 0, MAX_CUBE, 1

    def new_session(self, tokens: list[str]) -> None:
        """Obey ``newsession type money|match [length N] [jacoby on|off] [crawford on|off]``."""
        values = _read_pairs(tokens, ("type", "length", "jacoby", "crawford"))
        session = values.get("type")
        if session not in ("money", "match"):
            raise Refusal("bad_value", "expected: newsession type <money|match>")
        length = _whole_number(values["length"]) if "length" in values else 1
        if session == "match" and length < 1:
            raise Refusal("bad_value", "length must be 1 or more")
        fresh = Table(
            match_length=length if session == "match" else 0,
            jacoby=_switch(values.get("jacoby", "off")),
            crawford=_switch(values.get("crawford", "off")),
        )
        if session == "match" and fresh.jacoby:
            raise Refusal("bad_value", "the Jacoby rule is for money play")
        if session == "money" and fresh.crawford:
            raise Refusal("bad_value", "the Crawford rule is for matches")
        vars(self).update(vars(fresh))

    def set_score(self, tokens: list[str]) -> None:
        """Obey ``setscore P0 P1``."""
        if len(tokens) != 2:
            raise Refusal("bad_command", "expected: setscore <p0> <p1>")
        first, second = map(_whole_number, tokens)
        self.score = (first, second)

    def set_cube(self, tokens: list[str]) -> None:
        """Obey ``setcube value N owner center|p0|p1``."""
        values = _read_pairs(tokens, ("value", "owner"))
        if len(values) != 2:
            raise Refusal("bad_command", "expected: setcube value <N> owner <center|p0|p1>")
        cube, owner = _whole_number(values["value"]), values["owner"]
        if cube < 1 or cube & (cube - 1):
            raise Refusal("bad_value", "the cube must be a power of two")
        if owner not in OWNERS:
            raise Refusal("bad_value", "owner must be center, p0 or p1")
        self.cube, self.cube_owner = cube, OWNERS[owner]

    def set_turn(self, tokens: list[str]) -> None:
        """Obey ``setturn p0|p1``."""
        if len(tokens) != 1 or tokens[0] not in PLAYERS:
            raise Refusal("bad_value", "expected: setturn <p0|p1>")
        self.turn = PLAYERS[tokens[0]]

    def set_dice(self, tokens: list[str]) -> None:
        """Obey ``dice D1 D2``; invalid dice delete the old ones."""
        self.dice = self.offer = None
        if len(tokens) != 2 or not all(len(token) == 1 and token in "123456" for token in tokens):
            raise Refusal("bad_value", "expected: dice <1..6> <1..6>")
        self.dice = (int(tokens[0]), int(tokens[1]))

    def set_position(self, tokens: list[str]) -> None:
        """Obey ``position gnubgid ID`` or ``position xgid ID``; delete the old dice.

        An invalid position also deletes the old position: no answer may refer to it.
        """
        self.position = self.dice = self.offer = None
        if len(tokens) != 2 or tokens[0] not in ("gnubgid", "xgid"):
            raise Refusal("bad_command", "expected: position <gnubgid|xgid> <ID>")
        id_type, text = tokens
        decision = Decision.read(text)
        if id_type == "gnubgid" and ":" not in text:
            self.position = decision.position
            return
        vars(self).update({name: getattr(decision, name) for name in vars(self)})  # X is p0
        self._swap_sides()

    def decision(self, *, with_dice: bool) -> Decision:
        """Return the decision; `with_dice` for a play, without for the cube.

        Raises `Refusal` if position or dice are missing, and `BgfastError` if score, cube and session
        contradict each other.
        """
        if self.position is None:
            raise Refusal("bad_state", "missing position")
        if with_dice and self.dice is None:
            raise Refusal("bad_state", "missing dice")
        mover = replace(self, dice=self.dice if with_dice else None, offer=None if with_dice else self.offer)
        mover.max_cube = max(self.max_cube, self.cube)
        mover._swap_sides()
        return Decision(**vars(mover))

    def _swap_sides(self) -> None:
        """Convert score and cube owner between the mover's side and p0's."""
        first, second = self.score[:: self.turn]
        self.score, self.cube_owner = (first, second), self.cube_owner * self.turn


def _read_pairs(tokens: list[str], names: tuple[str, ...]) -> dict[str, str]:
    """Parse ``name value`` pairs."""
    if len(tokens) % 2 or not set(tokens[::2]) <= set(names) or len(set(tokens[::2])) < len(tokens) // 2:
        raise Refusal("bad_command", f"expected pairs of name and value: {', '.join(names)}")
    return dict(zip(tokens[::2], tokens[1::2], strict=True))


def _whole_number(token: str) -> int:
    if not token.isascii() or not token.isdigit() or len(token) > 6:
        raise Refusal("bad_value", f"{token} must be a whole number")
    return int(token)


def _switch(token: str) -> bool:
    if token not in ("on", "off"):
        raise Refusal("bad_value", f"{token} must be on or off")
    return token == "on"
