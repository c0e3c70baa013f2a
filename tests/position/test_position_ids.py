"""Position IDs and XGIDs: known values, an independent codec, round trips, and invalid text."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bgfast import Decision, Position
from bgfast.errors import BgfastError
from bgfast.position.formats import Context, format_xgid, read_xgid
from bgfast.position.position_ids import board_of_gnubg_id, gnubg_id_of
from tests.support.positions import board_with
from tests.support.rule_cases import engine_defects
from tests.support.strategies import boards

START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
NACKGAMMON = [0, -2, -2, 0, 0, 0, 4, 0, 3, 0, 0, 0, -4, 4, 0, 0, 0, -3, 0, -4, 0, 0, 0, 2, 2, 0]
START_ID = "4HPwATDgc/ABMA"
START_XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
MATCH_XGID = "XGID=----BaC-B---aD--aa-bcbbBbB:0:0:1:22:2:3:0:13:10"
DATA = Path(__file__).parents[1] / "data"
BLANK_COUNT = 10_000_000


def swap_sides(board):
    return [-n for n in reversed(board)]


def bitwise_id(opponent, mover):
    """Return an ID, written bit by bit; each side maps its points (25 is the bar) to numbers of checkers."""
    packed_bits = bytearray(11)
    bit = 0
    for side in (opponent, mover):
        for point in range(1, 26):
            for _ in range(side.get(point, 0)):
                packed_bits[bit // 8] |= 1 << bit % 8
                bit += 1
            bit += 1
    return base64.b64encode(packed_bits)[:14].decode()


def bitwise_board(text):
    """Return the board of a valid ID, read bit by bit."""
    packed_bits = base64.b64decode(text + "==")
    board, slot = [0] * 26, 0
    for bit in range(80):
        if not packed_bits[bit // 8] >> bit % 8 & 1:
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
    """Return the message of the error that `read` raises, or None if it reads the text."""
    try:
        read(text)
    except BgfastError as error:
        return str(error)
    return None


# ---- GNU Backgammon position IDs ----


def test_known_gnubg_ids() -> None:
    for text, board in (
        (START_ID, START),
        ("4Dl4ADbgOXgANg", NACKGAMMON),
        ("MAAAAAAACAAAAA", board_with({20: -2, 25: 1})),  # not symmetric: the second half is the mover's
        ("AACA/z8AAID/Pw", board_with({1: -15, 24: 15})),
        ("fwAAgH//AAAAfw", board_with({0: -8, 24: -7, 1: 8, 25: 7})),
        ("AAAAAAAAAAAAAA", [0] * 26),
    ):
        assert board_of_gnubg_id(text) == board
        assert gnubg_id_of(board) == text
    for text in sorted(set(known_ids())):
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
def test_any_80_bits_are_read_exactly_or_refused(packed_bits):
    text = base64.b64encode(packed_bits).decode().rstrip("=")
    message = refusal(board_of_gnubg_id, text)
    if message is None:
        assert gnubg_id_of(board_of_gnubg_id(text)) == text
    else:
        assert len(message) < 250


# ---- XGIDs ----


def test_known_xgid():
    assert format_xgid(START, Context()) == START_XGID
    assert read_xgid(START_XGID) == (tuple(START), Context(
        turn=1, dice=None, offer=None, cube=1, cube_owner=0, score=(0, 0),
        match_length=0, crawford=False, jacoby=False, beaver=False, max_cube=1024,
    ))  # fmt: skip


def test_every_field_of_a_match_is_read():
    board, context = read_xgid(xgid_with(f2="2", f3="1", f5="31", f6="12", f7="0", f8="1", f10="9"))
    assert board == (0, 0, 0, 0, 2, -1, 3, 0, 2, 0, 0, 0, -1, 4, 0, 0, -1, -1, 0, -2, -3, -2, -2, 2, -2, 2)
    assert context == Context(
        turn=1, dice=(3, 1), offer=None, cube=4, cube_owner=1, score=(12, 0),
        match_length=13, crawford=True, jacoby=False, beaver=False, max_cube=512,
    )  # fmt: skip


def test_turn_of_o_swaps_the_fields_of_both_sides():
    board, x_context = read_xgid(xgid_with(f2="1", f3="-1", f4="1"))
    o_board, o_context = read_xgid(xgid_with(f2="1", f3="-1", f4="-1"))
    assert o_board == tuple(swap_sides(board))
    assert (x_context.turn, x_context.cube_owner, x_context.score) == (1, -1, (2, 3))
    assert (o_context.turn, o_context.cube_owner, o_context.score) == (-1, 1, (3, 2))
    assert dataclasses.replace(o_context, turn=1, cube_owner=-1, score=(2, 3)) == x_context


@given(boards())
def test_xgid_round_trip(board):
    text = format_xgid(board, Context())
    letters = text.removeprefix("XGID=").split(":")[0]
    assert [0 if c == "-" else ord(c) - 64 if c < "a" else 96 - ord(c) for c in letters] == board
    assert read_xgid(text)[0] == tuple(board)


@given(boards())
def test_xgid_with_o_on_roll_is_the_swapped_board(board):
    text = format_xgid(swap_sides(board), Context()).replace(":0:0:1:", ":0:0:-1:")
    assert read_xgid(text)[0] == tuple(board)


def test_dice_offers_and_money_rules_are_read() -> None:
    for field, dice, offer in (
        ("00", None, None), ("31", (3, 1), None), ("13", (1, 3), None), ("66", (6, 6), None),
        ("D", None, "double"), ("B", None, "beaver"), ("R", None, "raccoon"),
    ):  # fmt: skip
        context = read_xgid(xgid_with(f5=field))[1]
        assert (context.dice, context.offer) == (dice, offer)
    for field in range(4):
        context = read_xgid(xgid_with(f8=str(field), f9="0"))[1]
        assert (context.jacoby, context.beaver) == (bool(field & 1), bool(field & 2))
        assert (context.crawford, context.match_length) == (False, 0)


def test_the_largest_numbers_are_read():
    _, context = read_xgid(xgid_with(f2="15", f6="32766", f7="32766", f9="32767", f10="15"))
    assert (context.cube, context.max_cube) == (32768, 32768)
    assert (context.score, context.match_length) == ((32766, 32766), 32767)


BOARD_LETTERS = MATCH_XGID[5:31]


@given(st.text(max_size=120) | st.text("ABPabpq-:01D=XGID \n", max_size=120))
def test_any_text_is_read_or_refused(text):
    for read in (board_of_gnubg_id, read_xgid):
        assert re.fullmatch(r"[ -~]{10,250}", refusal(read, text) or "no refusal")


@given(st.integers(0, len(MATCH_XGID)), st.characters(), st.integers(0, 1))
def test_a_mistyped_xgid_is_read_or_refused(index, character, skip):
    text = MATCH_XGID[:index] + character + MATCH_XGID[index + skip :]
    message = refusal(read_xgid, text)
    if message is None:
        board = read_xgid(text)[0]
        assert read_xgid(format_xgid(board, Context()))[0] == board
    else:
        assert re.fullmatch(r"[ -~]{10,250}", message)


def test_variants_of_an_xgid_are_read() -> None:
    for text in (
        START_XGID[5:],
        "xGiD=" + START_XGID[5:],
        f" \t{START_XGID}\r\n",
        " " * BLANK_COUNT + START_XGID,
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
    ):
        assert read_xgid(text) == read_xgid(START_XGID)
        assert Position.from_xgid(text) == Position.start()


def test_a_maximum_cube_of_0_sets_no_limit_if_the_cube_was_turned() -> None:
    for fields, max_cube in (
        ("2:1:-1:00:2:0:0:6:0", 1024),
        ("0:1:1:00:0:0:0:0:0", 1024),
        ("0:0:1:D:0:0:0:0:0", 1024),
        ("12:1:1:00:0:0:0:0:0", 4096),
        ("0:0:1:31:0:0:0:0:0", 1),
        ("1:1:1:00:0:0:0:0:1", 2),
    ):
        decision = Decision.read(f"{BOARD_LETTERS}:{fields}")
        assert decision.max_cube == max_cube
        assert Decision.read(decision.xgid) == decision
        if max_cube > 1:
            assert not decision.xgid.endswith(":0")
