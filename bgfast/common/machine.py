"""Description of the machine, the compiler and the versions of a measurement."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from pathlib import Path

import numpy as np

from bgfast.common.version import __version__
from bgfast.core.board.board import fault_of
from bgfast.core.generator.generator import BUILD

COMPILERS = (rb"GCC: \([^)]*\) [\d.]+[\w. ]*", rb"(?:[\w ]+ )?clang version [\w.\-+~]+")


def description() -> dict[str, str | int]:
    """Return the machine, system, compiler and versions by name."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count() or 0,
        "usable cores": usable_cores(),
        "load": load(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "compiler": compiler(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "python's compiler": platform.python_compiler(),
        "numpy": np.__version__,
        "cython": cython_version(),
        "bgfast": __version__,
        "build": BUILD,
    }


def cpu_model() -> str:
    """Return the processor's name."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    match = re.search(r"^(?:model name|Model)\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else platform.processor() or "unknown"


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load() -> str:
    """Return the current load average; other load makes measurements worthless."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def compiler() -> str:
    """Return the compiler of the generator's module by its signature in the file, or "unknown"."""
    generator = importlib.import_module("bgfast.core.generator.generator")
    file = Path(str(generator.__file__))
    content = file.with_name(file.name.replace("generator", BUILD)).read_bytes()
    for pattern in COMPILERS:
        match = re.search(pattern, content)
        if match:
            return match.group().decode("ascii", "replace").strip()
    return "unknown"


def cython_version() -> str:
    """Return the version of Cython that built the module, from its function type; else the installed one."""
    # Not __module__: in Cython 3.1.0 it is not a string.
    match = re.search(r"_cython_(\d+_\d+\w*)\.", repr(type(fault_of)))
    if match:
        return match.group(1).replace("_", ".")
    try:
        return f"{importlib.metadata.version('cython')} installed"
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
