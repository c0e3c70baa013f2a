"""How to break what bgfast does with files, streams and signals: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["FILE_MUTATIONS", "FILE_TESTS"]

_FILES = "bgfast/common/files.py"
_RESUMABLE = "bgfast/common/resumable.py"
_SIGNALS = "bgfast/common/signals.py"
_STREAMS = "bgfast/common/streams.py"
_CHECKPOINT = "bgfast/analysis/perft_checkpoint.py"
_RESUME = "bgfast/engines/crosscheck/resume_file.py"
_POSITIONS = "bgfast/engines/crosscheck/position_files.py"
_STATUS = "bgfast/cli/status.py"
_SUITE = "bgfast/cli/suite.py"
_COMMANDS = "tests/cli/test_status.py"

FILE_TESTS = {
    _FILES: ["tests/common/test_files.py"],
    _RESUMABLE: ["tests/common/test_resumable.py"],
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
    ("files: the new name is not on the disk", "    _sync_folder(folder)\n", "", _FILES),
    ("files: half of one stays", "os.unlink(name)", "pass", _FILES),
    (
        "files: half of one stays after Ctrl-C",
        "except BaseException as error:",
        "except Exception as error:",
        _FILES,
    ),
    ("files: devices are replaced", "not stat.S_ISREG(old.st_mode):", "False:", _FILES),
    ("files: read without end", "if len(content) > most:", "if False:", _FILES),
    ("files: any FIFO is a file", "        _check_plain(os.stat(path).st_mode)\n", "        pass\n", _FILES),
    (
        "files: for several runs at a time",
        "fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "pass",
        _FILES,
    ),
    ("files: the lock is on one that is gone", "if lock.still_on(path):", "if True:", _FILES),
    ("files: no locks, no files", "        pass  # there are no locks here", "        raise", _FILES),
    (
        "files: a child's end unlocks them",
        "weakref.finalize(self, os.close, descriptor)",
        "weakref.finalize(self, fcntl.flock, descriptor, fcntl.LOCK_UN)",
        _FILES,
    ),
    ("files: nobody is told who uses one", "return max(0, int(words[4]))", "return 0", _FILES),
    (
        "jobs: 1 is True",
        "_as_json(found.get(name)) != _as_json(job.get(name))",
        "found.get(name) != job.get(name)",
        _RESUMABLE,
    ),
    (
        "jobs: a damaged middle counts as an end",
        "        if found is not None:\n            raise",
        "        if False:\n            raise",
        _RESUMABLE,
    ),
    (
        "jobs: brackets exhaust the stack",
        "except (ValueError, RecursionError):",
        "except ValueError:",
        _RESUMABLE,
    ),
    ("signals: two are two", "if not self.signal:", "if True:", _SIGNALS),
    ("signals: nohup is overruled", " is signal.SIG_DFL]", " is not None]", _SIGNALS),
    ("signals: nothing ends it any more", "time.monotonic() - self._since > GRACE", "False", _SIGNALS),
    (
        "signals: the handlers stay",
        "    finally:\n        for number in taken:",
        "    finally:\n        for number in ():",
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
    (
        "checkpoint: the lock stays on the old file",
        "if LOCKED_CAN_BE_REPLACED:  #",
        "if False:  #",
        _CHECKPOINT,
    ),
    (
        "checkpoint: one that is refused stays locked",
        "            self._begin()\n        except BaseException:\n            self.close()\n",
        "            self._begin()\n        except BaseException:\n",
        _CHECKPOINT,
    ),
    ("checkpoint: a job is anything", 'isinstance(content.get("job"), dict)', "True", _CHECKPOINT),
    ("checkpoint: parts are anything", 'isinstance(content.get("parts"), list)', "True", _CHECKPOINT),
    (
        "checkpoint: a damaged end loses all",
        "        except ValueError:\n            lines",
        "        except ValueError:\n            return None\n            lines",
        _CHECKPOINT,
    ),
    ("resume: another file is written to", "if not self._lock.still_on(self._path):", "if False:", _RESUME),
    (
        "resume: one that is refused stays locked",
        "        except BaseException:\n            self.close()\n",
        "        except BaseException:\n",
        _RESUME,
    ),
    ("resume: boards may be anything", "not all(map(_can_be, boards))", "False", _RESUME),
    (
        "resume: a damaged end is no end",
        "self._length = sum(len(line) + 1 for line in lines[: len(sound)])",
        "self._length = len(content)",
        _RESUME,
    ),
    (
        "positions: read without end",
        "read_limited(path)",
        "open(path, 'rb').read(10**8)",
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
