"""Cache folder for files that can be recomputed."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the cache folder, which may not exist yet; raise `OSError` if the user has no home folder.

    It is BGFAST_CACHE if that is set; otherwise `bgfast` in the user's cache folder: XDG_CACHE_HOME or
    ~/.cache, ~/Library/Caches on macOS, %LOCALAPPDATA% on Windows. A path in XDG_CACHE_HOME that is not
    absolute is ignored (XDG Base Directory Specification 0.8).
    """
    if override := os.environ.get("BGFAST_CACHE"):
        return Path(override).absolute()
    if sys.platform == "win32":
        local_data = os.environ.get("LOCALAPPDATA")
        return (Path(local_data) if local_data else _home() / "AppData" / "Local") / "bgfast" / "Cache"
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "bgfast"
    xdg_cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (xdg_cache if xdg_cache.is_absolute() else _home() / ".cache") / "bgfast"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:
        raise FileNotFoundError(errno.ENOENT, "the user has no home folder") from None
