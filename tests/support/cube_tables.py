"""Shipped match equity table as plain lists."""

from __future__ import annotations

import json
from pathlib import Path

import bgfast
from tests.support.plain_cube import Tables

FILE = Path(bgfast.__file__).parent / "evaluation" / "met_kazaross_xg2.json"


_CONTENT = json.loads(FILE.read_text(encoding="utf-8"))
KAZAROSS = Tables(_CONTENT["pre_crawford"], _CONTENT["post_crawford"])
