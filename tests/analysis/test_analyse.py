"""`bgfast.analyse` and its command, compared with the specific function for each kind of subject."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Position
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.evaluators import Lookahead, WithBearoff
from tests.support.command_line import Capture, run_json
from tests.support.matches import match_with_plays
from tests.support.processes import run_python

XGID = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:2:3:0:7:10"
ROLL_XGID = XGID.replace(":00:", ":31:")
SEARCH = Lookahead(WithBearoff(bgfast.Network.builtin()), ply=1)


def test_cube_subjects_have_the_result_of_cube_decision() -> None:
    for subject in (XGID, Decision.read(XGID)):
        assert bgfast.analyse(subject) == bgfast.cube_decision(XGID)
    options = {"ply": 0, "efficiency": "gnubg"}
    assert bgfast.analyse(XGID, **options) == bgfast.cube_decision(XGID, **options)


def test_plays_and_positions_have_the_results_of_a_search() -> None:
    expected, start = SEARCH.best_plays(Decision.read(ROLL_XGID)), Position.start()
    for subject in (ROLL_XGID, Decision.read(ROLL_XGID), f"{XGID} 31"):
        assert bgfast.analyse(subject) == expected
    money = Decision(position=start)
    for subject in (start.xgid.replace(":00:", ":31:"), "start 31", "4HPwATDgc/ABMA 31", start.plays("31")):
        assert bgfast.analyse(subject) == SEARCH.best_plays(money, (3, 1))
        assert bgfast.analyse(subject, cubeless=True) == SEARCH.best_plays(start, (3, 1))
    for dice in ((3, 1), "31", [1, 3], np.array([3, 1])):
        assert bgfast.analyse(start, dice) == bgfast.analyse("start 31")
    conditions = "cubeful, money; cube 1, centred; efficiency: bgfast"
    expected = SEARCH.evaluation(money)._replace(
        position=start, ply=1, evaluator="builtin", conditions=conditions
    )
    for subject in ("start", "4HPwATDgc/ABMA", start, start.to_array(), start.to_array().tolist()):
        assert bgfast.analyse(subject) == bgfast.analyse(start, evaluator=SEARCH) == expected
    assert bgfast.analyse(start, cubeless=True)[:5] == SEARCH.evaluation(start)[:5]
    assert bgfast.analyse(money, cubeless=True) == bgfast.analyse(start, cubeless=True)
    equity_result = bgfast.analyse(start, evaluator="pip-count", ply=0)
    assert (equity_result.probabilities, equity_result.cubeful) == (None, False)


def test_a_game_has_the_result_of_its_decision() -> None:
    game = bgfast.Game(dice=[(3, 1)])
    game.roll()
    assert bgfast.analyse(game) == bgfast.analyse(game.decision)
    doubled_game = bgfast.Game.from_decision(Decision.read(XGID))
    doubled_game.double()
    assert bgfast.cube_decision(doubled_game, ply=0).proper_action == "Take"


@pytest.mark.parametrize("name", ["builtin", "builtin-fast", "builtin-1ply"])
def test_evaluators_may_be_names(name: str) -> None:
    evaluator, start = evaluator_of(name), Position.start()
    for function in (bgfast.cube_decision, bgfast.cube.roll_map):
        assert function(XGID, name) == function(XGID, evaluator)
    assert bgfast.cube_decision(start, name) == bgfast.cube_decision(Decision(position=start), evaluator)
    assert bgfast.analyse(start, "31", evaluator=name) == bgfast.analyse(start, "31", evaluator=evaluator)
    assert bgfast.cube_decision(XGID, name).evaluator == name.removesuffix("-1ply")


def test_a_match_and_its_file_have_the_same_analysis(tmp_path: Path) -> None:
    match, path = match_with_plays("13/9"), tmp_path / "match.mat"
    match.save(path)
    expected = bgfast.analyse_match(match, ply=0)
    assert bgfast.analyse(match, ply=0).to_json() == expected.to_json()
    for file in (path, str(path)):
        assert bgfast.analyse(file, ply=0).decisions[0].error == expected.decisions[0].error


def test_results_have_the_json_of_commands_and_html(capsys: Capture, tmp_path: Path) -> None:
    """The JSON of a result has only keys of the command's JSON and contains neither NaN nor infinity."""
    match, file = match_with_plays("13/9"), str(tmp_path / "match.mat")
    match.save(file)
    analysis = bgfast.analyse_match(file, ply=0)
    assert analysis.pr == tuple(rates.pr for rates in analysis.rates)
    rollout = bgfast.rollout("start", "31", trials=36, truncate=1)
    outputs = {
        "plays": run_json(capsys, "analyse", "start", "31", "--top", "99"),
        "position": run_json(capsys, "analyse", "start"),
        "cube": run_json(capsys, "analyse", XGID)["cube_decision"],
        "rollout": run_json(capsys, "rollout", "start", "31", "--trials", "36", "--truncate", "1"),
        "match": run_json(capsys, "report", file, "--ply", "0", "--json"),
    }
    results = bgfast.analyse("start 31"), bgfast.analyse("start"), bgfast.analyse(XGID), rollout, analysis
    for content, result in zip(outputs.values(), results, strict=True):
        result_content = json.loads(result.to_json(), parse_constant=pytest.fail)
        assert result_content == json.loads(json.dumps(result.to_dict()))
        assert result_content.keys() <= content.keys()
        page = result._repr_html_()
        assert (page.count("<svg "), "<table" in page) == (1, True)
        assert "builtin" in page
        assert "WithBearoff" not in page
    for index, content in enumerate(list(outputs.values())[:3]):
        result_content = json.loads(results[index].to_json())
        assert {name: content[name] for name in result_content} == result_content


def test_evaluators_may_be_files(tmp_path: Path) -> None:
    network, path = bgfast.Network.random(32, 1), tmp_path / "mine.bgnet"
    network.save(path)
    start = Position.start()
    for file in (path, str(path)):
        assert bgfast.analyse(start, "31", evaluator=file) == bgfast.analyse(start, "31", evaluator=network)
    assert bgfast.analyse(start, "31", evaluator=path).evaluator == repr(network)[1:21].lower()
    result = bgfast.rollout(start, evaluator="random", policy="pip-count", trials=36, truncate=2)
    assert result.settings["policy"] == "PipCount()"


def test_an_evaluator_that_cannot_be_pickled_is_refused() -> None:
    message = "^an evaluator cannot be sent to other processes: .*; expected a module-level function"
    with ProcessPoolExecutor(1) as executor, pytest.raises(bgfast.BgfastError, match=message):
        bgfast.rollout("start", evaluator=lambda boards: np.zeros(len(boards)), executor=executor)


def test_naming_an_evaluator_loads_no_network() -> None:
    code = (
        "from bgfast import Network; from bgfast.evaluation.evaluators import names, network\n"
        "random = Network.random(32)\n"
        "print(names.display_name(random).split()[0], network._load_shipped.cache_info().currsize)\n"
        "shipped = [names.EVALUATORS[name]() for name in ('builtin', 'builtin-fast', 'network')]\n"
        "print(*map(names.display_name, shipped))"
    )
    assert run_python(code).splitlines() == ["network 0", "builtin builtin-fast network"]
