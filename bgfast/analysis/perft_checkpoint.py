"""A file that keeps the finished parts of a long count, so that it can go on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bgfast.analysis.perft_levels import PartLeaves
from bgfast.common.resumable import check_same_job, reason
from bgfast.common.rolls import ROLLS
from bgfast.errors import BgfastError, shown

__all__ = ["Checkpoint"]

FORMAT = 1


class Checkpoint:
    """The finished parts of one count, in memory and on disk.

    The file is JSON: `bgfast_perft`, the number of its format; `job`, what is counted; `parts`, for each
    finished part its number, positions, leaves by first roll (in the order of `ROLLS`) and seconds taken.

    Parameters
    ----------
    path : path
        Begun at once if it is not there: a path that cannot be written is found before any work is done.
    job : mapping
        What is counted, as JSON can hold it: board, depth, weighted, in how many parts; the rules unless they
        are those of `STANDARD`.

    Raises
    ------
    BgfastError
        If the file cannot be read or written, is no checkpoint, or is that of another job; it stays as it is.
    """

    def __init__(self, path: str | os.PathLike[str], job: Mapping[str, Any]) -> None:
        self._path = Path(path)
        self._content: dict[str, Any] = {"bgfast_perft": FORMAT, "job": dict(job), "parts": []}
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            self._write()
        except (OSError, UnicodeDecodeError) as error:
            raise BgfastError(f"checkpoint {self._path}: {reason(error)}") from None
        else:
            self._content = self._checked(text)

    def _checked(self, text: str) -> dict[str, Any]:
        try:
            content = json.loads(text)
            found, parts = content["job"], content["parts"]
            good = content["bgfast_perft"] == FORMAT and all(map(_is_part, parts))
        except (ValueError, KeyError, TypeError):
            good = False
        if not good:
            raise BgfastError(f"checkpoint {self._path} is none that perft has written; it is left as it is")
        check_same_job(f"checkpoint {self._path}", "count", found, self._content["job"])
        numbers = [part["part"] for part in parts]
        if len(set(numbers)) != len(numbers) or not set(numbers) <= set(range(found["parts"])):
            raise BgfastError(f"checkpoint {self._path}: parts {shown(numbers)} of {found['parts']}")
        return dict(content)

    def found(self, part: int) -> PartLeaves | None:
        """Return what a part gave, or None if it is still to be counted."""
        for kept in self._content["parts"]:
            if kept["part"] == part:
                return PartLeaves(kept["positions"], kept["leaves"])
        return None

    def keep(self, part: int, found: PartLeaves, seconds: float) -> None:
        """Add a part to the file, which holds either what it held or this as well, whatever happens."""
        self._content["parts"].append({"part": part, **found._asdict(), "seconds": round(seconds, 2)})
        self._write()

    def _write(self) -> None:
        parts = ",\n".join("  " + json.dumps(part) for part in self._content["parts"])
        text = (
            f'{{"bgfast_perft": {FORMAT},\n "job": {json.dumps(self._content["job"])},\n'
            f' "parts": [\n{parts}\n ]}}\n'
        )
        written = self._path.with_name(self._path.name + ".tmp")
        try:
            written.write_text(text, encoding="utf-8")
            written.replace(self._path)
        except OSError as error:
            raise BgfastError(f"checkpoint {self._path}: {reason(error)}") from None


def _is_part(part: Any) -> bool:
    return (
        all(type(part[name]) is int and part[name] >= 0 for name in ("part", "positions"))
        and len(part["leaves"]) == len(ROLLS)
        and all(type(number) is int and number >= 0 for number in part["leaves"])
    )
