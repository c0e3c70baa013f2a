"""``bgfast train``, ``bgfast contest`` and ``bgfast errors``."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bgfast import BgfastError
from bgfast.analysis.evaluators.network import Network
from bgfast.analysis.strength.contest import contest
from bgfast.analysis.strength.judged_positions import BUILTIN
from bgfast.analysis.training.curve import Look, add_to_curve, read_curve
from bgfast.analysis.training.training import Training
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
    said = json.loads(run(capsys, "contest", file, "random", "--games", "20", "--json"))
    assert (said["a"], said["b"], said["games"]) == (file, "random", 20)
    assert "decisions/s" in run(capsys, "rollout", "--evaluator", file, "--trials", "36")


def test_one_that_knows_something_goes_on_learning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    run(capsys, "train", *SMALL, "--no-features", "--out", first)
    before = Network.load(first)
    assert all(layer.features.size == 0 for layer in before.weights.first_layers)
    again = ["train", *SMALL, "--begin", first, "--steps", "1e-9", "1e-9", "--trace", "0", "--out", second]
    run(capsys, *again)
    after = Network.load(second)
    assert after.about["before"] == before.about
    assert after.about["training"]["schedule"] == [1e-9, 1e-9, 0]
    boards = [[0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]]
    assert after.evaluate(boards) == pytest.approx(before.evaluate(boards), abs=1e-4)
    assert after != before
    run(capsys, *again, "--resume")  # all of it may be said once more
    for option, what in (
        (["--trace", "0.5"], "its --trace is 0.0, here it is 0.5; expected the same, or nothing"),
        (["--steps", "0.1", "1e-9"], "its --steps is (1e-09, 1e-09), here it is (0.1, 1e-09)"),
        (["--games", "513"], "its --games is 512, here it is 513"),
        (["--hidden", "64"], "its --hidden is 32, here it is 64"),
        (["--seed", "1"], "its --seed is 0, here it is 1"),
        (["--threads", "2"], "its --threads is 1, here it is 2"),
        (["--begin", second], "its --begin is {"),
    ):
        assert f"{second} was trained otherwise: {what}" in refused(
            capsys, "train", "--out", second, "--resume", *option
        )


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
    options = ["train", "--games", "6400", "--hidden", "32", "--test-games", "20", "--seed", "3"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bgfast", *options, "--out", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not Path(file).exists():
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=patient(60))
    assert process.returncode in (0, 130)
    assert b"Traceback" not in err
    if process.returncode == 130:
        assert b"--resume goes on" in err
        assert 0 <= Network.load(file).about.get("games", 0) < 6400
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
    run(capsys, "train", "--resume", "--out", file)
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
    assert "is no network that a training has left" in refused(capsys, "train", "--out", file, "--resume")
    assert "--games is missing" in refused(capsys, "train", "--out", file + "2")
    assert "hidden is 33" in refused(capsys, "train", "--games", "9", "--hidden", "33", "--out", file + "2")
    for hidden in ("0", "1000000000"):
        assert f"--hidden is '{hidden}'; expected a whole number from 1 to 1024" in refused(
            capsys, "train", "--games", "9", "--hidden", hidden, "--out", file + "2"
        )
    assert "No such file" in refused(capsys, "train", *SMALL, "--out", str(tmp_path / "no" / "n"))
    assert "--test-games is '21'; expected an even number" in refused(
        capsys, "train", "--games", "9", "--test-games", "21", "--out", file + "2"
    )
    assert "1 players; expected two" in refused(capsys, "contest", "random")
    assert "no evaluator 'nobody'; expected random" in refused(capsys, "contest", "random", "nobody")
    assert "games is 5" in refused(capsys, "contest", "random", "random", "--games", "5")


@pytest.mark.parametrize("name", ["mine.onnx", "mine.ONNX"])
def test_networks_are_not_called_what_they_are_not(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    assert "a format of its own; expected a name without .onnx" in refused(
        capsys, "train", *SMALL, "--out", str(file)
    )
    with pytest.raises(BgfastError, match=r"expected a name without \.onnx"):
        Network.random(32).save(file)
    assert not file.exists()
    # Before anything is learnt, too.
    Training(512, Network.random(32)).save(tmp_path / "n")
    (tmp_path / "n").rename(file)
    assert "expected a name without .onnx" in refused(capsys, "train", "--resume", "--out", str(file))


@pytest.mark.parametrize("content", [b"notes\n", b"{}\n", b'{"games": 5}\n', b"notes", b"\n", b"network"])
def test_only_a_curve_is_added_to(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    curve = tmp_path / "curve"
    if content == b"network":
        Network.random(32).save(curve)
        content = curve.read_bytes()
    curve.write_bytes(content)
    err = refused(capsys, "train", *SMALL, "--out", "n", "--curve", "curve")
    assert err.startswith("bgfast: error: curve curve, line 1: ")
    assert err.endswith("; expected what bgfast train has written\n")
    assert curve.read_bytes() == content
    assert not Path("n").exists()


def test_files_of_a_training_are_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink("n", "link")
    for options in (["--out", "n", "--curve", "./n"], ["--out", "n", "--curve", "link"]):
        assert "--out and --curve are one file, n; expected two" in refused(capsys, "train", *SMALL, *options)
    assert os.listdir() == ["link"]


LOOK = Look(512, 1.0, -0.5, 0.1, 0, 0.5, 0.1, 20)


def test_a_line_of_a_curve_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curve = tmp_path / "curve"
    add_to_curve(curve, LOOK)
    whole = curve.read_bytes()
    real = os.write

    def full(descriptor: int, content: bytes) -> int:
        if len(content) < 90:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, content[:20])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(BgfastError, match=f"^curve {curve}: No space left on device$"):
            add_to_curve(curve, LOOK)
    assert curve.read_bytes() == whole
    add_to_curve(curve, LOOK)
    assert curve.read_bytes() == 2 * whole
    for length in range(1, len(whole)):  # torn, as by a loss of power
        curve.write_bytes(whole + whole[:length])
        with pytest.warns(
            UserWarning, match=f"^curve {curve}: {length} damaged bytes at its end do not count"
        ):
            assert read_curve(curve) == [LOOK]
    with pytest.warns(UserWarning, match="damaged bytes"):
        add_to_curve(curve, LOOK)
    assert curve.read_bytes() == 2 * whole


@pytest.mark.parametrize(
    "change",
    [
        {"games": "512"},
        {"seed": -1},
        {"threads": 0},
        {"schedule": [0.1, 0.2]},
        {"schedule": ["a", 0.1, 0.1]},
        {"schedule": [0.1, 0.1, 7]},
        {"schedule": None},
        {"start": 5},
        {"start": "4HPwATDgc/ABMA"},
        {"more": 1},
    ],
)
def test_what_a_training_says_of_itself_is_checked(change: dict[str, object]) -> None:
    training = Training(512, Network.random(32), seed=1)
    left = training.network
    assert Training.resumed(left).seed == 1
    about = {**left.about, "training": {**left.about["training"], **change}}
    with pytest.raises(BgfastError, match="is none that a training has left; expected one to go on with"):
        Training.resumed(Network(left.weights, about))


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "errors", "pubeval", "--worst", "3")
    first, *worst = out.splitlines()
    assert first.startswith("pubeval: ")
    assert "millipoints a play" in first
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
