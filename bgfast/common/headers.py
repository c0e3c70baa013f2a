"""Where other engines find the C header of bgfast."""

from __future__ import annotations

from pathlib import Path

__all__ = ["get_include"]


def get_include() -> str:
    """Return the folder of `bgfast.h`, for the `include_dirs` of an extension that cimports `bgfast.capi`.

    Returns
    -------
    str
        An absolute path.

    Notes
    -----
    The header has the position struct and the sizes of buffers; `capi.pxd`, in the package beside it, has the
    functions and says what they assume. Both are append-only. Safe to call from several threads.

    Examples
    --------
    >>> import bgfast, os
    >>> os.listdir(bgfast.get_include())
    ['bgfast.h']
    """
    return str(Path(__file__).resolve().parent.parent / "include")
