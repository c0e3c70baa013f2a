"""Files: atomic writes to any kind of file, locks, limits on reading, and the cache folder."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import re
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import bgfast
from bgfast.cli.main import main
from bgfast.common import files
from bgfast.common.files import (
    FileLock,
    cache_folder,
    check_regular_file,
    is_missing_file,
    read_limited,
    replace_file,
    validate_path,
    write_atomically,
)

POSIX = pytest.mark.skipif(os.name == "nt", reason="needs POSIX links, FIFOs and permissions")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


# ---------------------------------------------------------------- names


def test_names_of_missing_files_are_recognized() -> None:
    for text in ("mine.bgnet", "./mine", "my/", "~/mine", r"C:\\mine"):
        assert is_missing_file(text)
    for text in ("mine", "4HPwATDgc/ABMA", "a.b:Player", __file__):
        assert not is_missing_file(text)


def test_paths_may_be_text(file: Path) -> None:
    assert validate_path(file, "it") == validate_path(str(file), "it") == str(file)


# ---------------------------------------------------------------- writing


def test_files_are_created_and_replaced(file: Path) -> None:
    write_atomically(file, b"first")
    assert file.read_bytes() == b"first"
    write_atomically(str(file), b"2nd")
    assert file.read_bytes() == b"2nd"
    assert os.listdir(file.parent) == ["file"]


def test_a_file_in_the_current_folder_is_written(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    write_atomically(file.name, b"first")
    assert file.read_bytes() == b"first"


@POSIX
def test_content_is_on_disk_before_it_replaces_the_old(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"old")
    events: list[tuple[str, bytes, bytes]] = []

    def watch(name: str) -> Callable[..., object]:
        real_function = getattr(os, name)

        def call(*arguments: object) -> object:
            new_files = [path for path in file.parent.iterdir() if path != file and name == "replace"]
            events.append((name, file.read_bytes(), b"".join(path.read_bytes() for path in new_files)))
            return real_function(*arguments)

        return call

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, watch(name))
    write_atomically(file, b"new")
    assert events == [("fsync", b"old", b""), ("replace", b"old", b"new"), ("fsync", b"new", b"")]


class Failure(BaseException):
    """Exception that `except Exception` does not catch, like KeyboardInterrupt."""


@pytest.mark.parametrize("stage", ["while it is written", "fsync", "replace"])
@pytest.mark.parametrize("exists", [True, False])
def test_errors_change_no_file(file: Path, monkeypatch: pytest.MonkeyPatch, stage: str, exists: bool) -> None:
    error = Failure()

    def fail(*arguments: object) -> None:
        raise error

    if exists:
        file.write_bytes(b"old")
    if stage != "while it is written":
        monkeypatch.setattr(os, stage, fail)

    def write() -> None:
        with replace_file(file) as new_file:
            new_file.write(b"part")
            new_file.flush()
            if stage == "while it is written":
                raise error

    with pytest.raises(Failure):
        write()
    assert os.listdir(file.parent) == ["file"] * exists
    assert not exists or file.read_bytes() == b"old"


def test_a_file_with_the_temporary_name_is_untouched(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda count: b"\0" * count)
    other_file = file.with_name(".bgfast-" + 16 * "0")
    other_file.write_bytes(b"other")
    with pytest.raises(FileExistsError):
        write_atomically(file, b"new")
    assert other_file.read_bytes() == b"other"
    other_file.unlink()
    other_file.symlink_to(file.with_name("target"))
    with pytest.raises(FileExistsError):
        write_atomically(file, b"new")
    assert os.listdir(file.parent) == [other_file.name]


def test_temporary_names_are_unpredictable(file: Path) -> None:
    names = set()
    for _ in range(3):
        with replace_file(file):
            (name,) = (path.name for path in file.parent.iterdir() if path != file)
        names.add(name)
    assert len(names) == 3
    assert all(re.fullmatch(r"\.bgfast-[0-9a-f]{16}", name) for name in names)


@POSIX
@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(file: Path, tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target = folder / "target"
    if exists:
        target.write_bytes(b"old")
    file.symlink_to("link")
    (tmp_path / "link").symlink_to(target)
    write_atomically(file, b"new")
    assert file.is_symlink()
    assert os.readlink(file) == "link"
    assert os.listdir(folder) == ["target"]
    assert not target.is_symlink()
    assert target.read_bytes() == b"new"


@POSIX
def test_a_link_to_itself_is_refused(file: Path) -> None:
    file.symlink_to(file)
    with pytest.raises(OSError, match=r"symbolic links"):
        write_atomically(file, b"new")
    assert os.listdir(file.parent) == ["file"]


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o755, 0o660])
def test_permissions_are_kept(file: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    file.write_bytes(b"old")
    file.chmod(mode)
    modes: list[int] = []
    real_fchmod = os.fchmod

    def fchmod(descriptor: int, mode: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        real_fchmod(descriptor, mode)

    monkeypatch.setattr(os, "fchmod", fchmod)
    with replace_file(file) as new_file:
        writing_mode = os.fstat(new_file.fileno()).st_mode
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert stat.S_IMODE(writing_mode) == mode
    assert modes == [0o600]


@POSIX
def test_a_new_file_has_the_default_permissions(file: Path) -> None:
    old_umask = os.umask(0o027)
    try:
        write_atomically(file, b"new")
    finally:
        os.umask(old_umask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@POSIX
@pytest.mark.parametrize("is_allowed", [True, False])
def test_owner_is_kept_if_allowed(file: Path, monkeypatch: pytest.MonkeyPatch, is_allowed: bool) -> None:
    file.write_bytes(b"old")
    file.chmod(0o4755)
    owners: list[tuple[int, int]] = []

    def fchown(descriptor: int, user: int, group: int) -> None:
        os.fchmod(descriptor, 0o600)  # the system clears the set-user-ID bit
        owners.append((user, group))
        if not is_allowed:
            raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", fchown)
    write_atomically(file, b"new")
    assert owners == [(file.stat().st_uid, file.stat().st_gid)]
    assert stat.S_IMODE(file.stat().st_mode) == 0o4755


@POSIX
def test_read_only_files_are_not_replaced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"old")
    real_open = os.open

    def refuse_writing(path: str, flags: int, *mode: int) -> int:  # permissions do not stop root
        if path == forbidden_path and flags & os.O_WRONLY:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real_open(path, flags, *mode)

    monkeypatch.setattr(os, "open", refuse_writing)
    forbidden_path = str(file)
    with pytest.raises(PermissionError, match="Permission denied"):
        write_atomically(file, b"new")
    monkeypatch.setattr(os, "urandom", lambda count: b"\0" * count)
    forbidden_path = str(file.with_name(".bgfast-" + 16 * "0"))
    with pytest.raises(PermissionError, match="no file can be created in its folder: Permission denied"):
        write_atomically(file, b"new")
    assert os.listdir(file.parent) == ["file"]
    assert file.read_bytes() == b"old"


# No test writes to a device of the system: broken code that runs as root would replace it.


@POSIX
def test_special_files_are_written_in_place(file: Path) -> None:
    os.mkfifo(file)
    contents: list[bytes] = []
    reader = threading.Thread(target=lambda: contents.append(file.read_bytes()))
    reader.start()
    write_atomically(file, b"new")
    assert file.is_fifo()
    reader.join()
    assert contents == [b"new"]
    assert os.listdir(file.parent) == ["file"]
    with pytest.raises(IsADirectoryError):
        write_atomically(file.parent, b"new")


# ---------------------------------------------------------------- reading


@POSIX
def test_errors_name_the_type_of_special_files(tmp_path: Path) -> None:
    fifo, folder, socket_path = (tmp_path / name for name in ("fifo", "folder", "socket"))
    os.mkfifo(fifo)
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(os.path.relpath(socket_path))  # the whole path may be too long for a socket
        paths = (fifo, Path(os.devnull), socket_path, folder)
        messages = ("a FIFO", "a device", "a socket", "Is a directory")
        for path, message in zip(paths, messages, strict=True):
            for check in (check_regular_file, FileLock.on):
                with pytest.raises(OSError, match=message):
                    check(path)


def test_regular_and_missing_files_are_not_special(file: Path) -> None:
    check_regular_file(file)
    file.write_bytes(b"")
    check_regular_file(file)
    assert os.listdir(file.parent) == ["file"]


def test_files_longer_than_the_limit_are_refused(file: Path) -> None:
    file.write_bytes(bytes(5000))
    assert read_limited(file, 5000) == bytes(5000)
    with pytest.raises(OSError, match="it has more than 4,999 bytes, the maximum"):
        read_limited(file, 4999)
    with open(file, "rb") as stream:
        assert read_limited(stream.fileno()) == bytes(5000)
        assert not stream.closed
        os.fstat(stream.fileno())


@POSIX
def test_endless_files_are_read_to_the_limit(file: Path) -> None:
    os.mkfifo(file)
    written_bytes = 0

    def write() -> None:
        nonlocal written_bytes
        with contextlib.suppress(BrokenPipeError), open(file, "wb", buffering=0) as pipe:
            while written_bytes < 50_000_000:  # endless for a reader without a limit
                written_bytes += pipe.write(bytes(100_000))

    writer = threading.Thread(target=write)
    writer.start()
    with pytest.raises(OSError, match="more than 1,000,000 bytes"):
        read_limited(file, 1_000_000)
    writer.join()
    assert written_bytes < 10_000_000


@POSIX
def test_pipes_are_read_to_the_end() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"one")
    os.close(write_end)
    assert read_limited(f"/dev/fd/{read_end}") == b"one"
    os.close(read_end)


# ---------------------------------------------------------------- locks


def start_process_with_lock(file: Path) -> subprocess.Popen[str]:
    """Start a process that locks a file until its standard input closes."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from bgfast.common.files import FileLock\n"
        "lock = FileLock.on(sys.argv[1]); print('locked', flush=True); sys.stdin.read()\n"
    )
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", code, str(file)], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


@pytest.mark.parametrize("end", ["close", "kill"])
def test_locked_files_are_refused_until_the_process_ends(file: Path, end: str) -> None:
    with start_process_with_lock(file) as locker:
        holder = f"process {locker.pid}" if sys.platform == "linux" else "another run"
        with pytest.raises(BlockingIOError, match=f"it is in use by {holder}$"):
            FileLock.on(file)
        assert locker.stdin is not None
        locker.stdin.close() if end == "close" else locker.kill()
        locker.wait()
        FileLock.on(file).release()


def test_a_process_cannot_lock_a_file_twice(file: Path) -> None:
    lock = FileLock.on(file)
    with pytest.raises(BlockingIOError, match="it is in use by"):
        FileLock.on(file)
    lock.release()
    lock = FileLock.on(file)
    del lock
    FileLock.on(file).release()


@POSIX
def test_failed_locks_close_their_files(file: Path) -> None:
    open_count = len(os.listdir("/dev/fd"))
    lock = FileLock.on(file)
    with pytest.raises(BlockingIOError):
        FileLock.on(file)
    with pytest.raises(FileNotFoundError):
        FileLock.on(file.with_name("none") / "file")
    lock.release()
    assert len(os.listdir("/dev/fd")) == open_count


def test_an_unknown_holder_is_called_another_run(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = FileLock.on(file)
    monkeypatch.setattr(
        files, "open", lambda *_, **options: file.with_name("none").open(**options), raising=False
    )
    with pytest.raises(BlockingIOError, match=r"it is in use by another run$"):
        FileLock.on(file)
    lock.release()


@POSIX
def test_the_lock_is_on_the_new_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"old")
    descriptors = [os.open(file, os.O_RDWR)]
    real_open = os.open
    write_atomically(file, b"new")
    monkeypatch.setattr(os, "open", lambda *args: descriptors.pop() if descriptors else real_open(*args))
    lock = FileLock.on(file)
    assert not descriptors
    assert lock.is_on(file)
    assert read_limited(lock.descriptor) == b"new"
    lock.release()


@POSIX
def test_systems_without_locks_raise_no_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(files.fcntl, "flock", flock)
    FileLock.on(file).release()


@POSIX
def test_forked_children_do_not_unlock(file: Path) -> None:
    code = (
        f"import os, sys; sys.path[:] = {sys.path!r}\n"
        "from bgfast.common.files import FileLock\n"
        "lock = FileLock.on(sys.argv[1])\n"
        "if child := os.fork():\n"
        "    os.waitpid(child, 0)\n"
        "    try:\n        FileLock.on(sys.argv[1])\n"
        "    except BlockingIOError:\n        print('locked')\n"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True
    )
    assert completed.stdout == "locked\n"


# ---------------------------------------------------------------- cache folder


def test_each_system_has_a_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("BGFAST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for platform, name, parts in (
        ("linux", "XDG_CACHE_HOME", ".cache/bgfast"),
        ("darwin", "", "Library/Caches/bgfast"),
        ("win32", "LOCALAPPDATA", "AppData/Local/bgfast/Cache"),
    ):
        monkeypatch.setattr(sys, "platform", platform)
        with monkeypatch.context() as patch:
            patch.setenv("BGFAST_CACHE", "")
            assert cache_folder() == tmp_path / parts
            if name:
                patch.setenv(name, str(tmp_path / "mine"))
                expected = tmp_path / "mine" / ("bgfast/Cache" if platform == "win32" else "bgfast")
                assert cache_folder() == expected
            patch.setenv("BGFAST_CACHE", "here")
            assert cache_folder() == Path.cwd() / "here"
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "mine")  # the XDG specification forbids relative paths
    assert cache_folder() == tmp_path / ".cache" / "bgfast"

    def raise_error() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", raise_error)
    with pytest.raises(OSError, match="the user has no home folder"):
        cache_folder()


def test_missing_files_raise_errors_of_two_classes(tmp_path: Path) -> None:
    missing_path = str(tmp_path / "missing.mat")
    for read in (bgfast.load_match, bgfast.analyse_match, bgfast.Network.load):
        with pytest.raises(FileNotFoundError, match="missing") as error_info:
            read(missing_path)
        error = pickle.loads(pickle.dumps(error_info.value))
        assert isinstance(error, bgfast.BgfastError)
        assert (str(error), error.errno) == (str(error_info.value), errno.ENOENT)
    with pytest.raises(bgfast.BgfastError, match=r"irectory|denied") as folder_error_info:
        bgfast.load_match(tmp_path)
    assert not isinstance(folder_error_info.value, OSError)


def test_check_continues_after_missing_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    match = str(tmp_path / "match.mat")
    bgfast.Match(3).save(match)
    assert main(["check", str(tmp_path / "missing.mat"), match]) == 2
    assert match in capsys.readouterr().out
