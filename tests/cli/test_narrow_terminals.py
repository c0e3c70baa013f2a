"""Every command on a terminal of 40 columns: no wider lines, no lost words."""

from __future__ import annotations

import os
import sys

import pytest

from bgfast.cli import bench
from bgfast.cli.main import COMMANDS, main
from tests.support.command_line import Capture, screen

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")

BOARD_WIDTH = 43  # boards are never wrapped
OPTIONS = ["--evaluator", "pip-count", "--trials", "36"]
XGID = "XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10"


def test_output_fits_the_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {"units_per_second": 1e7, "ns_per_unit": 100.0, "count": 10**6}
    rows = [{"what": "contact: successors, other rolls", "unit": "successors", **numbers}] * 2
    monkeypatch.setattr(bench, "measure", lambda threads, progress: rows)
    monkeypatch.setenv("NO_COLOR", "1")
    for arguments in (
        ["--help"],
        *([name, "--help"] for name in COMMANDS),
        ["suite", "run", "--help"],
        ["plays", "31"],
        ["show", XGID],
        ["analyse", "31", "--ply", "0"],
        ["analyse", XGID, "--ply", "0"],
        ["analyse", XGID.replace(":31:", ":00:"), "--ply", "0"],
        ["analyse", XGID, "--scores", "--ply", "0"],
        ["analyse", XGID.replace(":31:", ":00:"), "--rolls", "--replies", "--ply", "0"],
        ["rollout", "31", *OPTIONS],
        ["rollout", *OPTIONS],
        ["contest", "random", "pip-count", "--games", "4"],
        ["errors", "random", "--worst", "3"],
        ["game", "--seed", "12"],
        ["bench"],
        ["bearoff", *"0 2 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -1 -1 -2 -1 -2 0".split()],
    ):
        with screen(40) as terminal:
            monkeypatch.setattr(sys, "stdout", terminal)
            assert main(arguments) == 0
        lines = terminal.getvalue().split("\n")
        widths = {len(line) for line in lines if line[:1] not in ("+", "|") or len(line) != BOARD_WIDTH}
        assert max(widths) <= 40, arguments
        assert capsys.readouterr().err == ""


def test_piped_output_is_not_wrapped(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["rollout", "31", *OPTIONS]) == 0
    piped_lines = capsys.readouterr().out.split("\n")
    assert len(piped_lines[0]) > 80
    with screen(60) as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        assert main(["rollout", "31", *OPTIONS]) == 0
    screen_lines = terminal.getvalue().split("\n")
    assert len(screen_lines) > len(piped_lines)
    assert "".join(screen_lines[:2]).split() == piped_lines[0].split()
