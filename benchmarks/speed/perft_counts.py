"""Checked-in perft counts, on which independent engines agree."""

from __future__ import annotations

import json
from pathlib import Path

from bgfast import ROLLS, Position

_FILE = Path(__file__).parents[2] / "tests" / "data" / "perft.json"
_PERFT = json.loads(_FILE.read_text(encoding="utf-8"))
START_BY_ROLL = {roll: int(_PERFT["start_depth1_by_roll"][f"{roll[0]}{roll[1]}"]) for roll in ROLLS}
"""Numbers of successors of the starting position, by roll."""
NAMED_POSITIONS = {
    str(entry["name"]): (
        Position.from_gnubg_id(position_id),
        {depth: int(entry[f"d{depth}"][0]) for depth in (1, 2, 3)},
    )
    for position_id, entry in _PERFT["positions"].items()
}
"""Named positions, each with its leaves by depth."""
