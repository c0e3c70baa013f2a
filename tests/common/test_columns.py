"""Results as CSV and as data frames."""

from __future__ import annotations

import csv
import io
import sys
from typing import Any

import pytest

import bgfast
from bgfast import BgfastError, Position
from bgfast.evaluators import Lookahead, PipCount, Random, RankedPlays

START = Position.start()
RESULT = bgfast.rollout(START.plays((6, 5)), evaluator=Random(), trials=36, truncate=3)
PLAYS = Lookahead(PipCount(), ply=0).best_plays(START, (6, 5))
PROBABILITY_NAMES = ["win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"]


def read_rows(text: str) -> list[dict[str, str]]:
    assert "\r" not in text
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_of_a_rollout_has_its_estimates() -> None:
    rows = read_rows(RESULT.to_csv())
    assert [row["name"] for row in rows] == [estimate.name for estimate in RESULT.estimates]
    for row, estimate in zip(rows, RESULT.estimates, strict=True):
        assert float(row["equity"]) == estimate.equity
        assert (float(row["equity_low"]), float(row["equity_high"])) == estimate.interval
        assert (float(row["difference_low"]), float(row["difference_high"])) == estimate.difference_interval
        assert [row[name] for name in PROBABILITY_NAMES] == [""] * 5  # the evaluator returns equities only
        assert (row["trials"], row["conditions"]) == ("36", RESULT.conditions)
    position_rows = read_rows(bgfast.rollout(START, evaluator=Random(), trials=36).to_csv())
    assert 0 < float(position_rows[0]["win"]) < 1


def test_csv_of_ranked_plays_has_every_play() -> None:
    assert isinstance(PLAYS, RankedPlays)
    rows = read_rows(PLAYS.to_csv())
    assert [(row["play"], float(row["equity"]), float(row["difference"])) for row in rows] == [
        (str(ranked.play), ranked.equity, ranked.difference) for ranked in PLAYS
    ]
    assert [row["rank"] for row in rows] == list("1234567")


@pytest.mark.parametrize("table", [RESULT, PLAYS])
def test_data_frames_equal_the_csv(table: Any) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: no data frame was made")
    frame = table.to_dataframe()
    rows = read_rows(table.to_csv())
    assert list(frame.columns) == list(rows[0])
    assert frame["equity"].tolist() == [float(row["equity"]) for row in rows]


@pytest.mark.parametrize("table", [RESULT, PLAYS])
def test_missing_pandas_is_an_error(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(BgfastError, match=r"to_dataframe: .*; pip install 'bgfast\[pandas\]'"):
        table.to_dataframe()
