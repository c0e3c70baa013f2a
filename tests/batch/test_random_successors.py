"""Random successors: documented choices, returned dice, no writes outside the output."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from bgfast import Position, flip, random_successors, reference
from tests.support.positions import CLOSED_OUT, FINISHED, START, board_of_id, random_board
from tests.support.streams import MASK, RANDOM_SUCCESSORS, Stream

RNG = random.Random("playouts")
LOST_BOARD = [0] * 23 + [5, 10, 0]
WIDE_BOARD = list(board_of_id("AAABRSkppZQCAA"))  # 2,226 successors for 1-1, the longest list known
SPECIAL_BOARDS = [CLOSED_OUT, FINISHED, LOST_BOARD, START, WIDE_BOARD]
BOARDS = np.array([random_board(RNG) for _ in range(700)] + SPECIAL_BOARDS * 4, np.int8)
DICE = np.array([[RNG.randint(1, 6), RNG.randint(1, 6)] for _ in BOARDS], np.int8)


def expected_successors(
    boards: np.ndarray, dice: np.ndarray | str, seed: int, is_flipped: bool = False
) -> list[list[int]]:
    """Compute the documented successors: each stream gives a roll, then an index into the list of plays."""
    successors = []
    for i, board in enumerate(boards):
        stream = Stream(seed, i, RANDOM_SUCCESSORS)
        roll = stream.roll()
        if not isinstance(dice, str):
            roll = tuple(dice[i].tolist())
        position = Position.from_array(board)
        rows = [] if position.phase == "over" else position.plays(roll).boards.tolist()
        successor = tuple(rows[stream.integer_below(len(rows))] if rows else board.tolist())
        successors.append(list(reference.flip(successor) if is_flipped else successor))
    return successors


# ---- choices ----


@pytest.mark.parametrize("dice", [DICE, "random"], ids=["explicit", "random"])
def test_choices_follow_the_documented_streams(dice: np.ndarray | str) -> None:
    for seed, is_flipped in ((0, False), (0, True), (MASK, True)):
        expected = expected_successors(BOARDS, dice, seed, is_flipped)
        for threads in (1, 2, 3):
            successors = random_successors(BOARDS, dice, seed, flip=is_flipped, threads=threads)
            assert successors.dtype == np.int8
            assert successors.flags.c_contiguous
            assert successors.tolist() == expected


def test_passes_and_finished_games_keep_the_board() -> None:
    boards = np.array([CLOSED_OUT, FINISHED, LOST_BOARD, CLOSED_OUT], np.int8)
    for dice in ((6, 5), "random", [[1, 1], [2, 1], [3, 3], [6, 6]]):
        assert np.array_equal(random_successors(boards, dice, 1), boards)
        assert np.array_equal(random_successors(boards, dice, 1, flip=True), flip(boards))


def test_one_roll_for_all_boards_in_either_order() -> None:
    for roll in ((3, 1), [1, 3], np.array([6, 6])):
        pairs = np.tile(np.asarray(roll), (len(BOARDS), 1))
        expected = random_successors(BOARDS, roll, 9, threads=2)
        assert np.array_equal(expected, random_successors(BOARDS, pairs, 9))
        assert np.array_equal(expected, random_successors(BOARDS, roll[::-1], 9))
    assert random_successors([START], (3, 1), 9).tolist() == random_successors([START], [(3, 1)], 9).tolist()


# ---- the dice ----


def test_random_dice_are_returned() -> None:
    for is_flipped, threads, seed in itertools.product((False, True), (1, 2), (0, MASK)):
        expected = [list(Stream(seed, i, RANDOM_SUCCESSORS).roll()) for i in range(len(BOARDS))]
        boards, dice = random_successors(
            BOARDS, "random", seed, flip=is_flipped, threads=threads, return_dice=True
        )
        assert dice.dtype == np.int8
        assert dice.tolist() == expected
        assert np.array_equal(boards, random_successors(BOARDS, "random", seed, flip=is_flipped))
        # The returned dice lead to the same plays: the choice does not depend on the source of the dice.
        assert np.array_equal(boards, random_successors(BOARDS, dice, seed, flip=is_flipped))


def test_explicit_dice_are_returned() -> None:
    boards, dice = random_successors(BOARDS, DICE, 3, return_dice=True)
    assert np.array_equal(boards, random_successors(BOARDS, DICE, 3))
    assert np.array_equal(dice, DICE)
    assert not np.shares_memory(dice, DICE)
    for roll in ((6, 2), (2, 6)):
        dice = random_successors(BOARDS, roll, 3, return_dice=True)[1]
        assert dice.tolist() == [list(roll)] * len(BOARDS)


def test_returned_dice_with_out() -> None:
    boards = BOARDS.copy()
    successors, dice = random_successors(boards, "random", 3, out=boards, return_dice=True)
    assert successors is boards
    expected = random_successors(BOARDS, "random", 3, return_dice=True)
    assert isinstance(expected, tuple)
    assert np.array_equal(successors, expected[0])
    assert np.array_equal(dice, expected[1])
    for array in random_successors(BOARDS[:0], "random", 3, return_dice=True):
        assert len(array) == 0


# ---- memory ----


def test_only_the_output_is_written() -> None:
    for dice, is_flipped, threads in itertools.product((DICE, "random"), (False, True), (1, 2)):
        memory = np.full((len(BOARDS) + 40, 26), 77, np.int8)
        out = memory[20:-20]
        original_boards = BOARDS.copy()
        successors = random_successors(BOARDS, dice, 3, flip=is_flipped, threads=threads, out=out)
        assert successors is out
        assert np.array_equal(successors, random_successors(BOARDS, dice, 3, flip=is_flipped))
        assert (memory[:20] == 77).all()
        assert (memory[-20:] == 77).all()
        assert np.array_equal(BOARDS, original_boards)
        boards = BOARDS.copy()  # `out` may be the input array
        assert random_successors(boards, dice, 3, flip=is_flipped, threads=threads, out=boards) is boards
        assert np.array_equal(boards, successors)


def test_empty_input() -> None:
    no_boards = np.empty((0, 26), np.int8)
    for dice in ("random", (3, 1), np.empty((0, 2), np.int8)):
        assert random_successors(no_boards, dice, 0, threads=2).shape == (0, 26)
        assert random_successors(no_boards, dice, 0, out=no_boards) is no_boards
