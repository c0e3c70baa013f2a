"""``bgfast train`` and ``bgfast contest``: results, options, resumed runs, Ctrl-C."""

from __future__ import annotations

import io
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast.batch.successors import Successors
from bgfast.cli.main import main
from bgfast.evaluation.evaluators.network import Network
from bgfast.evaluators import PipCount, Random
from bgfast.learning import learning_curve, training_run
from bgfast.learning.contest import contest
from bgfast.learning.contested_decisions import read_decisions
from bgfast.learning.error_per_play import error_per_play
from bgfast.learning.learning_curve import read_curve
from bgfast.learning.training_run import Training
from bgfast.learning.training_state import load_lessons, load_training
from tests.support.command_line import Capture, get_error, run, run_json, start_command

OPTIONS = "--quiet --hidden 32 --opening 0 --rounds 1 --positions 200 --test-games 4".split()


@pytest.fixture(autouse=True, scope="module")
def shorten_training() -> Iterator[None]:
    """Train in a few steps, and measure on a few decisions."""
    source = read_decisions()
    plays = Successors(source.plays.boards, source.plays.offsets[:21], None)
    sample = source._replace(decisions=source.decisions[:20], boards=source.boards[:20], plays=plays)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_run, "MIN_STEPS", 4)
        patch.setattr(learning_curve, "error_per_play", lambda network: error_per_play(network, sample))
        yield


@pytest.fixture(scope="module")
def trained_network(shorten_training: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """File of a trained network, with its state and curve next to it, and the output of the run."""
    folder, out = tmp_path_factory.mktemp("trained"), io.StringIO()
    with redirect_stdout(out):
        assert main(["train", *OPTIONS, "--out", f"{folder}/n", "--curve", f"{folder}/curve"]) == 0
    return f"{folder}/n", out.getvalue()


def test_a_trained_network_is_measured_and_plays(trained_network: tuple[str, str], capsys: Capture) -> None:
    file, out = trained_network
    curve = Path(file).with_name("curve")
    assert out.startswith("round 1, ")
    assert "against pubeval" in out
    first, last = map(json.loads, curve.read_text().splitlines())
    assert (first["rounds"], first["rounds_before"], first["test_games"]) == (1, 0, 4)
    assert (last["rounds"], last["rounds_before"], last["against"]) == (2, 1, "pubeval")
    assert f"{last['points_per_game']:+.4f} ± " in out
    assert f"{last['millipoints']:.2f} ± " in out
    assert f"against itself after round 1 {last['points_before']:+.4f} ± " in out
    assert Network.load(file).about["round"] == 2
    content = run_json(capsys, "contest", file, "random", "--games", "20")
    assert (content["a"], content["b"], content["games"]) == (file, "random", 20)
    names = ["points_per_game", "standard_error", "plain_points_per_game", "plain_standard_error", "won"]
    assert list(content) == ["a", "b", "games", *names, "note"]
    assert content["note"] is None
    line = run(capsys, "contest", file, "random", "--games", "20").replace("\n", " ")
    assert f"{content['points_per_game']:+.4f} ± " in line
    assert f"luck subtracted (plain {content['plain_points_per_game']:+.3f} ± " in line
    assert "decisions/s" in run(capsys, "rollout", "--evaluator", file, "--trials", "36")


@pytest.mark.slow
def test_killed_runs_resume_to_the_same_network(tmp_path: Path, capsys: Capture) -> None:
    """The state is written after each portion; the process is killed at a random moment."""
    program = (
        "import sys, bgfast.cli.train as train, bgfast.learning.training_run as run; train.SAVE_SECONDS = 0; "
        "from bgfast.cli.main import main; run.MIN_STEPS = 4; "
        "sys.exit(main(sys.argv[1:]))"
    )
    file, reference_file = str(tmp_path / "n"), str(tmp_path / "reference")
    options = ["train", *OPTIONS[:-4], "--positions", "900", *OPTIONS[-2:], "--seed", "3"]
    with start_command(*options, "--out", file, program=program) as process:
        while not list(Path(f"{file}.training").glob("positions-*")) and process.poll() is None:
            time.sleep(0.005)
    run(capsys, *options, "--out", file, "--resume")
    run(capsys, *options, "--out", reference_file)
    assert Network.load(file) == Network.load(reference_file)
    for option, message in (
        (["--seed", "4"], f"--seed is 4, but {file} is trained with 3; expected the same value, or none"),
        (["--no-features"], f"--features is False, but {file} is trained with True"),
        (["--no-squares"], f"--squares is False, but {file} is trained with True"),
        (["--no-shared"], f"--shared is False, but {file} is trained with True"),
    ):
        assert message in get_error(capsys, "train", *option, "--out", file, "--resume")


@pytest.mark.slow
def test_a_resumed_run_may_have_more_rounds(tmp_path: Path, capsys: Capture) -> None:
    file = str(tmp_path / "n")
    run(capsys, "train", *OPTIONS, "--out", file)
    assert f"--rounds is 0, but {file} is trained with 1; expected" in get_error(
        capsys, "train", "--rounds", "0", "--out", file, "--resume"
    )
    assert main(["train", "--rounds", "2", "--test-games", "20", "--out", file, "--resume"]) == 0
    message = f"bgfast: the network is in {file}; next: bgfast contest {file} builtin-fast\n"
    assert capsys.readouterr().err == message
    about = Network.load(file).about
    assert (about["training"]["rounds"], about["round"]) == (2, 4)  # an anneal follows each round


def test_options_are_stored_in_the_network(tmp_path: Path, capsys: Capture) -> None:
    file = str(tmp_path / "n")
    arguments = ["--noise", "0.1", "--teachers", "network", "builtin-fast", "--no-features", "--dense", "0"]
    run(capsys, "train", *OPTIONS, *arguments, "--begin", "builtin-fast", "--out", file)
    network = Network.load(file)
    assert network.about["before"] == Network.builtin_fast().about
    assert not any(layer.has_features for layer in network.weights.first_layers)
    assert network.about["training"]["noise"] == 0.1
    assert network.about["training"]["teachers"] == ["network", "builtin-fast"]
    run(capsys, "train", "--quiet", *arguments[2:5], "--out", file, "--resume")
    message = f"--teachers is ('network',), but {file} is trained with ('network', 'builtin-fast'); expected"
    assert message in get_error(capsys, "train", "--teachers", "network", "--out", file, "--resume")


def test_runs_share_positions(trained_network: tuple[str, str], tmp_path: Path, capsys: Capture) -> None:
    first, second = trained_network[0], str(tmp_path / "second")
    run(capsys, "train", *OPTIONS, "--begin", first, "--anneal", "0", "--out", second)
    assert [Network.load(out).about["training"]["anneal"] for out in (first, second)] == [3, 0]
    assert Network.load(second).about["round"] == 1
    names = [
        sorted(path.name for path in Path(f"{out}.training").glob("positions-*")) for out in (first, second)
    ]
    assert len(names[0]) == 1
    assert names[1] == ["positions--0001.npz", "positions-00000.npz"]
    third = str(tmp_path / "third")
    run(capsys, "train", *OPTIONS, "--begin", "builtin", "--positions-of", first, second, "--out", third)
    state = load_training(f"{third}.training")
    expected = [lesson for name in (first, second) for lesson in load_lessons(f"{name}.training")]
    assert len(expected) == 3
    actual = [lesson for index, lesson in state.lessons.items() if index < 0]
    for lesson, original in zip(actual, expected, strict=True):
        assert all(map(np.array_equal, lesson, original))
    arguments = ["--positions-of", str(tmp_path / "none"), "--out", str(tmp_path / "m")]
    assert "needs --begin" in get_error(capsys, "train", *OPTIONS, *arguments)
    arguments += ["--begin", "builtin"]
    assert "none.training: state.npz: No such file" in get_error(capsys, "train", *OPTIONS, *arguments)


def test_ctrl_c_keeps_the_network(
    trained_network: tuple[str, str], tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The resumed run also draws the earlier part of the curve."""
    file, curve, picture = (str(tmp_path / name) for name in ("n", "curve", "curve.svg"))
    train = Training.train

    def interrupt_anneal(training: Training) -> Iterator[float]:
        for fraction in train(training):
            if training.kind == "anneal":
                raise KeyboardInterrupt
            yield fraction

    with monkeypatch.context() as patch:
        patch.setattr(Training, "train", interrupt_anneal)
        assert main(["train", *OPTIONS, "--out", file]) == 130
    assert f"bgfast: 1 rounds are saved in {file}.training; --resume continues\n" in capsys.readouterr().err
    assert Network.load(file).about["round"] == 1
    shutil.copy(Path(trained_network[0]).with_name("curve"), curve)
    plot = ["--plot", picture] if find_spec("matplotlib") else []
    arguments = ["--resume", "--quiet", *OPTIONS[-2:], "--curve", curve, *plot]
    out = run(capsys, "train", *arguments, "--out", file)
    assert out.startswith("round 2, ")
    assert [measurement.rounds for measurement in read_curve(curve)] == [1, 2, 2]
    assert not plot or "against pubeval" in Path(picture).read_text(encoding="utf-8")


def test_contests_use_positions_and_rules(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "positions"
    arguments = ["contest", "pip-count", "random", "--games", "20", "--json", "--seed", "3"]
    position = bgfast.Position.from_gnubg_id("mQAAoBAAAAAAAA")
    file.write_text(f"# two\nstart\n{position.gnubg_id}\n")
    start = bgfast.Position.start()
    result = contest(PipCount(), Random(), games=20, positions=[start, position], seed=3)
    content = json.loads(run(capsys, *arguments, "--positions", str(file)))
    assert content == {"a": "pip-count", "b": "random", **result._asdict()}
    file.write_text("start 31\n")
    assert "positions, line 1: " in get_error(capsys, *arguments, "--positions", str(file))
    content = json.loads(run(capsys, *arguments, "--rules", "five_stack"))
    assert content["note"].startswith("luck is not subtracted")
    assert content["points_per_game"] == content["plain_points_per_game"]
