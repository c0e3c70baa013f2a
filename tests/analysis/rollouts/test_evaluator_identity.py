"""Fingerprints of evaluators in checkpoints."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Network, Position
from bgfast.analysis.rollouts.checkpoint import sample_boards
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.batch.successors import Successors
from bgfast.evaluators import Bearoff, Chain, Lookahead, PipCount, Random
from tests.support.journals import lines_of, rewrite

START = Position.start()
SETTINGS: dict[str, Any] = {"trials": 2, "truncate": 1, "quasi_random": False, "cubeless": True}
NETWORKS = [Network.random(32, seed) for seed in (1, 2)]


class ConstantEvaluator:
    """External evaluator that returns a constant; its parameters show only in its results."""

    def __init__(self, value: float, pip_limit: int = 0) -> None:
        self.value, self.pip_limit = value, pip_limit

    def covers(self, boards: np.ndarray) -> np.ndarray:
        return bgfast.pip_counts(boards)[:, 0] < self.pip_limit

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        return np.full(len(boards), self.value)


class LastPlaySearch(Lookahead):
    """Search that chooses the last play."""

    def _choose_rows(self, plays: Successors, checkers: int) -> np.ndarray:
        return plays.offsets[1:] - 1


class NegatedChain(Chain):
    """Chain that negates its evaluations."""

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        return -super().__call__(boards)


class NamedEvaluator(ConstantEvaluator):
    """Named evaluator that covers no position."""

    name = "named"

    def covers(self, boards: np.ndarray) -> np.ndarray:
        return np.zeros(len(boards), bool)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint"


def begin_checkpoint(file: Path, evaluator: Any, **settings: Any) -> None:
    bgfast.rollout(START, evaluator=evaluator, checkpoint=file, **{**SETTINGS, **settings})


def constant(value: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda boards: np.full(len(boards), value)


def constant_probabilities(boards: np.ndarray) -> np.ndarray:
    return np.tile([0.5, 0.1, 0, 0.1, 0], (len(boards), 1))


def make_chain(first: float, second: float, pip_limit: int = 60) -> Chain:
    """Return a chain whose first part covers positions of fewer than `pip_limit` pips."""
    return Chain(ConstantEvaluator(first, pip_limit), ConstantEvaluator(second))


def make_class(name: str, base: type, /, **members: Any) -> Any:
    return type(name, (base,), members)


RETURNS = "returns {} for a position, here it returns "
EVALUATOR_PAIRS: list[tuple[Callable[[], Any], Any, str]] = [
    (lambda: constant(-0.01), constant(0.01), RETURNS.format(-0.01) + "0.01"),
    (lambda: constant(0.2), constant(0.1), RETURNS.format(0.2)),
    (lambda: constant(0.2), constant(0.2001), RETURNS.format(0.2)),
    (lambda: make_chain(0, 1), make_chain(0.1, 1), "has a part 1 that returns 0 for"),
    (lambda: make_chain(0, 1), make_chain(0, 2), "has a part 2 that returns 1 for"),
    (lambda: make_chain(0, 1), make_chain(0, 1, pip_limit=90), "has a part 1 that covers other positions"),
    (lambda: make_chain(0, 1), Chain(ConstantEvaluator(1)), "is a chain of 2 parts, here it is a chain of 1"),
    (
        lambda: Chain(Bearoff(), NETWORKS[0]),
        Chain(Bearoff(), NETWORKS[1]),
        "has a part 2 that is '<Network .*', here it is '<Network",
    ),
    (
        lambda: Chain(Bearoff(6), NETWORKS[0]),
        Chain(Bearoff(7), NETWORKS[0]),
        r"has a part 1 that is 'Bearoff\(6\)', here it is 'Bearoff\(7\)'",
    ),
    (
        lambda: Lookahead(make_chain(0, 1)),
        Lookahead(make_chain(0, 2)),
        "searches with an evaluator that has a part 2 that " + RETURNS.format(1) + "2",
    ),
    (
        lambda: LastPlaySearch(PipCount()),
        make_class("LastPlaySearch", Lookahead)(PipCount()),
        "chooses other plays",
    ),
    (
        lambda: NegatedChain(ConstantEvaluator(1)),
        make_class("NegatedChain", Chain)(ConstantEvaluator(1)),
        RETURNS.format(-1),
    ),
    (
        lambda: Chain(NamedEvaluator(1), ConstantEvaluator(1)),
        make_chain(1, 1),
        "has a part 1 that is 'named', here it is 'ConstantEvaluator'",
    ),
    (
        lambda: constant_probabilities,
        make_class("constant_probabilities", ConstantEvaluator)(0.0),
        "returns shape .*5.*, here it returns shape .*1",
    ),
    (
        PipCount,
        make_class("NamedEvaluator", ConstantEvaluator, name="PipCount()")(0.0),
        r"is 'PipCount\(\)' of bgfast, here it is 'PipCount\(\)'",
    ),
]


def test_checkpoint_of_another_evaluator_is_refused(tmp_path: Path) -> None:
    for index, (make_evaluator, other_evaluator, message) in enumerate(EVALUATOR_PAIRS):
        file = tmp_path / str(index)
        begin_checkpoint(file, make_evaluator())
        begin_checkpoint(file, make_evaluator())  # an equal evaluator resumes the rollout
        content = file.read_bytes()
        refusal = f"^checkpoint {file} belongs to another rollout: its evaluator {message}"
        with pytest.raises(BgfastError, match=refusal):
            begin_checkpoint(file, other_evaluator)
        assert file.read_bytes() == content


@pytest.mark.parametrize("role", ["policy", "luck_evaluator"])
def test_fingerprints_of_every_role_have_a_tolerance(role: str, file: Path) -> None:
    settings: dict[str, Any] = {"variance_reduction": True, role: ConstantEvaluator(0.3)}
    begin_checkpoint(file, PipCount(), **settings)
    begin_checkpoint(file, PipCount(), **{**settings, role: ConstantEvaluator(0.3 + 1e-6)})
    with pytest.raises(BgfastError, match=rf"its {role} returns 0\.3 for .*, here it returns 0\.3001"):
        begin_checkpoint(file, PipCount(), **{**settings, role: ConstantEvaluator(0.3001)})


def test_irreproducible_evaluators_are_refused(file: Path) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(BgfastError, match=r"evaluator <function .* for a board, and .* in another batch"):
        begin_checkpoint(file, lambda boards: rng.normal(0, 0.1, len(boards)))
    # The result of an evaluator may not depend on the rest of the batch.
    with pytest.raises(BgfastError, match="in another batch; expected reproducible evaluations"):
        begin_checkpoint(file, lambda boards: np.arange(len(boards)) / 100)
    # The built-in random player uses the seed.
    begin_checkpoint(file, Random())


def test_an_evaluator_that_covers_no_sample_needs_a_name(file: Path) -> None:
    with pytest.raises(
        BgfastError, match="covers no sample position to identify it in a checkpoint; expected a unique"
    ):
        begin_checkpoint(file, Chain(ConstantEvaluator(1, pip_limit=0), PipCount()))
    begin_checkpoint(file, Chain(NamedEvaluator(1), PipCount()))


def test_built_in_evaluators_are_not_sampled(file: Path) -> None:
    begin_checkpoint(file, NETWORKS[0])
    job = lines_of(file)[0]["job"]
    assert job["boards"] == []
    assert job["evaluators"] == {"evaluator": {"core": repr(NETWORKS[0])}}


def test_samples_are_reachable_positions(file: Path) -> None:
    bearoff = Position.from_array([0, 0, 0, 0, 0, 2, 2] + [0] * 14 + [-2, -2, 0, 0, 0])
    for position, evaluator in ((bearoff, Bearoff()), (Position.hypergammon(), PipCount())):
        job = Rollout(position, evaluator).job
        boards = sample_boards(job)
        assert 10 < len(np.unique(boards, axis=0)) == len(boards) <= 128
        assert not bgfast.results(boards, checkers=position.checkers).any()
        assert np.array_equal(boards, sample_boards(job))
    # The evaluator would reject positions with contact.
    bgfast.rollout(bearoff, evaluator=Bearoff(), trials=36, checkpoint=file)
    phases = {Position.from_array(board).phase for board in sample_boards(Rollout(START, PipCount()).job)}
    assert phases == {"contact", "race", "bearoff"}


def test_evaluators_are_sampled_in_the_executor(file: Path) -> None:
    threads: set[str] = set()

    def recorder(boards: np.ndarray) -> np.ndarray:
        threads.add(threading.current_thread().name)
        return np.zeros(len(boards))

    with ThreadPoolExecutor(1, "worker") as executor:
        begin_checkpoint(file, recorder, executor=executor)
        bgfast.rollout(START, evaluator=recorder, trials=2, executor=executor)  # probes the evaluator
    assert threads == {"worker_0"}


def test_invalid_headers_are_refused(file: Path) -> None:
    begin_checkpoint(file, ConstantEvaluator(0.1))
    content = file.read_bytes()
    for boards, reason in (
        ([[0] * 25 + [1]], "a game is over"),
        ([[0] * 25], "boards of shape"),
        ([[99] * 26], "expected"),
        ([["x"] * 26], "expected"),
        ("x", "expected"),
        ({"a": 1}, "expected"),
    ):
        rewrite(file, lambda lines, boards=boards: lines[0]["job"].update(boards=boards))
        with pytest.raises(BgfastError, match=f"{file}: boards of its header: .*{reason}.*; left as it is"):
            begin_checkpoint(file, ConstantEvaluator(0.1))
    answers = {"evaluator": {"name": "ConstantEvaluator", "answers": "x"}}
    for evaluators in (None, [], {}, {"evaluator": 5}, answers):
        file.write_bytes(content)
        rewrite(file, lambda lines, evaluators=evaluators: lines[0]["job"].update(evaluators=evaluators))
        with pytest.raises(
            BgfastError, match=f"checkpoint {file} belongs to another rollout: its evaluator "
        ):
            begin_checkpoint(file, ConstantEvaluator(0.1))
