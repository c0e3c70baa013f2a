"""Reader of binary match files, with recognition of their format.

======== ======================== =========================================================
format   begins with              read by
======== ======================== =========================================================
.xg      ``RGMH``                 `xg`
.ogxm    ``OGXM``                 `gvformat_files`, with the extra `records`; .gvab, too
.bgf     a line of JSON with BGF  `gvformat_files`, with the extra `records`
======== ======================== =========================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from bgfast.errors import RecordError
from bgfast.records.formats.gvformat_files import read_through_gvformat
from bgfast.records.formats.record import Place, RecordedGame, RecordHead
from bgfast.records.formats.xg import read_xg
from bgfast.records.formats.xg_archive import MAGIC as XG_MAGIC

MAX_FILE = 64 << 20
"""Maximum bytes of a binary file; matches have some hundred thousand."""
_OGXM_MAGIC = b"OGXM"
_BGF = re.compile(rb'\{[^\n]{0,400}"format"\s*:\s*"BGF"')


def looks_like_binary(beginning: bytes) -> bool:
    """Return whether the first 512 bytes of a file are those of a binary format."""
    return _format_of(beginning) is not None


def read_binary(content: bytes) -> Iterator[RecordHead | RecordedGame]:
    """Yield the head and the games of a whole file.

    `RecordError` is raised if it is damaged or too large, perhaps after some games.
    """
    if len(content) > MAX_FILE:
        raise RecordError(
            f"a binary file of {len(content):,} bytes; expected at most {MAX_FILE:,}", Place(1, 1)
        )
    kind = _format_of(content[:512])
    if kind is None:
        raise RecordError("no match in it; expected one as .xg, .bgf, .ogxm or .gvab", Place(1, 1))
    return read_xg(content) if kind == "xg" else read_through_gvformat(content, kind)


def _format_of(beginning: bytes) -> Literal["xg", "ogxm", "bgf"] | None:
    if beginning.startswith(XG_MAGIC):
        return "xg"
    if beginning.startswith(_OGXM_MAGIC):
        return "ogxm"
    return "bgf" if _BGF.match(beginning) else None
