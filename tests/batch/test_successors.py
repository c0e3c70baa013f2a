"""Batch successors: equal to single positions under all options, without writes outside the output."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from bgfast import (
    ROLL_WEIGHTS,
    ROLLS,
    BgfastError,
    InvalidDiceError,
    InvalidPositionError,
    Position,
    count_successors,
    flip,
    pip_counts,
    successors,
)
from bgfast.errors import InvalidRulesError
from tests.support.boards import board_of_id
from tests.support.positions import START, random_board

RNG = random.Random("bulk")
BOARDS = np.array([random_board(RNG) for _ in range(300)], np.int8)
DICE = np.array([[RNG.randint(1, 6), RNG.randint(1, 6)] for _ in BOARDS], np.int8)
CLOSED_OUT = [0] * 19 + [-2] * 6 + [1]
FINISHED = [0] * 24 + [-1, 0]
# The largest lists known: 2,226 for 1-1 and 224 for 2-1.
WIDE = np.array([board_of_id("AAABRSkppZQCAA"), board_of_id("hIiIKIdSSimVAg")], np.int8)


def one_by_one(board: np.ndarray, roll: tuple[int, int], keep: bool = False) -> tuple[list, list]:
    """Return the boards and moves of a segment, from `PlayList`."""
    position = Position.from_array(board)
    if position.phase == "over":
        return [], []
    plays = position.plays(roll)
    if keep and not len(plays):
        return [board.tolist()], [[[-1, -1]] * 4]
    return plays.boards.tolist(), plays.moves.tolist()


# ---- equal to single positions ----


@pytest.mark.parametrize("passes", ["omit", "keep"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_one_roll_for_each_board(passes: str, threads: int) -> None:
    found = successors(BOARDS, DICE, moves=True, passes=passes, threads=threads)
    assert found.boards.dtype == found.moves.dtype == np.int8
    assert found.offsets.dtype == np.int64
    assert found.offsets.shape == (len(BOARDS) + 1,)
    for i, (board, roll) in enumerate(zip(BOARDS, DICE.tolist(), strict=True)):
        rows, moves = one_by_one(board, tuple(roll), passes == "keep")
        a, b = found.offsets[i : i + 2]
        assert found.boards[a:b].tolist() == rows
        assert found.moves[a:b].tolist() == moves


def test_all_rolls_of_each_board() -> None:
    boards = BOARDS[:40]
    found = successors(boards, "all", moves=True)
    assert found.offsets.shape == (21 * len(boards) + 1,)
    for i, board in enumerate(boards):
        for r, roll in enumerate(ROLLS):
            rows, moves = one_by_one(board, roll)
            a, b = found.offsets[21 * i + r : 21 * i + r + 2]
            assert found.boards[a:b].tolist() == rows
            assert found.moves[a:b].tolist() == moves


def test_all_rolls_by_name() -> None:
    assert np.array_equal(count_successors(BOARDS, np.str_("all")), count_successors(BOARDS, "all"))


def test_one_roll_for_all_boards() -> None:
    for roll in ((3, 1), [1, 3], np.array([6, 6])):
        pairs = np.tile(np.asarray(roll), (len(BOARDS), 1))
        one, each = successors(BOARDS, roll), successors(BOARDS, pairs)
        assert np.array_equal(one.boards, each.boards)
        assert np.array_equal(one.offsets, each.offsets)
        assert one.moves is None


def test_either_order_of_the_dice() -> None:
    a, b = successors(BOARDS, DICE, moves=True), successors(BOARDS, DICE[:, ::-1], moves=True)
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("dice", [DICE, "all"], ids=["a roll each", "all rolls"])
@pytest.mark.parametrize("passes", ["omit", "keep"])
def test_options_affect_only_their_own_output(dice: np.ndarray | str, passes: str) -> None:
    plain = successors(BOARDS, dice, passes=passes)
    flipped = successors(BOARDS, dice, passes=passes, flip=True)
    assert np.array_equal(flip(plain.boards), flipped.boards)
    assert np.array_equal(plain.offsets, flipped.offsets)
    out = np.empty((len(plain.boards) + 5, 26), np.int8)
    for moves, threads, turned in itertools.product([False, True], [1, 2], [False, True]):
        found = successors(BOARDS, dice, passes=passes, moves=moves, threads=threads, flip=turned, out=out)
        assert np.shares_memory(found.boards, out)
        assert np.array_equal(found.boards, flipped.boards if turned else plain.boards)
        assert np.array_equal(found.offsets, plain.offsets)
        if moves:
            expected = successors(BOARDS, dice, passes=passes, moves=True)
            assert np.array_equal(found.moves, expected.moves)


@pytest.mark.parametrize("passes", ["omit", "keep"])
def test_counts(passes: str) -> None:
    for dice in (DICE, "all", (6, 6)):
        for threads in (1, 2):
            counts = count_successors(BOARDS, dice, passes=passes, threads=threads)
            assert counts.dtype == np.int64
            assert np.array_equal(counts, np.diff(successors(BOARDS, dice, passes=passes).offsets))


def test_passes_and_finished_games() -> None:
    boards = np.array([CLOSED_OUT, FINISHED, START, np.negative(FINISHED[::-1]), CLOSED_OUT], np.int8)
    assert np.diff(successors(boards, (6, 5)).offsets).tolist() == [0, 0, 7, 0, 0]
    kept = successors(boards, (6, 5), passes="keep", moves=True)
    assert np.diff(kept.offsets).tolist() == [1, 0, 7, 0, 1]
    assert kept.boards[0].tolist() == kept.boards[-1].tolist() == CLOSED_OUT
    assert (kept.moves[[0, -1]] == -1).all()
    turned = successors(boards, (6, 5), passes="keep", flip=True)
    assert turned.boards[0].tolist() == [-n for n in reversed(CLOSED_OUT)]
    # Ample memory after the rows takes another code path.
    roomy = np.empty((10_000, 26), np.int8)
    for passes in ("omit", "keep"):
        usual = successors(boards, "all", passes=passes)
        assert np.array_equal(successors(boards, "all", passes=passes, out=roomy).boards, usual.boards)
    only_passes = successors(boards[[0, 4]], "all")
    assert only_passes.boards.shape == (0, 26)
    assert only_passes.offsets.tolist() == [0] * 43


def test_empty_input() -> None:
    empty = np.empty((0, 26), np.int8)
    for dice, segments_found in (("all", 0), ((3, 1), 0), (np.empty((0, 2), np.int8), 0)):
        found = successors(empty, dice, moves=True, threads=2)
        assert found.boards.shape == (0, 26)
        assert found.moves.shape == (0, 4, 2)
        assert found.offsets.tolist() == [0]
        assert len(count_successors(empty, dice)) == segments_found
    assert flip(empty).shape == (0, 26)
    assert pip_counts(empty).shape == (0, 2)


def test_the_longest_lists() -> None:
    found = successors(WIDE, [[1, 1], [2, 1]], moves=True)
    assert np.diff(found.offsets).tolist() == [2226, 224]
    assert len(np.unique(found.boards[:2226], axis=0)) == 2226
    many = successors(np.repeat(WIDE[:1], 50, axis=0), (1, 1), threads=2)
    assert np.array_equal(many.boards, np.tile(found.boards[:2226], (50, 1)))


@pytest.mark.parametrize("dice", [True, False], ids=["a roll each", "all rolls"])
def test_threads_share_an_output_in_order(dice: bool) -> None:
    # Many blocks of boards; one of them has far more successors than the memory for a usual block can hold.
    boards = np.concatenate(
        [np.tile(BOARDS, (10 if dice else 1, 1)), np.repeat(WIDE[:1], 60, axis=0), BOARDS]
    )
    rolls = (
        np.tile(np.array([[1, 1], [6, 5], [2, 1]], np.int8), (len(boards), 1))[: len(boards)]
        if dice
        else "all"
    )
    alone = successors(boards, rolls, out=np.empty((4_000_000, 26), np.int8))
    for threads in (2, 3, 7):
        out = np.full((len(alone.boards) + 1, 26), 77, np.int8)
        found = successors(boards, rolls, out=out, threads=threads)
        assert np.array_equal(found.boards, alone.boards)
        assert np.array_equal(found.offsets, alone.offsets)
        assert (out[-1] == 77).all()


# ---- memory ----


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("boards", [BOARDS, WIDE, BOARDS[:1]], ids=["random", "wide", "one"])
def test_nothing_is_written_beyond_the_output(boards: np.ndarray, moves: bool, threads: int) -> None:
    total = int(count_successors(boards, "all").sum())
    memory = np.full((total + 40) * 26, 77, np.int8)
    out = memory[20 * 26 : (total + 20) * 26].reshape(total, 26)
    found = successors(boards, "all", moves=moves, threads=threads, out=out)
    assert len(found.boards) == total
    assert np.array_equal(out, successors(boards, "all").boards)
    assert (memory[: 20 * 26] == 77).all()
    assert (memory[(total + 20) * 26 :] == 77).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_small_output_raises_with_the_required_size(threads: int) -> None:
    total = int(count_successors(BOARDS, "all").sum())
    for missing in (1, 2, total // 2, total):
        memory = np.full((total - missing + 200) * 26, 77, np.int8)
        out = memory[: (total - missing) * 26].reshape(-1, 26)
        with pytest.raises(BgfastError, match=f"out has {total - missing} rows; {total} are needed"):
            successors(BOARDS, "all", out=out, threads=threads)
        assert (memory[(total - missing) * 26 :] == 77).all()


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.full((500, 26), 77, np.int16), "dtype int16"),
        (np.full((500, 25), 77, np.int8), r"shape \(500, 25\)"),
        (np.full(26, 77, np.int8), r"shape \(26,\)"),
        (np.full((500, 52), 77, np.int8)[:, ::2], "C-contiguous"),
        (np.full((26, 500), 77, np.int8).T, "C-contiguous"),
        ([[0] * 26], "expected an array of dtype int8"),
        ("out", "expected an array of dtype int8"),
    ],
)
def test_output_of_the_wrong_layout_is_refused_and_unchanged(out, message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        successors([START], (3, 1), out=out)
    if isinstance(out, np.ndarray):
        assert (out == 77).all()


def test_read_only_or_overlapping_output_is_refused() -> None:
    frozen = np.full((500, 26), 77, np.int8)
    frozen.flags.writeable = False
    with pytest.raises(BgfastError, match="writeable"):
        successors([START], (3, 1), out=frozen)
    both = np.zeros((500, 26), np.int8)
    both[0] = START
    with pytest.raises(BgfastError, match="out overlaps boards"):
        successors(both[:1], (3, 1), out=both)
    assert both[0].tolist() == list(START)
    assert not both[1:].any()


# ---- segments and owners ----


@pytest.mark.parametrize("passes", ["omit", "keep"])
@pytest.mark.parametrize("dice", [DICE, "all"], ids=["given", "all"])
def test_a_segment_is_the_successors_of_one_board_and_roll(dice: np.ndarray | str, passes: str) -> None:
    boards = np.concatenate([BOARDS[:40], [CLOSED_OUT, FINISHED]])
    given = dice if isinstance(dice, str) else dice[: len(boards)]
    found = successors(boards, given, moves=True, passes=passes)
    rolls = len(ROLLS) if isinstance(given, str) else 1
    empty = 0
    for j in range(rolls * len(boards)):
        i, r = divmod(j, rolls)
        part = found.segment(np.int64(j) if j % 2 else j)
        alone = successors(boards[i : i + 1], ROLLS[r] if rolls > 1 else given[i], moves=True, passes=passes)
        for one, other in zip(part, alone, strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
        assert part.boards.base is not None
        assert np.shares_memory(part.moves, found.moves) == (len(part.boards) > 0)
        empty += len(part.boards) == 0
    assert empty > 0


def test_a_segment_without_moves() -> None:
    part = successors(BOARDS, DICE, flip=True).segment(7)
    assert part.moves is None
    again = part.segment(0)
    assert np.array_equal(again.boards, successors(BOARDS[7:8], DICE[7], flip=True).boards)
    assert again.offsets.tolist() == [0, len(part.boards)]


@pytest.mark.parametrize("number", [-1, 300, 10**30, 1.0, "1", None, True, slice(2)])
def test_invalid_segment_number(number: object) -> None:
    found = successors(BOARDS, DICE)
    with pytest.raises(BgfastError, match=r"segment is .*; expected a whole number from 0 to 299$"):
        found.segment(number)
    with pytest.raises(BgfastError, match="expected none, as there are no segments"):
        successors(BOARDS[:0], "all").segment(number)


@pytest.mark.parametrize("dice", [DICE, "all"], ids=["given", "all"])
def test_owners_are_the_segments_of_the_rows(dice: np.ndarray | str) -> None:
    found = successors(np.concatenate([BOARDS[:299], [FINISHED]]), dice)
    assert found.owners.dtype == np.int64
    expected = [
        j for j in range(len(found.offsets) - 1) for _ in range(found.offsets[j], found.offsets[j + 1])
    ]
    assert found.owners.tolist() == expected
    assert len(set(expected)) < len(found.offsets) - 1  # some segments have no row
    assert successors(BOARDS[:0], "all").owners.tolist() == []


# ---- the other functions ----


def test_flip_and_pip_counts() -> None:
    assert flip(BOARDS).tolist() == [
        Position.from_array(board).flip().to_array().tolist() for board in BOARDS
    ]
    assert pip_counts(BOARDS).tolist() == [list(Position.from_array(board).pip_counts) for board in BOARDS]
    assert pip_counts(BOARDS).dtype == np.int32
    assert np.array_equal(pip_counts(flip(BOARDS)), pip_counts(BOARDS)[:, ::-1])


def test_rolls_and_their_weights() -> None:
    assert ROLLS[:4] == ((1, 1), (2, 1), (2, 2), (3, 1))
    assert ROLLS[-1] == (6, 6)
    assert len(ROLLS) == len(ROLL_WEIGHTS) == 21
    assert sum(ROLL_WEIGHTS) == 36
    counts = count_successors([START], "all")
    assert (int(counts.sum()), int(counts @ ROLL_WEIGHTS)) == (447, 637)


# ---- input ----


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a.astype(np.int64),
        lambda a: a.astype(">i4"),
        lambda a: a.astype(np.float32),
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a.tolist(),
    ],
)
def test_any_array_of_valid_numbers_is_accepted(make) -> None:
    expected = successors(BOARDS, DICE)
    for found in (successors(make(BOARDS), DICE), successors(BOARDS, make(DICE))):
        assert np.array_equal(found.boards, expected.boards)


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
        (np.zeros((2, 26), np.int8), "row 0: nobody has a checker"),
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
def test_errors_name_the_row_of_an_invalid_board(boards, message: str) -> None:
    for call in (lambda: successors(boards, (3, 1)), lambda: count_successors(boards, "all")):
        with pytest.raises(InvalidPositionError, match=message):
            call()
    for function in (flip, pip_counts):
        with pytest.raises(InvalidPositionError, match=message):
            function(boards)


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
        ("31", "dice is '31'; expected rolls, or 'all' for the 21 rolls of each board"),
        ("random", "dice is 'random'; expected rolls, or 'all' for the 21 rolls of each board$"),
        (None, "dice is None; expected rolls, or 'all' for the 21 rolls"),
        (["all"], "dice of dtype <U3; expected whole numbers"),
        ([[True, True]] * 2, "dice of dtype bool"),
    ],
)
def test_errors_name_the_row_of_an_invalid_roll(dice, message: str) -> None:
    for function in (successors, count_successors):
        with pytest.raises(InvalidDiceError, match=message):
            function([START, START], dice)


def test_other_invalid_arguments() -> None:
    for function in (successors, count_successors):
        with pytest.raises(InvalidRulesError):
            function([START], "all", rules=5)
        with pytest.raises(InvalidRulesError, match="no rule set is named 'exakt'"):
            function([START], "all", rules="exakt")
        for passes in ("drop", None, ["keep"]):
            with pytest.raises(BgfastError, match="passes is"):
                function([START], "all", passes=passes)
        for threads in (0, -1, 1.5, "2", True):
            with pytest.raises(BgfastError, match="threads is"):
                function([START], "all", threads=threads)
