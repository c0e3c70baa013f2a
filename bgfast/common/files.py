"""Reading, atomic writing and locking of files that users name, including devices, pipes and links.

Errors are OSErrors without the file's name in the message; `reason` returns the message.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from bgfast.errors import BgfastError, MissingFileError, short_repr

if TYPE_CHECKING:
    from pathlib import Path
if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MAX_READ_BYTES = 64_000_000
"""Maximum number of bytes to read by default; a device may be endless."""
_CHUNK = 1 << 20
_LOCKED_BYTE = 1 << 30  # on Windows, far beyond the content: no other process can read a locked byte
_SPECIAL_FILES = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)

# ---------------------------------------------------------------- names


def validate_path(path: Any, name: str, expected: str = "a path") -> str:
    """Return a path as text; raise `BgfastError`, with the argument's `name`, if it cannot name a file.

    Numbers, which would be taken for descriptors, and bytes are refused.
    """
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    with suppress(UnicodeError):
        if isinstance(text, str) and text and b"\0" not in os.fsencode(text):
            return text
    raise BgfastError(f"{name} is {short_repr(path)}; expected {expected}")


# ---------------------------------------------------------------- reading


def is_missing_file(text: str) -> bool:
    """Return whether a text looks like a file name, by its extension or slashes, but no such file exists.

    Texts that look like a position ID, which may contain slashes, are excluded.
    """
    is_name = re.fullmatch(r"(?:\.{0,2}|~\w*|[A-Za-z]:)[/\\].*|.*[/\\]|.*\.[A-Za-z][\w-]*", text, re.DOTALL)
    is_id = re.fullmatch(r"[A-Za-z0-9+/]{10,18}", text, re.ASCII)
    return is_name is not None and is_id is None and not os.path.exists(text)


def check_folder(path: str | os.PathLike[str]) -> None:
    """Raise `FileNotFoundError` if the folder of a file to be written does not exist."""
    folder = os.path.dirname(path)
    if folder and not os.path.exists(folder):
        raise FileNotFoundError(errno.ENOENT, f"the folder {short_repr(os.fspath(folder))} does not exist")


def check_regular_file(path: str | os.PathLike[str]) -> None:
    """Raise `OSError` if a path exists but is not a regular file; the file is not opened."""
    with suppress(FileNotFoundError):
        _check_file_type(os.stat(path).st_mode)


def _check_file_type(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    for has_type, name in _SPECIAL_FILES:
        if has_type(mode):
            raise OSError(errno.EINVAL, f"it is {name}; expected a file")


def read_limited(file: str | os.PathLike[str] | int, max_bytes: int = MAX_READ_BYTES) -> bytes:
    """Return the whole content of a file, a pipe, a device, or a descriptor, which stays open."""
    chunks, size = [], 0
    with open(file, "rb", buffering=0, closefd=not isinstance(file, int)) as stream:
        request = max(_CHUNK, min(os.fstat(stream.fileno()).st_size, max_bytes) + 1)  # one read call suffices
        while chunk := stream.read(request):
            chunks.append(chunk)
            size += len(chunk)
            if size > max_bytes:
                raise OSError(errno.EFBIG, f"it has more than {max_bytes:,} bytes, the maximum")
    return b"".join(chunks)


# ---------------------------------------------------------------- writing


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file's content, or leave the file unchanged after an error; see `replace_file`."""
    with replace_file(path) as file:
        file.write(content)


def append_all(descriptor: int, end: int, content: bytes) -> None:
    """Append content after the first `end` bytes of an open file and sync it: everything or nothing.

    Anything after these bytes is cut off, even if the write fails with an `OSError`.
    """
    try:
        os.ftruncate(descriptor, end)
        os.lseek(descriptor, end, os.SEEK_SET)
        _write(descriptor, content)
        os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            os.ftruncate(descriptor, end)
        raise


def _write(descriptor: int, content: bytes) -> None:
    """Write all bytes; a single `os.write` may write fewer, for example on a full disk."""
    remainder = memoryview(content)
    while remainder:
        count = os.write(descriptor, remainder)
        if not count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        remainder = remainder[count:]


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that replaces `path` when the block ends; after an error the old file is unchanged.

    The new file has a temporary name in the same folder until it is complete and synced. A symbolic link
    stays a link. Permissions are kept, and the owner if allowed. Devices and pipes are opened directly.
    """
    check_folder(path)
    try:
        status = os.stat(path)
    except FileNotFoundError:
        status = None
    if status is not None and not stat.S_ISREG(status.st_mode):
        with open(path, "wb") as device:
            yield device
        return
    target = os.path.realpath(path)
    if status is not None:  # a read-only file must not be replaced
        os.close(os.open(target, os.O_WRONLY))
    folder = os.path.dirname(target)
    temporary_path = os.path.join(folder, f".bgfast-{os.urandom(8).hex()}")
    # The temporary file must not be more readable than the old one.
    mode = 0o666 if status is None else 0o600
    try:
        with open(temporary_path, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            if status is not None:
                _copy_ownership(file.fileno(), status)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary_path, target)
    except BaseException as error:
        # A file of this name that exists belongs to another process.
        if not (isinstance(error, FileExistsError) and error.filename == temporary_path):
            with suppress(OSError):
                os.unlink(temporary_path)
        if isinstance(error, PermissionError) and error.filename == temporary_path:
            problem = f"no file can be created in its folder: {error.strerror}"
            raise PermissionError(error.errno, problem) from None
        raise
    sync_folder(folder)


def _copy_ownership(descriptor: int, status: os.stat_result) -> None:
    if sys.platform != "win32":
        with suppress(PermissionError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def sync_folder(folder: str) -> None:
    """Sync the entries of a folder to disk, where the system supports it."""
    if sys.platform != "win32":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# ---------------------------------------------------------------- locks


class FileLock:
    """Exclusive lock on an open file, until `release`, garbage collection or the end of the process.

    Releasing the lock closes the descriptor. Raises `OSError` if another process has the lock; the message
    names the process where the system reports it. On file systems without locks the file stays unlocked.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        # Closed, not unlocked: a forked child must not unlock the file when it exits.
        self.release = weakref.finalize(self, os.close, descriptor)
        try:
            _lock(descriptor)
        except BaseException:
            self.release()
            raise

    @classmethod
    def on(cls, path: str | os.PathLike[str]) -> FileLock:
        """Open a regular file for reading and writing, create it if necessary, and lock it."""
        check_folder(path)
        check_regular_file(path)
        while True:
            lock = cls(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666))
            try:
                _check_file_type(os.fstat(lock.descriptor).st_mode)
                # Another run may have replaced the file before the lock was acquired.
                if lock.is_on(path):
                    return lock
            except FileNotFoundError:
                pass
            except BaseException:
                lock.release()
                raise
            lock.release()

    def is_on(self, path: str | os.PathLike[str]) -> bool:
        """Return whether the path leads to the locked file; raise FileNotFoundError if it does not exist."""
        return os.path.samestat(os.fstat(self.descriptor), os.stat(path))


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError(errno.EAGAIN, "it is in use by another run") from None
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        process_id = _lock_owner(os.fstat(descriptor).st_ino)
        owner = f"process {process_id}" if process_id else "another run"
        raise BlockingIOError(errno.EAGAIN, f"it is in use by {owner}") from None
    except OSError:
        pass  # the file system has no locks


def _lock_owner(inode: int) -> int:
    """Return the ID of the process that has locked a file; 0 if the system does not report it."""
    # Only the inode is compared: on some file systems `os.stat` reports a different device.
    with suppress(OSError), open("/proc/locks", encoding="ascii") as locks:
        for line in locks:
            fields = line.split()
            if fields[1] == "FLOCK" and fields[5].endswith(f":{inode}"):
                return max(0, int(fields[4]))
    return 0


# ---------------------------------------------------------------- errors of outputs, and jobs to resume


def reason(error: Exception) -> str:
    """Return the reason why a file cannot be read or written, without the file's name."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Raise `BgfastError`, with the name of a file, in place of `OSError`."""
    try:
        yield
    except MissingFileError:
        raise
    except OSError as error:
        error_class = MissingFileError if isinstance(error, FileNotFoundError) else BgfastError
        raise error_class(f"{name}: {reason(error)}") from None


def write_file(path: str, content: str | bytes) -> None:
    """Write a file, completely or not at all; lone surrogates in a text become question marks."""
    with naming(short_repr(path)):
        write_atomically(path, content.encode("utf-8", "replace") if isinstance(content, str) else content)


def refuse_missing_folder(path: str) -> None:
    """Raise `BgfastError` if the folder of an output does not exist, before long work begins."""
    with naming(short_repr(path)):
        check_folder(path)


def refuse_existing_path(path: str) -> None:
    """Raise `BgfastError` if a path exists, for functions that replace files only with `force`."""
    if os.path.lexists(path):
        raise BgfastError(f"{short_repr(path)} exists already; expected a new name, or force")


def check_same_job(file: str, work: str, stored: Mapping[str, Any], job: Mapping[str, Any]) -> None:
    """Raise `BgfastError`, with the first difference, unless a file's stored job equals `job`."""
    for name in {**job, **stored}:
        # As JSON, 1, 1.0 and true differ; a list and a tuple do not.
        expected, actual = (json.dumps(values.get(name), sort_keys=True) for values in (job, stored))
        if expected != actual:
            raise BgfastError(
                f"{file} belongs to another {work}: its {name} is {short_repr(stored.get(name))}, "
                f"here it is {short_repr(job.get(name))}"
            )


# ---------------------------------------------------------------- cache of files that can be recomputed


def cache_folder() -> Path:
    """Return the cache folder, BGFAST_CACHE or the system's default; it may not exist yet."""
    from pathlib import Path  # slow to import

    if override := os.environ.get("BGFAST_CACHE"):
        return Path(override).absolute()
    try:
        if sys.platform == "win32":
            local_data = os.environ.get("LOCALAPPDATA")
            return (Path(local_data) if local_data else Path.home() / "AppData/Local") / "bgfast" / "Cache"
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "bgfast"
        # A relative path is ignored (XDG Base Directory Specification 0.8).
        xdg_cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
        return (xdg_cache if xdg_cache.is_absolute() else Path.home() / ".cache") / "bgfast"
    except RuntimeError:
        raise FileNotFoundError(errno.ENOENT, "the user has no home folder") from None
