"""Cache folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bgfast.common.files import cache_folder


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("BGFAST_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "parts"),
    [
        ("linux", ".cache/bgfast"),
        ("darwin", "Library/Caches/bgfast"),
        ("win32", "AppData/Local/bgfast/Cache"),
    ],
)
def test_folder_of_each_system(
    monkeypatch: pytest.MonkeyPatch, home: Path, platform: str, parts: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == home / parts
    monkeypatch.setenv("BGFAST_CACHE", str(home / "elsewhere"))
    assert cache_folder() == home / "elsewhere"
    monkeypatch.setenv("BGFAST_CACHE", "")
    assert cache_folder() == home / parts
    assert os.listdir(home) == []


def test_environment_variables(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "mine"))
    assert cache_folder() == home / "mine" / "bgfast"
    monkeypatch.setenv("XDG_CACHE_HOME", "mine")  # "should consider the path invalid and ignore it"
    assert cache_folder() == home / ".cache" / "bgfast"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(home / "local"))
    assert cache_folder() == home / "local" / "bgfast" / "Cache"
    monkeypatch.chdir(home)
    monkeypatch.setenv("BGFAST_CACHE", "here")
    assert cache_folder() == home / "here"


def test_missing_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(OSError, match="the user has no home folder"):
        cache_folder()
