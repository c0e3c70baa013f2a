"""Report data for errors: texts, candidates, reasons and boards."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise

import pytest

import bgfast
from bgfast import Decision, Match, Position
from bgfast.analysis.matches.error_details import (
    CubeBar,
    ErrorDetails,
    Explanation,
    Reason,
    error_details,
    largest_errors,
)
from bgfast.analysis.matches.match_analysis import MatchAnalysis
from bgfast.analysis.matches.page import LETTER_WIDTH, error_card, typeset
from bgfast.games import MatchInfo
from tests.support.matches import match_with_plays

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
NAMES = ("Anna \x1b[2J <b>", "Bob")


def analyse(match: Match) -> MatchAnalysis:
    match.info = MatchInfo(players=NAMES)
    return bgfast.analyse_match(match, FAST, ply=0)


def details_of(analysis: MatchAnalysis, kind: str) -> ErrorDetails:
    (decision,) = [item for item in analysis.decisions if item.recorded.kind == kind]
    return error_details(decision, analysis)


@pytest.fixture(scope="module")
def opening() -> MatchAnalysis:
    return analyse(match_with_plays("13/9"))


def analyse_dropped_double(position: Position) -> MatchAnalysis:
    match = Match.from_decision(Decision(position=position, match_length=7, cube=2, cube_owner=1))
    match.double()
    match.drop()
    return analyse(match)


def test_details_of_a_play_name_it_and_the_best_play(opening: MatchAnalysis) -> None:
    details = details_of(opening, "play")
    assert (details.name, details.opponent, details.side) == (*NAMES, "X")
    assert (details.situation, details.chosen, details.best) == ("to play 3-1", "13/9", "8/5 6/5")
    assert details.context == "Score 0-0 of 3, cube 1."
    assert details.diagram.names == ("Anna ?[2J <b>", "Bob")
    assert sorted(details.diagram.moves) == [(6, 5), (8, 5)]
    assert sorted(details.diagram.other_moves, reverse=True) in ([(13, 10), (10, 9)], [(13, 12), (12, 9)])
    (decision,) = opening.decisions
    assert decision.error_mwc is not None
    losses = f"{-decision.error:+.3f}, {-decision.error_mwc:+.1%} MWC"
    assert details.headline == f"Blunder {losses}"
    assert (details.proper_action, details.explanation.cube_bar) == ("", None)
    assert "makes the 5-point" in details.explanation.why
    assert details.explanation.why.startswith("8/5 6/5 ")
    assert "X to play 3-1" in details.board_text


def test_decisions_have_a_picture_and_json(opening: MatchAnalysis) -> None:
    (decision,) = opening.decisions
    diagram = replace(details_of(opening, "play").diagram, names=("X", "O"), status="X to play 3-1")
    assert decision.svg(size=300) == bgfast.svg(diagram, size=300) == bgfast.svg(decision, size=300)
    assert bgfast.svg(diagram, size=300) != bgfast.svg(replace(diagram, other_moves=()), size=300)
    (content,) = json.loads(opening.to_json())["decisions"]
    assert content.pop("recorded") is None
    assert content.pop("name") == opening.names[decision.recorded.player]
    assert json.loads(json.dumps(decision.to_dict())) == content
    # The standard rules forbid this play, because the 6 must bear off a checker.
    position = Position.from_array([0] * 5 + [2] + [0] * 14 + [-2] + [0] * 5, 2)
    match = Match(None, bgfast.RuleSet(bearoff_die="exact"), position=position, dice=["16"])
    match.roll()
    match.play("5/4")
    (decision,) = bgfast.analyse_match(match, bgfast.Network.builtin_fast(), ply=0).decisions
    assert decision.recorded.player == 1
    assert decision._diagram().other_moves == ((5, 4),)
    assert decision.svg() == bgfast.svg(decision, bottom="O") != bgfast.svg(decision)


def test_candidates_are_sorted_by_equity_and_not_by_level(opening: MatchAnalysis) -> None:
    (decision,) = opening.decisions
    choices = [*decision.choices]
    # An evaluation at another level may exceed the equity of the best choice, which remains the best.
    choices[1] = choices[1]._replace(equity=choices[0].equity + 0.1, ply=1)
    decision = replace(decision, choices=tuple(choices))
    candidates = error_details(decision, MatchAnalysis(opening.match, [decision], [], {})).candidates
    assert [item.equity for item in candidates] == sorted((item.equity for item in candidates), reverse=True)
    assert [item.role == "best" for item in candidates] == [False, True, *[False] * (len(candidates) - 2)]
    assert [item.text for item in candidates if item.role == "played"] == ["13/9"]
    assert candidates[0].level == "1-ply"
    assert candidates[0].difference == pytest.approx(0.1)
    assert candidates[1].difference is None


def test_details_explain_a_redouble_and_its_answer() -> None:
    analysis = analyse_dropped_double(Position.start())
    redouble, answer = details_of(analysis, "double"), details_of(analysis, "take")
    assert (redouble.situation, redouble.chosen, redouble.best) == ("may redouble", "Redouble", "No redouble")
    assert redouble.context == f"Score 0-0 of 7, cube 2 ({NAMES[0]})."
    texts = [item.text for item in redouble.candidates]
    assert texts == ["No redouble", "Redouble", "if taken", "if dropped"]
    assert redouble.candidates[3].equity == 1
    assert re.match(r"Anna \?\[2J <b> wins .* below the doubling point ", redouble.explanation.why)
    assert "% of the next two rolls are market losers." in redouble.explanation.why
    assert (answer.name, answer.side, answer.situation) == ("Bob", "O", "is doubled")
    assert (answer.chosen, answer.best) == ("Drop", "Take")
    assert re.match(r"Bob wins .* above the take point ", answer.explanation.why)
    assert answer.diagram.status == "offers a double"
    assert (redouble.proper_action, answer.proper_action) == ("no redouble, take", "take")
    assert redouble.explanation.cube_bar is not None
    assert answer.explanation.cube_bar is not None
    assert [name for name, _ in redouble.explanation.cube_bar.points] == ["double", "take up to", "too good"]
    assert [name for name, _ in answer.explanation.cube_bar.points] == ["take point"]
    # The deciding player is at the bottom, so the last pip count is that player's.
    for details, name in ((redouble, "Anna"), (answer, "Bob")):
        lines = re.findall(r">([^<]*: \d+ pips)", error_card(details, 1))
        assert lines[-1].startswith(name)


def test_details_explain_a_position_that_is_too_good() -> None:
    # The opponent has two checkers on the bar against a closed board, and thirteen far from home.
    position = Position.from_array([-2, 2, 2, 2, 2, 2, 2, 3, 0, 0, 0, 0, -13] + [0] * 13)
    details = details_of(analyse_dropped_double(position), "double")
    assert (details.best, details.proper_action) == ("No redouble", "too good to redouble, drop")
    assert "wins a gammon in" in details.explanation.why


def test_a_card_is_escaped_and_folds_other_candidates(opening: MatchAnalysis) -> None:
    card = error_card(details_of(opening, "play"), 7)
    assert card.startswith('<article class="error" id="error-7">')
    assert "<b>[2J" not in card
    assert "\x1b" not in card
    assert "Anna ?[2J &lt;b&gt;" in card
    for role in ("best", "played"):
        assert card.count(f'class="{role}"') == card.count(f"<small>{role}</small>") == 1
    # The chances of the other candidates are folded.
    candidates = details_of(opening, "play").candidates
    assert card.count("<details>") == len(candidates) - 2
    assert card.count('class="chances"') == 2


def test_a_card_has_one_headline_and_minus_signs(opening: MatchAnalysis) -> None:
    card = error_card(details_of(opening, "play"), 7)
    header, _, body = card.partition("</header>")
    assert re.search(r">#7</span> <span[^>]*>Blunder −0\.\d{3}, −\d+\.\d% MWC</span>", header)
    assert header.endswith("Game 1, move 1. Score 0-0 of 3, cube 1.</p>")
    losses = re.findall(r"<td>([^<]\d\.\d{3})</td><td>\d-ply", body)
    assert losses
    assert all(loss.startswith("−") for loss in losses)


def test_reasons_outside_the_sentence_are_chips(opening: MatchAnalysis) -> None:
    reasons = (
        Reason("", False, "shots 0 -> 25"),
        Reason("", True, "gammons lost -4.6"),
        Reason("", None, "<b>"),
    )
    details = replace(details_of(opening, "play"), explanation=Explanation("", reasons))
    assert details.explanation.more == "Also gammons lost -4.6, <b>; against it shots 0 -> 25."
    chips = re.findall(r'<li class="(\w+)">(.*?)</li>', error_card(details, 1))
    assert chips == [("pro", "gammons lost −4.6"), ("fact", "&lt;b&gt;"), ("contra", "shots 0 → 25")]


def test_minus_signs_are_not_hyphens() -> None:
    assert typeset("-0.5 (-0.1) 8/5-6 the 4-point") == "−0.5 (−0.1) 8/5-6 the 4-point"


def test_names_on_the_cube_bar_do_not_overlap(opening: MatchAnalysis) -> None:
    for points in ((0.55, 0.57, 0.58), (0.05, 0.1, 0.12), (0.97, 0.98, 0.99)):
        bar = CubeBar(0.5, (*zip(("double", "take up to", "too good"), points, strict=True),))
        card = error_card(replace(details_of(opening, "play"), explanation=Explanation("", (), bar)), 1)
        names = re.findall(r'<text x="([\d.]+)" y="(\d+)" text-anchor="middle">([a-z][^<]*)', card)
        assert len(names) == 3
        rows: dict[str, list[tuple[float, float]]] = {}
        for x, y, text in names:
            half_width = LETTER_WIDTH * len(text) / 2
            rows.setdefault(y, []).append((float(x) - half_width, float(x) + half_width))
        assert len(rows) == 2
        for spans in map(sorted, rows.values()):
            assert spans[0][0] >= -0.1
            assert spans[-1][1] <= 400.1
            assert all(end <= start + 0.1 for (_, end), (start, _) in pairwise(spans))


def test_the_largest_errors_come_first(opening: MatchAnalysis) -> None:
    (decision,) = opening.decisions
    worse_choice = decision.chosen._replace(equity=decision.best.equity - 1)
    blunder = replace(decision, choices=(decision.best, worse_choice))
    resignation = replace(blunder, recorded=replace(blunder.recorded, kind="resignation"))
    analysis = MatchAnalysis(opening.match, [decision, resignation, blunder], [], {}, count_resignations=True)
    for limit in (5, 1):
        assert largest_errors(analysis, limit) == [blunder, decision][:limit]
