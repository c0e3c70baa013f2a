"""Backgammon SGF: branches, values, damaged text."""

from __future__ import annotations

from pathlib import Path

import bgfast
from bgfast import Match, RuleSet

HEAD = "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[Anna]PB[Bob]RU[Crawford]"


def test_values_and_branches_are_read() -> None:
    text = (
        "; a text in front\n"
        + HEAD
        + "C[a \\] and \\\\ and\na line]\n;W[31hefe]A[0][x](;B[64aggk];W[double])(;B[64mglh](;W[take])))"
    )
    match = bgfast.records.read_match(text)
    assert [action.name for action in match.history] == ["roll", "play", "roll", "play", "double"]
    assert match.info.comments == ((0, "a ] and \\ and\na line"),)
    assert match.state.crawford


def test_turns_in_comments_and_branches_are_ignored() -> None:
    """Text that looks like a turn is ignored in comments, long values and branches, and outside games."""
    text = (
        f"; a text in front\n{HEAD}C[hello\n;W[64oiik]\n;W[31hefe]\n(\n;B[64ag\ngk]\n)(\n;B[31ab]\n)\n)\n"
        ";W[64oiik]\n"
    )
    match = bgfast.records.read_match(text)
    assert [action.text for action in match.history] == ["", "8/5 6/5", "", "24/14"]
    assert match.info.comments == ((0, "hello\n;W[64oiik"),)
    (finding,) = bgfast.records.read_match(f"{HEAD}\n;W[31hefe]\n[64xrrn])").findings
    assert "X rolls; expected O, who is on turn; the board is unknown from here" in finding.message
    assert (finding.line, finding.column) == (3, 2)
    (finding,) = bgfast.records.read_match(f"{HEAD}\n;W[31hefe]\n;B[64ae]\n)").findings
    assert "illegal play" in finding.message
    assert finding.message.endswith("; the board is unknown from here")
    assert (finding.line, finding.column) == (3, 4)


def test_beavers_and_raccoons_are_written_as_doubles() -> None:
    match = Match(None, RuleSet(beavers=True), dice=[(3, 1), (6, 4)])
    match.roll()
    match.play("8/5 6/5")
    for name in ("double", "beaver", "raccoon", "take"):
        getattr(match, name)()
    text = match.to_sgf()
    assert text.count("[double]") == 3
    for copy in (bgfast.records.read_match(text), bgfast.records.read_match(match.to_mat())):
        assert copy.history == match.history
        assert copy.cube.value == 8


FINDINGS = [
    (";W[31hefe]", "warning", "the file ends within a game; expected its )"),
    (";W[31hefe];B[64", "warning", "the file ends within a value; expected its ]"),
    (";W[31hefe];CV[3])", "warning", "CV[3]; expected a power of two"),
    (";W[31hefe];AE[a]AW[b])", "warning", "the board is unknown from here"),
    (";W[31hefe];AE[a:y]AW[b])", "error", "expected"),
    (";W[31hefe];B[99hefe])", "error", "expected a roll with its moves, such as 31hefe"),
    (";W[31hefe];[x])", "error", "expected the name of a property"),
    ("+;W[31hefe])", "error", "'+'; expected a property"),
    ("MI[length:x];W[31hefe])", "warning", "expected a name and a number"),
    ("CV[3];W[31hefe])", "warning", "expected a power of two"),
    ("RE[x];W[31hefe])", "warning", "expected a result such as"),
    (";W[31hefe])(;GM[1];B[aa])", "error", "GM[1]; expected GM[6]"),
]


def test_damaged_text_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "match.sgf"
    for text, severity, message in FINDINGS:
        path.write_text(HEAD + text, encoding="utf-8")
        games = list(bgfast.records.load_games(path))
        finding = next(finding for game in games for finding in game.findings)
        assert games[0].turn_count == 1
        assert message in finding.message
        assert (finding.severity, finding.line) == (severity, 1)
