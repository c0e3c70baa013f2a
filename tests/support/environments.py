"""What the environments are made for, if it is there."""

from __future__ import annotations

import importlib
from typing import Any

import pytest


def environments(untested: str = "bgfast.environments was not tested") -> Any:
    """Return `bgfast.environments`; without its packages the test is skipped, and says what is untested."""
    for package in ("gymnasium", "pettingzoo"):
        pytest.importorskip(package, reason=f"NOT INSTALLED: {package}, so {untested}")
    return importlib.import_module("bgfast.environments")
