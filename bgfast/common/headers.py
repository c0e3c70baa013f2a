"""Location of bgfast's C header, for other engines."""

from __future__ import annotations

from pathlib import Path


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
    return str(Path(__file__).resolve().parent.parent / "include")
