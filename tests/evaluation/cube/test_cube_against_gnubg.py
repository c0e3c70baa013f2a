"""Cubeful equities compared with recorded ones of GNU Backgammon, for its probabilities and efficiencies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peers.cube import agreement, gnubg_answers, rollouts
from benchmarks.peers.cube.agreement import (
    ContextRecord,
    actions_differ,
    decision_in,
    own_equities,
    read_contexts,
)
from bgfast import Decision, Position
from bgfast.evaluation.cube.stakes import stakes_of
from tests.support.cube_tables import KAZAROSS
from tests.support.gnubg_bearoff import program
from tests.support.plain_cube import Game, Match, Money, decide, emg

FILE = Path(__file__).parents[2] / "data" / "gnubg_cube.jsonl"
RECORDS = list(read_contexts(FILE))
NAMES = [record.name for record in RECORDS]


def record_of(name: str) -> ContextRecord:
    return RECORDS[NAMES.index(name)]


def test_every_kind_of_context_is_recorded() -> None:
    assert len(RECORDS[0].probabilities) == 200
    assert {(owner, "Crawford" in name, "money" in name) for owner, name in zip(
        (record.context["owner"] for record in RECORDS), NAMES, strict=True
    )} == {
        ("centred", False, True), ("owned", False, True), ("centred", False, False), ("owned", False, False),
        ("centred", True, False), ("owned", True, False),
    }  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_equities_and_actions(record: ContextRecord) -> None:
    computed = own_equities(record.context, record.probabilities, record.efficiencies)
    columns = 2 if stakes_of(decision_in(record.context)).may_double else 1
    is_regular = record.is_regular[:, :columns]
    assert np.abs(computed - record.equities)[:, :columns][is_regular].max() < 5e-6
    if columns == 2:
        is_regular = record.is_regular.all(axis=1)
        assert not actions_differ(record, computed)[is_regular].any()


def test_gnubg_evaluates_no_double_as_cubeless_at_two_away_two_away() -> None:
    record = record_of("2-2")
    assert not record.is_regular[:, 0].any()
    cubeless = own_equities(record.context, record.probabilities, np.zeros((200, 2)))[:, 0]
    assert np.abs(cubeless - record.equities[:, 0]).max() < 5e-6


def test_players_who_may_not_double() -> None:
    dead = {record.name for record in RECORDS if "Never" in record.words[0]}
    assert dead == {
        record.name for record in RECORDS if not stakes_of(decision_in(record.context)).may_double
    }
    assert all(
        ("Never" in words) == ("Never" in record.words[0]) for record in RECORDS for words in record.words
    )


def game(record: ContextRecord) -> Game:
    context = record.context
    if context["away"] is None:
        return Money(context["jacoby"])
    crawford = "now" if context["crawford"] else "after" if 1 in context["away"] else "before"
    return Match(KAZAROSS, tuple(context["away"]), crawford)


@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_the_slow_reference_agrees(record: ContextRecord) -> None:
    cube, owner = record.context["cube"], record.context["owner"]
    for row in range(0, 200, 90 if record.context["away"] is None else 15):
        decided = decide(
            game(record), record.probabilities[row].tolist(), cube, owner, tuple(record.efficiencies[row])
        )
        values = decided.no_double, decided.double_take
        played = game(record)
        values = [emg(played, value, cube) if isinstance(played, Match) else value / cube for value in values]
        is_regular = record.is_regular[row]
        if decided.action == "no cube":
            is_regular = is_regular & [True, False]
        assert np.abs(np.array(values) - record.equities[row])[is_regular].max(initial=0) < 5e-6


def test_the_tables_of_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    agreement.main([str(FILE)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(NAMES)
    assert all(line.split("|")[3].strip() == "0" for line in lines[2:])  # beyond 1e-4
    agreement.main([str(FILE), "--efficiency", "bgfast"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2 : 2 + len(NAMES)]] == NAMES
    assert "decisions with an error above 0.05" in lines[3 + len(NAMES)]


def test_differing_decisions_are_rolled_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rollouts are stored and reused."""
    monkeypatch.setattr(rollouts, "read_contexts", lambda file: [record_of("4-2"), record_of("2-2, owned")])
    path = tmp_path / "rollouts.jsonl"
    words = [str(FILE), str(path), "--trials", "2"]
    rollouts.main([*words, "--max-decisions", "1"])
    output = capsys.readouterr().out
    first = path.read_text("ascii")
    (line,) = output.splitlines()[2:]
    assert [cell.strip() for cell in line.split("|")[1:4]][::2] == ["4-2", "1"]
    assert json.loads(first.splitlines()[1])["context"] == "4-2"
    rollouts.main([*words, "--max-decisions", "1"])
    assert (capsys.readouterr().out, path.read_text("ascii")) == (output, first)
    with pytest.raises(SystemExit, match="was begun with other options"):
        rollouts.main([str(FILE), str(path), "--trials", "3"])


def test_gain_of_a_disputed_decision() -> None:
    money = Decision(position=Position.start())
    rollout = {"no_double": 0.7, "double_take": 0.9, "probabilities": [0.72, 0.2, 0.01, 0.08, 0.0]}
    for own_actions, gnubg_actions, gain in (
        ((True, False), (False, False), 0.2),  # doubling is right
        ((False, False), (True, False), -0.2),
        ((True, True), (True, False), -0.1),  # dropping is wrong
    ):
        disputed = rollouts.DisputedDecision("money", money, np.array(own_actions), np.array(gnubg_actions))
        assert rollouts.gain(disputed, rollout) == pytest.approx(gain)
    decided_again = rollouts.with_rollout_probabilities(disputed, rollout)
    assert decided_again.own_actions.tolist() == decided_again.gnubg_actions.tolist() == [True, False]


def test_the_recorded_answers_are_reproducible() -> None:
    program("gnubg")
    boards = gnubg_answers.positions(200, 1)[::90]
    table, answers = gnubg_answers.evaluate(boards, 1)
    gnubg_answers.check_table(table)
    written = [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]
    words: dict[str, str] = {}
    rows = [
        gnubg_answers.position_row(*answer, words) for answer in zip(boards.tolist(), answers, strict=True)
    ]
    for row, record in zip(rows, written[1::90], strict=True):
        assert (row["id"], row["class"]) == (record["id"], record["class"])
        # GNU Backgammon's networks sum in an order that depends on the processor.
        assert row["probabilities"] == pytest.approx(record["probabilities"], abs=1e-4)
        assert np.array(row["answers"]) == pytest.approx(np.array(record["answers"]), abs=1e-3)
    assert words.items() <= written[0]["decisions"].items()
