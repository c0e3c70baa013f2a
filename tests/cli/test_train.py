"""``bgfast train``, ``bgfast match`` and ``bgfast errors``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bgfast.analysis.contest import contest
from bgfast.analysis.judged_positions import BUILTIN
from bgfast.analysis.network import Network
from bgfast.analysis.training import Training
from bgfast.analysis.training_curve import read_curve
from bgfast.cli.main import main
from tests.support.patience import patient

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
    assert (line["games"], line["games_before"], line["test_games"], line["against"]) == (
        512,
        0,
        20,
        "pubeval",
    )
    assert f"{line['points_per_game']:+.4f} ± " in out
    assert f"against itself after 0 games {line['points_before']:+.4f} ± " in out
    assert Network.load(file).about["games"] == 512
    said = json.loads(run(capsys, "match", file, "random", "--games", "20", "--json"))
    assert (said["a"], said["b"], said["games"]) == (file, "random", 20)
    assert "decisions/s" in run(capsys, "rollout", "--evaluator", file, "--trials", "36")


def test_one_that_knows_something_goes_on_learning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    run(capsys, "train", *SMALL, "--no-features", "--out", first)
    before = Network.load(first)
    assert all(part.features.size == 0 for part in before.weights)
    again = ["train", *SMALL, "--begin", first, "--steps", "1e-9", "1e-9", "--trace", "0", "--out", second]
    run(capsys, *again)
    after = Network.load(second)
    assert after.about["before"] == before.about
    assert after.about["training"]["schedule"] == [1e-9, 1e-9, 0]
    boards = [[0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]]
    assert after.evaluate(boards) == pytest.approx(before.evaluate(boards), abs=1e-4)
    assert after != before
    other = ["train", *SMALL, "--begin", first, "--steps", "1e-9", "1e-9", "--out", second, "--resume"]
    assert "was trained otherwise" in refused(capsys, *other)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--steps", "0", "0.1"], "is '0'; expected a number from 1e-09 to 1"),
        (["--steps", "0.1", "nan"], "is 'nan'; expected a number from 1e-09 to 1"),
        (["--trace", "1.5"], "is '1.5'; expected a number from 0 to 1"),
        (["--begin", "nothing-there"], "network nothing-there: No such file"),
    ],
)
def test_how_it_learns_is_checked(
    option: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(capsys, "train", *SMALL, "--out", str(tmp_path / "n"), *option)


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
    _, err = process.communicate(timeout=patient(60))
    assert process.returncode in (0, 130)
    assert b"Traceback" not in err
    if process.returncode == 130:
        assert b"--resume goes on" in err
        assert 0 <= Network.load(file).about.get("games", 0) < 12800
        run(capsys, *options, "--out", file, "--resume")
    whole = str(tmp_path / "whole")
    run(capsys, *options, "--out", whole)
    assert Network.load(file) == Network.load(whole)


def test_ctrl_c_before_a_round_has_been_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, whole = str(tmp_path / "n"), str(tmp_path / "whole")

    def interrupted(training: Training) -> Iterator[int]:
        raise KeyboardInterrupt
        yield 0

    with monkeypatch.context() as patch:
        patch.setattr(Training, "play", interrupted)
        assert main(["train", *SMALL, "--out", file]) == 130
    assert f"bgfast: 0 games are in {file}; --resume goes on\n" in capsys.readouterr().err
    run(capsys, "train", *SMALL, "--out", file, "--resume")
    run(capsys, "train", *SMALL, "--out", whole)
    assert Network.load(file) == Network.load(whole)


def test_each_look_is_at_the_network_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bgfast.cli.train.FIRST_LOOK", 256)
    file, curve = str(tmp_path / "n"), tmp_path / "curve"
    options = ["train", "--games", "1500", "--hidden", "32", "--test-games", "200", "--out", file, "--json"]
    out = run(capsys, *options, "--curve", str(curve))
    assert out == curve.read_text()
    looks = [json.loads(line) for line in out.splitlines()]
    assert [look["games"] for look in looks] == [256, 512, 1024, 1500]
    assert [look["games_before"] for look in looks] == [0, 256, 512, 1024]
    # From nothing to something: it beats what knows nothing by far.
    assert looks[0]["points_before"] > 0.3
    assert all(abs(look["points_before"]) < 3 for look in looks)
    training = Training(1500, Network.random(32, 0))
    networks = {}
    for played in training.play():
        networks[played] = training.network
    found = contest(networks[1024], networks[512], games=200, seed=1)
    assert (looks[2]["points_before"], looks[2]["standard_error_before"]) == (
        round(found.points_per_game, 5),
        round(found.standard_error, 5),
    )


def test_the_curve_as_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="NOT INSTALLED: matplotlib, so no curve was drawn")
    file, curve, picture = (str(tmp_path / name) for name in ("n", "curve", "curve.svg"))
    options = ["train", *SMALL, "--out", file, "--curve", curve, "--plot", picture]
    run(capsys, *options)
    drawn = Path(picture).read_text(encoding="utf-8")
    assert "against pubeval" in drawn
    Path(picture).unlink()
    # Of a training that goes on, what stands in the curve is drawn, too.
    before = read_curve(curve)
    assert [look.games for look in before] == [512]
    Path(curve).write_text("{}\n")
    assert "curve, line 1: '{}'; expected what bgfast train has written" in refused(
        capsys, *options, "--resume"
    )
    assert "expected a name that ends in .svg or .png" in refused(
        capsys, "train", *SMALL, "--out", file + "2", "--plot", str(tmp_path / "curve.pdf")
    )
    assert not Path(file + "2").exists()


def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "n")
    assert "is not there; expected a network to go on with" in refused(
        capsys, "train", *SMALL, "--out", file, "--resume"
    )
    Network.random(32, 1).save(file)
    assert "is there already" in refused(capsys, "train", *SMALL, "--out", file)
    assert "was trained otherwise" in refused(capsys, "train", *SMALL, "--out", file, "--resume")
    assert "hidden is 33" in refused(capsys, "train", "--games", "9", "--hidden", "33", "--out", file + "2")
    for hidden in ("0", "1000000000"):
        assert f"--hidden is '{hidden}'; expected a whole number from 1 to 1024" in refused(
            capsys, "train", "--games", "9", "--hidden", hidden, "--out", file + "2"
        )
    assert "No such file" in refused(capsys, "train", *SMALL, "--out", str(tmp_path / "no" / "n"))
    assert "--test-games is '21'; expected an even number" in refused(
        capsys, "train", "--games", "9", "--test-games", "21", "--out", file + "2"
    )
    assert "1 players; expected two" in refused(capsys, "match", "random")
    assert "no evaluator 'nobody'; expected random" in refused(capsys, "match", "random", "nobody")
    assert "games is 5" in refused(capsys, "match", "random", "random", "--games", "5")


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "errors", "pubeval", "--worst", "3")
    first, *worst = out.splitlines()
    assert first.startswith("pubeval: ")
    assert "millipoints a move" in first
    assert len(worst) == 3
    said = json.loads(run(capsys, "errors", "pubeval", "--worst", "3", "--json"))
    assert f"pubeval: {said['millipoints']:.2f} ± " in first
    assert said["decisions"] == said["contact"]["decisions"] + said["race"]["decisions"]
    assert f"{said['worst'][0]['position']} " in worst[0]
    assert worst[0].endswith(f"  instead of {said['worst'][0]['best']}")
    lines = BUILTIN.read_text().splitlines()
    some = tmp_path / "some"
    some.write_text("\n".join([*lines[:2], lines[-1]]) + "\n")
    said = json.loads(run(capsys, "errors", "pip-count", "--positions", str(some), "--json"))
    assert (said["decisions"], said["standard_error"]) == (1, None)
    assert "0 players; expected one" in refused(capsys, "errors")
    assert "no evaluator 'nobody'" in refused(capsys, "errors", "nobody")
    assert "No such file" in refused(capsys, "errors", "random", "--positions", str(tmp_path / "no"))
