"""Reader and writer of checkpoint journals, independent of `bgfast.common.journal`."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the header and the records of a valid journal, without checksums."""
    lines = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    for line in lines:
        del line["crc32"]
    assert path.read_bytes() == journal_bytes(lines)
    return lines


def journal_bytes(lines: list[dict[str, Any]]) -> bytes:
    """Return the bytes of a journal with these lines and their checksums."""
    journal, seed = b"", 0
    for index, line in enumerate(lines):
        content = json.dumps(line, separators=(",", ":"))[:-1].encode("ascii")
        checksum = zlib.crc32(content, seed)
        if index == 0:
            seed = checksum
        journal += content + f',"crc32":"{checksum:08x}"}}\n'.encode("ascii")
    return journal


def rewrite(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Change the lines of a journal and update their checksums."""
    lines = lines_of(path)
    change(lines)
    path.write_bytes(journal_bytes(lines))
