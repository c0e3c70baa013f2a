"""Random successors: documented choices, uniform dice and choices, no writes outside the output."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict

import numpy as np
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, ROLLS, Position, flip, random_successors, reference, results
from tests.support.positions import CLOSED_OUT, FINISHED, START, board_of_id, random_board
from tests.support.streams import MASK, RANDOM_SUCCESSORS, Stream, evenly, is_plausible

RNG = random.Random("playouts")
LOST = [0] * 23 + [5, 10, 0]
WIDE = list(board_of_id("AAABRSkppZQCAA"))  # 2,226 successors for 1-1, the longest list known
BOARDS = np.array(
    [random_board(RNG) for _ in range(700)] + [CLOSED_OUT, FINISHED, LOST, START, WIDE] * 4, np.int8
)
DICE = np.array([[RNG.randint(1, 6), RNG.randint(1, 6)] for _ in BOARDS], np.int8)


def plain_successors(
    boards: np.ndarray, dice: np.ndarray | str, seed: int, turned: bool = False
) -> list[list[int]]:
    """Return the successors of the streams in plain Python: a roll, then an index in the list of plays."""
    chosen = []
    for i, board in enumerate(boards):
        stream = Stream(seed, i, RANDOM_SUCCESSORS)
        roll = stream.roll()
        if not isinstance(dice, str):
            roll = tuple(dice[i].tolist())
        position = Position.from_array(board)
        rows = [] if position.phase == "over" else position.plays(roll).boards.tolist()
        after = tuple(rows[stream.below(len(rows))] if rows else board.tolist())
        chosen.append(list(reference.flip(after) if turned else after))
    return chosen


# ---- choices ----


@pytest.mark.parametrize("dice", [DICE, "random"], ids=["given", "thrown"])
def test_choices_follow_the_documented_streams(dice: np.ndarray | str) -> None:
    for seed, turned in ((0, False), (0, True), (MASK, True)):
        expected = plain_successors(BOARDS, dice, seed, turned)
        for threads in (1, 2, 3):
            chosen = random_successors(BOARDS, dice, seed, flip=turned, threads=threads)
            assert chosen.dtype == np.int8
            assert chosen.flags.c_contiguous
            assert chosen.tolist() == expected


def test_passes_and_finished_games_keep_the_board() -> None:
    boards = np.array([CLOSED_OUT, FINISHED, LOST, CLOSED_OUT], np.int8)
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


def test_a_row_depends_only_on_its_own_input() -> None:
    for dice in (DICE, "random"):
        whole = random_successors(BOARDS, dice, 6)
        for k in (0, 1, 600):
            part = random_successors(BOARDS[:k], dice if isinstance(dice, str) else dice[:k], 6)
            assert np.array_equal(part, whole[:k])
        other_boards = BOARDS[::-1].copy()
        other_boards[610] = BOARDS[610]
        turned = dice if isinstance(dice, str) else np.concatenate([dice[609::-1], dice[610:]])
        assert np.array_equal(random_successors(other_boards, turned, 6)[610], whole[610])


# ---- the dice ----


def test_random_dice_are_returned() -> None:
    for turned, threads, seed in itertools.product((False, True), (1, 2), (0, MASK)):
        expected = [list(Stream(seed, i, RANDOM_SUCCESSORS).roll()) for i in range(len(BOARDS))]
        boards, dice = random_successors(
            BOARDS, "random", seed, flip=turned, threads=threads, return_dice=True
        )
        assert dice.dtype == np.int8
        assert dice.tolist() == expected
        assert np.array_equal(boards, random_successors(BOARDS, "random", seed, flip=turned))
        # The returned dice lead to the same plays: the choice does not depend on the source of the dice.
        assert np.array_equal(boards, random_successors(BOARDS, dice, seed, flip=turned))


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
    after, dice = random_successors(boards, "random", 3, out=boards, return_dice=True)
    assert after is boards
    repeated = random_successors(BOARDS, "random", 3, return_dice=True)
    assert isinstance(repeated, tuple)
    assert np.array_equal(after, repeated[0])
    assert np.array_equal(dice, repeated[1])
    for empty in random_successors(BOARDS[:0], "random", 3, return_dice=True):
        assert len(empty) == 0


# ---- uniformity ----


def test_successors_are_equally_likely() -> None:
    for roll in ((3, 1), (1, 1)):
        boards = np.repeat(np.array([START], np.int8), 20_000, axis=0)
        chosen = random_successors(boards, roll, 12)
        expected = {tuple(row) for row in reference.legal_positions(START, *roll)}
        assert is_plausible(Counter(map(tuple, chosen.tolist())), evenly(expected))


def test_rolls_are_fair() -> None:
    probabilities: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        rows = reference.legal_positions(START, *roll)
        for row in rows:
            probabilities[row] += weight / 36 / len(rows)
    boards = np.repeat(np.array([START], np.int8), 30_000, axis=0)
    chosen = random_successors(boards, "random", 13)
    assert is_plausible(Counter(map(tuple, chosen.tolist())), probabilities)


def test_the_sign_after_a_flip() -> None:
    """Run the example of docs/ARRAYS.md: the player who ends the game has won it."""
    boards = np.repeat(np.array([START], np.int8), 300, axis=0)
    points, ply = np.zeros(300, int), 0
    while not results(boards).all():
        live = results(boards) == 0
        before, unflipped = boards, random_successors(boards, "random", ply)
        boards = random_successors(boards, "random", ply, flip=True)
        rewards = np.abs(results(boards))
        assert np.array_equal(results(unflipped)[live], rewards[live])
        assert np.array_equal(-results(boards)[live], rewards[live])
        points[live] = rewards[live] if ply % 2 == 0 else -rewards[live]
        assert np.array_equal(boards[~live], flip(before[~live]))
        ply += 1
    assert np.array_equal(points, results(boards) * (-1) ** ply)
    assert set(points.tolist()) == {-3, -2, -1, 1, 2, 3}
    assert abs(points.mean()) < 0.6


# ---- memory ----


def test_only_the_output_is_written() -> None:
    for dice, turned, threads in itertools.product((DICE, "random"), (False, True), (1, 2)):
        memory = np.full((len(BOARDS) + 40, 26), 77, np.int8)
        out = memory[20:-20]
        before = BOARDS.copy()
        chosen = random_successors(BOARDS, dice, 3, flip=turned, threads=threads, out=out)
        assert chosen is out
        assert np.array_equal(chosen, random_successors(BOARDS, dice, 3, flip=turned))
        assert (memory[:20] == 77).all()
        assert (memory[-20:] == 77).all()
        assert np.array_equal(BOARDS, before)
        boards = BOARDS.copy()  # `out` may be the boards
        assert random_successors(boards, dice, 3, flip=turned, threads=threads, out=boards) is boards
        assert np.array_equal(boards, chosen)


def test_empty_input() -> None:
    empty = np.empty((0, 26), np.int8)
    for dice in ("random", (3, 1), np.empty((0, 2), np.int8)):
        assert random_successors(empty, dice, 0, threads=2).shape == (0, 26)
        assert random_successors(empty, dice, 0, out=empty) is empty


def test_rules_by_name() -> None:
    named = bgfast.RuleSet.named("standard")
    assert np.array_equal(random_successors(BOARDS, DICE, 1, rules=named), random_successors(BOARDS, DICE, 1))
