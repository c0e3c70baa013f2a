"""Import of the learning environments with their optional packages."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


def environments(untested: str = "bgfast.environments was not tested") -> Any:
    """Return `bgfast.environments`; skip the test without its packages."""
    for package in ("gymnasium", "pettingzoo"):
        pytest.importorskip(package, reason=f"NOT INSTALLED: {package}, so {untested}")
    return importlib.import_module("bgfast.environments")
