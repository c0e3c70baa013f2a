"""Journal of a cross-check, from which an interrupted run resumes.

A record has an `engine`, the range of cases from `first` to `end` (exclusive), the number of `unreachable`
cases among them, and the disagreements as `wrong`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple

from bgfast.common.journal import Journal
from bgfast.common.validation import CHECKERS, Board
from bgfast.conformance.crosscheck.disagreements import (
    RULE_ORDER,
    SENTENCES,
    UNEXAMINED,
    ClassKey,
    Comparison,
    Disagreement,
    Symptom,
)
from bgfast.conformance.protocol import count_checkers

FLUSH_SECONDS = 5.0
"""Minimum interval between two writes."""


class EngineProgress(NamedTuple):
    """Progress of an engine: cases before `end` are done; `wrong` has disagreements with case indices."""

    end: int = 0
    unreachable: int = 0
    wrong: tuple[tuple[int, Disagreement], ...] = ()


class ResumeFile:
    """Results so far, in memory and on disk; the file is locked until `close` or garbage collection.

    `begin` writes the job, before anything is added. `begin` and the constructor raise `BgfastError`, without
    changing the file, if it is unreadable, in use, not a resume file, or belongs to another job.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._progress: dict[str, EngineProgress] = {}
        self._pending: list[Comparison] = []
        self._written = monotonic()
        self._journal = Journal(path, "cross-check", "resume file")
        self.begin, self.close = self._journal.begin, self._journal.close
        self._journal.read(self._read_record)

    def progress(self, engine: str) -> EngineProgress:
        """Return the progress of an engine, which is empty for a new engine."""
        return self._progress.get(engine, EngineProgress())

    def add(self, engine: str, comparison: Comparison) -> None:
        """Add the next comparison of an engine, to be written after `FLUSH_SECONDS` or by `flush`."""
        self._pending.append(comparison)
        if monotonic() - self._written > FLUSH_SECONDS:
            self.flush(engine)

    def flush(self, engine: str) -> None:
        """Write the pending comparisons of an engine; after an error, earlier records stay valid."""
        comparisons, self._pending = self._pending, []
        self._written = monotonic()
        if not comparisons:
            return
        wrong = [
            {
                "case": comparison.case_index,
                **disagreement.symptom._asdict(),
                "boards": disagreement.boards,
                "message": disagreement.message,
            }
            for comparison in comparisons
            for disagreement in comparison.disagreements
        ]
        span = {"first": comparisons[0].case_index, "end": comparisons[-1].case_index + 1}
        unreachable = sum(not comparison.reached for comparison in comparisons)
        self._journal.append({"engine": engine, **span, "unreachable": unreachable, "wrong": wrong})

    def _read_record(self, record: Mapping[str, Any]) -> None:
        progress = self.progress(record["engine"])
        first, end, unreachable = record["first"], record["end"], record["unreachable"]
        wrong = tuple(_parse_disagreement(item) for item in record["wrong"])
        indices = [index for index, _ in wrong]
        if (
            not all(type(index) is int for index in (first, end, unreachable, *indices))
            or not progress.end == first < end
            or not 0 <= unreachable <= end - first
            or not all(first <= index < end for index in indices)
            or indices != sorted(indices)
        ):
            raise ValueError
        self._progress[record["engine"]] = EngineProgress(
            end, progress.unreachable + unreachable, progress.wrong + wrong
        )


def _parse_disagreement(item: Mapping[str, Any]) -> tuple[int, Disagreement]:
    symptom = Symptom(item["kind"], item["rule"], tuple(tuple(rules) for rules in item["causes"]))
    boards = tuple(map(tuple, item["boards"]))
    is_known = ClassKey(symptom.kind, symptom.rule) in SENTENCES or symptom.rule == UNEXAMINED
    if (
        not is_known
        or not all(rule in RULE_ORDER for rules in symptom.causes for rule in rules)
        or not all(map(_is_possible, boards))
        or not isinstance(item["message"], str)
    ):
        raise ValueError
    return item["case"], Disagreement(symptom, boards, item["message"])


def _is_possible(board: Board) -> bool:
    return (
        len(board) == 26
        and all(type(checkers) is int for checkers in board)
        and max(count_checkers(board)) <= CHECKERS
        and board[0] <= 0 <= board[25]
    )
