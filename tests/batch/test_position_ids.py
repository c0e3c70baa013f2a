"""Batch position IDs: equal to `position.position_ids` row by row, errors with the row."""

from __future__ import annotations

import base64
import random
import string
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgfast import (
    BgfastError,
    InvalidPositionError,
    NotationError,
    from_gnubg_ids,
    gnubg_ids,
    random_positions,
)
from bgfast.batch import ids as batch_ids
from bgfast.position.position_ids import board_of_gnubg_id, gnubg_id_of
from tests.support.patience import patient
from tests.support.positions import START, board_with, random_board

RNG = random.Random("bulk ids")
START_ID = "4HPwATDgc/ABMA"
EMPTY_ID = "AAAAAAAAAAAAAA"
ALPHABET = string.ascii_letters + string.digits + "+/"


EXTREMES = [
    board_with({}),
    board_with({24: -1}),
    board_with({25: 15}),
    board_with({0: -15}),
    board_with({0: -15, 25: 15}),
    board_with({1: 15, 24: -15}),
    board_with({1: -15, 24: 15}),
    board_with({**dict.fromkeys(range(1, 7), 2), **dict.fromkeys(range(19, 25), -2), 0: -3, 25: 3}),
]
BOARDS = np.array([*EXTREMES, *(random_board(RNG) for _ in range(2000))], np.int8)
IDS = [gnubg_id_of(board) for board in BOARDS.tolist()]


def id_of_bits(bits: int) -> str:
    return base64.b64encode(bits.to_bytes(10, "little")).decode("ascii").rstrip("=")


def id_of_runs(checkers: dict[int, int]) -> str:
    """Return the ID with these counts of ones by slot, 25 of the opponent and 25 of the mover."""
    bits = "".join("1" * checkers.get(slot, 0) + "0" for slot in range(50))
    return id_of_bits(int(bits[::-1], 2))


def answer(function: Any, value: Any) -> Any:
    """Return the result, or the class and the message of the error."""
    try:
        return np.asarray(function(value)).tolist()
    except BgfastError as error:
        return type(error), str(error)


def bulk_answer(of_one: Any, first: Any) -> Any:
    """Return the expected outcome of a batch of two rows, by the outcome of the second."""
    return (of_one[0], f"row 1: {of_one[1]}") if isinstance(of_one, tuple) else [first, of_one]


def said_by(single: Any, value: Any) -> tuple[type[BgfastError], str]:
    """Return the class and the message of the error of the single function."""
    with pytest.raises(BgfastError) as refusal:
        single(value)
    return type(refusal.value), str(refusal.value)


# ---- equal to the single function ----


def test_ids_equal_those_of_the_single_function() -> None:
    ids = gnubg_ids(BOARDS)
    assert ids.dtype == np.dtype("U14")
    assert ids.flags.c_contiguous
    assert ids.tolist() == IDS


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        lambda ids: np.array(ids),
        lambda ids: np.array(ids, ">U14"),
        lambda ids: np.array(ids, "<U14"),
        lambda ids: np.array(ids, "S14"),
        lambda ids: np.array(ids, "U20"),
        lambda ids: np.array(ids, "S15"),
        lambda ids: np.array(ids, object),
        lambda ids: np.repeat(np.array(ids), 2)[::2],
        lambda ids: np.repeat(np.array(ids, "S14"), 3)[1::3],
        lambda ids: [np.str_(text) for text in ids],
    ],
)
def test_boards_equal_those_of_the_single_function(make) -> None:
    boards = from_gnubg_ids(make(IDS))
    assert boards.dtype == np.int8
    assert boards.flags.c_contiguous
    assert boards.flags.writeable
    assert boards.tolist() == [board_of_gnubg_id(text) for text in IDS] == BOARDS.tolist()


@pytest.mark.parametrize("make", [lambda a: a.astype(np.int64), np.asfortranarray, lambda a: a.tolist()])
def test_ids_of_any_array_of_valid_numbers(make) -> None:
    assert gnubg_ids(make(BOARDS)).tolist() == IDS


@pytest.mark.parametrize("none", [[], (), np.empty(0, "U14"), np.empty(0, "S14"), np.empty(0, "U3")])
def test_no_rows(none) -> None:
    assert from_gnubg_ids(none).shape == (0, 26)
    assert gnubg_ids(from_gnubg_ids(none)).shape == (0,)
    assert gnubg_ids(from_gnubg_ids(none)).dtype == np.dtype("U14")


def test_the_input_is_unchanged_and_the_output_is_fresh() -> None:
    boards, ids = BOARDS.copy(), np.array(IDS)
    gnubg_ids(boards)[:] = EMPTY_ID
    from_gnubg_ids(ids)[:] = 0
    assert np.array_equal(boards, BOARDS)
    assert ids.tolist() == IDS


def test_a_hundred_thousand_rows_quickly() -> None:
    boards = np.tile(random_positions(1000, 5), (100, 1))
    began = time.perf_counter()
    ids = gnubg_ids(boards)
    for texts in (ids, ids.astype("S14"), ids.tolist()):
        assert np.array_equal(from_gnubg_ids(texts), boards)
    assert time.perf_counter() - began < patient(3)  # some tenths; one by one it takes much longer


# ---- errors ----

BAD_IDS = [
    "",
    "A",
    START_ID[:-1],
    START_ID + "=",
    START_ID + ":cIkKAAAAAAAA",
    f" {START_ID}",
    START_ID[:-1] + " ",
    START_ID[:5] + "\0" + START_ID[6:],
    "\0" + START_ID[1:],
    # Neighbours of the alphabet's ranges, and similar characters.
    *(START_ID[:5] + character + START_ID[6:] for character in "@[`{/:*,.-_=é"),
    START_ID[:5] + "\N{FULLWIDTH LATIN CAPITAL LETTER A}" + START_ID[6:],
    START_ID[:5] + "\N{GAME DIE}" + START_ID[6:],
    *(START_ID[:-1] + last for last in ALPHABET if last not in "AQgw"),
    "/" * 13 + "w",  # no zero at all
    id_of_bits((1 << 30) - 1 << 50),  # 50 zeros, but not behind the last checkers
    id_of_bits(1 << 31 | (1 << 48) - 1 << 32),
    id_of_bits(1 << 79),  # bits behind the end
    id_of_bits(1 << 50),
    id_of_runs({0: 16}),  # one point, one bar, and several points with too many
    id_of_runs({24: 16}),
    id_of_runs({0: 15, 24: 1}),
    id_of_runs({3: 8, 7: 8}),
    id_of_runs({25: 16}),
    id_of_runs({49: 16}),
    id_of_runs({25: 15, 49: 1}),
    id_of_runs({28: 8, 32: 8}),
    id_of_runs({5: 30}),
    id_of_runs({5: 15, 30: 15, 31: 0, 6: 0, 49: 1}),
    *(id_of_runs({24 - point: 1, 24 + point: 2}) for point in range(1, 25)),  # held by both sides
]


def test_invalid_ids_cover_all_errors() -> None:
    messages = [said_by(board_of_gnubg_id, text) for text in BAD_IDS]
    for part in (
        "; expected 14, no spaces",
        "more than a position ID",
        "expected A-Z",
        "expected A, Q, g or w",
        "ends inside the position",
        "after the end of the position",
        "the mover has",
        "the opponent has",
        "held by both sides",
    ):
        assert any(part in message for _, message in messages), part
    assert {error for error, _ in messages} == {NotationError, InvalidPositionError}


@pytest.mark.parametrize("row", [0, 7, 19])
@pytest.mark.parametrize("text", BAD_IDS, ids=ascii)
def test_errors_of_ids_are_those_of_the_single_function_with_the_row(text: str, row: int) -> None:
    texts = IDS[:20]
    texts[row] = text
    error, message = said_by(board_of_gnubg_id, text)
    for given_ids in (texts, np.array(texts, object)):
        assert said_by(from_gnubg_ids, given_ids) == (error, f"row {row}: {message}")
    assert said_by(from_gnubg_ids, np.array(texts)) == (error, f"row {row}: {message}")
    if all(character < "\u0100" for character in text):
        as_bytes = np.array([text.encode("latin-1") for text in texts])
        assert said_by(from_gnubg_ids, as_bytes) == (error, f"row {row}: {message}")


def test_errors_name_the_first_invalid_row() -> None:
    characters, length, kind = START_ID.replace("/", "_"), START_ID[1:], 5
    for first, second in [
        (characters, EMPTY_ID[1:] + "B"),
        (characters, length),
        (length, characters),
        (kind, length),
        (characters, kind),
    ]:
        texts = [START_ID, START_ID, first, START_ID, second]
        error, message = said_by(board_of_gnubg_id, first)
        assert said_by(from_gnubg_ids, texts) == (error, f"row 2: {message}")


@pytest.mark.parametrize("item", [None, 5, START_ID.encode(), START, [START_ID]])
def test_items_that_are_no_text_are_refused(item: Any) -> None:
    with pytest.raises(NotationError, match="row 1: a position ID of type"):
        from_gnubg_ids([START_ID, item])


def test_nuls_at_the_end_of_a_text_are_not_lost() -> None:
    for text in (START_ID + "\0", START_ID[:-1] + "\0"):
        error, message = said_by(board_of_gnubg_id, text)
        assert said_by(from_gnubg_ids, [text]) == (error, f"row 0: {message}")


@pytest.mark.parametrize("width", [14, 20])
@pytest.mark.parametrize("row", [0, 1, 19])
def test_text_in_the_wrong_byte_order_is_refused(width: int, row: int) -> None:
    ids = np.full(20, EMPTY_ID, f"U{width}")
    ids.view(np.uint32).reshape(20, width)[row] = 0x41000000
    with pytest.raises(NotationError, match=f"row {row}: no text"):
        from_gnubg_ids(ids)


def test_arrays_of_zero_width_text_are_refused() -> None:
    for kind in "US":
        with pytest.raises(NotationError, match=r"row 0: a position ID of . characters"):
            from_gnubg_ids(np.zeros(3, np.dtype([("id", f"{kind}0")]))["id"])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (START_ID, f"position IDs are '{START_ID}'; expected an array of shape"),
        (START_ID.encode(), "position IDs are b'4HP"),
        (None, "position IDs are None"),
        ({START_ID}, "position IDs are {"),
        ((text for text in IDS), "position IDs are <generator"),
        (np.array(START_ID), r"position IDs are an array of shape \(\)"),
        (np.array([[START_ID]]), r"position IDs are an array of shape \(1, 1\)"),
        (np.zeros(3), "position IDs of dtype float64"),
        (np.zeros(3, bool), "position IDs of dtype bool"),
        (np.ma.masked_array([START_ID] * 2, mask=[False, True]), "masked"),
    ],
)
def test_invalid_arrays_of_texts(ids: Any, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        from_gnubg_ids(ids)


def test_rows_repaired_by_another_thread_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    message = "row 1: refused, and changed by another thread since"
    monkeypatch.setattr(batch_ids, "encode_ids", lambda rows, codes: 1)
    with pytest.raises(InvalidPositionError, match=message):
        gnubg_ids([START] * 2)
    monkeypatch.setattr(batch_ids, "decode_ids", lambda codes, boards: 1)
    with pytest.raises(NotationError, match=message):
        from_gnubg_ids([START_ID] * 2)


BAD_BOARDS = [
    board_with({0: 1}),
    board_with({25: -1}),
    board_with({0: 127}),
    board_with({25: -128}),
    board_with({6: 16}),
    board_with({6: 8, 8: 8}),
    board_with({6: 127, 7: 127, 8: 2}),
    board_with({6: -16}),
    board_with({6: -8, 8: -8}),
    board_with({6: -128, 7: -128}),
    board_with({6: -128, 7: 15}),
    board_with({1: 16, 2: -16}),
]


@pytest.mark.parametrize("row", [0, 9, 19])
@pytest.mark.parametrize("board", BAD_BOARDS)
def test_errors_of_boards_are_those_of_the_single_function_with_the_row(board: list[int], row: int) -> None:
    boards = BOARDS[:20].copy()
    boards[row] = board
    error, message = said_by(gnubg_id_of, board)
    assert said_by(gnubg_ids, boards) == (error, f"row {row}: {message}")


def test_errors_name_the_first_invalid_board() -> None:
    with pytest.raises(InvalidPositionError, match="row 1: the mover has 16 checkers"):
        gnubg_ids([START, board_with({6: 16}), START, board_with({0: 1})])


def test_invalid_arrays_of_boards() -> None:
    for boards, message in [
        (START, r"boards of shape \(26,\)"),
        (np.zeros((2, 25), np.int8), r"boards of shape \(2, 25\)"),
        ([[0.5] * 26], "row 0: index 0 is 0.5"),
        (np.full((1, 26), 300), "row 0: index 0 is 300"),
        (IDS, "boards of dtype"),
    ]:
        with pytest.raises(InvalidPositionError, match=message):
            gnubg_ids(boards)


# ---- random input ----


@given(st.lists(st.integers(-128, 127) | st.integers(-3, 3), min_size=26, max_size=26))
def test_any_numbers_are_treated_as_by_the_single_function(numbers: list[int]) -> None:
    expected = bulk_answer(answer(gnubg_id_of, numbers), START_ID)
    assert answer(gnubg_ids, np.array([START, numbers], np.int8)) == expected


@given(
    st.text(ALPHABET, min_size=14, max_size=14)
    | st.text(max_size=16)
    | st.integers(0, 2**80 - 1).map(id_of_bits)
    | st.dictionaries(st.integers(0, 49), st.integers(0, 5), max_size=6).map(id_of_runs)
)
def test_any_text_is_treated_as_by_the_single_function(text: str) -> None:
    expected = bulk_answer(answer(board_of_gnubg_id, text), list(START))
    assert answer(from_gnubg_ids, [START_ID, text]) == expected


def damaged_ids() -> list[str]:
    """Yield IDs of valid positions with one or two flipped bits."""
    damaged = []
    for text in IDS[:400]:
        bits = int.from_bytes(base64.b64decode(text + "=="), "little")
        for _ in range(10):
            damaged.append(
                id_of_bits(bits ^ 1 << RNG.randrange(80) ^ RNG.choice([0, 1 << RNG.randrange(80)]))
            )
    return damaged


def test_damaged_ids_are_treated_as_by_the_single_function() -> None:
    texts = damaged_ids()
    answers = [answer(board_of_gnubg_id, text) for text in texts]
    assert 100 < sum(isinstance(of_one, list) for of_one in answers) < 3900
    for text, of_one in zip(texts, answers, strict=True):
        assert answer(from_gnubg_ids, [START_ID, text]) == bulk_answer(of_one, list(START))
