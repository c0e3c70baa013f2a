"""How long tests wait for what they start: longer where everything is slow, as on an emulated processor."""

from __future__ import annotations

import os

SLOWNESS = float(os.environ.get("BGFAST_TEST_SLOWNESS", "1"))


def patient(seconds: float) -> float:
    """Return these seconds times what BGFAST_TEST_SLOWNESS says in the environment."""
    return SLOWNESS * seconds
