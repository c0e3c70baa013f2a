"""Encoders compared with slow implementations of their definitions."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from bgfast import ONEHOT_INPUTS, TDGAMMON_INPUTS, Position, encode_onehot, encode_tdgammon, flip
from tests.support.positions import START, random_board

RNG = random.Random("encoders")
BOARDS = np.array([random_board(RNG) for _ in range(700)], np.int8)
SIDES = np.array([RNG.randint(0, 1) for _ in BOARDS])
WON = [0, -3, -2] + [0] * 23
LOST = [0] * 23 + [5, 10, 0]
HYPER = [
    Position.hypergammon().to_array().tolist(),
    [-1] + [0] * 23 + [-1, 2],
    [0, 1] + [0] * 20 + [-3, 0, 0, 0],
]


def slow_tdgammon(board: list[int], side: int = 0, checkers: int = 15) -> list[float]:
    """Return the inputs of a board: the mover's come first, and points are numbered from the mover's side."""
    mover = [max(count, 0) for count in board]
    opponent = [max(-count, 0) for count in board]
    inputs: list[float] = []
    for counts in (mover, opponent):
        for n in counts[1:25]:
            inputs += [float(n >= 1), float(n >= 2), float(n >= 3), (n - 3) / 2 if n > 3 else 0.0]
    inputs += [mover[25] / 2, opponent[0] / 2]
    inputs += [(checkers - sum(mover)) / checkers, (checkers - sum(opponent)) / checkers]
    return inputs + [[1.0, 0.0], [0.0, 1.0]][side]


def slow_onehot(board: list[int], checkers: int = 15) -> list[int]:
    return [int(count == value) for count in board for value in range(-checkers, checkers + 1)]


SLOW = {encode_tdgammon: slow_tdgammon, encode_onehot: slow_onehot}
Encoder = Callable[..., np.ndarray]
ENCODERS = pytest.mark.parametrize("encode", SLOW)


def slow_inputs(encode: Encoder, boards: np.ndarray, **options: Any) -> np.ndarray:
    return np.array([SLOW[encode](board, **options) for board in np.asarray(boards).tolist()], np.float32)


@cache
def all_inputs(encode: Encoder) -> np.ndarray:
    return tile_rows(slow_inputs(encode, BOARDS))


def tile_rows(rows: np.ndarray) -> np.ndarray:
    """Return enough rows for several threads."""
    return np.tile(rows, (6, 1))


# ---- against the definition ----


@ENCODERS
def test_inputs_equal_the_definition(encode: Encoder) -> None:
    for boards, inputs in (
        (BOARDS, all_inputs(encode)),
        (flip(BOARDS), tile_rows(slow_inputs(encode, flip(BOARDS)))),
    ):
        for threads in (1, 2, 3):
            actual = encode(tile_rows(boards), threads=threads)
            assert actual.dtype == np.float32
            assert np.array_equal(actual, inputs)
            assert not np.signbit(actual).any()


def test_inputs_of_the_starting_position_equal_values_written_by_hand() -> None:
    assert (TDGAMMON_INPUTS, ONEHOT_INPUTS) == (198, 806)
    none, two, three, five = [0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]
    mover = [none] * 5 + [five, none, three] + [none] * 4 + [five] + [none] * 10 + [two]
    opponent = [two] + [none] * 10 + [five] + [none] * 4 + [three, none, five] + [none] * 5
    inputs = [unit for units in mover + opponent for unit in units] + [0, 0, 0, 0, 1, 0]
    assert encode_tdgammon([START]).tolist() == [inputs]
    # An empty index sets the middle one of its 31 inputs.
    middle = {i: 31 * i + 15 for i in range(26)}
    indices = {1: 44, 6: 206, 8: 266, 12: 382, 13: 423, 17: 539, 19: 599, 24: 761}
    assert np.flatnonzero(encode_onehot([START])[0]).tolist() == list((middle | indices).values())


@ENCODERS
@pytest.mark.parametrize("checkers", [1, 3, 15])
def test_every_count_at_every_index_is_encoded(encode: Encoder, checkers: int) -> None:
    boards = np.zeros((26, 2 * checkers + 1, 26), np.int8)
    for i in range(26):
        boards[i, :, i] = np.arange(-checkers, checkers + 1)
    # Neither side is on the other's bar, and at least one side has a checker.
    boards = np.array(
        [board for board in boards.reshape(-1, 26) if board[0] <= 0 <= board[25] and board.any()]
    )
    assert np.array_equal(encode(boards, checkers=checkers), slow_inputs(encode, boards, checkers=checkers))


def test_sides_affect_only_the_last_two_inputs() -> None:
    default_inputs = encode_tdgammon(BOARDS)
    assert (default_inputs[:, 196:] == [1, 0]).all()
    for side in (SIDES, SIDES.tolist(), SIDES.astype(np.int8), SIDES.astype(np.float64), SIDES[::-1][::-1]):
        inputs = encode_tdgammon(BOARDS, side=side)
        assert np.array_equal(inputs[:, :196], default_inputs[:, :196])
        assert np.array_equal(inputs[:, 196:], np.eye(2)[SIDES])
        tiled_inputs = encode_tdgammon(tile_rows(BOARDS), side=np.tile(side, 6), threads=2)
        assert np.array_equal(tiled_inputs, tile_rows(inputs))
    assert np.array_equal(encode_tdgammon(BOARDS, side=0), default_inputs)
    assert (encode_tdgammon(BOARDS, side=1)[:, 196:] == [0, 1]).all()
    assert encode_tdgammon([START], side=[1])[0].tolist() == slow_tdgammon(list(START), side=1)


@ENCODERS
def test_finished_positions_and_hypergammon_are_encoded(encode: Encoder) -> None:
    assert np.array_equal(encode([WON, LOST]), slow_inputs(encode, [WON, LOST]))
    assert np.array_equal(encode(HYPER, checkers=3), slow_inputs(encode, HYPER, checkers=3))


# ---- memory ----


@pytest.mark.parametrize(
    ("encode", "dtype"),
    [(encode_tdgammon, np.float32), (encode_onehot, np.float32), (encode_onehot, np.int8)],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_is_written_beyond_the_output(encode: Encoder, dtype: type, threads: int) -> None:
    columns = all_inputs(encode).shape[1]
    for count in (0, 1, 2, 700, 2047, 2048, 4199):
        memory = np.full((count + 2) * columns, 77, dtype)
        out = memory[columns : (count + 1) * columns].reshape(count, columns)
        assert encode(tile_rows(BOARDS)[:count], out=out, threads=threads) is out
        assert np.array_equal(out, all_inputs(encode)[:count])
        assert (memory[:columns] == 77).all()
        assert (memory[-columns:] == 77).all()


def test_onehot_inputs_have_the_requested_dtype() -> None:
    expected_inputs = slow_inputs(encode_onehot, BOARDS)
    for dtype in (np.int8, "int8", np.dtype(np.int8), np.float32, "float32", None):
        inputs = encode_onehot(BOARDS, dtype=dtype)
        assert inputs.dtype == (dtype or np.float32)
        assert np.array_equal(inputs, expected_inputs)
    for dtype in (None, np.int8):
        output = np.full((len(BOARDS), 806), 77, np.int8)
        assert encode_onehot(BOARDS, dtype=dtype, out=output) is output
        assert np.array_equal(output, expected_inputs)
