"""A file that keeps what is compared already, so that a cross-check can go on where it stopped.

Lines of JSON: first `bgfast_crosscheck`, the number of the format, and `job`, what is compared; then, again
and again, an engine, the cases that it has gone through (from `first` to `end`, without `end`), how many of
them it could not reach, and what was wrong. Lines are only ever added. A last line without its end was being
written when the work was interrupted, and does not count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bgfast.common.resumable import check_same_job, reason
from bgfast.engines.crosscheck.disagreements import SENTENCES, ClassKey, Sighting
from bgfast.engines.protocol import Board
from bgfast.errors import BgfastError

__all__ = ["Kept", "KeptSighting", "ResumeFile"]

FORMAT = 1


class KeptSighting(NamedTuple):
    """A `Sighting` without the case, which comes again."""

    number: int
    key: ClassKey
    boards: tuple[Board, ...]
    message: str


class Kept(NamedTuple):
    """What one engine has gone through: the cases before `end`."""

    end: int = 0
    unreachable: int = 0
    wrong: tuple[KeptSighting, ...] = ()


class ResumeFile:
    """What is compared already, in memory and on disk.

    Parameters
    ----------
    path : path
        Begun if it is not there.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, or is none that a cross-check has written; it stays as it is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._kept: dict[str, Kept] = {}
        if self._path.exists() and not self._path.is_file():  # a device may never end
            raise self._error("it is no file")
        try:
            self._path.touch()
            with self._path.open("r+b") as file:
                content = file.read()
        except OSError as error:
            raise self._error(reason(error)) from None
        self._length = content.rfind(b"\n") + 1
        self._job: Mapping[str, Any] | None = None
        if content:
            try:
                self._job = self._read(content[: self._length].decode("utf-8").splitlines())
            except (ValueError, KeyError, TypeError, IndexError):
                raise self._error("it is none that crosscheck has written, and left as it is") from None

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

    def keep(self, engine: str, first: int, end: int, unreachable: int, wrong: Sequence[Sighting]) -> None:
        """Add some cases of an engine to the file.

        Raises
        ------
        BgfastError
            If it cannot be written; what it held counts, and this does not.
        """
        content = [
            {
                "case": sighting.number,
                "kind": sighting.key.kind,
                "rule": sighting.key.rule,
                "boards": sighting.boards,
                "message": sighting.message,
            }
            for sighting in wrong
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
            with self._path.open("r+b") as file:
                file.truncate(self._length)  # behind it stands at most what was being written
                file.seek(self._length)
                file.write(text)
        except OSError as error:
            raise self._error(reason(error)) from None
        self._length += len(text)

    def _read(self, lines: Sequence[str]) -> Mapping[str, Any]:
        head = json.loads(lines[0])
        if head["bgfast_crosscheck"] != FORMAT or not isinstance(head["job"], dict):
            raise ValueError
        for line in lines[1:]:
            read = json.loads(line)
            kept = self.kept(read["engine"])
            first, end, unreachable = read["first"], read["end"], read["unreachable"]
            wrong = tuple(_sighting(item) for item in read["wrong"])
            numbers = [sighting.number for sighting in wrong]
            if (
                not all(type(number) is int for number in (first, end, unreachable, *numbers))
                or not kept.end == first < end
                or not 0 <= unreachable <= end - first
                or not all(first <= number < end for number in numbers)
                or numbers != sorted(numbers)
            ):
                raise ValueError
            self._kept[read["engine"]] = Kept(end, kept.unreachable + unreachable, kept.wrong + wrong)
        return dict(head["job"])


def _sighting(item: Mapping[str, Any]) -> KeptSighting:
    key = ClassKey(item["kind"], item["rule"])
    boards = tuple(tuple(int(number) for number in board) for board in item["boards"])
    if key not in SENTENCES or any(len(board) != 26 for board in boards):
        raise ValueError
    return KeptSighting(item["case"], key, boards, str(item["message"]))
