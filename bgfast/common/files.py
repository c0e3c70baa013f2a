"""How files are read, written and locked, whatever the name that was given stands for.

Errors are OSErrors whose text says what is wrong, without the name of the file: `resumable.reason` gives it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from bgfast.errors import BgfastError, shown

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = [
    "MOST_READ",
    "FileLock",
    "append_whole",
    "check_plain",
    "checked_path",
    "is_missing_file",
    "read_limited",
    "replacing",
    "sync_folder",
    "write_atomically",
]

MOST_READ = 64_000_000
"""Bytes that are read of a file that somebody names, which may be a device without end."""
_CHUNK = 1 << 20
_FAR = 1 << 30  # the byte that is locked on Windows, where nobody else can read what is locked
_KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)

# ---------------------------------------------------------------- names


def checked_path(path: Any, called: str, expected: str = "a path") -> str:
    """Return a path as text; `called` is what messages call it.

    Raises
    ------
    BgfastError
        If it is no text and no `os.PathLike`, such as a number, which would be taken for a descriptor, or
        bytes; or if no file can have that name.
    """
    found = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(found, str) or not found or not _can_be_a_name(found):
        raise BgfastError(f"{called} is {shown(path)}; expected {expected}")
    return found


def _can_be_a_name(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeError:
        return False


# ---------------------------------------------------------------- reading


def is_missing_file(text: str) -> bool:
    """Return whether text is the name of a file by its looks, and there is none of that name.

    That is a name with an ending, or a path that begins with a slash, a dot or a tilde or ends with a slash,
    but nothing that is an ID of a position by its looks: those have slashes, too.

    Examples
    --------
    >>> [is_missing_file(text) for text in ("mine.bgnet", "./mine", "my/", "mine")]
    [True, True, True, False]
    >>> [is_missing_file(text) for text in ("4HPwATDgc/ABMA", "a.b:Player")]
    [False, False]
    """
    named = re.fullmatch(r"(?:\.{0,2}|~\w*|[A-Za-z]:)[/\\].*|.*[/\\]|.*\.[A-Za-z][\w-]*", text, re.DOTALL)
    is_id = re.fullmatch(r"[A-Za-z0-9+/]{10,18}", text, re.ASCII)
    return named is not None and is_id is None and not os.path.exists(text)


def check_plain(path: str | os.PathLike[str]) -> None:
    """Refuse what is neither a regular file nor can become one; it is not opened.

    Raises
    ------
    OSError
        If it is a folder, a device, a FIFO or a socket, or cannot be looked at.
    """
    with suppress(FileNotFoundError):
        _check_plain(os.stat(path).st_mode)


def _check_plain(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    for is_kind, name in _KINDS:
        if is_kind(mode):
            raise OSError(errno.EINVAL, f"it is {name}; expected a file")


def read_limited(file: str | os.PathLike[str] | int, most: int = MOST_READ) -> bytes:
    """Return what a file, a pipe or a device gives until its end.

    Parameters
    ----------
    file : path, or a descriptor, which stays open
    most : int
        Bytes that are read at most.

    Raises
    ------
    OSError
        If it cannot be read, or there are more.
    """
    content = bytearray()
    with open(file, "rb", buffering=0, closefd=not isinstance(file, int)) as opened:
        while chunk := opened.read(_CHUNK):
            content += chunk
            if len(content) > most:
                raise OSError(errno.EFBIG, f"it has more than {most:,} bytes, the most that is read")
    return bytes(content)


# ---------------------------------------------------------------- writing


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Replace a file by this content, or leave it as it was, as `replacing` does."""
    with replacing(path) as file:
        file.write(content)


def append_whole(descriptor: int, end: int, content: bytes) -> None:
    """Write behind the first `end` bytes of an open file and bring it onto the disk: all, or nothing.

    What the file held behind them is cut off, also if this fails.

    Raises
    ------
    OSError
        If it cannot be written.
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
    """Write all of it: one call may write less, as on a disk that has become full."""
    left = memoryview(content)
    while left:
        written = os.write(descriptor, left)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left = left[written:]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a new file that takes the place of another at the end; after an error all is as it was.

    It has a name of its own in the same folder until it is complete and on the disk. A link that is given
    stays and leads to the new file. The permissions stay, and the owner where that is allowed. What is no
    regular file, a device or a pipe, is written to as it is.

    Parameters
    ----------
    path : path

    Yields
    ------
    binary file

    Raises
    ------
    OSError
        If it cannot be written.
    """
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        with open(path, "wb") as device:
            yield device
        return
    target = os.path.realpath(path)
    if old is not None:  # a file that may not be written may not be replaced
        os.close(os.open(target, os.O_WRONLY))
    folder = os.path.dirname(target)
    name = os.path.join(folder, f".bgfast-{os.urandom(8).hex()}")
    # Nobody reads meanwhile what could not be read before.
    mode = 0o666 if old is None else 0o600
    try:
        with open(name, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            if old is not None:
                _take_after(file.fileno(), old)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException as error:
        if not (isinstance(error, FileExistsError) and error.filename == name):  # that one is not ours
            with suppress(OSError):
                os.unlink(name)
        if isinstance(error, PermissionError) and error.filename == name:
            why = f"no file can be made in its folder: {error.strerror}"
            raise PermissionError(error.errno, why) from None
        raise
    sync_folder(folder)


def _take_after(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the owner and the permissions of the old one."""
    if sys.platform != "win32":
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def sync_folder(folder: str) -> None:
    """Bring the new names of a folder onto the disk, where the system can."""
    if sys.platform != "win32":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# ---------------------------------------------------------------- locks


class FileLock:
    """Keeps other runs from a file, until it is released, collected, or the process ends however it ends.

    Where the file system has no locks, none is taken.

    Parameters
    ----------
    descriptor : int
        Of the open file; it is closed with the lock.

    Raises
    ------
    OSError
        If another run has the lock; the text says which process that is, where the system tells.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        # It is closed, not unlocked: a child that this process forks must not unlock the file when it ends.
        self.release = weakref.finalize(self, os.close, descriptor)
        try:
            _lock(descriptor)
        except BaseException:
            self.release()
            raise

    @classmethod
    def on(cls, path: str | os.PathLike[str]) -> FileLock:
        """Open a file to read and write it, made if it is not there, and lock it.

        Raises
        ------
        OSError
            If that cannot be, it is no regular file, or it is in use.
        """
        check_plain(path)
        while True:
            lock = cls(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666))
            try:
                _check_plain(os.fstat(lock.descriptor).st_mode)
                # Another run may have put a new file in its place before the lock was ours.
                if lock.still_on(path):
                    return lock
            except FileNotFoundError:
                pass
            except BaseException:
                lock.release()
                raise
            lock.release()

    def still_on(self, path: str | os.PathLike[str]) -> bool:
        """Whether the path leads to the file that is locked; FileNotFoundError if it leads to none."""
        return os.path.samestat(os.fstat(self.descriptor), os.stat(path))


def _lock(descriptor: int) -> None:
    in_use = errno.EAGAIN
    if sys.platform == "win32":
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError(in_use, "it is in use by another run") from None
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = _holder(os.fstat(descriptor).st_ino)
        which = f"process {holder}" if holder else "another run"
        raise BlockingIOError(in_use, f"it is in use by {which}") from None
    except OSError:
        pass  # there are no locks here


def _holder(inode: int) -> int:
    """Return the number of the process that has locked a file, 0 if the system does not tell.

    The device beside the inode is not that of `os.stat` on every file system, so that it is not compared.
    """
    with suppress(OSError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            words = line.split()
            if words[1] == "FLOCK" and words[5].endswith(f":{inode}"):
                return max(0, int(words[4]))
    return 0
