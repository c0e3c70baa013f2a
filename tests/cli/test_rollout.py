"""``bgfast rollout``: results, options, checkpoints, plots, progress line."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import Position
from bgfast.cli import progress, rollout
from bgfast.cli.main import main
from bgfast.evaluators import PipCount, Random, WithBearoff
from bgfast.rollouts import RolloutResult
from tests.support.command_line import Capture, run_json, screen

MATCH = "XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:3:0:7:10"
CLOSED_OUT = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -2 -2 -2 -2 -2 1"


def run_rollout(capsys: Capture, *arguments: str) -> RolloutResult:
    assert main(["rollout", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return RolloutResult.from_json(out)


def test_a_position_is_rolled_out(capsys: Capture) -> None:
    result = run_rollout(capsys, "nackgammon", "--trials", "72", "--seed", "3")
    expected = bgfast.rollout(
        Position.nackgammon(), evaluator=WithBearoff(bgfast.Network.builtin()), trials=72, seed=3
    )
    assert result.estimates == expected.estimates
    assert result.settings == expected.settings
    assert main(["rollout", "nackgammon", "--trials", "72", "--seed", "3"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[:-1] == str(expected).splitlines()[:-1]


def test_default_plays_agree_with_analyse(capsys: Capture) -> None:
    for position, roll, rules, best in (
        ("PwAAgB4AAAAAAA", "21", "exact", "2/off 1/off"),  # the databases are not valid under these rules
        ("AgAAgAIAAAAAAA", "31", "standard", "7/4 6/5"),  # the databases decide without the network
    ):
        arguments = [position, roll, "--rules", rules, "--top", "1", "--evaluator", "builtin-fast"]
        result = run_rollout(capsys, *arguments, "--trials", "2")
        assert [estimate.name for estimate in result.estimates] == [best]
        assert run_json(capsys, "analyse", *arguments, "--ply", "0")["plays"][0]["text"] == best


def test_options_equal_the_arguments_of_rollout(capsys: Capture) -> None:
    arguments = "--evaluator pip-count --policy random --truncate 9 --variance-reduction --plain-dice"
    result = run_rollout(capsys, *f"--trials 36 --rules exact {arguments}".split())
    options = {"policy": Random(), "truncate": 9, "variance_reduction": True, "quasi_random": False}
    expected = bgfast.rollout(
        Position.start(), evaluator=PipCount(), rules=bgfast.EXACT, trials=36, **options
    )
    assert result.estimates == expected.estimates
    assert result.settings == expected.settings


def test_plays_are_selected_by_rank_or_name(capsys: Capture) -> None:
    arguments = ["31", "--trials", "2", "--truncate", "3", "--evaluator", "builtin-fast"]
    result = run_rollout(capsys, *arguments)
    assert len(result.estimates) == 5
    assert len(run_rollout(capsys, *arguments, "--top", "2").estimates) == 2
    assert len(run_rollout(capsys, *arguments, "--top", "99").estimates) == 16
    named_result = run_rollout(capsys, "start", *arguments, "--plays", "24/23 13/10, 6/5 8/5")
    assert {estimate.name for estimate in named_result.estimates} == {"24/23 13/10", "8/5 6/5"}
    network = bgfast.Network.builtin_fast()
    values = {
        str(play): float(network.equities([play.position.to_array()])[0])
        for play in Position.start().plays((3, 1))
    }
    assert {estimate.name for estimate in result.estimates} == set(sorted(values, key=values.__getitem__)[:5])


def test_a_forced_pass_is_rolled_out(capsys: Capture) -> None:
    position = Position.from_array(list(map(int, CLOSED_OUT.split())))
    expected = bgfast.rollout(position.plays((6, 5)), evaluator=PipCount(), trials=36)
    for options in ([], ["--plays", "pass"]):
        arguments = [*CLOSED_OUT.split(), "65", "--trials", "36", "--evaluator", "pip-count", *options]
        result = run_rollout(capsys, *arguments)
        assert result.estimates == expected.estimates
        assert result.best.name == "pass"
        # After a pass the other side is on roll; the equity is that of the passing player.
        assert result.equity == -bgfast.rollout(position.flip(), evaluator=PipCount(), trials=36).equity


def test_rollouts_stop_at_a_standard_error_and_resume(capsys: Capture, tmp_path: Path) -> None:
    fast_options = ("--truncate", "5", "--evaluator", "builtin-fast")
    result = run_rollout(capsys, *fast_options, "--trials", "99999", "--stop-error", "0.03")
    assert result.trials < 99999
    assert result.equity_se <= 0.03
    file = str(tmp_path / "checkpoint")
    run_rollout(capsys, *fast_options, "--trials", "1296", "--checkpoint", file)
    result = run_rollout(capsys, *fast_options, "--trials", "2592", "--checkpoint", file)
    assert result.estimates == run_rollout(capsys, *fast_options, "--trials", "2592").estimates


def test_the_efficiency_option_is_obeyed(capsys: Capture) -> None:
    position = MATCH.replace(":31:", ":00:")
    result = run_rollout(capsys, position, "--trials", "36")
    assert result.conditions.endswith(": bgfast")
    result = run_rollout(capsys, position, "--trials", "36", "--efficiency", "gnubg")
    assert result.conditions.endswith(": gnubg")
    expected = bgfast.rollout(
        position, evaluator=WithBearoff(bgfast.Network.builtin()), trials=36, efficiency="gnubg"
    )
    assert result.estimates == expected.estimates


MET_FOLDER = Path("/usr/share/gnubg/met")


@pytest.mark.skipif(not MET_FOLDER.is_dir(), reason="NOT INSTALLED: GNU Backgammon's match equity tables")
def test_a_match_equity_table_of_gnubg_is_used(capsys: Capture) -> None:
    arguments = [MATCH.replace(":31:", ":00:"), "--met", str(MET_FOLDER / "zadeh.xml")]
    table = bgfast.cube.MatchEquityTable.read(MET_FOLDER / "zadeh.xml")
    result = run_rollout(capsys, *arguments, "--trials", "36")
    content = run_json(capsys, "analyse", *arguments, "--ply", "0")
    for conditions in (result.conditions, content["conditions"]):
        assert f"match equities: {table.name}; " in conditions
    expected = bgfast.cube_decision(arguments[0], ply=0, met=table)
    assert content["cube_decision"]["mwc"]["no_double"] == expected.mwc.no_double


def test_an_offered_double_is_rolled_out_as_a_cube_decision(capsys: Capture) -> None:
    result = run_rollout(capsys, MATCH.replace(":31:", ":D:"), "--trials", "36")
    assert result.estimates == run_rollout(capsys, MATCH.replace(":31:", ":00:"), "--trials", "36").estimates


def test_plots_show_the_convergence(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: no picture was drawn")
    figures: list[Any] = []
    save = rollout.save_figure
    monkeypatch.setattr(rollout, "save_figure", lambda *args: [figures.append(args[-1]), save(*args)])
    monkeypatch.chdir(tmp_path)
    cases = ((1296, 36, "a.svg", b"<?xml"), (50, 10, "b.png", b"\x89PNG"), (2, 1, "c.svg", b"<?xml"))
    for trials, points, name, signature in cases:
        arguments = f"31 --top 2 --trials {trials} --evaluator pip-count --plot {name} --truncate 5"
        result = run_rollout(capsys, *arguments.split())
        assert Path(name).read_bytes().startswith(signature)
        figure = figures.pop()
        assert figure.get_suptitle() == f"4HPwATDgc/ABMA, 3-1: {trials:,} trials, pip-count"
        for line, estimate in zip(figure.axes[1].lines, result.estimates, strict=True):
            assert len(line.get_xdata()) == points
            assert (line.get_xdata()[-1], line.get_ydata()[-1]) == (trials, estimate.equity)


def test_the_progress_line_shows_the_estimate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    arguments = ["rollout", "start", "31", "--trials", "72", "--evaluator", "random"]
    outputs = []
    for _ in range(2):
        with screen(100) as terminal:
            monkeypatch.setattr(sys, "stderr", terminal)
            assert main([*arguments, "--checkpoint", str(tmp_path / "file")]) == 0
            outputs.append(terminal.getvalue())
    number = r"[+-]\d\.\d{4} ± \d\.\d{4}"
    assert re.match(rf"\rrollout: [\d.]+%, [\d,]+ trials/s, 0:00:0\d left, \d\S+ \S+ {number}\r", outputs[0])
    assert outputs[1] == ""  # the checkpoint has all trials
