"""Rules other than `standard`: all code paths agree with published positions and the reference."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

import bgfast
from bgfast import FIVE_STACK, BgfastError, Position, RuleSet, reference
from bgfast.common.validation import ROLLS
from tests.support.comparison import fewest_forfeits, problems
from tests.support.positions import SOURCES, is_possible, json_data, random_board
from tests.support.rule_cases import (
    EXPECTATION_COUNT,
    OPENING_COUNTS,
    OTHER_RULE_SETS,
    RULE_SETS,
    random_rules,
    rule_cases,
)
from tests.tools import exhaustive
from tests.tools.fuzz import run

OPENING_TOTALS = {"standard": 447, "exact": 447, "rear_first": 447, "five_stack": 405, "strict": 447}
Board = tuple[int, ...]
OTHER_RULES = pytest.mark.parametrize("rules", OTHER_RULE_SETS.values(), ids=OTHER_RULE_SETS)


def rows_of(plays: bgfast.PlayList) -> list[tuple[int, ...]]:
    return [tuple(row) for row in plays.boards.tolist()]


# ---- known answers ----


def test_rule_positions_have_the_expected_plays() -> None:
    cases = list(rule_cases())
    assert len(cases) == EXPECTATION_COUNT
    for case in cases:
        for roll in (case.dice, case.dice[::-1]):
            rows = rows_of(Position.from_array(case.board).plays(roll, case.rules))
            assert len(rows) == len(set(rows)) == case.count, case
            assert case.legal <= set(rows), case
            assert not case.illegal & set(rows), case
            assert not case.is_complete or set(rows) == case.legal, case


def test_opening_rolls_have_the_expected_counts() -> None:
    start = Position.start().to_array()[None]
    for name, total in OPENING_TOTALS.items():
        rules = RULE_SETS[name]
        assert bgfast.count_successors(start, "all", rules=rules).sum() == total, name
        assert bgfast.perft(Position.start(), 1, rules=rules) == total, name
    for roll, count in OPENING_COUNTS["five_stack"].items():
        assert len(Position.start().plays(roll, FIVE_STACK)) == count, roll


# ---- against the reference ----


def assert_all_rolls_agree(board: Board, rules: RuleSet) -> None:
    if is_possible(board):
        for roll in ROLLS:  # both orders are compared
            assert problems(board, roll, rules=rules) == [], (board, roll, rules)


@OTHER_RULES
def test_generator_agrees_with_the_reference(rules: RuleSet) -> None:
    rng = random.Random(repr(rules))
    for source in SOURCES.values():
        for _ in range(3):
            assert_all_rolls_agree(source(rng), rules)


def test_random_switches_agree_with_the_reference() -> None:
    rng = random.Random(20260)
    for _ in range(80):
        assert_all_rolls_agree(random_board(rng), random_rules(rng))


def test_tall_stacks_under_any_limit_agree_with_the_reference() -> None:
    # Doubles can empty and refill points above the limit; checkers on the bar move first.
    rng = random.Random(7)
    for stack_max in 8 * (1, 2, 3, 4, 5, 6, 7):
        points = rng.sample(range(1, 26), rng.randint(2, 6))
        board = tuple(stack_max + rng.choice((-1, 0, 1, 2)) if point in points else 0 for point in range(26))
        board = SOURCES["stacks"](rng) if rng.random() < 0.3 else board
        board = (-1, *board[1:]) if board[0] == 0 else board
        assert_all_rolls_agree(board, RuleSet(stack_max=stack_max))


@pytest.mark.parametrize(
    "count", [pytest.param(10_000, marks=pytest.mark.slow), pytest.param(100_000, marks=pytest.mark.long)]
)
def test_many_random_rules_agree_with_the_reference(count: int) -> None:
    total = 0
    for cases, failures in run(cases=count, seed=2026, jobs=2, any_rules=True):
        total += cases
        assert failures == []
    assert total >= count


@pytest.mark.slow
@pytest.mark.parametrize("name", RULE_SETS)
def test_every_position_of_one_or_two_checkers_per_side_agrees(name: str) -> None:
    """Compare with stored digests of the reference; tests marked long recompute them."""
    portions = list(exhaustive.portions())
    assert sum(map(len, portions)) == exhaustive.POSITION_COUNT
    digests = [exhaustive.generated_digest(portion, RULE_SETS[name]) for portion in portions]
    assert digests == json_data("exhaustive.json")[name]


@pytest.mark.slow
def test_one_digest_equals_the_reference() -> None:
    """Recompute a portion under rules that use all switches."""
    index = 6
    digest = exhaustive.reference_digest(list(exhaustive.portions())[index], RULE_SETS["strict"])
    assert digest == json_data("exhaustive.json")["strict"][index]


@pytest.mark.long
@pytest.mark.parametrize("name", RULE_SETS)
def test_all_digests_equal_the_reference(name: str) -> None:
    assert exhaustive.reference_digests(RULE_SETS[name]) == json_data("exhaustive.json")[name]


# ---- moves and forfeits ----


def test_moves_forfeit_the_minimum_number_of_dice() -> None:
    rng = random.Random(77)
    forfeit_count = 0
    for _ in range(80):
        board = SOURCES[rng.choice(("bearing_off", "nearly_home", "last_checkers_home"))](rng)
        rules = RuleSet(
            bearoff_die=rng.choice(("standard", "exact", "rearmost")),
            bearoff_compulsory=rng.random() < 0.5,
            forfeit="empty_point",
            stack_max=rng.choice((0, 0, 2, 5)),
        )
        if not is_possible(board):
            continue
        for roll in ROLLS:
            plays = Position.from_array(board).plays(roll, rules)
            min_forfeits = fewest_forfeits(board, roll, rules)
            assert set(rows_of(plays)) == set(min_forfeits)
            for row, steps in zip(rows_of(plays), plays.moves.tolist(), strict=True):
                forfeits = [source for source, to in steps if source == to >= 0]
                assert len(forfeits) == min_forfeits[row], (board, roll, rules, steps)
                assert set(forfeits) <= set(roll)
                forfeit_count += len(forfeits)
    assert forfeit_count > 250


def test_a_forfeited_die_is_both_source_and_target_of_its_move() -> None:
    board = [0] * 26
    board[5], board[24] = 2, -2
    plays = Position.from_array(board).plays((4, 1), bgfast.EXACT)
    sequences = {tuple((source, to) for source, to in steps if source >= 0) for steps in plays.moves.tolist()}
    # 5/1 fills the ace point and 5/4 the four point, so each forfeit must come before the move.
    assert ((4, 4), (5, 4)) in sequences
    assert ((1, 1), (5, 1)) in sequences
    assert {((4, 4), (1, 1)), ((1, 1), (4, 4))} & sequences


def test_the_higher_die_is_not_forfeited_alone_if_the_lower_can_move() -> None:
    # The only checker cannot play both dice, so L in docs/RULES.md is 1.
    # "(1) none of its unused dice has an ordinary move in its final state"
    board = [0] * 26
    board[6], board[24] = 1, -15
    plays = Position.from_array(board).plays((4, 3), bgfast.EXACT)
    moves = {str(play): play.moves for play in plays}
    assert moves == {"6/2": ((6, 2),), "6/3 F4": ((4, 4), (6, 3)), "F4 F3": ((4, 4), (3, 3))}


def test_no_die_is_forfeited_after_the_last_checker() -> None:
    rules = RuleSet(bearoff_die="rearmost", bearoff_compulsory=True, forfeit="empty_point")
    for roll in ROLLS:
        assert problems((0, 0, 0, 0, -1, 0, 1, *[0] * 19), roll, rules=rules) == [], roll


# ---- batches ----

BOARDS = bgfast.random_positions(400, seed=3)


@OTHER_RULES
def test_batches_equal_single_positions(rules: RuleSet) -> None:
    result = bgfast.successors(BOARDS[:60], "all", rules=rules, moves=True, passes="keep")
    segments = ((board, roll) for board in BOARDS[:60] for roll in ROLLS)
    for (board, roll), begin, end in zip(segments, result.offsets, result.offsets[1:], strict=False):
        plays = Position.from_array(board).plays(roll, rules)
        boards, moves = (plays.boards, plays.moves) if len(plays) else (board[None], -1)
        assert np.array_equal(result.boards[begin:end], boards)
        assert (result.moves[begin:end] == moves).all()


@OTHER_RULES
def test_results_do_not_depend_on_threads_and_memory(rules: RuleSet) -> None:
    finished_games = [[0] * 20 + [-2] + [0] * 5, [0] * 5 + [2] + [0] * 20]
    boards = np.concatenate([BOARDS, finished_games])
    for flip in (False, True):
        expected = bgfast.successors(boards, "all", rules=rules, moves=True, flip=flip)
        assert (np.diff(expected.offsets)[-42:] == 0).all()
        for threads in (2, 5):
            actual = bgfast.successors(boards, "all", rules=rules, moves=True, flip=flip, threads=threads)
            assert all(np.array_equal(a, b) for a, b in zip(expected, actual, strict=True))
            sizes = bgfast.count_successors(boards, "all", rules=rules, threads=threads)
            assert np.array_equal(sizes, np.diff(expected.offsets))
        memory = np.full((len(expected.boards) + 20, 26), 77, np.int8)
        out = memory[10:-10]
        for threads in (1, 3):
            out[:] = 77
            result = bgfast.successors(boards, "all", rules=rules, flip=flip, out=out, threads=threads)
            assert np.array_equal(result.boards, expected.boards)
            assert (memory[:10] == 77).all()
            assert (memory[-10:] == 77).all()
        with pytest.raises(BgfastError, match=f"{len(out)} are needed"):
            bgfast.successors(boards, "all", rules=rules, flip=flip, out=out[:-1])
        assert (memory[-10:] == 77).all()
        segments = bgfast.successors(boards[-2:], "all", rules=rules, flip=flip, passes="keep")
        assert len(segments.boards) == 0


@OTHER_RULES
def test_random_successors_are_legal(rules: RuleSet) -> None:
    for roll in ((6, 6), (5, 2)):
        result = bgfast.successors(BOARDS, roll, rules=rules, passes="keep")
        successors = bgfast.random_successors(BOARDS, roll, 5, rules=rules)
        for i, row in enumerate(successors.tolist()):
            assert row in result.boards[result.offsets[i] : result.offsets[i + 1]].tolist()


def test_rules_without_effect_on_plays_give_the_standard_plays() -> None:
    standard_boards = bgfast.successors(BOARDS, "all").boards
    # With 15 checkers per side a limit of 15 has no effect.
    for rules in (RuleSet(jacoby=True, win_scheme="not_all_home"), RuleSet(stack_max=15)):
        assert np.array_equal(bgfast.successors(BOARDS, "all", rules=rules).boards, standard_boards)


# ---- perft ----

CONTACT = Position.from_array([0, -1, 0, 2] + [0] * 18 + [-1, 0, 0, 1])
HOME = Position.from_array([0, 1, 0, 2, 1] + [0] * 16 + [-2, -1, 0, 0, 0])


@OTHER_RULES
@pytest.mark.parametrize("position", [CONTACT, HOME], ids=["contact", "home"])
def test_perft_agrees_with_the_reference_and_merging_changes_no_count(
    position: Position, rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = reference.perft(position.to_array().tolist(), 2, rules=rules)
    depth_3_counts = [bgfast.perft(position, 3, rules=rules, weighted=w, bulk=False) for w in (False, True)]
    for bulk in (True, False):
        counts = [bgfast.perft(position, 2, rules=rules, weighted=w, bulk=bulk) for w in (False, True)]
        assert counts == list(expected)
    assert bgfast.perft(position, 3, weighted=True) != depth_3_counts[1]
    for name, limit in (("MIN_MERGED_DEPTH", 3), ("PART_CHILDREN", 200), ("MAX_MERGED_CHILDREN", 0)):
        monkeypatch.setattr(bgfast.batch.perft, name, limit)
        for threads in (1, 2):
            counts = [
                bgfast.perft(position, 3, rules=rules, weighted=w, threads=threads) for w in (False, True)
            ]
            assert counts == depth_3_counts


# ---- equality of lists ----


def test_lists_under_different_rules_differ() -> None:
    standard_plays, exact_plays = HOME.plays((5, 2)), HOME.plays((5, 2), bgfast.EXACT)
    assert standard_plays != exact_plays
    assert exact_plays == HOME.plays((2, 5), RuleSet(bearoff_die="exact", forfeit="empty_point"))
    assert exact_plays[0] not in standard_plays
    for copied_plays in (pickle.loads(pickle.dumps(exact_plays)), copy.deepcopy(exact_plays)):
        assert copied_plays == exact_plays
        assert rows_of(copied_plays) == rows_of(exact_plays)
    assert pickle.loads(pickle.dumps(exact_plays[0])) == exact_plays[0]
    assert repr(standard_plays) == f"{HOME!r}.plays((5, 2))"
    assert eval(repr(exact_plays), {"Position": Position, "RuleSet": RuleSet}) == exact_plays
    assert HOME.play(exact_plays[0], (5, 2), bgfast.EXACT) == exact_plays[0].position
