"""Output files, their error messages, and the check that a file belongs to the work to resume."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from bgfast.common.files import check_folder, write_atomically
from bgfast.errors import BgfastError, shown


def reason(error: Exception) -> str:
    """Return the reason why a file cannot be read or written, without its name."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def write_file(path: str, content: str | bytes) -> None:
    """Write a file, completely or not at all; lone surrogates of a text become question marks.

    Raises `BgfastError` if it cannot be written.
    """
    try:
        write_atomically(path, content.encode("utf-8", "replace") if isinstance(content, str) else content)
    except OSError as error:
        raise BgfastError(f"{shown(path)}: {reason(error)}") from None


def refuse_missing_folder(path: str) -> None:
    """Raise `BgfastError` if the folder of an output does not exist, for work that takes long."""
    try:
        check_folder(path)
    except OSError as error:
        raise BgfastError(f"{shown(path)}: {reason(error)}") from None


def refuse_existing_path(path: str) -> None:
    """Raise `BgfastError` if a path exists, for functions that replace files only with `force`."""
    if os.path.lexists(path):
        raise BgfastError(f"{shown(path)} exists already; expected a new name, or force")


def check_same_job(file: str, kind: str, stored: Mapping[str, Any], job: Mapping[str, Any]) -> None:
    """Raise `BgfastError`, with the first difference, unless a file's stored job is that of this run."""
    for name in {**job, **stored}:
        if _as_json(stored.get(name)) != _as_json(job.get(name)):
            raise BgfastError(
                f"{file} is that of another {kind}: its {name} is {shown(stored.get(name))}, "
                f"here it is {shown(job.get(name))}"
            )


def _as_json(value: Any) -> str:
    """Return a value as stored in a file: 1, 1.0 and true differ, a list and a tuple do not."""
    return json.dumps(value, sort_keys=True)
