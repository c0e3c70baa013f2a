"""Score maps: every cell equals the analysis at its score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import bgfast
from bgfast import Decision
from bgfast.cube import score_map
from bgfast.evaluators import Lookahead

CONTACT = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:3:0:10"
DECISION = Decision.read(CONTACT)


def test_cells_equal_decisions_at_their_scores() -> None:
    result = score_map(DECISION, away=3, ply=0)
    assert result.labels == ("C", "1", "2", "3")
    for row, stage in enumerate(result.stages):
        for column, opponent_stage in enumerate(result.stages):
            answer = result.answers[row][column]
            crawford = stage.crawford or opponent_stage.crawford
            if crawford and stage.away == opponent_stage.away:
                assert answer is None
                continue
            score = (3 - stage.away, 3 - opponent_stage.away)
            score_decision = replace(
                DECISION, match_length=3, score=score, crawford=crawford, jacoby=False, beaver=False
            )
            assert answer.to_dict() == bgfast.cube_decision(score_decision, ply=0).to_dict()


def test_abbreviations_are_as_players_write_them() -> None:
    for offer, probabilities, text, meaning in (
        (None, [0.95, 0.8, 0.1, 0.0, 0.0], "TG", "too good to double"),
        (None, [0.82, 0.0, 0.0, 0.0, 0.0], "D/P", "double, drop"),
        ("double", [0.82, 0.0, 0.0, 0.0, 0.0], "P", "drop"),
        ("double", [0.7, 0.0, 0.0, 0.0, 0.0], "T", "take"),
    ):

        def constant(boards: np.ndarray, probabilities: list[float] = probabilities) -> np.ndarray:
            return np.tile(probabilities, (len(boards), 1))

        result = score_map(replace(DECISION, offer=offer), constant, away=4, ply=0)
        assert result.texts()[4][4] == text
        assert f"{text} {meaning}" in result.legend()


def test_maps_have_texts_a_legend_and_rows() -> None:
    result = score_map(DECISION, bgfast.Network.builtin_fast(), away=3, ply=0)
    assert result.texts() == [
        ["", "", "--", "--"],
        ["", "--", "--", "--"],
        ["--", "D/T", "ND", "ND"],
        ["--", "D/T", "ND", "ND"],
    ]
    assert result.legend() == ["ND no double", "D/T double, take", "-- no double possible"]
    rows = result.rows()
    assert len(rows) == 4 * 4 - 3
    first = {name: value for name, value in rows[0].items() if value is not None}
    fields = {"away": 1, "opponent_away": 2, "crawford": True, "action": "No double"}
    assert first == fields | dict.fromkeys(("equity", "no_double"), first["equity"]) | {"mwc": first["mwc"]}
    assert result.to_csv().count("\n") == len(rows) + 1


def test_cells_of_a_roll_have_the_best_plays() -> None:
    player = Lookahead(bgfast.Network.builtin(), ply=0)
    roll_decision = replace(DECISION, dice=(6, 4), cube=2, cube_owner=1)
    result = score_map(roll_decision, player, away=5)
    answer = result.answers[5][2]
    score_decision = replace(roll_decision, match_length=5, score=(0, 3), jacoby=False, beaver=False)
    assert answer == player.best_plays(score_decision)
    letters = {line[2:]: line[0] for line in result.legend()}
    assert list(letters.values()) == list("ABCDEFGH")[: len(letters)]
    texts = result.texts()
    assert texts[5][2] == letters[str(answer[0].play)]
    best_letters = [word for row in texts for word in row if word]
    assert best_letters.count("A") == max(best_letters.count(word) for word in best_letters)
    row = result.rows()[-1]
    assert (row["away"], row["action"], row["no_double"]) == (5, str(result.answers[-1][-1][0].play), None)
    assert row["second_difference"] <= 0


def test_turned_cubes_exclude_the_crawford_game() -> None:
    for fields in ({"cube": 2, "cube_owner": -1}, {"offer": "double"}):
        result = score_map(replace(DECISION, **fields), away=3, ply=0)
        assert set(result.texts()[0]) == {""}
        assert {row[0] for row in result.texts()} == {""}
    # A player who needs one point cannot have doubled.
    assert result.texts()[1] == ["", "", "", ""]
    assert {word for row in result.texts()[2:] for word in row[1:]} <= {"T", "P"}


def test_maps_of_different_sizes_are_not_equal() -> None:
    result = score_map(DECISION, ply=0, away=2)
    assert result == score_map(DECISION, ply=0, away=2)
    assert result != score_map(DECISION, ply=0, away=3)
