"""Commands that read records: `check`, `convert`, `show`, `analyse`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import bgfast
from bgfast.cli.main import main
from tests.support.command_line import Capture, refused
from tests.support.site_records import MAT_CASES
from tests.support.site_records.cases import worst_of

CLEAN = MAT_CASES["losses, left, own row"].text
NOTED = MAT_CASES["forfeited, cube on 1"].text
WARNED = MAT_CASES["wrong points of a drop"].text
WRONG = MAT_CASES["a checker moved backwards"].text


def save(tmp_path: Path, **texts: str) -> list[str]:
    """Write files and return their paths."""
    for name, text in texts.items():
        (tmp_path / f"{name}.mat").write_text(text, encoding="utf-8")
    return [str(tmp_path / f"{name}.mat") for name in texts]


@pytest.mark.parametrize("name", MAT_CASES)
def test_check_agrees_with_load_match(name: str, tmp_path: Path, capsys: Capture) -> None:
    (path,) = save(tmp_path, record=MAT_CASES[name].text)
    findings = bgfast.load_match(path).findings
    assert main(["check", "--json", path]) == int(worst_of(findings) == "error")
    (content,) = json.loads(capsys.readouterr().out)["files"]
    assert [(item["severity"], item["line"], item["column"]) for item in content["findings"]] == [
        (item.severity, item.line, item.column) for item in findings
    ]


def test_check_of_several_files_has_the_worst_status(tmp_path: Path, capsys: Capture) -> None:
    clean, warned, wrong, nothing = save(tmp_path, clean=CLEAN, warned=WARNED, wrong=WRONG, nothing="?\n")
    assert main(["check", clean, warned]) == 0
    assert main(["check", "--strict", clean, warned]) == 1
    assert main(["check", wrong, clean]) == 1
    assert main(["check", nothing, wrong, clean]) == 2
    assert main(["check", clean, nothing]) == 2
    capsys.readouterr()


@pytest.mark.parametrize("name", MAT_CASES)
def test_converted_files_have_the_same_results(name: str, tmp_path: Path, capsys: Capture) -> None:
    (path,) = save(tmp_path, record=MAT_CASES[name].text)
    match = bgfast.load_match(path)
    assert main(["convert", path, str(tmp_path / "out.sgf")]) == 0
    err = capsys.readouterr().err
    assert bool(err) == bool(match.findings), err
    if match.findings:
        assert sum(map(int, re.findall(r"(\d+) (?:error|warning|note)s?\b", err))) == len(match.findings)
        assert "\\n" not in err
        worst = next(item for item in match.findings if item.severity == worst_of(match.findings))
        assert worst.message in err
    assert bgfast.load_match(tmp_path / "out.sgf").results == match.results


@pytest.mark.parametrize("command", ["convert", "analyse", "show"])
def test_exit_status_of_unreadable_files(command: str, tmp_path: Path, capsys: Capture) -> None:
    (path,) = save(tmp_path, record="5 point match\n\nhello\n")
    words = [path, str(tmp_path / "out.sgf")] if command == "convert" else [path]
    refused(capsys, command, *words)
    assert not (tmp_path / "out.sgf").exists()


@pytest.mark.parametrize(
    "text",
    [
        CLEAN,
        NOTED,
        WARNED,
        WRONG,
        *(MAT_CASES[name].text for name in ("a landing on a held point", "a line of chat")),
    ],
)
def test_analyse_continues_after_damage(text: str, tmp_path: Path, capsys: Capture) -> None:
    (path,) = save(tmp_path, record=text)
    match = bgfast.load_match(path)
    assert main(["analyse", path, "--ply", "0", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert bool(err) == bool(match.findings), err
    if match.findings:
        worst = next(item for item in match.findings if item.severity == worst_of(match.findings))
        assert worst.message in err


def test_folder_of_files_with_notes(tmp_path: Path, capsys: Capture) -> None:
    save(tmp_path, clean=CLEAN, noted=NOTED, again=NOTED)
    assert main(["analyse", str(tmp_path), "--ply", "0"]) == 0
    out, err = capsys.readouterr()
    assert "3 of 3 files read, 2 with notes" in out + err
