"""Static types of rollouts, perft and evaluators; type checkers read this file, which is never run."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import bgfast
from bgfast import Position
from bgfast.evaluators import (
    Bearoff,
    Bgsage,
    Chain,
    Evaluator,
    GnubgNN,
    Hypergammon,
    Lookahead,
    Onnx,
    PipCount,
    Pubeval,
    Random,
    RankedPlay,
    RankedPlays,
    WithBearoff,
)
from bgfast.rollouts import RolloutResult

start = Position.start()
network = bgfast.Network.load("file")
bgfast.rollout(start, evaluator=network)
assert_type(network.best_plays(start, (3, 1), ply=2, candidates=(8, 3)), RankedPlays)
assert_type(network.best_plays(start, (3, 1))[0], RankedPlay)
assert_type(network.best_plays(start, (3, 1))[0].probabilities, tuple[float, ...] | None)
assert_type(network.best_plays(start.to_array(), "31"), RankedPlays)
Floats = npt.NDArray[np.float64]


def zeros(boards: np.ndarray) -> np.ndarray:
    return np.zeros(len(boards))


def rows(boards: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    return np.zeros((len(boards), 5), np.float32)


def zero_list(boards: npt.NDArray[np.int8]) -> list[float]:
    return [0.0] * len(boards)


class PipCounter:
    def __call__(self, boards: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        return bgfast.pip_counts(boards)[:, 1]

    def covers(self, boards: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        return np.ones(len(boards), bool)


def multiply_by_dice(boards: npt.NDArray[np.int8], dice: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
    return boards[:, 0] * dice[:, 0]


def return_none(boards: npt.NDArray[np.int8]) -> None:
    """Return None, which is not valid for an evaluator."""


def parse_float(board: str) -> float:
    return float(board)


def show(fraction: float) -> None:
    print(fraction)


def evaluators(evaluator: bgfast.evaluators.Evaluator) -> None:
    boards = start.to_array()[None]
    assert_type(evaluator(boards), npt.ArrayLike)
    functions: list[Evaluator] = [zeros, rows, zero_list, PipCounter(), lambda boards: boards[:, 0]]
    built_in: list[Evaluator] = [Random(), PipCount(), Pubeval(), Bearoff(6, progress=show), GnubgNN()]
    chain = Chain(Bearoff(), Hypergammon("solved.bghyper"), *functions, *built_in, Bgsage())
    assert_type((chain(boards), PipCount()(boards), Pubeval()(boards)), tuple[Floats, Floats, Floats])
    assert_type((Random()(boards), GnubgNN()(boards), Bearoff()(boards)), tuple[Floats, Floats, Floats])
    assert_type(Bearoff().doubling_equities(boards, [(0.7, 0.3), (1, 0)]), Floats)
    assert_type(Onnx("model.onnx", bgfast.encode_tdgammon)(boards), Floats)
    with_bearoff = WithBearoff(network, Bearoff(7))
    assert_type(with_bearoff(boards), Floats)
    Lookahead(with_bearoff)
    WithBearoff(PipCount())  # type: ignore[arg-type]
    lookahead = Lookahead(zeros, ply=2, threshold=0.1, rules="exact")
    assert_type((lookahead(boards), lookahead.equities(boards)), tuple[Floats, Floats])
    assert_type(lookahead.evaluation(start).equity, float)
    assert_type(lookahead.evaluation(start).probabilities, tuple[float, ...] | None)
    Chain(lookahead)
    bgfast.rollout(start, evaluator=network, policy=lookahead)
    Lookahead(multiply_by_dice)  # type: ignore[arg-type]
    Lookahead(zeros, ply="1")  # type: ignore[arg-type]
    Onnx(b"", bgfast.encode_onehot, probabilities=True)
    Onnx(Path("model.onnx"), PipCounter())

    Chain(1)  # type: ignore[arg-type]
    Chain(return_none)  # type: ignore[arg-type]
    Onnx("model.onnx", multiply_by_dice)  # type: ignore[arg-type]
    Onnx("model.onnx", "tdgammon")  # type: ignore[arg-type]


def rollouts() -> None:
    result = bgfast.rollout(start, evaluator=Pubeval(), rules="exact", trials=36, seed=1)
    assert_type((result, RolloutResult.from_json("")), tuple[RolloutResult, RolloutResult])
    assert_type(result.probabilities, tuple[float, ...] | None)
    plays = start.plays((3, 1))
    bgfast.rollout(plays, evaluator=zeros, policy=rows, luck_evaluator=PipCounter(), variance_reduction=True)
    bgfast.rollout(plays[0], evaluator=zero_list, truncate=10, progress=show, checkpoint=Path("kept"))
    bgfast.rollout(
        plays[:5], evaluator=lambda boards: boards[:, 0], progress=lambda fraction: None, checkpoint="kept"
    )
    bgfast.rollout([start, plays[0]], evaluator=Pubeval(), stop={"standard_error": 0.01, "seconds": 60})
    with ThreadPoolExecutor() as threads, ProcessPoolExecutor() as processes:
        bgfast.rollout(start, evaluator=rows, executor=threads)
        bgfast.rollout(start, evaluator=rows, executor=processes, threads=2)

    try:
        bgfast.rollout(start, evaluator=rows, executor=ProcessPoolExecutor())
    except bgfast.errors.RolloutError as error:
        assert_type(error.result, Any)

    bgfast.rollout(start)
    bgfast.rollout(start, "31", trials=36)
    bgfast.rollout(3)  # type: ignore[arg-type]
    bgfast.rollout("start", evaluator=Pubeval())
    bgfast.rollout([start, "nackgammon", plays[0]], evaluator=Pubeval())
    bgfast.rollout(start, evaluator=Pubeval)  # type: ignore[arg-type]
    bgfast.rollout(start, evaluator=multiply_by_dice)  # type: ignore[arg-type]
    bgfast.rollout(start, evaluator=return_none)  # type: ignore[arg-type]
    bgfast.rollout(start, evaluator=parse_float)  # type: ignore[arg-type]
    bgfast.rollout(start, evaluator=zeros, policy="pubeval")
    bgfast.rollout(start, evaluator=zeros, executor=2)  # type: ignore[arg-type]
    bgfast.rollout(start, evaluator=zeros, progress=parse_float)  # type: ignore[arg-type]
    bgfast.rollout(start, evaluator=zeros, stop={"minutes": 1})  # type: ignore[dict-item]
    bgfast.rollout(start, evaluator=zeros, stop={"seconds": "60"})  # type: ignore[dict-item]


def perft() -> None:
    assert_type(bgfast.perft(start, 2, rules="rear_first", threads=2, progress=show, checkpoint="kept"), int)

    bgfast.perft(start, 2.0)  # type: ignore[arg-type]
    bgfast.perft(start, 2, progress=parse_float)  # type: ignore[arg-type]
    bgfast.perft("start", 2)
