"""Pytest plugin for long checks that skips tests which passed in an earlier run.

``pytest -p passed_before --write-passed FILE``, with this folder on the path, writes the names of passed
tests. ``--passed-before FILE`` skips these tests, except names with a prefix in ``--again``.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-passed", type=Path, metavar="FILE", help="write the names of passed tests")
    parser.addoption("--passed-before", type=Path, metavar="FILE", help="skip the tests named in this file")
    parser.addoption(
        "--again", nargs="*", default=[], metavar="NAME", help="run tests whose names begin with NAME"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Record names only in the main process, which gets all reports."""
    if config.getoption("--write-passed") is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(PassRecorder(config.getoption("--write-passed").absolute()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    file = config.getoption("--passed-before")
    if file is None:
        return
    prefixes = tuple(config.getoption("--again"))
    lines = file.read_text(encoding="utf-8").splitlines()
    passed_ids = {line for line in lines if not line.startswith(prefixes)}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed_ids])
    items[:] = [item for item in items if item.nodeid not in passed_ids]


class PassRecorder:
    """Recorder of the tests that pass, including set-up and tear-down."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.passed: dict[str, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed[report.nodeid] = self.passed.get(report.nodeid, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        names = sorted(name for name, passed in self.passed.items() if passed)
        self.file.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
