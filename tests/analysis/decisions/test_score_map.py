"""The map of scores: what is right in each field is what it is at that score alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, CubeDecision, Decision
from bgfast.errors import InvalidPositionError
from bgfast.evaluators import Lookahead, RankedPlays

CONTACT = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:3:0:10"
DECISION = Decision.read(CONTACT)


def test_each_field_is_the_decision_at_that_score() -> None:
    found = bgfast.score_map(DECISION, away=3, ply=0)
    assert found.labels == ("C", "1", "2", "3")
    for row, own in enumerate(found.stages):
        for column, other in enumerate(found.stages):
            answer = found.answers[row][column]
            crawford = own.crawford or other.crawford
            if crawford and own.away == other.away:
                assert answer is None
                continue
            assert isinstance(answer, CubeDecision)
            score = (3 - own.away, 3 - other.away)
            there = replace(
                DECISION, match_length=3, score=score, crawford=crawford, jacoby=False, beaver=False
            )
            assert answer.to_dict() == bgfast.cube_decision(there, ply=0).to_dict()


def test_too_good_to_double() -> None:
    """Who wins a gammon in most games plays on."""

    def crushing(boards: np.ndarray) -> np.ndarray:
        return np.tile([0.95, 0.8, 0.1, 0.0, 0.0], (len(boards), 1))

    found = bgfast.score_map(DECISION, crushing, away=4, ply=0)
    assert found.texts()[4] == ["--", "TG", "TG", "TG", "TG"]
    assert "TG too good to double" in found.legend()


def test_words_and_table() -> None:
    found = bgfast.score_map(DECISION, away=3, ply=0)
    assert found.texts() == [
        ["", "", "--", "--"],
        ["", "--", "--", "--"],
        ["--", "D/T", "ND", "ND"],
        ["--", "D/T", "ND", "ND"],
    ]
    assert found.legend() == [
        "ND no double",
        "D/T double, take",
        "-- no double possible",
    ]
    rows = found.rows()
    assert len(rows) == 4 * 4 - 3
    assert rows[0] == {
        "away": 1,
        "opponent_away": 2,
        "crawford": True,
        "action": "No double",
        "equity": rows[0]["no_double"],
        "mwc": rows[0]["mwc"],
        "no_double": rows[0]["equity"],
        "double_take": None,
        "double_pass": None,
        "second": None,
        "second_difference": None,
    }
    assert found.to_csv().count("\n") == len(rows) + 1


def test_plays_at_each_score() -> None:
    player = Lookahead(bgfast.Network.builtin(), ply=0)
    rolled = replace(DECISION, dice=(6, 4), cube=2, cube_owner=1)
    found = bgfast.score_map(rolled, player, away=5)
    answer = found.answers[5][2]
    there = replace(rolled, match_length=5, score=(0, 3), jacoby=False, beaver=False)
    assert isinstance(answer, RankedPlays)
    assert answer == player.best_plays(there)
    letters = {line[2:]: line[0] for line in found.legend()}
    assert list(letters.values()) == list("ABCDEFGH")[: len(letters)]
    texts = found.texts()
    assert texts[5][2] == letters[str(answer[0].play)]
    best = [word for row in texts for word in row if word]
    assert best.count("A") == max(best.count(word) for word in best)
    row = found.rows()[-1]
    assert (row["away"], row["action"], row["no_double"]) == (5, str(found.answers[-1][-1][0].play), None)  # type: ignore[index]
    assert row["second_difference"] <= 0


def test_a_cube_that_was_turned_was_in_no_crawford_game() -> None:
    for fields in ({"cube": 2, "cube_owner": -1}, {"offer": "double"}):
        found = bgfast.score_map(replace(DECISION, **fields), away=3, ply=0)  # type: ignore[arg-type]
        assert set(found.texts()[0]) == {""}
        assert {row[0] for row in found.texts()} == {""}
    # Whoever needs a point cannot have doubled.
    assert found.texts()[1] == ["", "", "", ""]
    assert {word for row in found.texts()[2:] for word in row[1:]} <= {"T", "P"}


def test_everybody_looks_as_far_as_is_said() -> None:
    found = bgfast.score_map(DECISION, away=2, ply=1, threads=2)
    (answer,) = {each.ply for row in found.answers for each in row if isinstance(each, CubeDecision)}
    assert answer == 1


@pytest.mark.parametrize("away", [1, 26, "3", 2.5])
def test_how_many_points(away: object) -> None:
    with pytest.raises(BgfastError, match=r"away is .*; expected 2 to 25 points"):
        bgfast.score_map(DECISION, away=away, ply=0)  # type: ignore[arg-type]


def test_no_map_of_a_finished_game() -> None:
    over = Decision.read("XGID=-A------------------------:0:0:1:00:0:0:0:0:10")
    with pytest.raises(InvalidPositionError, match=r"^the game is over"):
        bgfast.score_map(over, ply=0)
