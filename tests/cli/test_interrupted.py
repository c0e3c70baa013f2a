"""Ctrl-C: intermediate results, or a line that says why there are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bgfast.cli.main import main
from bgfast.evaluators import Pubeval
from tests.support.command_line import Capture
from tests.support.rollouts import InterruptingEvaluator

Run = Callable[..., tuple[str, list[str]]]


@pytest.fixture
def run_interrupted(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Run:
    """Return a function that runs a command and interrupts it in the n-th evaluation."""

    def run(n: int, *arguments: str) -> tuple[str, list[str]]:
        player = InterruptingEvaluator(n, Pubeval())
        for command in ("contest", "error_per_play", "rollout", "analyse"):
            name = "load_player" if command in ("contest", "error_per_play") else "load_evaluator"
            monkeypatch.setattr(f"bgfast.cli.{command}.{name}", lambda name: player)
        assert main(list(arguments)) == 130
        out, err = capsys.readouterr()
        *lines, last = err.splitlines()
        assert last == "bgfast: interrupted"
        return out, lines

    return run


@pytest.mark.parametrize(
    ("arguments", "key", "message"),
    [
        (["contest", "a", "b", "--json"], "games", "no result yet: fewer than 4 games are over"),
        (["errors", "a", "--json"], "players", "no result yet: no play has been chosen"),
        (["rollout", "--json", "--cubeless"], "trials", "no result yet: fewer than 2 trials are done"),
        (
            ["analyse", "start", "31", "--json", "--ply", "0", "--rollout"],
            "plays",
            "no result yet: it is printed after the whole analysis",
        ),
    ],
)
def test_intermediate_results_are_printed(
    run_interrupted: Run, arguments: list[str], key: str, message: str
) -> None:
    out, lines = run_interrupted(1, *arguments)
    assert (out, lines) == ("", [f"bgfast: {message}"])
    out, lines = run_interrupted({"errors": 5, "contest": 600}.get(arguments[0], 400), *arguments)
    assert lines == []
    assert json.loads(out)[key]


def test_finished_blocks_are_stored(run_interrupted: Run, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    out, lines = run_interrupted(400, "rollout", "--checkpoint", str(file))
    assert " trials, " in out.splitlines()[-1]
    assert lines == [f"bgfast: finished blocks are in {file}; the same command resumes"]
    assert file.stat().st_size


def test_search_results_are_printed_before_the_first_trial(run_interrupted: Run) -> None:
    out, lines = run_interrupted(5, "analyse", "start", "31", "--ply", "0", "--rollout")
    assert (len(out.splitlines()), lines) == (7 + 1, [])


def test_perft_and_bench_report_no_result_yet(run_interrupted: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("bgfast.cli.perft.leaves_by_roll", interrupt)
    line = "bgfast: no total yet: 0 of 21 first rolls are counted"
    assert run_interrupted(0, "perft", "start", "2") == ("", [line])
    monkeypatch.setattr("bgfast.cli.bench.measure", lambda *_: next(interrupt()))
    line = "bgfast: no result yet: times are printed once all are measured"
    assert run_interrupted(0, "bench") == ("", [line])
