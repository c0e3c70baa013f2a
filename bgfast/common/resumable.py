"""Files from which interrupted work goes on: why one is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bgfast.errors import BgfastError, shown

__all__ = ["check_same_job", "reason", "sound_beginning"]


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


def sound_beginning(file: str, lines: Sequence[bytes], first: int = 1) -> list[dict[str, Any]]:
    """Return the JSON objects, one a line, before a damaged end.

    Work that is killed, a full disk, a loss of power damage the end of a file: what is there does not count.

    Parameters
    ----------
    file : str
        What the message calls the file.
    lines : sequence of bytes
    first : int
        The number of the first line in the file.

    Raises
    ------
    BgfastError
        If a line is no object and one behind it is: that is no damaged end.

    Examples
    --------
    >>> sound_beginning("resume file a", [b'{"end":9}', b'{"end":', b""])
    [{'end': 9}]
    >>> sound_beginning("resume file a", [b'{"end":9}', b'{"end":', b'{"end":30}'])
    Traceback (most recent call last):
        ...
    bgfast.errors.BgfastError: resume file a, line 2: b'{"end":' is damaged, and line 3 is not; left as it is
    """
    objects = [_object(line) for line in lines]
    sound = next((at for at, found in enumerate(objects) if found is None), len(objects))
    for at, found in enumerate(objects[sound:], sound):
        if found is not None:
            raise BgfastError(
                f"{file}, line {first + sound}: {shown(lines[sound])} is damaged, and line {first + at} is "
                "not; left as it is"
            )
    return [found for found in objects[:sound] if found is not None]


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    # Deeply nested brackets exhaust the parser's stack.
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
