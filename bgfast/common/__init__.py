"""Tools for all other packages; this module has the version, lazy imports and the folder of the C header."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - imported before the fork hook below is registered
import importlib
import logging  # noqa: F401 - also before the hook
import os
import sys
from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

__version__ = "0.1.0"
"""Version of bgfast, which the build reads."""

LOADING = RLock()
"""Held during imports of public names, and while a process is forked."""
if hasattr(os, "register_at_fork"):
    # A process forked while another thread imports a module would wait forever for that module's lock.
    # Hooks before a fork run in reverse order of registration: if logging were imported later, a fork would
    # hold logging's lock while it waits for an import that needs it. Hooks registered during that wait run
    # only after the fork: concurrent.futures would release a lock that it has not acquired. No other module
    # that bgfast imports takes a lock before a fork.
    os.register_at_fork(
        before=LOADING.acquire, after_in_parent=LOADING.release, after_in_child=LOADING.release
    )


def lazy_names(
    package: str, sources: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package; `sources` maps each public name to its module."""

    def module_getattr(name: str) -> Any:
        if name not in sources:
            from bgfast.common.foreign_names import no_attribute

            raise no_attribute(package, name)
        with LOADING:
            value = getattr(importlib.import_module(sources[name]), name)
            setattr(sys.modules[package], name, value)
            return value

    def module_dir() -> list[str]:
        return sorted({*sources, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return module_getattr, module_dir


def get_include() -> str:
    """Return the folder of `bgfast.h`, for the `include_dirs` of extensions that cimport `bgfast.capi`.

    Returns
    -------
    str
        An absolute path.

    Notes
    -----
    The header defines the position struct and the buffer sizes; the package's `capi.pxd` declares the
    functions and documents their preconditions. Both are append-only. Thread-safe.

    Examples
    --------
    >>> import bgfast, os
    >>> os.listdir(bgfast.get_include())
    ['bgfast.h']
    """
    return os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "include")
