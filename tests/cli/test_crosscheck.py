"""`bgfast crosscheck`: reports, exit statuses, Ctrl-C, bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bgfast import Position, reference
from bgfast.cli import crosscheck
from bgfast.cli.main import main
from bgfast.common.journal import Journal
from bgfast.conformance.protocol import CrashedError, HungError, MissingEngineError
from bgfast.conformance.suite.suite_building import named_turns
from tests.support.command_line import Capture, get_error, start_command
from tests.support.diagnosing import board_after
from tests.support.faulty_engines import Fake, ignores_bar, program
from tests.support.lifting_engines import LiftingEngine
from tests.support.patience import patient
from tests.support.processes import MarkedProcesses

NAMED = len(named_turns())  # the number of named cases
OPTIONS = ["--random", "30"]
CASES = f"{NAMED + 30}"  # the named cases, which always come first, and the random cases of `OPTIONS`


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace engines with fakes in this process."""

    def fail(error: Exception) -> Callable[..., list[tuple[int, ...]]]:
        def change(case: object, legal: object) -> list[tuple[int, ...]]:
            raise error

        return change

    def make_lifting_engine(*rules: str) -> Fake:
        return Fake(lambda case, legal: LiftingEngine(*rules).successors(case), name="+".join(rules))

    makers: dict[str, Callable[[], Fake]] = {
        "correct": lambda: Fake(name="correct"),
        "flips": lambda: Fake(lambda case, legal: list(map(reference.flip, legal)), name="flips"),
        "bar": lambda: Fake(ignores_bar, name="bar"),
        "higher": lambda: make_lifting_engine("higher-die"),
        "larger": lambda: make_lifting_engine("bear-off-higher-point"),
        "lands": lambda: make_lifting_engine("blocked-point:added-up"),
        "both": lambda: make_lifting_engine("bar-first", "bear-off-too-far"),
        "twice": lambda: Fake(lambda case, legal: legal + legal[:1], name="twice"),
        "hangs": lambda: Fake(fail(HungError("no answer within 60 s")), name="hangs"),
        "crashes": lambda: Fake(fail(CrashedError("it ended | at once")), name="crashes"),
        "games": lambda: Fake(name="games", rules=("standard",), positions=False),
        "interrupted": lambda: Fake(fail(KeyboardInterrupt()), name="interrupted"),
    }
    real_open_engine = crosscheck.open_engine

    def open_engine(name: str, *, time_limit: float) -> object:
        if name in makers:
            return makers[name]()
        if name == "missing":
            raise MissingEngineError("pip install it")
        return real_open_engine(name, time_limit=time_limit)

    monkeypatch.setattr(crosscheck, "open_engine", open_engine)


def report(capsys: Capture, status: int, *arguments: str) -> str:
    assert main(["crosscheck", *arguments]) == status
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_agreement_and_job_are_reported(capsys: Capture) -> None:
    out = report(capsys, 0, "correct", "games", "--random", "5", "--games", "3", "--rolls", "all")
    rolls = "all 36 ordered rolls each; seed 1"
    assert f"{NAMED + 288:,} cases ({NAMED} named; positions: 5 random, 3 from games; {rolls})" in out
    assert f"| correct | 1 | {NAMED + 288:,} | 0 | 0 | agrees |" in out
    assert f"| games | 1 | 108 | {NAMED + 180} | 0 | agrees |" in out

    out = report(capsys, 130, "interrupted")
    mixture = "positions: 500 random, 250 with bear-offs, 250 from games; one roll each; seed 1"
    assert f"{NAMED + 1000:,} cases ({NAMED} named; {mixture})" in out


def test_an_ignored_higher_die_is_detected_with_any_seed(capsys: Capture) -> None:
    for seed in "46":
        out = report(capsys, 1, "higher", "--random", "0", "--seed", seed)
        assert f"{NAMED} cases ({NAMED} named; seed {seed}), rules" in out
        assert re.findall(r"^## \S+ 1: (.*)$", out, re.MULTILINE) == ["illegal, higher-die"]


def test_the_report_of_a_disagreement_identifies_the_position(capsys: Capture) -> None:
    out = report(capsys, 1, "correct", "bar", *OPTIONS, "--seed", "4")
    assert f"| correct | 1 | {CASES} | 0 | 0 | agrees |" in out
    assert f"| bar | 1 | {CASES} | 0 | 1 | DISAGREES |" in out
    assert "## bar 1: illegal, bar-first\n\nA checker on the bar must enter before any other moves." in out
    board = re.search(r"```\n(.*?)\n```", out, re.DOTALL)
    matched = re.search(r"GNU position ID `(\S+)`, `(XGID=\S+)`", out)
    position = Position.from_gnubg_id(matched[1])
    assert Position.from_xgid(matched[2]) == position
    assert board[1] == str(position)
    roll = re.search(r"roll (\d)-(\d), rules `standard`", out)
    assert f":{roll[1]}{roll[2]}:" in matched[2]
    assert "A local minimum" in out
    assert re.search(r"listed by bar: \d+: .*`bar/\d+ \d+/\d+` \(illegal\)$", out, re.MULTILINE)
    assert re.search(r"illegal: 1: `bar/\d+ \d+/\d+` to \S{14}: 2 checkers are on the bar and must", out)


@pytest.mark.parametrize(
    ("engine", "rules"),
    [
        ("larger", ["bear-off-higher-point"]),
        pytest.param("lands", ["blocked-point"], marks=pytest.mark.slow),
        pytest.param("both", ["bear-off-too-far", "bar-first"], marks=pytest.mark.slow),
    ],
)
def test_plays_in_a_report_lead_to_their_positions(capsys: Capture, engine: str, rules: list[str]) -> None:
    options = ["--bearoff", "60"] if engine == "larger" else ["--random", "20", "--bearoff", "20"]
    out = report(capsys, 1, engine, *options)
    assert re.findall(r"^## \S+ 1: (.*)$", out, re.MULTILINE) == [f"illegal, {rule}" for rule in rules]
    play_count = 0
    for part in out.split("\n## ")[1:]:
        matched = re.search(r"GNU position ID `(\S+)`", part)
        board = tuple(Position.from_gnubg_id(matched[1]).to_array().tolist())
        for play, position_id in re.findall(r"`([^`]+)` to (\S{14})", part):
            successor = Position.from_gnubg_id(position_id).to_array().tolist()
            assert board_after(board, play) == tuple(successor), (play, position_id)
            play_count += 1
    assert play_count
    assert ("for the same reason" in out) == (engine == "lands")
    (entry,) = json.loads(report(capsys, 1, engine, *options, "--json"))["engines"]
    assert [summary["rule"] for summary in entry["classes"]] == rules
    for summary in entry["classes"]:
        for case in (summary["first"], summary["example"]):
            for result in case["wrong"]:
                assert result["kind"] in ("illegal", "missing")
                assert (summary["rule"] in result["rules"]) == (result["kind"] == "illegal")
                if result["play"]:
                    assert board_after(tuple(case["board"]), result["play"]) == tuple(result["board"])
    if engine == "larger":
        assert 0 < summary["others"]["bear-off-before-all-home"] < summary["cases"]
        counts = ", ".join(f"`{rule}` ({cases} cases)" for rule, cases in summary["others"].items())
        sentence = f"\n\nOther rules would explain some of these cases as well: {counts}.\n\n"
        assert sentence.replace("(1 cases)", "(1 case)") in out
        # No other rule explains the shown example.
        assert not any(result["others"] for result in summary["example"]["wrong"])


def test_flipped_boards_are_recognized(capsys: Capture) -> None:
    out = report(capsys, 1, "flips", "--random", "0")
    assert re.findall(r"^## \S+ 1: (.*)$", out, re.MULTILINE) == ["flipped, whole-board"]
    assert "\n\nThe boards are seen from the opponent's side. They must be from the mover's side" in out
    matched = re.search(
        r"^\* seen from another side: the first was listed as ([^;]*); the mover sees (.*)$", out, re.M
    )
    assert reference.flip(map(int, matched[1].split())) == tuple(map(int, matched[2].split()))
    legal, listed = re.findall(r"^\* (?:legal|listed by flips): (.*)$", out, re.MULTILINE)
    assert legal == listed
    (entry,) = json.loads(report(capsys, 1, "flips", "--random", "0", "--json"))["engines"]
    (summary,) = entry["classes"]
    assert (summary["kind"], summary["rule"], summary["example"]["wrong"]) == ("flipped", "whole-board", [])
    assert summary["example"]["message"].startswith("the first was listed as ")


def test_lists_of_engines_mark_repetitions(capsys: Capture) -> None:
    out = report(capsys, 1, "twice", "--random", "20")
    assert re.search(r"^\* listed by twice: \d+: `[^`]+` \(repeated\)", out, re.MULTILINE)


def test_json_has_the_contents_of_the_report(capsys: Capture) -> None:
    content = json.loads(report(capsys, 1, "correct", "bar", "missing", *OPTIONS, "--seed", "4", "--json"))
    assert (content["cases"], content["interrupted"], content["missing"]) == (NAMED + 30, False, ["missing"])
    correct, bar, missing = content["engines"]
    assert (correct["compared"], correct["classes"]) == (NAMED + 30, [])
    assert content["job"]["named"] == NAMED
    assert missing["unchecked"] == "MISSING: pip install it"
    (summary,) = bar["classes"]
    assert (summary["kind"], summary["rule"]) == ("illegal", "bar-first")
    assert summary["sentence"].startswith("A checker ")
    assert summary["cases"] >= 2
    example = summary["example"]
    assert example["shrunk"]
    assert example["board"][25] == 2
    position = Position.from_gnubg_id(example["gnubg_id"])
    assert example["legal"] == [str(play) for play in position.plays(example["roll"])]
    (wrong,) = example["wrong"]
    assert wrong["board"] not in position.plays(example["roll"]).boards.tolist()
    assert wrong["play"]
    assert example["listed"] == [f"`{play}`" for play in example["legal"]] + [f"`{wrong['play']}` (illegal)"]


def test_unchecked_cases_do_not_pass(capsys: Capture) -> None:
    for engine, options, result in (
        ("missing", OPTIONS, "| missing | – | 0 | 0 | 0 | MISSING: pip install it |"),
        ("program:/no/such", OPTIONS, "MISSING: cannot start '/no/such': "),
        ("games", OPTIONS, f"| games | 1 | 0 | {CASES} | 0 | NOT CHECKED: it could be set to none of these"),
        ("games", ["--games", "9", "--rules", "exact"], "SKIPPED: it plays standard only, not exact"),
    ):
        out = report(capsys, 2, "correct", engine, *options)
        assert result in out
        assert "| agrees |" in out


def test_failures_are_disagreements(capsys: Capture) -> None:
    for engine, title in (("hangs", "hang, no-answer"), ("crashes", "crash, ended")):
        out = report(capsys, 1, engine, "correct", *OPTIONS)
        assert f"GIVEN UP after 20 of {CASES} cases: it failed on 20 cases in a row; DISAGREES" in out
        assert f"## {engine} 1: {title}" in out
        assert f"* {engine}: {title.split(',')[0]}, " in out
        assert f"| correct | 1 | {CASES} | 0 | 0 | agrees |" in out


def test_ctrl_c_reports_finished_cases(capsys: Capture) -> None:
    out = report(capsys, 130, "bar", "interrupted", "correct", *OPTIONS)
    assert f"| bar | 1 | {CASES} | 0 | 1 | DISAGREES |" in out
    assert "Not shrunk, since interrupted: the smallest case so far." in out
    assert "| correct | 1 | 0 | 0 | 0 | NOT ASKED |" in out
    assert out.endswith("INTERRUPTED: the report covers the cases done so far.\n")


def test_positions_of_a_file_and_the_rules_option_are_used(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    path.write_text("start 31\nnackgammon\n")
    out = report(capsys, 0, "correct", "--positions", str(path), "--rules", "five_stack")
    assert f"{NAMED + 2} cases ({NAMED} named; positions: 2 from a file" in out
    assert "rules `five_stack`" in out


def test_resumed_runs_give_the_same_report(capsys: Capture, tmp_path: Path) -> None:
    options = [*OPTIONS, "--resume", str(tmp_path / "file"), "--json"]
    first, second = (json.loads(report(capsys, 1, "bar", *options)) for _ in range(2))
    for content in (first, second):
        del content["seconds"], content["engines"][0]["seconds"]
    assert first == second
    error = get_error(capsys, "crosscheck", "bar", "correct", *options)
    assert "another cross-check: its engines is" in error


def test_deleted_resume_file_fails(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    real_begin = Journal.begin

    def begin(self: object, job: object) -> None:
        real_begin(self, job)
        path.unlink()

    monkeypatch.setattr(Journal, "begin", begin)
    assert main(["crosscheck", "bar", *OPTIONS, "--resume", str(path)]) == 2
    out, err = capsys.readouterr()
    assert f"| bar | 1 | {CASES} |" in out
    assert err == f"bgfast: error: resume file {path}: No such file or directory\n"


@pytest.mark.slow
def test_failed_engines_are_restarted(capsys: Capture) -> None:
    engine = program("crashes", "--every", "40")
    out = report(capsys, 1, engine, *OPTIONS, "--jobs", "2")
    assert f"| crashes | 1 | {CASES} | 0 | 1 | DISAGREES |" in out
    assert "it ended before it answered, exit status 3" in out


ENDLESS_OPTIONS = ["--random", "1000000", "--jobs", "2"]


@pytest.mark.skipif(os.name == "nt", reason="no such signals to send")
@pytest.mark.parametrize(
    ("engine", "signum"),
    [
        ("correct", signal.SIGTERM),
        *(
            pytest.param(engine, signum, marks=pytest.mark.slow)
            for engine, signums in (
                ("correct", (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)),
                ("hangs", (signal.SIGINT,)),
                ("stubborn", (signal.SIGTERM,)),
            )
            for signum in signums
        ),
    ],
)
def test_signals_end_runs(engine: str, signum: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = MarkedProcesses(monkeypatch)
    path = tmp_path / "file"
    arguments = ["crosscheck", program(engine), *ENDLESS_OPTIONS, "--resume", str(path)]
    with start_command(*arguments, start_new_session=True) as process:
        while process.poll() is None and not (path.exists() and path.stat().st_size):
            time.sleep(0.05)  # wait until the engines run
        time.sleep(0.3)
        os.killpg(process.pid, signum)
        if signum != signal.SIGINT:  # `timeout`, for example, sends the signal twice
            os.killpg(process.pid, signum)
        out, err = process.communicate(timeout=patient(60))
    assert process.returncode == 128 + signum
    assert err == ""
    assert "INTERRUPTED: the report covers the cases done so far." in out
    assert "agrees" in out if engine == "correct" else "| 0 | NOT CHECKED: INTERRUPTED" in out
    assert (len(path.read_text().splitlines()) > 1) == (engine == "correct")
    processes.assert_gone()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc to find remaining processes")
def test_killing_bgfast_ends_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = MarkedProcesses(monkeypatch)
    with start_command("crosscheck", program("stubborn"), *ENDLESS_OPTIONS) as process:
        processes.await_count(7)  # bgfast, two guards, two engines and their children
        process.kill()
        process.communicate()
    processes.assert_gone()


def test_ctrl_c_while_closing_keeps_the_report(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def close(engine: Fake) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt

    monkeypatch.setattr(Fake, "close", close)
    out = report(capsys, 130, "interrupted", *OPTIONS)
    assert "INTERRUPTED: the report covers the cases done so far." in out
