"""Pytest plugin that skips tests which start a process, for slow builds such as those with sanitizers.

Run ``pytest -p no_processes`` with this folder on the Python path.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

is_testing = False


def skip_test(event: str, arguments: object) -> None:
    if is_testing and event == "subprocess.Popen":
        pytest.skip("starts a process")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Record that a test is running, since pytest itself also starts processes."""
    global is_testing
    is_testing = True
    try:
        return (yield)
    finally:
        is_testing = False


sys.addaudithook(skip_test)
