"""Script that reads a file with gvformat in a separate process with limits on memory and time.

``python -I -S gvformat_child.py FOLDER FORMAT`` needs only the standard library and gvformat, installed
in FOLDER; FORMAT is ``bgf`` or ``ogxm``. It reads the file from standard input and writes JSON to standard
output: ``{"document": ...}`` or ``{"error": text}``. Where the system lacks the limits (Windows) or ignores
the memory limit (macOS), the sizes checked here and the time limit of the caller remain in force.
"""

from __future__ import annotations

import contextlib
import json
import sys
import zlib
from typing import Any

MAX_MEMORY = 1 << 30  # maximum bytes of address space
MAX_SECONDS = 20  # maximum processor time
MAX_EXPANDED = 8 << 20  # maximum bytes of a file, compressed or expanded
MAX_OUTPUT = 32 << 20  # maximum characters of the answer
GZIP = b"\x1f\x8b"
ZLIB = (b"\x78\x01", b"\x78\x9c", b"\x78\xda")
ANALYSIS_FIELDS = ("moveAnalysis", "equity", "dancingEquity", "luck")  # analysis in the moves of a .bgf file
DERIVED_FIELDS = ("ogid_before", "ogid_after")


def main() -> None:
    """Read the file and write the answer."""
    folder, format = sys.argv[1:]
    limit_resources()
    sys.path.append(folder)
    try:
        content = sys.stdin.buffer.read()
        document = read_bgf(content) if format == "bgf" else read_ogxm(content)
        answer = json.dumps({"document": document})
        if len(answer) > MAX_OUTPUT:
            raise ValueError(f"a document of {len(answer):,} bytes; expected at most {MAX_OUTPUT:,}")
    except Exception as error:
        answer = json.dumps({"error": f"{type(error).__name__}: {str(error)[:500]}"})
    sys.stdout.write(answer)


def limit_resources() -> None:
    """Set the limits that the system supports, without raising limits already in force."""
    with contextlib.suppress(ImportError):
        import resource

        for resource_id, limit in ((resource.RLIMIT_AS, MAX_MEMORY), (resource.RLIMIT_CPU, MAX_SECONDS)):
            hard_limit = resource.getrlimit(resource_id)[1]
            new_limit = limit if hard_limit == resource.RLIM_INFINITY else min(limit, hard_limit)
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource_id, (new_limit, new_limit))


def read_ogxm(content: bytes) -> dict[str, Any]:
    """Return the document of a .ogxm or .gvab file."""
    from gvformat import read_gvab

    check_size(len(content))
    return remove_derived_fields(read_gvab(content))


def read_bgf(content: bytes) -> dict[str, Any]:
    """Return the document of a .bgf file.

    Its field ``swapped`` is true if white is not the first player of the file. If gvformat can read the file
    only without its analysis, ``damaged`` has the reason.
    """
    from gvformat import bgf

    head, _, packed = content.partition(b"\n")
    unpacked = head + b"\n" + expand(packed)
    decoded: Any = bgf.decode_smile(bgf.read_bgf(unpacked)[1])
    damage = {}
    try:
        document = bgf.convert_bgf(unpacked)
    except Exception as error:
        from unittest.mock import patch

        bare_content = strip_analysis(decoded)
        with patch.object(bgf, "decode_smile", lambda _: bare_content):
            document = bgf.convert_bgf(unpacked)
        damage = {"damaged": f"none of it can be read ({type(error).__name__}: {str(error)[:300]})"}
    is_swapped = document["player_white"] != str(decoded.get("nameGreen", ""))
    for game, decoded_game in zip(document["games"], decoded["games"], strict=True):
        game.update(start_of(decoded_game.get("initial") or {}, is_swapped))
    return {**remove_derived_fields(document), "swapped": is_swapped, **damage}


def start_of(initial: dict[str, Any], is_swapped: bool) -> dict[str, Any]:
    """Return the initial position and cube of a BGBlitz game, both of which gvformat leaves out."""
    points = [int(checkers) for checkers in initial.get("points") or ()]
    if len(points) != 26:
        return {}
    green_bar, red_bar = map(abs, points[24:])
    # Points are numbered from red's side, and green's checkers are positive.
    board = [green_bar, *points[:24], -red_bar]
    if is_swapped:
        board = [-checkers for checkers in reversed(board)]
    owner = {-1: int(is_swapped), 1: int(not is_swapped)}.get(int(initial.get("cubeOwner") or 0), 2)
    return {
        "initial_board": board,
        "initial_cube_value": int(initial.get("cube") or 1),
        "initial_cube_owner": owner,
    }


def strip_analysis(decoded: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a .bgf file without the numbers of its analysis."""
    games = []
    for game in decoded["games"]:
        moves = []
        for move in game["moves"]:
            cube = (move.get("equity") or {}).get("cubeDecision") or {}
            actions = {name: value for name, value in cube.items() if isinstance(value, (bool, str))}
            bare_move = {name: value for name, value in move.items() if name not in ANALYSIS_FIELDS}
            if "dancingEquity" in move:
                bare_move["dancingEquity"] = {}  # marks a pass
            moves.append({**bare_move, "equity": {"cubeDecision": actions}} if actions else bare_move)
        games.append({**game, "moves": moves})
    return {**decoded, "games": games}


def expand(packed: bytes) -> bytes:
    """Decompress the content of a .bgf file if it is compressed, up to the limit."""
    check_size(len(packed))
    if not packed.startswith((GZIP, *ZLIB)):
        return packed
    stream = zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib, by the header
    expanded = stream.decompress(packed, MAX_EXPANDED + 1)
    check_size(len(expanded))
    if not stream.eof:
        raise ValueError("the compressed data is cut off")
    return expanded


def check_size(size: int) -> None:
    """Raise `ValueError` if a size exceeds the limit."""
    if size > MAX_EXPANDED:
        raise ValueError(f"more than {MAX_EXPANDED:,} bytes; expected at most that")


def remove_derived_fields(document: dict[str, Any]) -> dict[str, Any]:
    """Remove fields that the caller does not use; return the document."""
    for game in document["games"]:
        for ply in game["plies"]:
            for name in DERIVED_FIELDS:
                ply.pop(name, None)
    return document


if __name__ == "__main__":
    main()
