"""Equality of evaluators by class and content."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any


class EqualBySettings:
    """Base class of evaluators that are equal if class and content are.

    Must come before a compiled class in the list of bases, whose `__eq__` would be used otherwise.
    """

    __slots__ = ()

    @abstractmethod
    def _settings(self) -> tuple[Any, ...]:
        """Content as a hashable value."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EqualBySettings):
            return NotImplemented
        return type(self) is type(other) and self._settings() == other._settings()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._settings())
