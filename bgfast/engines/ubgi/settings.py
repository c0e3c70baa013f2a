"""Options of bgfast as a UBGI engine, in both drafts of the command dialect."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

from bgfast.common.validation import MAX_THREADS
from bgfast.engines.ubgi.lines import Refusal

MAX_PLY = 2
MAX_PLAYS = 5_000
"""Maximum number of plays to list; at most 2,226 are legal."""


class _Option(NamedTuple):
    """Option of the engine, with its names in drafts 0.2 and 0.1; the values are those of draft 0.2."""

    key: str
    name: str
    values: range | tuple[str, ...]
    description: str
    offset: int = 0  # number of draft 0.2 minus that of draft 0.1
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
    """Values of the options; the first evaluator is the default."""

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
        self._values = dict(zip((option.key for option in self._options), defaults, strict=True))

    @property
    def evaluator(self) -> str:
        """Name of the evaluator."""
        return self._values["engine.evaluator"]

    @property
    def ply(self) -> int:
        """Search depth; 0 is static."""
        return int(self._values["engine.ply"]) - 1

    @property
    def cubeless(self) -> bool:
        """True if cube and score are ignored."""
        return self._values["engine.eval_mode"] == "cubeless"

    @property
    def threads(self) -> int:
        """Number of threads."""
        return int(self._values["engine.threads"])

    @property
    def plays(self) -> int:
        """Maximum number of plays to list."""
        return int(self._values["engine.multipv"])

    def option_lines(self) -> Iterator[str]:
        """Yield the lines of draft 0.1 that announce the options."""
        for option in self._options:
            value = self._values[option.key]
            if isinstance(option.values, range):
                low, high = option.values[0] - option.offset, option.values[-1] - option.offset
                number = int(value) - option.offset
                yield f"option name {option.name} type spin default {number} min {low} max {high}"
            else:
                words = " ".join(f"var {word}" for word in option.values)
                yield f"option name {option.name} type combo default {value} {words}"

    def key_lines(self) -> Iterator[str]:
        """Yield the lines of draft 0.2 that announce the options."""
        for option in self._options:
            value = self._values[option.key]
            if isinstance(option.values, range):
                kind = f"int {option.values[0]}..{option.values[-1]}"
            else:
                kind = f"enum {'|'.join(option.values)}"
            yield f"key {option.key} {kind} {value}{' !' if option.minor else ''} {option.description}"

    def get(self, key: str) -> str:
        """Return the value of a key of draft 0.2."""
        if key not in self._values:
            raise Refusal("unsupported", f"key {key}")
        return self._values[key]

    def changed(self, key: str, text: str) -> Settings:
        """Return the settings after ``set KEY VALUE`` of draft 0.2."""
        for option in self._options:
            if option.key == key:
                return self._with(key, option.read(text))
        raise Refusal("unsupported", f"key {key}")

    def changed_option(self, name: str, text: str) -> Settings:
        """Return the settings after ``setoption name NAME value VALUE`` of draft 0.1."""
        name = "EvalPlies" if name == "Ply" else name
        for option in self._options:
            if option.name == name:
                return self._with(option.key, option.read(text, option.offset))
        raise Refusal("unsupported", f"option {name}")

    def _with(self, key: str, value: str) -> Settings:
        changed = copy(self)
        changed._values = self._values | {key: value}
        return changed
