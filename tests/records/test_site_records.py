"""Records from sites, programs and people: plays, results, findings."""

from __future__ import annotations

from pathlib import Path

import pytest

import bgfast
from bgfast.errors import RecordError
from tests.support.site_records import (
    DROP_ROW,
    FOUR,
    MAT_CASES,
    SGF_CASES,
    TWO,
    Case,
    all_cases,
    game,
    head,
    place,
    read,
    sgf_round_trip,
    worst_of,
)


@all_cases
def test_results_plays_and_findings(case: Case) -> None:
    match = read(case)
    assert (match.info.players, match.turn_count, match.winner) == (case.names, case.plays, case.winner)
    assert len(match.results) == len(case.results)
    for result, (winner, points, ending) in zip(match.results, case.results, strict=True):
        assert result.winner == winner
        assert points is None or result.points == points
        assert ending in ("", result.ending)
    assert case.score is None or match.score == case.score
    for player, point, checkers in case.points:
        assert match.board(player)[point] == checkers, (player, point)
    findings = match.findings
    if case.findings:
        expected = [(severity, *place(case.text, entry), number) for severity, entry, number in case.findings]
        assert [(item.severity, item.line, item.column, item.game) for item in findings] == expected
    else:
        assert worst_of(findings) == case.worst, findings
    locations = [(item.line, item.column) for item in findings]
    assert locations == sorted(locations)
    assert all(line >= 1 and column >= 1 for line, column in locations)
    errors = [item for item in findings if item.severity == "error"]
    if not errors:
        assert bgfast.records.read_match(case.text, strict=True) == match
        return
    with pytest.raises(RecordError) as error:
        bgfast.records.read_match(case.text, strict=True)
    assert (error.value.line, error.value.column) == (errors[0].line, errors[0].column)


@all_cases
def test_games_one_by_one_agree_with_the_match(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_text(case.text, encoding="utf-8")
    (match,), games = bgfast.records.load_matches(path), list(bgfast.records.load_games(path))
    assert sum(item.turn_count for item in games) == match.turn_count
    assert tuple(result for item in games for result in item.results) == match.results
    assert [finding for item in games for finding in item.findings] == list(match.findings)


def test_illegal_plays_name_the_broken_rule() -> None:
    for name in ("three hops", "a checker moved backwards", "a hit on the way backwards"):
        (finding,) = read(MAT_CASES[name]).findings
        assert finding.kind == "play"
        assert finding.move >= 1
        assert finding.board.startswith("XGID=")
        assert "illegal play" in finding.message


def test_place_of_the_first_error() -> None:
    for name, entry, game_number in (
        ("a landing on a held point", "31: 24/21 24/19", 1),
        ("a checker that is not there", "63: 23/17 13/10", 1),
        ("the first play of the first game cannot be made", "31: 24/19 6/5", 1),
        ("a cell of another kind", "Pauses", 1),
        ("a play that cannot be read", "51: 13/8 24/2x", 1),
        ("a double by a player who does not own the cube", "Doubles => 4", 1),
        ("a double in the Crawford game", "Doubles => 2", 2),
        ("a beaver in a match", "Beavers => 4", 1),
        ("the wrong player rolls", "65: 13/7 13/8", 1),
    ):
        case = MAT_CASES[name]
        error = next(item for item in read(case).findings if item.severity == "error")
        assert (error.line, error.column, error.game) == (*place(case.text, entry), game_number)


def test_cube_and_crawford_game_in_records_of_sites() -> None:
    match = read(MAT_CASES["a beaver with a number of its own"])
    assert match.cube == bgfast.games.Cube(4, 0)
    match = read(MAT_CASES["a double at one point short, the Crawford game was before"])
    assert match.cube == bgfast.games.Cube(2, 1)
    assert match.state.crawford_played
    assert not read(MAT_CASES["a turned cube after the Crawford game"]).state.game.match.crawford


def test_no_double_without_a_cube() -> None:
    for name in ("no cube", "no cube in a match"):
        match = read(SGF_CASES[name])
        for actions in (match.legal_actions(), sgf_round_trip(match).legal_actions()):
            assert "roll" in actions
            assert "double" not in actions


def test_reading_continues_after_a_loss_before_the_opening() -> None:
    """A stray loss is a finding, and the rest of the record is read."""
    for loss in ("Resigns", "Concedes", "Lost on time", "Losses 1 point", "Forfeits"):
        match = bgfast.records.read_match(head() + loss + "\n" + FOUR)
        assert match.turn_count == 4
        assert match.findings
        text = head() + TWO + DROP_ROW + "      Wins 1 point\n\n" + game(2, (1, 0)) + loss + "\n" + FOUR
        assert bgfast.records.read_match(text).turn_count == 6


def test_reading_continues_after_many_unreadable_lines() -> None:
    """A collection with an unreadable line in every game is read to its end."""
    game_count = 300
    text = "0 point match\n\n" + "".join(
        game(index + 1, (index, 0)) + TWO + "hello there\n" + DROP_ROW + "      Wins 1 point\n"
        for index in range(game_count)
    )
    assert len(bgfast.records.read_match(text).results) == game_count


def test_control_characters_cannot_hide_a_finding() -> None:
    match = bgfast.records.read_match(head() + TWO + "  2) \x1b[2J\x07 rubbish\n")
    assert all(character.isprintable() for finding in match.findings for character in str(finding))


def test_findings_of_a_later_game_have_its_number() -> None:
    later_rows = MAT_CASES["three hops"].text.split("Jon : 0\n")[1]
    text = head(9) + TWO + DROP_ROW + "      Wins 1 point\n\n" + game(2, (1, 0)) + later_rows
    (finding,) = bgfast.records.read_match(text).findings
    assert (finding.game, finding.move) == (2, 2)


def test_findings_of_a_match_are_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At the maximum number of findings, the rest of the match is skipped."""
    monkeypatch.setattr("bgfast.records.game_results.MAX_FINDINGS", 50)
    text = head() + TWO + "  3)  Takes\n" * 200 + game(2, (0, 0)) + TWO
    match = bgfast.records.read_match(text)
    assert [finding.kind for finding in match.findings[49:]] == ["cube", "text", "skipped"]
    assert match.findings[50].message == "50 findings; the rest of the match is not read"
    assert match.state.number == 1
    path = tmp_path / "match.mat"
    path.write_text(text)
    assert [len(game_match.findings) for game_match in bgfast.records.load_games(path)] == [52]


def test_findings_have_the_board_before_the_entry() -> None:
    boards = [
        finding.board
        for finding in bgfast.records.read_match(head() + "Takes\nDrops\n" + TWO + "Takes\n").findings
    ]
    start, later_match = bgfast.Match(5), bgfast.records.read_match(head() + TWO)
    assert boards == [start.decision.xgid, start.decision.xgid, later_match.decision.xgid]


def test_next_score_decides_a_loss_without_a_result() -> None:
    for loss, ending in (("Losses 1 point", "resignation"), ("Loses on time", "unexplained")):
        match = bgfast.records.read_match(head() + TWO + f"      {loss}\n" + game(2, (0, 1)) + TWO)
        assert match.score == (0, 1)
        assert [(result.points, result.ending) for result in match.results] == [(1, ending)]


def test_a_loss_by_an_unknown_player_without_a_result_is_a_note() -> None:
    (finding,) = bgfast.records.read_match(head() + TWO + "      Resigns\n").findings
    assert (finding.severity, finding.kind) == ("note", "resignation")
    assert finding.message == "a resignation by an unknown player, and no result"


def test_findings_on_an_unknown_board_have_no_board() -> None:
    *_, missing_turn, award = bgfast.records.read_match(
        head() + TWO + "  2) 51: ????\n  3) 42: 8/4 6/4\n      Wins 1 point\n"
    ).findings
    assert (missing_turn.kind, missing_turn.board, award.board) == ("turn", "", "")
    assert award.message == "X wins 1 point: the board is unknown"
