"""Command line runs in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bgfast.cli.main import main

MAX_ERROR_LENGTH = 400
Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture, *words: str) -> str:
    """Run a command that succeeds without messages; return its output."""
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def as_json(capsys: Capture, *words: str) -> dict[str, Any]:
    """Run a command with ``--json``; return the printed object."""
    result = json.loads(printed(capsys, *words, "--json"))
    assert isinstance(result, dict)
    return result


def refused(capsys: Capture, *words: str, status: int = 2) -> str:
    """Run a command that fails; return its error, a single printable line."""
    assert main(words) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bgfast: error: ")
    assert err.endswith("\n")
    assert all(character.isprintable() for character in err[:-1])
    assert len(err) < MAX_ERROR_LENGTH
    return err
