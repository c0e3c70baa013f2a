"""How to break the processes of engines and their line protocol: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["ENGINE_MUTATIONS", "ENGINE_TESTS"]

_MESSAGES = "bgfast/engines/messages.py"
_SIDES = "bgfast/engines/sides.py"
_PROCESSES = "tests/engines/test_processes.py"
_CHILD = "bgfast/engines/child.py"
_GUARD = "bgfast/engines/guard.py"
_PROCESS = "bgfast/engines/process.py"
_SERVE = "bgfast/engines/serve.py"
_REGISTRY = "bgfast/engines/registry.py"

ENGINE_TESTS = {
    **{source: [_PROCESSES] for source in (_MESSAGES, _PROCESS, _SERVE, _REGISTRY)},
    _CHILD: ["tests/engines/test_child.py", "tests/engines/test_processes.py"],
    _GUARD: ["tests/engines/test_child.py"],
}

# name, what stands there, what comes in its place, source
ENGINE_MUTATIONS = [
    ("engines: an answer with another ID is accepted", 'message.get("id") != number', "False", _MESSAGES),
    ("engines: the mover may gain checkers", "if own_after > own:", "if False:", _SIDES, _PROCESSES),
    ("engines: the opponent may gain checkers", "if other_after > other:", "if False:", _SIDES, _PROCESSES),
    (
        "engines: the opponent's bar may empty",
        "if board[OFF] > before[OFF]:",
        "if False:",
        _SIDES,
        _PROCESSES,
    ),
    (
        "engines: the own bar may fill",
        "0 <= board[BAR] <= before[BAR]",
        "0 <= board[BAR]",
        _SIDES,
        _PROCESSES,
    ),
    ("engines: board numbers may be fractions", "set(map(type, row)) != {int}", "False", _MESSAGES),
    (
        "engines: a failure is a pass",
        'if "error" in message:\n        raise CrashedError(f"the engine failed',
        'if "error" in message:\n        return []\n        raise CrashedError(f"the engine failed',
        _MESSAGES,
    ),
    ("engines: engine names may have several lines", " or one_line(text) != text", "", _MESSAGES),
    (
        "engines: failure messages are not shortened",
        "{one_line(message['error'])}",
        "{message['error']}",
        _MESSAGES,
    ),
    ("engines: Ctrl-C in the terminal reaches engines", "start_new_session=True", "process_group=0", _CHILD),
    ("engines: engines share the session of the guard", "        os.setsid()\n", "", _GUARD),
    ("engines: children of engines survive", "for child in _children():", "for child in ():", _GUARD),
    ("engines: orphaned descendants are not adopted", "prctl(PR_SET_CHILD_SUBREAPER, 1)", "pass", _GUARD),
    (
        "engines: descendants survive the engine",
        "for pid, exit_status in _kill_children():",
        "for pid, exit_status in ():",
        _GUARD,
    ),
    ("engines: engines survive a kill of bgfast", "lifeline in ready or ", "", _GUARD),
    (
        "engines: a forked process with the lifeline keeps engines alive",
        " or os.getppid() != bgfast",
        "",
        _GUARD,
    ),
    ("engines: engines survive their guard", "prctl(PR_SET_PDEATHSIG, signal.SIGKILL)", "pass", _GUARD),
    (
        "engines: engines survive a guard killed before prctl",
        "if os.getppid() != guard:",
        "if False:",
        _GUARD,
    ),
    ("engines: a signal ends the guard alone", '("SIGCHLD", *END_SIGNALS)', '("SIGCHLD",)', _GUARD),
    ("engines: the guard holds the engine's pipes open", "os.dup2(null, stream)", "pass", _GUARD),
    ("engines: engines inherit the lifeline", "os.set_inheritable(lifeline, False)", "pass", _GUARD),
    ("engines: the exit status is lost", "    _exit_like(status)\n", "    os._exit(0)\n", _GUARD),
    ("engines: SIGPIPE is ignored", '("SIGPIPE", "SIGXFSZ")', '("SIGXFSZ",)', _GUARD),
    (
        "engines: unreferenced engines survive",
        "weakref.finalize(self, _kill, self._process, lifeline)",
        "lambda: _kill(self._process, lifeline)",
        _CHILD,
    ),
    ("engines: a line may be endless", "if length > MAX_LINE:", "if False:", _CHILD),
    ("engines: the last chunk of a line is not limited", "self._check_length(end)", "pass", _CHILD),
    (
        "engines: an answer may list any number of boards",
        "if len(rows) > MAX_BOARDS:",
        "if False:",
        _MESSAGES,
    ),
    (
        "engines: an answer may list any number of distinct boards",
        "if distinct > MAX_DISTINCT:",
        "if False:",
        _MESSAGES,
    ),
    (
        "engines: a full standard error blocks engines",
        "while chunk := pipe.read(CHUNK):",
        "while (chunk := pipe.read(CHUNK)) and not tail:",
        _CHILD,
    ),
    (
        "engines: the answer to an interrupted question is read as the next one",
        "except BaseException:\n            self._stop",
        "except Exception:\n            self._stop",
        _PROCESS,
    ),
    (
        "engines: a failed engine is not restarted",
        "        except BaseException:\n            self._stop(patiently=False)\n",
        "        except BaseException:\n",
        _PROCESS,
    ),
    ("engines: printed text disturbs the protocol", "os.dup2(2, 1)", "pass", _SERVE),
    (
        "engines: a missing program is not reported as missing",
        "        if name not in ENGINES:\n            raise\n",
        "        raise\n",
        _REGISTRY,
    ),
]
