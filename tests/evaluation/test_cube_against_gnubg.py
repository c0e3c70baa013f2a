"""Cubeful equities, compared with equities of GNU Backgammon recorded for the same probabilities."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from bgfast import Decision, Position
from bgfast.evaluation.stakes import stakes_of

RECORD_FILE = Path(__file__).parents[1] / "data" / "gnubg_cube.jsonl"
TWO_SIDED, RACE = 4, 8  # GNU Backgammon's position classes; lower numbers are nearer to the end of the game
OWNERS = {"centred": 0, "owned": 1, "unavailable": -1}
TIE = 2e-6  # actions that gain or lose at most this count as ties


class ContextRecord(NamedTuple):
    """GNU Backgammon's equities in a context: a row per position, columns for no double and double/take."""

    context: dict[str, Any]
    probabilities: np.ndarray
    equities: np.ndarray
    labels: list[str]
    efficiencies: np.ndarray
    is_regular: np.ndarray  # True if an equity follows from the probabilities and an efficiency

    @property
    def name(self) -> str:
        return str(self.context["name"])


def read_records() -> Iterator[ContextRecord]:
    header, *rows = map(json.loads, RECORD_FILE.read_text(encoding="ascii").splitlines())
    contexts = header["contexts"]
    probabilities = np.array([row["probabilities"] for row in rows])
    equities = np.array([[answer[:2] for answer in row["answers"]] for row in rows])
    is_two_sided = np.array([row["class"] == TWO_SIDED for row in rows])
    equities_by_name = {context["name"]: equities[:, column] for column, context in enumerate(contexts)}
    exact_equities = {
        "centred": equities_by_name["money"][:, 0],
        "owned": equities_by_name["money, owned"][:, 0],
        "unavailable": equities_by_name["money"][:, 1] / 2,
    }
    by_class = np.array([gnubg_efficiency(row) for row in rows])
    efficiencies = {
        owner: np.where(is_two_sided, implied_efficiencies(owner, probabilities, money_equities), by_class)
        for owner, money_equities in exact_equities.items()
    }
    for column, context in enumerate(contexts):
        is_regular = np.ones((len(rows), 2), np.bool_)
        if context["away"] is None:
            is_regular[is_two_sided] = False
        elif context["away"] == [2, 2] and context["owner"] == "centred":
            is_regular[:, 0] = False  # gnubg evaluates no double as cubeless
        labels = [header["decisions"][str(row["answers"][column][2])] for row in rows]
        efficiency_pairs = np.stack((efficiencies[context["owner"]], efficiencies["unavailable"]), axis=1)
        yield ContextRecord(context, probabilities, equities[:, column], labels, efficiency_pairs, is_regular)


def gnubg_efficiency(row: dict[str, Any]) -> float:
    """Return GNU Backgammon's efficiency for a position that is not a two-sided bear-off."""
    if row["class"] != RACE:
        return 0.68 if row["class"] > RACE else 0.6
    return min(0.7, max(0.6, 0.55 + Position.from_gnubg_id(row["id"]).pip_counts[0] / 800))


def implied_efficiencies(owner: str, probabilities: np.ndarray, equities: np.ndarray) -> np.ndarray:
    """Return the efficiencies, at most 0.6, that reproduce exact money equities.

    GNU Backgammon uses these efficiencies for two-sided bear-offs in matches.
    """
    stakes = stakes_of(Decision(position=Position.start(), cube_owner=OWNERS[owner]))
    dead, live = (np.array([stakes.value(row, x) for row in probabilities.tolist()]) for x in (0.0, 1.0))
    is_defined = np.abs(live - dead) > 1e-6
    return np.clip((equities - dead) / np.where(is_defined, live - dead, np.inf), 0, 0.6)


def decision_in(context: dict[str, Any]) -> Decision:
    """Return a cube decision at the context's score; its position is arbitrary."""
    options: dict[str, Any] = {"cube": context["cube"], "cube_owner": OWNERS[context["owner"]]}
    if context["away"] is None:
        options |= {"jacoby": context["jacoby"]}
    else:
        length = max(context["away"])
        score = tuple(length - away for away in context["away"])
        options |= {"match_length": length, "score": score, "crawford": context["crawford"]}
    return Decision(position=Position.start(), **options)


def cube_equities(context: dict[str, Any], probabilities: np.ndarray, efficiencies: np.ndarray) -> np.ndarray:
    """Return bgfast's equities of no double and of double/take, equal if no double is allowed."""
    stakes = stakes_of(decision_in(context))
    equities = np.empty((len(probabilities), 2))
    rows = zip(probabilities.tolist(), efficiencies.tolist(), strict=True)
    for index, (row, (x_no_double, x_take)) in enumerate(rows):
        equities[index] = stakes.value(row, x_no_double)
        if stakes.may_double:
            equities[index, 1] = stakes.double_take(row, x_take)
    return np.vectorize(stakes.normalize)(equities) if stakes.is_match else equities


def action_gains(equities: np.ndarray) -> np.ndarray:
    """Return the gain of doubling over not doubling, and of dropping over taking."""
    no_double, double_take = equities.T
    return np.stack((np.minimum(double_take, 1) - no_double, double_take - 1), axis=1)


def actions_differ(record: ContextRecord, equities: np.ndarray) -> np.ndarray:
    """Return whether each action differs from GNU Backgammon's and is not a tie."""
    gains, gnubg_gains = action_gains(equities), action_gains(record.equities)
    return ((gains > 0) != (gnubg_gains > 0)) & ((np.abs(gains) > TIE) | (np.abs(gnubg_gains) > TIE))


RECORDS = list(read_records())
NAMES = [record.name for record in RECORDS]


def record_of(name: str) -> ContextRecord:
    return RECORDS[NAMES.index(name)]


@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_equities_and_actions_agree(record: ContextRecord) -> None:
    equities = cube_equities(record.context, record.probabilities, record.efficiencies)
    columns = 2 if stakes_of(decision_in(record.context)).may_double else 1
    is_regular = record.is_regular[:, :columns]
    assert np.abs(equities - record.equities)[:, :columns][is_regular].max() < 5e-6
    if columns == 2:
        is_regular = record.is_regular.all(axis=1)
        assert not actions_differ(record, equities)[is_regular].any()


def test_gnubg_evaluates_no_double_as_cubeless_at_two_away_two_away() -> None:
    record = record_of("2-2")
    assert not record.is_regular[:, 0].any()
    cubeless = cube_equities(record.context, record.probabilities, np.zeros((200, 2)))[:, 0]
    assert np.abs(cubeless - record.equities[:, 0]).max() < 5e-6


def test_players_with_a_dead_cube_may_not_double() -> None:
    names = {record.name for record in RECORDS if "Never" in record.labels[0]}
    assert names == {
        record.name for record in RECORDS if not stakes_of(decision_in(record.context)).may_double
    }
    assert all(
        ("Never" in label) == ("Never" in record.labels[0]) for record in RECORDS for label in record.labels
    )
