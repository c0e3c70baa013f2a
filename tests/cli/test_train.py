"""``bgfast train`` and ``bgfast match``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bgfast.analysis.network import Network
from bgfast.cli.main import main

SMALL = ["--games", "512", "--hidden", "32", "--test-games", "20"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_a_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, curve = str(tmp_path / "n"), tmp_path / "curve"
    out = run(capsys, "train", *SMALL, "--out", file, "--curve", str(curve))
    assert out.startswith("512 games, ")
    assert "against pubeval" in out
    (line,) = map(json.loads, curve.read_text().splitlines())
    assert (line["games"], line["test_games"], line["against"]) == (512, 20, "pubeval")
    assert Network.load(file).about["games"] == 512
    said = json.loads(run(capsys, "match", file, "random", "--games", "20", "--json"))
    assert (said["a"], said["b"], said["games"]) == (file, "random", 20)
    assert "decisions/s" in run(capsys, "rollout", "--evaluator", file, "--trials", "36")


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_and_going_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "n")
    options = ["train", "--games", "12800", "--hidden", "32", "--test-games", "20", "--seed", "3"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bgfast", *options, "--out", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not Path(file).exists():
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (0, 130)
    assert b"Traceback" not in err
    if process.returncode == 130:
        assert b"--resume goes on" in err
        assert 0 <= Network.load(file).about.get("games", 0) < 12800
        run(capsys, *options, "--out", file, "--resume")
    whole = str(tmp_path / "whole")
    run(capsys, *options, "--out", whole)
    assert Network.load(file) == Network.load(whole)


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "n")
    assert "is not there; expected a network to go on with" in refused(
        capsys, "train", *SMALL, "--out", file, "--resume"
    )
    Network.random(32, 1).save(file)
    assert "is there already" in refused(capsys, "train", *SMALL, "--out", file)
    assert "was trained otherwise" in refused(capsys, "train", *SMALL, "--out", file, "--resume")
    assert "hidden is 33" in refused(capsys, "train", "--games", "9", "--hidden", "33", "--out", file + "2")
    assert "No such file" in refused(capsys, "train", *SMALL, "--out", str(tmp_path / "no" / "n"))
    assert "1 players; expected two" in refused(capsys, "match", "random")
    assert "no evaluator 'nobody'; expected random" in refused(capsys, "match", "random", "nobody")
    assert "games is 5" in refused(capsys, "match", "random", "random", "--games", "5")
