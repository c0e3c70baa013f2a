"""Flash cards in Anki's package format."""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bgfast.analysis.reports.flash_cards import FIELDS, MIN_CARD_ERROR, PICTURE_COLOURS, FlashCards
from bgfast.matches import MatchAnalysis, write_anki
from bgfast.position.picture import theme_colours
from tests.analysis.reports.conftest import analyse

pytest.importorskip("genanki", reason="NOT INSTALLED: genanki, so no flash cards were written")


def notes_of(path: Path, folder: Path) -> list[dict[str, Any]]:
    """Return the notes of a deck with their pictures."""
    folder.mkdir()
    with zipfile.ZipFile(path) as package:
        package.extractall(folder)
    media = {
        name: (folder / file_name).read_text()
        for file_name, name in json.loads((folder / "media").read_text()).items()
    }
    database = sqlite3.connect(folder / "collection.anki2")
    rows = database.execute("select guid, tags, flds from notes").fetchall()
    assert database.execute("select count(*) from cards").fetchone()[0] == len(rows)
    database.close()
    notes = []
    for guid, tags, fields in rows:
        values = dict(zip(FIELDS, fields.split("\x1f"), strict=True))
        pictures = [media[name] for name in re.findall(r'<img src="([^"]+)">', fields)]
        notes.append({"guid": guid, "tags": tags.split(), "pictures": pictures, **values})
    return notes


def expected_rows(analyses: list[MatchAnalysis]) -> dict[str, dict[str, Any]]:
    """Return the row of the largest error in each position that has a card, by XGID."""
    rows = [row for analysis in analyses for row in analysis.rows() if row["error"] >= MIN_CARD_ERROR]
    return {row["xgid"]: row for row in sorted(rows, key=lambda row: row["error"])}


def test_every_large_error_has_a_card(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    path, rows = tmp_path / "errors.apkg", expected_rows(analyses)
    count = write_anki(((f"{index}.mat", analysis) for index, analysis in enumerate(analyses)), path)
    notes = notes_of(path, tmp_path / "deck")
    assert count == len(notes) == len(rows) > 5
    arrows = [theme_colours("light", PICTURE_COLOURS)[name] for name in ("arrows", "other_arrows")]
    for note in notes:
        row = rows[note["XGID"]]
        question, answer = note["pictures"]
        assert question.startswith("<svg")
        assert answer.startswith("<svg")
        # Only the back has the arrows of both plays.
        assert not any(colour in question for colour in arrows)
        assert all(colour in answer for colour in arrows) == (row["kind"] == "play")
        assert row["best"] in note["Answer"] or row["best"].capitalize() in note["Answer"]
        headline = f"{'Blunder' if row['error'] >= 0.12 else 'Error'} −{row['error']:.3f}"
        assert headline in note["Answer"]
        assert f"{row['best_equity']:+.3f}".replace("-", "−") in note["Candidates"]
        assert ("Proper: " in note["Answer"]) == (row["kind"] != "play")
        assert note["Candidates"].count(">−") > note["Candidates"].count(">-") == 0
        assert "Score 0-0 of 1" in note["Question"]
        assert f"bgfast::kind::{row['error_kind'].replace(' ', '_')}" in note["tags"]
        assert f"bgfast::phase::{row['phase'].replace(' ', '_')}" in note["tags"]
        assert f"bgfast::mark::{headline.split()[0].lower()}" in note["tags"]
        if row["kind"] == "play":
            assert "-".join(sorted(row["roll"].split("-"), reverse=True)) in note["Question"]
            assert row["best"] not in note["Question"] + question
    assert {tag for note in notes for tag in note["tags"] if "player" in tag} <= {
        "bgfast::player::Anna",
        "bgfast::player::Bob_b_",
    }


def test_equal_positions_share_a_card_and_notes_keep_their_identity(tmp_path: Path) -> None:
    matches = [("a", analyse(3)), ("b", analyse(3, ("Carl", "Dora")))]
    guids = []
    for count in (1, 2):
        write_anki(matches[:count], tmp_path / f"{count}.apkg")
        notes = notes_of(tmp_path / f"{count}.apkg", tmp_path / f"{count}")
        guids.append({note["XGID"]: note["guid"] for note in notes})
    assert guids[0] == guids[1]
    assert len(set(guids[0].values())) == len(guids[0])
    assert {"bgfast::player::Anna", "bgfast::player::Carl"} <= {tag for note in notes for tag in note["tags"]}


def test_the_number_of_errors_is_limited(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    assert write_anki([("a", analyses[0])], tmp_path / "a.apkg", number=3) == 3
    assert write_anki([], tmp_path / "none.apkg") == 0
    blunders = {row["xgid"] for row in analyses[0].rows() if row["error"] >= 0.12}
    assert write_anki([("a", analyses[0])], tmp_path / "b.apkg", min_error=0.12) == len(blunders) > 3
    assert write_anki([("a", analyses[0])], tmp_path / "c.apkg", number=3, min_error=99) == 0


def test_a_deck_may_be_limited_to_one_player(analyses: list[MatchAnalysis], tmp_path: Path) -> None:
    path = tmp_path / "a.apkg"
    card_count = write_anki(
        [("/home/ann/a.mat", analyses[0]), ("b", analyse(9, ("C", "D")))], path, player="anna"
    )
    rows = [row for row in analyses[0].rows() if row["player"] == 0 and row["error"] >= MIN_CARD_ERROR]
    notes = notes_of(path, tmp_path / "deck")
    assert card_count == len(notes) == len({row["xgid"] for row in rows}) > 0
    assert {tag for note in notes for tag in note["tags"] if "player" in tag} == {"bgfast::player::Anna"}
    assert "/home" not in "".join(note["Source"] for note in notes)


def test_names_are_not_instructions_for_anki(tmp_path: Path) -> None:
    names = ("[sound:a.mp3]", "[latex]<b>\u202e")
    write_anki([("[sound:b.mp3]", analyse(3, names))], tmp_path / "a.apkg", number=4)
    for note in notes_of(tmp_path / "a.apkg", tmp_path / "deck"):
        assert "[" not in "".join(note[field] for field in FIELDS)
        assert "&#91;latex]&lt;b&gt;\ufffd" in note["Source"]


def test_the_summary_explains_missing_cards(tmp_path: Path) -> None:
    cards = FlashCards(1)
    assert cards.summary == "0 flash cards written: the matches have 0 errors"
    cards.add(analyse(3), "a")
    assert cards.summary == "1 flash card written"
    cards = FlashCards(1000)
    cards.add(analyse(3), "a")
    count = cards.write(str(tmp_path / "a.apkg"))
    assert cards.summary == f"{count} flash cards written: the matches have {count} errors"
    cards.add(analyse(3), "b")
    assert cards.summary == (
        f"{count} flash cards written: the matches have {2 * count} errors; "
        f"{count} in the same position as another, on the same card"
    )
    for minimum, text in ((None, "0.06"), (0.12, "0.12")):
        expected = f"0 flash cards written: the matches have 0 errors of {text} or more"
        assert FlashCards(min_error=minimum).summary == expected
