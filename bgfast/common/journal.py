"""Append-only journal of interrupted work, with a checksum for every record.

The file consists of JSON lines. The first one is the header: ``bgfast_journal`` (format version), ``kind``
(kind of work) and ``job`` (parameters of the work). The other lines are records: ``record`` (number, from 1)
and data. Every line ends with ``crc32``, the CRC-32 of the line so far as eight hexadecimal digits; for
records it continues the header's checksum. A record can therefore be verified by itself: its integrity, its
job and its number.

`Journal.append` returns after the record is synced to disk: neither the end of the process nor a power
failure loses it, if the disk honours fsync. An incomplete record, after a full disk or Ctrl-C, is removed.

Damaged data after the last valid record is ignored with a warning and overwritten by the next record. A file
with a valid record after a damaged one is refused and not changed.
"""

from __future__ import annotations

import json
import os
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bgfast.common.files import FileLock, append_all, check_same_job, naming, sync_folder, validate_path
from bgfast.errors import BgfastError

FORMAT = 1
BEGINNING = b'{"bgfast_journal":'
CHECKSUM = b',"crc32":"%08x"}\n'
CHECKSUM_LENGTH = len(CHECKSUM % 0)
MAX_LINE = 1 << 24
"""Maximum bytes of a line; longer lines count as damaged."""


class Journal:
    """Journal file, open and locked against other runs until `close` or garbage collection.

    A missing file is created. `work` names the work, such as "rollout", and `file_noun` the file, such as
    "checkpoint", in messages. `job` is None for a new file or an incomplete header. All methods raise
    `BgfastError` if the file cannot be read or written, is in use, or belongs to other work. The file is
    then closed and unchanged; after an error in `append` it stays open and valid instead.
    """

    def __init__(self, path: str | os.PathLike[str], work: str, file_noun: str) -> None:
        self._path = validate_path(path, file_noun, "the path of a file")
        self.name = f"{file_noun} {self._path}"
        self._work, self._file_noun = work, file_noun
        self.job: Mapping[str, Any] | None = None
        self._seed = 0  # initial value of the records' checksums
        self._size = 0, 0  # valid bytes and records; Ctrl-C cannot leave a tuple half updated
        with naming(self.name):
            self._lock = FileLock.on(self._path)
        with self._close_on_error():
            self._read_header()

    def close(self) -> None:
        """Close the file, which unlocks it."""
        self._lock.release()

    @contextmanager
    def _close_on_error(self) -> Iterator[None]:
        try:
            with naming(self.name):
                yield
        except BaseException:
            self.close()
            raise

    # ---------------------------------------------------------------- reading

    def _read_header(self) -> None:
        with open(self._lock.descriptor, "rb", closefd=False) as file:
            file.seek(0)
            if not BEGINNING.startswith(file.read(len(BEGINNING))):  # the rest may be huge
                raise self._error(f"it is not a {self._file_noun} of a {self._work}; left as it is")
            file.seek(0)
            line = file.readline(MAX_LINE)
        if not line.endswith(b"\n") and len(line) < MAX_LINE:  # the process ended while writing the header
            self._warn_of_damage(len(line))
            return
        version = re.match(rb"[0-9]{1,9}", line[len(BEGINNING) :])
        if version and int(version[0]) != FORMAT:
            raise self._error(f"it has the format {int(version[0])}; this version of bgfast reads {FORMAT}")
        header = _content(line, 0)
        if header is None or not isinstance(header.get("job"), dict):
            raise self._error("its header is damaged; left as it is")
        if header.get("kind") != self._work:
            raise self._error(f"it belongs to a {header.get('kind')}, not to a {self._work}; left as it is")
        self.job, self._seed, self._size = header["job"], zlib.crc32(line[:-CHECKSUM_LENGTH]), (len(line), 0)

    def read(self, load: Callable[[dict[str, Any]], object]) -> None:
        """Pass the records to a function, in order; warn about a damaged end.

        `load` raises ValueError, KeyError, TypeError or OverflowError if a record does not belong to this
        work. A valid record after a damaged one is an error.
        """
        if self.job is not None:
            with self._close_on_error():
                self._read(load)

    def _read(self, load: Callable[[dict[str, Any]], object]) -> None:
        end, count = self._size
        is_damaged = False
        with open(self._lock.descriptor, "rb", closefd=False) as file:
            file.seek(end)
            for line in iter(lambda: file.readline(MAX_LINE), b""):
                content = _content(line, self._seed)
                if content is None:
                    is_damaged = True
                    continue
                record_number = content.get("record")
                if record_number != count + 1:
                    raise self._error(
                        f"record {count + 1} is damaged or missing, and record {record_number} after it is "
                        f"valid; left as it is, with {end:,} valid bytes before"
                    )
                if is_damaged:
                    raise self._error(
                        f"damaged data follows its first {end:,} bytes, and record {record_number} after it "
                        "is valid; left as it is"
                    )
                end, count = end + len(line), count + 1
                try:
                    load(content)
                except (ValueError, KeyError, TypeError, OverflowError) as error:
                    is_explained = isinstance(error, BgfastError)
                    problem = str(error) if is_explained else f"it is not a record of a {self._work}"
                    raise self._error(f"record {count}: {problem}; left as it is") from None
            self._size = end, count
            self._warn_of_damage(file.tell() - end)

    def _warn_of_damage(self, size: int) -> None:
        if size:
            warnings.warn(f"{self.name}: {size:,} damaged bytes at its end are ignored", stacklevel=4)

    # ---------------------------------------------------------------- writing

    def begin(self, job: Mapping[str, Any]) -> None:
        """Write the header, or check that an existing one states the same job; call before `append`."""
        with self._close_on_error():
            if self.job is not None:
                check_same_job(self.name, self._work, self.job, job)
                return
            line = _line({"bgfast_journal": FORMAT, "kind": self._work, "job": dict(job)}, 0)
            self._write(line)
            sync_folder(os.path.dirname(os.path.realpath(self._path)))
        self._seed, self._size, self.job = zlib.crc32(line[:-CHECKSUM_LENGTH]), (len(line), 0), dict(job)

    def append(self, content: Mapping[str, Any]) -> None:
        """Append a record; after an error the call can be repeated."""
        end, count = self._size
        line = _line({"record": count + 1, **content}, self._seed)
        self._write(line)
        self._size = end + len(line), count + 1

    def _write(self, line: bytes) -> None:
        descriptor, (end, _) = self._lock.descriptor, self._size
        if len(line) > MAX_LINE:
            raise self._error(f"a record of {len(line):,} bytes; expected at most {MAX_LINE:,}")
        with naming(self.name):
            if not self._lock.is_on(self._path):
                raise self._error("another file has replaced it")
            if os.fstat(descriptor).st_size < end:
                raise self._error("it has been cut off while it was in use")
            append_all(descriptor, end, line)

    def _error(self, problem: str) -> BgfastError:
        return BgfastError(f"{self.name}: {problem}")


def _line(content: Mapping[str, Any], seed: int) -> bytes:
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")[:-1]
    return text + CHECKSUM % zlib.crc32(text, seed)


def _content(line: bytes, seed: int) -> dict[str, Any] | None:
    """Return the content of a line; None if it is damaged."""
    text = line[:-CHECKSUM_LENGTH]
    if line[-CHECKSUM_LENGTH:] != CHECKSUM % zlib.crc32(text, seed):
        return None
    try:
        content = json.loads(text + b"}")
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
