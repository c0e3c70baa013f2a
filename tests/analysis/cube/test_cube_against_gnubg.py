"""The cube against what GNU Backgammon has said of the same five probabilities, with its own efficiencies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peers.cube import agreement, gnubg_answers, judged
from benchmarks.peers.cube.agreement import Recorded, decision, equities, recorded, same
from bgfast import Decision, Position
from bgfast.analysis.cube.stakes import stakes_of
from tests.support.cube_tables import KAZAROSS
from tests.support.gnubg_bearoff import program
from tests.support.plain_cube import Game, Match, Money, decide, emg

FILE = Path(__file__).parents[2] / "data" / "gnubg_cube.jsonl"
RECORDED = list(recorded(FILE))
NAMES = [said.context["name"] for said in RECORDED]


def of(name: str) -> Recorded:
    return RECORDED[NAMES.index(name)]


def test_every_kind_of_context_is_there() -> None:
    assert len(RECORDED[0].probabilities) == 200
    assert {(owner, "Crawford" in name, "money" in name) for owner, name in zip(
        (said.context["owner"] for said in RECORDED), NAMES, strict=True
    )} == {
        ("centred", False, True), ("owned", False, True), ("centred", False, False), ("owned", False, False),
        ("centred", True, False), ("owned", True, False),
    }  # fmt: skip


@pytest.mark.parametrize("said", RECORDED, ids=NAMES)
def test_equities_and_actions(said: Recorded) -> None:
    found = equities(said.context, said.probabilities, said.efficiencies)
    places = 2 if stakes_of(decision(said.context)).may_double else 1
    plain = said.plain[:, :places]
    assert np.abs(found - said.equities)[:, :places][plain].max() < 5e-6
    if places == 2:
        usual = said.plain.all(axis=1)
        assert same(said, found)[usual].all()


def test_centred_at_two_away_each_it_counts_no_double_as_cubeless() -> None:
    said = of("2-2")
    assert not said.plain[:, 0].any()
    cubeless = equities(said.context, said.probabilities, np.zeros((200, 2)))[:, 0]
    assert np.abs(cubeless - said.equities[:, 0]).max() < 5e-6


def test_who_may_not_double() -> None:
    dead = {said.context["name"] for said in RECORDED if "Never" in said.words[0]}
    assert dead == {
        said.context["name"] for said in RECORDED if not stakes_of(decision(said.context)).may_double
    }
    assert all(("Never" in words) == ("Never" in said.words[0]) for said in RECORDED for words in said.words)


def game(said: Recorded) -> Game:
    context = said.context
    if context["away"] is None:
        return Money(context["jacoby"])
    crawford = "now" if context["crawford"] else "after" if 1 in context["away"] else "before"
    return Match(KAZAROSS, tuple(context["away"]), crawford)


@pytest.mark.parametrize("said", RECORDED, ids=NAMES)
def test_the_slow_reference_says_the_same(said: Recorded) -> None:
    cube, owner = said.context["cube"], said.context["owner"]
    for row in range(0, 200, 90 if said.context["away"] is None else 15):
        found = decide(
            game(said), said.probabilities[row].tolist(), cube, owner, tuple(said.efficiencies[row])
        )
        both = found.no_double, found.double_take
        played = game(said)
        both = [emg(played, mwc, cube) if isinstance(played, Match) else mwc / cube for mwc in both]
        places = said.plain[row]
        if found.action == "no cube":
            places = places & [True, False]
        assert np.abs(np.array(both) - said.equities[row])[places].max(initial=0) < 5e-6


def test_the_tables_of_the_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    agreement.main([str(FILE)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + len(NAMES)
    assert all(line.split("|")[3].strip() == "0" for line in lines[2:])  # beyond 1e-4
    agreement.main([str(FILE), "--efficiency", "bgfast"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("|")[1].strip() for line in lines[2 : 2 + len(NAMES)]] == NAMES
    assert "decisions are another by more than 0.05" in lines[3 + len(NAMES)]


def test_what_differs_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rollouts are kept."""
    monkeypatch.setattr(judged, "recorded", lambda file: [of("4-2"), of("2-2, owned")])
    kept = tmp_path / "rollouts.jsonl"
    words = [str(FILE), str(kept), "--trials", "2"]
    judged.main([*words, "--most", "1"])
    told = capsys.readouterr().out
    first = kept.read_text("ascii")
    (line,) = told.splitlines()[2:]
    assert [cell.strip() for cell in line.split("|")[1:4]][::2] == ["4-2", "1"]
    assert json.loads(first.splitlines()[1])["context"] == "4-2"
    judged.main([*words, "--most", "1"])
    assert (capsys.readouterr().out, kept.read_text("ascii")) == (told, first)
    with pytest.raises(SystemExit, match="was begun with other options"):
        judged.main([str(FILE), str(kept), "--trials", "3"])


def test_a_judged_decision() -> None:
    money = Decision(position=Position.start())
    truth = {"no_double": 0.7, "double_take": 0.9, "probabilities": [0.72, 0.2, 0.01, 0.08, 0.0]}
    for own, theirs, gain in (
        ((True, False), (False, False), 0.2),  # to double is right
        ((False, False), (True, False), -0.2),
        ((True, True), (True, False), -0.1),  # to pass is wrong
    ):
        one = judged.Contested("money", money, np.array(own), np.array(theirs))
        assert judged.gain(one, truth) == pytest.approx(gain)
    again = judged.from_its_own(one, truth)
    assert again.own.tolist() == again.theirs.tolist() == [True, False]


def test_the_recorded_answers_come_again() -> None:
    program("gnubg")
    boards = gnubg_answers.positions(200, 1)[::90]
    table, answers = gnubg_answers.ask(boards, 1)
    gnubg_answers.check_table(table)
    written = [json.loads(line) for line in FILE.read_text(encoding="ascii").splitlines()]
    words: dict[str, str] = {}
    rows = [gnubg_answers.row(*each, words) for each in zip(boards.tolist(), answers, strict=True)]
    for found, kept in zip(rows, written[1::90], strict=True):
        assert (found["id"], found["class"]) == (kept["id"], kept["class"])
        # Its networks are summed up in another order on each kind of processor.
        assert found["probabilities"] == pytest.approx(kept["probabilities"], abs=1e-4)
        assert np.array(found["answers"]) == pytest.approx(np.array(kept["answers"]), abs=1e-3)
    assert words.items() <= written[0]["decisions"].items()
