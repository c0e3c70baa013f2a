"""What the command line prints when it is run in this process, and how it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bgfast.cli.main import main

MAX_ERROR_LENGTH = 400  # characters of an error


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a command prints that goes well, and says nothing beside it."""
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Return the object that a command prints."""
    found = json.loads(printed(capsys, *words, "--json"))
    assert isinstance(found, dict)
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str, status: int = 2) -> str:
    """Return the one line, of letters that can be shown, with which a command refuses what was typed."""
    assert main(words) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bgfast: error: ")
    assert err.endswith("\n")
    assert all(letter.isprintable() for letter in err[:-1])
    assert len(err) < MAX_ERROR_LENGTH
    return err
