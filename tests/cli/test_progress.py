"""Progress lines: share, rate and time left."""

from __future__ import annotations

import sys

import pytest

from bgfast.cli import progress


def test_progress_has_rate_and_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.shown_progress("crosscheck", 1000, "cases", 200) as report:
        now = 5.0
        report(200)
        report(300)
        report(400)
        now = 20.0
        report(600)
    shown = "crosscheck: 60.0%, 20 cases/s, 0:00:20 left"
    assert capsys.readouterr().err == (
        f"\rcrosscheck: 30.0%, 20 cases/s, 0:00:35 left\r{shown}\r{' ' * len(shown)}\r"
    )
