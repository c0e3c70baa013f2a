"""Notebook HTML and one-line representations of results, and colours of maps."""

from __future__ import annotations

import copy
import pickle
import re
import xml.etree.ElementTree as ElementTree
from functools import cached_property
from itertools import chain
from typing import Any

import pytest

import bgfast
from bgfast import Position
from bgfast.analysis.map_pictures import (
    CLEAR_MARGIN,
    DIVERGING,
    Colour,
    answer_colour,
    css,
    decision_margin,
    diverging_colour,
    text_colour,
)
from bgfast.cube import roll_map, score_map
from bgfast.games import MatchInfo
from tests.support.matches import match_with_plays

SCORE = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:00:2:3:0:7:10"
RACE = "XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10"
MONEY = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10"


def make_analysis() -> bgfast.matches.MatchAnalysis:
    match = match_with_plays("13/9", "24/13", info=MatchInfo(players=("Anna <b>\x1b[31m", "Bob & co")))
    return bgfast.analyse_match(match, ply=0)


def make_result(name: str) -> Any:
    network = bgfast.Network.builtin_fast()
    return {
        "cube": lambda: bgfast.cube_decision(SCORE, ply=0),
        "answer": lambda: bgfast.cube_decision(MONEY.replace(":00:", ":D:"), ply=0),
        "scores": lambda: score_map(SCORE, ply=0, away=3),
        "plays at scores": lambda: score_map(SCORE.replace(":00:", ":31:"), ply=0, away=3),
        "rolls": lambda: roll_map(MONEY, ply=0),
        "replies": lambda: roll_map(RACE, ply=0, replies=True),
        "plays": lambda: network.best_plays(Position.start(), (3, 1)),
        "rollout": lambda: bgfast.rollout(
            bgfast.Decision.read(SCORE), evaluator=network, trials=36, truncate=2
        ),
        "match": make_analysis,
        "decision": lambda: make_analysis().decisions[0],
    }[name]()


@pytest.mark.parametrize(
    ("name", "expected", "representation"),
    [
        ("cube", ["No double, take", "Double, drop", "+1.0000", "X 5 away"], "No double, take:"),
        ("answer", ["Take", "Drop", "-1.0000"], "Take: Take"),
        ("scores", ["no double possible", "D/T"], "cube actions at 13 scores, up to 3-away"),
        ("plays at scores", ["A ", "points X needs"], "best plays of 3-1 at"),
        ("rolls", ["Mean equity", "equity by the two dice"], "best 5-5 "),
        ("replies", ["the market is lost after"], "market lost 10.6%"),
        ("plays", ["8/5 6/5", "and 6 more"], "3-1: 16 plays, best 8/5 6/5 +"),
        ("rollout", ["double, drop", "a double costs"], "best "),
        ("match", ["Anna &lt;b&gt;\ufffd[31m", "&amp; co", "blunders"], "Anna <b>?[31m - Bob & co: PR "),
        ("decision", ["13/9 (chosen)", "8/5 6/5", "error 0."], "game 1, move 1, X 3-1 13/9: error 0."),
    ],
)  # fmt: skip
def test_results_have_html_and_a_short_repr(name: str, expected: list[str], representation: str) -> None:
    item = make_result(name)
    page = item._repr_html_()
    ElementTree.fromstring(f"<page>{page}</page>")
    assert page.count("<svg ") == 1
    for text in expected:
        assert text in page
    assert re.fullmatch(rf"<{type(item).__name__}:? .*>", repr(item))
    assert representation in repr(item)
    assert len(repr(item)) < 160
    assert repr(item).isprintable()
    for attribute, value in chain(*(vars(class_).items() for class_ in type(item).__mro__)):
        if isinstance(value, cached_property):
            getattr(item, attribute)  # compute cached values, which copies may lack
    for other in (copy.deepcopy(item), pickle.loads(pickle.dumps(item))):
        assert other is not item
        assert name == "match" or other == item
        assert other._repr_html_() == page


def test_parts_of_results_have_a_short_repr() -> None:
    match_analysis, no_plays = make_analysis(), bgfast.evaluators.RankedPlays()
    for item in (match_analysis.rolls[0], match_analysis.decisions[0].choices[0], make_result("plays")[0]):
        assert re.fullmatch(r"<[A-Za-z]+ [^\n]{10,90}>", repr(item))
    assert (repr(no_plays), no_plays._repr_html_()) == ("<RankedPlays: none>", "<p>no play</p>")


# ---------------------------------------------------------------- colours


def contrast(background: Colour, ink: str) -> float:
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background]
    luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    low, high = sorted((luminance, 0.0 if ink == "#000000" else 1.0))
    return (high + 0.05) / (low + 0.05)


def test_colours_diverge_from_zero_and_stay_legible() -> None:
    assert diverging_colour(0.0, 0.4) == DIVERGING[2]
    assert diverging_colour(0.4, 0.4) == diverging_colour(9.0, 0.4) == DIVERGING[-1]
    assert diverging_colour(-0.4, 0.4) == DIVERGING[0]
    assert diverging_colour(0.0, 0.0) == DIVERGING[2]
    for step in range(-20, 21):
        colour = diverging_colour(step / 20, 1.0)
        assert (colour[0] > colour[2]) == (step < 0 and css(colour) != css(DIVERGING[2]))
        assert contrast(colour, text_colour(colour)) > 4.5


@pytest.mark.parametrize("text", [SCORE, SCORE.replace(":00:", ":31:"), SCORE.replace(":00:", ":D:")])
def test_closer_decisions_have_paler_colours(text: str) -> None:
    scores = score_map(text, ply=0, away=6)
    plays = [line.split()[0] for line in scores.legend()]
    shades_by_word: dict[str, list[tuple[float, float]]] = {}
    for answer, word in zip(chain(*scores.answers), chain(*scores.texts()), strict=True):
        colour = answer_colour(answer, word, plays)
        assert (colour is None) == (answer is None)
        if colour is not None:
            assert contrast(colour, text_colour(colour)) > 4.5
            assert word != "--" or len(set(colour)) == 1
        if colour is not None and word != "--":
            margin = min(decision_margin(answer), CLEAR_MARGIN)
            shades_by_word.setdefault(word, []).append((margin, -sum(colour)))
    assert len(shades_by_word) > (scores.decision.offer is None)
    for shades in shades_by_word.values():
        assert [shade for _, shade in sorted(shades)] == pytest.approx(sorted(shade for _, shade in shades))


def test_margins_are_differences_from_the_second_choice() -> None:
    decision = bgfast.cube_decision(SCORE, ply=0)
    values = decision.equities
    assert decision_margin(decision) == pytest.approx(values.no_double - values.double_take)
    answer = bgfast.cube_decision(SCORE.replace(":00:", ":D:"), ply=0)
    assert decision_margin(answer) == pytest.approx(1 - answer.equities.double_take)
    plays = make_result("plays")
    assert decision_margin(plays) == -plays[1].difference
