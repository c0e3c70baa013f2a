"""Arguments that several batch functions share: boards, dice, rows, seeds, threads, rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, InvalidDiceError, InvalidPositionError
from bgfast.errors import InvalidRulesError
from tests.support.positions import START

BOARDS = bgfast.random_positions(300, seed=8)
DICE = bgfast.random_dice(300, seed=8)


def random_successors(boards: Any, dice: Any = (3, 1), seed: Any = 2, **options: Any) -> Any:
    return bgfast.random_successors(boards, dice, seed, **options)


ROLLED: dict[str, Callable[..., Any]] = {
    "successors": lambda boards, dice=(3, 1), **options: bgfast.successors(boards, dice, **options),
    "count_successors": lambda boards, dice=(3, 1), **options: bgfast.count_successors(
        boards, dice, **options
    ),
    "random_successors": random_successors,
}
"""Functions of boards and dice."""
THREADED = {
    **ROLLED,
    "encode_tdgammon": bgfast.encode_tdgammon,
    "encode_onehot": bgfast.encode_onehot,
}
"""Functions of boards with a number of threads."""
UNROLLED = {"flip": bgfast.flip, "pip_counts": bgfast.pip_counts, "results": bgfast.results}
SEEDED: dict[str, Callable[..., Any]] = {
    "random_dice": lambda seed: bgfast.random_dice(4, seed),
    "random_positions": lambda seed: bgfast.random_positions(4, seed),
    "random_successors": lambda seed: random_successors(BOARDS, "random", seed),
    "sample_rows": lambda seed: bgfast.sample_rows([1.0, 2.0, 0.5], [0, 3], seed, epsilon=0.5),
}


VALUES, OFFSETS = np.arange(13.0), [0, 3, 3, 7, 8, 13]
WRITERS: dict[str, tuple[Callable[..., Any], type, tuple[int, ...]]] = {
    "successors": (lambda out: bgfast.successors([START], (3, 1), out=out), np.int8, (500, 26)),
    "random_successors": (lambda out: random_successors([START] * 3, out=out), np.int8, (3, 26)),
    "encode_tdgammon": (lambda out: bgfast.encode_tdgammon([START] * 2, out=out), np.float32, (2, 198)),
    "encode_onehot": (lambda out: bgfast.encode_onehot([START] * 2, out=out), np.float32, (2, 806)),
    "best_rows": (lambda out: bgfast.best_rows(VALUES, OFFSETS, out=out), np.int64, (5,)),
    "sample_rows": (
        lambda out: bgfast.sample_rows(VALUES, OFFSETS, 1, temperature=0.5, out=out),
        np.int64,
        (5,),
    ),
}
"""Functions that write to `out`, with the dtype and the shape that they expect."""


def arrays_of(result: Any) -> list[np.ndarray]:
    return [array for array in result if array is not None] if isinstance(result, tuple) else [result]


def same(first: Any, second: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(arrays_of(first), arrays_of(second), strict=True))


FORMS: list[Callable[[np.ndarray], Any]] = [
    lambda array: array.astype(np.int64),
    lambda array: array.astype(">i4"),
    lambda array: array.astype(np.float32),
    np.asfortranarray,
    lambda array: np.repeat(array, 2, axis=0)[::2],
    np.ndarray.tolist,
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", {**THREADED, **UNROLLED, "gnubg_ids": None})
def test_any_array_of_valid_boards_is_accepted(name: str, form: Callable[[np.ndarray], Any]) -> None:
    function = {**THREADED, **UNROLLED}.get(name, bgfast.gnubg_ids)
    assert same(function(form(BOARDS)), function(BOARDS))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", ROLLED.values(), ids=ROLLED)
def test_any_array_of_valid_dice_is_accepted(function: Callable[..., Any], form: Callable) -> None:
    assert same(function(BOARDS, form(DICE)), function(BOARDS, DICE))


def changed(row: int, index: int, value: float, dtype: type = np.int8) -> np.ndarray:
    boards = np.tile(np.array(START, dtype), (50, 1))
    boards[row, index] = value
    return boards


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        (changed(17, 6, 7), "row 17: the mover has 17 checkers"),
        (changed(49, 0, 1), "row 49: index 0, the opponent's bar, is 1"),
        (changed(3, 1, -128), "row 3: the opponent has 141 checkers"),
        (changed(5, 6, 5.5, np.float64), "row 5: index 6 is 5.5"),
        (changed(5, 6, np.nan, np.float64), "row 5: index 6 is nan"),
        (changed(5, 6, 300, np.int64), "row 5: index 6 is 300"),
        (changed(5, 6, -128, np.int64), "row 5: index 6 is -128"),
        ([START, [0] * 26], "row 1: nobody has a checker"),
        (np.zeros((2, 25), np.int8), r"boards of shape \(2, 25\); expected \(n, 26\)"),
        (START, r"boards of shape \(26,\)"),
        (np.zeros((2, 2, 26), np.int8), r"boards of shape \(2, 2, 26\)"),
        ([], r"boards of shape \(0,\)"),
        ("boards", "boards of dtype <U6"),
        (None, "boards of dtype object"),
        ([[None] * 26], "boards of dtype object"),
        ([[0], [1, 2]], "boards of list cannot be read"),
        (np.ma.masked_array(changed(0, 0, 0), mask=changed(0, 0, 0) > 3), "masked"),
    ],
)
@pytest.mark.parametrize("name", [*THREADED, *UNROLLED])
def test_errors_name_the_row_of_an_invalid_board(name: str, boards: Any, message: str) -> None:
    function = {**THREADED, **UNROLLED}[name]
    with pytest.raises(InvalidPositionError, match=message):
        function(boards)


def test_an_invalid_board_or_roll_leaves_the_output_unchanged() -> None:
    boards = np.tile(BOARDS, (3, 1))
    boards[500, 3] = 16
    for name, columns in (("random_successors", 26), ("encode_tdgammon", 198), ("encode_onehot", 806)):
        dtype = np.int8 if name == "random_successors" else np.float32
        out = np.full((len(boards), columns), 77, dtype)
        with pytest.raises(InvalidPositionError, match="row 500: the mover has"):
            THREADED[name](boards, out=out, threads=2)
        assert (out == 77).all()
    out = np.full((2, 26), 77, np.int8)
    with pytest.raises(InvalidDiceError):
        random_successors([START] * 2, [[3, 1], [2, 0]], out=out)
    assert (out == 77).all()


@pytest.mark.parametrize(
    ("dice", "message"),
    [
        ((7, 1), "row 0: the first die is 7"),
        ([[3, 1], [2, 0]], "row 1: the second die is 0"),
        ([[3, 1], [2.5, 1]], "row 1: the first die is 2.5"),
        ([[3, 1], [np.nan, 1]], "row 1: the first die is nan"),
        ([[3, 1], [259, 1]], "row 1: the first die is 259"),
        ([[3, 1]] * 3, r"dice of shape \(3, 2\); expected \(2,\) or \(2, 2\)"),
        ([3, 1, 2], r"dice of shape \(3,\)"),
        (3, r"dice of shape \(\)"),
        ("31", "dice is '31'; expected rolls, or WORD"),
        ("OTHER", "dice is 'OTHER'; expected rolls, or WORD$"),
        (None, "dice is None; expected rolls, or WORD"),
        (["all"], "dice of dtype <U3; expected whole numbers"),
        ([[True, True]] * 2, "dice of dtype bool"),
    ],
)
@pytest.mark.parametrize("name", ROLLED)
def test_errors_name_the_row_of_an_invalid_roll(name: str, dice: Any, message: str) -> None:
    word, other = "'all' for the 21 rolls of each board", "random"
    if name == "random_successors":
        word, other = "'random' for a fair roll of its own for each board", "all"
    dice = other if isinstance(dice, str) and dice == "OTHER" else dice
    with pytest.raises(InvalidDiceError, match=message.replace("WORD", word).replace("OTHER", other)):
        ROLLED[name]([START, START], dice)


@pytest.mark.parametrize("threads", [0, -1, 1000, 10**30, 1.5, "2", True, None])
@pytest.mark.parametrize("function", THREADED.values(), ids=THREADED)
def test_invalid_numbers_of_threads(function: Callable[..., Any], threads: Any) -> None:
    with pytest.raises(BgfastError, match=r"threads is .*; expected a whole number from 1 to 999"):
        function([START], threads=threads)


@pytest.mark.parametrize("rules", [5, "exakt"])
@pytest.mark.parametrize("function", [*ROLLED.values(), bgfast.results], ids=[*ROLLED, "results"])
def test_invalid_rules(function: Callable[..., Any], rules: Any) -> None:
    with pytest.raises(InvalidRulesError, match=r"rules is 5|no rule set is named 'exakt'"):
        function([START], rules=rules)


@pytest.mark.parametrize("n", [-1, 2**48 + 1, 10**30, 1.0, "3", None, True, np.bool_(True), [3]])
@pytest.mark.parametrize("function", [bgfast.random_dice, bgfast.random_positions])
def test_invalid_numbers_of_rows(function: Callable[..., Any], n: Any) -> None:
    with pytest.raises(BgfastError, match=r"n is .*expected a whole number from 0 to 281474976710656"):
        function(n, 0)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "3", None, False, np.nan])
@pytest.mark.parametrize("function", SEEDED.values(), ids=SEEDED)
def test_invalid_seeds(function: Callable[..., Any], seed: Any) -> None:
    message = r"seed is .*; expected a whole number from 0 to 18446744073709551615"
    with pytest.raises(BgfastError, match=message):
        function(seed)


@pytest.mark.parametrize("function", SEEDED.values(), ids=SEEDED)
def test_seeds_of_any_integer_type(function: Callable[..., Any]) -> None:
    assert np.array_equal(function(np.uint8(5)), function(5))


def filled(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.full(shape, 77, dtype)


def unaligned(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    size = np.dtype(dtype).itemsize * int(np.prod(shape))
    return np.full(size + 1, 77, np.uint8)[1:].view(dtype).reshape(shape)


def frozen(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    array = filled(shape, dtype)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("name", WRITERS)
def test_unusable_output_is_refused_and_unchanged(name: str) -> None:
    call, dtype, shape = WRITERS[name]
    *rows, columns = shape
    cases: list[tuple[Any, str]] = [
        (filled(shape, np.int16), r"out is of dtype int16, shape .*; expected an array of dtype"),
        (filled(shape, np.float64), "dtype float64"),
        (filled((*rows, columns - 1), dtype), "shape"),
        (filled((*rows, columns + 1), dtype), "shape"),
        (filled((1, *shape), dtype), "shape"),
        (filled((*rows, 2 * columns), dtype)[..., ::2], "C-contiguous"),
        (filled(shape, dtype)[..., ::-1], "C-contiguous"),
        (frozen(shape, dtype), "writeable"),
        (filled(shape, dtype).tolist(), "expected an array of dtype"),
        ("out", "expected an array of dtype"),
    ]
    if rows:
        cases += [(filled(shape[::-1], dtype).T, "C-contiguous"), (filled((columns,), dtype), "shape")]
    if rows and name != "successors":
        cases += [(filled((0, columns), dtype), "shape"), (filled((rows[0] + 1, columns), dtype), "shape")]
    if dtype is not np.int8:
        big_endian = np.dtype(dtype).newbyteorder(">")
        cases += [(unaligned(shape, dtype), "aligned"), (filled(shape, big_endian), "dtype >")]
    for out, message in cases:
        before = np.array(out)
        with pytest.raises(BgfastError, match=message):
            call(out)
        assert np.array_equal(out, before)
