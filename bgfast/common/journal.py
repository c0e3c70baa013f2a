"""The file from which interrupted work goes on: records that are only ever added, each with its checksum.

Lines of JSON. The first is the header: ``bgfast_journal``, the number of the format, ``kind``, what sort of
work it keeps, and ``job``, which work. Each further line is a record: ``record``, its number from 1 on, and
what that kind of work keeps. At the end of each line stands ``crc32``, the CRC-32, as eight hexadecimal
digits, of all that the line has before it; that of a record goes on from that of the header. So each record
says by itself whether it is sound, to which work it belongs and which one it is.

A record is written and brought onto the disk (fsync) before `Journal.append` returns: the end of the process
loses none, a loss of power none either on a disk that keeps its word. One that cannot be written whole, on a
full disk or after Ctrl-C, is taken back.

What is damaged behind the last sound record does not count; a warning says how much that is, and what is kept
next takes its place. Where a sound record stands behind a damaged one the file is refused and left as it is.
"""

from __future__ import annotations

import json
import os
import re
import warnings
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from bgfast.common.files import FileLock, append_whole, checked_path, sync_folder
from bgfast.common.resumable import check_same_job, reason
from bgfast.errors import BgfastError

__all__ = ["Journal"]

FORMAT = 1
BEGINNING = b'{"bgfast_journal":'
EARLIER = b'{"bgfast_perft":', b'{"bgfast_rollout_checkpoint":', b'{"bgfast_crosscheck":'
CHECKSUM = b',"crc32":"%08x"}\n'
CHECKSUM_LENGTH = len(CHECKSUM % 0)


class Journal:
    """One file of interrupted work, open and locked.

    Parameters
    ----------
    path : path
        Made if it is not there. No other run can use it until `close`, or until this is collected.
    kind : str
        What sort of work it keeps, as "rollout".
    called : str
        What messages call the file, as "checkpoint".

    Attributes
    ----------
    name : str
        What messages call it.
    job : mapping or None
        Which work the file is of; None if it is new, or nothing but a torn header.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is in use, or is anything but a journal of this kind; it stays
        as it is.
    """

    def __init__(self, path: str | os.PathLike[str], kind: str, called: str) -> None:
        self._path = checked_path(path, called, "the path of a file")
        self.name = f"{called} {self._path}"
        self._kind, self._called = kind, called
        self.job: Mapping[str, Any] | None = None
        self._seed = 0  # where the checksums of records begin
        self._sound = 0, 0  # bytes and records that count; one value, so that Ctrl-C finds both or none
        try:
            self._lock = FileLock.on(self._path)
        except OSError as error:
            raise self._error(reason(error)) from None
        try:
            self._read_header()
        except OSError as error:
            self.close()
            raise self._error(reason(error)) from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let other runs use the file."""
        self._lock.release()

    # ---------------------------------------------------------------- reading

    def _read_header(self) -> None:
        with open(self._lock.descriptor, "rb", closefd=False) as file:
            file.seek(0)
            beginning = file.read(max(map(len, EARLIER)))
            if beginning.startswith(EARLIER):
                raise self._error(
                    "an earlier version of bgfast has written it, in a format that is not read any more; "
                    "left as it is"
                )
            if not BEGINNING.startswith(beginning[: len(BEGINNING)]):  # what it is instead may be huge
                raise self._error(f"it is no {self._called} of a {self._kind}; left as it is")
            file.seek(0)
            line = file.readline()
        if not line.endswith(b"\n"):  # the process ended while it was being made
            self._tell_damage(len(line))
            return
        number = re.match(rb"[0-9]{1,9}", line[len(BEGINNING) :])
        if number and int(number[0]) != FORMAT:
            raise self._error(f"it has the format {int(number[0])}; this version of bgfast reads {FORMAT}")
        found = _content(line, 0)
        if found is None or not isinstance(found.get("job"), dict):
            raise self._error("its header is damaged; left as it is")
        if found.get("kind") != self._kind:
            raise self._error(f"it is that of a {found.get('kind')}, not of a {self._kind}; left as it is")
        self.job, self._seed, self._sound = found["job"], zlib.crc32(line[:-CHECKSUM_LENGTH]), (len(line), 0)

    def read(self, take: Callable[[dict[str, Any]], object]) -> None:
        """Hand over the records one by one, in their order; a damaged end is told in a warning.

        Parameters
        ----------
        take : callable
            A ValueError, KeyError or TypeError of its says that a record is none of this work.

        Raises
        ------
        BgfastError
            If that is so, if a sound record stands behind a damaged one, or if the file cannot be read. It
            stays as it is.
        """
        if self.job is None:
            return
        try:
            self._read(take)
        except OSError as error:
            raise self._error(reason(error)) from None

    def _read(self, take: Callable[[dict[str, Any]], object]) -> None:
        end, number = self._sound
        behind = False
        with open(self._lock.descriptor, "rb", closefd=False) as file:
            file.seek(end)
            for line in file:
                content = _content(line, self._seed)
                if content is None:
                    behind = True
                    continue
                found = content.get("record")
                if found != number + 1:
                    raise self._error(
                        f"record {number + 1} is damaged or missing, and record {found} behind it is sound; "
                        f"left as it is, with {end:,} sound bytes before"
                    )
                if behind:
                    raise self._error(
                        f"something damaged stands behind its first {end:,} bytes, and record {found} behind "
                        "that is sound; left as it is"
                    )
                end, number = end + len(line), number + 1
                try:
                    take(content)
                except (ValueError, KeyError, TypeError) as error:
                    why = str(error) if isinstance(error, BgfastError) else f"it is none of a {self._kind}"
                    raise self._error(f"record {number}: {why}; left as it is") from None
            self._sound = end, number
            self._tell_damage(file.tell() - end)

    def _tell_damage(self, number: int) -> None:
        if number:
            warnings.warn(f"{self.name}: {number:,} damaged bytes at its end do not count", stacklevel=4)

    # ---------------------------------------------------------------- writing

    def begin(self, job: Mapping[str, Any]) -> None:
        """Say which work is kept, before anything of it is; or check that it is this work.

        Raises
        ------
        BgfastError
            If the file is that of another job, which leaves it as it is, or cannot be written.
        """
        if self.job is not None:
            check_same_job(self.name, self._kind, self.job, job)
            return
        line = _line({"bgfast_journal": FORMAT, "kind": self._kind, "job": dict(job)}, 0)
        self._write(line)
        sync_folder(os.path.dirname(os.path.realpath(self._path)))
        self._seed, self._sound, self.job = zlib.crc32(line[:-CHECKSUM_LENGTH]), (len(line), 0), dict(job)

    def append(self, content: Mapping[str, Any]) -> None:
        """Add a record.

        Raises
        ------
        BgfastError
            If it cannot be written: what the file held counts, and this does not. It can be tried again.
        """
        end, number = self._sound
        line = _line({"record": number + 1, **content}, self._seed)
        self._write(line)
        self._sound = end + len(line), number + 1

    def _write(self, line: bytes) -> None:
        descriptor, (end, _) = self._lock.descriptor, self._sound
        try:
            if not self._lock.still_on(self._path):
                raise self._error("another file has taken its place")
            if os.fstat(descriptor).st_size < end:
                raise self._error("it has been cut off while it was in use")
            append_whole(descriptor, end, line)
        except OSError as error:
            raise self._error(reason(error)) from None

    def _error(self, why: str) -> BgfastError:
        return BgfastError(f"{self.name}: {why}")


def _line(content: Mapping[str, Any], seed: int) -> bytes:
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")[:-1]
    return text + CHECKSUM % zlib.crc32(text, seed)


def _content(line: bytes, seed: int) -> dict[str, Any] | None:
    """Return what stands in a line, None if it is not sound."""
    text = line[:-CHECKSUM_LENGTH]
    if line[-CHECKSUM_LENGTH:] != CHECKSUM % zlib.crc32(text, seed):
        return None
    try:
        content = json.loads(text + b"}")
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
