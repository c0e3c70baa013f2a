"""Why a file cannot be used, or is that of other work than the one that is to go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bgfast.errors import BgfastError, shown

__all__ = ["check_same_job", "reason"]


def reason(error: Exception) -> str:
    """Return why a file cannot be read or written, without its name.

    Examples
    --------
    >>> import errno
    >>> reason(OSError(errno.ENOSPC, "No space left on device", "perft.json"))
    'No space left on device'
    """
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def check_same_job(file: str, kind: str, found: Mapping[str, Any], job: Mapping[str, Any]) -> None:
    """Check that a file was begun by the same job.

    Parameters
    ----------
    file, kind : str
        What the message calls the file, and what it is that goes on.
    found, job : mapping
        What stands in the file, and what is to be done now.

    Raises
    ------
    BgfastError
        If they differ; the message says in what.

    Examples
    --------
    >>> check_same_job("checkpoint a.json", "count", {"depth": 4}, {"depth": 5})
    Traceback (most recent call last):
        ...
    bgfast.errors.BgfastError: checkpoint a.json is that of another count: its depth is 4, here it is 5
    """
    for name in {**job, **found}:
        if _as_json(found.get(name)) != _as_json(job.get(name)):
            raise BgfastError(
                f"{file} is that of another {kind}: its {name} is {shown(found.get(name))}, "
                f"here it is {shown(job.get(name))}"
            )


def _as_json(value: Any) -> str:
    """Return a value as a file holds it: 1, 1.0 and true are three values, a list and a tuple one."""
    return json.dumps(value, sort_keys=True)
