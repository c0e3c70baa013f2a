"""Where files are kept that can be made again."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """Return the folder for such files, which need not be there yet.

    It is the value of BGFAST_CACHE if that is set; else `bgfast` in the user's cache folder: XDG_CACHE_HOME
    or ~/.cache, ~/Library/Caches on macOS, %LOCALAPPDATA% on Windows.

    Raises
    ------
    OSError
        If the user has no home folder.

    Notes
    -----
    XDG Base Directory Specification 0.8: a path in XDG_CACHE_HOME that is not absolute is ignored.
    """
    if asked := os.environ.get("BGFAST_CACHE"):
        return Path(asked).absolute()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else _home() / "AppData" / "Local") / "bgfast" / "Cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "bgfast"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (given if given.is_absolute() else _home() / ".cache") / "bgfast"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise FileNotFoundError(errno.ENOENT, "the user has no home folder") from None
