"""Pytest plugin for long checks that skips tests which have passed with the same files.

``pytest -p passed_before --write-passed FILE``, with this folder on the path, writes the names of passed
tests; ``--passed-before FILE`` skips these, except names with a prefix in ``--again``.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the three options."""
    parser.addoption("--write-passed", type=Path, metavar="FILE", help="write the names of passed tests")
    parser.addoption("--passed-before", type=Path, metavar="FILE", help="skip the tests named in this file")
    parser.addoption(
        "--again", nargs="*", default=[], metavar="NAME", help="run tests whose names begin with NAME"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Record names in the main process only, which gets all reports."""
    if config.getoption("--write-passed") is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Passed(config.getoption("--write-passed").absolute()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    file = config.getoption("--passed-before")
    if file is None:
        return
    passed = set(file.read_text(encoding="utf-8").splitlines())
    prefixes = tuple(config.getoption("--again"))
    left_out = [item for item in items if item.nodeid in passed and not item.nodeid.startswith(prefixes)]
    config.hook.pytest_deselected(items=left_out)
    names = {item.nodeid for item in left_out}
    items[:] = [item for item in items if item.nodeid not in names]


class Passed:
    """Recorder of the tests that pass, including set-up and tear-down."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.passed: dict[str, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the result of one phase of a test."""
        self.passed[report.nodeid] = self.passed.get(report.nodeid, True) and report.passed

    def pytest_sessionfinish(self) -> None:
        """Write the names of passed tests."""
        names = sorted(name for name, passed in self.passed.items() if passed)
        self.file.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
