"""Batch successors: the same results as for single positions; no writes outside the output."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from bgfast import ROLL_WEIGHTS, ROLLS, Position, count_successors, flip, pip_counts, successors
from tests.support.positions import CLOSED_OUT, FINISHED, START, board_of_id, random_board

RNG = random.Random("bulk")
BOARDS = np.array([random_board(RNG) for _ in range(300)], np.int8)
DICE = np.array([[RNG.randint(1, 6), RNG.randint(1, 6)] for _ in BOARDS], np.int8)
# The largest lists known: 2,226 for 1-1 and 224 for 2-1.
WIDE_BOARDS = np.array([board_of_id("AAABRSkppZQCAA"), board_of_id("hIiIKIdSSimVAg")], np.int8)


def expected_segment(board: np.ndarray, roll: tuple[int, int], keep: bool = False) -> tuple[list, list]:
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
def test_segments_equal_the_plays_of_single_positions(passes: str) -> None:
    all_rolls = [(board, roll) for board in BOARDS[:40] for roll in ROLLS]
    one_roll = [(board, tuple(roll)) for board, roll in zip(BOARDS, DICE.tolist(), strict=True)]
    for boards, dice, cases in ((BOARDS, DICE, one_roll), (BOARDS[:40], "all", all_rolls)):
        expected = [expected_segment(board, roll, passes == "keep") for board, roll in cases]
        result = successors(boards, dice, moves=True, passes=passes)
        assert result.boards.dtype == result.moves.dtype == np.int8
        assert result.offsets.dtype == np.int64
        assert np.diff(result.offsets).tolist() == [len(rows) for rows, _ in expected]
        assert result.boards.tolist() == [row for rows, _ in expected for row in rows]
        assert result.moves.tolist() == [play for _, moves in expected for play in moves]


def test_one_roll_for_all_boards() -> None:
    for roll in ((3, 1), [1, 3], np.array([6, 6])):
        pairs = np.tile(np.asarray(roll), (len(BOARDS), 1))
        shared_result, pair_result = successors(BOARDS, roll), successors(BOARDS, pairs)
        assert np.array_equal(shared_result.boards, pair_result.boards)
        assert np.array_equal(shared_result.offsets, pair_result.offsets)
        assert shared_result.moves is None


def test_the_order_of_the_dice_has_no_effect() -> None:
    a, b = successors(BOARDS, DICE, moves=True), successors(BOARDS, DICE[:, ::-1], moves=True)
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("dice", [DICE, "all"], ids=["a roll each", "all rolls"])
@pytest.mark.parametrize("passes", ["omit", "keep"])
def test_options_affect_only_their_own_output(dice: np.ndarray | str, passes: str) -> None:
    unflipped = successors(BOARDS, dice, passes=passes)
    flipped = successors(BOARDS, dice, passes=passes, flip=True)
    assert np.array_equal(flip(unflipped.boards), flipped.boards)
    assert np.array_equal(unflipped.offsets, flipped.offsets)
    out = np.empty((len(unflipped.boards) + 5, 26), np.int8)
    for moves, threads, flips in itertools.product([False, True], [1, 2], [False, True]):
        result = successors(BOARDS, dice, passes=passes, moves=moves, threads=threads, flip=flips, out=out)
        assert np.shares_memory(result.boards, out)
        assert np.array_equal(result.boards, flipped.boards if flips else unflipped.boards)
        assert np.array_equal(result.offsets, unflipped.offsets)
        if moves:
            expected = successors(BOARDS, dice, passes=passes, moves=True)
            assert np.array_equal(result.moves, expected.moves)


@pytest.mark.parametrize("passes", ["omit", "keep"])
def test_counts_equal_the_lengths_of_segments(passes: str) -> None:
    for dice in (DICE, "all", (6, 6)):
        for threads in (1, 2):
            counts = count_successors(BOARDS, dice, passes=passes, threads=threads)
            assert counts.dtype == np.int64
            assert np.array_equal(counts, np.diff(successors(BOARDS, dice, passes=passes).offsets))


def test_segments_of_passes_and_finished_games() -> None:
    boards = np.array([CLOSED_OUT, FINISHED, START, np.negative(FINISHED[::-1]), CLOSED_OUT], np.int8)
    assert np.diff(successors(boards, (6, 5)).offsets).tolist() == [0, 0, 7, 0, 0]
    kept_passes = successors(boards, (6, 5), passes="keep", moves=True)
    assert np.diff(kept_passes.offsets).tolist() == [1, 0, 7, 0, 1]
    assert kept_passes.boards[0].tolist() == kept_passes.boards[-1].tolist() == CLOSED_OUT
    assert (kept_passes.moves[[0, -1]] == -1).all()
    flipped = successors(boards, (6, 5), passes="keep", flip=True)
    assert flipped.boards[0].tolist() == [-n for n in reversed(CLOSED_OUT)]
    # Ample memory after the rows selects another code path.
    large_output = np.empty((10_000, 26), np.int8)
    for passes in ("omit", "keep"):
        expected = successors(boards, "all", passes=passes).boards
        assert np.array_equal(successors(boards, "all", passes=passes, out=large_output).boards, expected)
    omitted_passes = successors(boards[[0, 4]], "all")
    assert omitted_passes.boards.shape == (0, 26)
    assert omitted_passes.offsets.tolist() == [0] * 43


def test_empty_input() -> None:
    empty = np.empty((0, 26), np.int8)
    for dice in ("all", (3, 1), np.empty((0, 2), np.int8)):
        result = successors(empty, dice, moves=True, threads=2)
        assert result.boards.shape == (0, 26)
        assert result.moves.shape == (0, 4, 2)
        assert result.offsets.tolist() == [0]
        assert len(count_successors(empty, dice)) == 0
        assert len(result.owners) == 0
    assert flip(empty).shape == (0, 26)
    assert pip_counts(empty).shape == (0, 2)


def test_the_longest_lists_are_complete() -> None:
    result = successors(WIDE_BOARDS, [[1, 1], [2, 1]], moves=True)
    assert np.diff(result.offsets).tolist() == [2226, 224]
    assert len(np.unique(result.boards[:2226], axis=0)) == 2226
    repeated_result = successors(np.repeat(WIDE_BOARDS[:1], 50, axis=0), (1, 1), threads=2)
    assert np.array_equal(repeated_result.boards, np.tile(result.boards[:2226], (50, 1)))


@pytest.mark.parametrize("has_dice", [True, False], ids=["a roll each", "all rolls"])
def test_threads_share_an_output_in_order(has_dice: bool) -> None:
    # The boards fill many blocks; one block has far more successors than the memory for a usual block holds.
    usual_boards = np.tile(BOARDS, (10 if has_dice else 1, 1))
    boards = np.concatenate([usual_boards, np.repeat(WIDE_BOARDS[:1], 60, axis=0), BOARDS])
    rolls = np.resize(np.array([[1, 1], [6, 5], [2, 1]], np.int8), (len(boards), 2)) if has_dice else "all"
    expected = successors(boards, rolls)
    for threads in (2, 3, 7):
        out = np.full((len(expected.boards) + 1, 26), 77, np.int8)
        result = successors(boards, rolls, out=out, threads=threads)
        assert np.array_equal(result.boards, expected.boards)
        assert np.array_equal(result.offsets, expected.offsets)
        assert (out[-1] == 77).all()


# ---- memory ----


@pytest.mark.parametrize("boards", [BOARDS, WIDE_BOARDS, BOARDS[:1]], ids=["random", "wide", "one"])
def test_nothing_is_written_beyond_the_output(boards: np.ndarray) -> None:
    expected = successors(boards, "all").boards
    total = len(expected)
    for moves, threads in itertools.product((False, True), (1, 2)):
        memory = np.full((total + 40) * 26, 77, np.int8)
        out = memory[20 * 26 : (total + 20) * 26].reshape(total, 26)
        result = successors(boards, "all", moves=moves, threads=threads, out=out)
        assert len(result.boards) == total
        assert np.array_equal(out, expected)
        assert (memory[: 20 * 26] == 77).all()
        assert (memory[(total + 20) * 26 :] == 77).all()


# ---- segments and owners ----


@pytest.mark.parametrize("passes", ["omit", "keep"])
@pytest.mark.parametrize("dice", [DICE, "all"], ids=["explicit", "all"])
def test_segments_hold_the_successors_of_one_board_and_roll(dice: np.ndarray | str, passes: str) -> None:
    boards = np.concatenate([BOARDS[:40], [CLOSED_OUT, FINISHED]])
    segment_dice = dice if isinstance(dice, str) else dice[: len(boards)]
    result = successors(boards, segment_dice, moves=True, passes=passes)
    rolls = len(ROLLS) if isinstance(segment_dice, str) else 1
    empty_count = 0
    for j in range(rolls * len(boards)):
        i, r = divmod(j, rolls)
        segment = result.segment(np.int64(j) if j % 2 else j)
        direct_result = successors(
            boards[i : i + 1], ROLLS[r] if rolls > 1 else segment_dice[i], moves=True, passes=passes
        )
        for array, expected in zip(segment, direct_result, strict=True):
            assert array.dtype == expected.dtype
            assert array.tolist() == expected.tolist()
        assert segment.boards.base is not None
        assert np.shares_memory(segment.moves, result.moves) == (len(segment.boards) > 0)
        empty_count += len(segment.boards) == 0
    assert empty_count > 0


def test_a_segment_without_moves() -> None:
    segment = successors(BOARDS, DICE, flip=True).segment(7)
    assert segment.moves is None
    expected = successors(BOARDS[7:8], DICE[7], flip=True)
    for result in (segment, segment.segment(0)):
        assert np.array_equal(result.boards, expected.boards)
        assert np.array_equal(result.offsets, expected.offsets)


@pytest.mark.parametrize("dice", [DICE, "all"], ids=["explicit", "all"])
def test_owners_are_the_segments_of_the_rows(dice: np.ndarray | str) -> None:
    result = successors(np.concatenate([BOARDS[:299], [FINISHED]]), dice)
    assert result.owners.dtype == np.int64
    expected = [
        j for j in range(len(result.offsets) - 1) for _ in range(result.offsets[j], result.offsets[j + 1])
    ]
    assert result.owners.tolist() == expected
    assert len(set(expected)) < len(result.offsets) - 1  # some segments are empty


# ---- the other functions ----


def test_flips_and_pip_counts_equal_single_positions() -> None:
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
