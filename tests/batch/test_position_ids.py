"""Batch position IDs: each row equals the result of `position.position_ids`; errors name the row."""

from __future__ import annotations

import base64
import random
import string
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgfast import BgfastError, InvalidPositionError, NotationError, from_gnubg_ids, gnubg_ids
from bgfast.batch import ids as batch_ids
from bgfast.position.position_ids import board_of_gnubg_id, gnubg_id_of
from tests.support.positions import START, board_with, random_board

RNG = random.Random("bulk ids")
START_ID = "4HPwATDgc/ABMA"
EMPTY_ID = "AAAAAAAAAAAAAA"
ALPHABET = string.ascii_letters + string.digits + "+/"


EXTREME_BOARDS = [
    board_with({}),
    board_with({24: -1}),
    board_with({25: 15}),
    board_with({0: -15}),
    board_with({0: -15, 25: 15}),
    board_with({1: 15, 24: -15}),
    board_with({1: -15, 24: 15}),
    board_with({**dict.fromkeys(range(1, 7), 2), **dict.fromkeys(range(19, 25), -2), 0: -3, 25: 3}),
]
BOARDS = np.array([*EXTREME_BOARDS, *(random_board(RNG) for _ in range(500))], np.int8)
IDS = [gnubg_id_of(board) for board in BOARDS.tolist()]


def id_of_bits(bits: int) -> str:
    return base64.b64encode(bits.to_bytes(10, "little")).decode("ascii").rstrip("=")


def id_of_runs(checkers: dict[int, int]) -> str:
    """Return the ID with `checkers[slot]` ones in each of 50 slots: the opponent's 25, then the mover's."""
    bits = "".join("1" * checkers.get(slot, 0) + "0" for slot in range(50))
    return id_of_bits(int(bits[::-1], 2))


def outcome(function: Any, value: Any) -> Any:
    """Return the result, or the class and the message of the error."""
    try:
        return np.asarray(function(value)).tolist()
    except BgfastError as error:
        return type(error), str(error)


def row_outcome(single_outcome: Any, row: int, other_results: list[Any]) -> Any:
    """Return the expected outcome of a batch from one row's outcome and the other rows' results."""
    if isinstance(single_outcome, tuple):
        return single_outcome[0], f"row {row}: {single_outcome[1]}"
    return [*other_results[:row], single_outcome, *other_results[row:]]


# ---- same results as for one position ----


def test_ids_equal_the_results_of_the_single_function() -> None:
    ids = gnubg_ids(BOARDS)
    assert ids.dtype == np.dtype("U14")
    assert ids.flags.c_contiguous
    assert ids.tolist() == IDS


CONVERSIONS = [
    list,
    tuple,
    *(
        lambda ids, dtype=dtype: np.array(ids, dtype)
        for dtype in (">U14", "<U14", "S14", "U20", "S15", object)
    ),
    lambda ids: np.repeat(np.array(ids), 2)[::2],
    lambda ids: np.repeat(np.array(ids, "S14"), 3)[1::3],
    lambda ids: [np.str_(text) for text in ids],
]


def test_boards_equal_the_results_of_the_single_function() -> None:
    assert [board_of_gnubg_id(text) for text in IDS] == BOARDS.tolist()
    for convert in CONVERSIONS:
        boards = from_gnubg_ids(convert(IDS))
        assert boards.dtype == np.int8
        assert boards.flags.c_contiguous
        assert boards.flags.writeable
        assert boards.tolist() == BOARDS.tolist()


def test_empty_input() -> None:
    for container in ([], (), np.empty(0, "U14"), np.empty(0, "S14"), np.empty(0, "U3")):
        assert from_gnubg_ids(container).shape == (0, 26)
        ids = gnubg_ids(from_gnubg_ids(container))
        assert (ids.shape, ids.dtype) == ((0,), np.dtype("U14"))


def test_the_input_is_unchanged_and_the_output_is_fresh() -> None:
    boards, ids = BOARDS.copy(), np.array(IDS)
    gnubg_ids(boards)[:] = EMPTY_ID
    from_gnubg_ids(ids)[:] = 0
    assert np.array_equal(boards, BOARDS)
    assert ids.tolist() == IDS


# ---- errors ----

INVALID_IDS = [
    "",
    "A",
    START_ID[:-1],
    START_ID + "=",
    START_ID + ":cIkKAAAAAAAA",
    f" {START_ID}",
    START_ID[:-1] + " ",
    START_ID[:5] + "\0" + START_ID[6:],
    "\0" + START_ID[1:],
    # Characters next to the alphabet's ranges, or similar to characters of the alphabet.
    *(START_ID[:5] + character + START_ID[6:] for character in "@[`{/:*,.-_=é"),
    START_ID[:5] + "\N{FULLWIDTH LATIN CAPITAL LETTER A}" + START_ID[6:],
    START_ID[:5] + "\N{GAME DIE}" + START_ID[6:],
    *(START_ID[:-1] + character for character in ALPHABET if character not in "AQgw"),
    "/" * 13 + "w",  # no zero bit
    id_of_bits((1 << 30) - 1 << 50),  # all 50 zeros come before the ones
    id_of_bits(1 << 31 | (1 << 48) - 1 << 32),
    id_of_bits(1 << 79),  # a bit after the end of the position
    id_of_bits(1 << 50),
    id_of_runs({0: 16}),  # too many checkers on a point, on the bar, or on several points
    id_of_runs({24: 16}),
    id_of_runs({0: 15, 24: 1}),
    id_of_runs({3: 8, 7: 8}),
    id_of_runs({25: 16}),
    id_of_runs({49: 16}),
    id_of_runs({25: 15, 49: 1}),
    id_of_runs({28: 8, 32: 8}),
    id_of_runs({5: 30}),
    id_of_runs({5: 15, 30: 15, 31: 0, 6: 0, 49: 1}),
    *(id_of_runs({24 - point: 1, 24 + point: 2}) for point in range(1, 25)),  # a point held by both sides
]


def test_invalid_ids_raise_the_single_error_with_the_row() -> None:
    outcomes = [outcome(board_of_gnubg_id, text) for text in INVALID_IDS]
    for part in (
        "; expected 14, no spaces",
        "a position ID and a match ID",
        "expected A-Z",
        "expected A, Q, g or w",
        "ends inside the position",
        "after the end of the position",
        "the mover has",
        "the opponent has",
        "held by both sides",
    ):
        assert any(part in message for _, message in outcomes), part
    for text, single_outcome in zip(INVALID_IDS, outcomes, strict=True):
        for row in (0, 7, 19):
            texts = [*IDS[:row], text, *IDS[row:19]]
            expected = row_outcome(single_outcome, row, [])
            assert outcome(from_gnubg_ids, texts) == expected
            assert outcome(from_gnubg_ids, np.array(texts, object)) == expected
            assert outcome(from_gnubg_ids, np.array(texts)) == expected
            if all(character < "\u0100" for character in text):
                byte_ids = np.array([id_text.encode("latin-1") for id_text in texts])
                assert outcome(from_gnubg_ids, byte_ids) == expected


def test_errors_name_the_first_invalid_row() -> None:
    wrong_character, wrong_length, wrong_type = START_ID.replace("/", "_"), START_ID[1:], 5
    for first, second in [
        (wrong_character, EMPTY_ID[1:] + "B"),
        (wrong_character, wrong_length),
        (wrong_length, wrong_character),
        (wrong_type, wrong_length),
        (wrong_character, wrong_type),
    ]:
        texts = [START_ID, START_ID, first, START_ID, second]
        assert outcome(from_gnubg_ids, texts) == row_outcome(outcome(board_of_gnubg_id, first), 2, [])
    boards = [START, board_with({6: 16}), START, board_with({0: 1})]
    assert outcome(gnubg_ids, boards) == row_outcome(outcome(gnubg_id_of, boards[1]), 1, [])


def test_trailing_nuls_are_not_lost() -> None:
    for text in (START_ID + "\0", START_ID[:-1] + "\0"):
        assert outcome(from_gnubg_ids, [text]) == row_outcome(outcome(board_of_gnubg_id, text), 0, [])


def test_text_in_the_wrong_byte_order_is_refused() -> None:
    for width, row in product((14, 20), (0, 1, 19)):
        ids = np.full(20, EMPTY_ID, f"U{width}")
        ids.view(np.uint32).reshape(20, width)[row] = 0x41000000
        with pytest.raises(NotationError, match=f"row {row}: code points beyond Unicode"):
            from_gnubg_ids(ids)


def test_rows_repaired_by_another_thread_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "row 1: refused, and changed by another thread since"
    monkeypatch.setattr(batch_ids, "encode_ids", lambda rows, codes: 1)
    with pytest.raises(InvalidPositionError, match=message):
        gnubg_ids([START] * 2)
    monkeypatch.setattr(batch_ids, "decode_ids", lambda codes, boards: 1)
    with pytest.raises(NotationError, match=message):
        from_gnubg_ids([START_ID] * 2)


INVALID_BOARDS = [
    {0: 1},
    {25: -1},
    {0: 127},
    {25: -128},
    {6: 16},
    {6: 8, 8: 8},
    {6: 127, 7: 127, 8: 2},
    {6: -16},
    {6: -8, 8: -8},
    {6: -128, 7: -128},
    {6: -128, 7: 15},
    {1: 16, 2: -16},
]


def test_invalid_boards_raise_the_single_error_with_the_row() -> None:
    for checkers, row in product(INVALID_BOARDS, (0, 9, 19)):
        boards = BOARDS[:20].copy()
        boards[row] = board_with(checkers)
        assert outcome(gnubg_ids, boards) == row_outcome(outcome(gnubg_id_of, boards[row].tolist()), row, [])


# ---- random input ----


@given(st.lists(st.integers(-128, 127) | st.integers(-3, 3), min_size=26, max_size=26))
def test_any_numbers_give_the_result_of_the_single_function(numbers: list[int]) -> None:
    expected = row_outcome(outcome(gnubg_id_of, numbers), 1, [START_ID])
    assert outcome(gnubg_ids, np.array([START, numbers], np.int8)) == expected


@given(
    st.text(ALPHABET, min_size=14, max_size=14)
    | st.integers(0, 2**80 - 1).map(id_of_bits)
    | st.dictionaries(st.integers(0, 49), st.integers(0, 5), max_size=6).map(id_of_runs)
)
def test_any_text_gives_the_result_of_the_single_function(text: str) -> None:
    expected = row_outcome(outcome(board_of_gnubg_id, text), 1, [list(START)])
    assert outcome(from_gnubg_ids, [START_ID, text]) == expected


def test_damaged_ids_give_the_result_of_the_single_function() -> None:
    """Flip one or two bits in the IDs of valid positions."""
    outcomes = []
    for text in 4 * IDS:
        bits = int.from_bytes(base64.b64decode(text + "=="), "little")
        damaged_id = id_of_bits(bits ^ 1 << RNG.randrange(80) ^ RNG.choice([0, 1 << RNG.randrange(80)]))
        outcomes.append(outcome(board_of_gnubg_id, damaged_id))
        assert outcome(from_gnubg_ids, [START_ID, damaged_id]) == row_outcome(outcomes[-1], 1, [list(START)])
    assert 50 < sum(isinstance(single_outcome, list) for single_outcome in outcomes) < len(outcomes) - 50
