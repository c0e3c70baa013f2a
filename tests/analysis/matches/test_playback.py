"""Steps of the playback dialog: every position of the record, and links to the steps."""

from __future__ import annotations

import base64
import copy
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import Decision, Match
from bgfast.analysis.matches import playback
from bgfast.analysis.matches.error_details import error_details
from bgfast.analysis.matches.page import typeset
from bgfast.analysis.matches.playback import finding_text, playback_steps
from bgfast.games import MatchInfo
from bgfast.matches import MatchAnalysis
from tests.support.matches import random_match
from tests.support.site_records import CASES

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
RECORDS = Path(__file__).parents[2] / "data" / "records"
MAX_SCRIPT_BYTES = 12 * 1024


def analyse(match: Match) -> MatchAnalysis:
    return bgfast.analyse_match(match, FAST, ply=0)


def named_matches() -> Iterator[tuple[str, Match]]:
    for name in ("beavers.sgf", "crawford.mat", "resigned.mat", "session.mat", "ties.sgf"):
        yield name, bgfast.records.load_match(RECORDS / name)
    for name, case in CASES.items():
        yield name, bgfast.records.read_match(case.text)
    for seed in range(4):
        yield f"random {seed}", random_match(seed, (None, 1, 3, 7)[seed])


@pytest.fixture(scope="module")
def analyses() -> dict[str, MatchAnalysis]:
    return {name: analyse(match) for name, match in named_matches()}


def playback_data(page: str) -> dict[str, Any]:
    """Return the playback data of a page; a page without data gives an empty list of steps."""
    texts = re.findall(r'<script type="text/plain" id="playback-data">(.*?)</script>', page)
    return dict(json.loads(zlib.decompress(base64.b64decode(*texts)))) if texts else {"steps": []}


def test_steps_are_the_positions_of_the_record(analyses: dict[str, MatchAnalysis]) -> None:
    features = set()
    for name, analysis in analyses.items():
        steps = playback_data(analysis.to_html(0))["steps"]
        checkers = analysis.match.position.checkers
        boards = [Decision.read(step["xgid"], checkers=checkers) for step in steps]
        assert boards == [step.board for step in playback_steps(analysis)], name
        assert boards == expected_boards(analysis), name
        features |= {word for step in steps for word in step["text"].split()}
        features |= {"unknown"} if analysis.unknown_moves else set()
        features |= {"Crawford"} if any(board.crawford for board in boards) else set()
    assert features >= {"doubled", "double", "redouble", "resign", "cannot", "wins", "unknown", "Crawford"}


def expected_boards(analysis: MatchAnalysis) -> list[Decision]:
    """Return the positions before plays, passes and cube actions, and at the end of each game."""
    history, states = analysis.match.history, analysis.match.states
    errors = {decision.recorded.action: decision.error for decision in analysis.decisions}
    boards: list[Decision] = []
    start = 0  # index of the game's first board
    for index, action in enumerate(history):
        state, next_state = states[index], states[index + 1]
        next_action = history[index + 1].name if index + 1 < len(history) else ""
        if action.name == "next_game":
            start = len(boards)
        if state.game.board_unknown:
            continue
        if action.name == "roll":
            if errors.get(index):
                boards.append(state.decision)
            if next_state.game.phase == "to_play" and next_action not in ("play", "pass_turn"):
                boards.append(next_state.decision)
        elif index in errors or (action.name in ("play", "pass_turn") and state.game.phase == "to_play"):
            boards.append(state.decision)
        is_end = state.game.result is None and next_state.game.result is not None
        if is_end and not next_state.game.board_unknown and len(boards) > start:
            boards.append(next_state.decision)
    return boards


def test_anchors_are_unique_and_match_the_rows(analyses: dict[str, MatchAnalysis]) -> None:
    for name, analysis in analyses.items():
        page = analysis.to_html(0)
        anchors = [step["anchor"] for step in playback_data(page)["steps"]]
        assert len(set(anchors)) == len(anchors), name
        rows = [step.anchor for step in playback_steps(analysis) if step.decision is not None or step.note]
        assert re.findall(r'<span id="(game-[^"]*)">', page) == rows, name


def test_findings_are_listed_and_shown_at_their_moves(analyses: dict[str, MatchAnalysis]) -> None:
    record = """ 3 point match
 Game 1
 <b>Ann : 0      Bea : 0
  1) 31: 8/5 6/4      64: 24/14
  2) 31: 8/5 6/5    64: 24/18 13/9
  3) 66: 24/18(2) 13/7(2)  42: 8/4 6/4
"""
    illegal_analysis = analyse(bgfast.records.read_match(record))
    listed_findings = []
    for name, analysis in (("illegal", illegal_analysis), *analyses.items()):
        page = analysis.to_html(0)
        steps = {step["anchor"]: step for step in playback_data(page)["steps"]}
        games = page.partition("<h2>Games</h2>")[2].partition("<dialog")[0]
        _, _, panel = page.partition("<h2>Record</h2>")
        items = re.findall("<li>(.*?)</li>", panel.partition("<h2>")[0])
        findings = analysis.match.findings
        assert len(items) == min(len(findings), 10), name
        for finding in findings:
            is_shown = any(step.has(finding) for step in playback_steps(analysis))
            assert (html.escape(finding_text(finding)) in games) == is_shown, name
        for item in items:
            link = re.match('<a href="#([^"]*)">Game (\\d+), move (\\d+)</a> (.*)', item)
            if link is not None:
                anchor, game, move, text = link.groups()
                assert anchor.startswith(f"game-{game}-move-{move}")
                assert steps[anchor]["why"].startswith(html.unescape(text))
                listed_findings.append((name, anchor, text))
    assert listed_findings[0][1] == "game-1-move-1"
    assert "illegal play &#x27;8/5 6/4&#x27; for 3-1" in listed_findings[0][2]
    assert len(listed_findings) > 2


def test_steps_show_the_chances_and_reasons_of_cards(analyses: dict[str, MatchAnalysis]) -> None:
    kinds = set()
    for name in ("beavers.sgf", "crawford.mat", "session.mat"):
        analysis = analyses[name]
        step_lists = [playback_data(analysis.to_html(card_count))["steps"] for card_count in (0, 1000)]
        for step, data, card_data in zip(playback_steps(analysis), *step_lists, strict=True):
            decision = step.decision
            if decision is None:
                continue
            chances = {role: text for role, text, *_ in data["choices"]}
            for role, choice in (("best", decision.best), ("played", decision.chosen)):
                if role in chances and choice.probabilities is not None:
                    assert f"wins {choice.probabilities[0]:.1%} (g " in chances.pop(role)
            assert "wins" not in "".join(chances.values())
            if decision.error >= 0.03 and decision.recorded.kind != "resignation":
                details = error_details(decision, analysis)
                why = details.explanation.why
                assert card_data["why"] == f"Why: {why} {typeset(details.explanation.more)}".strip()
                assert data["why"].startswith(f"Why: {why.partition(';')[0].rstrip('.')}")
                kinds.add(decision.recorded.kind)
    assert kinds == {"play", "double"}


def test_errors_without_a_card_are_linked(analyses: dict[str, MatchAnalysis]) -> None:
    analysis = analyses["crawford.mat"]
    page = analysis.to_html(2)
    errors = [item for item in analysis.worst(1000) if item.error >= 0.03]
    assert f"<summary>2 of {len(errors)} errors shown</summary>" in page
    steps = {step["anchor"]: step for step in playback_data(page)["steps"]}
    section = page.partition("errors shown")[2].partition("</details>")[0]
    linked_steps = [steps[anchor] for anchor in re.findall('href="#(game-[^"]*)"', section)]
    losses = [f"\N{MINUS SIGN}{item.error:.3f}" for item in errors[2:]]
    assert [step["error"].split()[1].rstrip(",") for step in linked_steps] == losses
    assert {step["error"].split()[0] for step in linked_steps} <= {"error", "blunder"}
    assert "errors shown" not in analysis.to_html(len(errors))


def test_rolls_in_the_luck_table_link_to_their_boards(analyses: dict[str, MatchAnalysis]) -> None:
    count = 0
    for analysis in analyses.values():
        page = analysis.to_html(0)
        steps = {step["anchor"]: step for step in playback_data(page)["steps"]}
        rows = re.findall(r'<a href="#(game-[^"]*)">(\d+), (\d+)</a>', page)
        count += len(rows)
        for anchor, game, move in rows:
            assert f"{anchor}-".startswith(f"game-{game}-move-{move}-")
            assert anchor in steps
    assert count > len(analyses)


def test_the_last_game_of_a_partial_analysis_has_no_end(analyses: dict[str, MatchAnalysis]) -> None:
    analysis = analyses["crawford.mat"]
    is_won = [step.text.startswith("wins") for step in playback_steps(analysis)]
    assert sum(is_won) == len(analysis.games)
    partial_analysis = copy.copy(analysis)
    partial_analysis.whole = False
    is_won_so_far = [step.text.startswith("wins") for step in playback_steps(partial_analysis)]
    assert sum(is_won_so_far) == sum(is_won) - 1
    assert not is_won_so_far[-1]


def test_playback_enlarges_the_page_by_less_than_half(analyses: dict[str, MatchAnalysis]) -> None:
    for name in ("crawford.mat", "session.mat"):
        page = analyses[name].to_html()
        static_page = re.sub("<dialog.*</dialog>|<script.*?</script>", "", page, flags=re.DOTALL)
        assert len(static_page) < len(page) < 1.5 * len(static_page), name


def test_a_match_without_steps_has_no_dialog() -> None:
    page = analyse(Match(3, dice=[(3, 1)])).to_html()
    assert "<dialog" not in page
    assert 'id="playback-data"' not in page


def test_the_script_is_small_and_the_page_policy_allows_no_other() -> None:
    script = (Path(playback.__file__).parent / "playback.js").read_text(encoding="utf-8")
    assert 1000 < len(script.encode()) <= MAX_SCRIPT_BYTES
    assert max(map(len, script.splitlines())) <= 120  # the script is not minified
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "eval",
        "Function",
        "document.write",
        "http:",
    ):
        assert word not in script.replace('"http://www.w3.org/2000/svg"', "")
    names = ("</script><script>alert(1)</script>", "Bob")
    match = Match(3, dice=[(3, 1)], info=MatchInfo(players=names))
    match.roll()
    match.play("13/9")
    page = analyse(match).to_html()
    assert f"<script>{script}</script>" in page
    assert page.count("<script") == page.count("</script") == 2
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert policy.count("script-src") == policy.count(f"script-src 'sha256-{digest}'") == 1
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")
