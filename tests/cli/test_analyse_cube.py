"""``bgfast analyse`` with a cube: doubles, answers, plays at a score, maps."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

import bgfast
from bgfast import Decision
from bgfast.evaluators import Lookahead, WithBearoff
from tests.support.command_line import Capture, get_error, run, run_json

MATCH = "XGID=-a-a--E-C---dE---d-e----B-:1:1:1:00:2:3:0:7:10"
MONEY = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:3:0:10"
CRAWFORD = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:6:3:1:7:10"
ACE_POINT = "XGID=-b-BBBC-----aA-----ccbbaa-:0:0:1:00:0:0:2:0:10"
CENTRED_CUBE = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10"
MET_TEXT = "match equities: Kazaross XG2 25 point MET"
MATCH_CONDITIONS = f"cubeful, match to 7, X 5 away, O 4 away; cube 2, X's; {MET_TEXT}; efficiency: bgfast"
MONEY_CONDITIONS = "cubeful, money, Jacoby rule, beavers; cube 1, centred; efficiency: bgfast"
FINISHED = "XGID=-A------------------------:0:0:1:00:0:0:0:0:10"
PLY_0 = ("--ply", "0")


def below_board(capsys: Capture, text: str, *arguments: str) -> str:
    """Return the output below the board of an XGID."""
    board, separator, output = run(capsys, "analyse", text, *arguments).partition("\n\n")
    assert (board, separator) == (str(Decision.read(text)), "\n\n")
    return output


def test_cube_decision_as_json_and_text(capsys: Capture) -> None:
    expected = bgfast.cube_decision(MATCH, ply=0)
    content = run_json(capsys, "analyse", MATCH, *PLY_0)
    assert content.pop("cube_decision") == expected.to_dict()
    assert content == {
        "position": expected.decision.position.gnubg_id,
        "rules": "standard",
        "evaluator": "builtin",
        "ply": 0,
        "conditions": MATCH_CONDITIONS,
        "played_for": {
            "cube": 2,
            "cube_owner": 1,
            "max_cube": 1024,
            "match_length": 7,
            "score": [2, 3],
            "crawford": False,
            "jacoby": False,
            "beaver": False,
            "match_equity_table": "Kazaross XG2 25 point MET",
            "efficiency": "bgfast",
        },
    }
    action, _, head, *lines = below_board(capsys, MATCH, *PLY_0).splitlines()
    assert action == expected.proper_action == "No redouble, take"
    assert head.split() == ["equity", "diff.", "MWC"]
    for rank, (line, choice) in enumerate(zip(lines, expected.actions, strict=False), 1):
        difference = [f"{choice.difference:+.4f}"] if rank > 1 else []
        mwc = f"{choice.mwc:.2%}"
        assert line.split() == [str(rank), *choice.action.split(), f"{choice.equity:+.4f}", *difference, mwc]
    points_head, *points = lines[7:11]
    assert points_head.split() == ["double", "cash", "too", "good", "O", "takes"]
    assert points[2].split()[2] == f"{expected.points['cubeful'].cash:.2%}"
    assert lines[-1] == MATCH_CONDITIONS


def test_cube_decisions_are_searched_at_two_plies(capsys: Capture) -> None:
    content = run_json(capsys, "analyse", MONEY)
    assert content["ply"] == 2
    assert content["conditions"] == MONEY_CONDITIONS
    assert content["cube_decision"]["proper_action"] == "No double, beaver"
    assert content["cube_decision"]["mwc"] is None
    assert "MWC" not in run(capsys, "analyse", MONEY, *PLY_0)


def test_the_answer_to_a_double_is_recommended(capsys: Capture) -> None:
    offer_xgid = MATCH.replace(":00:", ":D:")
    content = run_json(capsys, "analyse", offer_xgid, *PLY_0)["cube_decision"]
    assert content["proper_action"] == "Take"
    assert [choice["action"] for choice in content["actions"]] == ["Take", "Drop"]
    output = below_board(capsys, offer_xgid, *PLY_0)
    assert output.startswith("Take\n")
    assert "\n\nX, who is on roll:\ncubeless" in output  # X, who doubles, is still on roll
    swapped_xgid = offer_xgid.replace(":1:1:1:D:", ":1:-1:-1:D:")
    assert "\n\nO, who is on roll:\ncubeless" in run(capsys, "analyse", swapped_xgid, *PLY_0)
    assert "on roll:" not in run(capsys, "analyse", MATCH, *PLY_0)


def test_the_answer_to_a_double_is_rolled_out(capsys: Capture) -> None:
    for command, text in (("analyse", MATCH), ("rollout", MATCH), ("rollout", ACE_POINT)):
        options = ["--trials", "36", "--seed", "1", "--evaluator", "builtin-fast"]
        options += ["--rollout", *PLY_0] if command == "analyse" else []
        offer_xgid = text.replace(":00:", ":D:")
        result = bgfast.rollout(
            offer_xgid, evaluator=WithBearoff(bgfast.Network.builtin_fast()), trials=36, seed=1
        )
        suffix = ", too close to call" if result.cube.take_too_close else ""
        answer = f"answer to the double: {result.cube.actions.answers}{suffix}"
        assert run(capsys, command, offer_xgid, *options).splitlines()[-1] == answer
    assert "answer to the" not in run(capsys, command, text, *options)
    output = run(capsys, "rollout", ACE_POINT.replace(":00:", ":R:"), "--trials", "36").splitlines()
    assert output[-1].removesuffix(", too close to call") == "answer to the raccoon: drop"
    output = run(capsys, "rollout", ACE_POINT.replace(":00:", ":B:"), "--trials", "36").splitlines()
    assert sum(line.startswith("answer to") for line in output) == 1


def test_no_double_in_the_crawford_game(capsys: Capture) -> None:
    lines = below_board(capsys, CRAWFORD, *PLY_0).splitlines()
    assert lines[0] == "No double"
    assert "No double: this is the Crawford game, which is played without the cube." in lines


def test_plays_at_a_score_have_match_winning_chances(capsys: Capture) -> None:
    rolled_xgid = MATCH.replace(":00:", ":64:")
    player = Lookahead(WithBearoff(bgfast.Network.builtin()), ply=1)
    expected = player.best_plays(Decision.read(rolled_xgid))
    content = run_json(capsys, "analyse", rolled_xgid)
    assert content["conditions"] == MATCH_CONDITIONS
    assert content["ply"] == 1
    first_play = content["plays"][0]
    best = expected[0]
    assert (first_play["text"], first_play["equity"]) == (str(best.play), best.equity)
    assert (first_play["mwc"], first_play["cubeless_equity"]) == (best.mwc, best.cubeless_equity)
    head, line, *_, conditions = below_board(capsys, rolled_xgid, "--ply", "1").splitlines()
    assert head.split()[:4] == ["ply", "equity", "diff.", "MWC"]
    assert f"{best.mwc:.2%}" in line
    assert conditions == MATCH_CONDITIONS
    assert run_json(capsys, "analyse", MATCH, "64")["plays"] == content["plays"]


def test_cubeless_analyses_ignore_cube_and_score(capsys: Capture) -> None:
    conditions = "cubeless, money; cube and score ignored"
    content = run_json(capsys, "analyse", MATCH, "--cubeless")
    assert content["conditions"] == conditions
    assert "played_for" not in content
    assert content["ply"] == 1
    position_analysis = run_json(capsys, "analyse", Decision.read(MATCH).position.gnubg_id, "--cubeless")
    assert content["equity"] == position_analysis["equity"]
    assert position_analysis["conditions"] == "cubeless, money"
    roll_analysis = run_json(capsys, "analyse", MATCH, "64", "--cubeless")
    assert roll_analysis["conditions"] == conditions
    arguments = [Decision.read(MATCH).position.gnubg_id, "64", "--cubeless"]
    assert roll_analysis["plays"] == run_json(capsys, "analyse", *arguments)["plays"]


def test_evaluators_without_probabilities_ignore_cube_and_score(capsys: Capture) -> None:
    arguments = ["--evaluator", "pip-count", *PLY_0]
    reason = "pip-count returns no probabilities, which cube and score need"
    for text in (MATCH, f"{MATCH} 64"):
        content = run_json(capsys, "analyse", *text.split(), *arguments)
        assert content["conditions"] == f"cubeless, money; cube and score ignored; {reason}"
    assert run_json(capsys, "analyse", CENTRED_CUBE, *arguments)["conditions"] == f"cubeless, money; {reason}"
    for operands in ([CENTRED_CUBE, "--cubeless"], ["start"]):
        assert run_json(capsys, "analyse", *operands, *arguments)["conditions"] == "cubeless, money"


def test_efficiency_models_are_named_and_finished_games_evaluated(capsys: Capture) -> None:
    content = run_json(capsys, "analyse", MATCH, *PLY_0, "--efficiency", "gnubg")
    assert content["conditions"].endswith(f"{MET_TEXT}; efficiency: gnubg")
    assert content["played_for"]["efficiency"] == "gnubg"
    assert run_json(capsys, "analyse", FINISHED)["equity"] < 0
    assert run_json(capsys, "analyse", *["0"] * 24, "-15", "0")["equity"] == 2


def test_a_file_of_positions_agrees_with_single_positions(capsys: Capture, tmp_path: Path) -> None:
    texts = [MATCH, MATCH.replace(":00:", ":64:"), MONEY.replace(":00:", ":D:"), "start 31", "nackgammon"]
    (tmp_path / "positions.txt").write_text("\n".join(texts))
    arguments = ["--positions", str(tmp_path / "positions.txt"), *PLY_0]
    content = [json.loads(line) for line in run(capsys, "analyse", *arguments, "--json").splitlines()]
    for item, text in zip(content, texts, strict=True):
        expected = run_json(capsys, "analyse", *text.split(), *PLY_0)
        assert {name: item[name] for name in expected} == expected
    assert [item["conditions"] for item in content[-2:]] == [
        "cubeful, money; cube 1, centred; efficiency: bgfast"
    ] * 2
    rows = list(csv.DictReader(io.StringIO(run(capsys, "analyse", *arguments, "--csv", "--top", "1"))))
    assert [row["play"] for row in rows] == [
        "No redouble",
        "Redouble, take",
        "Redouble, drop",
        content[1]["plays"][0]["text"],
        "Beaver",
        "Take",
        "Drop",
        "8/5 6/5",
        "",
    ]
    assert [row["rank"] for row in rows] == list("123112311")
    assert {row["cubeful"] for row in rows} == {"True"}
    assert float(rows[0]["mwc"]) == content[0]["cube_decision"]["mwc"]["no_double"]


# ---- maps ----


def test_a_map_of_scores_equals_score_map(capsys: Capture) -> None:
    expected = bgfast.cube.score_map(MONEY, ply=0)
    content = run_json(capsys, "analyse", MONEY, "--scores", *PLY_0)
    assert content["scores"] == expected.rows()
    conditions = f"cubeful, matches at each score; cube 1, centred; {MET_TEXT}; efficiency: bgfast"
    assert content["conditions"] == conditions
    assert "score" not in content["played_for"]
    _, head, *lines = below_board(capsys, MONEY, "--scores", *PLY_0).splitlines()
    assert tuple(head.split()) == expected.labels
    assert [line.split()[0] for line in lines[:10]] == list(expected.labels)
    assert lines[5].split()[1:] == expected.texts()[5]
    assert "ND no double" in lines
    play_map = run_json(capsys, "analyse", MATCH, "64", "--scores", *PLY_0)
    assert play_map["scores"] == bgfast.cube.score_map(MATCH.replace(":00:", ":64:"), ply=0).rows()
    money_map = run_json(capsys, "analyse", MONEY, "--scores", "--away", "3", *PLY_0)
    assert money_map["scores"] == bgfast.cube.score_map(MONEY, ply=0, away=3).rows()
    nackgammon_map = run_json(capsys, "analyse", "nackgammon", "--scores", "--away", "3", *PLY_0)
    assert len(nackgammon_map["scores"]) == len(money_map["scores"])


def test_a_map_of_rolls_equals_roll_map(capsys: Capture) -> None:
    expected = bgfast.cube.roll_map(MATCH, ply=0)
    content = run_json(capsys, "analyse", MATCH, "--rolls", *PLY_0)
    assert content["rolls"] == expected.rows()
    assert content["mean"] == expected.mean
    assert content["conditions"] == MATCH_CONDITIONS
    head, *lines = below_board(capsys, MATCH, "--rolls", *PLY_0).splitlines()
    assert head.split() == ["equity", "diff."]
    assert lines[0].split()[0] == "1-1"
    assert lines[0].split()[-2] == f"{expected.equities[0]:+.4f}"
    assert lines[21].split() == ["mean", f"{expected.mean:+.4f}"]
    assert lines[22] == "--replies shows how often the market is lost after each roll"
    output = run(capsys, "analyse", MATCH.replace(":1:1:1:", ":1:-1:1:"), "--rolls", *PLY_0)
    assert "market" not in output
    rows = list(csv.DictReader(io.StringIO(run(capsys, "analyse", MATCH, "--rolls", "--csv", *PLY_0))))
    assert [row["roll"] for row in rows] == [row["roll"] for row in expected.rows()]


def test_a_map_of_pairs_of_rolls_equals_roll_map(capsys: Capture) -> None:
    evaluator = WithBearoff(bgfast.Network.builtin_fast())
    expected = bgfast.cube.roll_map(MATCH, evaluator, ply=0, replies=True)
    arguments = ["--rolls", "--replies", *PLY_0, "--evaluator", "builtin-fast"]
    content = run_json(capsys, "analyse", MATCH, *arguments)
    assert content["rolls"] == expected.rows()
    assert content["market_lost"] == expected.market_lost
    assert list(content["market_losers"].values()) == expected.market_losers.tolist()
    _, head, *lines = below_board(capsys, MATCH, *arguments).splitlines()
    assert head.split()[-1] == "lost"
    equities = [f"{value:+.2f}" for value in expected.replies[3]]
    assert lines[3].split() == ["3-1", *equities, f"{expected.market_losers[3]:.1%}"]
    assert f"the market is lost after {expected.market_lost:.1%} of all" in "\n".join(lines)


def test_pictures_have_titles_and_are_not_overwritten(capsys: Capture, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="NOT INSTALLED: matplotlib, so no map was drawn")
    rolled_xgid = MATCH.replace(":00:", ":64:")
    for text, option, action, score_text in (
        (MATCH, "--rolls", "X on roll", "match to 7, X 5 away, O 4 away"),
        (MATCH, "--rolls --replies", "X on roll", "match to 7, X 5 away, O 4 away"),
        (rolled_xgid, "--scores", "X to play 6-4", "each score"),
    ):
        picture = tmp_path / f"{option}.svg"
        arguments = ["analyse", text, *option.split(), *PLY_0, "--plot"]
        run(capsys, *arguments, str(picture))
        content = picture.read_text("utf-8")
        for line in (f"{action}, 167 against 160 pips", f"{score_text}; builtin, 0-ply"):
            assert f"<!-- {line} -->" in content
        message = get_error(capsys, *arguments, str(picture))
        assert f"{option}.svg' exists already; expected a new name, or --force" in message
        assert picture.read_text("utf-8") == content
    run(capsys, *arguments, str(tmp_path / "map.png"))
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


def test_analyse_and_rollout_agree_on_offers(capsys: Capture) -> None:
    arguments = MONEY.replace(":00:", ":B:"), "--trials", "36", "--evaluator", "builtin-fast", "-q"
    content = run_json(capsys, "analyse", *arguments, *PLY_0, "--rollout")["rollout"]
    expected = run_json(capsys, "rollout", *arguments)
    assert [content[name] for name in ("estimates", "cube")] == [expected["estimates"], expected["cube"]]
    assert content["cube"]["beaver_answer"] is not None
    text = run(capsys, "analyse", *arguments, *PLY_0, "--rollout")
    assert re.search(r"; (a|no) double costs [\d.]+ ± ", text)
