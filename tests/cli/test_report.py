"""``bgfast report``: analyses of recorded matches, and their output formats."""

from __future__ import annotations

import csv
import importlib.util
import io
import itertools
import json
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast.analysis.matches.decision_analyser import DecisionAnalyser
from bgfast.analysis.matches.match_rollout import MatchRollout
from bgfast.cli.main import main
from tests.support.binary_matches import xg_file, xg_records
from tests.support.command_line import Capture, get_error, screen
from tests.support.matches import finished_match, play_on

LONG_NAME = "Anna, whose name is too long for any column"
OPTIONS = ["--evaluator", "builtin-fast", "--ply", "0"]


def run_report(capsys: Capture, *arguments: str) -> str:
    """Return the output of a fast analysis."""
    assert main(["report", *arguments, *OPTIONS]) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with two matches and another file."""
    path = tmp_path_factory.mktemp("matches")
    for name, seed in (("first.mat", 3), ("second.sgf", 4)):
        match = bgfast.Match(1, dice=seed, info=bgfast.games.MatchInfo(players=("Anna", "Bob <b>")))
        play_on(match, 40).save(path / name)
    (path / "notes.md").write_text("nothing")
    return path


@pytest.fixture
def interrupt_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that makes Ctrl-C interrupt analyses after a number of decisions and rolls."""
    analyse = DecisionAnalyser.analyse

    def interrupt(count: int) -> None:
        calls = itertools.count()

        def analyse_or_interrupt(*arguments: Any) -> Any:
            if next(calls) >= count:
                raise KeyboardInterrupt
            return analyse(*arguments)

        monkeypatch.setattr(DecisionAnalyser, "analyse", analyse_or_interrupt)

    return interrupt


@pytest.mark.parametrize("formats", [[], ["--json"], ["--csv"]])
def test_a_match_is_written_with_its_analysis(
    formats: list[str], folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    match = folder / "first.mat"
    file, page = tmp_path / "analysis.sgf", tmp_path / "analysis.html"
    for force in ([], ["--force"]):
        arguments = [str(match), "--worst", "2", "--sgf", str(file), "--html", str(page), *formats, *force]
        out = run_report(capsys, *arguments)
        assert bgfast.load_match(file).history == bgfast.load_match(match).history
        assert "]A[" in file.read_text(encoding="utf-8")
        text = page.read_text(encoding="utf-8")
        assert text.startswith("<!DOCTYPE html>")
        assert "Bob &lt;b&gt;" in text
        page.write_text("old")
    if not formats:
        assert out.startswith("Anna - Bob <b>: match to 1, score 0-0, not finished (evaluator builtin-fast")
        assert "error rate (GNU)" in out
        assert len(out.split("Largest errors:\n")[1].splitlines()) == 2


def test_totals_cover_complete_matches_only(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    first, second, message = run_report(capsys, str(folder)).splitlines()
    summary = "match to 1, score 0-0, not finished, not in the totals: PR Anna "
    assert first.startswith(f"first.mat: {summary}")
    assert second.startswith(f"second.sgf: {summary}")
    assert message == "No match is complete: no totals."
    for seed, name in enumerate(("a.mat", "b.mat"), 3):
        finished_match(seed, ("Anna", "Bob <b>")).save(tmp_path / name)
    main(["report", str(tmp_path), str(folder), *OPTIONS])
    *_, head, anna, bob = capsys.readouterr().out.splitlines()
    assert head.split() == ["player", "matches", "PR", "checker", "cube", "error"]
    assert sorted(line[:7].strip() for line in (anna, bob)) == ["Anna", "Bob <b>"]
    assert {line.split()[-5] for line in (anna, bob)} == {"2"}


def test_long_names_are_shortened_on_terminals_only(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished_match(3, (LONG_NAME, "Bob")).save(tmp_path / "a.mat")
    arguments = ["report", str(tmp_path / "a.mat"), *OPTIONS]
    assert main(arguments) == 0
    _, summary, games, *_ = capsys.readouterr().out.split("\n\n")
    assert LONG_NAME in summary
    assert LONG_NAME in games
    with screen(80) as terminal:
        monkeypatch.setattr(sys, "stdout", terminal)
        assert main(arguments) == 0
    _, summary, games, *_ = terminal.getvalue().split("\n\n")
    assert LONG_NAME not in summary + games
    assert "Anna, whose n…" in summary


def test_the_report_opens_in_a_browser(
    folder: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(addresses.append(address)))
    monkeypatch.setattr("bgfast.cli.report.mkdtemp", lambda prefix: str(tmp_path))
    run_report(capsys, str(folder / "first.mat"), "--open")
    assert main(["report", str(folder), "--html", str(tmp_path / "all.html"), "--open", *OPTIONS]) == 0
    assert f"no browser could be opened; the report is {tmp_path / 'all.html'}" in capsys.readouterr().err
    assert addresses == [(tmp_path / name).as_uri() for name in ("report.html", "all.html")]
    assert all(Path(tmp_path / name).exists() for name in ("report.html", "all.html"))


@pytest.fixture
def matches(tmp_path: Path) -> Path:
    """Four finished matches, two of them in one file, and an unreadable file."""
    path = tmp_path / "matches"
    path.mkdir()
    for seed, name in enumerate(("a.mat", "b.mat"), 3):
        finished_match(seed, date=f"2026-01-0{seed}").save(path / name)
    (path / "c.mat").write_text("nothing")
    texts = []
    for seed in (5, 6):
        finished_match(seed).save(path / "twice.sgf", force=True)
        texts.append((path / "twice.sgf").read_text())
    (path / "twice.sgf").write_text("".join(texts))
    return path


def test_a_folder_gets_an_index_and_pages(matches: Path, tmp_path: Path, capsys: Capture) -> None:
    index, pages = tmp_path / "out.html", tmp_path / "out_pages"
    arguments = ["report", str(matches), "--html", str(index), "--worst", "2", *OPTIONS]
    assert main(arguments) == 0
    page = index.read_text(encoding="utf-8")
    assert {path.name for path in pages.iterdir()} == {
        *("a.mat.html", "b.mat.html", "twice.sgf_1.html", "twice.sgf_2.html")
    }
    assert all(f'href="out_pages/{path.name}"' in page for path in pages.iterdir())
    assert "1 file left out" in page
    assert "c.mat</td>" in page
    assert "no match in it" in page
    assert page.count('<article class="error"') == 2
    assert "Interrupted" not in page
    capsys.readouterr()
    assert "out.html' exists already; expected a new name, or --force" in get_error(capsys, *arguments)
    index.unlink()
    assert "out_pages' exists already; expected a new name, or --force" in get_error(capsys, *arguments)
    assert not index.exists()
    assert main([*arguments, "--force"]) == 0


@pytest.mark.parametrize("name", ["twice.sgf", "a.mat"])
def test_a_file_with_several_matches_gets_an_index(name: str, matches: Path, tmp_path: Path) -> None:
    """A folder gets an index even if it has a single match."""
    index, pages = tmp_path / "out.html", tmp_path / "out_pages"
    assert main(["report", str(matches / name), "--html", str(index), *OPTIONS]) == 0
    assert pages.exists() == (name == "twice.sgf")
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / name).write_bytes((matches / name).read_bytes())
    assert main(["report", str(tmp_path / "alone"), "--html", str(index), "--force", *OPTIONS]) == 0
    assert (pages / f"{name}{'_2' if name == 'twice.sgf' else ''}.html").exists()


def test_ctrl_c_writes_an_index_of_finished_matches(
    matches: Path, tmp_path: Path, capsys: Capture, interrupt_after: Callable[[int], None]
) -> None:
    interrupt_after(119)
    index = tmp_path / "out.html"
    assert main(["report", str(matches), "--html", str(index), *OPTIONS]) == 130
    page = index.read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "out_pages").iterdir()] == ["a.mat.html"]
    assert "<title>1 match</title>" in page
    assert "Interrupted in file 2 of 4" in page
    interrupt_after(0)
    assert main(["report", str(matches), "--html", str(tmp_path / "none.html"), *OPTIONS]) == 130
    assert not (tmp_path / "none.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
def test_links_and_pipes_in_a_folder(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    """Pipes are ignored, broken links are reported, and links to the folder are not followed."""
    shutil.copy(folder / "first.mat", tmp_path / "a.mat")
    os.mkfifo(tmp_path / "b.mat")
    (tmp_path / "c.mat").symlink_to("nothing")
    (tmp_path / "d.mat").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    page = tmp_path / "index.html"
    for _ in range(2):  # the report in the folder is not a match
        assert main(["report", str(tmp_path), "--html", str(page), "--force", *OPTIONS]) == 0
        assert "1 of 2 files read" in capsys.readouterr().err
    text = page.read_text(encoding="utf-8")
    assert text.count('<td class="c1">') >= 2
    assert "c.mat</td>" in text
    assert "b.mat" not in text


def test_flash_cards_of_several_matches_are_written(matches: Path, tmp_path: Path, capsys: Capture) -> None:
    pytest.importorskip("genanki", reason="NOT INSTALLED: genanki, so no flash cards were written")
    deck = tmp_path / "errors.apkg"
    arguments = ["report", str(matches), "--anki", str(deck), *OPTIONS]
    assert main([*arguments, "--worst", "3"]) == 0
    assert "bgfast: 3 flash cards written\n" in capsys.readouterr().err
    assert zipfile.is_zipfile(deck)
    assert "errors.apkg' exists already" in get_error(capsys, *arguments)
    assert main([*arguments, "--force"]) == 0
    matched = re.search(r"(\d+) flash cards written\n", capsys.readouterr().err)
    assert int(matched[1]) > 3


def test_missing_genanki_is_an_error(
    matches: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genanki", None)
    monkeypatch.setattr(DecisionAnalyser, "analyse", None)
    arguments = ["report", str(matches), "--anki", str(tmp_path / "a.apkg"), *OPTIONS]
    assert get_error(capsys, *arguments).endswith("pip install 'bgfast[anki]'\n")


def test_matches_of_one_file_are_numbered(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    two_matches = tmp_path / "twice.sgf"
    finished_match(5).save(two_matches)
    two_matches.write_text(two_matches.read_text() + (folder / "second.sgf").read_text())
    assert main(["report", str(folder / "first.mat"), str(two_matches), "--json", *OPTIONS]) == 0
    names = [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()]
    assert names == ["first.mat", "twice.sgf (1)", "twice.sgf (2)"]
    two_matches.write_text(two_matches.read_text()[:-20])  # damage the second match
    assert main(["report", str(two_matches), *OPTIONS]) == 0
    out, err = capsys.readouterr()
    assert [line.split(": ")[0] for line in out.splitlines()[:2]] == names[1:]
    assert "the file ends within a" in err


def test_boards_option_adds_the_boards_of_the_largest_errors(folder: Path, capsys: Capture) -> None:
    arguments = ["report", str(folder / "first.mat"), "--worst", "2", *OPTIONS]
    assert main(arguments) == 0
    plain_report = capsys.readouterr().out
    assert main([*arguments, "--boards"]) == 0
    report, boards = capsys.readouterr().out.split("\n\n#1 ")
    assert f"{report}\n" == plain_report
    first, second = boards.split("\n\n#2 ")
    for board in (first, second):
        assert board.startswith(("Blunder -0.", "Error -0."))
        assert "|BAR|" in board
        assert "\nplayed " in board
        assert board.splitlines()[-1].startswith("  ")
    assert "--boards cannot be combined with --csv or --json" in get_error(
        capsys, *arguments, "--boards", "--json"
    )


def test_subfolders_are_searched(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    for seed, name in enumerate(("b/c/third.mat", "b/first.MAT", "a.txt")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        finished_match(seed).save(tmp_path / name, format="mat")
    (tmp_path / "d.mat").mkdir()
    shutil.copy(folder / "first.mat", tmp_path / "d.mat/notes.md")
    assert main(["report", str(tmp_path), "--json", *OPTIONS]) == 0
    names = [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()]
    assert names == ["a.txt", "b/c/third.mat", "b/first.MAT"]
    assert main(["report", str(tmp_path / "b"), str(folder), "--json", *OPTIONS]) == 0
    names = [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()]
    assert names[:3] == ["b/c/third.mat", "b/first.MAT", f"{folder.name}/first.mat"]


def test_json_and_csv_have_every_decision(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    empty_file, dated_file = tmp_path / "none.mat", tmp_path / "dated.mat"
    bgfast.Match(3).save(empty_file)
    finished_match(3, date="2026-11-23").save(dated_file)
    files = [str(empty_file), str(folder), str(dated_file)]
    content = [json.loads(line) for line in run_report(capsys, *files, "--json").splitlines()]
    names = ["none.mat", "first.mat", "second.sgf", "dated.mat"]
    assert [Path(match["file"]).name for match in content] == names
    out = run_report(capsys, *files, "--csv")
    assert out.startswith("file,game,move,player,name,kind")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == sum(len(match["decisions"]) for match in content)
    assert {row["date"] for row in rows if row["file"] == "dated.mat"} == {"2026-11-23"}
    blunders = list(csv.DictReader(io.StringIO(run_report(capsys, *files, "--csv", "--min-error", "0.12"))))
    assert blunders == [row for row in rows if float(row["error"]) >= 0.12]
    assert 0 < len(blunders) < len(rows)


ROLLOUT = ["--rollout", "--trials", "36", "--truncate", "2"]


def test_contested_decisions_are_rolled_out(folder: Path, capsys: Capture) -> None:
    file, checkpoint = str(folder / "first.mat"), folder / "checkpoint"
    out = run_report(capsys, file, *ROLLOUT, "--resume", str(checkpoint))
    assert "rollout 36 trials, truncated at 2 plies, seed 0)" in out
    assert re.search(
        r"^Decisions: \d+ settled, \d+ too close to call, \d+ not rolled out$", out, re.MULTILINE
    )
    assert re.search(r"^PR  +\d+\.\d\d ± \d", out, re.MULTILINE)
    size = checkpoint.stat().st_size
    main(["report", file, *ROLLOUT, "--resume", str(checkpoint), "--threads", "2", *OPTIONS])
    assert (capsys.readouterr().out, checkpoint.stat().st_size) == (out, size)
    head, *rows = run_report(capsys, file, *ROLLOUT, "--csv", "--seed", "7").splitlines()
    column = head.split(",").index("status")
    assert "settled" in {row.split(",")[column] for row in rows}


def test_ctrl_c_prints_finished_rollouts(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = MatchRollout.play

    def play_two_decisions(self: MatchRollout, **options: Any) -> Iterator[float]:
        for fraction in play(self, **options):
            if self.done == 2:
                raise KeyboardInterrupt
            yield fraction

    monkeypatch.setattr(MatchRollout, "play", play_two_decisions)
    checkpoint = folder / "interrupted"
    assert main(["report", str(folder / "first.mat"), *ROLLOUT, "--resume", str(checkpoint), *OPTIONS]) == 130
    out, err = capsys.readouterr()
    matched = re.search(r"; (\d+) of (\d+) decisions left\)", out)
    assert int(matched[2]) - int(matched[1]) == 2
    assert f"finished rollouts are in {checkpoint}; the same command resumes" in err


@pytest.mark.parametrize("options", [ROLLOUT, ["--threads", "2"]])
def test_ctrl_c_prints_finished_decisions(
    options: list[str], folder: Path, capsys: Capture, interrupt_after: Callable[[int], None]
) -> None:
    interrupt_after(12)
    file = str(folder / "first.mat")
    arguments = ["report", file, "--worst", "0", *options, *OPTIONS]
    assert main(arguments) == 130
    out, err = capsys.readouterr()
    matched = re.search(r", analysed the first (\d+) of (\d+) decisions\)", out)
    assert 0 < int(matched[1]) < int(matched[2])
    assert f"the results cover the first {matched[1]} of {matched[2]} decisions" in err
    plays = re.search(r"^plays, unforced +(\d+), \d+ +(\d+), \d+$", out, re.MULTILINE)
    assert int(plays[1]) + int(plays[2]) == int(matched[1])
    interrupt_after(0)
    assert main(arguments) == 130
    out, err = capsys.readouterr()
    assert (out, "no result yet: no decision was analysed" in err) == ("", True)


def test_no_report_overwrites_standard_input(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = folder / "first.mat"
    content = match.read_bytes()
    with match.open(encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["report", "-", "--html", str(match), *OPTIONS]) == 2
    assert "first.mat' is already used by this command" in capsys.readouterr().err
    assert match.read_bytes() == content


# ---- reports on one player ----


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Folder with three matches of a player whose name has three spellings, and a match of other players."""
    path = tmp_path / "records"
    path.mkdir()
    for index, names in enumerate(
        (("Ann_Lee", "Bob"), ("Cleo", "ann lee"), ("Ann Lee", "Dan"), ("Eve", "Fay"))
    ):
        finished_match(index + 3, names).save(path / f"{index}.mat")
    with zipfile.ZipFile(path / "été.zip", "w") as archive:
        archive.write(path / "2.mat", "sub/été 2.mat")
        archive.writestr("notes.md", "nothing")
    (path / "2.mat").unlink()
    return path


def test_a_report_on_one_player_omits_other_players(records: Path, tmp_path: Path, capsys: Capture) -> None:
    arguments = ["report", str(records), "--player", "Ann  Lee", *OPTIONS]
    assert main([*arguments, "--html", str(tmp_path / "all.html")]) == 0
    out, err = capsys.readouterr()
    *lines, head, total = out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["0.mat", "1.mat", "été.zip/sub/été 2.mat"]
    assert (head.split()[0], total.split()[:2]) == ("player", ["Ann_Lee", "3"])
    assert "bgfast: 1 match of other players left out\n" in err
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert "<title>3 matches of Ann_Lee</title>" in page
    names = re.findall(r'class="source">([^–]+) –', page)
    assert len(names) == 10
    assert {name.lower().replace("_", " ") for name in names} == {"ann lee"}
    assert page.count('<section class="player-section">') == 1
    assert page.index("Ann_Lee</h2>") < page.index("Largest errors") < page.index("<h2>Players</h2>")
    assert "--player" not in page
    pages = {path.name for path in (tmp_path / "all_pages").iterdir()}
    assert pages == {"0.mat.html", "1.mat.html", "été_2.mat.html"}
    assert main([*arguments, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["name"] for row in rows} == {"Ann_Lee", "ann lee", "Ann Lee"}
    assert main([*arguments[:2], "--player", "Cleo", "--player", "Dan", "--player", "Gus", *OPTIONS]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 4
    assert out.splitlines()[-1].split()[1] == "2"
    assert "bgfast: no match of the player 'Gus'\n" in err


def test_a_match_lists_only_errors_of_the_player(records: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["report", str(records / "0.mat"), "--player", "bob", "--boards", *OPTIONS]) == 0
    report, boards = capsys.readouterr().out.split("\n\n#1 ")
    lines = report.split("Largest errors:\n")[1].splitlines()
    assert len(lines) == 10
    assert all(", Bob: " in line for line in lines)
    assert "Ann_Lee (X)" not in boards


def test_an_unknown_player_is_refused_with_similar_names(
    records: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DecisionAnalyser, "analyse", None)  # the analysis must not begin
    for source in (records, records / "0.mat"):
        assert main(["report", str(source), "--player", "Anne Lee", *OPTIONS]) == 2
        err = capsys.readouterr().err
        assert re.search(r"no match of the player 'Anne Lee'; expected one of '[Aa]nn[_ ][Ll]ee', '", err)


def test_the_index_suggests_the_most_frequent_player(records: Path, tmp_path: Path) -> None:
    assert main(["report", str(records), "--html", str(tmp_path / "all.html"), *OPTIONS]) == 0
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert "Ann_Lee has 3 matches. For a report on this player: <code>--player Ann_Lee</code>" in page
    assert page.index("<code>") < page.index('<section class="player-section"><h2>Ann_Lee')
    assert "<h2>Openings of Ann_Lee</h2>" in page


def test_a_match_in_two_formats_counts_once(records: Path, capsys: Capture) -> None:
    match = bgfast.load_match(records / "0.mat")
    match.info = bgfast.games.MatchInfo(players=("ann lee", "BOB"), date="2026-01-02")
    match.save(records / "0.sgf")
    match = finished_match(7, ("Zoe", "Adam"))  # the players that `xg_file` writes
    match.save(records / "4.mat")
    (records / "4.xg").write_bytes(xg_file(xg_records(match)))
    assert main(["report", str(records), *OPTIONS]) == 0
    out, err = capsys.readouterr()
    assert [line.split(":")[0] for line in out.splitlines()[:4]] == ["0.sgf", "1.mat", "3.mat", "4.xg"]
    assert "bgfast: 0.mat: the same match as 0.sgf; left out\n" in err
    assert "bgfast: 4.mat: the same match as 4.xg; left out\n" in err


def test_outputs_contain_no_local_paths(records: Path, tmp_path: Path, capsys: Capture) -> None:
    (records / "broken.mat").write_text("nothing")
    (records / "0.mat").write_text((records / "0.mat").read_text().replace("24/", "23/", 1))  # add a finding
    network = tmp_path / "mine.bgnet"
    bgfast.Network.builtin_fast().save(network)
    options = ["--evaluator", str(network), "--ply", "0", "-q"]
    outputs = ["--html", str(tmp_path / "all.html")]
    if importlib.util.find_spec("genanki"):
        outputs += ["--anki", str(tmp_path / "all.apkg")]
    texts = []
    for source, files in ((records, outputs), (records / "0.mat", ["--sgf", str(tmp_path / "0.sgf")])):
        for formats in ([], ["--json"], ["--csv"]):
            assert main(["report", str(source), *files, *formats, "--force", *options]) == 0
            texts.append(capsys.readouterr().out)
    for path in [*tmp_path.glob("*.html"), *tmp_path.glob("all_pages/*"), tmp_path / "0.sgf"]:
        texts.append(path.read_text(encoding="utf-8"))
    assert len(texts) == 6 + 1 + 4 + 1
    if "--anki" in outputs:
        with zipfile.ZipFile(tmp_path / "all.apkg") as deck:
            texts += [deck.read(name).decode(errors="replace") for name in deck.namelist()]
    assert any('"findings": [{' in text for text in texts)
    assert any("mine.bgnet" in text for text in texts)
    for text in texts:
        assert str(tmp_path) not in text


def test_quiet_prints_only_errors_of_files(records: Path, capsys: Capture) -> None:
    (records / "0.mat").write_text((records / "0.mat").read_text().replace("24/", "23/", 1))  # add a finding
    (records / "broken.mat").write_text("nothing")
    errors = []
    for quiet in ([], ["-q"]):
        assert main(["report", str(records), *OPTIONS, *quiet, "--player", "Ann Lee"]) == 0
        errors.append(capsys.readouterr().err.splitlines())
    assert any(line.startswith("bgfast: 0.mat: ") for line in errors[0])
    assert "bgfast: 1 match of other players left out" in errors[0]
    (error,) = errors[1]
    assert error in errors[0]
    assert "broken.mat" in error


def test_repeated_errors_are_printed_once(records: Path, tmp_path: Path, capsys: Capture) -> None:
    for index in range(11):
        (records / f"b{index}.bgf").write_text('{"format": "BGF"')
    assert main(["report", str(records), "--html", str(tmp_path / "all.html"), *OPTIONS]) == 0
    err = capsys.readouterr().err
    assert len(re.findall(r"BGBlitz", err)) == 1
    assert "bgfast: 4 of 15 files read, 10 left out like b0.bgf\n" in err
    # Numbers in names are sorted by value: matches without dates are plotted in this order.
    assert "b0.bgf, b1.bgf, b2.bgf, b3.bgf" in (tmp_path / "all.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--html", "--sgf"])
def test_a_hyphen_writes_to_stdout(option: str, records: Path, tmp_path: Path, capsys: Capture) -> None:
    arguments = ["report", str(records / "0.mat"), *OPTIONS]
    assert main([*arguments, option, str(tmp_path / "out")]) == 0
    capsys.readouterr()
    assert main([*arguments, option, "-"]) == 0
    assert capsys.readouterr().out == (tmp_path / "out").read_text(encoding="utf-8")
    assert not Path("-").exists()
