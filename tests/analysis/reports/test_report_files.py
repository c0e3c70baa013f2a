"""Index page and match pages, written to files."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from bgfast.analysis.reports.collection_report import collection_page
from bgfast.analysis.reports.match_collection import MatchCollection
from bgfast.matches import MatchAnalysis, write_report
from tests.analysis.matches.test_playback import playback_data
from tests.analysis.reports.conftest import analyse


def links(page: str) -> set[str]:
    return {unquote(link) for link in re.findall('<a href="([^"#]+)"', page)}


def test_the_index_links_to_a_page_for_every_match(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    names = ["a/m.mat", "b/m.mat", "M.MAT", "../é: <x>?.mat"]
    path = tmp_path / "report.html"
    write_report(zip(names, analyses, strict=True), path, worst=2)
    index = path.read_text(encoding="utf-8")
    pages = {f"report_pages/{name}" for name in os.listdir(tmp_path / "report_pages")}
    assert len({page.lower() for page in pages}) == 4
    assert links(index) == pages
    for link in pages:
        page = (tmp_path / link).read_text(encoding="utf-8")
        assert page.startswith("<!DOCTYPE html>")
        assert "../report.html" in links(page)
    assert index.count('<article class="error"') == 2
    assert index.count('<section class="player-section">') == 2
    assert "Bob &lt;b&gt;" in index
    assert "<b>B" not in index
    assert sorted(os.listdir(tmp_path)) == ["report.html", "report_pages"]


def test_pages_link_to_the_matches_before_and_after(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(zip(("a", "b #1", "c"), analyses, strict=False), path, worst=0)
    neighbours = {}
    for file in (tmp_path / "report_pages").iterdir():
        text = file.read_text(encoding="utf-8")
        neighbours[file.name] = re.findall('<a href="([^"#]+)">(Previous match|Next match)</a>', text)
    index = path.read_text(encoding="utf-8").partition("<h2>Matches</h2>")[2]
    order = re.findall('<a href="report_pages/([^"]+)">', index)  # matches by date; c has no date
    assert order == ["b_1.html", "a.html", "c.html"]
    assert neighbours == {
        "b_1.html": [("a.html", "Next match")],
        "a.html": [("b_1.html", "Previous match"), ("c.html", "Next match")],
        "c.html": [("a.html", "Previous match")],
    }


def test_errors_and_rolls_of_the_index_lead_to_their_boards(
    analyses: list[MatchAnalysis], tmp_path: Path
) -> None:
    write_report(zip("abcd", analyses, strict=True), tmp_path / "r.html", worst=5)
    index = (tmp_path / "r.html").read_text(encoding="utf-8")
    errors = re.findall('<p class="source">.*?href="([^"]+)".*?>Game (\\d+), move (\\d+)', index, re.DOTALL)
    rolls = re.findall('<a href="([^"]+)">(\\d+), (\\d+)</a>', index)
    assert (len(errors), len(rolls)) == (5, 6)
    for address, game, move in errors + rolls:
        file, _, anchor = address.partition("#")
        assert f"{anchor}-".startswith(f"game-{game}-move-{move}-")
        steps = playback_data((tmp_path / file).read_text(encoding="utf-8"))["steps"]
        assert anchor in [step["anchor"] for step in steps]


def test_incomplete_matches_and_unread_files_are_listed(
    analyses: list[MatchAnalysis], unfinished_analysis: MatchAnalysis
) -> None:
    collection = MatchCollection(worst=1)
    collection.add(unfinished_analysis, "carl.mat", "carl.html")
    page = collection_page(collection)
    assert "No match is complete, so no player is ranked." in page
    assert "<svg" not in page[: page.index("<h2>Largest")]
    for analysis in analyses:
        collection.add(analysis, "a.mat", "p.html")
    collection.left_out = {"line 1: no match in it": ["<broken>.mat", "b.mat"]}
    page = collection_page(collection, "Interrupted in file 3 of 9")
    for text in (
        "1 incomplete, and left out of rankings and trends",
        "match to 3, score 0\N{NON-BREAKING HYPHEN}0, not finished",
        "2 files left out",
        "&lt;broken&gt;.mat, b.mat</td>",
        "line 1: no match in it",
        "Interrupted in file 3 of 9",
    ):
        assert text in page
    ranking = page[page.index('class="ranking"') : page.index("</table>")]
    assert ("Carl" in ranking, "Anna" in ranking) == (False, True)


def test_a_match_against_a_player_of_the_same_name_counts_once() -> None:
    collection = MatchCollection(worst=0)
    for seed, date in enumerate(("2026-01-01", "2026-01-02", "")):
        analysis = analyse(seed, ("Guest", "Guest"), date)
        collection.add(analysis, str(seed))
    (player,) = collection.players
    assert (player.match_count, len(player.matches), player.wins) == (3, 6, 3)
    page = collection_page(collection)
    assert "3 matches, 3 won" in page
    assert "over the last 3 matches. By number" in page
    assert " By number: 1 match without a date." in page


def test_players_with_few_matches_are_folded_away(analyses: list[MatchAnalysis]) -> None:
    collection = MatchCollection(worst=0)
    for index, analysis in enumerate([*analyses[:2], analyse(9, ("Anna", "Carl"))]):
        collection.add(analysis, str(index))
    page = collection_page(collection)
    assert "2 players with fewer than 3 matches" in page
    assert page.count('<section class="player-section">') == 1
    assert page.index("Anna") < page.index("<details>") < page.index("Carl")


def test_the_index_shows_pr_by_kind(analyses: list[MatchAnalysis]) -> None:
    collection = MatchCollection(worst=0)
    for index, analysis in enumerate(analyses):
        collection.add(analysis, str(index))
    page = collection_page(collection)
    for player in collection.players:
        for pr in (player.rates.checker_pr, player.rates.pr_by_kind("play")[0]):
            assert f'">{pr:.2f}</td>' in page


def test_page_names_keep_letters_of_all_languages(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    names = ["Zürich 1.mat", "zu\u0308rich_1.mat", "हिंदी.xg", "局" * 100 + ".mat"]
    write_report(zip(names, analyses, strict=True), tmp_path / "r.html", worst=0)
    pages = sorted(os.listdir(tmp_path / "r_pages"), key=len)
    assert pages[0] == "हिंदी.xg.html"
    assert {pages[1], pages[2]} == {"Zürich_1.mat.html", "zürich_1.mat_2.html"}
    assert pages[3] == "局" * 66 + ".html"
    assert links((tmp_path / "r.html").read_text(encoding="utf-8")) == {f"r_pages/{page}" for page in pages}


def test_an_absolute_path_is_shown_as_a_file_name(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    write_report([(str(tmp_path / "a.mat"), analyses[0])], tmp_path / "r.html")
    for page in (tmp_path / "r.html", tmp_path / "r_pages" / "a.mat.html"):
        assert str(tmp_path) not in page.read_text(encoding="utf-8")
    assert ">a.mat</a>" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_report_on_a_player_has_only_their_matches(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    other_analysis = analyse(9, ("Carl", "Dora"))
    write_report([("a", analyses[0]), ("b", other_analysis)], tmp_path / "r.html", player="bob_<B>", worst=3)
    assert os.listdir(tmp_path / "r_pages") == ["a.html"]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>1 match of Bob &lt;b&gt;</h1>" in page
    assert page.count('<p class="source">Bob &lt;b&gt; – Anna') == 3
    worst = [
        row["chosen"] for row in sorted(analyses[0].rows(), key=lambda row: -row["error"]) if row["player"]
    ]
    errors = (tmp_path / "r_pages" / "a.html").read_text(encoding="utf-8").split("<article")[1:]
    assert all(chosen in error for chosen, error in zip(worst, errors, strict=False))
    assert len(errors) == 3


def test_match_names_cannot_escape_the_folder(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    write_report([("..", analyses[0]), ("/etc/..\\x\0y", analyses[1])], tmp_path / "r.html", worst=0)
    assert sorted(os.listdir(tmp_path / "r_pages")) == ["match.html", "x_y.html"]
    assert sorted(os.listdir(tmp_path)) == ["r.html", "r_pages"]


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="file names are Unicode on this system")
def test_file_names_may_be_any_bytes(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9 & #1.html")
    write_report([(os.fsdecode(b"\xff.mat"), analyses[0])], path)
    assert 'href="caf%E9%20%26%20%231_pages/mat.html"' in path.read_text(encoding="utf-8")
    page = tmp_path / os.fsdecode(b"caf\xe9 & #1_pages") / "mat.html"
    assert '<a href="../caf%E9%20%26%20%231.html">All matches</a>' in page.read_text(encoding="utf-8")
