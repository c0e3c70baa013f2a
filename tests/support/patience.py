"""Timeouts, scaled for slow machines such as emulated processors."""

from __future__ import annotations

import os

SLOWNESS = float(os.environ.get("BGFAST_TEST_SLOWNESS", "1"))


def patient(seconds: float) -> float:
    """Return seconds multiplied by the environment variable BGFAST_TEST_SLOWNESS."""
    return SLOWNESS * seconds
