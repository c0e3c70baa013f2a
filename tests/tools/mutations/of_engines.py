"""How to break the processes of engines and their line protocol: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["ENGINE_MUTATIONS", "ENGINE_TESTS"]

_MESSAGES = "bgfast/engines/messages.py"
_CHILD = "bgfast/engines/child.py"
_PROCESS = "bgfast/engines/process.py"
_SERVE = "bgfast/engines/serve.py"
_REGISTRY = "bgfast/engines/registry.py"

ENGINE_TESTS = {
    source: ["tests/engines/test_processes.py"] for source in (_MESSAGES, _CHILD, _PROCESS, _SERVE, _REGISTRY)
}

# name, what stands there, what comes in its place, source
ENGINE_MUTATIONS = [
    ("engines: another answer's id is taken", 'said.get("id") != number', "False", _MESSAGES),
    ("engines: the mover may gain checkers", "if own_after > own:", "if False:", _MESSAGES),
    (
        "engines: the opponent may lose checkers",
        "if other_after != other:",
        "if other_after > other:",
        _MESSAGES,
    ),
    ("engines: the opponent's bar may empty", "if row[0] > before[0]:", "if False:", _MESSAGES),
    ("engines: the own bar may fill", "0 <= row[25] <= before[25]", "0 <= row[25]", _MESSAGES),
    ("engines: numbers need not be whole", "set(map(type, row)) != {int}", "False", _MESSAGES),
    (
        "engines: a failure is a pass",
        'if "error" in said:\n        raise CrashedError(f"the engine failed',
        'if "error" in said:\n        return []\n        raise CrashedError(f"the engine failed',
        _MESSAGES,
    ),
    ("engines: names may be whole pages", " or one_line(text) != text", "", _MESSAGES),
    ("engines: what failed is told as it is", "{one_line(said['error'])}", "{said['error']}", _MESSAGES),
    ("engines: Ctrl-C in the terminal reaches them", "start_new_session=True", "process_group=0", _CHILD),
    ("engines: their children live on", "os.killpg(process.pid, signal.SIGKILL)", "process.kill()", _CHILD),
    (
        "engines: they live on when Python ends",
        "weakref.finalize(self, _kill, self._process)",
        "lambda: _kill(self._process)",
        _CHILD,
    ),
    ("engines: a line may be endless", "if searched > MAX_LINE:", "if False:", _CHILD),
    (
        "engines: a full standard error stops them",
        "while chunk := pipe.read(CHUNK):",
        "while (chunk := pipe.read(CHUNK)) and not tail:",
        _CHILD,
    ),
    (
        "engines: an interrupted question's answer is taken for the next",
        "except BaseException:\n            self._stop",
        "except Exception:\n            self._stop",
        _PROCESS,
    ),
    (
        "engines: the one that failed is asked on",
        "        except BaseException:\n            self._stop(patiently=False)\n",
        "        except BaseException:\n",
        _PROCESS,
    ),
    ("engines: what they print comes between", "os.dup2(2, 1)", "pass", _SERVE),
    (
        "engines: one that is not there is no known failure",
        "        if name not in ENGINES:\n            raise\n",
        "        raise\n",
        _REGISTRY,
    ),
]
