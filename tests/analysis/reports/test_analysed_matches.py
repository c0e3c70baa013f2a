"""Analyses of all matches in a folder."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest

from bgfast.cli.main import main
from bgfast.matches import AnalysedMatches, analyse_match, analyse_matches, write_report
from tests.analysis.reports.conftest import EVALUATOR
from tests.support.matches import finished_match


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder of a broken file and three matches, one of them twice in a zip; one player has two names."""
    folder = tmp_path / "matches"
    (folder / "june").mkdir(parents=True)
    for seed, names in enumerate([("Ann_Lee", "Bob"), ("Cleo", "nick"), ("Dan", "Cleo")], 3):
        finished_match(seed, names).save(folder / f"june/{seed}.mat")
    with zipfile.ZipFile(folder / "old.zip", "w") as archive:
        archive.write(folder / "june/4.mat", "4.mat")
        archive.write(folder / "june/4.mat", "copy.mat")
    (folder / "june/4.mat").unlink()
    (folder / "broken.mat").write_text("nothing")
    return folder


def test_analyses_of_a_folder_match_the_command(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    player, fractions = ["ann lee", "nick"], list[float]()
    analyses = analyse_matches(folder, EVALUATOR, player=player, ply=0, progress=fractions.append)
    assert [name for name, _ in analyses] == ["june/3.mat", "old.zip/4.mat"]
    assert list(analyses.left_out.values()) == [["broken.mat"], ["old.zip/copy.mat"]]
    assert fractions == [1 / 5, 3 / 5, 1.0]
    arguments = ["report", str(folder), "--player", player[0], "--player", player[1], "-q"]
    assert main([*arguments, "--csv", "--evaluator", "builtin-fast", "--ply", "0"]) == 0
    expected = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    rows = list(csv.DictReader(io.StringIO(analyses.to_csv())))
    assert rows == expected
    names = {(row["file"], row["name"]) for row in rows}
    assert names == {("june/3.mat", "Ann_Lee"), ("old.zip/4.mat", "nick")}
    write_report(analyses, tmp_path / "all.html")
    page = (tmp_path / "all.html").read_text(encoding="utf-8")
    for text in ("2 matches of", "broken.mat", "old.zip/copy.mat"):
        assert text in page


def test_several_paths_and_analyses_are_accepted(folder: Path) -> None:
    analyses = analyse_matches(folder.glob("june/*.mat"), EVALUATOR, ply=0)
    assert sorted(name for name, _ in analyses) == ["3.mat", "5.mat"]
    analysis = analyse_match(folder / "june/3.mat", EVALUATOR, ply=0)
    rows = AnalysedMatches([("a", analysis)]).rows()
    assert [row.pop("file") for row in rows] == ["a"] * len(analysis.decisions)
    assert rows == analysis.rows()
