"""`bgfast.analyse` and its command against the functions for the kinds of subjects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Position
from bgfast.evaluation.evaluators.names import evaluator_of
from bgfast.evaluators import Lookahead, WithBearoff
from tests.support.matches import played

SCORE = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:2:3:0:7:10"
ROLLED = SCORE.replace(":00:", ":31:")
SEARCH = Lookahead(WithBearoff(bgfast.Network.builtin()), ply=1)


def test_a_cube_decision() -> None:
    for subject in (SCORE, Decision.read(SCORE)):
        assert bgfast.analyse(subject) == bgfast.cube_decision(SCORE)
    options = {"ply": 0, "efficiency": "gnubg"}
    assert bgfast.analyse(SCORE, **options) == bgfast.cube_decision(SCORE, **options)


def test_plays_and_positions() -> None:
    expected, start = SEARCH.best_plays(Decision.read(ROLLED)), Position.start()
    for subject in (ROLLED, Decision.read(ROLLED), f"{SCORE} 31"):
        assert bgfast.analyse(subject) == expected
    money = Decision(position=start)
    for subject in (start.xgid.replace(":00:", ":31:"), "start 31", "4HPwATDgc/ABMA 31", start.plays("31")):
        assert bgfast.analyse(subject) == SEARCH.best_plays(money, (3, 1))
        assert bgfast.analyse(subject, cubeless=True) == SEARCH.best_plays(start, (3, 1))
    for dice in ((3, 1), "31", [1, 3], np.array([3, 1])):
        assert bgfast.analyse(start, dice) == bgfast.analyse("start 31")
    expected = SEARCH.evaluation(money)._replace(position=start, ply=1, evaluator="builtin")
    for subject in ("start", "4HPwATDgc/ABMA", start, start.to_array(), start.to_array().tolist()):
        assert bgfast.analyse(subject) == bgfast.analyse(start, evaluator=SEARCH) == expected
    assert bgfast.analyse(start, cubeless=True)[:5] == SEARCH.evaluation(start)[:5]
    assert bgfast.analyse(money, cubeless=True) == bgfast.analyse(start, cubeless=True)
    alone = bgfast.analyse(start, evaluator="pip-count", ply=0)
    assert (alone.probabilities, alone.cubeful) == (None, False)


def test_games() -> None:
    game = bgfast.Game(dice=[(3, 1)])
    game.roll()
    assert bgfast.analyse(game) == bgfast.analyse(game.decision)
    doubled = bgfast.Game.from_decision(Decision.read(SCORE))
    doubled.double()
    assert bgfast.cube_decision(doubled, ply=0).proper_action == "Take"


@pytest.mark.parametrize("name", ["builtin", "builtin-fast", "builtin-1ply"])
def test_names_of_evaluators(name: str) -> None:
    evaluator, start = evaluator_of(name), Position.start()
    for function in (bgfast.cube_decision, bgfast.cube.roll_map):
        assert function(SCORE, name) == function(SCORE, evaluator)
    assert bgfast.cube_decision(start, name) == bgfast.cube_decision(Decision(position=start), evaluator)
    assert bgfast.analyse(start, "31", evaluator=name) == bgfast.analyse(start, "31", evaluator=evaluator)
    assert bgfast.cube_decision(SCORE, name).evaluator == name.removesuffix("-1ply")


def test_a_match_and_its_file(tmp_path: Path) -> None:
    match, path = played("13/9"), tmp_path / "match.mat"
    match.save(path)
    expected = bgfast.analyse_match(match, ply=0)
    assert bgfast.analyse(match, ply=0).to_json() == expected.to_json()
    for file in (path, str(path)):
        assert bgfast.analyse(file, ply=0).decisions[0].error == expected.decisions[0].error
