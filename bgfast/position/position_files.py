"""Files of positions, one a line: how they are read, and where an error is said to be."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable
from typing import TypeVar

from bgfast.common.files import read_limited
from bgfast.common.resumable import reason
from bgfast.errors import BgfastError

__all__ = ["read_content", "read_lines"]

Item = TypeVar("Item")


def read_content(file: str | os.PathLike[str] | int, name: str) -> bytes:
    """Return what a file or pipe of positions holds; `name` is what an error calls it.

    Raises
    ------
    BgfastError
        If it cannot be read, or has more than 64 MB.
    """
    try:
        return read_limited(file)
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None


def read_lines(name: str, content: bytes, take: Callable[[int, list[str], list[Item]], None]) -> list[Item]:
    r"""Read a file of positions line by line; ``#`` begins a comment, and lines without words are left out.

    Parameters
    ----------
    name : str
        Of the file, for errors.
    content : bytes
    take : callable
        Given the number of a line, its words, and the list of what was found before, to which it appends.

    Returns
    -------
    list
        What was found; never empty.

    Raises
    ------
    BgfastError
        If a line is malformed, with its number in front, or there is no position.

    Examples
    --------
    >>> content = b"start 31   # the opening\n\n"
    >>> read_lines("mine.txt", content, lambda line, words, found: found.append(words))
    [['start', '31']]
    """
    found: list[Item] = []
    for number, line in enumerate(content.removeprefix(BOM_UTF8).splitlines(), 1):
        try:
            words = line.decode("utf-8").partition("#")[0].split()
            if words:
                take(number, words, found)
        except UnicodeDecodeError as error:
            bad = line[error.start : error.start + 1]
            raise BgfastError(f"{name}, line {number}: the byte {bad!r}; expected UTF-8 text") from None
        except BgfastError as error:
            raise BgfastError(f"{name}, line {number}: {error}") from None
    if not found:
        raise BgfastError(f"{name}: no position in it")
    return found
