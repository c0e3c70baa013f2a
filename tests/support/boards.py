"""Decoder of position IDs, independent of `bgfast.position.position_ids`."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"

Board = tuple[int, ...]


def board_of_id(position_id: str) -> Board:
    """Return the board of a GNU position ID."""
    bits = int.from_bytes(base64.b64decode(position_id + "=="), "little")
    sides = []
    for _ in range(2):
        side = []
        for _ in range(25):
            count = 0
            while bits & 1:
                count += 1
                bits >>= 1
            bits >>= 1
            side.append(count)
        sides.append(side)
    opponent, mover = sides
    board = [-opponent[24], *mover]
    for point in range(24):
        board[24 - point] -= opponent[point]
    return tuple(board)


def json_data(name: str) -> Any:
    """Return the content of a JSON file of tests/data."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))
