"""Arguments that several batch functions share: forms of boards and dice, seeds, outputs.

Refused calls are in tests/refusals/batch.txt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, InvalidDiceError, InvalidPositionError
from bgfast.evaluators import Bearoff, Lookahead, PipCount, Pubeval
from tests.support.positions import START

BOARDS = bgfast.random_positions(300, seed=8)
DICE = bgfast.random_dice(300, seed=8)
NETWORK = bgfast.Network.builtin_fast()


def random_successors(boards: Any, dice: Any = (3, 1), seed: Any = 2, **options: Any) -> Any:
    return bgfast.random_successors(boards, dice, seed, **options)


DICE_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "successors": lambda boards, dice=(3, 1): bgfast.successors(boards, dice, moves=True),
    "count_successors": lambda boards, dice=(3, 1): bgfast.count_successors(boards, dice),
    "random_successors": random_successors,
}
"""Functions of boards and dice."""
BOARD_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **DICE_FUNCTIONS,
    "encode_tdgammon": bgfast.encode_tdgammon,
    "encode_onehot": bgfast.encode_onehot,
    "flip": bgfast.flip,
    "pip_counts": bgfast.pip_counts,
    "results": bgfast.results,
    "gnubg_ids": bgfast.gnubg_ids,
}
"""Functions of boards."""
EVALUATORS: dict[str, Callable[..., Any]] = {
    "Network.evaluate": NETWORK.evaluate,
    "Network.equities": NETWORK.equities,
    "Network.best_successors": lambda boards: NETWORK.best_successors(boards, (3, 1)),
    "Lookahead": Lookahead(PipCount(), ply=0),
    "Lookahead.equities": Lookahead(PipCount(), ply=0).equities,
    "PipCount": PipCount(),
    "Pubeval": Pubeval(),
}
VALUES, OFFSETS = np.arange(13.0), [0, 3, 3, 7, 8, 13]
WRITERS: dict[str, tuple[Callable[..., Any], type, tuple[int, ...]]] = {
    "successors": (lambda out: bgfast.successors([START], (3, 1), out=out), np.int8, (500, 26)),
    "random_successors": (lambda out: random_successors([START] * 3, out=out), np.int8, (3, 26)),
    "encode_tdgammon": (lambda out: bgfast.encode_tdgammon([START] * 2, out=out), np.float32, (2, 198)),
    "encode_onehot": (lambda out: bgfast.encode_onehot([START] * 2, out=out), np.float32, (2, 806)),
    "best_rows": (lambda out: bgfast.best_rows(VALUES, OFFSETS, out=out), np.int64, (5,)),
    "sample_rows": (lambda out: bgfast.sample_rows(VALUES, OFFSETS, 1, epsilon=1, out=out), np.int64, (5,)),
}
"""Functions that write to `out`, with the dtype and the shape that they expect."""
FORMS: list[Callable[[np.ndarray], Any]] = [
    lambda array: array.astype(np.int64),
    lambda array: array.astype(">i4"),
    lambda array: array.astype(np.float32),
    np.asfortranarray,
    lambda array: np.repeat(array, 2, axis=0)[::2],
    np.ndarray.tolist,
]


def all_equal(first: Any, second: Any) -> bool:
    if isinstance(first, tuple):
        return all(all_equal(a, b) for a, b in zip(first, second, strict=True))
    return bool(np.array_equal(first, second))


@pytest.mark.parametrize("name", BOARD_FUNCTIONS)
def test_any_arrays_of_valid_boards_and_dice_are_accepted(name: str) -> None:
    function = BOARD_FUNCTIONS[name]
    for form in FORMS:
        assert all_equal(function(form(BOARDS)), function(BOARDS))
        if name in DICE_FUNCTIONS:
            assert all_equal(function(BOARDS, form(DICE)), function(BOARDS, DICE))


@pytest.mark.parametrize("name", [*BOARD_FUNCTIONS, *EVALUATORS])
def test_lists_of_positions_equal_arrays_of_boards(name: str) -> None:
    positions = [bgfast.Position.start(), bgfast.Position.nackgammon(), bgfast.Position.longgammon()]
    function = {**BOARD_FUNCTIONS, **EVALUATORS}[name]
    expected = function(np.array([position.to_array() for position in positions]))
    assert all_equal(function(positions), expected)
    assert all_equal(function(tuple(positions)), expected)


def test_positions_determine_the_number_of_checkers() -> None:
    positions = [bgfast.Position.hypergammon()]
    boards = positions[0].to_array()[None]
    # Successors, flipped boards, pip counts and IDs do not depend on the checkers borne off.
    for name in ("successors", "flip", "pip_counts", "gnubg_ids"):
        assert all_equal(BOARD_FUNCTIONS[name](positions), BOARD_FUNCTIONS[name](boards))
    assert bgfast.results(positions, checkers=3).tolist() == [0]
    assert all_equal(bgfast.results(positions), bgfast.results(boards, checkers=3))
    for encode in (bgfast.encode_tdgammon, bgfast.encode_onehot):
        assert all_equal(encode(positions), encode(boards, checkers=3))
    for call in (NETWORK.evaluate, PipCount()):
        with pytest.raises(InvalidPositionError, match="row 0: a position of 3 checkers per side"):
            call(positions)
    bearing_off = bgfast.Position.from_array([0, 5] + [0] * 22 + [-5, 0])
    assert all_equal(Bearoff()([bearing_off]), Bearoff()(bearing_off.to_array()[None]))
    assert Bearoff().covers([bearing_off]).tolist() == [True]


def test_numpy_strings_and_numbers_are_accepted() -> None:
    assert np.array_equal(
        bgfast.count_successors(BOARDS, np.str_("all")), DICE_FUNCTIONS["count_successors"](BOARDS, "all")
    )
    for function in (
        lambda seed: bgfast.random_dice(np.int64(4), seed, np.bool_(True)),
        lambda seed: bgfast.random_positions(np.int64(4), seed),
        lambda seed: random_successors(BOARDS, np.str_("random"), seed),
        lambda seed: bgfast.sample_rows(VALUES, OFFSETS, seed, epsilon=0.5),
    ):
        assert np.array_equal(function(np.uint8(5)), function(5))


def test_invalid_inputs_leave_the_output_unchanged() -> None:
    boards = np.tile(BOARDS, (3, 1))
    boards[500, 3] = 16
    for name, columns in (("random_successors", 26), ("encode_tdgammon", 198), ("encode_onehot", 806)):
        out = np.full((len(boards), columns), 77, WRITERS[name][1])
        with pytest.raises(InvalidPositionError, match="row 500: the mover has"):
            BOARD_FUNCTIONS[name](boards, out=out, threads=2)
        assert (out == 77).all()
    out = np.full((2, 26), 77, np.int8)
    with pytest.raises(InvalidDiceError):
        random_successors([START] * 2, [[3, 1], [2, 0]], out=out)
    assert (out == 77).all()
    inputs = np.full((2, 198), 77, np.float32)
    with pytest.raises(BgfastError, match="row 1: side is 3"):
        bgfast.encode_tdgammon([START] * 2, side=[0, 3], out=inputs)
    rows = np.full(5, 77)
    for values, offsets in ((VALUES, OFFSETS[::-1]), (np.full(13, np.inf), OFFSETS)):
        with pytest.raises(BgfastError):
            bgfast.sample_rows(values, offsets, 1, temperature=1, out=rows)
    assert (inputs == 77).all()
    assert (rows == 77).all()


def filled_array(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.full(shape, 77, dtype)


def unaligned_array(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    size = np.dtype(dtype).itemsize * int(np.prod(shape))
    return np.full(size + 1, 77, np.uint8)[1:].view(dtype).reshape(shape)


def read_only_array(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    array = filled_array(shape, dtype)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("name", WRITERS)
def test_unusable_output_is_refused_and_unchanged(name: str) -> None:
    call, dtype, shape = WRITERS[name]
    *rows, columns = shape
    cases: list[tuple[Any, str]] = [
        (filled_array(shape, np.int16), r"out is of dtype int16, shape .*; expected an array of dtype"),
        (filled_array(shape, np.float64), "dtype float64"),
        (filled_array((*rows, columns - 1), dtype), "shape"),
        (filled_array((*rows, columns + 1), dtype), "shape"),
        (filled_array((1, *shape), dtype), "shape"),
        (filled_array((*rows, 2 * columns), dtype)[..., ::2], "C-contiguous"),
        (filled_array(shape, dtype)[..., ::-1], "C-contiguous"),
        (read_only_array(shape, dtype), "writeable"),
        (filled_array(shape, dtype).tolist(), "expected an array of dtype"),
        ("out", "expected an array of dtype"),
    ]
    if rows:
        cases += [
            (filled_array(shape[::-1], dtype).T, "C-contiguous"),
            (filled_array((columns,), dtype), "shape"),
        ]
    if rows and name != "successors":
        cases += [
            (filled_array((0, columns), dtype), "shape"),
            (filled_array((rows[0] + 1, columns), dtype), "shape"),
        ]
    if dtype is not np.int8:
        big_endian = np.dtype(dtype).newbyteorder(">")
        cases += [(unaligned_array(shape, dtype), "aligned"), (filled_array(shape, big_endian), "dtype >")]
    for out, message in cases:
        expected = np.array(out)
        with pytest.raises(BgfastError, match=message):
            call(out)
        assert np.array_equal(out, expected)


def test_overlapping_output_is_refused_and_unchanged() -> None:
    memory = np.zeros(30_000, np.int8)
    memory[100:126] = START
    memory[126:128] = 1
    board, pair = memory[100:126].reshape(1, 26), memory[126:128].reshape(1, 2)
    expected = memory.copy()
    rows, onehot_inputs = memory[:13_000].reshape(-1, 26), memory[: 4 * 806].view(np.float32).reshape(1, 806)
    tdgammon_inputs = memory[: 4 * 198].view(np.float32).reshape(1, 198)
    choices = memory[:8].view(np.int64)
    calls: list[tuple[str, Callable[[], object]]] = [
        ("boards", lambda: bgfast.successors(board, (3, 1), out=rows)),
        ("dice", lambda: bgfast.successors([START], pair, out=rows)),
        ("boards", lambda: random_successors(board, out=memory[104:130].reshape(1, 26))),
        ("boards", lambda: random_successors(board[:], out=board[:])),  # two arrays share the memory
        ("dice", lambda: random_successors([START], pair, out=memory[104:130].reshape(1, 26))),
        ("boards", lambda: bgfast.encode_tdgammon(board, out=tdgammon_inputs)),
        ("side", lambda: bgfast.encode_tdgammon([START], side=memory[:1], out=tdgammon_inputs)),
        ("boards", lambda: bgfast.encode_onehot(board, out=onehot_inputs)),
        ("values", lambda: bgfast.best_rows(memory[:8].view(np.float32), [0, 2], out=choices)),
        ("values", lambda: bgfast.best_rows(memory[:8].view(np.float64), [0, 1], out=choices)),
        ("offsets", lambda: bgfast.best_rows([], memory[:16].view(np.int64), out=choices)),
    ]
    for name, call in calls:
        with pytest.raises(BgfastError, match=f"out overlaps {name}"):
            call()
        assert np.array_equal(memory, expected)
    int64_board = board.astype(np.int64)
    with pytest.raises(BgfastError, match="dtype int64"):
        random_successors(int64_board, out=int64_board)
