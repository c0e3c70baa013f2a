"""Transcripts of UBGI sessions, written on request."""

from __future__ import annotations

import os
from typing import Literal

from bgfast.common.resumable import reason
from bgfast.errors import BgfastError, one_line, shown

VARIABLE = "BGFAST_UBGI_LOG"
"""Environment variable with the file to which sessions with other engines are appended."""


class Transcript:
    """File to which the lines of a session are appended, ``>`` to the engine, ``<`` from it.

    The lines begin with `name`, to tell sessions in the same file apart. Path None is no transcript.
    """

    def __init__(self, path: str | None, name: str) -> None:
        self._path = path
        self._name = name
        self._file = None
        if path is not None:
            try:
                # Line by line, so that sessions in several processes do not tear each other's lines.
                self._file = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115
            except OSError as error:
                raise self._error(error) from None

    @classmethod
    def from_environment(cls, name: str) -> Transcript:
        """Open the transcript that the environment variable names, if it is set."""
        return cls(os.environ.get(VARIABLE) or None, name)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def write(self, sign: Literal["<", ">"], line: str) -> None:
        """Append a line."""
        if self._file is None:
            return
        try:
            self._file.write(f"{self._name} {sign} {one_line(line)}\n")
        except OSError as error:
            raise self._error(error) from None

    def _error(self, error: OSError) -> BgfastError:
        return BgfastError(f"transcript {shown(self._path)}: {reason(error)}")
