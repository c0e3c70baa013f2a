"""A file that keeps the finished blocks of a rollout, so that it can go on where it stopped.

Lines of JSON: first `bgfast_rollout_checkpoint`, the number of the format, and `job`, what is rolled out;
then a line for each block: its trials (`first` to `last`, without `last`), `points` and `plies` by
candidate, `adjusted` (or null) and the seconds taken. Lines are only ever added; what is damaged at the end
does not count.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from bgfast.analysis.rollout_trials import Block
from bgfast.common.files import FileLock, read_limited
from bgfast.common.resumable import check_same_job, reason, sound_beginning
from bgfast.errors import BgfastError

__all__ = ["RolloutCheckpoint"]

FORMAT = 1
BEGINNING = b'{"bgfast_rollout_checkpoint":'
MOST_READ = 4_000_000_000


class RolloutCheckpoint:
    """The finished blocks of one rollout, on disk.

    Parameters
    ----------
    path : path
        Begun if it is not there or empty. No other run can use it until `close`.
    job : mapping
        What is rolled out, as JSON can hold it.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is in use, is no checkpoint of a rollout, or is that of another
        one; it stays as it is.
    """

    def __init__(self, path: str | os.PathLike[str], job: Mapping[str, Any]) -> None:
        self._name = f"checkpoint {Path(path)}"
        self._blocks: dict[tuple[int, int], dict[str, Any]] = {}
        try:
            self._lock = FileLock.on(path)
            text = read_limited(self._lock.descriptor, MOST_READ)
        except OSError as error:
            raise BgfastError(f"{self._name}: {reason(error)}") from None
        try:
            if text:
                self._read(text, job)
            else:
                head = {"bgfast_rollout_checkpoint": FORMAT, "job": dict(job)}
                self._append(json.dumps(head, separators=(",", ":")))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let other runs use the file."""
        self._lock.release()

    def _read(self, text: bytes, job: Mapping[str, Any]) -> None:
        *lines, _ = text.split(b"\n")  # what has no end was being written
        try:
            head = json.loads(lines[0]) if text.startswith(BEGINNING) else None
        except (ValueError, RecursionError, IndexError):
            head = None
        if not isinstance(head, dict) or head.get("bgfast_rollout_checkpoint") != FORMAT:
            raise BgfastError(f"{self._name} is none that a rollout has written; it is left as it is")
        if not isinstance(head.get("job"), dict):
            raise BgfastError(f"{self._name} does not say what is rolled out; it is left as it is")
        check_same_job(self._name, "rollout", head["job"], job)
        found = sound_beginning(self._name, lines[1:], 2)
        # A last block that was short is played again, whole, where more trials are asked for.
        self._blocks = {(block["first"], block["last"]): block for block in found if _is_block(block)}
        if not all(map(_is_block, found)):
            raise BgfastError(f"{self._name}: a line is no block of trials; it is left as it is")
        end = sum(len(line) + 1 for line in lines[: len(found) + 1])
        try:
            os.ftruncate(self._lock.descriptor, end)
        except OSError as error:
            raise BgfastError(f"{self._name}: {reason(error)}") from None

    def beginning(self, bounds: Iterable[tuple[int, int]]) -> list[Block]:
        """Return the blocks of these trials up to the first that is still to be played."""
        return [self._block(*each) for each in takewhile(self._blocks.__contains__, bounds)]

    def _block(self, first: int, last: int) -> Block:
        kept = self._blocks[first, last]
        adjusted = kept["adjusted"]
        try:
            return Block(
                first,
                last,
                np.array(kept["points"], np.int8),
                np.array(kept["plies"], np.int32),
                None if adjusted is None else np.array(adjusted, np.float64),
                float(kept["seconds"]),
                float(kept["evaluator_seconds"]),
            )
        except (ValueError, TypeError, OverflowError):
            raise BgfastError(
                f"{self._name}: the trials from {first} on are damaged; it is left as it is"
            ) from None

    def keep(self, block: Block) -> None:
        """Add a block to the file."""
        content = {
            "first": block.first,
            "last": block.last,
            "points": block.points.tolist(),
            "plies": block.plies.tolist(),
            "adjusted": None if block.adjusted is None else block.adjusted.tolist(),
            "seconds": round(block.seconds, 3),
            "evaluator_seconds": round(block.evaluator_seconds, 3),
        }
        self._append(json.dumps(content, separators=(",", ":")))

    def _append(self, line: str) -> None:
        try:
            os.lseek(self._lock.descriptor, 0, os.SEEK_END)
            for part in _parts(line.encode("ascii") + b"\n"):
                os.write(self._lock.descriptor, part)
            os.fsync(self._lock.descriptor)
        except OSError as error:
            raise BgfastError(f"{self._name}: {reason(error)}") from None


def _parts(content: bytes, size: int = 1 << 20) -> Iterator[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


def _is_block(block: Mapping[str, Any]) -> bool:
    whole = all(type(block.get(name)) is int for name in ("first", "last"))
    return whole and all(
        name in block for name in ("points", "plies", "adjusted", "seconds", "evaluator_seconds")
    )
