"""Training runs: independence of threads, resuming, time limits."""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import subprocess
import sys
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.core.generator.generator import BUILD
from bgfast.evaluation.evaluators.network import Network
from bgfast.learning import training_run
from bgfast.learning._targets import continue_games, one_ply_targets
from bgfast.learning.contest import contest
from bgfast.learning.learning_layer import LearningLayer
from bgfast.learning.targets import Lesson
from bgfast.learning.training_run import Training
from bgfast.learning.training_settings import Settings
from bgfast.learning.training_state import STATE, load_lessons, load_training, save_training
from tests.support.patience import patient

TINY = Settings(hidden=32, opening=500, rounds=2, positions=300, anneal=1, seed=1, bearoff=False)


@pytest.fixture(autouse=True)
def shorten_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_run, "MIN_STEPS", 4)
    monkeypatch.setattr(training_run, "FIRST_PLIES", 130)
    monkeypatch.setattr(training_run, "STEPS_PER_YIELD", 6)
    monkeypatch.setattr(training_run, "TARGET_BATCH", 200)


def train(settings: Settings, begin: Network | None = None, threads: int = 1) -> Network:
    training = Training(settings, begin, threads=threads)
    fractions = list(training.train())
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert training.done
    return training.network


def run_until(phase: str, training: Training) -> Training:
    for _ in training.train():
        if training.phase == phase:
            return training
    return pytest.fail(f"there is no phase {phase}")


@pytest.fixture(scope="module")
def begin() -> Network:
    return Network.random(32, seed=2)


def test_results_do_not_depend_on_threads() -> None:
    network = train(TINY)
    assert network == train(TINY, threads=3)
    assert (len(network.weights.first_layers), network.hidden) == (2, (32,) * 5)
    assert network.about["training"] == TINY.to_json()
    # The run has three first rounds, an opening, two rounds and an anneal.
    assert network.about["round"] == 3 + 1 + 2 + 1


def test_heads_use_shared_or_separate_first_layers() -> None:
    for dense, shared, first_layers in (
        (32, True, [0, 0, 0, 0, 1]),
        (32, False, [*range(5)]),
        (0, True, [*range(5)]),
    ):
        network = Training(replace(TINY, dense=dense, shared=shared)).network
        assert [head.first_layer for head in network.weights.heads] == first_layers


@pytest.mark.slow
def test_results_do_not_depend_on_the_build() -> None:
    program = (
        "from bgfast.learning.training_run import Settings, Training\n"
        "settings = Settings(hidden=64, opening=300, rounds=1, positions=200, keep=200, anneal=0)\n"
        "training = Training(settings)\n"
        "print(*([0 for _ in training.train()] and [training.network]))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "BGFAST_CPU": build},
            capture_output=True,
            check=True,
            timeout=patient(60),
        ).stdout
        for build in ("portable", BUILD)
    ]
    assert outputs[0] == outputs[1] != b""


def test_training_resumes_after_each_portion(tmp_path: Path, begin: Network) -> None:
    small_settings = replace(TINY, opening=200, positions=150)
    for settings, begin_network in (
        (replace(small_settings, race_hidden=64), None),
        (replace(small_settings, dense=0, shared=False), begin),
    ):
        network = train(settings, begin_network)
        training = Training(settings, begin_network)
        folder = tmp_path / str(begin_network is None)
        stop_count = 0
        while not training.done:
            next(portions := training.train())
            portions.close()
            save_training(training, folder)
            stop_count += 1
            assert stop_count < 200
            training = load_training(folder, threads=1 + stop_count % 2)
        assert stop_count > 5
        assert training.network == network
        assert {**training.network.about, "seconds": 0} == {**network.about, "seconds": 0}
        # Files of old positions are deleted.
        assert len(list(folder.glob("positions-*"))) == 2


@pytest.mark.slow
def test_training_resumes_after_ctrl_c_at_the_end_of_a_phase(tmp_path: Path) -> None:
    """Python runs signal handlers at calls; the interruptions come where `steps` is read."""
    settings = replace(TINY, opening=200, rounds=1, positions=100, keep=100)
    network, interruption_count = train(settings), 0

    class InterruptingTraining(Training):
        @property
        def steps(self) -> int:
            nonlocal calls
            calls += sys._getframe(1).f_code.co_name in ("_play", "_compute_targets", "_end_round")
            if calls == interrupted_call:
                raise KeyboardInterrupt
            return super().steps

    for interrupted_call in range(1, 100):
        calls, training = 0, InterruptingTraining(settings)
        try:
            list(training.train())
        except KeyboardInterrupt:
            interruption_count += 1
        save_training(training, tmp_path / f"state{interrupted_call}")
        training = load_training(tmp_path / f"state{interrupted_call}")
        list(training.train())
        assert training.network == network
        assert {**training.network.about, "seconds": 0} == {**network.about, "seconds": 0}
        if interruption_count < interrupted_call:
            break
    assert interruption_count > 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["round", "anneal", "done"])
def test_rounds_can_be_added(kind: str, tmp_path: Path) -> None:
    longer_settings = replace(TINY, rounds=3)
    training = Training(TINY)
    for _ in training.train():
        if training.kind == kind and (kind == "round" or training.steps > training.pass_began):
            break
    training.add_rounds(3)
    save_training(training, tmp_path / "state")
    training = load_training(tmp_path / "state")
    assert training.share < 1
    list(training.train())
    assert (training.exact_rounds, training.kind, training.settings) == (3, "done", longer_settings)
    assert training.network.about["training"] == longer_settings.to_json()
    # Without an anneal in between, the network equals the network of a longer run.
    assert (training.network == train(longer_settings)) == (kind == "round")


def test_only_the_newest_positions_are_kept() -> None:
    training = Training(replace(TINY, opening=0, rounds=5, keep=500))
    list(training.train())
    assert list(training.lessons) == [3, 4]
    sizes = [len(lesson.boards) for lesson in training.lessons.values()]
    assert max(sizes) <= 300
    for boards, targets in training.lessons.values():
        assert len(np.unique(boards, axis=0)) == len(boards) == len(targets)
    assert training.positions == training.network.about["positions"] > 3 * sizes[0]


def test_targets_use_later_positions() -> None:
    """Targets agree with an explicit backward pass; alternatives get the same correction."""
    begin = Network.random(32, seed=9)
    settings = replace(TINY, positions=2000, trace=0.9)
    training = Training(settings, begin)
    games, start = training.games.copy(), settings.position.to_array()
    run_until("judge", training)
    all_boards, rows = training.new_lesson.boards.copy(), training.replaced_rows.copy()
    run_until("learn", training)
    _, visited, points, is_random = continue_games(
        begin, start, games, 0, -(-1000 // len(games)), 1, settings.noise, 1
    )
    results: dict[bytes, list[np.ndarray]] = {}
    corrections = []
    for game in range(len(games)):
        correction, game_corrections = np.zeros(5), []
        values, static_values = one_ply_targets(begin, visited[:, game].copy(), 1), begin(visited[:, game])
        for ply in range(len(visited))[::-1]:
            if points[ply, game] or is_random[ply, game]:
                correction[:] = 0
            win, gammon, backgammon, lost_gammon, lost_backgammon = correction
            correction = np.array([-win, lost_gammon, lost_backgammon, gammon, backgammon])
            if game * len(visited) + ply < 1000:
                game_corrections.append(0.9 * correction)
                results.setdefault(visited[ply, game].tobytes(), []).append(values[ply] + 0.9 * correction)
            correction = 0.9 * correction + values[ply] - static_values[ply]
            if game * len(visited) + ply >= 1000:
                correction[:] = 0
        corrections += game_corrections[::-1]
    assert len(corrections) == 1000 == len(all_boards) - len(rows)
    new_boards = all_boards[1000:]
    assert 500 < len(new_boards) <= 1000
    for board, target, row in zip(new_boards, one_ply_targets(begin, new_boards, 1), rows, strict=True):
        results.setdefault(board.tobytes(), []).append(target + corrections[row])
    boards, targets = training.lessons[0]
    assert len(boards) == len(results)
    expected = [np.mean(results[board.tobytes()], axis=0) for board in boards]
    assert targets == pytest.approx(np.array(expected), abs=1e-5)
    assert np.abs(targets - one_ply_targets(begin, boards, 1)).mean() > 0.01


def test_alternatives_are_reachable() -> None:
    """Each alternative is a successor of the position before the position that it replaces."""
    training = run_until("judge", Training(replace(TINY, positions=2000), Network.random(32, seed=9)))
    boards, rows = training.new_lesson.boards, training.replaced_rows
    position_count = len(training.cut)
    assert len(rows) > 300
    assert len(set(rows.tolist())) < len(rows)
    assert not training.cut[rows - 1].any()
    for board, row in zip(boards[position_count:][:200], rows, strict=False):
        plays = bgfast.successors(boards[row - 1][None], "all", flip=True).boards
        assert (plays == board).all(axis=1).any()


def constant_teacher(boards: np.ndarray) -> np.ndarray:
    return np.tile([0.5, 0.2, 0.01, 0.3, 0.02], (len(boards), 1))


def test_targets_are_the_mean_of_teachers() -> None:
    teacher = Network.random(32, seed=3)
    settings = replace(TINY, opening=0, teachers=("a", "b"))
    training = Training(settings, teachers=(teacher, constant_teacher))
    for _ in training.train():
        for boards, targets in training.lessons.values():
            assert len(boards) > 100
            assert targets == pytest.approx((teacher(boards) + constant_teacher(boards)) / 2, abs=1e-6)
    assert training.network.about["training"]["teachers"] == ["a", "b"]
    training = Training(settings, teachers=(teacher, bgfast.evaluators.PipCount()))
    with pytest.raises(BgfastError, match=r"^teacher PipCount.* returns equities; expected five probab"):
        list(training.train())


def test_a_state_names_its_teachers(tmp_path: Path) -> None:
    settings = replace(TINY, opening=0, teachers=("own", "other"))
    evaluators = {"own": Network.random(32, seed=3), "other": constant_teacher}
    complete_run = Training(settings, teachers=(*evaluators.values(),))
    list(complete_run.train())
    training = Training(settings, teachers=(*evaluators.values(),))
    while not training.done:
        next(portions := training.train())
        portions.close()
        save_training(training, tmp_path)
        training = load_training(tmp_path, load_evaluator=evaluators.__getitem__)
    assert training.network == complete_run.network
    with pytest.raises(BgfastError, match="has teachers; expected the argument load_evaluator"):
        load_training(tmp_path)


def test_the_trained_network_replaces_the_initial_network() -> None:
    """Once the trained network is nearer to the targets of a new round than `begin`, it replaces `begin`."""
    seed = 9
    begin = Network.random(32, seed=seed)
    training = Training(replace(TINY, rounds=4, noise=1.0, trace=0.0, positions=100 * seed), begin)
    rounds, evaluator = [], begin
    for _ in training.train():
        if training.phase == "learn" and training.kind == "round" and training.round not in rounds:
            rounds.append(training.round)
            boards, targets = training.lessons[training.round]
            assert np.array_equal(targets, one_ply_targets(evaluator, boards, 1))
            errors = [
                np.square(n.equities(boards) - equities(targets)).mean() for n in (training.network, begin)
            ]
            has_learnt = training.round > 0
            assert training.caught_up == (evaluator is not begin or (has_learnt and errors[0] <= errors[1]))
        if training.phase == "play":
            evaluator = training.network if training.caught_up else begin
    assert rounds == [0, 1, 2, 3]
    assert evaluator is not begin


def sorted_weights(network: Network) -> np.ndarray:
    """Return each row's weights in ascending order; new positions change only the order of units."""
    return np.sort(network.weights.first_layers[0].rows, axis=1)


@pytest.mark.slow
def test_the_network_averages_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    learn, anneal_weights = LearningLayer.learn, []

    def record_weights(layer: LearningLayer, *arguments: Any) -> float:
        if training.kind == "anneal" and layer is training.layers[0]:
            anneal_weights.append(layer.arrays["weights"].copy())
        return learn(layer, *arguments)

    monkeypatch.setattr(LearningLayer, "learn", record_weights)
    training = Training(replace(TINY, opening=200, positions=150))
    weights_by_kind: dict[str, list[np.ndarray]] = {"opening": [], "round": [], "anneal": []}
    round_number, kind = 0, training.kind
    weights = sorted_weights(training.network)
    for _ in training.train():
        if training.round > round_number:
            weights_by_kind[kind].append(training.layers[0].arrays["weights"].copy())
            if kind != "round":
                expected = weights_by_kind[kind][-1]
            else:
                # The weight of round t is C(t + 4, 5).
                count = len(weights_by_kind[kind])
                factors = [math.comb(t + 4, 5) / math.comb(count + 5, 6) for t in range(1, count + 1)]
                expected = np.einsum("i,ij->j", factors, weights_by_kind[kind])
            assert training.averages[0] == pytest.approx(expected, abs=1e-6)
            if kind == "round" and training.kind == "anneal":
                average = training.averages[0]
            weights = sorted_weights(training.network)
            round_number = training.round
        if training.phase == "learn":
            assert np.array_equal(sorted_weights(training.network), weights)
        kind = training.kind
    assert [*map(len, weights_by_kind.values())] == [4, 2, 1]
    assert np.array_equal(anneal_weights[0], average)
    assert not np.array_equal(average, weights_by_kind["round"][-1])


@pytest.mark.slow
def test_training_starts_from_a_network_of_the_same_shape() -> None:
    """Training starts from the weights of this network; the first round has no extra passes."""
    begin = train(replace(TINY, opening=3000, rounds=1))
    training = Training(replace(TINY, rounds=2, seed=2), begin)
    rows = begin.weights.first_layers[1].rows
    for _ in training.train():
        if training.round == 0:
            assert training.network == begin
            assert not training.caught_up
        assert training.passes < training_run.FIRST_PASSES
    assert np.abs(training.network.weights.first_layers[1].rows - rows).max() < 0.1


def equities(probabilities: np.ndarray) -> np.ndarray:
    return np.asarray(probabilities @ np.array([2, 1, 1, -1, -1], np.float32) - 1)


@pytest.mark.slow
def test_training_uses_lessons_of_another_run(tmp_path: Path, begin: Network) -> None:
    first_run = Training(replace(TINY, dense=0))
    for _ in first_run.train():
        save_training(first_run, tmp_path / "before")
    lessons = load_lessons(tmp_path / "before")
    assert [len(boards) for boards, _ in lessons] == [len(boards) for boards, _ in first_run.lessons.values()]
    training = Training(TINY, begin, lessons)
    lesson_indices = set()
    for _ in training.train():
        if training.phase == "learn":
            lesson_indices.add(tuple(training.lessons))
            save_training(training, tmp_path / "now")
            restored = load_training(tmp_path / "now")
            assert list(restored.lessons) == list(training.lessons)
            assert all(map(lessons_are_equal, restored.lessons.values(), training.lessons.values()))
    assert lesson_indices == {(-2, -1, 0), (-2, -1, 0, 1)}
    assert all(lessons_are_equal(training.lessons[index - 2], lesson) for index, lesson in enumerate(lessons))
    assert training.network != train(TINY, begin)
    (tmp_path / "before" / STATE).unlink()
    with pytest.raises(BgfastError, match=f"{STATE}: No such file"):
        load_lessons(tmp_path / "before")


def lessons_are_equal(first: Lesson, second: Lesson) -> bool:
    return all(map(np.array_equal, first, second))


def test_each_pass_has_a_random_order() -> None:
    training = Training(TINY, Network.random(32, seed=9))
    layers = np.zeros(600, np.int64)
    orders = []
    for training.round in (0, 1):
        orders += [
            np.concatenate([rows for _, rows in training._batches(layers, pass_number)])
            for pass_number in (0, 1)
        ]
    assert len({tuple(order.tolist()) for order in orders}) == 4
    assert all(sorted(order.tolist()) == list(range(600)) for order in orders)


@pytest.mark.slow
def test_training_improves() -> None:
    settings = replace(TINY, opening=60_000, rounds=1, positions=300, dense=0)
    network = train(settings)
    assert contest(network, bgfast.evaluators.Random(), games=400, seed=1).points_per_game > 1.5
    assert network.evaluate([Position.start().to_array()])[0, 0] == pytest.approx(0.52, abs=0.08)


@pytest.mark.slow
def test_training_ends_at_the_time_limit(monkeypatch: pytest.MonkeyPatch, begin: Network) -> None:
    clock = itertools.count()
    monkeypatch.setattr(training_run.time, "monotonic", lambda: float(next(clock)))
    rates: list[tuple[str, float]] = []
    learn = LearningLayer.learn

    def record_rate(layer: LearningLayer, *arguments: Any) -> float:
        rates.append((training.kind, arguments[3]))
        return learn(layer, *arguments)

    monkeypatch.setattr(LearningLayer, "learn", record_rate)
    for limit, begin_network in ((150.0, None), (200.0, begin)):
        rates.clear()
        training = Training(replace(TINY, time_limit=limit), begin_network)
        list(training.train())
        assert limit <= training.seconds < 1.1 * limit + 20
        kinds = [kind for kind, _ in rates]
        assert ("opening" in kinds) == (begin_network is None)
        assert kinds[-1] == "anneal"
        round_rates = [rate for kind, rate in rates if kind == "round"]
        assert 1.4e-3 < max(round_rates) <= 1.5e-3
        assert rates[-1][1] < 3e-5
        anneal_rates = [rate for kind, rate in rates if kind == "anneal"]
        assert 1e-3 < anneal_rates[0] <= 1.5e-3
        assert anneal_rates == sorted(anneal_rates, reverse=True)


INVALID_HEADER_VALUES: tuple[tuple[str, Any], ...] = (
    *(("steps", steps) for steps in ([], [1], [-1, 1], [10**400, 1], None)),
    ("positions", 10**400),
    ("ply", -1),
    ("seconds_before", float("nan")),
    ("seconds_before", 1e308),
)


def header_with_value(state: dict[str, Any], name: str, value: Any) -> np.ndarray:
    """Return a state's header with a changed value."""
    header = json.loads(bytes(state["head"]))
    (header if name in header else header["progress"])[name] = value
    return np.frombuffer(json.dumps(header).encode(), np.uint8)


def test_too_large_states_are_refused(tmp_path: Path) -> None:
    training = Training(TINY)
    next(training.train())
    save_training(training, tmp_path)
    path = tmp_path / STATE
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (10**7,)})
    for data in (header.getvalue() + bytes(4 * 10**7), header.getvalue()):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, member in {**members, "games.npy": data}.items():
                archive.writestr(name, member)
        tracemalloc.start()
        with pytest.raises(BgfastError, match=f"{STATE} is damaged; expected a file of bgfast train"):
            load_training(tmp_path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 10**7


def test_damaged_state_files_are_refused(tmp_path: Path) -> None:
    training = Training(TINY)
    for _ in training.train():
        if training.lessons and training.kind == "round" and training.phase == "learn":
            break
    save_training(training, tmp_path)
    state = tmp_path / STATE
    (positions,) = tmp_path.glob("positions-*")
    for file in (state, positions):
        original = file.read_bytes()
        message = f"^training .*: {file.name} is damaged; expected a file of bgfast train"
        truncated_data, changed_data = original[: len(original) // 2], original.replace(b"\x01", b"\x02")
        for data in (b"", b"notes", original[:-30], truncated_data, changed_data):
            file.write_bytes(data)
            with pytest.raises(BgfastError, match=message):
                load_training(tmp_path)
        file.unlink()
        with pytest.raises(BgfastError, match=f"{file.name}: No such file"):
            load_training(tmp_path)
        file.write_bytes(original)
    with np.load(state) as arrays:
        arrays_by_name = dict(arrays)

    def header_with(old: bytes, new: bytes) -> np.ndarray:
        return np.frombuffer(bytes(arrays_by_name["head"]).replace(old, new), np.uint8)

    for name, array in (
        ("games", arrays_by_name["games"][:, :25]),
        ("head", np.frombuffer(b"[]", np.uint8)),
        ("head", np.frombuffer(b"[" * 100_000, np.uint8)),
        *(("head", header_with_value(arrays_by_name, *change)) for change in INVALID_HEADER_VALUES),
        ("head", header_with(b'"phase": "learn"', b'"phase": "sleep"')),
        ("head", header_with(b'"round": ', b'"round": 0.')),
        ("head", header_with(b'"hidden": 32', b'"hidden": 64')),
        ("layer0_mean", arrays_by_name["layer0_mean"][:-1]),
        ("layer0_average", arrays_by_name["layer0_average"][:-1]),
        ("layer1_average", arrays_by_name["layer1_average"].astype(float)),
        ("targets", arrays_by_name["targets"].astype(float)),
        ("cut", arrays_by_name["cut"].astype(np.int8)),
        ("beside", arrays_by_name["beside"].astype(np.int32)),
        ("beside", arrays_by_name["beside"] - len(arrays_by_name["cut"])),
        ("beside", arrays_by_name["beside"] + len(arrays_by_name["cut"])),
    ):
        np.savez(state, **{**arrays_by_name, name: array})
        with pytest.raises(BgfastError, match="is damaged; expected a file of bgfast train"):
            load_training(tmp_path)
    np.savez(state, **{**arrays_by_name, "head": header_with(b'"format": 6', b'"format": 9')})
    with pytest.raises(BgfastError, match="has the format 9; expected 6"):
        load_training(tmp_path)
