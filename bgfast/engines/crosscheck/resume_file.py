"""The journal of a cross-check: what is compared already, so that it can go on where it stopped.

A record has an `engine`, the cases that it has gone through (from `first` to `end`, without `end`), how many
of them were `unreachable` for it, and what was `wrong`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bgfast.common.journal import Journal
from bgfast.engines.crosscheck.diagnosis import RULE_ORDER
from bgfast.engines.crosscheck.disagreements import (
    SENTENCES,
    UNEXAMINED,
    ClassKey,
    Comparison,
    Disagreement,
    Symptom,
)
from bgfast.engines.protocol import Board

__all__ = ["Checked", "ResumeFile"]

CHECKERS = 15


class Checked(NamedTuple):
    """What one engine has gone through: the cases before `end`, and what was wrong in which of them."""

    end: int = 0
    unreachable: int = 0
    wrong: tuple[tuple[int, Disagreement], ...] = ()


class ResumeFile:
    """What is compared already, in memory and on disk.

    Parameters
    ----------
    path : path
        Begun if it is not there. No other run can use it until this is closed or collected.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is in use, or is none that a cross-check has written; it stays
        as it is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._checked: dict[str, Checked] = {}
        self._journal = Journal(path, "cross-check", "resume file")
        try:
            self._journal.read(self._take)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let other runs use the file."""
        self._journal.close()

    def begin(self, job: Mapping[str, Any]) -> None:
        """Say what is to be done, before anything is kept.

        Raises
        ------
        BgfastError
            If the file is that of another job, which leaves it as it is, or cannot be written.
        """
        self._journal.begin(job)

    def checked(self, engine: str) -> Checked:
        """Return what an engine has gone through."""
        return self._checked.get(engine, Checked())

    def keep(self, engine: str, first: int, end: int, unreachable: int, wrong: Sequence[Comparison]) -> None:
        """Add some cases of an engine to the file.

        Raises
        ------
        BgfastError
            If it cannot be written; what it held counts, and this does not.
        """
        content = [
            {
                "case": comparison.number,
                "kind": disagreement.symptom.kind,
                "rule": disagreement.symptom.rule,
                "causes": disagreement.symptom.causes,
                "boards": disagreement.boards,
                "message": disagreement.message,
            }
            for comparison in wrong
            for disagreement in comparison.disagreements
        ]
        self._journal.append(
            {"engine": engine, "first": first, "end": end, "unreachable": unreachable, "wrong": content}
        )

    def _take(self, record: Mapping[str, Any]) -> None:
        checked = self.checked(record["engine"])
        first, end, unreachable = record["first"], record["end"], record["unreachable"]
        wrong = tuple(_disagreement(item) for item in record["wrong"])
        numbers = [number for number, _ in wrong]
        if (
            not all(type(number) is int for number in (first, end, unreachable, *numbers))
            or not checked.end == first < end
            or not 0 <= unreachable <= end - first
            or not all(first <= number < end for number in numbers)
            or numbers != sorted(numbers)
        ):
            raise ValueError
        self._checked[record["engine"]] = Checked(
            end, checked.unreachable + unreachable, checked.wrong + wrong
        )


def _disagreement(item: Mapping[str, Any]) -> tuple[int, Disagreement]:
    symptom = Symptom(item["kind"], item["rule"], tuple(tuple(rules) for rules in item["causes"]))
    boards = tuple(map(tuple, item["boards"]))
    known = ClassKey(symptom.kind, symptom.rule) in SENTENCES or symptom.rule == UNEXAMINED
    if (
        not known
        or not all(rule in RULE_ORDER for rules in symptom.causes for rule in rules)
        or not all(map(_can_be, boards))
        or not isinstance(item["message"], str)
    ):
        raise ValueError
    return item["case"], Disagreement(symptom, boards, item["message"])


def _can_be(board: Board) -> bool:
    return (
        len(board) == 26
        and all(type(number) is int for number in board)
        and sum(number for number in board if number > 0) <= CHECKERS
        and -sum(number for number in board if number < 0) <= CHECKERS
        and board[0] <= 0 <= board[25]
    )
