"""Calls that people type before they read: they work, or their error names the call that does."""

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


def outcome(call: str, names: dict[str, Any]) -> str:
    """Return the repr of a result, or class and message of an error."""
    try:
        return repr(eval(call, names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_first_calls() -> None:
    names, wrong, count = namespace(), [], 0
    for number, line in enumerate(CALLS.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        call, arrow, expected = line.partition("  -> ")
        if not arrow:
            exec(line, names)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = outcome(call, names)
        pattern = ".*".join(map(re.escape, expected.split("...")))
        if not re.fullmatch(pattern, found, re.DOTALL):
            wrong.append(f"{number}: {call}: {found[:200]}; expected {expected}")
        count += 1
    assert wrong == []
    assert count >= 125


@pytest.mark.parametrize("line", ["Position()  -> 5", "Position('x')  -> NotationError: ...no such text..."])
def test_a_line_that_does_not_hold_fails(line: str) -> None:
    call, expected = line.split("  -> ")
    pattern = ".*".join(map(re.escape, expected.split("...")))
    assert not re.fullmatch(pattern, outcome(call, namespace()), re.DOTALL)
