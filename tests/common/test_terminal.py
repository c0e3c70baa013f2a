"""Terminal output fits the width; piped output is unchanged."""

from __future__ import annotations

import io
import math
import os
import sys

import pytest

from bgfast import Position
from bgfast.cli import progress
from bgfast.cli.progress import Progress
from bgfast.common.text import columns, fold_text
from tests.support.command_line import screen

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")

TABLE = """\
               equity   ± 95 %     diff.     win   win g
 1 8/5 6/5     +0.1944   0.4865           52.78%  19.44%
 2 24/23 13/10 -0.1667   0.4312  -0.3611  41.67%   8.33%
36 trials, 0.0 s, 249,115 decisions/s"""


def test_columns_follow_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert columns(None) is None
    assert columns(io.StringIO()) is None
    with screen(60) as terminal:
        assert columns(terminal) == 60
        terminal.resize(3)
        assert columns(terminal) == 20  # the minimum width
        terminal.resize(0)  # unknown width
        assert columns(terminal) == 33


def test_wide_tables_are_wrapped() -> None:
    assert fold_text(TABLE, io.StringIO()) == TABLE
    with screen(60) as terminal:
        assert fold_text(TABLE, terminal) == TABLE
        terminal.resize(43)
        assert fold_text(TABLE, terminal).split("\n") == [
            "               equity   ± 95 %     diff.",
            "       win   win g",
            " 1 8/5 6/5     +0.1944   0.4865",
            "    52.78%  19.44%",
            " 2 24/23 13/10 -0.1667   0.4312  -0.3611",
            "    41.67%   8.33%",
            "36 trials, 0.0 s, 249,115 decisions/s",
        ]


def test_wide_list_items_are_wrapped() -> None:
    rows = ["  roll     throw the dice", "  quit     stop"]
    text = "\n".join([*rows, "  double   offer to double the stake, or to redouble it"])
    with screen(40) as terminal:
        assert fold_text(text, terminal).split("\n") == [
            *rows,
            "  double   offer to double the stake, or",
            "    to redouble it",
        ]


@pytest.mark.parametrize("width", [20, 30, 41, 60])
def test_wrapping_loses_nothing(width: int) -> None:
    text = f"{TABLE}\n\n{'a' * 100} word\n| a | b |\n|---|---:|\n{'several words ' * 9}\n  two  {'x' * 70}"
    with screen(width) as terminal:
        wrapped = fold_text(text, terminal)
    assert max(map(len, wrapped.split("\n"))) <= width
    assert "".join(wrapped.split()) == "".join(text.split())


def test_text_in_the_margin_of_a_board_moves_below() -> None:
    board = str(Position.start())
    with screen(60) as terminal:
        lines = fold_text(board, terminal).split("\n")
    assert lines[:13] == [line[:43] for line in board.split("\n")]
    assert lines[13:] == ["O: pips 167, off 0", "X on roll", "X: pips 167, off 0"]


def test_the_live_line_never_wraps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "MAX_SHARE", math.inf)
    with screen(60) as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        report = Progress("crosscheck", 1e9)
        report(1e8, lambda: "x" * 100)
        prefix = "crosscheck: 10.0%, 0:00:00 left"
        assert terminal.getvalue() == f"\r{prefix}{'x' * (58 - len(prefix))}…"
        terminal.resize(40)  # each report uses the current width
        report(2e8, lambda: "y" * 100)
        assert terminal.getvalue().rpartition("\r")[2].endswith("y" * (38 - len(prefix)) + "…")
        report(3e8)
        assert terminal.getvalue().rpartition("\r")[2] == "crosscheck: 30.0%, 0:00:00 left".ljust(39)
        report.clear()
        assert terminal.getvalue().endswith(f"\r{' ' * len(prefix)}\r")
        output = terminal.getvalue()
        report.clear()
        assert terminal.getvalue() == output


def test_no_live_line_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    Progress("crosscheck")(0.5)
    with screen(60) as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        Progress("crosscheck", quiet=True)(0.5)
        assert terminal.getvalue() == ""
        Progress("crosscheck")(0.5)
        assert terminal.getvalue()
    assert stream.getvalue() == ""


def test_intermediate_results_are_computed_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = 0.0, 0

    def compute_result() -> str:
        nonlocal now, calls
        now += 1.0
        calls += 1
        return f", call {calls}"

    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with screen(60) as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with Progress("rollout", 1000, "trials") as report:
            for trial_count in range(1, 60):
                now = max(now, float(trial_count))
                report(trial_count, compute_result)
    assert calls == 3  # each call takes a second; all calls take at most a twentieth of the minute
    assert "\rrollout: 0.2%, 1 trials/s, 0:16:38 left, call 1" in terminal.getvalue()
