"""External text in every output: no control characters, markup or formulas."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bgfast
from bgfast import Decision, Match, Position
from bgfast.cli.main import main
from bgfast.cli.streams import complain
from bgfast.common.text import clean_cell, clean_line, clean_lines, clean_markup
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.evaluators.evaluators import evaluator_name
from bgfast.evaluation.tables import csv_text
from bgfast.games import MatchInfo
from bgfast.position.position_text import position_lines

ROOT = Path(__file__).parents[2] / "bgfast"
RAW_TEXT = "A\0\x1b[31m\x9b\u202e<b>\u2066\ufffe\ud800&\u2028\x7f"
CONTROL_CHARACTERS = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufffe\uffff\ud800-\udfff]"
)
PLUS_ID = "+5cBABFZbsQIBg"
"""Position ID that a spreadsheet would read as a formula."""
MATCH = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:2:10"
TABLE = """<met><info><name>NAME</name></info>
<pre-crawford-table><row><me>0.5</me><me>0.7</me></row><row><me>0.3</me><me>0.5</me></row></pre-crawford-table>
<post-crawford-table><row><me>0.5</me><me>0.48</me></row></post-crawford-table></met>"""
MONEY = "XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10"


@given(st.text(st.characters(codec=None), max_size=20))
def test_invisible_characters_are_removed(text: str) -> None:
    for clean in (clean_line(text), clean_markup(text), clean_cell(text)):
        assert not CONTROL_CHARACTERS.search(clean)
    assert clean_line(text).isprintable()
    assert len(clean_line(text)) == len(text)
    assert len(clean_lines(text).split("\n")) == len(text.split("\n"))
    assert ElementTree.fromstring(f"<a b='{clean_markup(text)}'>{clean_markup(text)}</a>").tag == "a"
    cell = clean_cell(text)
    assert cell[:1] not in ("=", "+", "-", "@")
    assert next(csv.reader([csv_text([{"a": text}], header=False)]), [""]) == [cell]


@pytest.mark.parametrize(
    "text", ["Anna Lee", "8/5 6/5", "Ana\u00efs \u674e", "a\u200db", "O'Brien", "4HPwATDgc/ABMA", ""]
)
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert clean_cell(text) == text
    assert clean_markup(text).replace("&#x27;", "'") == text


def test_numbers_are_unchanged() -> None:
    row = {"a": -0.5, "b": np.float64(-1e-9), "c": None, "d": -3, "e": True, "f": "-3", "g": "'=1"}
    assert csv_text([row]).splitlines()[1] == "-0.5,-1e-09,,-3,True,'-3,''=1"


def test_only_two_modules_escape_text() -> None:
    importers = {
        path.name
        for path in ROOT.rglob("*.py")
        if re.search(
            r"^ *(import html\b|from html |import csv|.*saxutils)", path.read_text("utf-8"), re.MULTILINE
        )
    }
    assert importers == {"text.py", "tables.py"}


# ---------------------------------------------------------------- input


def test_position_ids_of_csv_files_are_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", PLUS_ID, "31", "--csv", "--top", "1", "--ply", "0"]) == 0
    text = capsys.readouterr().out
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["position"] == f"'{PLUS_ID}"
    assert float(row["equity"]) < 1
    position = Position.from_gnubg_id(PLUS_ID)
    assert Position.from_gnubg_id(row["position"]) == position
    assert Decision.read(row["position"]).position == position
    assert bgfast.from_gnubg_ids([row["position"], PLUS_ID]).tolist() == [position.to_array().tolist()] * 2
    assert bgfast.from_gnubg_ids(np.array([row["position"]])).tolist() == [position.to_array().tolist()]
    file = tmp_path / "list.csv"
    for content in (text, f"{row['position']} 31\n", f"{row['position']}\n"):
        file.write_text(content, "utf-8")
        (line,) = position_lines("it", file.read_bytes())
        assert line.tokens[0].removeprefix("'") == PLUS_ID
        assert main(["show", "--json", line.tokens[0]]) == 0
        assert f'"gnubg_id": "{PLUS_ID}"' in capsys.readouterr().out
        assert main(["analyse", "--positions", str(file), "--ply", "0"]) == 0
        assert PLUS_ID in capsys.readouterr().out


def test_other_apostrophes_are_refused() -> None:
    for text in ("'4HPwATDgc/ABMA", f"''{PLUS_ID}", f"'{PLUS_ID}'"):
        with pytest.raises(bgfast.NotationError):
            Position.from_gnubg_id(text)
        with pytest.raises(bgfast.NotationError):
            bgfast.from_gnubg_ids([text])


# ---------------------------------------------------------------- outputs


@pytest.fixture(scope="module")
def analysis() -> bgfast.matches.MatchAnalysis:
    match = Match(3, dice=[(3, 1), (6, 5)], info=MatchInfo(players=(RAW_TEXT, "=1+1"), event=RAW_TEXT))
    match.roll()
    match.play("13/9")
    return bgfast.analyse_match(match, ply=0)


def test_reports_of_a_match_are_clean(analysis: bgfast.matches.MatchAnalysis) -> None:
    analysis.settings["evaluator"] = RAW_TEXT
    page, table = analysis.to_html(), analysis.to_csv()
    for text in (page, table, str(analysis)):
        assert not CONTROL_CHARACTERS.search(text)
        text.encode("utf-8")
    assert "<b>\u2066" not in page
    assert all(line.isprintable() for line in str(analysis).split("\n"))
    assert not re.search("(^|,)[=@]", table, re.MULTILINE)


def test_names_of_match_equity_tables_are_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "Kaz\x9b31m\u202eaross\n\u2066 XG"
    table = tmp_path / "table.xml"
    table.write_text(TABLE.replace("NAME", name), "utf-8")
    assert MatchEquityTable.read(table).name == "Kaz?31m?aross ? XG"
    for options in ([], ["--json"], ["--csv"]):
        assert main(["analyse", MATCH, "--met", str(table), "--ply", "0", *options]) == 0
        out = capsys.readouterr().out
        assert "Kaz" in out
        assert not CONTROL_CHARACTERS.search(out)


def test_names_of_evaluators_and_files_are_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Evaluator:
        name = RAW_TEXT

        def __call__(self, boards: np.ndarray) -> np.ndarray:
            return np.full((len(boards), 5), 0.25)

    assert evaluator_name(Evaluator()).isprintable()
    assert bgfast.cube_decision(MONEY, Evaluator(), ply=0).evaluator == clean_line(RAW_TEXT)
    network = tmp_path / "a\x1b[31m\u202e\nb.bgnet"
    bgfast.Network.random(32, seed=1).save(network)
    for arguments in (["analyse", "start", "31"], ["rollout", "start", "--trials", "36", "--truncate", "2"]):
        assert main([*arguments, "--evaluator", str(network)]) == 0
    assert main(["contest", str(network), "random", "--games", "4"]) == 0
    out, err = capsys.readouterr()
    assert not CONTROL_CHARACTERS.search(out + err)


def test_results_read_from_json_are_clean() -> None:
    result = bgfast.rollout(Position.start().plays((6, 5)), evaluator=bgfast.evaluators.Random(), trials=36)
    best = replace(result.best, name=RAW_TEXT)
    result = replace(result, estimates=(best, *result.estimates[1:]), settings={"conditions": RAW_TEXT})
    read_result = bgfast.rollouts.RolloutResult.from_json(result.to_json())
    assert read_result == result
    for text in (str(read_result), read_result._repr_html_(), read_result.to_csv()):
        assert not CONTROL_CHARACTERS.search(text)


def test_error_messages_are_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "a\x1b[31m\u202e\nb"
    assert main(["analyse", str(tmp_path / f"{name}.mat")]) == 2
    complain(name)
    err = capsys.readouterr().err
    assert not CONTROL_CHARACTERS.search(err)
    assert err.endswith("\na?[31m??b\n")
