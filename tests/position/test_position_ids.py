"""Position IDs and XGIDs: known values, an independent codec, round trips, and every refusal."""

from __future__ import annotations

import base64
import dataclasses
import json
import pickle
import re
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgfast import Decision, Position
from bgfast.conformance.suite.named_cases import engine_defects
from bgfast.errors import BgfastError, InvalidPositionError, NotationError
from bgfast.position.formats import Context, read_xgid, written_xgid
from bgfast.position.position_ids import board_of_gnubg_id, gnubg_id_of
from tests.support.patience import patient
from tests.support.positions import board_with
from tests.support.strategies import boards

START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
NACKGAMMON = [0, -2, -2, 0, 0, 0, 4, 0, 3, 0, 0, 0, -4, 4, 0, 0, 0, -3, 0, -4, 0, 0, 0, 2, 2, 0]
START_ID = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
MATCH_XGID = "XGID=----BaC-B---aD--aa-bcbbBbB:0:0:1:22:2:3:0:13:10"
DATA = Path(__file__).parents[1] / "data"
HUGE = 10_000_000


def swapped(board):
    return [-n for n in reversed(board)]


def bitwise_id(opponent, mover):
    """Return the ID of two dicts {own point, 25 = bar: checkers}, setting single bits."""
    packed = bytearray(11)
    bit = 0
    for side in (opponent, mover):
        for point in range(1, 26):
            for _ in range(side.get(point, 0)):
                packed[bit // 8] |= 1 << bit % 8
                bit += 1
            bit += 1
    return base64.b64encode(packed)[:14].decode()


def bitwise_board(text):
    """Return the board of a valid ID, reading single bits."""
    packed = base64.b64decode(text + "==")
    board, slot = [0] * 26, 0
    for bit in range(80):
        if not packed[bit // 8] >> bit % 8 & 1:
            slot += 1
        elif slot < 25:
            board[24 - slot] -= 1
        else:
            board[slot - 24] += 1
    return board


def xgid_with(**changes):
    """Return MATCH_XGID with some of its fields, named f1 to f10, changed."""
    fields = MATCH_XGID.removeprefix("XGID=").split(":")
    for name, value in changes.items():
        fields[int(name[1:]) - 1] = value
    return "XGID=" + ":".join(fields)


def known_ids():
    yield from json.loads((DATA / "perft.json").read_text())["positions"]
    for case in engine_defects():
        yield case["position_id"]
        yield from case["results"] or ()


def refusal(read, text):
    """Return the message with which a reader refuses the text, or None if it reads it."""
    try:
        read(text)
    except BgfastError as error:
        return str(error)
    return None


# GNU Backgammon position IDs.


@pytest.mark.parametrize(
    ("text", "board"),
    [
        (START_ID, START),
        ("4Dl4ADbgOXgANg", NACKGAMMON),
        ("MAAAAAAACAAAAA", board_with({20: -2, 25: 1})),  # not symmetric: the second half is the mover's
        ("AACA/z8AAID/Pw", board_with({1: -15, 24: 15})),
        ("fwAAgH//AAAAfw", board_with({0: -8, 24: -7, 1: 8, 25: 7})),
        ("AAAAAAAAAAAAAA", [0] * 26),
    ],
)
def test_known_gnubg_id(text, board):
    assert board_of_gnubg_id(text) == board
    assert gnubg_id_of(board) == text


@pytest.mark.parametrize("text", sorted(set(known_ids())))
def test_gnubg_ids_of_the_data_files(text):
    board = board_of_gnubg_id(text)
    assert board == bitwise_board(text)
    assert gnubg_id_of(board) == text


@given(boards())
def test_gnubg_id_round_trip(board):
    text = gnubg_id_of(board)
    assert text == bitwise_id(
        {25 - index: -n for index, n in enumerate(board) if n < 0},
        {index: n for index, n in enumerate(board) if n > 0},
    )
    assert board_of_gnubg_id(text) == board


@given(st.binary(min_size=10, max_size=10))
def test_any_80_bits_are_read_exactly_or_refused(packed):
    text = base64.b64encode(packed).decode().rstrip("=")
    message = refusal(board_of_gnubg_id, text)
    if message is None:
        assert gnubg_id_of(board_of_gnubg_id(text)) == text
    else:
        assert len(message) < 250


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "of type NoneType; expected a str"),
        (b"4HPwATDgc/ABMA", "of type bytes; expected a str"),
        (14, "of type int; expected a str"),
        ("", "a position ID of 0 characters, ''; expected 14"),
        ("4HPwATDgc/ABM", "of 13 characters, '4HPwATDgc/ABM'; expected 14"),
        ("4HPwATDgc/ABMA==", "a position ID of 16 characters"),
        ("4HPwATDgc/ABMA\n", "a position ID of 15 characters"),
        (START_XGID, "a position ID of 51 characters"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAAA", "only the part before the colon is one"),
        ("4HPwATDgc_ABMA", "character 10 of the position ID is '_'; expected A-Z, a-z, 0-9, . or /"),
        ("4HPwATDgc/AB A", "character 13 of the position ID is ' '"),
        ("4HPwATDgc/ABM\n", r"character 14 of the position ID is '\\n'"),
        ("4HPwATDgcéABMA", r"character 10 of the position ID is '\\xe9'"),
        ("\ud800HPwATDgc/ABMA", r"character 1 of the position ID is '\\ud800'"),
        ("4HPwATDgc/ABMB", "the last character of the position ID is 'B'; expected A, Q, g or w"),
        ("4HPwATDgc/ABM/", "the last character of the position ID is '/'"),
        ("4HPwATDgc/ABMg", "its 80 bits hold 49 zeros; expected 50"),
        ("MAAAAAAACAAAAw", "bits set after the end of the position"),
        ("AAAAAAAAAIAAAA", "bits set after the end of the position"),
        ("/////////////w", "ends inside the position: its 80 bits hold 0 zeros; expected 50"),
        ("////AAAAAAD//w", "ends inside the position: its 80 bits hold 40 zeros; expected 50"),
        ("x" * HUGE, f"of {HUGE} characters, 'xxx"),
        ("\U0010ffff" * HUGE, f"of {HUGE} characters"),
    ],
)
def test_unreadable_position_id(text, message):
    start = time.perf_counter()
    with pytest.raises(NotationError, match=message) as caught:
        board_of_gnubg_id(text)
    assert time.perf_counter() - start < patient(1)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("opponent", "mover", "message"),
    [
        ({19: 3}, {6: 2}, r"mover's point 6 is held by both .* \(2 of the mover's .* 3 of the opponent's\)"),
        ({1: 1}, {24: 1}, "mover's point 24 is held by both sides"),
        ({24: 1}, {1: 1}, "mover's point 1 is held by both sides"),
        ({1: 9}, {2: 8, 25: 8}, "the mover has 16 checkers; expected at most 15"),
        ({1: 8, 25: 9}, {2: 13}, "the opponent has 17 checkers; expected at most 15"),
        ({}, {25: 30}, "the mover has 30 checkers"),
    ],
)
def test_position_id_of_an_impossible_board(opponent, mover, message):
    with pytest.raises(InvalidPositionError, match=message):
        board_of_gnubg_id(bitwise_id(opponent, mover))


def test_both_bars_are_not_one_point():
    board = board_with({0: -3, 25: 4})
    assert board_of_gnubg_id(bitwise_id({25: 3}, {25: 4})) == board


# Invalid boards.


@pytest.mark.parametrize(
    ("board", "message"),
    [
        ([], r"a board of shape \(0,\); expected 26 numbers"),
        ([0] * 25, r"a board of shape \(25,\); expected 26 numbers"),
        ([0] * 27, r"a board of shape \(27,\); expected 26 numbers"),
        ([0.5] * 26, "index 0 is 0.5; expected a whole number of checkers"),
        ("a" * 26, "a board of 'aaa.*; expected 26 whole numbers"),
        (None, "a board of None; expected 26 whole numbers"),
        (np.zeros((26, 26), np.int8), r"a board of shape \(26, 26\); expected 26 numbers"),
        (board_with({0: 1}), "index 0, the opponent's bar, is 1; expected 0 or less"),
        (board_with({25: -1}), "index 25, the mover's bar, is -1; expected 0 or more"),
        (board_with({3: 16}), "the mover has 16 checkers; expected at most 15"),
        (board_with({3: -8, 0: -8}), "the opponent has 16 checkers"),
        (board_with({3: 10**6000}), "a board .* cannot be read|index 3 is|dtype object"),
    ],
)
def test_impossible_board_is_not_encoded(board, message):
    with pytest.raises(InvalidPositionError, match=message):
        gnubg_id_of(board)


def test_numpy_boards_are_encoded():
    board = np.array(START, dtype=np.int8)
    assert gnubg_id_of(board) == START_ID


# XGID.


def test_known_xgid():
    assert written_xgid(START, Context()) == START_XGID
    assert read_xgid(START_XGID) == (tuple(START), Context(
        turn=1, dice=None, offer=None, cube=1, cube_owner=0, score=(0, 0),
        match_length=0, crawford=False, jacoby=False, beaver=False, max_cube=1024,
    ))  # fmt: skip


def test_every_field_of_a_match():
    board, context = read_xgid(xgid_with(f2="2", f3="1", f5="31", f6="12", f7="0", f8="1", f10="9"))
    assert board == (0, 0, 0, 0, 2, -1, 3, 0, 2, 0, 0, 0, -1, 4, 0, 0, -1, -1, 0, -2, -3, -2, -2, 2, -2, 2)
    assert context == Context(
        turn=1, dice=(3, 1), offer=None, cube=4, cube_owner=1, score=(12, 0),
        match_length=13, crawford=True, jacoby=False, beaver=False, max_cube=512,
    )  # fmt: skip


def test_turn_of_o_swaps_all_that_belongs_to_a_side():
    board, x = read_xgid(xgid_with(f2="1", f3="-1", f4="1"))
    turned, o = read_xgid(xgid_with(f2="1", f3="-1", f4="-1"))
    assert turned == tuple(swapped(board))
    assert (x.turn, x.cube_owner, x.score) == (1, -1, (2, 3))
    assert (o.turn, o.cube_owner, o.score) == (-1, 1, (3, 2))
    assert dataclasses.replace(o, turn=1, cube_owner=-1, score=(2, 3)) == x


@given(boards())
def test_xgid_round_trip(board):
    text = written_xgid(board, Context())
    letters = text.removeprefix("XGID=").split(":")[0]
    assert [0 if c == "-" else ord(c) - 64 if c < "a" else 96 - ord(c) for c in letters] == board
    assert read_xgid(text)[0] == tuple(board)


@given(boards())
def test_xgid_with_o_on_roll_is_the_swapped_board(board):
    text = written_xgid(swapped(board), Context()).replace(":0:0:1:", ":0:0:-1:")
    assert read_xgid(text)[0] == tuple(board)


@pytest.mark.parametrize(
    "text",
    [
        START_XGID[5:],
        "xgid=" + START_XGID[5:],
        "xGiD=" + START_XGID[5:],
        f" \t{START_XGID}\r\n",
        " " * HUGE + START_XGID,
    ],
)
def test_prefix_and_white_space_do_not_matter(text):
    assert read_xgid(text) == read_xgid(START_XGID)


@pytest.mark.parametrize(
    ("field", "dice", "offer"),
    [("00", None, None), ("31", (3, 1), None), ("13", (1, 3), None), ("66", (6, 6), None),
     ("D", None, "double"), ("B", None, "beaver"), ("R", None, "raccoon")],
)  # fmt: skip
def test_dice_field(field, dice, offer):
    _, context = read_xgid(xgid_with(f5=field))
    assert (context.dice, context.offer) == (dice, offer)


@pytest.mark.parametrize(
    ("field", "jacoby", "beaver"),
    [("0", False, False), ("1", True, False), ("2", False, True), ("3", True, True)],
)
def test_money_play_options(field, jacoby, beaver):
    _, context = read_xgid(xgid_with(f8=field, f9="0"))
    assert (context.jacoby, context.beaver, context.crawford, context.match_length) == (
        jacoby,
        beaver,
        False,
        0,
    )


def test_limits_of_the_numbers():
    _, context = read_xgid(xgid_with(f2="15", f6="32766", f7="32766", f9="32767", f10="15"))
    assert (context.cube, context.max_cube) == (32768, 32768)
    assert (context.score, context.match_length) == ((32766, 32766), 32767)


def test_xgid_is_frozen_hashable_and_picklable():
    xgid = read_xgid(MATCH_XGID)
    with pytest.raises(dataclasses.FrozenInstanceError):
        xgid[1].cube = 2
    assert hash(xgid) == hash(read_xgid(MATCH_XGID))
    assert pickle.loads(pickle.dumps(xgid)) == xgid


LETTERS = MATCH_XGID[5:31]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "of type NoneType; expected a str"),
        (START_XGID.encode(), "of type bytes; expected a str"),
        ("", "an XGID of 1 fields, ''; expected 10"),
        ("XGID=", "an XGID of 1 fields"),
        (START_ID, "an XGID of 1 fields, '4HPwATDgc/ABMA'; expected 10"),
        (LETTERS, "an XGID of 1 fields"),
        (START_XGID.removesuffix(":0:10"), "an XGID of 8 fields.*; expected 10.*, or 9 without the maximum"),
        (START_XGID + ":0", "an XGID of 11 fields"),
        ("x" * HUGE, f"an XGID of {HUGE} characters, 'xxx.*; expected at most 100"),
        (":" * HUGE, f"an XGID of {HUGE} characters"),
        ("9" * 90, "an XGID of 1 fields"),
        (START_XGID.replace("b", "ß", 1), r"character 7 of the XGID is '\\xdf'; expected ASCII only"),
        (START_XGID.replace(":00:", ":٣٣:"), r"is '\\u0663'; expected ASCII only"),
        ("\N{NO-BREAK SPACE}" + START_XGID, r"character 1 of the XGID is '\\xa0'"),
        ("\ud800" + START_XGID, r"character 1 of the XGID is '\\ud800'"),
        ("GNUB=" + START_XGID[5:], r"field 1 \(the board\) of the XGID has 31 characters, .*; expected 26"),
        (xgid_with(f1=LETTERS[:-1]), "field 1 .* has 25 characters"),
        (xgid_with(f1=LETTERS + "-"), "field 1 .* has 27 characters"),
        (xgid_with(f1=""), "field 1 .* has 0 characters"),
        (xgid_with(f1=LETTERS[:3] + "Q" + LETTERS[4:]), r"character 3 \(from 0\) of the XGID's board is 'Q'"),
        (xgid_with(f1=LETTERS[:25] + "q"), r"character 25 \(from 0\) of .* is 'q'; expected A-P"),
        (xgid_with(f1=" " + LETTERS[1:]).replace("= ", "=- ", 1), "field 1 .* has 27 characters"),
        (xgid_with(f2="16"), r"field 2 \(log2 of the cube\) .* is '16'; expected a number from 0 to 15"),
        (xgid_with(f2="-1"), "field 2 .* is '-1'"),
        (xgid_with(f2=""), "field 2 .* is ''"),
        (xgid_with(f2="01"), "field 2 .* is '01'"),
        (xgid_with(f2="1_0"), "field 2 .* is '1_0'"),
        (xgid_with(f2="11"), "the XGID's cube shows 2048; expected at most its maximum, 1024"),
        (xgid_with(f3="2"), r"field 3 \(cube owner\) of the XGID is '2'; expected 1 or 0 or -1"),
        (xgid_with(f3="+1"), r"field 3 .* is '\+1'"),
        (xgid_with(f4="0"), r"field 4 \(turn\) of the XGID is '0'; expected 1 or -1"),
        (xgid_with(f4=""), "field 4 .* is ''"),
        (xgid_with(f5="01"), r"field 5 \(dice\) of the XGID is '01'; expected two digits .* D, B or R"),
        *((xgid_with(f5=f), f"field 5 .* is '{f}'") for f in ("0", "", "7", "17", "311", "d", "DD", "A")),
        (xgid_with(f6="-2"), r"field 6 \(score of X\) of the XGID is '-2'; expected .* 0 to 32767"),
        (xgid_with(f7="2 "), r"field 7 \(score of O\) .* is '2 '"),
        (xgid_with(f7="9" * 40), "field 7 .* is '9999"),
        (xgid_with(f8="2"), r"field 8 \(Crawford, in a match\) of the XGID is '2'; expected 0 or 1"),
        (xgid_with(f8="4", f9="0"), r"field 8 \(Jacoby \+ 2 .* is '4'; expected 0 or 1 or 2 or 3"),
        (xgid_with(f8="1"), "marks the Crawford game at 2-3 in a match to 13"),
        (xgid_with(f6="12", f7="12", f8="1"), "marks the Crawford game at 12-12 in a match to 13"),
        (xgid_with(f6="13"), "the XGID's score 13-3 ends its match to 13"),
        (xgid_with(f7="14"), "the XGID's score 2-14 ends its match to 13"),
        (xgid_with(f9="x"), r"field 9 \(match length\) of the XGID is 'x'; expected .* 0 to 32767"),
        (xgid_with(f9="32768"), "field 9 .* is '32768'"),
        (xgid_with(f10="16"), r"field 10 \(log2 of the maximum cube\) .* is '16'; .* from 0 to 15"),
        (xgid_with(f10="\x00"), r"field 10 .* is '\\x00'"),
        (MATCH_XGID + "\n" + MATCH_XGID, "an XGID of 10[0-9] characters"),
    ],
)  # fmt: skip
def test_unreadable_xgid(text, message):
    start = time.perf_counter()
    with pytest.raises(NotationError, match=message) as caught:
        read_xgid(text)
    assert time.perf_counter() - start < patient(1)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("letters", "message"),
    [
        ("A" + LETTERS[1:], r"character 0 of .* \(the bar of O\) is 'A'; expected - or lower case"),
        (LETTERS[:25] + "b", r"character 25 of .* \(the bar of X\) is 'b'; expected - or upper case"),
        ("-P" + "-" * 24, "X has 16 checkers; expected at most 15"),
        ("-" * 24 + "HI", "X has 17 checkers"),
        ("hi" + "-" * 24, "O has 17 checkers"),
        ("p" * 25 + "A", "O has 400 checkers"),
    ],
)
@pytest.mark.parametrize("turn", ["1", "-1"])
def test_xgid_of_an_impossible_board(letters, message, turn):
    with pytest.raises(InvalidPositionError, match=message):
        read_xgid(xgid_with(f1=letters, f4=turn))


@given(st.text(max_size=120) | st.text("ABPabpq-:01D=XGID \n", max_size=120))
def test_any_text_is_read_or_refused(text):
    for read in (board_of_gnubg_id, read_xgid):
        assert re.fullmatch(r"[ -~]{10,250}", refusal(read, text) or "no refusal")


@given(st.integers(0, len(MATCH_XGID)), st.characters(), st.integers(0, 1))
def test_a_mistyped_xgid_is_read_or_refused(place, character, keep):
    text = MATCH_XGID[:place] + character + MATCH_XGID[place + keep :]
    message = refusal(read_xgid, text)
    if message is None:
        board = read_xgid(text)[0]
        assert read_xgid(written_xgid(board, Context()))[0] == board
    else:
        assert re.fullmatch(r"[ -~]{10,250}", message)


@pytest.mark.parametrize(
    "text",
    [
        START_XGID.removesuffix(":10"),
        START_XGID.replace("=", " = "),
        START_XGID.replace("XGID=", "xgid : "),
        f'"{START_XGID}"',
        f"\u201e{START_XGID}\u201c",
        f"\u00ab{START_XGID}\u00bb,",
        f"'{START_XGID}';",
        START_XGID.replace("=", '="') + '"',
        "\ufeff" + START_XGID,
        START_XGID.replace(":", "%3a").replace("=", "%3D"),
        f"%22{START_XGID}%22",
    ],
)
def test_variants_of_an_xgid(text):
    assert read_xgid(text) == read_xgid(START_XGID)
    assert Position.from_xgid(text) == Position.start()


@pytest.mark.parametrize(
    ("fields", "max_cube"),
    [
        ("2:1:-1:00:2:0:0:6:0", 1024),
        ("0:1:1:00:0:0:0:0:0", 1024),
        ("0:0:1:D:0:0:0:0:0", 1024),
        ("12:1:1:00:0:0:0:0:0", 4096),
        ("0:0:1:31:0:0:0:0:0", 1),
        ("1:1:1:00:0:0:0:0:1", 2),
    ],
)
def test_a_maximum_cube_of_0_is_no_limit_if_the_cube_was_turned(fields, max_cube):
    decision = Decision.read(f"{LETTERS}:{fields}")
    assert decision.max_cube == max_cube
    assert Decision.read(decision.xgid) == decision
    if max_cube > 1:
        assert not decision.xgid.endswith(":0")
