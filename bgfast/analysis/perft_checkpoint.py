"""A file that keeps the finished parts of a long count, so that it can go on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bgfast.analysis.perft_levels import PartLeaves
from bgfast.common.files import LOCKED_CAN_BE_REPLACED, FileLock, read_limited, replacing
from bgfast.common.resumable import check_same_job, reason, sound_beginning
from bgfast.common.rolls import ROLLS
from bgfast.errors import BgfastError, shown

__all__ = ["Checkpoint"]

FORMAT = 1
HEAD_LINES = 3
"""Lines before those of the parts."""


class Checkpoint:
    """The finished parts of one count, in memory and on disk.

    The file is JSON: `bgfast_perft`, the number of its format; `job`, what is counted; `parts`, for each
    finished part its number, positions, leaves by first roll (in the order of `ROLLS`) and seconds taken, a
    line each. Parts at a damaged end do not count.

    Parameters
    ----------
    path : path
        Begun at once if it is not there or empty: a path that cannot be written is found before any work is
        done. No other run can use it until `close`.
    job : mapping
        What is counted, as JSON can hold it: board, depth, weighted, in how many parts; the rules unless they
        are those of `STANDARD`.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is in use, is no checkpoint, or is that of another job; it
        stays as it is.
    """

    def __init__(self, path: str | os.PathLike[str], job: Mapping[str, Any]) -> None:
        self._path = Path(path)
        self._name = f"checkpoint {self._path}"
        self._content: dict[str, Any] = {"bgfast_perft": FORMAT, "job": dict(job), "parts": []}
        try:
            self._lock = FileLock.on(self._path)
        except OSError as error:
            raise BgfastError(f"{self._name}: {reason(error)}") from None
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        try:
            text = read_limited(self._lock.descriptor)
        except OSError as error:
            raise BgfastError(f"{self._name}: {reason(error)}") from None
        if not LOCKED_CAN_BE_REPLACED:
            self.close()
        if text:
            self._content = self._checked(text)
        else:
            self._write()

    def close(self) -> None:
        """Let other runs use the file."""
        self._lock.release()

    def _checked(self, text: bytes) -> dict[str, Any]:
        content = self._read(text)
        if content is None:
            raise BgfastError(f"{self._name} is none that perft has written; it is left as it is")
        found, parts = content["job"], content["parts"]
        check_same_job(self._name, "count", found, self._content["job"])
        numbers = [part["part"] for part in parts]
        if len(set(numbers)) != len(numbers) or not set(numbers) <= set(range(found["parts"])):
            raise BgfastError(f"{self._name}: parts {shown(numbers)} of {found['parts']}")
        return content

    def _read(self, text: bytes) -> dict[str, Any] | None:
        """Return what the file holds, None if that is no checkpoint."""
        try:
            content = json.loads(text)
        except RecursionError:
            return None
        except ValueError:
            lines = [line.rstrip(b",") for line in text.split(b"\n")]
            try:
                content = json.loads(b",".join(lines[:HEAD_LINES]) + b"]}")
            except (ValueError, RecursionError):
                return None
            if _is_checkpoint(content):
                content["parts"] = sound_beginning(self._name, lines[HEAD_LINES:], HEAD_LINES + 1)
        return content if _is_checkpoint(content) else None

    def found(self, part: int) -> PartLeaves | None:
        """Return what a part gave, or None if it is still to be counted."""
        for kept in self._content["parts"]:
            if kept["part"] == part:
                return PartLeaves(kept["positions"], kept["leaves"])
        return None

    def keep(self, part: int, found: PartLeaves, seconds: float) -> None:
        """Add a part to the file, which holds either what it held or this as well, whatever happens."""
        self._content["parts"].append({"part": part, **found._asdict(), "seconds": round(seconds, 2)})
        self._write()

    def _write(self) -> None:
        parts = ",\n".join("  " + json.dumps(part) for part in self._content["parts"])
        text = (
            f'{{"bgfast_perft": {FORMAT},\n "job": {json.dumps(self._content["job"])},\n'
            f' "parts": [\n{parts}\n ]}}\n'
        )
        newer = None
        try:
            with replacing(self._path) as file:
                file.write(text.encode("utf-8"))
                if LOCKED_CAN_BE_REPLACED:  # nobody can take the new file before it is locked, too
                    newer = FileLock(os.dup(file.fileno()))
        except OSError as error:
            raise BgfastError(f"{self._name}: {reason(error)}") from None
        if newer is not None:
            self.close()
            self._lock = newer


def _is_checkpoint(content: Any) -> bool:
    return (
        isinstance(content, dict)
        and type(content.get("bgfast_perft")) is int
        and content["bgfast_perft"] == FORMAT
        and isinstance(content.get("job"), dict)
        and isinstance(content.get("parts"), list)
        and all(map(_is_part, content["parts"]))
    )


def _is_part(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and all(type(part.get(name)) is int and part[name] >= 0 for name in ("part", "positions"))
        and isinstance(part.get("leaves"), list)
        and len(part["leaves"]) == len(ROLLS)
        and all(type(number) is int and number >= 0 for number in part["leaves"])
    )
