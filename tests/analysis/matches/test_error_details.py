"""Errors with what reports show of them: words, candidates, reasons, boards."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import bgfast
from bgfast import Decision, Match, Position
from bgfast.analysis.matches.error_details import ErrorDetails, error_details, largest_errors
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.page import error_card
from bgfast.games import MatchInfo
from tests.support.matches import played

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
NAMES = ("Anna \x1b[2J <b>", "Bob")


def analysed(match: Match) -> MatchAnalysis:
    match.info = MatchInfo(players=NAMES)
    return bgfast.analyse_match(match, FAST, ply=0)


def details_of(analysis: MatchAnalysis, kind: str) -> ErrorDetails:
    (decision,) = [item for item in analysis.decisions if item.recorded.kind == kind]
    return error_details(decision, analysis)


@pytest.fixture(scope="module")
def opening() -> MatchAnalysis:
    return analysed(played("13/9"))


def dropped_double(position: Position) -> MatchAnalysis:
    match = Match.from_decision(Decision(position=position, match_length=7, cube=2, cube_owner=1))
    match.double()
    match.drop()
    return analysed(match)


def test_a_play(opening: MatchAnalysis) -> None:
    details = details_of(opening, "play")
    assert (details.name, details.opponent, details.side, details.colour) == (*NAMES, "X", "white")
    assert (details.situation, details.chosen, details.best) == ("to play 3-1", "13/9", "8/5 6/5")
    assert details.context == "Score 0-0 of 3, cube 1."
    assert details.diagram.names == ("Anna ?[2J <b>", "Bob")
    assert sorted(details.diagram.moves) == [(6, 5), (8, 5)]
    assert sorted(details.diagram.other_moves, reverse=True) in ([(13, 10), (10, 9)], [(13, 12), (12, 9)])
    assert "makes the 5-point" in details.why
    assert details.why.startswith("8/5 6/5 ")
    assert "X to play 3-1" in details.board_text


def test_candidates_are_sorted_by_equity_and_not_by_level(opening: MatchAnalysis) -> None:
    (decision,) = opening.decisions
    best, second, *others = decision.choices
    # A shallow evaluation may be above the best choice of the search; it is not the best for that.
    mixed = replace(decision, choices=(best, second._replace(equity=best.equity + 0.1, ply=1), *others))
    candidates = error_details(mixed, MatchAnalysis(opening.match, [mixed], [], {})).candidates
    assert [item.equity for item in candidates] == sorted((item.equity for item in candidates), reverse=True)
    assert [item.role == "best" for item in candidates] == [False, True, *[False] * (len(candidates) - 2)]
    assert [item.text for item in candidates if item.role == "played"] == ["13/9"]
    assert candidates[0].level == "1-ply"
    assert candidates[0].difference == pytest.approx(0.1)
    assert candidates[1].difference is None


def test_a_redouble_and_its_answer() -> None:
    analysis = dropped_double(Position.start())
    redouble, answer = details_of(analysis, "double"), details_of(analysis, "take")
    assert (redouble.situation, redouble.chosen, redouble.best) == ("may redouble", "Redouble", "No redouble")
    assert redouble.context == f"Score 0-0 of 7, cube 2 ({NAMES[0]})."
    texts = [item.text for item in redouble.candidates]
    assert texts == ["No redouble", "Redouble", "if taken", "if dropped"]
    assert redouble.candidates[3].equity == 1
    assert re.match(r"Anna \?\[2J <b> wins .* below the doubling point ", redouble.why)
    assert "% of the next two rolls are market losers." in redouble.why
    assert (answer.name, answer.side, answer.situation) == ("Bob", "O", "is doubled")
    assert (answer.chosen, answer.best) == ("Drop", "Take")
    assert re.match(r"Bob wins .* above the take point ", answer.why)
    assert answer.diagram.status == "offers a double"


def test_a_position_that_is_too_good_to_double() -> None:
    # Two checkers of the opponent are on the bar behind a closed board, and thirteen far from home.
    too_good = Position.from_array([-2, 2, 2, 2, 2, 2, 2, 3, 0, 0, 0, 0, -13] + [0] * 13)
    details = details_of(dropped_double(too_good), "double")
    assert details.best == "No redouble"
    assert "wins a gammon in" in details.why


def test_a_card_is_escaped(opening: MatchAnalysis) -> None:
    card = error_card(details_of(opening, "play"), 7)
    assert card.startswith('<article class="error" id="error-7">')
    assert "<b>[2J" not in card
    assert "\x1b" not in card
    assert "Anna ?[2J &lt;b&gt;" in card
    for role in ("best", "played"):
        assert card.count(f'class="{role}"') == card.count(f"<small>{role}</small>") == 1


def test_the_largest_errors_come_first(opening: MatchAnalysis) -> None:
    (decision,) = opening.decisions
    worse = decision.chosen._replace(equity=decision.best.equity - 1)
    other = replace(decision, choices=(decision.best, worse))
    resignation = replace(other, recorded=replace(other.recorded, kind="resignation"))
    analysis = MatchAnalysis(opening.match, [decision, resignation, other], [], {}, count_resignations=True)
    for number in (5, 1):
        assert largest_errors(analysis, number) == [other, decision][:number]
