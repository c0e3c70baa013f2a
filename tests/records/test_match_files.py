"""Match files of GNU Backgammon: agreement of .mat and SGF, round trips, encodings, zips."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Match
from bgfast.games import MatchInfo
from bgfast.records import match_files
from bgfast.records.match_files import zip_member, zip_members
from tests.support.gnubg import import_score, play

RECORDS = Path(__file__).parents[1] / "data" / "records"


def record(name: str, folder: Path) -> Path:
    """Return the path of a recorded file, unpacked if necessary."""
    archive_path = RECORDS / f"{name}.gz"
    if not archive_path.exists():
        return RECORDS / name
    path = folder / name
    path.write_bytes(gzip.decompress(archive_path.read_bytes()))
    return path


@pytest.mark.parametrize(
    ("name", "length", "score", "endings"),
    [
        ("crawford.mat", 3, (3, 0), ["drop", "bearoff"]),
        ("resigned.mat", 3, (0, 4), ["unexplained"]),
        ("resigned.sgf", 3, (0, 4), ["resignation"]),
        ("session.mat", None, (1, 3), ["unexplained", "drop", "drop"]),
        ("session.sgf", None, (1, 3), ["resignation", "drop", "drop"]),
    ],
)
def test_files_of_gnu_backgammon_are_read(
    name: str, length: int | None, score: tuple[int, int], endings: list[str], tmp_path: Path
) -> None:
    path = record(name, tmp_path)
    match = bgfast.load_match(path)
    players = ("Anna Lee", "bob") if length is None else ("gnubg", "root")
    assert (match.length, match.score, match.info.players) == (length, score, players)
    assert [result.ending for result in match.results] == endings
    assert [game.score for game in bgfast.records.load_games(path)][-1] == score
    assert len(list(bgfast.records.load_matches(path))) == 1
    check_fixed_points(match)


def check_fixed_points(match: Match) -> None:
    """Assert that a written match is read back and written as the same text, in both formats."""
    for text in (match.to_mat(), match.to_sgf()):
        copy = bgfast.records.read_match(text)
        assert (copy.history, copy.score) == (match.history, match.score)
        assert copy.info.players == match.info.players
        assert (copy.to_mat(), copy.to_sgf()) == (match.to_mat(), match.to_sgf())


ENDING_ACTIONS = ("award", "resign", "accept_resignation")


def remove_resignations(match: Match) -> list[bgfast.games.Action]:
    """Return the actions except resignations, their acceptance and awards."""
    return [action for action in match.history if action.name not in ENDING_ACTIONS]


def test_beavers_and_automatic_doubles_of_gnu_backgammon() -> None:
    """The .mat file has no answers to beavers and raccoons; only SGF has automatic doubles."""
    mat, sgf = (bgfast.load_match(RECORDS / f"beavers.{suffix}") for suffix in ("mat", "sgf"))
    assert remove_resignations(mat) == remove_resignations(sgf)
    names = [action.name for action in mat.history]
    assert names[2:6] == ["double", "beaver", "take", "roll"]
    assert names[-7:-3] == ["double", "beaver", "raccoon", "take"]
    assert [result.points for result in mat.results] == [4, 8]
    ties = bgfast.load_match(RECORDS / "ties.sgf")
    assert (ties.cube, ties.state.game.ties) == (bgfast.games.Cube(4, 0), 1)
    for match in (mat, sgf, ties):
        check_fixed_points(match)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["beavers.mat", "beavers.sgf", "ties.sgf"])
def test_gnu_backgammon_imports_bgfast_files(name: str, tmp_path: Path) -> None:
    match = bgfast.load_match(RECORDS / name)
    for suffix in ("mat", "sgf") if "ties" not in name else ("sgf",):
        match.save(tmp_path / f"match.{suffix}")
        score, position = import_score(tmp_path / f"match.{suffix}")
        expected = import_score(RECORDS / name)
        assert (score.partition("(money")[0], position) == (expected[0].partition("(money")[0], expected[1])


@pytest.mark.parametrize("name", ["resigned", "session"])
def test_mat_and_sgf_agree(name: str, tmp_path: Path) -> None:
    mat, sgf = (bgfast.load_match(record(f"{name}.{suffix}", tmp_path)) for suffix in ("mat", "sgf"))
    assert mat.score == sgf.score
    # GNU Backgammon's .mat files omit resignations.
    assert remove_resignations(mat) == remove_resignations(sgf)
    assert sgf.rules.jacoby is (sgf.length is None)
    assert (mat.info.date, sgf.info.date) == ("2026-11-22", "2026-11-22")


def test_dates_are_written_as_each_format_requires() -> None:
    for date, mat_date, sgf_date in (
        ("2026.11.23", "2026.11.23", "2026-11-23"),
        ("2026-11-23", "2026.11.23", "2026-11-23"),
        ("2026/1/2", "2026.01.02", "2026-01-02"),
        *((text, text, text) for text in ("2026.02.30", "2026.11", "2026-11-23,24", "last spring")),
    ):
        match = Match(1, info=MatchInfo(date=date))
        mat, sgf = match.to_mat(), match.to_sgf()
        assert f'[EventDate "{mat_date}"]' in mat
        assert f"DT[{sgf_date}]" in sgf
        for text in (mat, sgf):
            copy = bgfast.records.read_match(text)
            assert copy.info.date == sgf_date
            assert (copy.to_mat(), copy.to_sgf()) == (mat, sgf)


def test_saving_overwrites_a_file_only_if_forced(tmp_path: Path) -> None:
    path = tmp_path / "match.mat"
    match = bgfast.load_match(RECORDS / "crawford.mat")
    match.save(path)
    assert bgfast.load_match(path).history == match.history
    with pytest.raises(BgfastError, match="exists already; expected a new name, or force"):
        Match(3).save(path)
    assert path.read_text() == match.to_mat()
    Match(3).save(path, force=True)
    assert bgfast.load_match(path).length == 3
    match.save(tmp_path / "named.xyz", format="sgf")
    assert bgfast.load_match(tmp_path / "named.xyz").history == match.history


TEXT = """\
 3 point match

 Game 1
 Jos\u00e9 : 0                      Bob : 0
  1) 31: 8/5 6/5                 64: 24/14
"""


def test_encodings_and_line_endings_are_detected(tmp_path: Path) -> None:
    path, jose = tmp_path / "match.txt", "Jos\u00e9"
    contents = {
        TEXT.encode(): jose,
        b"\xef\xbb\xbf" + TEXT.encode(): jose,
        TEXT.encode("latin-1"): jose,
        TEXT.encode("utf-16"): jose,
        TEXT.replace("\n", "\r\n").encode(): jose,
        TEXT.replace("\n", "\r").encode(): jose,
    }
    for name, expected in {
        b"O\x92Neil Fran\xe7ois": "O\u2019Neil Fran\u00e7ois",  # Windows-1252 is preferred to Latin-1
        b"\x80uro \x8aimek": "\u20acuro \u0160imek",
        b"\x81 Fran\xe7ois": "\x81 Fran\u00e7ois",  # Windows-1252 has no character \x81
    }.items():
        contents[TEXT.encode().replace(jose.encode(), name)] = expected
    for content, player in contents.items():
        path.write_bytes(content)
        match = bgfast.load_match(path)
        assert match.info.players == (player, "Bob")
        assert len(match.history) == 4


@pytest.mark.parametrize("format", ["mat", "sgf"])
def test_truncated_files_are_read_up_to_the_cut(format: Literal["mat", "sgf"]) -> None:
    match = bgfast.records.read_match((RECORDS / "crawford.mat").read_text())
    text = match.to_mat() if format == "mat" else match.to_sgf()
    end = text.index("  4) 33: ") + 15 if format == "mat" else text.index("33", text.index(";")) + 4
    prefix = bgfast.records.read_match(text[:end])
    assert prefix.results == ()
    assert prefix.findings
    assert 4 < len(prefix.history) < len(match.history)
    equal_count = sum(item == other for item, other in zip(prefix.history, match.history, strict=False))
    assert equal_count >= len(prefix.history) - 1


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3, 5, 7, None])
@pytest.mark.parametrize("seed", range(4))
def test_round_trip_through_gnu_backgammon(seed: int, length: int | None, tmp_path: Path) -> None:
    session = play(tmp_path, "session", 100 + seed, length)
    mat, sgf = bgfast.load_match(session.mat), bgfast.load_match(session.sgf)
    assert remove_resignations(mat) == remove_resignations(sgf)
    assert [result.points for result in mat.results] == [result.points for result in sgf.results]
    check_fixed_points(mat)
    for match, path in ((mat, session.mat), (sgf, session.sgf)):
        saved_path = tmp_path / f"saved{path.suffix}"
        match.save(saved_path, force=True)
        assert import_score(saved_path) == import_score(path)
    # Each printed ID states the board, dice, cube, score and player to act of a state of the match.
    known_ids = {
        printed_ids(state) for state in sgf.states if state.game.phase not in ("opening", "resigned", "over")
    }
    unknown_ids = [ids for ids in dict.fromkeys(session.ids) if ids not in known_ids]
    assert len(session.ids) > len(unknown_ids)
    for position, match_id in unknown_ids:
        with pytest.raises(BgfastError, match=r"states a (resignation|finished game)"):
            bgfast.Decision.read(f"{position}:{match_id}")


def printed_ids(state: bgfast.games.MatchState) -> tuple[str, str]:
    """Return the IDs as GNU Backgammon prints them; its player 0 is O."""
    decision = replace(state.decision, turn=-state.decision.turn)
    return decision.position.gnubg_id, decision.match_id


def test_zips_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.zip"
    text = Match(3, dice=1).to_mat()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.mat", text)
        archive.writestr("folder/", "")
        archive.writestr("zeros.mat", bytes(10**6))
    assert zip_members(str(path)) == ["a.mat", "zeros.mat"]
    assert zip_member(str(path), "a.mat").decode() == text
    for name, limit, message in (
        ("MAX_MEMBERS", 1, "2 files in it; expected at most 1"),
        ("MAX_UNZIPPED", 10**6, "bytes in it; expected at most 1,000,000"),
        ("MAX_BINARY", 100, "a zip of .* bytes; expected at most 100"),
    ):
        with monkeypatch.context() as context:
            context.setattr(match_files, name, limit)
            with pytest.raises(BgfastError, match=message):
                zip_members(str(path))
    monkeypatch.setattr(match_files, "MAX_BINARY", 10**6 - 1)
    with pytest.raises(BgfastError, match="a file of 1,000,000 bytes; expected at most 999,999"):
        zip_member(str(path), "zeros.mat")


def test_members_are_decompressed_up_to_their_stated_size(tmp_path: Path) -> None:
    """A zip bomb states a small size but expands to much more."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.mat", bytes(50_000_000))
    content = path.read_bytes().replace((50_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(BgfastError, match=r"a zip that cannot be read \(Bad CRC-32"):
        zip_member(str(path), "a.mat")
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_damaged_zips_are_refused(tmp_path: Path) -> None:
    path, rng = tmp_path / "a.zip", np.random.default_rng(1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.mat", Match(3, dice=1).to_mat() * 20)
    content, error_count = path.read_bytes(), 0
    for _ in range(500):
        damaged_content = bytearray(content)
        for index in rng.integers(len(content), size=2):
            damaged_content[index] = rng.integers(256)
        path.write_bytes(damaged_content[: rng.integers(len(content) // 2, 2 * len(content))])
        try:
            for member in zip_members(str(path)):
                zip_member(str(path), member)
        except BgfastError as error:
            error_count += "a.zip" in str(error)
    assert error_count > 300


def test_matches_are_read_from_content_and_open_files(tmp_path: Path) -> None:
    path = tmp_path / "uploaded.mat"
    text = " 3 point match\n\n Game 1\n Anna : 0      Bob : 0\n  1) 31: 8/5 6/8      64: 24/14\n"
    path.write_text(text)
    content = path.read_bytes()
    with path.open("rb") as file, path.open() as text_file:
        sources = {"<bytes>": [content, io.BytesIO(content), io.StringIO(text)], str(path): [file, text_file]}
        for name, inputs in sources.items():
            for source in inputs:
                match = bgfast.load_match(source)
                assert match.info.players == ("Anna", "Bob")
                assert [(finding.file, finding.line) for finding in match.findings] == [(name, 5)]
        assert not file.closed
    for read in (bgfast.records.load_matches, bgfast.records.load_games):
        assert [match.length for match in read(io.BytesIO(content))] == [3]
    for analyse in (bgfast.analyse_match, bgfast.analyse):
        assert [analyse(source, ply=0).match.length for source in (content, io.StringIO(text))] == [3, 3]
