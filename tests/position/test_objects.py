"""Positions, lists of plays and plays as objects: values, arrays, equality, pickles, bad input."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bgfast
from bgfast import (
    BgfastError,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    NotationError,
    Position,
)
from bgfast.errors import InvalidRulesError, shown
from bgfast.position.formats import Context, written_xgid
from bgfast.position.position_ids import gnubg_id_of
from tests.support.positions import (
    CLOSED_OUT,
    FINISHED,
    ORDERED_ROLLS,
    SOURCES,
    START,
    is_possible,
    random_board,
)
from tests.support.strategies import possible_positions

RNG = random.Random("position")
SAMPLE = [random_board(RNG) for _ in range(60)]


# ---- starting positions and values ----


@pytest.mark.parametrize(
    ("make", "position_id", "checkers", "pips"),
    [
        (Position.start, "4HPwATDgc/ABMA", 15, 167),
        (Position.nackgammon, "4Dl4ADbgOXgANg", 15, 194),
        (Position.longgammon, "AAAA/38AAAD8fw", 15, 360),
        (Position.hypergammon, "AACgAgAAAKgCAA", 3, 69),
    ],
)
def test_starting_position(make, position_id: str, checkers: int, pips: int) -> None:
    position = make()
    assert position.checkers == checkers
    assert position.pip_counts == (pips, pips)
    assert position.off == (0, 0)
    assert position.flip() == position
    own = position.to_array()[position.to_array() > 0].sum()
    assert own == checkers
    if position_id.startswith("4"):
        assert position.gnubg_id == position_id


def test_board_of_the_starting_position() -> None:
    assert tuple(Position.start().to_array().tolist()) == START
    assert Position.hypergammon().to_array().tolist() == [0, -1, -1, -1] + [0] * 18 + [1, 1, 1, 0]
    assert Position.longgammon().to_array().tolist() == [0, -15] + [0] * 22 + [15, 0]
    assert Position.nackgammon().to_array()[[24, 23, 13, 8, 6]].tolist() == [2, 2, 4, 3, 4]


@pytest.mark.parametrize("board", SAMPLE)
def test_values_of_a_position(board: tuple[int, ...]) -> None:
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
    flipped = position.flip()
    assert flipped.to_array().tolist() == [-n for n in reversed(board)]
    assert flipped.flip() == position
    assert flipped.pip_counts == position.pip_counts[::-1]


@pytest.mark.parametrize(
    ("board", "phase"),
    [
        (START, "contact"),
        ([0, -2] + [0] * 4 + [2] + [0] * 19, "contact"),
        ([-1] + [0] * 5 + [2] + [0] * 19, "contact"),  # the opponent enters behind the mover
        ([0] * 7 + [2, -2] + [0] * 17, "race"),
        ([0] * 6 + [2] + [0] * 12 + [-2] + [0] * 6, "bearoff"),
        ([0] * 6 + [2] + [0] * 11 + [-2] + [0] * 7, "race"),
        ([0] * 7 + [2] + [0] * 11 + [-2] + [0] * 6, "race"),
        ([0] * 24 + [0, 1], "over"),
        ([-1] + [0] * 25, "over"),
    ],
)
def test_phase(board: Sequence[int], phase: str) -> None:
    assert Position.from_array(board).phase == phase


def test_returned_arrays_are_copies() -> None:
    position = Position.start()
    position.to_array()[:] = 0
    assert position == Position.start()
    source = np.array(START, dtype=np.int8)
    position = Position.from_array(source)
    source[:] = 0
    assert position == Position.start()


# ---- equality, hash, pickling ----


@pytest.mark.parametrize("checkers", [15, 3])
def test_equality_hash_repr_pickle(checkers: int) -> None:
    boards = [board for board in SAMPLE if sum(n for n in board if n > 0) <= checkers]
    boards = [board for board in boards if sum(-n for n in board if n < 0) <= checkers]
    assert boards
    for board in boards:
        position = Position.from_array(board, checkers)
        again = Position.from_array(np.array(board, dtype=">i4"), checkers=checkers)
        assert position == again
        assert hash(position) == hash(again)
        assert eval(repr(position)) == position
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(position, protocol)) == position
        assert copy.deepcopy(position) == position == copy.copy(position)
        assert Position.from_gnubg_id(position.gnubg_id, checkers) == position
        assert Position.from_xgid(position.xgid, checkers) == position


def test_checkers_per_side_are_part_of_a_position() -> None:
    fifteen = Position.from_array([0, 1] + [0] * 22 + [-1, 0])
    three = Position.from_array([0, 1] + [0] * 22 + [-1, 0], checkers=3)
    assert fifteen != three
    assert hash(fifteen) != hash(three)
    assert "checkers=3" in repr(three)
    assert (fifteen.off, three.off) == ((14, 14), (2, 2))
    assert three.flip().checkers == 3
    assert three.play("1/off", (2, 1)).checkers == 3
    assert "off 2" in str(three)


def test_positions_differ_from_other_things() -> None:
    assert Position.start() != START
    assert Position.start() != "4HPwATDgc/ABMA"
    assert len({Position.from_array(board) for board in SAMPLE}) == len(set(SAMPLE))


def test_positions_are_immutable_and_have_no_constructor() -> None:
    position = Position.start()
    with pytest.raises(AttributeError):
        position.checkers = 3
    with pytest.raises(AttributeError):
        position.colour = "white"
    for kind in (Position, bgfast.PlayList, bgfast.Play):
        for make in (kind, lambda kind=kind: kind.__new__(kind), lambda kind=kind: kind(None)):
            with pytest.raises(TypeError, match=r"make a Position|get a Play"):
                make()


# ---- lists of plays ----


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
    for i, play in enumerate(plays[:10]):
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
        assert position.next_moves(roll) == ((), True)


def test_list_of_plays_is_a_sequence() -> None:
    plays = Position.start().plays((3, 1))
    assert isinstance(plays, Sequence)
    assert len(plays) == 16
    assert plays[-1] == plays[15] == list(plays)[15]
    assert plays[2:4] == [plays[2], plays[3]]
    assert list(reversed(plays)) == list(plays)[::-1]
    assert plays[0] in plays
    assert "24/18" not in plays
    for place in (16, 99, -17, 10**40, np.int64(16)):
        with pytest.raises(
            BgfastError, match=r"^there is no play .*; expected an index from -16 to 15$"
        ) as failed:
            plays[place]
        assert isinstance(failed.value, IndexError)
    closed_out = Position.from_array(CLOSED_OUT).plays((6, 5))
    with pytest.raises(IndexError, match=r"^there is no play 0; expected none: the turn passes$"):
        closed_out[0]
    assert plays.roll == (3, 1)
    assert plays.position == Position.start()
    assert repr(plays) == "Position.from_gnubg_id('4HPwATDgc/ABMA').plays((3, 1))"
    assert eval(repr(plays)) == plays
    assert bool(plays)


def test_a_list_of_plays_ends_with_an_index_error() -> None:
    plays = Position.start().plays((3, 1))
    assert list(map(plays.__getitem__, range(16))) == list(plays)

    class ByPlace:
        """Iterate as Python does without `__iter__`: until an IndexError."""

        def __getitem__(self, place: int) -> bgfast.Play:
            return plays[place]

    assert list(ByPlace()) == list(plays)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "absent",
    [
        Position.start().plays((2, 1))[0],
        Position.start().plays((2, 1)).boards[0],
        Position.start(),
        None,
        [],
    ],
    ids=lambda absent: type(absent).__name__,
)
def test_index_of_a_missing_play(absent: Any) -> None:
    plays = Position.start().plays((3, 1))
    with pytest.raises(
        BgfastError, match=r"is not in the list of plays; expected a Play of the same position and"
    ):
        plays.index(absent)
    assert plays.count(absent) == 0
    with pytest.raises(BgfastError, match="not in the list"):
        plays.index(plays[0], 1)
    assert plays.index(plays[3], 1, 9) == 3


@pytest.mark.parametrize("rolled", ["65:", "56:", "6-5:", "6 5 :", "\t65:  ", "5-6 : "])
def test_the_roll_that_a_score_sheet_writes_before_a_play(rolled: str) -> None:
    position = Position.start()
    assert position.play(f"{rolled} 24/13", (6, 5)) == position.play("24/13", (6, 5))
    assert position.play(f"{rolled}24/13", (5, 6)) == position.play("24/13", (6, 5))
    closed_out = Position.from_array(CLOSED_OUT)
    for text in ("pass", "no play", "0/0", "0/0 0/0", " No  PLAY ", f"{rolled} no play", f"{rolled}pass"):
        assert closed_out.play(text, (6, 5)) == closed_out.flip()
        with pytest.raises(IllegalPlayError, match=r"^passing is not allowed"):
            position.play(text, (6, 5))
    with pytest.raises(NotationError, match=r"^'64: 24/14' is a play of 6-4; expected one of 6-5$"):
        position.play("64: 24/14", (6, 5))


@pytest.mark.parametrize(
    "text", ["65:", "65", "7: 24/13", "65: 65: 24/13", "65 24/13", "65: 24/13:", "no", "play"]
)
def test_other_texts_with_a_roll_are_no_plays(text: str) -> None:
    with pytest.raises(NotationError):
        Position.start().play(text, (6, 5))


PASTED = [
    "Position ID: {}",
    "position id:{}",
    "GNU position ID: {}",
    " GNU Backgammon  Position ID: {}\n                 Match ID   : cAkAAAAAAAAA\n",
    "Position ID: {} Match ID: cIkqAAAAA/A+",
]


@pytest.mark.parametrize("pasted", PASTED)
def test_a_position_id_as_gnu_backgammon_prints_it(pasted: str) -> None:
    for position in (Position.start(), Position.from_gnubg_id("sGfwATDgc/ABMA")):
        assert Position.from_gnubg_id(pasted.format(position.gnubg_id)) == position


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Position ID: 4HPwATDgc/ABM", "a position ID of 13 characters, '4HPwATDgc/ABM'; expected 14"),
        (
            "Position ID: 4HPwATDgc/ABMA 31",
            "'31' after the position ID; expected nothing or 'Match ID:' and an ID",
        ),
        (
            "Position ID: 4HPwATDgc/ABMA Match ID: cAkAAAAAAAA",
            "'Match ID: cAkAAAAAAAA' after the position ID",
        ),
        ("Position ID: 4HPwATDgc/ABMA Match ID: cAkAAAAAAAAAA", "'Match ID: cAkAAAAAAAAAA' after the posit"),
        ("Match ID: cAkAAAAAAAAA", "a position ID of 22 characters"),
        ("Position ID:", "a position ID of 12 characters"),
        ("Position 4HPwATDgc/ABMA", "a position ID of 23 characters"),
        ("Your Position ID: 4HPwATDgc/ABMA", "a position ID of 32 characters"),
    ],
)
def test_labelled_text_that_is_no_position_id(text: str, message: str) -> None:
    with pytest.raises(NotationError) as failed:
        Position.from_gnubg_id(text)
    assert message in str(failed.value)


def test_boards_of_a_list_cannot_be_written_to() -> None:
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


def test_equal_plays() -> None:
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


def test_play_returns_the_next_players_side() -> None:
    after = Position.start().play("8/5 6/5", (3, 1))
    assert after.gnubg_id == Position.start().play("6/5 8/5", (1, 3)).gnubg_id
    assert after.pip_counts == (167, 163)
    assert after.to_array()[20] == -2


@pytest.mark.parametrize(
    ("play", "roll", "error", "message"),
    [
        ("8/5 6/4", (3, 1), IllegalPlayError, "6/4"),
        ("8/5", (3, 1), IllegalPlayError, "both"),
        ("pass", (3, 1), IllegalPlayError, r"passing is not allowed: there are legal plays \(16\)"),
        ("hello", (3, 1), NotationError, "hello"),
        ("", (3, 1), NotationError, "empty|nothing|no "),
        (None, (3, 1), IllegalPlayError, "None"),
        (17, (3, 1), IllegalPlayError, "17"),
        ([(8, 5)], (3, 1), IllegalPlayError, "not complete: 1 can still be played"),
        ([(8, 5), (8, 5)], (3, 1), IllegalPlayError, "move 2, 8/5"),
        ([(8,)], (3, 1), IllegalPlayError, "move 1"),
        (["8/5"], (3, 1), IllegalPlayError, "move 1"),
        ([8, 5], (3, 1), IllegalPlayError, "move 1"),
        (["8/5"] * 100_000, (3, 1), IllegalPlayError, "move 1"),
        ([(8.0, 5.0), (6, 5)], (3, 1), IllegalPlayError, "move 1"),
        ([(3, 8, 5, True), (6, 5)], (3, 1), IllegalPlayError, "move 1, 8/5: no legal play"),
        ([(3, 8, 5, "no"), (6, 5)], (3, 1), IllegalPlayError, "move 1"),
        ([(10**5000, 5)], (3, 1), IllegalPlayError, "move 1"),
        ([itertools.count()], (3, 1), IllegalPlayError, "move 1"),
        ([(np.array([1, 2]), 5)], (3, 1), IllegalPlayError, "move 1"),
    ],
    ids=shown,
)
def test_invalid_plays(play, roll, error: type, message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        Position.start().play(play, roll)
    assert len(str(caught.value)) < 300


def test_a_play_of_another_position_or_roll_is_refused() -> None:
    other = Position.nackgammon().plays((3, 1))[0]
    with pytest.raises(IllegalPlayError, match="not a play of this position"):
        Position.start().play(other, (3, 1))
    with pytest.raises(IllegalPlayError, match="not a play of this position"):
        Position.start().play(Position.start().plays((6, 5))[0], (3, 1))


def test_pass_is_refused_or_played_in_any_case() -> None:
    closed_out = Position.from_array(CLOSED_OUT)
    assert closed_out.play(" PASS ", (6, 5)) == closed_out.flip()
    assert len(closed_out.plays((6, 6))) == 0
    with pytest.raises(IllegalPlayError):
        closed_out.play("bar/20", (6, 5))


def test_finished_positions_have_no_plays() -> None:
    finished = Position.from_array(FINISHED).flip()
    for position in (finished, finished.flip()):
        assert position.phase == "over"
        assert pickle.loads(pickle.dumps(position)) == position
        assert eval(repr(position)) == position
        assert "won" in str(position)
        for ask in (position.plays, position.next_moves, lambda roll, p=position: p.play("pass", roll)):
            with pytest.raises(InvalidPositionError, match="the game is over"):
                ask((3, 1))


# ---- invalid input ----


def changed(**points: int) -> list[int]:
    board = list(START)
    for name, n in points.items():
        board[int(name[1:])] = n
    return board


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (START[:25], r"shape \(25,\); expected 26"),
        ((*START, 0), r"shape \(27,\); expected 26"),
        ([START], r"shape \(1,\)"),
        ([], r"shape \(0,\)"),
        (None, "None; expected 26"),
        (5, "5; expected 26"),
        ("4HPwATDgc/ABMA", "expected 26"),
        ([0.5] * 26, "index 0 is 0.5"),
        ([*START[:25], float("nan")], "index 25 is nan"),
        ([*START[:25], float("inf")], "index 25 is inf"),
        ([*START[:25], 256], "index 25 is 256"),
        ([*START[:25], 10**30], "dtype object"),
        ([*START[:25], -(10**10)], "index 25 is -10000000000"),
        (["0"] * 26, "index 0 is '0'"),
        (np.array(["0"] * 26), "dtype <U1"),
        ([None] * 26, "dtype object"),
        (np.array([True] * 26), "dtype bool"),
        (np.zeros(26, complex), "dtype complex128"),
        (np.zeros(26, [("x" * 10**6, "i1")]), "dtype"),
        (["x" * 10**7] * 26, "index 0 is 'xxx"),
        ([True, *START[1:]], "index 0 is True"),
        ([0] * 10**7, r"shape \(10000000,\)"),
        (itertools.count(), "expected 26"),
        (np.ma.masked_array(START, mask=[True] * 26), "masked"),
        ([10**5000] * 26, "dtype object|cannot be read"),
        ([[0], [1, 2]], "cannot be read|shape"),
        (changed(p6=6), "the mover has 16 checkers; expected at most 15"),
        (changed(p19=-6), "the opponent has 16 checkers; expected at most 15"),
        (changed(p25=-1), "index 25, the mover's bar, is -1"),
        (changed(p0=1), "index 0, the opponent's bar, is 1"),
        ([0] * 26, "nobody has a checker"),
        ([-1] + [2] * 6 + [0] * 12 + [-2] * 6 + [1], "closed home boards"),
        ([127] * 26, "opponent's bar"),
        ([0] + [127] * 25, "the mover has 3175 checkers"),
    ],
    ids=shown,
)
def test_impossible_boards(board, message: str) -> None:
    with pytest.raises(InvalidPositionError, match=message) as caught:
        Position.from_array(board)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a.astype(np.int64),
        lambda a: a.astype(">i2"),
        lambda a: a.astype(np.float32),
        lambda a: np.repeat(a, 3)[::3],
        lambda a: np.asfortranarray(np.stack([a, a]))[0],
        lambda a: a[::-1][::-1],
        lambda a: a.tolist(),
        lambda a: tuple(a),
        lambda a: range(0),
    ],
)
def test_any_array_of_valid_numbers_is_accepted(make) -> None:
    array = np.array(START, dtype=np.int8)
    given_array = make(array)
    if len(given_array):
        assert Position.from_array(given_array) == Position.start()


def test_masked_arrays_without_a_mask_are_arrays() -> None:
    assert Position.from_array(np.ma.masked_array(START)) == Position.start()


def test_unsigned_boards() -> None:
    last = np.zeros(26, dtype=np.uint8)
    last[1] = 1
    assert Position.from_array(last).phase == "over"
    last[1] = 200
    with pytest.raises(InvalidPositionError, match="index 1 is 200"):
        Position.from_array(last)


@pytest.mark.parametrize("checkers", [0, -1, 16, 3.5, "3", None, True, 10**5000], ids=shown)
def test_checkers_per_side_out_of_range_are_refused(checkers) -> None:
    for make in (
        lambda: Position.from_array(START, checkers=checkers),
        lambda: Position.from_gnubg_id("4HPwATDgc/ABMA", checkers=checkers),
    ):
        with pytest.raises(InvalidPositionError, match="checkers is"):
            make()


def test_more_checkers_than_the_game_has_are_refused() -> None:
    with pytest.raises(InvalidPositionError, match="the mover has 15 checkers; expected at most 3"):
        Position.from_array(START, checkers=3)


@pytest.mark.parametrize(
    ("roll", "message"),
    [
        ((7, 1), "the first die is 7"),
        ((0, 1), "the first die is 0"),
        ((1, 7), "the second die is 7"),
        ((3.5, 1), "the first die is 3.5"),
        ((3.0, 1), "the first die is 3.0"),
        ((1, 2, 3), r"\(1, 2, 3\); expected two dice"),
        ((1,), "expected two dice"),
        ((), "expected two dice"),
        ("31", "expected two dice"),
        (31, "expected two dice"),
        (None, "expected two dice"),
        (itertools.count(), "expected two dice"),
        ((True, 3), "the first die is True"),
        ((10**5000, 3), "the first die is <a whole number of"),
        (("3", "1"), "the first die is '3'"),
        ((-3, 1), "the first die is -3"),
        ([[3, 1]], "expected two dice"),
        ((float("nan"), 1), "the first die is nan"),
    ],
    ids=shown,
)
def test_invalid_rolls(roll, message: str) -> None:
    position = Position.start()
    for ask in (position.plays, position.next_moves, lambda roll: position.play("8/5 6/5", roll)):
        with pytest.raises(InvalidDiceError, match=message):
            ask(roll)


@pytest.mark.parametrize("roll", [(3, 1), [3, 1], np.array([3, 1]), (np.int8(3), np.uint64(1)), iter((3, 1))])
def test_rolls_in_any_sequence(roll) -> None:
    assert len(Position.start().plays(roll)) == 16


def test_invalid_rule_sets() -> None:
    position = Position.start()
    with pytest.raises(InvalidRulesError, match="expected a RuleSet"):
        position.plays((3, 1), rules=5)
    with pytest.raises(InvalidRulesError, match="no rule set is named 'stanard'"):
        position.plays((3, 1), rules="stanard")
    assert position.plays((6, 5), "five_stack") == position.plays((6, 5), bgfast.FIVE_STACK)
    # Switches that do not affect plays have no effect here.
    assert len(position.plays((3, 1), rules=bgfast.RuleSet(jacoby=True))) == 16


@pytest.mark.parametrize("make", [Position.from_gnubg_id, Position.from_xgid])
@pytest.mark.parametrize(
    "text", ["", "x", None, 5, b"4HPwATDgc/ABMA", "4HPwATDgc/ABM\u00e9", "A" * 10_000_000]
)
def test_errors_of_invalid_ids_are_short(make, text) -> None:
    with pytest.raises(NotationError) as caught:
        make(text)
    assert len(str(caught.value)) < 300


def test_deadlocked_positions_are_refused_in_every_form() -> None:
    # Both on the bar against closed home boards, written by the encoders of plain boards.
    board = [-1] + [2] * 6 + [0] * 12 + [-2] * 6 + [1]
    for make, text in (
        (Position.from_gnubg_id, gnubg_id_of(board)),
        (Position.from_xgid, written_xgid(board, Context())),
    ):
        with pytest.raises(InvalidPositionError, match="closed home boards"):
            make(text)


def test_every_error_is_a_bgfast_error_and_a_value_error() -> None:
    for error in (
        IllegalPlayError,
        InvalidDiceError,
        InvalidPositionError,
        InvalidRulesError,
        NotationError,
    ):
        assert issubclass(error, BgfastError)
        assert issubclass(error, ValueError)


@pytest.mark.parametrize("depth", [-1, 1.5, "2", None, 65, 10**12, 10**5000], ids=shown)
def test_invalid_depths(depth) -> None:
    with pytest.raises(BgfastError, match="depth is"):
        bgfast.perft(Position.start(), depth)


def test_a_depth_may_be_any_kind_of_whole_number() -> None:
    for kind in (int, np.int8, np.uint64):
        assert [bgfast.perft(Position.start(), kind(depth)) for depth in (0, 1)] == [1, 447]


class Impostor:
    """Object with the interface of a position."""

    phase = "contact"

    def to_array(self) -> np.ndarray:
        return np.array([-1] + [9] * 24 + [0], np.int8)


@pytest.mark.parametrize("position", ["x", None, START, Impostor()])
def test_perft_requires_a_position(position) -> None:
    with pytest.raises(InvalidPositionError):
        bgfast.perft(position, 2)


@pytest.mark.parametrize(
    "value", [10**5000, "x" * 10**6, [10**5000], {"a": 10**5000}, b"x" * 10**6], ids=shown
)
def test_errors_of_invalid_switches_are_short(value) -> None:
    with pytest.raises(InvalidRulesError) as caught:
        bgfast.RuleSet(bearoff_die=value)
    assert len(str(caught.value)) < 200


def test_damaged_pickles_are_refused() -> None:
    data = pickle.dumps(Position.start(), protocol=4)  # where a 5 is one of the numbers alone
    damaged = data.replace(b"\x05", b"\x7f", 1)
    assert damaged != data
    with pytest.raises(InvalidPositionError):
        pickle.loads(damaged)


# ---- threads ----


def test_one_position_from_many_threads() -> None:
    rng = random.Random(1)
    boards = [SOURCES["anywhere"](rng) for _ in range(50)]
    shared = [Position.from_array(board) for board in boards if is_possible(board)]
    expected = [len(position.plays(roll)) for position in shared for roll in ORDERED_ROLLS]
    counts: list[list[int]] = []

    def work() -> None:
        counts.append([len(position.plays(roll).boards) for position in shared for roll in ORDERED_ROLLS])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [expected] * 4
