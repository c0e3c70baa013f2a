"""Bounds on the results of a position: legal games and all evaluations stay within them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, Network, Position, RuleSet
from bgfast.batch.successors import results, successors
from bgfast.evaluators import Bearoff, Chain, Lookahead, PipCount, WithBearoff
from tests.support.bounds import RESULTS, bound_probabilities, possible_point_sets, possible_results
from tests.support.few_checkers import all_boards

RULES = {
    "standard": STANDARD,
    "bar_home_beats_off": RuleSet(win_scheme="bar_home_beats_off"),
    "not_all_home": RuleSet(win_scheme="not_all_home"),
    "exact": EXACT,
    "rear_first": REAR_FIRST,
    "five_stack": FIVE_STACK,
}
ROLLS = [(1, 1), (2, 1), (6, 5), (6, 6)]
BUILTIN = Network.builtin()


def bits_of(points: np.ndarray) -> np.ndarray:
    """Return the bit of each result, 0 for unfinished games."""
    return np.select([points == result for result in RESULTS], [1 << bit for bit in range(6)], 0).astype(
        np.uint8
    )


def flip_bits(bits: np.ndarray) -> np.ndarray:
    """Return the bits of the results from the other side's point of view."""
    return (bits >> 3) | (bits & 7) << 3


def reachable_results(boards: np.ndarray, rules: RuleSet, checkers: int) -> np.ndarray:
    """Return the results, as bits, that each board can lead to; `boards` has all unfinished successors."""
    weights = np.random.default_rng(1).integers(1, 2**62, 26)
    keys = boards.astype(np.int64) @ weights
    order = np.argsort(keys)
    after = successors(boards, "all", rules=rules, flip=True, passes="keep")
    points = results(after.boards, rules, checkers)
    result_bits = bits_of(points)
    indices = np.searchsorted(keys[order], after.boards[points == 0].astype(np.int64) @ weights)
    successor_rows = order[indices]
    reachable = np.zeros(len(boards), np.uint8)
    starts = after.offsets[:-1:21]
    while True:
        result_bits[points == 0] = reachable[successor_rows]
        new_reachable = flip_bits(np.bitwise_or.reduceat(result_bits, starts))
        if np.array_equal(new_reachable, reachable):
            return reachable
        reachable = new_reachable


def varied_positions(count: int, seed: int) -> np.ndarray:
    """Return random boards of every phase, some with checkers off, with few checkers or in short races."""
    generator = np.random.default_rng(seed)
    phases = ("contact", "race", "bearoff")
    boards = [bgfast.random_positions(count // 8, seed=seed, phase=phase) for phase in phases]
    rows = np.zeros((count - 3 * (count // 8), 26), np.int8)
    for row in rows:
        # Half of the boards are races. Sides have few checkers or many, often on low points.
        split = int(generator.integers(2, 25)) if generator.random() < 0.5 else 26
        low_points = np.arange(1, min(split, 26))
        odds = np.exp(-low_points / generator.choice([1.0, 3.0, 50.0]))
        mover = generator.choice(low_points, generator.choice([1, 2, 3, 5, 9, 15]), p=odds / odds.sum())
        np.add.at(row, mover, 1)
        free_points = np.array([point for point in range(0 if split == 26 else split, 25) if row[point] == 0])
        odds = np.exp((free_points - 25) / generator.choice([1.0, 3.0, 50.0]))
        opponent = generator.choice(free_points, generator.choice([1, 2, 3, 5, 9, 15]), p=odds / odds.sum())
        np.subtract.at(row, opponent, 1)
    boards.append(rows)
    return np.concatenate(boards)


def play_games(boards: np.ndarray, rules: RuleSet, checkers: int, seed: int, max_plies: int = 400) -> int:
    """Play random games and assert that each result was possible in all positions of its game.

    Half of the games have fair dice; the others favour one side. Return the number of finished games.
    """
    generator = np.random.default_rng(seed)
    possible = np.full(len(boards), 63, np.uint8)
    finished_count, styles = 0, generator.integers(0, 4, len(boards))
    for ply in range(max_plies):
        possible = flip_bits(possible) if ply else possible
        possible &= possible_results(boards, rules, checkers)
        assert possible.all()
        dice = bgfast.random_dice(len(boards), seed=seed * max_plies + ply)
        low, high = (generator.integers(0, 2, len(boards)) + shift for shift in (0, 2))
        unfair_dice = np.array(ROLLS, np.int8)[np.where((styles + ply) % 2, low, high)]
        dice[styles > 1] = unfair_dice[styles > 1]
        after = bgfast.random_successors(boards, dice, seed * max_plies + ply, rules=rules, flip=True)
        points = results(after, rules, checkers)
        is_wrong = (points != 0) & (flip_bits(bits_of(points)) & possible == 0)
        assert not is_wrong.any(), (boards[is_wrong][0].tolist(), dice[is_wrong][0], points[is_wrong][0])
        finished_count += int((points != 0).sum())
        boards, possible, styles = after[points == 0], possible[points == 0], styles[points == 0]
        if not len(boards):
            break
    return finished_count


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_bounds_contain_all_results_of_one_checker_per_side(rules: RuleSet) -> None:
    boards = np.array(list(all_boards(1)), np.int8)
    possible = possible_results(boards, rules, 1)
    reachable = reachable_results(boards, rules, 1)
    assert not (reachable & ~possible).any()
    assert not (possible & 0b001001).any()  # every win is at least a gammon
    if rules.bearoff_die == "standard":
        assert (possible == reachable).mean() > 0.85


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize(
    "checkers", [pytest.param(2, marks=pytest.mark.slow), pytest.param(15, marks=pytest.mark.long)]
)
def test_bounds_contain_all_results_of_two_checkers_per_side(rules: RuleSet, checkers: int) -> None:
    boards = np.array(list(all_boards(2)), np.int8)
    reachable = reachable_results(boards, rules, checkers)
    assert not (reachable & ~possible_results(boards, rules, checkers)).any()


def test_no_game_ends_outside_the_bounds() -> None:
    for seed, (rules, checkers) in enumerate((rules, count) for rules in RULES.values() for count in (15, 3)):
        boards = varied_positions(300, seed)
        if checkers == 3:
            boards = boards[
                (np.maximum(boards, 0).sum(axis=1) < 4) & (np.minimum(boards, 0).sum(axis=1) > -4)
            ]
        boards = boards[results(boards, rules, checkers) == 0]
        games = np.repeat(boards, 4, axis=0)
        assert play_games(games, rules, checkers, seed) > 0.9 * len(games)


@pytest.mark.long
def test_none_of_a_million_games_ends_outside_the_bounds() -> None:
    finished_count = 0
    for seed in range(25):
        for rules in (STANDARD, *RULES.values()):
            boards = varied_positions(3_000, 100 + seed)
            finished_count += play_games(np.repeat(boards, 3, axis=0), rules, 15, 100 + seed)
    assert finished_count > 1_000_000


@pytest.mark.parametrize(
    ("board", "rules", "expected"),
    [
        ("mxmAQ4PbAQAAAA", "standard", {1}),  # the loser has a checker off and cannot finish first
        # Legal plays can leave two checkers in the winner's home.
        ("mxmAQ4PbAQAAAA", "bar_home_beats_off", {1, 3}),
        ("mxmAQ4PbAQAAAA", "not_all_home", {1, 3}),
        ("APD/AaANAAAAAA", "standard", {1, -1}),  # both sides have checkers off
        ("APD/AaANAAAAAA", "bar_home_beats_off", {1, 3, -1, -3}),  # one checker is on the bar
        ("APD/gwABAAAAAA", "standard", {2}),
        ("APD/gwABAAAAAA", "not_all_home", {3}),
    ],
)
def test_published_positions_have_the_expected_results(board: str, rules: str, expected: set[int]) -> None:
    assert possible_point_sets(Position.from_gnubg_id(board).to_array()[None], RULES[rules]) == [expected]


@pytest.mark.parametrize(
    ("mover", "opponent", "expected"),
    [
        # Points of each side's checkers, numbered from that side.
        ([1], [25], {3}),  # the mover bears off with this roll
        ([3], [25, 1], {3}),
        ([3], [24, 24], {1, 2, 3, -2, -3}),  # the opponent holds the mover's ace point
        ([1] * 3, [25], {2, 3, -1, -2, -3}),  # the remaining checker can be hit
        ([1] * 4, [25], {2, 3}),  # none of the remaining checkers can be hit
        ([1] * 15, [1] * 15, {1, -1}),  # both sides bear off at least one checker
        ([1] * 2, [6] * 15, {2}),
        ([1] * 3, [6] * 15, {1, 2}),
        ([1] * 2, [19] + [6] * 14, {3}),
        ([1] * 3, [19] + [6] * 14, {1, 2, 3}),  # 6-6 bears one checker off
        ([1] * 3, [19] + [6] * 13, {1}),
        ([6, 6], [1], {1, -1}),
        ([6, 6], [1, 1], {1, -1}),
        ([6] * 5, [1, 1], {-1}),
        ([6] * 15, [1, 1], {-1, -2}),
        ([7] + [6] * 14, [1, 1], {-1, -2}),
        ([13] * 4 + [6] * 11, [1, 1], {-2}),
        ([23] * 2 + [6] * 13, [1, 1], {-2, -3}),
        ([23] * 5 + [6] * 10, [1, 1], {-3}),
    ],
)
def test_decided_positions_limit_results(mover: list[int], opponent: list[int], expected: set[int]) -> None:
    board = np.bincount(mover, minlength=26) - np.bincount(25 - np.array(opponent), minlength=26)
    ((actual),) = possible_point_sets(board[None], STANDARD, 15)
    # A side with a checker off can lose only one point.
    if len(opponent) < 15:
        expected = {min(points, 1) for points in expected}
    if len(mover) < 15:
        expected = {max(points, -1) for points in expected}
    assert actual == expected


EVALUATORS: dict[str, Callable[[], Any]] = {
    "builtin network": lambda: BUILTIN,
    "fast network": Network.builtin_fast,
    "random network": lambda: Network.random(seed=1, dense=32),
    "with databases": lambda: WithBearoff(BUILTIN),
    "databases": Bearoff,
    "search": lambda: Lookahead(WithBearoff(BUILTIN)),
    "pip count": PipCount,
    "function": lambda: Chain(lambda boards: np.tile([0.4, 0.45, 0.2, 0.3, 0.35], (len(boards), 1))),
    "equities": lambda: Chain(lambda boards: np.full(len(boards), 5.0)),
    "search with a function": lambda: Lookahead(lambda boards: np.full((len(boards), 5), 0.5), ply=1),
}


@pytest.mark.parametrize("make", EVALUATORS.values(), ids=EVALUATORS)
def test_evaluations_are_within_the_bounds(make: Callable[[], Any]) -> None:
    boards = varied_positions(400, 3)
    evaluator = make()
    if isinstance(evaluator, Bearoff):
        boards = boards[evaluator.covers(boards)]
    boards = boards[results(boards) == 0]
    if isinstance(evaluator, Lookahead):
        boards = boards[::8]
    evaluations = np.asarray(evaluator(boards), float)
    for evaluation, possible in zip(evaluations, possible_point_sets(boards), strict=True):
        if evaluations.ndim == 1:
            assert min(possible) <= evaluation <= max(possible)
        else:
            assert evaluation.tolist() == pytest.approx(bound_probabilities(evaluation, possible), abs=2e-7)
            if not any(points < 0 for points in possible):
                assert evaluation[0] == 1
            if not any(points > 0 for points in possible):
                assert evaluation[0] == 0


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_rollouts_and_searches_are_within_the_bounds_of_the_rules(rules: RuleSet) -> None:
    position = Position.from_gnubg_id("mxmAQ4PbAQAAAA")
    (possible,) = possible_point_sets(position.to_array()[None], rules)
    chain = Chain(lambda boards: np.full((len(boards), 5), 0.5))
    for evaluator in (BUILTIN, WithBearoff(BUILTIN), chain):
        result = bgfast.rollout(
            position, evaluator=evaluator, rules=rules, trials=36, truncate=1, cubeless=True
        )
        search = Lookahead(evaluator, ply=1, rules=rules).evaluation(position)
        for equity in (result.equity, search.equity):
            assert min(possible) - 1e-9 <= equity <= max(possible) + 1e-9
