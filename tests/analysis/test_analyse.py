"""`bgfast.analyse` and its command against the functions for the kinds of subjects."""

from __future__ import annotations

from pathlib import Path

import bgfast
from bgfast import Decision, Position
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
    for subject in ("start 31", "start 3-1", "4HPwATDgc/ABMA 31"):
        assert bgfast.analyse(subject) == SEARCH.best_plays(start, (3, 1))
    for subject in ("start", "4HPwATDgc/ABMA", start):
        assert bgfast.analyse(subject) == bgfast.analyse(start, SEARCH) == SEARCH.evaluation(start)
    assert bgfast.analyse(start, bgfast.evaluators.PipCount(), ply=0).probabilities is None


def test_a_match_and_its_file(tmp_path: Path) -> None:
    match, path = played("13/9"), tmp_path / "match.mat"
    match.save(path)
    expected = bgfast.analyse_match(match, ply=0)
    assert bgfast.analyse(match, ply=0).to_json() == expected.to_json()
    for file in (path, str(path)):
        assert bgfast.analyse(file, ply=0).decisions[0].error == expected.decisions[0].error
