"""Jellyfish .mat text from different programs and servers."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

import bgfast
from bgfast import Match
from bgfast.errors import RecordError
from tests.support.matches import random_match

CLOSED_OUT = bgfast.Position.from_array([0] * 19 + [-2] * 6 + [1])
HEAD = " 7 point match\n\n Game 1\n Anna : 0                        Bob : 0\n"


def read(lines: str, head: str = HEAD) -> Match:
    return bgfast.records.read_match(head + lines)


def texts(match: Match) -> list[str]:
    """Return the text or name of each action except rolls."""
    return [action.text or action.name for action in match.history if action.name != "roll"]


def test_spellings_of_plays() -> None:
    for line, expected in {
        "  1) 31: 8/5 6/5   64: 24/18 18/14": "24/14",
        "  1) 31: 8/5, 6/5  64: 24-14": "24/14",
        "  1) 3-1: 8/5 6/5  6-4: 24/18/14": "24/14",
        "  1)31: 8/5 6/5\t64: 24/14": "24/14",
        "1) 31:8/5 6/5      64:24/14": "24/14",
        " 31: 8/5 6/5      64: 24/14": "24/14",
        "  1) 13: 6/5 8/5   46: 24/14": "24/14",
        "  1) 31: 8/5 6/5   33: 8/5 8/5 6/3 6/3": "8/5(2) 6/3(2)",
        "  1) 31: 8/5 6/5   33: 8/5(2) 6/3(2)": "8/5(2) 6/3(2)",
    }.items():
        match = read(line + "\n")
        assert texts(match) == ["8/5 6/5", expected]
        assert not match.findings


REMARKS = (
    "ILLEGAL? | (ILLEGAL) | [should double] | (he has to pass) | {Wins 2 points?} | - good | !? | ?? | 0/0"
    " | forced | ; hit loose | 2 checkers | (13/10 24/23 is better) | (31: better) | * best | off we go"
).split(" | ")


def test_remarks_after_plays_change_nothing() -> None:
    play_pattern = re.compile(r"(?<=[1-6][1-6]: )([0-9bo][^:A-Z\n]*?)(?=   |\n)")
    for seed in range(3):
        text = random_match(seed, (None, 3, 5)[seed]).to_mat()
        edited_text, remarks = text, itertools.cycle(REMARKS[seed:])
        for cell in reversed(list(play_pattern.finditer(text))):
            edited_text = f"{edited_text[: cell.end()]} {next(remarks)}      {edited_text[cell.end() :]}"
        match, expected = bgfast.records.read_match(edited_text), bgfast.records.read_match(text)
        assert match.history == expected.history
        assert {item.severity for item in match.findings} <= {"note"}


def test_impossible_play_leaves_the_board_unknown() -> None:
    match = read("  1) 31: 8/5 6/5   44: 24/20(2) 13/9(2)\n  2) 64: 24/14\n")
    assert texts(match) == ["8/5 6/5", "24/20 24/20 13/9 13/9", "24/14"]
    assert [state.game.board_unknown for state in match.states[3:]] == [False, True, True, True]
    (finding,) = match.findings
    assert (finding.kind, finding.severity) == ("play", "error")
    assert "opposing" in finding.message
    assert finding.message.endswith("; the board is unknown from here")


def test_spellings_of_cube_actions() -> None:
    doubles = "Doubles => 2 | Doubles ==> 2 | Doubles -> 2 | Doubles to 2 | doubles | Double => 2".split(
        " | "
    )
    for double, take in zip(doubles, itertools.cycle(["Takes", "Accepts", "takes", "Take"]), strict=False):
        match = read(f"  1) 31: 8/5 6/5      {double}\n  2)  {take}      64: 24/14\n")
        assert texts(match) == ["8/5 6/5", "double", "take", "24/14"]
        assert not match.findings
    for drop in ("Drops", "Passes", "Rejects", "drop"):
        match = read(f"  1) 31: 8/5 6/5      Doubles => 2\n  2)  {drop}\n{' ' * 34}Wins 1 point\n")
        assert match.score == (0, 1)
        assert match.results[0].ending == "drop"
        assert match.to_mat().splitlines()[-1].split() == ["2)", "Drops", "Wins", "1", "point"]


def test_spellings_of_a_pass() -> None:
    pass_match = Match(7, game=bgfast.Game(position=CLOSED_OUT, on_turn=0, match=bgfast.games.MatchScore(7)))
    pass_match.roll((6, 5))
    pass_match.pass_turn()
    for word in ("", "Cannot Move", "cannot move", "(No Play)", "no move", "Pass", "Dances", "Can't move"):
        match = bgfast.records.read_match(pass_match.to_mat().rstrip() + f" {word}\n")
        assert [action.name for action in match.history] == ["set_position", "roll", "pass_turn"]


def test_missing_results_and_early_ends() -> None:
    match = read(
        "  1) 31: 8/5 6/5      64: 24/14\n      Wins 2 points\n\n Game 2\n"
        " Anna : 2           Bob : 0\n  1) 42: 8/4 6/4\n"
    )
    assert (match.score, len(match.results), match.on_turn) == ((2, 0), 1, 1)
    assert match.results[0].ending == "unexplained"
    assert [finding.severity for finding in match.findings] == ["note"]
    match = read("  1) 31: 8/5 6/5\n      Wins 3 points and the match\n", HEAD.replace("7 point", "3 point"))
    assert match.winner == 0


def test_declared_illegal_plays_are_kept() -> None:
    match = read("  1) 31: 8/5 6/5      64: Illegal play (24/15)\n  2) 31: 13/10 24/23\n")
    assert match.history[3].unchecked
    assert "Illegal play (24/15)" in match.to_mat()
    copy = bgfast.records.read_match(match.to_sgf())
    assert copy.history == match.history


def test_missing_plays() -> None:
    """A declared illegal play without moves is unknown; a final roll without a play is unplayed."""
    for play in ("Illegal play?", "(Illegal play)"):
        match = read(f"  1) 31: 8/5 6/5      64: {play}\n  2) 31: 13/10 24/23\n")
        assert (match.history[3].unknown, match.history[3].text) == (True, "?")
        assert [finding.severity for finding in match.findings] == ["warning"]
        for text in (match.to_mat(), match.to_sgf()):
            assert bgfast.records.read_match(text).history == match.history
    match = read("  1) 31: 8/5 6/5      64: ????\n      Wins 1 point\n")
    assert [action.name for action in match.history[2:]] == ["roll", "resign", "accept_resignation"]
    match = read("  1) 31: 8/5 6/5      64: ????\n  2) 31: 13/10 24/23\n")
    assert [finding.severity for finding in match.findings] == ["warning"]
    assert "a roll without a play" in match.findings[0].message
    assert (match.history[3].unknown, match.history[3].unchecked, match.turn_count) == (True, True, 3)
    match = read("  1) 31: 8/5 6/5      64: Pass\n  2) 31: 13/10 24/23\n")
    assert (match.history[3].unknown, match.history[3].text) == (False, "pass")
    for text in (match.to_mat(), match.to_sgf()):
        assert bgfast.records.read_match(text).history == match.history


def test_tags_and_comments_are_read() -> None:
    text = (
        '\ufeff; [Site "A server"]\n; [Player 1 "Anna: 1"]\n; [Player 2 "Bob"]\n; [EventDate "2020.01.02"]\n'
        '; [Variation "Backgammon"]\n; [Crawford "Off"]\n; [CubeLimit "1024"]\n;  hello\n' + HEAD
        + "  1) 31: 8/5 6/5      64: 24/14\n; a comment\n"
    )  # fmt: skip
    match = bgfast.records.read_match(text)
    assert (match.info.site, match.info.date, match.state.crawford) == ("A server", "2020-01-02", False)
    assert match.info.comments == ((0, "hello"), (4, "a comment"))
    assert match.rules.cube_limit == 0
    assert bgfast.records.read_match(text.replace("1024", "64")).rules.cube_limit == 64
    for limit in ("63", "x"):
        limit_match = bgfast.records.read_match(text.replace("1024", limit))
        assert (limit_match.rules.cube_limit, limit_match.findings[0].severity) == (0, "warning")
        assert "the cube limit is" in limit_match.findings[0].message
    assert not match.findings
    for old, new, severity, message in (
        ("Off", "maybe", "warning", "crawford is 'maybe'; expected On or Off"),
        ('"Backgammon"', '"chess"', "error", "the variant is 'chess'; expected backgammon"),
        ("Site", "Weather", "note", "unknown tag 'weather'; it is not used"),
    ):
        (finding,) = bgfast.records.read_match(text.replace(old, new)).findings
        assert (finding.severity, finding.game) == (severity, 0)
        assert message in finding.message


def test_player_names_are_read() -> None:
    for names, expected in {
        "Anna : 0                 Bob : 0": ("Anna", "Bob"),
        "Anna :0  Bob:0": ("Anna", "Bob"),
        "Anna: 0\tBob : 0": ("Anna", "Bob"),
        "A : b : 0     C : 5 d : 0": ("A : b", "C : 5 d"),
    }.items():
        match = bgfast.records.read_match(f" 7 point match\n\n Game 1\n {names}\n  1) 31: 8/5 6/5\n")
        assert match.info.players == expected


def test_ratings_after_both_names_are_left_out() -> None:
    for names, expected in {
        ("Anna (1543)", "Bob (998.25)"): ("Anna", "Bob"),
        ("Anna 1543", "Bob Roe(1812,5)"): ("Anna", "Bob Roe"),
        ("anna7808,1543", "Bob, 998"): ("anna7808,1543", "Bob, 998"),
        ("anna7808,1543", "Bob, 1998.5"): ("anna7808", "Bob"),
        ("Anna (1543)", "Bob"): ("Anna (1543)", "Bob"),
        ("Bot 2000", "Bot 3000"): ("Bot 2000", "Bot 3000"),
        ("(1543)", "Bob (1620)"): ("(1543)", "Bob (1620)"),
        ("Anna (2)", "Bob 3"): ("Anna (2)", "Bob 3"),
    }.items():
        match = read("  1) 31: 8/5 6/5\n", HEAD.replace("Anna", names[0]).replace("Bob", names[1]))
        assert match.info.players == expected
        match.info = replace(match.info, players=names)
        for text in (match.to_mat(), match.to_sgf()):
            assert bgfast.records.read_match(text).info.players == expected


def test_heads_of_money_sessions() -> None:
    for head in (" 0 point match\n", " Money session\n", " Unlimited game\n", ""):
        match = bgfast.records.read_match(head + " Game 1\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5\n")
        assert match.length is None


def test_jacoby_rule_is_inferred_from_gammons_that_count_once() -> None:
    session = Match(None, bgfast.RuleSet(jacoby=True), position=bgfast.Position.hypergammon(), dice=5)
    while len(session.results) < 12:
        legal_actions = session.legal_actions()
        if "play" in legal_actions:
            session.play(session.plays()[0])
        else:
            name = next(name for name in ("pass_turn", "next_game", "roll") if name in legal_actions)
            getattr(session, name)()
    text = session.to_mat()
    untagged_text = "".join(line for line in text.splitlines(keepends=True) if "Jacoby" not in line)
    assert untagged_text != text
    copy = bgfast.records.read_match(untagged_text)
    assert copy.rules.jacoby
    assert copy.results == session.results


def test_automatic_doubles_are_inferred_from_the_first_double() -> None:
    text = " 0 point match\n Game 1\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5      Doubles => 4\n  2) Takes\n"
    match = bgfast.records.read_match(text)
    assert (match.cube.value, match.state.game.ties) == (4, 1)
    assert bgfast.records.read_match(match.to_sgf()).history == match.history


def test_unreadable_entries_are_errors() -> None:
    for line, message, column in (
        ("  2) nonsense", "'nonsense'; expected a roll", 6),
        (
            "  1) 31: 8/5 6/5      64: 24/14     65: 24/13",
            "after two cells; expected the end of the line",
            37,
        ),
        ("  1) 31: 8/5 6/5      Doubles it or not", "the end of the line or the other player's cell", 31),
        (" Anna = 0", "expected a roll", 2),
        ("  2) 70: 8/5 6/5", "'70: 8/5 6/5'; expected dice from 1 to 6", 6),
        ("  1) 31: 8/5 6/5      75: 24/18 13/8", "'75: 24/18 13/8'; expected dice from 1 to 6", 23),
    ):
        text = f"{HEAD}{line}\n\n Game 2\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5\n"
        finding = bgfast.records.read_match(text).findings[0]
        assert message in finding.message
        assert (finding.severity, finding.line, finding.column, finding.game) == ("error", 5, column, 1)
        with pytest.raises(RecordError, match=message) as caught:
            bgfast.records.read_match(text, strict=True)
        assert (caught.value.line, caught.value.column) == (5, column)


def test_a_misspelt_head_is_a_warning() -> None:
    """The match then counts as money."""
    for line, severity in (("3 piont match", "warning"), ("A remark on the match", "note")):
        match = bgfast.records.read_match(HEAD.replace(HEAD.split("\n")[0], line) + "  1) 31: 8/5 6/5\n")
        (finding,) = match.findings
        assert (finding.severity, finding.line, match.length) == (severity, 1, None)
        assert finding.message == f"'{line}'; expected a head such as ' 7 point match' or ' Game 1'"


def test_columns_count_characters() -> None:
    """A tab counts as one character."""
    for line, column in (
        ("\t1) 31:\t8/5 6/5\t\t64: 24/13\n", 18),
        ("\t 1) nonsense\n", 6),
        ("1)\t31: 8/5 6/5\t \tDoubles\tit\n", 26),
        ("1)\t31: 8/5 6/5\t\t64: 24/14\t65: 24/13\n", 27),
    ):
        finding = read(f"{line}\n Game 2\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/5\n").findings[0]
        assert (finding.line, finding.column) == (5, column)


def test_invalid_headings_are_findings() -> None:
    row = "  1) 31: 8/5 6/5\n"
    for text, message in (
        ("hello\n" + HEAD + row, "expected a head"),
        (" 7 point match\n" + row, "the players"),
    ):
        match = bgfast.records.read_match(text)
        assert (match.length, match.turn_count) == (7, 1)
        assert message in match.findings[0].message
    match = bgfast.records.read_match(" 7 point match\n Game 1\n Anna 0 Bob 0\n  1) 31: 8/5 6/5\n")
    assert match.turn_count == 1
    assert "expected the players with their scores" in match.findings[0].message


def test_scores_beyond_the_length_of_the_match() -> None:
    """A game begins at the score after the previous games; only the last game may exceed the length."""
    drop = "  1) 31: 8/5 6/5                     64: 24/14\n  2)  Doubles => 2                  Drops\n"
    score = "      Wins 1 point\n\n Game 2\n Anna : 4                        Bob : 16\n"
    loss = "  1) 31: 8/5 6/5                     64: 24/14\n  2) 65: 24/13                       Resigns\n"
    match = read(drop + score + loss + "      Wins 3 points and the match\n", HEAD.replace("7", "3"))
    (finding,) = match.findings
    assert str(finding) == (
        "line 9, column 2: warning: game 2: a game at 4-16 in a match to 3; expected less; the score "
        "stays 1-0"
    )
    assert (match.score, match.winner) == ((4, 0), 0)
    analysis = bgfast.analyse_match(match, bgfast.Network.builtin_fast(), ply=0)
    assert (analysis.is_complete, [game.score for game in analysis.games]) == (True, [(0, 0), (1, 0)])
    assert "match to 3, score 4-0" in str(analysis)
    assert analysis.luck_adjusted_result is not None
    match = bgfast.records.read_match(HEAD.replace(" 0", " 16") + "  1) 31: 8/5 6/5\n")
    assert (match.score, match.turn_count, [item.line for item in match.findings]) == ((0, 0), 1, [3])
