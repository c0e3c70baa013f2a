"""Positions, lists of plays and plays as objects: values, arrays, equality, pickles, bad input."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bgfast
from bgfast import InvalidPositionError, Position
from tests.support.positions import CLOSED_OUT, FINISHED, ORDERED_ROLLS, START, board_with, random_board
from tests.support.strategies import possible_positions

RNG = random.Random("position")
SAMPLE_BOARDS = [random_board(RNG) for _ in range(60)]


# ---- starting positions and values ----


def test_starting_positions() -> None:
    for constructor, position_id, checkers, pips in (
        (Position.start, "4HPwATDgc/ABMA", 15, 167),
        (Position.nackgammon, "4Dl4ADbgOXgANg", 15, 194),
        (Position.longgammon, "AACA/z8AAID/Pw", 15, 360),
        (Position.hypergammon, "AACgAgAAKgAAAA", 3, 69),
    ):
        position = constructor()
        assert (position.checkers, position.pip_counts, position.off) == (checkers, (pips, pips), (0, 0))
        assert position.flip() == position
        assert position.to_array().clip(0).sum() == checkers
        assert position.gnubg_id == position_id
    assert tuple(Position.start().to_array().tolist()) == START


@pytest.mark.parametrize("board", SAMPLE_BOARDS[::6])
def test_properties_of_a_position(board: tuple[int, ...]) -> None:
    position = Position.from_array(board)
    array = position.to_array()
    assert array.dtype == np.int8
    assert array.shape == (26,)
    assert array.tolist() == list(board)
    assert position.pip_counts == (
        sum(i * n for i, n in enumerate(board) if n > 0),
        sum((25 - i) * -n for i, n in enumerate(board) if n < 0),
    )
    assert position.off == (15 - sum(n for n in board if n > 0), 15 + sum(n for n in board if n < 0))
    flipped_position = position.flip()
    assert flipped_position.to_array().tolist() == [-n for n in reversed(board)]
    assert flipped_position.flip() == position
    assert flipped_position.pip_counts == position.pip_counts[::-1]


def test_phase_of_a_position() -> None:
    for points, phase in (
        ({1: -2, 6: 2}, "contact"),
        ({0: -1, 6: 2}, "contact"),  # the opponent has not passed the mover yet
        ({7: 2, 8: -2}, "race"),
        ({6: 2, 19: -2}, "bearoff"),
        ({6: 2, 18: -2}, "race"),
        ({7: 2, 19: -2}, "race"),
        ({25: 1}, "over"),
        ({0: -1}, "over"),
    ):
        assert Position.from_array(board_with(points)).phase == phase


def test_arrays_are_copied() -> None:
    position = Position.start()
    position.to_array()[:] = 0
    assert position == Position.start()
    source = np.array(START, dtype=np.int8)
    position = Position.from_array(source)
    source[:] = 0
    assert position == Position.start()


# ---- equality, hash, pickling ----


@pytest.mark.parametrize("checkers", [15, 3])
def test_copies_of_a_position_are_equal(checkers: int) -> None:
    boards = [
        board
        for board in SAMPLE_BOARDS[: 20 if checkers == 15 else None]
        if sum(n for n in board if n > 0) <= checkers
    ]
    boards = [board for board in boards if sum(-n for n in board if n < 0) <= checkers]
    assert boards
    for board in boards:
        position = Position.from_array(board, checkers)
        position_of_array = Position.from_array(np.array(board, dtype=">i4"), checkers=checkers)
        assert position == position_of_array
        assert hash(position) == hash(position_of_array)
        assert eval(repr(position)) == position
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(position, protocol)) == position
        assert copy.deepcopy(position) == position == copy.copy(position)
        assert Position.from_gnubg_id(position.gnubg_id, checkers) == position
        assert Position.from_xgid(position.xgid, checkers) == position


def test_checkers_per_side_are_part_of_a_position() -> None:
    fifteen_checkers = Position.from_array([0, 1] + [0] * 22 + [-1, 0])
    three_checkers = Position.from_array([0, 1] + [0] * 22 + [-1, 0], checkers=3)
    assert fifteen_checkers != three_checkers
    assert hash(fifteen_checkers) != hash(three_checkers)
    assert "checkers=3" in repr(three_checkers)
    assert (fifteen_checkers.off, three_checkers.off) == ((14, 14), (2, 2))
    assert three_checkers.flip().checkers == 3
    assert three_checkers.play("1/off", (2, 1)).checkers == 3
    assert "off 2" in str(three_checkers)


def test_objects_are_immutable_and_plays_have_no_constructor() -> None:
    position = Position.start()
    with pytest.raises(AttributeError):
        position.checkers = 3
    with pytest.raises(AttributeError):
        position.colour = "white"
    for cls in (bgfast.PlayList, bgfast.Play):
        for constructor in (cls, lambda cls=cls: cls.__new__(cls), lambda cls=cls: cls(None)):
            with pytest.raises(TypeError, match="get a Play"):
                constructor()


@pytest.mark.parametrize(
    "fields", ["0:0:1:31:0:0:0:0", "1:1:1:00:0:0:0:0", "0:0:1:D:0:0:0:0", "0:0:1:00:3:2:0:7"]
)
def test_ignored_context_gives_a_warning(fields: str) -> None:
    text = f"XGID=-b----E-C---eE---c-e----B-:{fields}:10"
    with pytest.warns(
        UserWarning, match=r"the dice, cube and score of .* are ignored; Decision\.read keeps"
    ) as caught:
        assert Position(text) == Position.start()
    assert [Path(warning.filename) for warning in caught] == [Path(__file__)]


def test_positions_without_a_context_are_read_silently() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for fields in ("0:0:1:00:0:0:0:0", "0:0:-1:00:0:0:3:0"):
            assert Position(f"XGID=-b----E-C---eE---c-e----B-:{fields}:10") == Position.start()
        assert Position("4HPwATDgc/ABMA") == Position.start()


def test_constructor_reads_all_forms_of_a_position() -> None:
    assert Position() == Position("start") == Position.start()
    for name in ("nackgammon", "longgammon", "hypergammon"):
        start = getattr(Position, name)()
        assert Position(name) == Position(str(start)) == Position(start.ogid) == start
    for board in bgfast.random_positions(300, seed=3):
        position = Position.from_array(board)
        forms = (
            position,
            board,
            board.tolist(),
            position.gnubg_id,
            position.xgid,
            position.ogid,
            str(position),
        )
        for form in (*forms, " ".join(map(str, board)), str(bgfast.Decision(position=position, turn=-1))):
            assert Position(form) == position, form
        assert Position(board, 15) == position
    three_checkers = Position([0, 1] + [0] * 22 + [-1, 0], checkers=3)
    assert Position(str(three_checkers)) == Position(three_checkers) == three_checkers
    assert three_checkers.checkers == 3


def test_positions_convert_to_arrays() -> None:
    position, other = Position(), Position("nackgammon")
    assert np.asarray(position).dtype == np.int8
    assert np.array_equal(position, position.to_array())
    assert np.array(position, dtype=float).dtype == np.float64
    assert np.stack([position, other]).shape == np.array([position, other]).shape == (2, 26)
    array = np.asarray(position)
    array[6] = 0
    assert position[6] == 5
    with pytest.raises(ValueError, match="a position does not store an array"):
        np.array(position, copy=False)


# ---- lists of plays ----


@settings(max_examples=30)
@given(possible_positions(), st.sampled_from(ORDERED_ROLLS))
def test_list_and_arrays_agree(board: tuple[int, ...], roll: tuple[int, int]) -> None:
    position = Position.from_array(board)
    plays = position.plays(roll)
    boards, moves = plays.boards, plays.moves
    assert boards.dtype == moves.dtype == np.int8
    assert boards.shape == (len(plays), 26)
    assert moves.shape == (len(plays), 4, 2)
    assert boards.flags.c_contiguous
    assert moves.flags.c_contiguous
    for i, play in enumerate(plays[:5]):
        assert play.position.flip().to_array().tolist() == boards[i].tolist()
        assert [list(move) for move in play.moves] == [m for m in moves[i].tolist() if m[0] >= 0]
        assert len(play.moves) == plays.dice_used
        assert position.play(play, roll) == play.position
        assert position.play(str(play), roll) == play.position
        assert position.play(play.moves, roll) == play.position
        assert position.play(moves[i], roll) == play.position
        assert plays.index(play) == i
        assert plays.count(play) == 1
    if not len(plays):
        assert plays.dice_used == 0
        assert position.play("pass", roll) == position.flip()
        assert not position.next_moves(roll)
        assert position.next_moves(roll).complete


def test_list_of_plays_is_a_sequence() -> None:
    plays = Position.start().plays((3, 1))
    assert isinstance(plays, Sequence)
    assert len(plays) == 16
    assert plays[-1] == plays[15] == list(plays)[15]
    assert plays[2:4] == [plays[2], plays[3]]
    assert list(reversed(plays)) == list(plays)[::-1]
    assert plays[0] in plays
    assert "24/18" not in plays
    assert plays.roll == (3, 1)
    assert plays.position == Position.start()
    assert repr(plays) == "Position.from_gnubg_id('4HPwATDgc/ABMA').plays((3, 1))"
    assert eval(repr(plays)) == plays
    assert bool(plays)
    with pytest.raises(IndexError):  # an IndexError ends iteration by index
        plays[16]


def test_count_and_index_of_plays() -> None:
    plays = Position.start().plays((3, 1))
    for item in (Position.start().plays((2, 1))[0], Position.start(), None, []):
        assert plays.count(item) == 0  # type: ignore[arg-type]
    assert plays.index(plays[3], 1, 9) == 3


def test_a_roll_before_a_play_is_accepted() -> None:
    position, closed_out = Position.start(), Position.from_array(CLOSED_OUT)
    for prefix in ("65:", "56:", "6-5:", "6 5 :", "\t65:  ", "5-6 : "):
        assert position.play(f"{prefix} 24/13", (6, 5)) == position.play("24/13", (6, 5))
        assert position.play(f"{prefix}24/13", (5, 6)) == position.play("24/13", (6, 5))
        for text in ("pass", "no play", "0/0", "0/0 0/0", " No  PLAY ", f"{prefix} no play", f"{prefix}pass"):
            assert closed_out.play(text, (6, 5)) == closed_out.flip()


def test_position_ids_are_read_as_gnu_backgammon_prints_them() -> None:
    for template in (
        "Position ID: {}",
        "position id:{}",
        "GNU position ID: {}",
        " GNU Backgammon  Position ID: {}\n                 Match ID   : cAkAAAAAAAAA\n",
        "Position ID: {} Match ID: cIkqAAAAA/A+",
    ):
        for position in (Position.start(), Position.from_gnubg_id("sGfwATDgc/ABMA")):
            assert Position.from_gnubg_id(template.format(position.gnubg_id)) == position


def test_arrays_of_a_list_are_read_only() -> None:
    plays = Position.start().plays((3, 1))
    for array in (plays.boards, plays.moves):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)
        with pytest.raises(ValueError, match="WRITEABLE"):
            array[:].setflags(write=True)
        assert isinstance(array.base, bytes)


def test_arrays_of_a_list_outlive_it() -> None:
    boards, moves = Position.start().plays((1, 1)).boards, Position.start().plays((1, 1)).moves
    other_plays = [Position.nackgammon().plays((2, 2)) for _ in range(100)]
    assert boards.tolist() == Position.start().plays((1, 1)).boards.tolist()
    assert moves.tolist() == Position.start().plays((1, 1)).moves.tolist()
    assert len(other_plays) == 100


def test_plays_of_equal_rolls_are_equal() -> None:
    plays = Position.start().plays((3, 1))
    assert plays == Position.start().plays((1, 3))
    assert hash(plays) == hash(Position.start().plays((1, 3)))
    assert plays != Position.start().plays((3, 2))
    assert len(set(plays) | set(Position.start().plays((1, 3)))) == 16
    assert plays[0] != plays[1]
    assert plays[0] != str(plays[0])
    assert pickle.loads(pickle.dumps(plays)) == plays
    assert [pickle.loads(pickle.dumps(play)) for play in plays] == list(plays)
    assert [eval(repr(play)) for play in plays] == list(plays)


# ---- playing ----


def test_play_returns_the_position_from_the_next_players_side() -> None:
    successor = Position.start().play("8/5 6/5", (3, 1))
    assert successor.gnubg_id == Position.start().play("6/5 8/5", (1, 3)).gnubg_id
    assert successor.pip_counts == (167, 163)
    assert successor.to_array()[20] == -2


def test_finished_positions_can_be_pickled_and_printed() -> None:
    finished_position = Position.from_array(FINISHED).flip()
    for position in (finished_position, finished_position.flip()):
        assert position.phase == "over"
        assert pickle.loads(pickle.dumps(position)) == position
        assert eval(repr(position)) == position
        assert "won" in str(position)


# ---- input ----


def test_any_array_of_valid_numbers_is_accepted() -> None:
    array = np.array(START, dtype=np.int8)
    arrays = array.astype(np.int64), array.astype(">i2"), array.astype(np.float32), np.repeat(array, 3)[::3]
    fortran_row = np.asfortranarray(np.stack([array, array]))[0]
    for board in (*arrays, fortran_row, array[::-1][::-1], list(START), START, np.ma.masked_array(START)):
        assert Position.from_array(board) == Position.start()
    for roll in ((3, 1), [3, 1], np.array([3, 1]), (np.int8(3), np.uint64(1)), iter((3, 1))):
        assert len(Position.start().plays(roll)) == 16  # type: ignore[arg-type]


def test_plays_under_other_rule_sets() -> None:
    position = Position.start()
    assert position.plays((6, 5), "five_stack") == position.plays((6, 5), bgfast.FIVE_STACK)
    # Rules that do not affect plays are ignored.
    assert len(position.plays((3, 1), rules=bgfast.RuleSet(jacoby=True))) == 16


def test_damaged_pickles_are_refused() -> None:
    data = pickle.dumps(Position.start(), protocol=4)  # each byte 5 is a number of checkers
    damaged_data = data.replace(b"\x05", b"\x7f", 1)
    assert damaged_data != data
    with pytest.raises(InvalidPositionError):
        pickle.loads(damaged_data)
