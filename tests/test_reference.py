"""The reference generator, compared with three independent sources.

The sources are the expectations in RULES.md, positions and counts on which several engines agree, and an
oracle in this file that works with lists of checkers.
"""

from __future__ import annotations

import random
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, permutations, product
from pathlib import Path

import pytest

from bgfast import reference
from bgfast.reference import flip, legal_positions, legal_sequences, perft
from bgfast.rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet
from tests.support.positions import board_of_id, json_data
from tests.support.rule_cases import (
    EXPECTATION_COUNT,
    OPENING_COUNTS,
    RULE_SETS,
    START,
    engine_defects,
    rule_cases,
)

Board = tuple[int, ...]
Step = tuple[int, int, int, bool]

TRICKY_CASES = engine_defects()
PERFT = json_data("perft.json")
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]

RULE_COMBINATIONS = [
    RuleSet(bearoff_die=die, bearoff_compulsory=compulsory, forfeit=forfeit, stack_max=stack_max)
    for die in ("standard", "exact", "rearmost")
    for compulsory in (False, True)
    for forfeit in ("never", "empty_point")
    for stack_max in (0, 1, 2, 5)
]


# ---- the rule positions ----

CASES = list(rule_cases())


def test_the_file_has_220_expectations_for_57_positions() -> None:
    assert len({str(case) for case in CASES}) == len(CASES) == EXPECTATION_COUNT == 220
    assert sorted({case.id for case in CASES}) == [f"P{number:02}" for number in range(1, 58)]
    # Each position names the four presets, except that P28 to P30 omit exact and rear_first, P31 omits
    # exact, and P47 names only exact; P38 and P49 also name strict.
    per_rule_set = Counter(case.rule_set for case in CASES)
    assert per_rule_set == {"standard": 56, "exact": 53, "rear_first": 53, "five_stack": 56, "strict": 2}


def test_rule_positions_have_the_expected_successors() -> None:
    for case in CASES:
        positions = legal_positions(case.board, *case.dice, case.rules)
        assert not case.is_complete or positions == case.legal, case
        assert len(positions) == case.count, case
        assert positions >= case.legal, case
        assert not positions & case.illegal, case
        assert {final for _, final in legal_sequences(case.board, *case.dice, case.rules)} == positions, case


# ---- opening rolls ----


def test_opening_rolls_have_the_expected_counts() -> None:
    for rule_set, total in (("standard", 447), ("five_stack", 405)):
        rules = RULE_SETS[rule_set]
        counts = {roll: len(legal_positions(START, *roll, rules)) for roll in OPENING_COUNTS[rule_set]}
        assert counts == OPENING_COUNTS[rule_set]
        assert sum(counts.values()) == perft(START, 1, rules)[0] == total


# ---- positions of other engines ----


def test_tricky_positions_have_the_expected_successors() -> None:
    assert board_of_id("4HPwATDgc/ABMA") == START
    for case in TRICKY_CASES:
        positions = legal_positions(board_of_id(case["position_id"]), *case["dice"])
        assert len(positions) == case["count"], case
        assert case["results"] is None or positions == set(map(board_of_id, case["results"])), case


# ---- perft ----


def assert_perft(is_selected: Callable[[str], bool], depth: int, step: int = 1) -> None:
    positions = [(name, entry) for name, entry in PERFT["positions"].items() if is_selected(entry["name"])]
    for position_id, entry in positions[::step]:
        assert list(perft(board_of_id(position_id), depth)) == entry[f"d{depth}"], entry["name"]


def test_perft_equals_the_counts_of_other_engines() -> None:
    assert_perft(lambda name: True, 1)
    assert_perft(lambda name: name not in ("start", "nackgammon"), 2, step=3)


@pytest.mark.slow
def test_perft_of_all_positions() -> None:
    assert_perft(lambda name: True, 2)


def test_perft_by_first_roll_equals_the_counts_of_other_engines() -> None:
    for roll, count in list(PERFT["start_depth1_by_roll"].items())[::9]:
        children = legal_positions(START, int(roll[0]), int(roll[1]))
        assert len(children) == count
        leaves = sum(perft(flip(child), 1)[0] for child in children)
        assert leaves == PERFT["start_depth2_by_first_roll"][roll]


def test_perft_counts_a_pass_as_one_child_and_a_finished_game_as_one_leaf() -> None:
    closed_out = board_with({25: 1, **dict.fromkeys(range(19, 25), -2)})
    assert legal_positions(closed_out, 6, 5) == set()
    assert perft(closed_out, 0) == (1, 1)
    assert perft(closed_out, 1) == (21, 36)
    last_checker = board_with({1: 1, 24: -2})
    assert perft(last_checker, 1) == (21, 36)
    assert perft(last_checker, 3) == (21, 36)
    assert perft(board_with({24: -2}), 3) == perft(board_with({24: 2}), 3) == (1, 1)


# ---- an oracle without a board ----


def bears_off(own: list[int], point: int, die: int, rules: RuleSet) -> bool:
    if not 1 <= point <= 6 or any(checker > 6 for checker in own):
        return False
    return {
        "standard": point == die or (point < die and point == max(own)),
        "exact": point == die,
        "rearmost": point <= die and point == max(own),
    }[rules.bearoff_die]


def can_play(own: list[int], opponent: list[int], index: int | None, die: int, rules: RuleSet) -> bool:
    """Return whether checker `index` can move `die` points; with None, whether `die` can be forfeited."""
    if index is None:
        is_home = all(checker <= 6 for checker in own)
        return rules.forfeit == "empty_point" and is_home and any(own) and die not in own
    start = own[index]
    if start == 0 or (25 in own and start != 25):
        return False
    if bears_off(own, start, die, rules):
        return True
    if rules.bearoff_compulsory and any(bears_off(own, other, die, rules) for other in own):
        return False
    end = start - die
    is_open = opponent.count(end) <= 1
    has_space = rules.stack_max == 0 or own.count(end) < rules.stack_max
    return end >= 1 and is_open and has_space


def oracle(board: Board, roll: tuple[int, int], rules: RuleSet) -> set[tuple[tuple[Step, ...], Board]]:
    """Return the legal sequences by trying every order of the dice with every choice of checkers.

    A side is a list with the point of each checker (own: 25 bar, 0 off; opponent: 0 bar).
    """
    own_start = [point for point in range(26) for _ in range(board[point])]
    opponent_start = [point for point in range(26) for _ in range(-board[point])]
    if not own_start or not opponent_start:
        return set()
    dice = roll * 2 if roll[0] == roll[1] else roll
    indices: list[int | None] = [*range(len(own_start))]
    choices = [*indices, None]

    attempts = []
    for order in set(permutations(dice)):
        for used_count in range(len(dice) + 1):
            for choice in product(choices, repeat=used_count):
                own, opponent = own_start[:], opponent_start[:]
                steps: list[Step] = []
                for die, index in zip(order[:used_count], choice, strict=True):
                    if not can_play(own, opponent, index, die, rules):
                        break
                    if index is None:
                        steps.append((die, die, die, False))
                        continue
                    start = own[index]
                    end = own[index] = max(start - die, 0)
                    is_hit = end > 0 and end in opponent
                    if is_hit:
                        opponent[opponent.index(end)] = 0
                    steps.append((die, start, end, is_hit))
                else:
                    attempts.append((tuple(steps), order[used_count:], own, opponent, None not in choice))

    max_length = max(len(steps) for steps, _, _, _, has_no_forfeit in attempts if has_no_forfeit)
    start_dice = [
        die
        for die in dice
        if any(can_play(own_start, opponent_start, index, die, rules) for index in indices)
    ]
    legal = set()
    for steps_taken, rest, own, opponent, _ in attempts:
        is_stuck = not any(can_play(own, opponent, index, die, rules) for index in indices for die in rest)
        is_long_enough = len(steps_taken) >= max_length
        is_single = max_length == 1 and len(dice) == 2 and len(steps_taken) == 1
        is_higher_die = not is_single or steps_taken[0][0] == max(start_dice)
        if max_length > 0 and is_stuck and is_long_enough and is_higher_die:
            own_counts, other_counts = Counter(own), Counter(opponent)
            final = [-other_counts[0]] + [own_counts[point] - other_counts[point] for point in range(1, 26)]
            legal.add((steps_taken, tuple(final)))
    return legal


def assert_oracle_agrees(board: Board, roll: tuple[int, int], rules: RuleSet) -> None:
    expected = oracle(board, roll, rules)
    sequences = legal_sequences(board, *roll, rules)
    assert len(sequences) == len(set(sequences)), (board, roll, rules)
    assert set(sequences) == expected, (board, roll, rules)
    assert legal_positions(board, *roll, rules) == {final for _, final in expected}, (board, roll, rules)


def board_with(points: dict[int, int]) -> Board:
    return tuple(points.get(point, 0) for point in range(26))


@pytest.mark.slow
@pytest.mark.parametrize("roll", ROLLS, ids=str)
def test_the_oracle_agrees_on_two_checkers_near_home(roll: tuple[int, int]) -> None:
    # A blot may be in the way. A stack_max of 2 or more has no effect on two checkers.
    for points in [(p,) for p in range(1, 8)] + list(combinations_with_replacement(range(1, 8), 2)):
        for blot in (24, roll[1]):
            if blot in points:
                continue
            board = board_with({**Counter(points), blot: -1})
            for rules in RULE_COMBINATIONS:
                if rules.stack_max > 1:
                    continue
                assert_oracle_agrees(board, roll, rules)


# ---- random positions ----


def random_board(rng: random.Random, style: str) -> Board:
    own_points, own_count, other_count = {
        "contact": (range(1, 25), 15, 15),
        "bar": ([*range(1, 25), 25, 25, 25, 25, 25, 25], 15, 12),
        "bear-off": (range(1, 7), rng.randint(1, 15), rng.randint(1, 6)),
        "nearly home": (range(1, 9), rng.randint(2, 8), rng.randint(1, 6)),
        "few": (range(1, 26), rng.randint(1, 3), rng.randint(1, 3)),
        "few at home": (range(1, 8), rng.randint(1, 3), rng.randint(1, 4)),
        "blots": (range(1, 25), 10, 9),
        "stacks": (rng.sample(range(1, 25), 4), 15, 4),
    }[style]
    board = [0] * 26
    for _ in range(own_count):
        free_points = [p for p in own_points if style != "blots" or not board[p]]
        board[rng.choice(free_points)] += 1
    for _ in range(other_count):
        free_points = [p for p in range(25) if board[p] <= 0 and (style != "blots" or not board[p])]
        board[rng.choice(free_points)] -= 1
    return tuple(board)


STYLES = ["contact", "bar", "bear-off", "nearly home", "few", "few at home", "blots", "stacks"]


def samples(count: int, styles: Sequence[str] = STYLES) -> Iterator[tuple[Board, tuple[int, int], RuleSet]]:
    """Yield random positions of each style with a roll and rules; about half of the rules are presets."""
    rng = random.Random("reference")
    presets = [STANDARD, EXACT, REAR_FIRST, FIVE_STACK]
    for style in count * list(styles):
        board = random_board(rng, style)
        roll = rng.randint(1, 6), rng.randint(1, 6)
        yield board, roll, rng.choice(presets if rng.random() < 0.5 else RULE_COMBINATIONS)


@pytest.mark.slow
def test_the_oracle_agrees_on_random_small_positions() -> None:
    for board, roll, rules in samples(2500, ["few", "few at home"]):
        assert_oracle_agrees(board, roll, rules)


@pytest.mark.slow
def test_sequences_and_positions_agree() -> None:
    for board, roll, rules in samples(80):
        sequences = legal_sequences(board, *roll, rules)
        assert len(sequences) == len(set(sequences))
        assert legal_positions(board, *roll, rules) == {final for _, final in sequences}, (board, roll, rules)
        for steps, final in sequences:
            assert replay(board, roll, steps) == final


def replay(board: Board, roll: tuple[int, int], steps: tuple[Step, ...]) -> Board:
    """Apply steps literally and check their properties."""
    dice = list(roll * 2 if roll[0] == roll[1] else roll)
    after = list(board)
    for die, start, to, hit in steps:
        dice.remove(die)
        if start == to:
            assert (start, to, hit) == (die, die, False)
            continue
        assert to == max(start - die, 0)
        assert after[start] > 0
        after[start] -= 1
        assert hit == (to > 0 and after[to] == -1)
        if hit:
            after[to], after[0] = 0, after[0] - 1
        if to > 0:
            assert after[to] >= 0
            after[to] += 1
    return tuple(after)


def test_the_order_of_the_dice_does_not_matter() -> None:
    for board, (d1, d2), rules in (sample for sample in samples(30) if sample[1][0] != sample[1][1]):
        assert legal_positions(board, d1, d2, rules) == legal_positions(board, d2, d1, rules)
        first, second = legal_sequences(board, d1, d2, rules), legal_sequences(board, d2, d1, rules)
        assert set(first) == set(second)


def checker_counts(board: Board) -> tuple[int, int]:
    return sum(max(count, 0) for count in board), sum(min(count, 0) for count in board)


def test_plays_move_checkers_and_pips_within_the_dice() -> None:
    for board, roll, rules in samples(20):
        dice = roll * 2 if roll[0] == roll[1] else roll
        for final in legal_positions(board, *roll, rules):
            assert len(final) == 26
            assert all(type(entry) is int for entry in final)
            (own_before, opponent_before), (own_after, opponent_after) = map(checker_counts, (board, final))
            assert opponent_after == opponent_before
            assert own_before - len(dice) <= own_after <= own_before
            assert final[25] >= 0 >= final[0]
            before, after = ([point * max(b[point], 0) for point in range(26)] for b in (board, final))
            assert sum(before) - sum(dice) <= sum(after) <= sum(before)
            if rules.forfeit == "never":
                assert sum(after) < sum(before)


def test_boards_may_be_any_sequence_and_stay_unchanged() -> None:
    for board, roll, rules in samples(20):
        board_list = list(board)
        assert legal_positions(board_list, *roll, rules) == legal_positions(array("b", board), *roll, rules)
        assert board_list == list(board)
        assert flip(flip(board_list)) == board
        assert flip(array("b", board)) == tuple(-board[25 - point] for point in range(26))


# ---- edge cases ----


def test_finished_positions_have_no_plays() -> None:
    for points in ({}, {5: 2}, {25: 1, 3: 1}, {5: -2}, {0: -1}):
        board = board_with(points)
        for rules in RULE_COMBINATIONS:
            for roll in ROLLS:
                assert legal_positions(board, *roll, rules) == set()
                assert legal_sequences(board, *roll, rules) == []


def test_an_opponent_with_all_checkers_on_the_bar_is_still_playing() -> None:
    assert legal_positions(board_with({8: 1, 0: -1}), 2, 1) == {board_with({5: 1, 0: -1})}


def test_the_last_checker_ends_the_play_without_forfeits() -> None:
    board = board_with({4: 1, 24: -2})
    for steps, final in legal_sequences(board, 4, 4, EXACT):
        assert final == board_with({24: -2})
        assert steps == ((4, 4, 0, False),)


def test_a_die_may_be_forfeited_if_opposing_checkers_hold_its_point() -> None:
    board = board_with({6: 1, 5: 1, 3: -2, 2: -2, 1: -1})
    # The 3 has no move because 3 and 2 are held, so it may be forfeited; the 4 can only hit from 5.
    assert legal_positions(board, 4, 3, EXACT) == {board_with({6: 1, 1: 1, 3: -2, 2: -2, 0: -1}), board}
    assert (((3, 3, 3, False), (4, 5, 1, True)), board_with({6: 1, 1: 1, 3: -2, 2: -2, 0: -1})) in (
        legal_sequences(board, 4, 3, EXACT)
    )


def test_a_pass_is_not_avoided_by_a_forfeit() -> None:
    board = board_with({4: 1, 24: -2})
    assert legal_positions(board, 6, 5, EXACT) == set()
    assert legal_sequences(board, 6, 5, EXACT) == []


# ---- the module ----


def test_the_reference_imports_no_other_part_of_bgfast() -> None:
    text = Path(reference.__file__).read_text(encoding="utf-8")
    imports = set(re.findall(r"^ *(?:from|import) ([a-z_][\w.]*)", text, re.MULTILINE))
    allowed = "__future__ bgfast.errors bgfast.rules collections.abc itertools operator"
    assert imports == set(allowed.split())
