"""Checkpoints know their evaluators: what goes on is what was begun, and who draws lots begins nothing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Network, Position
from bgfast.analysis.rollouts.identity import sample_boards
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.batch.successors import Successors
from bgfast.evaluators import Bearoff, Chain, Lookahead, PipCount, Random
from tests.support.journals import lines_of, rewrite

START = Position.start()
SETTINGS: dict[str, Any] = {"trials": 2, "truncate": 1, "quasi_random": False}
NETWORKS = [Network.random(32, seed) for seed in (1, 2)]


class Own:
    """Somebody's evaluator, with a parameter that nothing but its answers shows."""

    def __init__(self, value: float, until: int = 0) -> None:
        self.value, self.until = value, until

    def covers(self, boards: np.ndarray) -> np.ndarray:
        return bgfast.pip_counts(boards)[:, 0] < self.until

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        return np.full(len(boards), self.value)


class Bold(Lookahead):
    """One that looks ahead and then plays what comes last."""

    def chosen(self, found: Successors, checkers: int) -> np.ndarray:
        return found.offsets[1:] - 1


class Turned(Chain):
    """A chain that says the contrary."""

    def __call__(self, boards: np.ndarray) -> np.ndarray:
        return -super().__call__(boards)


class Named(Own):
    """One that says what it is, and is asked for nothing."""

    name = "named"

    def covers(self, boards: np.ndarray) -> np.ndarray:
        return np.zeros(len(boards), bool)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def begun(file: Path, evaluator: Any, **settings: Any) -> None:
    bgfast.rollout(START, evaluator, checkpoint=file, **{**SETTINGS, **settings})


def constant(value: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda boards: np.full(len(boards), value)


def probabilities(boards: np.ndarray) -> np.ndarray:
    return np.tile([0.5, 0.1, 0, 0.1, 0], (len(boards), 1))


@pytest.mark.parametrize(
    ("make", "others", "message"),
    [
        (lambda: Own(-0.01), [Own(0.01)], "returns -0.01 for a position, here it returns 0.01"),
        (
            lambda: constant(0.2),
            [constant(0.1), constant(0.2001)],
            "returns 0.2 for a position, here it returns ",
        ),
        (lambda: Chain(Own(0, 60), Own(1)), [Chain(Own(0.1, 60), Own(1))], "has a part 1 that returns 0 for"),
        (lambda: Chain(Own(0, 60), Own(1)), [Chain(Own(0, 60), Own(2))], "has a part 2 that returns 1 for"),
        (
            lambda: Chain(Own(0, 60), Own(1)),
            [Chain(Own(0, 90), Own(1))],
            "has a part 1 that covers other positions",
        ),
        (
            lambda: Chain(Own(0, 60), Own(1)),
            [Chain(Own(1))],
            "is a chain of 2 parts, here it is a chain of 1",
        ),
        (
            lambda: Chain(Bearoff(), NETWORKS[0]),
            [Chain(Bearoff(), NETWORKS[1])],
            "has a part 2 that is '<Network .*', here it is '<Network",
        ),
        (
            lambda: Chain(Bearoff(6), NETWORKS[0]),
            [Chain(Bearoff(7), NETWORKS[0])],
            r"has a part 1 that is 'Bearoff\(6\)', here it is 'Bearoff\(7\)'",
        ),
        (
            lambda: Lookahead(Chain(Own(0, 60), Own(1))),
            [Lookahead(Chain(Own(0, 60), Own(2)))],
            "searches with an evaluator that has a part 2 that returns 1 for a position, here it returns 2",
        ),
        (
            lambda: Lookahead(Own(0.1)),
            [Lookahead(Own(0.2))],
            "searches with an evaluator that returns 0.1 for",
        ),
        (lambda: Bold(PipCount()), [type("Bold", (Lookahead,), {})(PipCount())], "chooses other plays"),
        (
            lambda: Turned(Own(1)),
            [type("Turned", (Chain,), {})(Own(1))],
            "returns -1 for a position, here it",
        ),
        (
            lambda: Chain(Named(1), Own(1)),
            [Chain(Own(1, 60), Own(1))],
            "has a part 1 that is 'named', here it is 'Own'",
        ),
        (
            lambda: probabilities,
            [type("probabilities", (Own,), {})(0.0)],
            "returns shape .*5.*, here it returns shape .*1",
        ),
        (
            PipCount,
            [type("Named", (Own,), {"name": "PipCount()"})(0.0)],
            r"is 'PipCount\(\)' of bgfast, here it is 'PipCount\(\)'",
        ),
    ],
)
def test_another_evaluator_does_not_go_on(
    make: Callable[[], Any], others: list[Any], message: str, file: Path
) -> None:
    begun(file, make())
    begun(file, make())  # another object of the same kind goes on
    text = file.read_bytes()
    for other in others:
        with pytest.raises(
            BgfastError, match=f"^checkpoint {file} is that of another rollout: its evaluator {message}"
        ):
            begun(file, other)
    assert file.read_bytes() == text


@pytest.mark.parametrize("role", ["policy", "luck_evaluator"])
def test_each_role_is_known(role: str, file: Path) -> None:
    settings: dict[str, Any] = {"variance_reduction": True, role: Own(0.1)}
    begun(file, PipCount(), **settings)
    begun(file, PipCount(), **settings)
    with pytest.raises(BgfastError, match=f"its {role} returns 0.1 for a position, here it returns 0.2"):
        begun(file, PipCount(), **{**settings, role: Own(0.2)})


def test_the_last_digits_may_differ(file: Path) -> None:
    begun(file, Own(0.3))
    begun(file, Own(0.3 + 1e-6))
    with pytest.raises(BgfastError, match=r"returns 0\.3 for a position, here it returns 0\.3001"):
        begun(file, Own(0.3001))


def test_whoever_draws_lots_is_refused(file: Path) -> None:
    source = np.random.default_rng(0)
    with pytest.raises(BgfastError, match=r"evaluator <function .* for a board, and .* in another batch"):
        begun(file, lambda boards: source.normal(0, 0.1, len(boards)))
    # So is one whose answers depend on what stands beside a board.
    with pytest.raises(BgfastError, match="in another batch; expected reproducible evaluations"):
        begun(file, lambda boards: np.arange(len(boards)) / 100)
    # The dice of the core's own random player are those of the seed.
    begun(file, Random())


def test_one_that_is_never_asked_needs_a_name(file: Path) -> None:
    with pytest.raises(
        BgfastError,
        match="covers no sample position, so that no checkpoint can identify it; expected a unique",
    ):
        begun(file, Chain(Own(1, until=0), PipCount()))
    begun(file, Chain(Named(1), PipCount()))


def test_evaluators_of_the_core_are_not_asked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(file, NETWORKS[0])
    job = lines_of(file)[0]["job"]
    assert job["boards"] == []
    assert job["evaluators"] == {"evaluator": {"core": repr(NETWORKS[0])}}


def test_only_what_a_rollout_may_come_to_is_asked(file: Path) -> None:
    bearoff = Position.from_array([0, 0, 0, 0, 0, 2, 2] + [0] * 14 + [-2, -2, 0, 0, 0])
    for position, evaluator in ((bearoff, Bearoff()), (Position.hypergammon(), PipCount())):
        job = Rollout(position, evaluator).job
        boards = sample_boards(job)
        assert 10 < len(np.unique(boards, axis=0)) == len(boards) <= 128
        assert not bgfast.results(boards, checkers=position.checkers).any()
        assert np.array_equal(boards, sample_boards(job))
    # Positions with contact it would refuse.
    bgfast.rollout(bearoff, Bearoff(), trials=36, checkpoint=file)
    phases = {Position.from_array(board).phase for board in sample_boards(Rollout(START, PipCount()).job)}
    assert phases == {"contact", "race", "bearoff"}


def test_they_are_asked_where_they_play(file: Path) -> None:
    threads: set[str] = set()

    def own(boards: np.ndarray) -> np.ndarray:
        import threading

        threads.add(threading.current_thread().name)
        return np.zeros(len(boards))

    with ThreadPoolExecutor(1, "far") as executor:
        begun(file, own, executor=executor)
    assert threads == {"far_0"}


@pytest.mark.parametrize(
    ("boards", "why"),
    [
        ([[0] * 25 + [1]], "a game is over"),
        ([[0] * 25], "boards of shape"),
        ([[99] * 26], "expected"),
        ([["x"] * 26], "expected"),
        ("x", "expected"),
        ({"a": 1}, "expected"),
    ],
)
def test_boards_that_are_none_are_refused(file: Path, boards: Any, why: str) -> None:
    begun(file, Own(0.1))
    rewrite(file, lambda lines: lines[0]["job"].update(boards=boards))
    with pytest.raises(
        BgfastError, match=f"checkpoint {file}: boards of its header: .*{why}.*; left as it is"
    ):
        begun(file, Own(0.1))


@pytest.mark.parametrize(
    "evaluators", [None, [], {}, {"evaluator": 5}, {"evaluator": {"name": "Own", "answers": "x"}}]
)
def test_evaluators_that_are_none_are_others(file: Path, evaluators: Any) -> None:
    begun(file, Own(0.1))
    rewrite(file, lambda lines: lines[0]["job"].update(evaluators=evaluators))
    with pytest.raises(BgfastError, match=f"checkpoint {file} is that of another rollout: its evaluator "):
        begun(file, Own(0.1))
