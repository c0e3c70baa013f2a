"""Sources of the dice of a game: a random generator, a record, or entry by hand.

A *throw* is two dice, or the lot for the colours. A source stores its throws, and a game counts the throws
that it has used, so a throw repeated after an undo is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Union

import numpy as np

from bgfast.common import LOADING
from bgfast.common.validation import dice_pair, seed_number, whole_number
from bgfast.errors import InvalidDiceError, InvalidGameError, short_repr

Throw = tuple[int, int] | int
Dice = Union[int, "np.random.Generator", list[Any], tuple[Any, ...], None]

# Only NumPy's bit generators, since the state of any other generator cannot be restored.
BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


class DiceSource:
    """Throws in reproducible order: recorded, or drawn from a NumPy generator, which the game then owns."""

    def __init__(self, throws: Sequence[Throw] = (), generator: np.random.Generator | None = None) -> None:
        self._throws = list(throws)
        self._generator = generator

    def throw_at(self, index: int, is_lot: bool) -> Throw:
        """Return the roll or lot at an index; a generator draws it on first access."""
        while self._generator is not None and len(self._throws) <= index:
            if is_lot:
                self._throws.append(int(self._generator.integers(2)))
            else:
                first, second = self._generator.integers(1, 7, size=2).tolist()
                self._throws.append((first, second))
        if index >= len(self._throws):
            raise InvalidDiceError(f"the recorded dice have ended: there were {len(self._throws)} throws")
        throw = self._throws[index]
        if isinstance(throw, int) != is_lot:
            expected = "the lot, 0 or 1" if is_lot else "two dice"
            text = f"throw {index} of the recorded dice is {throw_text(throw)}"
            raise InvalidDiceError(f"{text}; expected {expected}")
        return throw

    def content(self) -> dict[str, Any]:
        """Return the throws so far, and the state of a generator, as plain data for JSON."""
        throws = [throw if isinstance(throw, int) else list(throw) for throw in self._throws]
        if self._generator is None:
            return {"kind": "recorded", "throws": throws}
        state = _to_builtins(self._generator.bit_generator.state)
        return {"kind": "random", "generator": state, "throws": throws}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DiceSource) and self.content() == other.content()

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


def dice_source(dice: Any) -> DiceSource | None:
    """Return the source for the `dice` argument of a game; None for dice entered by hand."""
    if dice is None:
        return None
    with LOADING:  # NumPy imports np.random on first use
        random = np.random
    if isinstance(dice, random.Generator):
        return DiceSource(generator=dice)
    if whole_number(dice) is not None:
        return DiceSource(generator=random.default_rng(seed_number(dice)))
    if isinstance(dice, np.ndarray):
        dice = dice.tolist()
    if not isinstance(dice, Sequence) or isinstance(dice, (str, bytes)):
        expected = 'a seed, a numpy.random.Generator, a list such as ["31"], or None for dice entered by hand'
        raise InvalidDiceError(f"dice is {short_repr(dice)}; expected {expected}")
    return DiceSource(_read_throws(dice))


def throw_text(throw: Throw) -> str:
    """Return the text of a throw for messages."""
    return f"the lot {throw}" if isinstance(throw, int) else f"{throw[0]}-{throw[1]}"


def _read_throws(content: Sequence[Any]) -> list[Throw]:
    throws: list[Throw] = []
    dice = [die for throw in content if (die := whole_number(throw)) is not None]
    if len(dice) == len(content) == 2 and max(dice) > 1:
        raise InvalidDiceError(
            f"dice is {short_repr(content)}; expected a list of rolls, as in [{tuple(dice)}]"
        )
    for index, throw in enumerate(content):
        lot = whole_number(throw)
        try:
            throws.append(lot if lot in (0, 1) else dice_pair(throw))
        except InvalidDiceError as error:
            raise InvalidDiceError(f"throw {index} of the recorded dice: {error}") from None
    return throws


def restore_source(content: Any) -> DiceSource | None:
    """Restore a source from its `content`."""
    if content is None:
        return None
    keys = {"random": {"kind", "generator", "throws"}, "recorded": {"kind", "throws"}}
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(kind, str) or kind not in keys or set(content) != keys[kind]:
        raise InvalidGameError(
            f"its dice are {short_repr(content)}; expected random or recorded ones, or null"
        )
    if not isinstance(content["throws"], list):
        raise InvalidGameError(f"its throws are {short_repr(content['throws'])}; expected a list")
    throws = _read_throws(content["throws"])
    return DiceSource(throws, _restore_generator(content["generator"]) if kind == "random" else None)


def _restore_generator(state: Any) -> np.random.Generator:
    name = state.get("bit_generator") if isinstance(state, dict) else None
    if name not in BIT_GENERATORS:
        raise InvalidGameError(
            f"its generator is {short_repr(name)}; expected one of {', '.join(BIT_GENERATORS)}"
        )
    with LOADING:
        random = np.random
    bit_generator = getattr(random, name)()
    try:
        bit_generator.state = state
        is_restored = _to_builtins(bit_generator.state) == state
    except (TypeError, ValueError, KeyError, IndexError, OverflowError):
        is_restored = False
    if not is_restored:
        raise InvalidGameError(f"the state of its generator {name} is damaged")
    return random.Generator(bit_generator)


def _to_builtins(value: Any) -> Any:
    """Return the state of a bit generator with lists and Python numbers instead of NumPy's types."""
    if isinstance(value, dict):
        return {key: _to_builtins(inner) for key, inner in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
