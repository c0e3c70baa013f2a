"""Batch play texts: equal to `str(play)`, and errors for illegal plays."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from bgfast import (
    EXACT,
    FIVE_STACK,
    REAR_FIRST,
    ROLLS,
    STANDARD,
    BgfastError,
    IllegalPlayError,
    InvalidDiceError,
    InvalidPositionError,
    Position,
    RuleSet,
    Successors,
    best_rows,
    play_texts,
    random_dice,
    random_positions,
    successors,
)
from bgfast.batch.play_texts import SEGMENTS_AT_ONCE
from bgfast.errors import InvalidRulesError
from tests.support.positions import CLOSED_OUT, FINISHED, START, random_board

RNG = random.Random("play texts")
RULE_SETS = {"standard": STANDARD, "exact": EXACT, "rear_first": REAR_FIRST, "five_stack": FIVE_STACK}
BOARDS = np.array([random_board(RNG) for _ in range(200)] + [CLOSED_OUT, FINISHED, START], np.int8)
DICE = random_dice(len(BOARDS), 1)


def one_by_one(boards: np.ndarray, dice: Any, rules: RuleSet = STANDARD, keep: bool = False) -> list[str]:
    """Return the texts of all plays, from `PlayList`."""
    texts: list[str] = []
    for board, roll in zip(boards, dice, strict=True):
        position = Position.from_array(board)
        if position.phase != "over":
            plays = position.plays(tuple(int(die) for die in roll), rules)
            texts += [str(plays[k]) for k in range(len(plays))] or ["pass"] * keep
    return texts


# ---- equal to single plays ----


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
@pytest.mark.parametrize("passes", ["omit", "keep"])
def test_texts_equal_those_of_the_plays(passes: str, rules: RuleSet) -> None:
    expected = one_by_one(BOARDS, DICE, rules, passes == "keep")
    assert ("pass" in expected) == (passes == "keep")
    for turned in (False, True):
        result = successors(BOARDS, DICE, moves=True, rules=rules, passes=passes, flip=turned)
        assert play_texts(BOARDS, DICE, result, rules=rules) == expected


def test_random_games() -> None:
    boards = random_positions(400, 3)
    dice = random_dice(400, 3)
    texts = play_texts(boards, dice, successors(boards, dice, moves=True))
    assert texts == one_by_one(boards, dice)
    assert any("*" in text for text in texts)
    assert any("bar" in text for text in texts)
    assert any("off" in text for text in texts)
    assert all(type(text) is str for text in texts)


def test_forfeited_dice() -> None:
    boards = random_positions(40, 4, "bearoff")
    texts = play_texts(boards, "all", successors(boards, "all", moves=True, rules=EXACT), rules=EXACT)
    positions = np.repeat(boards, 21, axis=0)
    assert texts == one_by_one(positions, ROLLS * len(boards), EXACT)
    assert any("F" in text for text in texts)


def test_all_rolls_and_one_roll_for_all() -> None:
    boards = BOARDS[-60:]
    result = successors(boards, "all", moves=True)
    assert play_texts(boards, "all", result) == one_by_one(np.repeat(boards, 21, axis=0), ROLLS * 60)
    for roll in ((3, 1), [6, 6], np.array([1, 3])):
        result = successors(boards, roll, moves=True)
        assert play_texts(boards, roll, result) == one_by_one(boards, [roll] * 60)
        assert play_texts(boards, np.tile(roll, (60, 1)), result) == one_by_one(boards, [roll] * 60)


def test_more_segments_than_a_portion() -> None:
    boards = random_positions(SEGMENTS_AT_ONCE + 5, 8, "bearoff")
    dice = random_dice(len(boards), 8)
    result = successors(boards, dice, moves=True)
    texts = play_texts(boards, dice, result)
    assert len(texts) == len(result.boards)
    for j in (0, SEGMENTS_AT_ONCE - 1, SEGMENTS_AT_ONCE, SEGMENTS_AT_ONCE + 4):
        expected = one_by_one(boards[j : j + 1], dice[j : j + 1])
        assert texts[result.offsets[j] : result.offsets[j + 1]] == expected
    wrong = result.moves[result.offsets[:-1]]
    wrong[SEGMENTS_AT_ONCE + 2] = [[25, 1], *[[-1, -1]] * 3]
    with pytest.raises(IllegalPlayError, match=f"row {SEGMENTS_AT_ONCE + 2}: "):
        play_texts(boards, dice, wrong)


def test_one_play_for_each_board() -> None:
    boards, dice = BOARDS[BOARDS[:, 1:].max(axis=1) > 0], random_dice(202, 1)
    assert len(boards) == 202
    result = successors(boards, dice, moves=True, passes="keep")
    texts = play_texts(boards, dice, result)
    rows = best_rows(np.arange(len(result.boards)) % 7, result.offsets)
    assert play_texts(boards, dice, result.moves[rows]) == [texts[row] for row in rows]
    assert play_texts(boards, dice, result.moves[rows].tolist()) == [texts[row] for row in rows]
    assert "pass" in texts
    every = successors(boards, "all", moves=True, passes="keep")
    rows = every.offsets[1:] - 1
    texts = play_texts(boards, "all", every)
    assert play_texts(boards, "all", every.moves[rows]) == [texts[row] for row in rows]


def test_a_segment_and_some_of_its_rows() -> None:
    result = successors(BOARDS, DICE, moves=True)
    for j in range(len(BOARDS)):
        part = result.segment(j)
        expected = one_by_one(BOARDS[j : j + 1], DICE[j : j + 1])
        assert play_texts(BOARDS[j : j + 1], DICE[j], part) == expected
        half = Successors(part.boards[::2], np.array([0, len(part.boards[::2])]), part.moves[::2])
        assert play_texts(BOARDS[j : j + 1], DICE[j], half) == expected[::2]


def test_empty_input() -> None:
    empty = BOARDS[:0]
    for dice in ("all", (3, 1), DICE[:0]):
        assert play_texts(empty, dice, successors(empty, dice, moves=True)) == []
        assert play_texts(empty, dice, np.empty((0, 4, 2), np.int8)) == []
    finished = np.array([FINISHED], np.int8)
    assert play_texts(finished, "all", successors(finished, "all", moves=True)) == []


def test_arguments_are_not_modified() -> None:
    boards, dice = BOARDS.copy(), DICE.copy()
    result = successors(boards, dice, moves=True)
    moves = result.moves.copy()
    play_texts(boards, dice, result)
    assert np.array_equal(boards, BOARDS)
    assert np.array_equal(dice, DICE)
    assert np.array_equal(result.moves, moves)


# ---- invalid input ----


PLAY = [[8, 5], [6, 5], [-1, -1], [-1, -1]]
PASS = [[-1, -1]] * 4


def with_move(*move: float) -> list:
    return [[[8, 5], move, [-1, -1], [-1, -1]]]


@pytest.mark.parametrize(
    "move",
    [(6, 7), (26, 24), (3, -1), (-1, 3), (0, 0), (7, 7), (25, 25), (0, -1), (-2, -2), (6, 5.5), (np.nan, 5)],
)
def test_invalid_moves(move: tuple[float, float]) -> None:
    with pytest.raises(BgfastError, match=r"row 0: move 1 is \(.*\); expected two points, the higher first"):
        play_texts([START], (3, 1), with_move(*move))


@pytest.mark.parametrize(
    "play",
    [
        PASS,
        with_move(-1, -1)[0],
        with_move(6, 4)[0],
        [[8, 5], [6, 5], [13, 10], [10, 9]],
        with_move(7, 6)[0],
        [[9, 8], [8, 5], *PASS[:2]],
        [[6, 5], [5, 5], *PASS[:2]],
        [[25, 24], [8, 5], *PASS[:2]],
    ],
)
def test_illegal_plays_are_refused(play: list) -> None:
    with pytest.raises(IllegalPlayError, match=r"row 1: the moves \[.*\] are no legal play of 3-1; expected"):
        play_texts([START] * 2, (3, 1), [PLAY, play])


def test_mismatched_boards_dice_or_rules_are_refused() -> None:
    start, turned = np.array([START]), [CLOSED_OUT]
    result = successors(start, (3, 1), moves=True)
    after = result.boards[9:10]  # of 24/21 6/5
    for boards, dice, row in ((after, (3, 1), 11), (start, (4, 1), 0), (turned, (3, 1), 0)):
        with pytest.raises(IllegalPlayError, match=f"row {row}: "):
            play_texts(boards, dice, result)
    assert play_texts(start, (1, 3), result) == play_texts(start, (3, 1), result)
    boards = random_positions(150, 4, "bearoff")
    result = successors(boards, (6, 5), moves=True, rules=EXACT)
    with pytest.raises(IllegalPlayError, match=r"row \d+: the moves .* for the same boards, dice and rules"):
        play_texts(boards, (6, 5), result)


def test_a_play_of_a_finished_game_is_refused() -> None:
    for play in (PASS, PLAY):
        with pytest.raises(InvalidPositionError, match="row 1: the game is finished; expected no play"):
            play_texts([START, FINISHED], (3, 1), [PLAY, play])


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (
            successors([START], (3, 1)),
            r"a Successors without moves; expected what successors\(\.\.\., moves=True",
        ),
        (successors([START] * 2, (3, 1), moves=True), "a Successors of 2 segments; expected 1, one for each"),
        (successors([START], "all", moves=True), "a Successors of 21 segments; expected 1,"),
        (Successors(np.array([START]), np.array([0, 2]), np.array([PLAY])), "offsets: the last one is 2"),
        (
            Successors(np.array([START]), np.array([0, 1]), np.array([PLAY[:2]])),
            r"moves of shape \(1, 2, 2\)",
        ),
        (successors([START], (3, 1), moves=True).moves, r"moves of shape \(16, 4, 2\); expected \(1, 4, 2\)"),
        (successors([START], (3, 1), moves=True).boards, r"moves of shape \(16, 26\); expected \(1, 4, 2\)"),
        (PLAY, r"moves of shape \(4, 2\); expected \(1, 4, 2\), one play for each board and roll"),
        ([["8/5", "6/5"]], "moves of dtype <U3; expected whole numbers"),
        (None, "moves of dtype object"),
    ],
)
def test_invalid_arrays_of_moves(moves: Any, message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        play_texts([START], (3, 1), moves)


def test_other_invalid_arguments() -> None:
    result = successors([START], (3, 1), moves=True)
    with pytest.raises(InvalidPositionError, match="row 0: the mover has 20 checkers"):
        play_texts([[0] * 6 + [20] + [0] * 19], (3, 1), result)
    for dice, message in (
        ((7, 1), "first die is 7"),
        ("random", "dice is 'random'; expected rolls, or 'all'"),
        (None, "dice is None; expected rolls, or 'all'"),
    ):
        with pytest.raises(InvalidDiceError, match=message):
            play_texts([START], dice, result)
    with pytest.raises(InvalidRulesError):
        play_texts([START], (3, 1), result, rules="stanard")
