"""The match equity table that comes with bgfast, as plain lists."""

from __future__ import annotations

import json
from pathlib import Path

import bgfast
from tests.support.plain_cube import Tables

__all__ = ["KAZAROSS"]

FILE = Path(bgfast.__file__).parent / "evaluation" / "cube" / "met_kazaross_xg2.json"


_SAID = json.loads(FILE.read_text(encoding="utf-8"))
KAZAROSS = Tables(_SAID["pre_crawford"], _SAID["post_crawford"])
