"""How to break what bgfast does with files, streams and signals: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["FILE_MUTATIONS", "FILE_TESTS"]

_FILES = "bgfast/common/files.py"
_RESUMABLE = "bgfast/common/resumable.py"
_JOURNAL = "bgfast/common/journal.py"
_SIGNALS = "bgfast/common/signals.py"
_STREAMS = "bgfast/common/streams.py"
_CHECKPOINT = "bgfast/batch/perft/checkpoint.py"
_RESUME = "bgfast/engines/crosscheck/resume_file.py"
_POSITIONS = "bgfast/position/position_files.py"
_STATUS = "bgfast/cli/status.py"
_SUITE = "bgfast/cli/suite.py"
_COMMANDS = "tests/cli/test_status.py"

FILE_TESTS = {
    _FILES: ["tests/common/test_files.py"],
    _RESUMABLE: ["tests/common/test_resumable.py"],
    _JOURNAL: ["tests/common/test_journal.py"],
    _SIGNALS: ["tests/common/test_signals.py"],
    _STREAMS: ["tests/common/test_streams.py"],
    _STATUS: [_COMMANDS, "tests/cli/test_crosscheck.py"],
}

# name, what stands there, what comes in its place, source, and the one file of tests that can notice
FILE_MUTATIONS = [
    ("files: somebody's file is overwritten", '"xb"', '"wb"', _FILES),
    ("files: the temporary name can be foreseen", "os.urandom(8).hex()", "'tmp'", _FILES),
    ("files: a link is replaced", "os.path.realpath(path)", "os.path.abspath(path)", _FILES),
    ("files: permissions change", "os.fchmod(descriptor, stat.S_IMODE(old.st_mode))", "pass", _FILES),
    ("files: the owner changes", "os.fchown(descriptor, old.st_uid, old.st_gid)", "pass", _FILES),
    ("files: a secret is open for a moment", "0o666 if old is None else 0o600", "0o666", _FILES),
    ("files: what may not be written is replaced", "os.close(os.open(target, os.O_WRONLY))", "pass", _FILES),
    ("files: the new one is not on the disk", "            os.fsync(file.fileno())\n", "", _FILES),
    ("files: the new name is not on the disk", "    sync_folder(folder)\n", "", _FILES),
    ("files: half of one stays", "os.unlink(temporary)", "pass", _FILES),
    (
        "files: half of one stays after Ctrl-C",
        "except BaseException as error:",
        "except Exception as error:",
        _FILES,
    ),
    ("files: devices are replaced", "not stat.S_ISREG(old.st_mode):", "False:", _FILES),
    (
        "files: a number is a name",
        "os.fspath(path) if isinstance(path, (str, os.PathLike)) else None",
        "str(path)",
        _FILES,
    ),
    ("files: read without end", "if len(content) > most:", "if False:", _FILES),
    ("files: any FIFO is a file", "        _check_plain(os.stat(path).st_mode)\n", "        pass\n", _FILES),
    (
        "files: for several runs at a time",
        "fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "pass",
        _FILES,
    ),
    ("files: the lock is on one that is gone", "if lock.still_on(path):", "if True:", _FILES),
    ("files: no locks, no files", "        pass  # the file system has no locks", "        raise", _FILES),
    (
        "files: a child's end unlocks them",
        "weakref.finalize(self, os.close, descriptor)",
        "weakref.finalize(self, fcntl.flock, descriptor, fcntl.LOCK_UN)",
        _FILES,
    ),
    ("files: nobody is told who uses one", "return max(0, int(words[4]))", "return 0", _FILES),
    (
        "jobs: 1 is True",
        "_as_json(stored.get(name)) != _as_json(job.get(name))",
        "stored.get(name) != job.get(name)",
        _RESUMABLE,
    ),
    (
        "journal: short writes are missed",
        "left = left[written:]",
        "left = left[len(left) :]",
        _FILES,
        "tests/common/test_journal.py",
    ),
    (
        "journal: a disk that takes nothing is waited for",
        "if not written:",
        "if False:",
        _FILES,
        "tests/common/test_journal.py",
    ),
    (
        "journal: half a record stays",
        "        with suppress(OSError):\n            os.ftruncate(descriptor, end)\n",
        "",
        _FILES,
        "tests/common/test_journal.py",
    ),
    (
        "journal: half a record stays after Ctrl-C",
        "    except BaseException:\n        with suppress(OSError):\n            os.ftruncate",
        "    except OSError:\n        with suppress(OSError):\n            os.ftruncate",
        _FILES,
        "tests/common/test_journal.py",
    ),
    (
        "journal: a damaged end stays where the next record goes",
        "        os.ftruncate(descriptor, end)\n        os.lseek(descriptor, end, os.SEEK_SET)",
        "        os.lseek(descriptor, 0, os.SEEK_END)",
        _FILES,
        "tests/common/test_journal.py",
    ),
    (
        "journal: records are not on the disk",
        "        _write(descriptor, content)\n        os.fsync(descriptor)\n",
        "        _write(descriptor, content)\n",
        _FILES,
        "tests/common/test_journal.py",
    ),
    ("journal: its name is not on the disk", "sync_folder(os.path", "(os.path", _JOURNAL),
    ("journal: checksums are for show", "!= CHECKSUM % zlib.crc32(text, seed)", "== b''", _JOURNAL),
    (
        "journal: records of other work count",
        "(len(line), 0), dict(job)",
        "(len(line), 0), dict(job)\n        self._seed = 0",
        _JOURNAL,
    ),
    ("journal: the order of records is anything", "if found_number != number + 1:", "if False:", _JOURNAL),
    ("journal: what stands behind damage counts", "if damaged:", "if False:", _JOURNAL),
    (
        "journal: damage is not told",
        "        if number:\n            warnings",
        "        if False:\n            warnings",
        _JOURNAL,
    ),
    ("journal: another file is written to", "if not self._lock.still_on(self._path):", "if False:", _JOURNAL),
    (
        "journal: what was cut off is filled with zeros",
        "os.fstat(descriptor).st_size < end:",
        "False:",
        _JOURNAL,
    ),
    (
        "journal: Ctrl-C comes between two counts",
        "self._valid = end + len(line), number + 1",
        "self._valid = end + len(line), number\n        self._valid = end + len(line), number + 1",
        _JOURNAL,
    ),
    (
        "journal: one that is refused stays locked",
        "        except BaseException:\n            self.close()\n            raise\n\n    def close",
        "        except BaseException:\n            raise\n\n    def close",
        _JOURNAL,
    ),
    ("journal: it is of any kind of work", 'header.get("kind") != self._kind', "False", _JOURNAL),
    ("signals: two are two", "elif self.signal:", "elif False:", _SIGNALS),
    ("signals: Ctrl-C twice at once is two", "since <= CTRL_C_REPEAT_SECONDS", "False", _SIGNALS),
    ("signals: Ctrl-C is heard once", "since <= CTRL_C_REPEAT_SECONDS", "self._last_time", _SIGNALS),
    ("signals: nohup is overruled", " if handler in defaults", "", _SIGNALS),
    ("signals: nothing ends it any more", "since > REPEAT_SECONDS", "False", _SIGNALS),
    (
        "signals: the handlers stay",
        "for number, handler in replaced.items():",
        "for number, handler in ():",
        _SIGNALS,
    ),
    ("streams: a dash is a traceback", 'sys.stdout.reconfigure(errors="replace")', "pass", _STREAMS),
    ("streams: a file gets the number of one", "<= 2:", "< 0:", _STREAMS),
    ("streams: a closed input is missed", 'sys.stdin = open(os.devnull, encoding="utf-8")', "pass", _STREAMS),
    (
        "streams: a full standard error changes the status",
        "        discard(sys.stderr)\n",
        "        pass\n",
        _STREAMS,
    ),
    ("streams: what is discarded fails again", "os.dup2(null, stream.fileno())", "pass", _STREAMS),
    ("status: SIGTERM is Ctrl-C", "SIGNALLED + asked.signal if asked.signal else status", "status", _STATUS),
    (
        "status: help that is lost is success",
        "        _flush_output()\n        raise",
        "        raise",
        _STATUS,
    ),
    ("checkpoint: a part is counted twice", " or part in self._parts", "", _CHECKPOINT),
    ("checkpoint: leaves are anything", "type(count) is int and 0 <= count < 2**64", "True", _CHECKPOINT),
    (
        "checkpoint: one that is refused stays locked",
        "        except BaseException:\n            self.close()\n",
        "        except BaseException:\n",
        _CHECKPOINT,
    ),
    (
        "resume: one that is refused stays locked",
        "        except BaseException:\n            self.close()\n",
        "        except BaseException:\n",
        _RESUME,
    ),
    ("resume: boards may be anything", "not all(map(_is_possible, boards))", "False", _RESUME),
    (
        "positions: read without end",
        "read_limited(file)",
        "open(file, 'rb').read(10**8)",
        _POSITIONS,
        _COMMANDS,
    ),
    (
        "suite: half of one is written",
        "with replacing(arguments.file) as file:",
        'with open(arguments.file, "wb") as file:',
        _SUITE,
        _COMMANDS,
    ),
]
