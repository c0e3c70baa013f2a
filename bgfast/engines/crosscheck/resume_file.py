"""A file that keeps what is compared already, so that a cross-check can go on where it stopped.

Lines of JSON: first `bgfast_crosscheck`, the number of the format, and `job`, what is compared; then, again
and again, an engine, the cases that it has gone through (from `first` to `end`, without `end`), how many of
them it could not reach, and what was wrong. Lines are only ever added. A last line without its end was being
written when the work was interrupted, and does not count, nor do lines at the end that are no JSON objects.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bgfast.common.files import FileLock
from bgfast.common.resumable import check_same_job, reason, sound_beginning
from bgfast.engines.crosscheck.diagnosis import RULE_ORDER
from bgfast.engines.crosscheck.disagreements import SENTENCES, UNEXAMINED, Finding, Heading, Symptom, Verdict
from bgfast.engines.protocol import Board
from bgfast.errors import BgfastError

__all__ = ["Kept", "KeptFinding", "ResumeFile"]

FORMAT = 2
BEGINNING = b'{"bgfast_crosscheck":'
CHECKERS = 15
NOT_OURS = "it is none that crosscheck has written, and left as it is"


class KeptFinding(NamedTuple):
    """A `Finding` and the number of its case, which comes again."""

    number: int
    finding: Finding


class Kept(NamedTuple):
    """What one engine has gone through: the cases before `end`."""

    end: int = 0
    unreachable: int = 0
    wrong: tuple[KeptFinding, ...] = ()


class ResumeFile:
    """What is compared already, in memory and on disk.

    Parameters
    ----------
    path : path
        Begun if it is not there. No other run can use it until this is closed or collected.

    Attributes
    ----------
    damaged : int
        The bytes at its end that do not count; what is kept next takes their place.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is in use, or is none that a cross-check has written; it stays
        as it is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._kept: dict[str, Kept] = {}
        try:
            self._lock = FileLock.on(self._path)
        except OSError as error:
            raise self._error(reason(error)) from None
        try:
            content = self._content()
            lines = content.split(b"\n")[:-1]
            sound = sound_beginning(self._name, lines)
            if lines and not sound:
                raise self._error(NOT_OURS)
            self._job = self._read(sound)
        except BaseException:
            self.close()
            raise
        self._length = sum(len(line) + 1 for line in lines[: len(sound)])
        self.damaged = len(content) - self._length

    def close(self) -> None:
        """Let other runs use the file."""
        self._lock.release()

    def begin(self, job: Mapping[str, Any]) -> None:
        """Say what is to be done, before anything is kept.

        Raises
        ------
        BgfastError
            If the file is that of another job, which leaves it as it is, or cannot be written.
        """
        if self._job is not None:
            check_same_job(self._name, "cross-check", self._job, job)
            return
        self._add({"bgfast_crosscheck": FORMAT, "job": dict(job)})

    def kept(self, engine: str) -> Kept:
        """Return what an engine has gone through."""
        return self._kept.get(engine, Kept())

    def keep(self, engine: str, first: int, end: int, unreachable: int, wrong: Sequence[Verdict]) -> None:
        """Add some cases of an engine to the file.

        Raises
        ------
        BgfastError
            If it cannot be written; what it held counts, and this does not.
        """
        content = [
            {
                "case": verdict.number,
                "kind": finding.symptom.kind,
                "rule": finding.symptom.rule,
                "causes": finding.symptom.causes,
                "boards": finding.boards,
                "message": finding.message,
            }
            for verdict in wrong
            for finding in verdict.findings
        ]
        self._add(
            {"engine": engine, "first": first, "end": end, "unreachable": unreachable, "wrong": content}
        )

    @property
    def _name(self) -> str:
        return f"resume file {self._path}"

    def _error(self, why: str) -> BgfastError:
        return BgfastError(f"{self._name}: {why}")

    def _add(self, line: Mapping[str, Any]) -> None:
        text = json.dumps(line, separators=(",", ":")).encode("utf-8") + b"\n"
        try:
            if not self._lock.still_on(self._path):
                raise self._error("another file has taken its place")
            with open(self._lock.descriptor, "r+b", closefd=False) as file:
                file.truncate(self._length)  # behind it stands at most what was being written
                file.seek(self._length)
                file.write(text)
        except OSError as error:
            raise self._error(reason(error)) from None
        self._length += len(text)

    def _content(self) -> bytes:
        try:
            with open(self._lock.descriptor, "rb", closefd=False) as file:
                beginning = file.read(len(BEGINNING))
                if not BEGINNING.startswith(beginning):  # what it is instead may be huge
                    raise self._error(NOT_OURS)
                return beginning + file.read()
        except OSError as error:
            raise self._error(reason(error)) from None

    def _read(self, lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        """Take over what the lines say; return the job, None if there is none yet."""
        job = None
        for number, line in enumerate(lines, 1):
            try:
                if number == 1:
                    job = _job(line)
                else:
                    self._read_line(line)
            except (ValueError, KeyError, TypeError):
                raise self._error(f"line {number}: {NOT_OURS}") from None
        return job

    def _read_line(self, line: Mapping[str, Any]) -> None:
        kept = self.kept(line["engine"])
        first, end, unreachable = line["first"], line["end"], line["unreachable"]
        wrong = tuple(_finding(item) for item in line["wrong"])
        numbers = [finding.number for finding in wrong]
        if (
            not all(type(number) is int for number in (first, end, unreachable, *numbers))
            or not kept.end == first < end
            or not 0 <= unreachable <= end - first
            or not all(first <= number < end for number in numbers)
            or numbers != sorted(numbers)
        ):
            raise ValueError
        self._kept[line["engine"]] = Kept(end, kept.unreachable + unreachable, kept.wrong + wrong)


def _job(line: Mapping[str, Any]) -> Mapping[str, Any]:
    if line["bgfast_crosscheck"] != FORMAT or not isinstance(line["job"], dict):
        raise ValueError
    return line["job"]


def _finding(item: Mapping[str, Any]) -> KeptFinding:
    symptom = Symptom(item["kind"], item["rule"], tuple(tuple(rules) for rules in item["causes"]))
    boards = tuple(map(tuple, item["boards"]))
    known = Heading(symptom.kind, symptom.rule) in SENTENCES or symptom.rule == UNEXAMINED
    if (
        not known
        or not all(rule in RULE_ORDER for rules in symptom.causes for rule in rules)
        or not all(map(_can_be, boards))
        or not isinstance(item["message"], str)
    ):
        raise ValueError
    return KeptFinding(item["case"], Finding(symptom, boards, item["message"]))


def _can_be(board: Board) -> bool:
    return (
        len(board) == 26
        and all(type(number) is int for number in board)
        and sum(number for number in board if number > 0) <= CHECKERS
        and -sum(number for number in board if number < 0) <= CHECKERS
        and board[0] <= 0 <= board[25]
    )
