"""Encoders against a slow implementation of the published definition, index by index."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from bgfast import (
    ONEHOT_INPUTS,
    TDGAMMON_INPUTS,
    BgfastError,
    InvalidPositionError,
    Position,
    encode_onehot,
    encode_tdgammon,
    flip,
)
from tests.support.positions import START, random_board

RNG = random.Random("encoders")
BOARDS = np.array([random_board(RNG) for _ in range(700)], np.int8)
SIDES = np.array([RNG.randint(0, 1) for _ in BOARDS])
WON = [0, -3, -2] + [0] * 23
LOST = [0] * 23 + [5, 10, 0]
HYPER = Position.hypergammon().to_array().tolist()
ENCODERS = [encode_tdgammon, encode_onehot]


def slow_tdgammon(board: list[int], side: int = 0, checkers: int = 15) -> list[float]:
    """Return the inputs of a board, the mover's first; points from the mover's side."""
    mover = [max(number, 0) for number in board]
    opponent = [max(-number, 0) for number in board]
    inputs: list[float] = []
    for counts in (mover, opponent):
        for n in counts[1:25]:
            inputs += [float(n >= 1), float(n >= 2), float(n >= 3), (n - 3) / 2 if n > 3 else 0.0]
    inputs += [mover[25] / 2, opponent[0] / 2]
    inputs += [(checkers - sum(mover)) / checkers, (checkers - sum(opponent)) / checkers]
    return inputs + [[1.0, 0.0], [0.0, 1.0]][side]


def slow_onehot(board: list[int], checkers: int = 15) -> list[int]:
    return [int(number == value) for number in board for value in range(-checkers, checkers + 1)]


def expected(encode, boards: np.ndarray) -> np.ndarray:
    slow = slow_tdgammon if encode is encode_tdgammon else slow_onehot
    return np.array([slow(board) for board in boards.tolist()], np.float32)


@cache
def expected_of_all(encode) -> np.ndarray:
    return many(expected(encode, BOARDS))


def many(rows: np.ndarray) -> np.ndarray:
    """Return enough rows for several threads."""
    return np.tile(rows, (20, 1))


def width(encode) -> int:
    return TDGAMMON_INPUTS if encode is encode_tdgammon else ONEHOT_INPUTS


# ---- against the definition ----


@pytest.mark.parametrize("encode", ENCODERS)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_random_positions_and_those_of_the_other_side(encode, threads: int) -> None:
    for boards in (BOARDS, flip(BOARDS)):
        inputs = encode(many(boards), threads=threads)
        assert inputs.dtype == np.float32
        assert inputs.shape == (20 * len(boards), width(encode))
        assert np.array_equal(inputs, many(expected(encode, boards)))
        assert not np.signbit(inputs).any()


def test_sizes() -> None:
    assert (TDGAMMON_INPUTS, ONEHOT_INPUTS) == (198, 806)


def test_tdgammon_of_the_start() -> None:
    none, two, three, five = [0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]
    mover = [none] * 5 + [five, none, three] + [none] * 4 + [five] + [none] * 10 + [two]
    opponent = [two] + [none] * 10 + [five] + [none] * 4 + [three, none, five] + [none] * 5
    assert len(mover) == len(opponent) == 24
    inputs = [unit for units in mover + opponent for unit in units] + [0, 0, 0, 0, 1, 0]
    assert encode_tdgammon([START]).tolist() == [inputs]


def test_onehot_of_the_start() -> None:
    ones = np.flatnonzero(encode_onehot([START])[0]).tolist()
    # The input of an empty index is the middle one of 31.
    middle = {i: 31 * i + 15 for i in range(26)}
    indices = {1: 44, 6: 206, 8: 266, 12: 382, 13: 423, 17: 539, 19: 599, 24: 761}
    assert ones == list((middle | indices).values())


@pytest.mark.parametrize("n", range(1, 16))
def test_tdgammon_index_by_index(n: int) -> None:
    units = [1, int(n >= 2), int(n >= 3), (n - 3) / 2 if n > 3 else 0]
    rest = {195: 14 / 15, 196: 1}
    for p in range(1, 25):
        for own in (True, False):
            board = np.zeros(26, np.int8)
            board[p] = n if own else -n
            # A checker of the other side on its bar makes the position valid.
            board[0 if own else 25] = -1 if own else 1
            first = 4 * (p - 1) + (0 if own else 96)
            expected_inputs = dict(zip(range(first, first + 4), units, strict=True)) | {196: 1}
            if own:
                expected_inputs |= rest | {193: 0.5, 194: (15 - n) / 15}
            else:
                expected_inputs |= {192: 0.5, 194: 14 / 15, 195: (15 - n) / 15}
            row = encode_tdgammon([board])[0]
            assert {int(i): row[i] for i in np.flatnonzero(row)} == {
                i: np.float32(value) for i, value in expected_inputs.items() if value
            }
    bars = encode_tdgammon([[-1] + [0] * 24 + [n], [-n] + [0] * 24 + [1]])
    assert bars[:, [192, 193]].tolist() == [[n / 2, 0.5], [0.5, n / 2]]
    assert not bars[:, :192].any()


@pytest.mark.parametrize("checkers", [1, 3, 15])
def test_onehot_index_by_index(checkers: int) -> None:
    for i in range(26):
        for value in range(-checkers, checkers + 1):
            if (i == 0 and value > 0) or (i == 25 and value < 0):
                continue
            board = np.zeros(26, np.int8)
            board[i] = value
            if value == 0:  # somebody must have a checker
                board[1 if i != 1 else 2] = 1
            row = encode_onehot([board], checkers=checkers)[0]
            assert row.shape == (26 * (2 * checkers + 1),)
            assert row[(2 * checkers + 1) * i + checkers + value] == 1
            assert row.sum() == 26


def test_sides_affect_only_the_last_two_inputs() -> None:
    plain = encode_tdgammon(BOARDS)
    assert (plain[:, 196:] == [1, 0]).all()
    for side in (SIDES, SIDES.tolist(), SIDES.astype(np.int8), SIDES.astype(np.float64), SIDES[::-1][::-1]):
        inputs = encode_tdgammon(BOARDS, side=side)
        assert np.array_equal(inputs[:, :196], plain[:, :196])
        assert np.array_equal(inputs[:, 196], SIDES == 0)
        assert np.array_equal(inputs[:, 197], SIDES == 1)
        shared = encode_tdgammon(many(BOARDS), side=np.tile(side, 20), threads=2)
        assert np.array_equal(shared, many(inputs))
    assert np.array_equal(encode_tdgammon(BOARDS, side=0), plain)
    assert (encode_tdgammon(BOARDS, side=1)[:, 196:] == [0, 1]).all()
    assert encode_tdgammon([START], side=[1])[0].tolist() == slow_tdgammon(list(START), side=1)


def test_finished_positions() -> None:
    inputs = encode_tdgammon([WON, LOST])
    assert inputs[:, 194:196].tolist() == [[1, np.float32(10 / 15)], [0, 1]]
    assert inputs.tolist() == np.array([slow_tdgammon(WON), slow_tdgammon(LOST)], np.float32).tolist()
    assert encode_onehot([WON, LOST]).tolist() == [slow_onehot(WON), slow_onehot(LOST)]


def test_hypergammon() -> None:
    boards = [HYPER, [-1] + [0] * 23 + [-1, 2], [0] * 5 + [1] + [0] * 15 + [-3] + [0] * 4]
    inputs = encode_tdgammon(boards, checkers=3)
    assert np.array_equal(
        inputs, np.array([slow_tdgammon(board, checkers=3) for board in boards], np.float32)
    )
    assert inputs[:, 194:196].tolist() == [
        [0, 0],
        [np.float32(1 / 3), np.float32(1 / 3)],
        [np.float32(2 / 3), 0],
    ]
    assert encode_onehot(boards, checkers=3).tolist() == [slow_onehot(board, 3) for board in boards]
    for encode in ENCODERS:
        with pytest.raises(
            InvalidPositionError, match="row 1: the mover has 15 checkers; expected at most 3"
        ):
            encode([HYPER, START], checkers=3)


# ---- memory ----


@pytest.mark.parametrize(
    ("encode", "dtype"),
    [(encode_tdgammon, np.float32), (encode_onehot, np.float32), (encode_onehot, np.int8)],
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("number", [0, 1, 2, 700, 8191, 8192, 12345])
def test_nothing_is_written_beyond_the_output(encode, dtype: type, threads: int, number: int) -> None:
    boards = many(BOARDS)[:number]
    columns = width(encode)
    memory = np.full((number + 2) * columns, 77, dtype)
    out = memory[columns : (number + 1) * columns].reshape(number, columns)
    assert encode(boards, out=out, threads=threads) is out
    assert np.array_equal(out, expected_of_all(encode)[:number])
    assert (memory[:columns] == 77).all()
    assert (memory[-columns:] == 77).all()


def test_dtypes_of_onehot() -> None:
    expected_inputs = expected(encode_onehot, BOARDS)
    for dtype in (np.int8, "int8", np.dtype(np.int8), np.float32, "float32", None):
        inputs = encode_onehot(BOARDS, dtype=dtype)
        assert inputs.dtype == (dtype or np.float32)
        assert np.array_equal(inputs, expected_inputs)
    small = np.full((len(BOARDS), 806), 77, np.int8)
    for dtype in (None, np.int8):
        small[:] = 77
        assert encode_onehot(BOARDS, dtype=dtype, out=small) is small
        assert np.array_equal(small, expected_inputs)
    with pytest.raises(BgfastError, match=r"dtype int8, .*; expected an array of dtype float32"):
        encode_onehot(BOARDS, dtype=np.float32, out=small)
    for dtype in (float, np.int16, ">f4", "junk", "(", bool, object(), {}, [1]):
        with pytest.raises(BgfastError, match="expected float32 or int8"):
            encode_onehot(BOARDS, dtype=dtype)


@pytest.mark.parametrize("encode", ENCODERS)
def test_overlapping_output_is_refused_and_unchanged(encode) -> None:
    memory = np.zeros(5000, np.int8)
    boards = memory[100:126].reshape(1, 26)
    boards[0] = START
    before = memory.copy()
    out = memory[: 4 * width(encode)].view(np.float32).reshape(1, -1)
    with pytest.raises(BgfastError, match="out overlaps boards"):
        encode(boards, out=out)
    assert np.array_equal(memory, before)
    if encode is encode_tdgammon:
        with pytest.raises(BgfastError, match="out overlaps side"):
            encode([START], side=memory[:1], out=out)
        assert np.array_equal(memory, before)


# ---- input ----


@pytest.mark.parametrize("encode", ENCODERS)
def test_invalid_numbers_of_checkers(encode) -> None:
    for checkers in (0, 16, -3, 2.5, "15", True, None):
        with pytest.raises(InvalidPositionError, match="checkers is"):
            encode([START], checkers=checkers)


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (2, "row 0: side is 2; expected 0 or 1"),
        (-1, "row 0: side is -1"),
        (256, "row 0: side is 256"),
        (0.5, r"row 0: side is 0\.5"),
        ([0, np.nan], "row 1: side is nan"),
        ([0, 3], "row 1: side is 3"),
        ([0, 1, 0], r"side of shape \(3,\); expected one number or shape \(2,\)"),
        ([1], r"side of shape \(1,\)"),
        ([[0, 1]], r"side of shape \(1, 2\)"),
        ([], r"side of shape \(0,\)"),
        (True, "side of dtype bool"),
        ("mover", "side of dtype"),
        (np.ma.masked_array([0, 1], mask=[0, 1]), "masked"),
    ],
)
def test_errors_name_the_row_of_an_invalid_side(side, message: str) -> None:
    out = np.full((2, 198), 77, np.float32)
    with pytest.raises(BgfastError, match=message):
        encode_tdgammon([START, START], side=side, out=out)
    assert (out == 77).all()
