"""Engine in this process with errors of a test's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bgfast.common.validation import Board
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.protocol import ANY_RULES, Capabilities, Case

Change = Callable[[Case, list[Board]], list[Board]]


class Fake:
    """Engine whose successors a function changes; `able` replaces its capabilities."""

    def __init__(
        self,
        change: Change = lambda case, legal: legal,
        *,
        name: str = "fake",
        **able: Any,
    ) -> None:
        self.name = name
        self.version = "1"
        anything: dict[str, Any] = {"rules": (ANY_RULES,), "checkers": tuple(range(1, 16))}
        self.capabilities = Capabilities(**anything | able)
        self.asked: list[Case] = []
        self.closed = False
        self._change = change

    def successors(self, case: Case) -> list[Board]:
        self.asked.append(case)
        return self._change(case, legal_successors(case))

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Fake:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def bar_is_ignored(case: Case, legal: list[Board]) -> list[Board]:
    """Add an illegal play with two or more checkers on the bar: one enters, and another checker moves."""
    if case.board[25] < 2 or case.roll[0] == case.roll[1]:
        return legal
    for first, second in (case.roll, case.roll[::-1]):
        if case.board[25 - first] < 0:
            continue
        for start in range(24, second, -1):
            if case.board[start] > 0 and case.board[start - second] >= 0:
                after = list(case.board)
                after[25] -= 1
                after[25 - first] += 1
                after[start] -= 1
                after[start - second] += 1
                return [*legal, tuple(after)]
    return legal
