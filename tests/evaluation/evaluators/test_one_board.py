"""Evaluators called with one position or board: they return the row of a batch of one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bgfast import Network, Position
from bgfast.evaluation.evaluators.evaluators import ForeignEvaluator
from bgfast.evaluators import Bearoff, Chain, Evaluator, Lookahead, PipCount, Pubeval, Random, WithBearoff

START = Position()
HOME = Position([0, 15] + [0] * 22 + [-15, 0])
NETWORK = Network.random(32, seed=1)


class ConstantEvaluator(ForeignEvaluator):
    def _evaluate(self, boards: Any) -> Any:
        return np.full(len(boards), 0.25)


EVALUATORS: list[tuple[Any, bool]] = [
    (NETWORK, True),
    (NETWORK.evaluate, True),
    (NETWORK.equities, False),
    (WithBearoff(NETWORK), True),
    (Lookahead(NETWORK), True),
    (Lookahead(NETWORK).equities, False),
    (Lookahead(PipCount()), False),
    (Chain(Bearoff(), NETWORK), True),
    (Chain(PipCount()), False),
    (Bearoff(), True),
    (Bearoff().probabilities, True),
    (ConstantEvaluator(), False),
    (PipCount(), False),
    (Pubeval(), False),
    (Random(), False),
]


@pytest.mark.parametrize(("evaluator", "has_probabilities"), EVALUATORS)
def test_one_board_has_one_row(evaluator: Evaluator, has_probabilities: bool) -> None:
    (row,) = batch = np.asarray(evaluator([HOME]))
    assert batch.shape == ((1, 5) if has_probabilities else (1,))
    board = HOME.to_array()
    for argument in (HOME, board, board.tolist(), tuple(board.tolist()), HOME.gnubg_id):
        result = evaluator(argument)  # type: ignore[arg-type]
        assert np.array_equal(result, row)
        assert type(result) is (np.ndarray if has_probabilities else float)
    for boards in (board[None], [board], [board.tolist()]):
        assert np.array_equal(evaluator(boards), batch)  # type: ignore[arg-type]
    assert np.array_equal(evaluator([HOME, HOME]), np.stack([row, row]))  # type: ignore[arg-type]


def test_one_board_is_evaluated_into_an_array() -> None:
    out = np.empty((1, 5), np.float32)
    assert np.shares_memory(NETWORK.evaluate(START, out=out), out)
    assert np.array_equal(out[0], NETWORK.evaluate(START))


def test_positions_boards_and_text_have_the_same_best_plays() -> None:
    expected = NETWORK.best_plays(START, (3, 1))
    assert NETWORK.best_plays("start", "31") == expected
    assert NETWORK.best_plays(START.to_array(), "1-3") == expected
    assert Lookahead(NETWORK).evaluation("start") == Lookahead(NETWORK).evaluation(START)
    assert NETWORK.best_successors(START, "31").equities == NETWORK.best_successors([START], (3, 1)).equities
