"""Tests that start a process are skipped: a plugin for where starting one takes long, as under sanitizers.

``pytest -p no_processes``, where Python finds this module.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

inside = False


def refuse(event: str, arguments: object) -> None:
    """Skip the test that is about to start a process."""
    if inside and event == "subprocess.Popen":
        pytest.skip("starts a process")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Note where a test is run: pytest itself starts processes, too, among which tests are shared."""
    global inside
    inside = True
    try:
        return (yield)
    finally:
        inside = False


sys.addaudithook(refuse)
