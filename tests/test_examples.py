"""Programs in examples/, except the engines, which are tested with the adapters."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import bgfast
from tests.support.environments import environments
from tests.support.onnx_models import model

EXAMPLES = Path(__file__).parents[1] / "examples"

pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not part of a wheel")


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_rollout_prints_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    result = example("rollout").main(36)
    assert len(result.estimates) == 5
    assert "8/5 6/5" in [estimate.name for estimate in result.estimates]
    assert str(result) in capsys.readouterr().out


def test_self_play_rewards_alternate() -> None:
    boards, games, rewards = example("self_play").self_play(bgfast.evaluators.PipCount(), 40, seed=3)
    assert boards.shape == (len(games), 26)
    assert sorted(set(games)) == list(range(40))
    assert (boards[:40] == bgfast.Position.start().to_array()).all()
    assert set(np.abs(rewards)) <= {1, 2, 3}
    for game in range(40):
        rows = np.flatnonzero(games == game)
        # Signs alternate with the player; the player of the last play has won.
        assert (rewards[rows] == rewards[rows[0]] * (-1.0) ** np.arange(len(rows))).all()
        assert rewards[rows[-1]] > 0
        final_plays = bgfast.successors(boards[rows[-1:]], "all")
        assert rewards[rows[-1]] in bgfast.results(final_plays.boards)


def test_a_rollout_uses_the_custom_evaluator(capsys: pytest.CaptureFixture[str]) -> None:
    result = example("custom_evaluator").main()
    assert result.settings["evaluator"] == "random weights 1"
    assert result.trials == 360
    assert "bgfast itself took" in capsys.readouterr().out


def test_a_rollout_uses_an_evaluator_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tiny.onnx"
    path.write_bytes(model(("n", 5), "Sigmoid")[0])
    assert example("custom_evaluator").main(str(path)).settings["evaluator"].startswith("Onnx ")


def test_learning_in_an_environment_wins_more_points(capsys: pytest.CaptureFixture[str]) -> None:
    environments("the learning example was not run")
    points_before, points_after = example("gymnasium_env").main(games=100, steps=400)
    assert abs(points_before) < 0.7
    assert points_after > points_before + 0.8
    assert f"{points_after:+.2f} points a game" in capsys.readouterr().out
