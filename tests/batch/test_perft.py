"""Perft: published counts, and equal counts from every counting method."""

from __future__ import annotations

import json
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Position, reference
from bgfast.batch import perft as perft_levels
from bgfast.batch._perft import leaves_below, merge_children
from bgfast.batch.perft import leaves_by_roll
from bgfast.common.validation import ROLLS, roll_weight
from tests.support.positions import json_data

PERFT = json_data("perft.json")


@pytest.mark.parametrize("depth", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_counts_equal_the_published_counts(depth: int) -> None:
    for position_id, counts in PERFT["positions"].items():
        position = Position.from_gnubg_id(position_id)
        for bulk in (True, False):
            leaf_counts = [
                bgfast.perft(position, depth, weighted=weighted, bulk=bulk) for weighted in (False, True)
            ]
            assert leaf_counts == counts[f"d{depth}"], counts["name"]


def test_counts_by_first_roll_equal_the_published_counts() -> None:
    for depth, key in ((1, "start_depth1_by_roll"), (2, "start_depth2_by_first_roll")):
        counts = {f"{roll[1]}{roll[0]}": n for roll, n in leaves_by_roll(Position.start(), depth)}
        assert counts == {"".join(sorted(roll)): n for roll, n in PERFT[key].items()}


def test_passes_and_finished_games_are_one_leaf() -> None:
    # The mover is closed out, but the opponent can move: every roll is one pass.
    closed_out = Position.from_array([0] * 19 + [-2] * 6 + [1])
    assert bgfast.perft(closed_out, 1) == 21
    assert bgfast.perft(closed_out, 2) == reference.perft(closed_out.to_array().tolist(), 2)[0]
    last_checker = Position.from_array([0, 1] + [0] * 22 + [-1, 0])
    # Every roll ends the game and is one leaf at any depth.
    assert bgfast.perft(last_checker, 5) == 21
    assert bgfast.perft(last_checker, 5, weighted=True) == 36
    finished_position = last_checker.play("1/off", (6, 5))
    assert [bgfast.perft(finished_position, depth) for depth in range(4)] == [1] * 4
    assert bgfast.perft(Position.start(), 0) == 1


# ---- merging equal positions ----

# Few checkers, contact and a checker on the bar lead to entries, hits, passes, bear-offs and finished games.
LATE = Position.from_array([0, -1, 0, 1] + [0] * 18 + [-1, 0, 0, 1])
RACE = Position.from_array([0, 0, 1, 1, 0, 0, 0, 1] + [0] * 13 + [-1, 0, -1, -1, 0])
SMALL_CASES = {"contact": (LATE, 4), "race": (RACE, 5)}


@cache
def count_leaves(name: str, weighted: bool = False) -> int:
    """Return the count obtained by generating every leaf."""
    return bgfast.perft(*SMALL_CASES[name], weighted=weighted, bulk=False)


@pytest.mark.parametrize("name", SMALL_CASES)
def test_merging_does_not_change_counts(name: str) -> None:
    position, depth = SMALL_CASES[name]
    for threads in (1, 2, 3):
        for weighted in (False, True):
            count = bgfast.perft(position, depth, weighted=weighted, threads=threads)
            assert count == count_leaves(name, weighted)
    counts = leaves_by_roll(position, depth, weighted=True)
    assert list(counts) == list(leaves_by_roll(position, depth, weighted=True, bulk=False))


LIMITS = [
    {"PART_CHILDREN": 100_000},
    {"PART_CHILDREN": 2_000},
    {"MAX_MERGED_CHILDREN": 0},
    {"MAX_WHOLE_CHILDREN": 0},
    {"MAX_WHOLE_CHILDREN": 0, "MAX_MERGED_CHILDREN": 0},
    {"MAX_MERGED_CHILDREN": 0, "PART_POSITIONS": 5},
    {"MAX_MERGED_CHILDREN": 20_000, "PART_POSITIONS": 7},
    {"BATCH_POSITIONS": {}},
]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_limits_of_merging_do_not_change_counts(
    monkeypatch: pytest.MonkeyPatch, limits: dict[str, object]
) -> None:
    expected = {case: count_leaves(name) for name, case in SMALL_CASES.items()}
    for name, value in limits.items():
        monkeypatch.setattr(perft_levels, name, value)
    for case, count in expected.items():
        for threads in (1, 2):
            assert bgfast.perft(*case, threads=threads) == count


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_merged_children_are_distinct_and_their_ways_add_up(parts: int) -> None:
    start = Position.from_array(Position.hypergammon().to_array())
    boards = np.array([start.to_array(), start.play("24/20 23/20", (4, 3)).to_array()])
    ways = np.array([[3, 0, 1], [5, 2, 0]], np.uint64)
    expected: dict[tuple[int, ...], list[int]] = {}
    for board, board_ways in zip(boards, ways, strict=True):
        for roll in ROLLS:
            for successor in reference.legal_positions(board.tolist(), *roll):
                child = reference.flip(successor)
                count = np.array(expected.get(child, [0, 0, 0]), np.uint64)
                expected[child] = (count + board_ways * np.uint64(roll_weight(roll))).tolist()
    merged_ways: dict[tuple[int, ...], list[int]] = {}
    row_count = 0
    opponents: set[tuple[int, ...]] = set()
    for part in range(parts):
        rows, row_ways, finished_ways = merge_children(None, boards, ways, True, part, parts)
        assert finished_ways.tolist() == [0, 0, 0]
        row_count += len(rows)
        merged_ways |= dict(zip(map(tuple, rows.tolist()), row_ways.tolist(), strict=True))
        # Positions with equal opposing checkers are adjacent and in the same part.
        groups = [group for group, _ in groupby(map(tuple, np.minimum(rows, 0).tolist()))]
        assert len(groups) == len(set(groups))
        assert not opponents & set(groups)
        opponents |= set(groups)
    assert merged_ways == expected
    assert len(merged_ways) == row_count


@pytest.mark.parametrize("parts", [1, 3])
def test_merging_many_children_agrees_with_numpy_unique(parts: int) -> None:
    # There are enough children for the table to grow several times.
    boards = bgfast.random_positions(100, seed=4)
    children = bgfast.successors(boards, "all", flip=True, passes="keep").boards
    is_over = bgfast.results(children) != 0
    expected, counts = np.unique(children[~is_over], axis=0, return_counts=True)
    assert len(expected) > 10_000
    parent_ways = np.ones((100, 1), np.uint64)
    results = [merge_children(None, boards, parent_ways, False, part, parts) for part in range(parts)]
    rows = np.concatenate([rows for rows, _, _ in results])
    ways = np.concatenate([ways for _, ways, _ in results])
    order = np.lexsort(rows.T[::-1])
    assert (rows[order] == expected).all()
    assert (ways[order, 0] == counts).all()
    assert sum(int(finished_ways[0]) for _, _, finished_ways in results) == is_over.sum()


def test_finished_children_are_counted_separately() -> None:
    boards = np.array([[0, 1] + [0] * 22 + [-1, 0]], np.int8)
    rows, ways, finished_ways = merge_children(None, boards, np.array([[7, 0]], np.uint64), True, 0, 1)
    assert (rows.shape, ways.shape, finished_ways.tolist()) == ((0, 26), (0, 2), [7 * 36, 0])
    assert leaves_below(None, boards, np.array([[7, 2]], np.uint64), 1, False).tolist() == [7 * 21, 2 * 21]


def test_leaves_below_many_positions_agree_with_numpy() -> None:
    # There are more boards than cache entries, so some entries are replaced. Some games are finished.
    boards = bgfast.successors(bgfast.random_positions(800, seed=5), "all", flip=True).boards
    assert len(boards) > 262_144
    assert bgfast.results(boards).any()
    ways = (np.arange(2 * len(boards), dtype=np.uint64) % 7).reshape(-1, 2)
    leaves = bgfast.count_successors(boards, "all", passes="keep").reshape(-1, 21)
    is_over = bgfast.results(boards) != 0
    for weighted, weights in ((False, np.ones(21, np.int64)), (True, bgfast.ROLL_WEIGHTS)):
        counts = np.where(is_over, 1, leaves @ weights).astype(np.uint64)
        expected = (counts[:, None] * ways).sum(axis=0, dtype=np.uint64)
        assert leaves_below(None, boards, ways, 1, weighted).tolist() == expected.tolist()
        sample = slice(0, 20)
        positions = map(Position.from_array, boards[sample])
        counts = [bgfast.perft(position, 2, weighted=weighted, bulk=False) for position in positions]
        expected = (np.array(counts, np.uint64)[:, None] * ways[sample]).sum(axis=0, dtype=np.uint64)
        assert leaves_below(None, boards[sample], ways[sample], 2, weighted).tolist() == expected.tolist()


TABLE = json.loads((Path(__file__).parents[2] / "benchmarks" / "data" / "perft.json").read_text())


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=pytest.mark.slow if row["21 rolls"] < 1e9 else pytest.mark.long)
        for row in TABLE["rows"]
        if row["21 rolls"] < 2e9
    ],
    ids=str,
)
def test_counts_equal_the_published_table_leaf_by_leaf_and_merged(row: dict[str, Any]) -> None:
    position = Position.from_gnubg_id(row["position"])
    for weighted, expected in ((False, row["21 rolls"]), (True, row["36 rolls"])):
        for bulk in (False, True):
            count = bgfast.perft(position, row["depth"], weighted=weighted, bulk=bulk, threads=2)
            assert count == expected


@pytest.mark.long
def test_the_count_at_depth_4_is_the_published_count() -> None:
    assert bgfast.perft(Position.start(), 4, threads=2) == 65_769_899_582
