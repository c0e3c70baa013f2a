"""Batch play texts: they equal `str(play)`, and illegal plays raise errors."""

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
    IllegalPlayError,
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
from tests.support.positions import CLOSED_OUT, FINISHED, START, random_board

RNG = random.Random("play texts")
RULE_SETS = {"standard": STANDARD, "exact": EXACT, "rear_first": REAR_FIRST, "five_stack": FIVE_STACK}
BOARDS = np.array([random_board(RNG) for _ in range(60)] + [CLOSED_OUT, FINISHED, START], np.int8)
DICE = random_dice(len(BOARDS), 1)


def expected_texts(boards: np.ndarray, dice: Any, rules: RuleSet = STANDARD, keep: bool = False) -> list[str]:
    """Return the texts of all plays, from `PlayList`."""
    texts: list[str] = []
    for board, roll in zip(boards, dice, strict=True):
        position = Position.from_array(board)
        if position.phase != "over":
            plays = position.plays(tuple(int(die) for die in roll), rules)
            texts += [str(play) for play in plays] or ["pass"] * keep
    return texts


# ---- equal to single plays ----


@pytest.mark.parametrize("rules", RULE_SETS)
def test_texts_equal_the_texts_of_single_plays(rules: str) -> None:
    for passes in ("omit", "keep"):
        expected = expected_texts(BOARDS, DICE, RULE_SETS[rules], passes == "keep")
        assert ("pass" in expected) == (passes == "keep")
        assert all(any(part in text for text in expected) for part in ("*", "bar", "off"))
        for is_flipped in (False, True):
            result = successors(BOARDS, DICE, moves=True, rules=rules, passes=passes, flip=is_flipped)
            assert play_texts(BOARDS, DICE, result, rules=rules) == expected


def test_texts_show_forfeited_dice() -> None:
    boards = random_positions(12, 4, "bearoff")
    texts = play_texts(boards, "all", successors(boards, "all", moves=True, rules=EXACT), rules=EXACT)
    positions = np.repeat(boards, 21, axis=0)
    assert texts == expected_texts(positions, ROLLS * len(boards), EXACT)
    assert any("F" in text for text in texts)


def test_texts_for_all_rolls_and_for_one_shared_roll() -> None:
    boards = BOARDS[-20:]
    result = successors(boards, "all", moves=True)
    assert play_texts(boards, "all", result) == expected_texts(np.repeat(boards, 21, axis=0), ROLLS * 20)
    for roll in ((3, 1), [6, 6], np.array([1, 3])):
        result = successors(boards, roll, moves=True)
        assert play_texts(boards, roll, result) == expected_texts(boards, [roll] * 20)
        assert play_texts(boards, np.tile(roll, (20, 1)), result) == expected_texts(boards, [roll] * 20)


def test_texts_of_more_segments_than_one_portion() -> None:
    boards = random_positions(SEGMENTS_AT_ONCE + 5, 8, "bearoff")
    dice = random_dice(len(boards), 8)
    result = successors(boards, dice, moves=True)
    texts = play_texts(boards, dice, result)
    assert len(texts) == len(result.boards)
    for j in (0, SEGMENTS_AT_ONCE - 1, SEGMENTS_AT_ONCE, SEGMENTS_AT_ONCE + 4):
        expected = expected_texts(boards[j : j + 1], dice[j : j + 1])
        assert texts[result.offsets[j] : result.offsets[j + 1]] == expected
    invalid_moves = result.moves[result.offsets[:-1]]
    invalid_moves[SEGMENTS_AT_ONCE + 2] = [[25, 1], *[[-1, -1]] * 3]
    with pytest.raises(IllegalPlayError, match=f"row {SEGMENTS_AT_ONCE + 2}: "):
        play_texts(boards, dice, invalid_moves)


def test_texts_of_one_play_for_each_board() -> None:
    boards = BOARDS[BOARDS[:, 1:].max(axis=1) > 0]
    dice = random_dice(len(boards), 1)
    result = successors(boards, dice, moves=True, passes="keep")
    texts = play_texts(boards, dice, result)
    rows = best_rows(np.arange(len(result.boards)) % 7, result.offsets)
    assert play_texts(boards, dice, result.moves[rows]) == [texts[row] for row in rows]
    assert play_texts(boards, dice, result.moves[rows].tolist()) == [texts[row] for row in rows]
    assert "pass" in texts
    all_successors = successors(boards, "all", moves=True, passes="keep")
    rows = all_successors.offsets[1:] - 1
    texts = play_texts(boards, "all", all_successors)
    assert play_texts(boards, "all", all_successors.moves[rows]) == [texts[row] for row in rows]


def test_texts_of_a_segment_and_of_some_of_its_rows() -> None:
    result = successors(BOARDS, DICE, moves=True)
    for j in range(len(BOARDS)):
        segment = result.segment(j)
        expected = expected_texts(BOARDS[j : j + 1], DICE[j : j + 1])
        assert play_texts(BOARDS[j : j + 1], DICE[j], segment) == expected
        boards, moves = segment.boards[::2], segment.moves[::2]
        half_segment = Successors(boards, np.array([0, len(boards)]), moves)
        assert play_texts(BOARDS[j : j + 1], DICE[j], half_segment) == expected[::2]


def test_empty_input() -> None:
    no_boards = BOARDS[:0]
    for dice in ("all", (3, 1), DICE[:0]):
        assert play_texts(no_boards, dice, successors(no_boards, dice, moves=True)) == []
        assert play_texts(no_boards, dice, np.empty((0, 4, 2), np.int8)) == []
    finished_boards = np.array([FINISHED], np.int8)
    assert play_texts(finished_boards, "all", successors(finished_boards, "all", moves=True)) == []


# ---- invalid input; tests/refusals/batch.txt has more ----


def test_mismatched_boards_or_rules_are_refused() -> None:
    start = np.array([START])
    result = successors(start, (3, 1), moves=True)
    with pytest.raises(IllegalPlayError, match="row 11: "):
        play_texts(result.boards[9:10], (3, 1), result)  # the board after 24/21 6/5
    assert play_texts(start, (1, 3), result) == play_texts(start, (3, 1), result)
    boards = random_positions(150, 4, "bearoff")
    result = successors(boards, (6, 5), moves=True, rules=EXACT)
    with pytest.raises(IllegalPlayError, match=r"row \d+: the moves .* for the same boards, dice and rules"):
        play_texts(boards, (6, 5), result)
