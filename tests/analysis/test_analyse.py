"""`bgfast.analyse` and its command against the functions for the kinds of subjects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import BgfastError, Decision, Match, Position
from bgfast.cube import CubeDecision
from bgfast.evaluators import Lookahead, RankedPlays, WithBearoff
from tests.support.command_line import Capture, as_json
from tests.support.short_matches import played

SCORE = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:2:3:0:7:10"
ROLLED = SCORE.replace(":00:", ":31:")
NETWORK = WithBearoff(bgfast.Network.builtin())


@pytest.fixture
def match(tmp_path: Path) -> Match:
    match = played("13/9")
    match.save(tmp_path / "match.mat")
    return match


def test_a_cube_decision() -> None:
    for subject in (SCORE, Decision.read(SCORE)):
        assert bgfast.analyse(subject) == bgfast.cube_decision(SCORE)
    options = {"ply": 0, "efficiency": "gnubg"}
    assert bgfast.analyse(SCORE, **options) == bgfast.cube_decision(SCORE, **options)


def test_plays_with_cube_and_score() -> None:
    expected = Lookahead(NETWORK, ply=1).best_plays(Decision.read(ROLLED))
    for subject in (ROLLED, Decision.read(ROLLED), f"{SCORE} 31"):
        result = bgfast.analyse(subject)
        assert isinstance(result, RankedPlays)
        assert result == expected


def test_plays_and_positions_alone() -> None:
    search, start = Lookahead(NETWORK, ply=1), Position.start()
    for subject in ("start 31", "start 3-1", "4HPwATDgc/ABMA 31"):
        assert bgfast.analyse(subject) == search.best_plays(start, (3, 1))
    for subject in ("start", "4HPwATDgc/ABMA", start):
        assert bgfast.analyse(subject) == search.evaluation(start)
    assert bgfast.analyse(start, search) == search.evaluation(start)
    assert bgfast.analyse(start, bgfast.evaluators.PipCount(), ply=0).probabilities is None


def test_a_match_and_its_file(match: Match, tmp_path: Path) -> None:
    expected = bgfast.analyse_match(match, ply=0)
    assert bgfast.analyse(match, ply=0).to_json() == expected.to_json()
    for file in (tmp_path / "match.mat", str(tmp_path / "match.mat")):
        assert bgfast.analyse(file, ply=0).decisions[0].error == expected.decisions[0].error


@pytest.mark.parametrize("text", [SCORE, ROLLED, "start 31", "start"])
def test_command_and_function_agree(text: str, capsys: Capture) -> None:
    printed = as_json(capsys, "analyse", *text.split())
    result = bgfast.analyse(text)
    if isinstance(result, CubeDecision):
        assert printed["cube_decision"] == result.to_dict()
    elif isinstance(result, RankedPlays):
        best = printed["plays"][0]
        assert (best["text"], best["equity"]) == (str(result[0].play), result[0].equity)
    else:
        assert printed["equity"] == result.equity


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (5, "5; expected a Decision, Position or Match, a position as text, or a file"),
        (None, "None; expected a Decision"),
        ("nosuch.mat", "nosuch.mat': No such file"),
        (Path("nosuch"), "nosuch.*: No such file"),
        ("nonsense", "'nonsense' is no position"),
        ("start 37", "the second die is 7"),
    ],
)
def test_invalid_subjects_are_refused(subject: Any, message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        bgfast.analyse(subject)
