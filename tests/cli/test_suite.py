"""`bgfast suite`: engines in processes, the published file, reports, Ctrl-C and SIGTERM."""

from __future__ import annotations

import importlib.util
import json
import signal
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from bgfast.cli.main import main
from bgfast.conformance.suite import suite_building
from bgfast.conformance.suite.suite_file import Suite, suite_bytes
from tests.support.command_line import Capture, run, start_command
from tests.support.faulty_engines import Fake, program
from tests.support.patience import patient
from tests.support.processes import MarkedProcesses
from tests.support.published_suite import SUITE, first_difference

PERFT_ID = "perft-bearoff-five_stack"
P10_BOARD = "0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,0,0,0,0,0,0,0,1,0"


# ---------------------------------------------------------------- engines in processes


@pytest.fixture(scope="module")
def option(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Option that selects a small suite of the named cases."""
    path = tmp_path_factory.mktemp("suite") / "small.txt"
    cases = tuple(case for case in SUITE.cases if case.section == "named")
    path.write_bytes(suite_bytes(SUITE._replace(cases=cases, perft=())))
    return ["--file", str(path)]


def test_the_time_limit_is_obeyed(capsys: Capture, option: list[str]) -> None:
    arguments = ["suite", "run", "--engine", program("hangs"), "--only", "P10-64-standard", *option]
    assert main([*arguments, "--time-limit", "0.2"]) == 1
    out, err = capsys.readouterr()
    assert "no answer within 0.2 s" in out
    assert out.endswith("FAILED: 1 case (0 passed, 1 failed, 0 not run)\n")
    assert err == ""


@pytest.fixture(scope="module")
def thin_suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Suite, list[str]]:
    """Suite with some cases of each section, and the option that selects it."""
    cases = tuple(case for i, case in enumerate(SUITE.cases) if case.section == "defects" or not i % 299)
    perft = tuple(line for line in SUITE.perft if line.depth == 1 or line.id.startswith(PERFT_ID))
    suite = SUITE._replace(cases=cases, perft=perft)
    path = tmp_path_factory.mktemp("suite") / "thin.txt"
    path.write_bytes(suite_bytes(suite))
    return suite, ["--file", str(path)]


def run_suite(capsys: Capture, *arguments: str) -> dict[str, Any]:
    assert main(["suite", "run", "--json", *arguments]) == 0
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert content["failures"] == []
    assert content["interrupted"] is False
    return content


def test_bgfast_passes(capsys: Capture, thin_suite: tuple[Suite, list[str]]) -> None:
    content = run_suite(capsys, "--engine", "bgfast", *thin_suite[1])
    assert content["passed"] == len(thin_suite[0].lines) > 100
    assert content["not_run"] == 0
    assert content["suite"]["seed"] == SUITE.seed
    assert content["engine"]["name"] == "bgfast"
    perft = run_suite(capsys, "--engine", "bgfast", "--perft", "2", "--only", PERFT_ID, *thin_suite[1])
    assert (perft["passed"], perft["not_run"]) == (2, 0)


@pytest.mark.skipif(importlib.util.find_spec("gnubg_nn") is None, reason="gnubg-nn is not installed")
def test_gnubg_nn_passes(capsys: Capture, thin_suite: tuple[Suite, list[str]]) -> None:
    content = run_suite(capsys, "--engine", "gnubg-nn", *thin_suite[1])
    standard_lines = [line for line in thin_suite[0].lines if line.rules == "standard"]
    assert content["passed"] == len(standard_lines) > 50
    assert content["not_run"] == len(thin_suite[0].lines) - len(standard_lines)
    (reason,) = content["sections"]["exact"]["not_run"]
    assert reason == "the engine does not play the rule set exact"


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["bgfast", "reference"])
def test_engines_with_all_rules_pass_the_published_suite(capsys: Capture, engine: str) -> None:
    content = run_suite(capsys, "--engine", engine, "--perft", "1")
    assert content["not_run"] == sum(line.depth > 1 for line in SUITE.perft)
    assert content["passed"] == len(SUITE.lines) - content["not_run"]


# ---------------------------------------------------------------- the command


def test_export_writes_the_published_file(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(seed: int, *progress: object) -> Suite:  # test_published.py builds it
        assert seed == SUITE.seed
        return SUITE

    monkeypatch.setattr("bgfast.cli.suite.build_suite", build)
    path = tmp_path / "suite.txt"
    path.write_bytes(b"something longer " * 100_000)
    assert main(["suite", "export", "--file", str(path)]) == 0
    assert first_difference(path.read_bytes()) is None
    assert capsys.readouterr() == ("", "")


def test_export_obeys_the_seed(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_cases = suite_building.draw_cases
    monkeypatch.setattr(suite_building, "draw_cases", lambda seed: islice(draw_cases(seed), 230))
    out = run(capsys, "suite", "export", "--seed", "8")
    assert "\nseed 8\n" in out
    (tmp_path / "8.txt").write_text(out)
    arguments = ["suite", "run", "--engine", "bgfast", "--file", str(tmp_path / "8.txt"), "--only", "named"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.startswith("8.txt, seed 8, SHA-256 ")


def test_a_text_report_shows_the_failure(capsys: Capture, option: list[str]) -> None:
    arguments = ["suite", "run", "--engine", program("drops-a-play"), "--only", "P10-64-standard", *option]
    assert main(arguments) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("small.txt, seed 1, SHA-256 ")
    assert out[1] == "engine: drops-a-play 1"
    assert out[3].split() == ["section", "passed", "failed", "not", "run"]
    assert out[4].split() == ["named", "0", "1", "0"]
    assert out[5].split() == ["total", "0", "1", "0"]
    assert out[7:] == [
        "failed: 1  missing, pass: Every legal play must be listed. The engine lists no play, though a legal"
        " play exists.",
        "",
        "== missing, pass",
        "",
        "P10-64-standard, rules standard: either number, not both: the higher.",
        f"  board {P10_BOARD}  roll 6,4",
        "  expected 1 successors, hash {}; got 0 successors, hash {}".format(
            next(case.digest for case in SUITE.cases if case.id == "P10-64-standard"), "0" * 16
        ),
        "  missing: 24/18",
        "",
        "FAILED: 1 case (0 passed, 1 failed, 0 not run)",
    ]


def test_ctrl_c_prints_a_summary(capsys: Capture, monkeypatch: pytest.MonkeyPatch, option: list[str]) -> None:
    def interrupt(case, legal):
        if len(engine.cases) == 30:
            raise KeyboardInterrupt
        return legal

    engine = Fake(interrupt)
    monkeypatch.setattr("bgfast.cli.suite.open_engine", lambda name, time_limit: engine)
    arguments = ["suite", "run", "--engine", "fake", "--only", "named", *option]
    assert main(arguments) == 130
    out, err = capsys.readouterr()
    assert "not run: 191 cases: interrupted" in out
    assert out.endswith("passed what was run (29 passed, 0 failed, 191 not run)\n")
    assert err == "bgfast: interrupted\n"
    engine.cases.clear()
    assert main([*arguments, "--json"]) == 130
    content = json.loads(capsys.readouterr().out)
    assert (content["interrupted"], content["passed"], content["not_run"]) == (True, 29, 191)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc to find remaining processes")
def test_sigterm_prints_a_summary(monkeypatch: pytest.MonkeyPatch, option: list[str]) -> None:
    processes = MarkedProcesses(monkeypatch)
    arguments = ["suite", "run", "--engine", program("stubborn"), *option]
    with start_command(*arguments) as process:
        processes.await_count(4)  # bgfast, the guard, the engine and its child
        process.terminate()
        out, err = process.communicate(timeout=patient(20))
    assert process.returncode == 128 + signal.SIGTERM
    assert err == "bgfast: ended by SIGTERM\n"
    assert out.endswith("nothing was run (0 passed, 0 failed, 220 not run)\n")
    processes.assert_gone()
