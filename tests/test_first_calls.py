"""Calls that people try before reading the documentation; they work, or the error names a call that works."""

from __future__ import annotations

import importlib
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast

CALLS = Path(__file__).parent / "data" / "first_calls.txt"


def namespace() -> dict[str, Any]:
    """Return the names of a session after ``from bgfast import *``."""
    modules = {name: importlib.import_module(f"bgfast.{name}") for name in ("cube", "evaluators", "training")}
    public = {name: getattr(bgfast, name) for name in bgfast.__all__}
    return {**public, **modules, "bgfast": bgfast, "np": np}


ERROR = re.compile(r"\w+Error: ")


def fault(call: str, expected: str, names: dict[str, Any]) -> str | None:
    """Return a message about an unexpected result, or None; an expected error begins with its class."""
    try:
        result, is_error = repr(eval(call, names)), False
    except Exception as error:
        result, is_error = f"{type(error).__name__}: {error}", True
    pattern = ".*".join(map(re.escape, expected.split("...")))
    if is_error == bool(ERROR.match(expected)) and re.fullmatch(pattern, result, re.DOTALL):
        return None
    return f"{call}: {result[:200]}; expected {expected}"


def test_first_calls_return_the_expected_results() -> None:
    names, failures, count = namespace(), [], 0
    for line_number, line in enumerate(CALLS.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        call, arrow, expected = line.partition("  -> ")
        if not arrow:
            exec(line, names)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = fault(call, expected, names)
        if result is not None:
            failures.append(f"{line_number}: {result}")
        count += 1
    assert failures == []
    assert count >= 125


UNMET_EXPECTATIONS = [
    "Position()  -> 5",
    "Position('x')  -> NotationError: ...no such text...",
    "Position('x')  -> ...",
    "Position()  -> NotationError: ...",
]


@pytest.mark.parametrize("line", UNMET_EXPECTATIONS)
def test_unmet_expectations_are_reported(line: str) -> None:
    call, expected = line.split("  -> ")
    assert fault(call, expected, namespace()) is not None
