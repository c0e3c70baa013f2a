"""Other engines and networks as evaluators: sides and order of probabilities, missing packages."""

from __future__ import annotations

import pickle
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError
from bgfast.cli.players import load_evaluator
from bgfast.evaluators import Bgsage, GnubgNN, Onnx
from tests.support.bounds import bound_probabilities, possible_point_sets
from tests.support.onnx_models import model

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"
REQUIREMENTS = {
    "GnubgNN": (GnubgNN, "gnubg_nn", "gnubg-nn==1.1.0a11"),
    "Bgsage": (Bgsage, "bgsage", "bgsage"),
    "Onnx": (partial(Onnx, b"", bgfast.encode_tdgammon), "onnxruntime", "onnxruntime"),
}
WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON = range(5)


@pytest.fixture(params=["GnubgNN", "Bgsage"])
def engine(request: pytest.FixtureRequest) -> Any:
    make, module, requirement = REQUIREMENTS[request.param]
    pytest.importorskip(module, reason=f"NOT INSTALLED: {requirement}, so {request.param} was not tested")
    return make()


def board(mover: dict[int, int], opponent: dict[int, int]) -> np.ndarray:
    """Return a board from the checkers on each side's own points; 25 is the bar."""
    row = [mover.get(point, 0) - opponent.get(25 - point, 0) for point in range(26)]
    return np.array([row], np.int8)


def evaluate(evaluator: Any, row: np.ndarray) -> np.ndarray:
    actual = evaluator(row)
    assert actual.shape == (1, 5)
    assert actual.dtype == np.float64
    return actual[0]


# ---- sides and order of probabilities ----


def test_a_won_race_has_certain_probabilities(engine: Any) -> None:
    row = board({1: 2}, {1: 9})
    assert evaluate(engine, row) == pytest.approx([1, 0, 0, 0, 0], abs=0.005)
    # Now the losing side is on roll.
    assert evaluate(engine, bgfast.flip(row)) == pytest.approx([0, 0, 0, 0, 0], abs=0.005)


def test_a_certain_gammon_has_certain_probabilities(engine: Any) -> None:
    row = board({1: 2}, {12: 15})
    results = [WIN, WIN_GAMMON, LOSE_GAMMON]  # bgsage's networks underestimate backgammons here
    assert evaluate(engine, row)[results] == pytest.approx([1, 1, 0], abs=0.005)
    assert evaluate(engine, bgfast.flip(row))[results] == pytest.approx([0, 0, 1], abs=0.005)


def test_a_nearly_certain_backgammon_has_high_probabilities(engine: Any) -> None:
    row = board({1: 2}, {25: 3, 6: 12})
    winner, loser = evaluate(engine, row), evaluate(engine, bgfast.flip(row))
    assert winner == pytest.approx([1, 1, 1, 0, 0], abs=0.05)
    assert loser == pytest.approx([0, 0, 0, 1, 1], abs=0.05)


def test_a_checker_behind_a_full_prime_has_little_chance(engine: Any) -> None:
    prime = dict.fromkeys(range(1, 7), 2) | {7: 2, 8: 1}
    opponent = {6: 4, 5: 4, 4: 3, 3: 3}
    row = board(prime, opponent | {25: 1})
    assert evaluate(engine, row)[WIN] > 0.9
    assert evaluate(engine, bgfast.flip(row))[WIN] < 0.1


def test_two_engines_agree() -> None:
    for name in ("gnubg_nn", "bgsage"):
        pytest.importorskip(name, reason=f"NOT INSTALLED: {name}, so the engines were not compared")
    rows = bgfast.random_positions(1000, seed=6)
    assert (rows[:, 0] < 0).any()
    difference = np.abs(GnubgNN()(rows) - Bgsage()(rows))
    assert (difference.mean(axis=0) < [0.03, 0.03, 0.01, 0.03, 0.01]).all()
    on_bar = rows[:, 0] < 0
    assert (difference[on_bar].mean(axis=0) < [0.04, 0.04, 0.02, 0.04, 0.02]).all()


# ---- requirements of rollouts ----


def test_results_do_not_depend_on_the_batch(engine: Any) -> None:
    rows = bgfast.random_positions(50, seed=7)
    copy = rows.copy()
    probabilities = engine(rows)
    assert np.array_equal(rows, copy)
    assert np.array_equal(probabilities, engine(rows[::-1])[::-1])
    assert np.array_equal(probabilities, np.concatenate([engine(row[None]) for row in rows]))
    assert engine(rows[:0]).shape == (0, 5)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


def test_copies_by_pickle_give_the_same_results(engine: Any) -> None:
    rows = bgfast.random_positions(20, seed=9)
    copy = pickle.loads(pickle.dumps(engine))
    assert np.array_equal(copy(rows), engine(rows))
    assert repr(copy) == repr(engine) == f"{type(engine).__name__}()"


def test_results_do_not_depend_on_threads(engine: Any) -> None:
    """Roll out a position near the end of a game, for speed."""
    position = bgfast.Position.from_array(board({1: 2, 2: 2, 3: 1, 9: 1}, {2: 3, 3: 2, 16: 1})[0])
    one_thread, two_threads = (
        bgfast.rollout(position, evaluator=engine, trials=720, seed=3, threads=threads).estimates
        for threads in (1, 2)
    )
    assert one_thread == two_threads
    assert one_thread[0].probabilities is not None


def test_rollout_settings_name_the_version(engine: Any) -> None:
    position = bgfast.Position.from_array(board({1: 2}, {1: 2})[0])
    settings = bgfast.rollout(position, evaluator=engine, trials=36).settings
    assert re.fullmatch(r"(gnubg-nn|bgsage) \d+\.\d+\.\w+", settings["evaluator"])


# ---- missing packages ----


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_missing_packages_are_reported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, module, requirement = REQUIREMENTS[name]
    monkeypatch.setitem(sys.modules, module, None)
    from bgfast.evaluation.evaluators import engines as engine_evaluators

    engine_evaluators._bgsage.cache_clear()
    with pytest.raises(BgfastError, match=f"^{name}: .*{module}.*; pip install {requirement}$"):
        make()


@pytest.mark.skipif(not PYPROJECT.exists(), reason="pyproject.toml is not part of a wheel")
@pytest.mark.parametrize("name", REQUIREMENTS)
def test_pyproject_has_an_extra_for_each_package(name: str) -> None:
    requirement = REQUIREMENTS[name][2]
    assert re.search(
        rf'^[\w-]+ = \["{re.escape(requirement)}"\]$', PYPROJECT.read_text("utf-8"), re.MULTILINE
    )


# ---- ONNX ----


ROWS = bgfast.random_positions(30, seed=1)


def expected_probabilities(outputs: np.ndarray) -> np.ndarray:
    """Return logistic outputs for `ROWS`, clipped to the bounds of the rules."""
    pairs = zip(1 / (1 + np.exp(-outputs)), possible_point_sets(ROWS), strict=True)
    return np.array([bound_probabilities(*pair) for pair in pairs])


@pytest.mark.parametrize("type_name", ["FLOAT", "DOUBLE"])
def test_models_of_probabilities_return_probabilities(type_name: str) -> None:
    content, weights = model(("n", 5), "Sigmoid", type_name=type_name)
    actual = Onnx(content, bgfast.encode_tdgammon)(ROWS)
    assert actual.shape == (30, 5)
    assert actual.dtype == np.float64
    assert actual == pytest.approx(expected_probabilities(bgfast.encode_tdgammon(ROWS) @ weights), abs=1e-6)


@pytest.mark.parametrize(
    ("inputs", "encoder"),
    [(198, bgfast.encode_tdgammon), (557, bgfast.Network.inputs), (806, bgfast.encode_onehot)],
)
def test_the_number_of_inputs_selects_the_encoder(inputs: int, encoder: Any, tmp_path: Path) -> None:
    content, _ = model(("n", 5), "Sigmoid", inputs=inputs)
    expected = Onnx(content, encoder)(ROWS)
    (tmp_path / "m.onnx").write_bytes(content)
    for evaluator in (Onnx(content), pickle.loads(pickle.dumps(Onnx(content))), Onnx(tmp_path / "m.onnx")):
        assert np.array_equal(evaluator(ROWS), expected)
    assert np.array_equal(load_evaluator(str(tmp_path / "m.onnx"))(ROWS), expected)


@pytest.mark.parametrize("shape", [("n", 1), ("n",)])
def test_models_of_equities_return_equities(shape: tuple[Any, ...]) -> None:
    content, weights = model(shape, "Tanh")
    actual = Onnx(content, bgfast.encode_tdgammon, probabilities=False)(ROWS)
    assert actual.shape == (30,)
    equities = np.tanh(bgfast.encode_tdgammon(ROWS) @ weights).reshape(30)
    bounds = [(min(possible), max(possible)) for possible in possible_point_sets(ROWS)]
    assert actual == pytest.approx(np.clip(equities, *np.transpose(bounds)), abs=1e-6)


def onehot(boards: np.ndarray) -> np.ndarray:
    return bgfast.encode_onehot(boards).reshape(len(boards), -1)


def test_any_encoder_and_relative_paths_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = onehot(ROWS)
    content, weights = model(("n", 5), "Sigmoid", inputs=inputs.shape[1])
    (tmp_path / "tiny.onnx").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    evaluator = Onnx("tiny.onnx", onehot)
    assert evaluator(ROWS) == pytest.approx(expected_probabilities(inputs @ weights), abs=1e-6)
    monkeypatch.chdir(tmp_path.parent)  # the evaluator stores an absolute path
    copy = pickle.loads(pickle.dumps(evaluator))
    assert np.array_equal(copy(ROWS), evaluator(ROWS))
    assert np.array_equal(Onnx(tmp_path / "tiny.onnx", onehot)(ROWS), evaluator(ROWS))


def test_a_pickle_contains_the_model() -> None:
    content, _ = model(("n", 5), "Sigmoid")
    copy = pickle.loads(pickle.dumps(Onnx(content, bgfast.encode_tdgammon, probabilities=True)))
    assert (copy.model, copy.encoder, copy.probabilities) == (content, bgfast.encode_tdgammon, True)
    assert repr(copy) == f"Onnx(<{len(content):,} bytes>, encode_tdgammon, probabilities=True)"


def test_rollouts_with_a_model_are_reproducible_and_refuse_another_model(tmp_path: Path) -> None:
    content, _ = model(("n", 5), "Sigmoid")
    evaluator = Onnx(content, bgfast.encode_tdgammon)
    start = bgfast.Position.start()
    one_thread, two_threads = (
        bgfast.rollout(start, evaluator=evaluator, trials=144, truncate=6, threads=threads).estimates
        for threads in (1, 2)
    )
    assert one_thread == two_threads
    assert one_thread[0].probabilities is not None
    other_model = Onnx(model(("n", 5), "Sigmoid", seed=2)[0], bgfast.encode_tdgammon)
    path = tmp_path / "checkpoint"
    bgfast.rollout(start, evaluator=evaluator, trials=36, truncate=2, checkpoint=path)
    with pytest.raises(BgfastError, match="evaluator"):
        bgfast.rollout(start, evaluator=other_model, trials=36, truncate=2, checkpoint=path)


def test_sessions_use_a_single_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    content, _ = model(("n", 5), "Sigmoid")
    import onnxruntime

    options = []
    session_type = onnxruntime.InferenceSession
    monkeypatch.setattr(
        onnxruntime,
        "InferenceSession",
        lambda *arguments, **keywords: options.append(arguments[1]) or session_type(*arguments, **keywords),
    )
    Onnx(content, bgfast.encode_tdgammon)
    assert (options[0].intra_op_num_threads, options[0].inter_op_num_threads) == (1, 1)


def test_models_with_two_outputs_or_text_inputs_are_refused() -> None:
    content, _ = model(("n", 5), "Sigmoid")
    import onnx

    proto = onnx.load_from_string(content)
    proto.graph.output.append(onnx.helper.make_tensor_value_info("sums", onnx.TensorProto.FLOAT, ["n", 5]))
    with pytest.raises(BgfastError, match="has 1 inputs and 2 outputs; expected one of each"):
        Onnx(proto.SerializeToString(), bgfast.encode_tdgammon)
    node = onnx.helper.make_node("Identity", ["texts"], ["same"])
    tensors = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.STRING, ["n"]) for name in ("texts", "same")
    ]
    graph = onnx.helper.make_graph([node], "texts", tensors[:1], tensors[1:])
    text_model = onnx.helper.make_model(graph, ir_version=9, opset_imports=[onnx.helper.make_opsetid("", 17)])
    with pytest.raises(BgfastError, match=r"takes tensor\(string\); expected one of tensor\(float16\)"):
        Onnx(text_model.SerializeToString(), bgfast.encode_tdgammon)
