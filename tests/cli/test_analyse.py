"""``bgfast analyse`` for rolls and positions: output and options."""

from __future__ import annotations

import pytest

import bgfast
from bgfast import Decision, Network, Position
from bgfast.evaluators import Lookahead, PipCount, Pubeval, WithBearoff
from tests.support.command_line import Capture, run, run_json

XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
MONEY = "cubeful, money; cube 1, centred; efficiency: bgfast"


def test_plays_of_a_roll_are_ranked(capsys: Capture) -> None:
    expected = Network.builtin().best_plays(Decision.read("start 31"))
    head, *lines, remainder, conditions = run(capsys, "analyse", "31").splitlines()
    assert (remainder, conditions) == ("and 11 more", MONEY)
    assert head.split() == "ply equity diff. win win g win bg lose g lose bg".split()
    assert len(lines) == 5
    for rank, (line, play) in enumerate(zip(lines, expected, strict=False), 1):
        difference = [f"{play.difference:+.4f}"] if rank > 1 else []
        percentages = [f"{probability:.2%}" for probability in play.probabilities]
        cells = [str(rank), *str(play.play).split(), str(play.ply), f"{play.equity:+.4f}"]
        assert line.split() == [*cells, *difference, *percentages]
    assert len({len(line) for line in (head, *lines)}) == 1


def test_plays_as_json(capsys: Capture) -> None:
    arguments = ["start", "65", "--ply", "2", "--candidates", "3", "--top", "7", "--cubeless"]
    content = run_json(capsys, "analyse", *arguments)
    plays = content.pop("plays")
    assert content == {
        "position": Position.start().gnubg_id,
        "rules": "standard",
        "evaluator": "builtin",
        "ply": 2,
        "conditions": "cubeless, money",
        "roll": [6, 5],
        "legal_plays": 7,
    }
    expected = Network.builtin().best_plays(Position.start(), (6, 5), ply=2, candidates=3)
    probability_names = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
    assert plays == [
        {
            "text": str(play.play),
            "gnubg_id": play.play.position.gnubg_id,
            "equity": play.equity,
            "difference": play.difference,
            "probabilities": dict(zip(probability_names, play.probabilities or (), strict=True)),
            "ply": play.ply,
        }
        for play in expected
    ]


def test_a_position_without_a_cube_is_analysed_as_money_play(capsys: Capture) -> None:
    """Positions in all formats are evaluated with a centred cube, as the output states."""
    analysis = run_json(capsys, "analyse", "31")
    for operands in (["start", "31"], [XGID], ["31", XGID]):
        assert run_json(capsys, "analyse", *operands) == analysis
    assert analysis["conditions"] == MONEY
    assert (analysis["played_for"]["cube"], analysis["played_for"]["jacoby"]) == (1, False)
    cubeless_analysis = run_json(capsys, "analyse", "31", "--cubeless")
    cubeless_equity = cubeless_analysis["plays"][0]["equity"]
    assert analysis["plays"][0]["cubeless_equity"] == pytest.approx(cubeless_equity, abs=1e-6)
    assert cubeless_analysis["conditions"] == "cubeless, money"
    assert "played_for" not in cubeless_analysis
    evaluation = run_json(capsys, "analyse", "start")
    assert (evaluation["conditions"], "cube_decision" in evaluation) == (MONEY, False)
    cubeless_equity = run_json(capsys, "analyse", "--cubeless")["equity"]
    assert evaluation["cubeless_equity"] == pytest.approx(cubeless_equity, abs=1e-6)
    assert evaluation["equity"] > cubeless_equity


def test_a_position_is_evaluated(capsys: Capture) -> None:
    nackgammon = Decision(position=Position.nackgammon())
    equity, probabilities, _, cubeless_equity, *_ = Lookahead(Network.builtin(), ply=2).evaluation(nackgammon)
    head, line, _ = run(capsys, "analyse", "nackgammon", "--ply", "2").splitlines()
    assert head.split() == "equity cubeless win win g win bg lose g lose bg".split()
    assert line.split() == [
        f"{equity:+.4f}",
        f"{cubeless_equity:+.4f}",
        *(f"{probability:.2%}" for probability in probabilities or ()),
    ]
    content = run_json(capsys, "analyse", "nackgammon", "--ply", "2")
    assert content["equity"] == equity
    assert tuple(content["probabilities"].values()) == probabilities
    static_equity = run_json(capsys, "analyse", "nackgammon", "--ply", "0", "--cubeless")["equity"]
    assert static_equity == pytest.approx(Network.builtin().equities([Position.nackgammon().to_array()])[0])


def test_the_evaluator_option_is_obeyed(capsys: Capture) -> None:
    expected = Lookahead(PipCount()).best_plays(Position.start(), (6, 4))
    content = run_json(capsys, "analyse", "64", "--evaluator", "pip-count")
    assert [play["text"] for play in content["plays"]] == [str(play.play) for play in expected[:5]]
    assert content["plays"][0]["probabilities"] is None
    lines = run(capsys, "analyse", "64", "--evaluator", "pip-count").splitlines()
    assert lines[0].split() == ["ply", "equity", "diff."]
    assert "%" not in "".join(lines)
    assert (
        run(capsys, "analyse", "--evaluator", "pip-count", "--ply", "0")
        == " equity\n+0.1237\ncubeless, money\n"
    )


def test_the_rules_option_is_obeyed(capsys: Capture) -> None:
    board = "0 0 3 3 3 3 3".split() + ["0"] * 12 + "-3 -3 -3 -3 -3 0 0".split()
    standard_plays = run_json(capsys, "analyse", *board, "61", "--rules", "standard")["plays"]
    exact_plays = run_json(capsys, "analyse", *board, "61", "--rules", "exact")["plays"]
    assert exact_plays != standard_plays
    position = Position.from_array(list(map(int, board)))
    expected = Network.builtin().best_plays(Decision(position=position, dice=(6, 1)), rules="exact")
    assert [play["text"] for play in exact_plays] == [str(play.play) for play in expected[:5]]


def test_rollouts_have_the_conditions_of_the_analysis(capsys: Capture) -> None:
    position = XGID.replace(":0:0:1:31:0:0:0:0:", ":1:1:1:31:2:3:0:7:")
    arguments = [position, *"--rollout --trials 36 --top 1".split()]
    conditions = "cubeless, money; cube and score ignored"
    analysis = run_json(capsys, "analyse", *arguments)
    assert analysis["conditions"] == analysis["rollout"]["settings"]["conditions"]
    assert analysis["conditions"].startswith("cubeful, match to 7, X 5 away, O 4 away; cube 2, X's; ")
    analysis = run_json(capsys, "analyse", *arguments, "--cubeless")
    assert analysis["conditions"] == analysis["rollout"]["settings"]["conditions"] == conditions
    assert run(capsys, "analyse", *arguments, "--cubeless").splitlines().count(conditions) == 2


def test_a_forced_pass_is_shown(capsys: Capture) -> None:
    board = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -2 -2 -2 -2 -2 1"
    arguments = f"{board} 65 --rollout --trials 36".split()
    position = Position.from_array(list(map(int, arguments[:26])))
    content = run_json(capsys, "analyse", *arguments)
    (play,) = content["plays"]
    assert content["legal_plays"] == 0
    assert (play["text"], play["gnubg_id"], play["ply"]) == ("pass", position.flip().gnubg_id, 1)
    assert 0.5 < play["equity"] < 1
    (estimate,) = content["rollout"]["estimates"]
    assert (estimate["name"], estimate["gnubg_id"]) == ("pass", position.flip().gnubg_id)
    assert run(capsys, "analyse", *arguments).splitlines()[1].split()[:3] == ["1", "pass", "1"]


def test_bear_offs_are_exact(capsys: Capture) -> None:
    content = run_json(capsys, "bearoff", "mQAAoBAAAAAAAA")
    assert content["exact"]
    for ply in "012":
        plays = run_json(capsys, "analyse", "mQAAoBAAAAAAAA", "21", "--ply", ply, "--cubeless")["plays"]
        assert plays[0]["text"] == "2/off 1/off"
        assert plays[1]["difference"] == pytest.approx(-0.1012, abs=1e-4)
        evaluation = run_json(capsys, "analyse", "mQAAoBAAAAAAAA", "--ply", ply, "--cubeless")
        assert list(evaluation["probabilities"].values()) == content["probabilities"]
        assert evaluation["equity"] == 2 * content["probabilities"][0] - 1
    arguments = ["mQAAoBAAAAAAAA", "21", "--cubeless", "--evaluator", "network"]
    network_analysis = run_json(capsys, "analyse", *arguments)
    assert network_analysis["plays"][0]["equity"] != pytest.approx(plays[0]["equity"], abs=1e-5)


def test_candidates_are_rolled_out(capsys: Capture) -> None:
    arguments = ["31", "--top", "2", "--rollout", "--trials", "72", "--seed", "3"]
    content = run_json(capsys, "analyse", *arguments)
    decision = Decision.read("start 31")
    plays = [play.play for play in Network.builtin().best_plays(decision)[:2]]
    network = WithBearoff(Network.builtin())
    expected = bgfast.rollout(plays, evaluator=network, context=decision, trials=72, seed=3)
    assert [estimate["equity"] for estimate in content["rollout"]["estimates"]] == [
        estimate.equity for estimate in expected.estimates
    ]
    text = run(capsys, "analyse", *arguments)
    analysis, table = text.split("\n\n")
    assert analysis.splitlines()[3:] == ["and 14 more", MONEY]
    assert table.splitlines()[:-1] == str(expected).splitlines()[:-1]
    cube_analysis = run_json(capsys, "analyse", "hypergammon", "--rollout", "--trials", "36")
    assert cube_analysis["rollout"]["trials"] == 36
    assert [estimate["name"] for estimate in cube_analysis["rollout"]["estimates"]] == [
        "no double",
        "double, take",
    ]
    default_analysis = run_json(capsys, "analyse", "0 1" + " 0" * 22 + " -1 0", "--rollout")
    assert default_analysis["rollout"]["trials"] == 1296
    assert default_analysis["rollout"]["settings"]["seed"] == 0


def test_values_of_a_ranking_evaluator_are_not_equities(capsys: Capture) -> None:
    plays = Position.start().plays((3, 1))
    values = Pubeval()(bgfast.flip(plays.boards))
    arguments = ["31", "--evaluator", "pubeval", "--ply", "0"]
    content = run_json(capsys, "analyse", *arguments, "--top", "3")
    assert [play["text"] for play in content["plays"]] == [
        str(plays[int(row)]) for row in values.argsort()[:3]
    ]
    assert content["plays"][0]["value"] == -values.min()
    assert "equity" not in content["plays"][0]
    assert content["conditions"] == "pubeval: the values only rank plays, and are not points"
    head, *_, conditions = run(capsys, "analyse", *arguments).splitlines()
    assert head.split() == ["ply", "value", "diff."]
    assert conditions == content["conditions"]
    # A winning play comes first.
    bearoff = ["0", "1", "1", *["0"] * 17, "-5", "-5", "-5", "0", "0", "0", "21"]
    assert run_json(capsys, "analyse", *bearoff, *arguments[1:])["plays"][0]["text"] == "2/off 1/off"
