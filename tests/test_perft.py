"""Perft: the published counts, and the same number by every way of counting."""

from __future__ import annotations

import numpy as np
import pytest

import bgfast
from bgfast import Position, enumeration, reference
from bgfast.core.distinct import leaves_below, merged_children
from bgfast.enumeration import leaves_by_roll
from bgfast.rolls import ROLLS, roll_weight

from .boards import json_data

PERFT = json_data("perft.json")


@pytest.mark.parametrize("bulk", [True, False], ids=["counted", "generated"])
@pytest.mark.parametrize(
    "depth", [1, 2, pytest.param(3, marks=pytest.mark.slow)], ids=lambda depth: f"depth {depth}"
)
@pytest.mark.parametrize("position_id", PERFT["positions"], ids=lambda i: PERFT["positions"][i]["name"])
def test_perft(position_id: str, depth: int, bulk: bool) -> None:
    position = Position.from_gnubg_id(position_id)
    by_21_rolls, by_36_rolls = PERFT["positions"][position_id][f"d{depth}"]
    assert bgfast.perft(position, depth, bulk=bulk) == by_21_rolls
    assert bgfast.perft(position, depth, weighted=True, bulk=bulk) == by_36_rolls


@pytest.mark.parametrize(("depth", "key"), [(1, "start_depth1_by_roll"), (2, "start_depth2_by_first_roll")])
def test_perft_by_first_roll(depth: int, key: str) -> None:
    found = {f"{roll[1]}{roll[0]}": n for roll, n in leaves_by_roll(Position.start(), depth)}
    assert found == {"".join(sorted(roll)): n for roll, n in PERFT[key].items()}


def test_perft_of_passes_and_finished_games() -> None:
    # The mover is closed out, the opponent can move: every roll is one pass.
    closed_out = Position.from_array([0] * 19 + [-2] * 6 + [1])
    assert bgfast.perft(closed_out, 1) == 21
    assert bgfast.perft(closed_out, 2) == reference.perft(closed_out.to_array().tolist(), 2)[0]
    last_checker = Position.from_array([0, 1] + [0] * 22 + [-1, 0])
    # Every roll ends the game: one leaf each, whatever depth remains.
    assert bgfast.perft(last_checker, 5) == 21
    assert bgfast.perft(last_checker, 5, weighted=True) == 36
    finished = last_checker.play("1/off", (6, 5))
    assert [bgfast.perft(finished, depth) for depth in range(4)] == [1] * 4
    assert bgfast.perft(Position.start(), 0) == 1


# ---- merging equal positions ----

# Few checkers, contact, one on the bar: entries, hits, passes, bear-offs and ends of games soon.
LATE = Position.from_array([0, -1, 0, 1] + [0] * 18 + [-1, 0, 0, 1])
RACE = Position.from_array([0, 0, 1, 1, 0, 0, 0, 1] + [0] * 13 + [-1, 0, -1, -1, 0])
SMALL = {"contact": (LATE, 4), "race": (RACE, 5)}


@pytest.mark.parametrize("weighted", [False, True], ids=["21 rolls", "36 rolls"])
@pytest.mark.parametrize("name", SMALL)
def test_merging_changes_no_count(name: str, weighted: bool) -> None:
    position, depth = SMALL[name]
    expected = bgfast.perft(position, depth, weighted=weighted, bulk=False)
    for threads in (1, 2, 3):
        assert bgfast.perft(position, depth, weighted=weighted, threads=threads) == expected


@pytest.mark.parametrize("limits", [{"PART": 100_000}, {"MOST_MERGED": 0}, {"MOST_MERGED": 20_000}], ids=str)
def test_limits_of_merging_change_no_count(monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]) -> None:
    expected = bgfast.perft(LATE, 4, bulk=False)
    for name, value in limits.items():
        monkeypatch.setattr(enumeration, name, value)
    for threads in (1, 2):
        assert bgfast.perft(LATE, 4, threads=threads) == expected


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_change_no_count(threads: int) -> None:
    for bulk in (True, False):
        assert bgfast.perft(Position.nackgammon(), 2, bulk=bulk, threads=threads) == 324161


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_merged_children_are_the_distinct_ones_with_their_ways(parts: int) -> None:
    start = Position.from_array(Position.hypergammon().to_array())
    boards = np.array([start.to_array(), start.play("24/20 23/20", (4, 3)).to_array()])
    ways = np.array([3, 5], np.uint64)
    expected: dict[tuple[int, ...], int] = {}
    for board, times in zip(boards, ways.tolist(), strict=True):
        for roll in ROLLS:
            for successor in reference.legal_positions(board.tolist(), *roll):
                child = reference.flip(successor)
                expected[child] = expected.get(child, 0) + times * roll_weight(roll)
    found: dict[tuple[int, ...], int] = {}
    rows_found = 0
    for part in range(parts):
        rows, times_found, finished = merged_children(boards, ways, True, part, parts)
        assert finished == 0
        rows_found += len(rows)
        found |= dict(zip(map(tuple, rows.tolist()), times_found.tolist(), strict=True))
    assert found == expected
    assert len(found) == rows_found


def test_finished_children_are_counted_apart() -> None:
    last = np.array([[0, 1] + [0] * 22 + [-1, 0]], np.int8)
    rows, ways, finished = merged_children(last, np.array([7], np.uint64), True, 0, 1)
    assert (len(rows), len(ways), finished) == (0, 0, 7 * 36)
    assert leaves_below(last, np.array([7], np.uint64), 1, False) == 7 * 21


@pytest.mark.slow
def test_four_plays_from_the_start() -> None:
    assert bgfast.perft(Position.start(), 4, threads=2) == 65_769_899_582
