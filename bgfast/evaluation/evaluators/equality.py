"""Equality of evaluators: by what they are made of."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

__all__ = ["EqualBySettings"]


class EqualBySettings:
    """Evaluators that are equal if they are of one class and made of the same.

    It stands before a compiled class among the bases: that one's `__eq__` and `__ne__` would be asked first.
    """

    __slots__ = ()

    @abstractmethod
    def _settings(self) -> tuple[Any, ...]:
        """What it is made of, hashable."""

    def __eq__(self, other: object) -> bool:
        """Whether it is another one of the same."""
        if not isinstance(other, EqualBySettings):
            return NotImplemented
        return type(self) is type(other) and self._settings() == other._settings()

    def __ne__(self, other: object) -> bool:
        """Whether it is not."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash of what it is made of."""
        return hash(self._settings())
