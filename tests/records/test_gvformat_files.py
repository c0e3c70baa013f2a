"""BGBlitz and OGXM files, read by gvformat: matches, analyses, hostile files."""

from __future__ import annotations

import gzip
import io
import random
import struct
import sys
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import Match
from bgfast.errors import BgfastError, RecordError
from bgfast.records import gvformat_child, gvformat_files
from bgfast.records.match_files import only_match, read_binary
from bgfast.records.record import Place, RecordedGame, RecordHead, Setup
from bgfast.records.recorded_analysis import CandidatePlay, CubeEquities
from tests.records.test_xg import actions_and_positions
from tests.support.binary_matches import (
    DOUBLE_TAKE,
    LUCK,
    NO_DOUBLE,
    PROBABILITIES,
    bgf_content,
    bgf_file,
    damage,
    ogxm_document,
)
from tests.support.gvformat_worker import GvformatWorker
from tests.support.matches import random_match
from tests.support.patience import patient

gvformat = pytest.importorskip(
    "gvformat",
    reason="NOT INSTALLED: gammonview, so .bgf, .ogxm and .gvab were NOT tested; see the extra 'records'",
)

WRITERS: dict[str, Callable[[Match], bytes]] = {
    "bgf": lambda match: bgf_file(bgf_content(match)),
    "zlib bgf": lambda match: bgf_file(bgf_content(match), zlib.compress),
    "plain bgf": lambda match: bgf_file(bgf_content(match), bytes),
    "ogxm": lambda match: gvformat.write_gvab(ogxm_document(match)),
    "gvab": lambda match: gvformat.write_gvab_v1(ogxm_document(match)),
}


@cache
def match_without_beavers(seed: int) -> Match:
    """Return a match without beavers and without a pending double."""
    match = random_match(seed, (3, 5, 7)[seed % 3])
    if match.phase == "doubled":
        match.take()
    return match


@pytest.fixture(scope="module")
def worker() -> Iterator[GvformatWorker]:
    worker = GvformatWorker()
    yield worker
    worker.stop()


@pytest.fixture
def single_process(worker: GvformatWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read all files in one process."""
    monkeypatch.setattr(gvformat_files, "_document", worker.document)


@pytest.mark.usefixtures("single_process")
def test_round_trip() -> None:
    """Read back a match without beavers in all formats, and money games with beavers in OGXM."""
    matches = [(file_format, match_without_beavers(seed)) for file_format in WRITERS for seed in (2, 4, 6)]
    for file_format, match in [*matches, *(("ogxm", random_match(seed, None)) for seed in (1, 2))]:
        copy = only_match(io.BytesIO(WRITERS[file_format](match)))
        assert actions_and_positions(copy) == actions_and_positions(match)
        assert (copy.score, copy.length) == (match.score, match.length)
        assert copy.results == match.results or match.length is None
        assert copy.info.players == ("Zoe", "Adam")


def test_files_are_read_in_a_separate_process(tmp_path: Path) -> None:
    match = match_without_beavers(4)
    path = tmp_path / "match.bin"
    for file_format in ("bgf", "gvab"):
        path.write_bytes(WRITERS[file_format](match))
        copy = bgfast.load_match(path)
        assert actions_and_positions(copy) == actions_and_positions(match)
        assert copy.info.event == "Open"
        assert copy.info.date in ("2026-11-20", "2025-11-20")


@pytest.mark.parametrize(
    ("file_format", "cube_level", "level"),
    [("bgf", "3-ply", "3-ply"), ("ogxm", "2-ply", "rollout"), ("gvab", "2-ply", "rollout")],
)
@pytest.mark.usefixtures("single_process")
def test_analysis_belongs_to_its_event(file_format: str, cube_level: str, level: str) -> None:
    _, *games = read_binary(WRITERS[file_format](match_without_beavers(4)))
    game = games[0]
    turns = [index for index, event in enumerate(game.events) if event.kind == "turn" and event.text]
    for index in turns:
        analysis = game.analysis[index]
        text = game.events[index].text
        assert analysis.plays == (CandidatePlay(text, 0.25, pytest.approx(PROBABILITIES, abs=1e-3), level),)
        assert analysis.played == 0
        assert analysis.luck == pytest.approx(LUCK, abs=1e-3)
        if file_format != "bgf":
            probabilities = pytest.approx(PROBABILITIES, abs=1e-3)
            assert analysis.cube == CubeEquities(NO_DOUBLE, DOUBLE_TAKE, 1.0, probabilities, cube_level)


@pytest.mark.usefixtures("single_process")
def test_equities_of_a_double_and_its_answer_are_read() -> None:
    count = 0
    for seed in (2, 4):
        _, *games = read_binary(WRITERS["bgf"](match_without_beavers(seed)))
        for game in games:
            for index, event in enumerate(game.events):
                if event.kind in ("double", "take", "drop"):
                    cube = game.analysis[index].cube
                    assert cube.no_double == NO_DOUBLE
                    count += 1
    assert count


@pytest.mark.usefixtures("single_process")
def test_places_are_action_numbers() -> None:
    head, *games = read_binary(WRITERS["ogxm"](match_without_beavers(1)))
    assert head.place == Place(1, 1)
    lines = [event.place.line for game in games for event in game.events if event.kind != "wins"]
    assert lines == sorted(lines)
    assert games[0].place == Place(1, 1)
    assert games[1].place.line == games[1].events[0].place.line


@pytest.mark.usefixtures("single_process")
def test_order_of_players_is_kept() -> None:
    """gvformat sorts the players by name; the order in the file is restored."""
    content = bgf_content(match_without_beavers(2))
    for names in (("Zoe", "Adam"), ("Adam", "Zoe"), ("Zoe", "Zoe")):
        head, *games = read_binary(bgf_file({**content, "nameGreen": names[0], "nameRed": names[1]}))
        assert head.info.players == names
        first_player = content["games"][0]["moves"][0]["player"]
        assert games[0].events[0].player == (0 if first_player == -1 else 1)


def document(**changes: Any) -> dict[str, Any]:
    """Return a document with one roll and with some values changed."""
    ply = {
        "color": 1,
        "action_id": 1,
        "d1": 1,
        "d2": 2,
        "moves": [{"from": 1, "pips": 1}, {"from": 2, "pips": 2}],
    }
    game = {"is_crawford": False, "winner": 255, "points_won": 0, "plies": [ply]}
    base = {"match_length": 3, "player_white": "A", "player_black": "B", "crawford": True, "jacoby": False}
    content = {**base, "beaver": False, "games": [game]}
    for name, value in changes.items():
        target: dict[str, Any] = game if name in (*game, "auto_doubles") else ply if name in ply else content
        target[name] = value
    return content


def read_document(monkeypatch: pytest.MonkeyPatch, content: Any) -> list[RecordHead | RecordedGame]:
    monkeypatch.setattr(gvformat_files, "_document", lambda *_: content)
    return list(read_binary(b"OGXM"))


def test_match_information_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    content = document(match_length=0) | {"cube_limit": 64, "variant": 1, "score_start": [2, 1], "round": 7}
    content |= {"swapped": True, "timestamp": 1763596800, "site": "Ghent\ud800"}
    content["games"][0]["auto_doubles"] = 1
    head, game = read_document(monkeypatch, content)
    assert (head.length, head.cube_limit, head.info.variant) == (None, 64, "nackgammon")
    assert (head.info.players, head.info.round, head.info.site) == (("B", "A"), "7", "Ghent?")
    assert head.info.date == "2025-11-20"
    assert (game.score, game.events[0].kind, game.events[1].player) == ((2, 1), "tie", 1)


def test_a_play_recorded_as_a_board_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """White's points are numbered upwards, Black's downwards."""
    board = [0, 1, 0, 0, 1, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2, 0]
    for colour, change in ((0, {13: -4, 9: -1}), (1, {12: 4, 16: 1})):
        content = document()  # its play is 24/23 23/21 for White
        end_board = [change.get(point, checkers) for point, checkers in enumerate(board)]
        play = {"color": colour, "action_id": 31, "d1": 1, "d2": 3, "set_position": end_board}
        content["games"][0]["plies"].append(play)
        _, game = read_document(monkeypatch, content)
        event = game.events[1]
        assert (event.text, event.flagged, event.player) == ("13/9", True, 1 - colour)


def test_a_position_without_a_roll_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    board = [0] * 22 + [2, 1, -1, 0]
    content = document()
    content["games"][0]["plies"].insert(0, {"color": 1, "action_id": 31, "set_position": board})
    _, game = read_document(monkeypatch, content)
    assert (game.events[0].kind, game.events[0].setup) == ("position", Setup(tuple(reversed(board))))
    content["games"][0]["initial_board"] = board
    content["games"][0] |= {"initial_cube_value": 4, "initial_cube_owner": 1}
    _, game = read_document(monkeypatch, content)
    assert game.events[0].setup == Setup(tuple(reversed(board)), 4, 1)
    content["games"][0]["initial_cube_value"] = 3
    with pytest.raises(RecordError, match="the cube's value is 3"):
        read_document(monkeypatch, content)
    del content["games"][0]["initial_cube_value"]
    play = {"color": 1, "action_id": 31, "d1": 1, "d2": 3, "set_position": [0, 5] + [0] * 24}
    content["games"][0]["plies"].append(play)
    _, game = read_document(monkeypatch, content)
    assert game.events[-1].setup == Setup(tuple(reversed(play["set_position"])))


@pytest.mark.usefixtures("single_process")
def test_bgblitz_games_from_other_positions_are_read(tmp_path: Path) -> None:
    match = Match.from_decision("XGID=-BC--------------------cb-:1:1:1:00:1:0:0:5:10")
    for _ in range(2):
        match.roll((2, 1))
        match.play("2/off 1/off")
    for players in (("Zoe", "Adam"), ("Adam", "Zoe")):
        content = bgf_content(match)
        content["nameGreen"], content["nameRed"] = players
        content["games"][0]["initial"] |= {"cube": 2, "cubeOwner": -1}
        path = tmp_path / "match.bgf"
        path.write_bytes(bgf_file(content))
        copy = bgfast.load_match(path)
        assert (copy.info.players, copy.cube) == (players, match.cube)
        assert [action.text for action in copy.history if action.name == "play"] == ["2/off 1/off"] * 2
        assert (copy.board(0).tolist(), copy.findings) == (match.board(0).tolist(), ())


@pytest.mark.parametrize(("value", "level"), [(None, 2), (3, 3), (4, 0)])
def test_levels_of_resignations(monkeypatch: pytest.MonkeyPatch, value: int | None, level: int) -> None:
    content = document(winner=1, points_won=4)
    double_and_take = [{"color": 1, "action_id": 21}, {"color": 0, "action_id": 22}]
    content["games"][0]["plies"] += [*double_and_take, {"color": 1, "action_id": 28, "resign_value": value}]
    _, game = read_document(monkeypatch, content)
    assert [(event.kind, event.player, event.points or event.value) for event in game.events[-3:]] == [
        ("resign", 0, level), ("accept", 1, 0), ("wins", 1, 4),
    ]  # fmt: skip
    assert game.events[-1].flagged


SETUP = {"color": 1, "action_id": 31, "d1": 1, "d2": 2}
IMPOSSIBLE_DOCUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"match_length": -1}, "the match length is -1; expected a whole number from 1 to 1000000"),
    ({"winner": 0, "points_won": -1}, "-1 points are won; expected 0 to 1000000"),
    ({"d1": 7}, "the dice are 7 and 2; expected 1 to 6"),
    ({"action_id": 36}, "the action 36; expected a roll, a cube action or a resignation"),
    ({"moves": [{"from": 25, "pips": 1}]}, "a checker moves 1 pips from 0; expected points on the board"),
    ({"moves": [{"from": 1, "pips": -3}]}, "a checker moves -3 pips from 24; expected points on the board"),
    ({"moves": [{"pips": 1}]}, "a match that can be read .KeyError: 'from'"),
    ({"moves": 3}, "a match that can be read .TypeError"),
    ({"player_white": {}, "match_length": "5"}, "a match that can be read .TypeError"),
    ({"plies": [[]]}, "a match that can be read .TypeError"),
    ({"action_id": 31}, "a match that can be read .KeyError: 'set_position'"),
    ({"auto_doubles": 11}, "11 automatic doubles; expected 0 to 10"),
    ({"plies": [{**SETUP, "set_position": []}]}, "a board of 0 numbers; expected 26"),
    ({"plies": [{**SETUP, "set_position": [0]}]}, "a board of 1 numbers; expected 26"),
    ({"plies": [{**SETUP, "set_position": [10**9] * 26}]}, "the board .*; expected at most 15 checkers on"),
    ({"plies": [{"color": 1, "action_id": 32}] * 16}, "a cube of more than 1,073,741,824; expected"),
    ({"plies": [{"color": 1, "action_id": action} for action in (21, 22)] * 31}, "a cube of more than"),
    ({"score_start": [0, 10**6 + 1]}, r"the score is \[0, 1000001\]; expected 0 to 1000000 each"),
]


def test_impossible_documents_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for change, message in IMPOSSIBLE_DOCUMENTS:
        with pytest.raises(RecordError, match=message):
            read_document(monkeypatch, document(**change))


PLAY = {"equity": 0.25, "move": [{"from": 1, "pips": 1}, {"from": 2, "pips": 2}]}
CUBE = {"no_double_equity": 0.1, "double_take_equity": 0.2, "double_pass_equity": 1.0}


DAMAGED_ANALYSES: list[tuple[dict[str, Any], str, str]] = [
    ({"luck": float("nan")}, "an equity is nan; expected a number", "luck"),
    ({"luck": {}}, "TypeError: float() argument must be", "luck"),
    ({"alternatives": [PLAY, {**PLAY, "equity": 1e9}]}, "an equity is 1e+09; expected", "plays"),
    ({"alternatives": [{"equity": 0.5, "move": 3}]}, "TypeError: 'int' object", "plays"),
    ({"alternatives": [{**PLAY, "move": [{"from": 30, "pips": 1}]}]}, "a checker moves 1 pips", "plays"),
    ({"alternatives": 7}, "TypeError: 'int' object is not iterable", "plays"),
    ({"cube_decision": {**CUBE, "double_take_equity": "much"}}, "ValueError: could not convert", "cube"),
    ({"cube_decision": [1]}, "AttributeError: 'list' object", "cube"),
]


def test_damaged_analysis_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    for change, message, missing_part in DAMAGED_ANALYSES:
        analysis_values = {"luck": 0.5, "alternatives": [PLAY], "cube_decision": CUBE}
        content = document()
        content["games"][0]["plies"][0]["analysis"] = {**analysis_values, **change}
        monkeypatch.setattr(gvformat_files, "_document", lambda *_, content=content: content)
        match = only_match(io.BytesIO(b"OGXM"))
        (finding,) = match.findings
        assert (finding.severity, finding.kind, finding.line) == ("warning", "analysis", 1)
        assert f"damaged and left out: {message}" in finding.message
        (analysis,) = match.recorded_analysis.values()
        assert (analysis.luck is None) == (missing_part == "luck")
        assert (analysis.plays == ()) == (missing_part == "plays")
        assert (analysis.cube is None) == (missing_part == "cube")


def test_unknown_analyses_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for analysis in ([], [3], "text", 1.5):
        content = document()
        content["games"][0]["plies"][0]["analysis"] = analysis
        _, game = read_document(monkeypatch, content)
        assert (len(game.events), game.analysis, len(game.damaged)) == (1, {}, bool(analysis))


def test_the_equity_is_kept_if_the_probabilities_are_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    content = document()
    names = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")
    evaluation = dict(zip(names, (0.5, 0.6, 0.0, 0.1, 0.0), strict=True))
    content["games"][0]["plies"][0]["analysis"] = {"alternatives": [{**PLAY, "eval": evaluation}]}
    _, game = read_document(monkeypatch, content)
    assert game.analysis[0].plays[0][1:3] == (0.25, None)
    assert game.damaged[0][1].startswith("an evaluation has the probabilities 0.5, 0.6, 0, 0.1, 0;")


@pytest.mark.usefixtures("single_process")
def test_unreadable_analysis_is_left_out() -> None:
    match = match_without_beavers(4)
    complete_match = only_match(io.BytesIO(WRITERS["bgf"](match)))
    assert complete_match.recorded_analysis
    content = bgf_content(match)
    content["games"][0]["moves"][0]["moveAnalysis"][0]["eq"]["emg"] = "damage"
    copy = only_match(io.BytesIO(bgf_file(content)))
    assert actions_and_positions(copy) == actions_and_positions(match)
    assert not any(item.plays or item.cube for item in copy.recorded_analysis.values())
    text = "a part of the file's analysis is damaged and left out: none of it can be read (ValueError: could"
    assert [finding.message.startswith(text) for finding in copy.findings] == [True]
    content = bgf_content(match)
    content["games"][0]["moves"][0]["moveAnalysis"][0]["eq"]["emg"] = float("nan")
    copy = only_match(io.BytesIO(bgf_file(content)))
    assert actions_and_positions(copy) == actions_and_positions(match)
    assert "an equity is nan" in copy.findings[0].message
    assert len(copy.recorded_analysis) >= len(complete_match.recorded_analysis) - 1


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = WRITERS["bgf"](match_without_beavers(1))
    monkeypatch.setitem(sys.modules, "gvformat", None)
    path = tmp_path / "match.bgf"
    path.write_bytes(content)
    message = r"match.bgf': a BGBlitz file: No module named 'gvformat'; pip install 'bgfast\[records\]'$"
    with pytest.raises(BgfastError, match=message):
        bgfast.load_match(path)


# ---------------------------------------------------------------- hostile files

SMILE = b":)\n\x00"
ENDLESS_NUMBER = SMILE + b"\xfa\x80a\x24" + b"\x3f" * (4 << 20)
MANY_LISTS = SMILE + b"\xfa\x80a\xf8" + b"\xf8\xf9" * ((4 << 20) - 100) + b"\xf9\xfb"
NESTED_LISTS = SMILE + b"\xf8" * (1 << 20)


def refusal(content: bytes) -> str:
    """Return the reason for refusing a BGBlitz file."""
    head = b'{"format":"BGF","compress":true,"useSmile":true}\n'
    with pytest.raises(
        RecordError, match=r"a BGBlitz file that cannot be read .*; expected an undamaged file"
    ) as caught:
        list(read_binary(head + content))
    return str(caught.value)


def change_child(monkeypatch: pytest.MonkeyPatch, folder: Path, old: str, new: str) -> None:
    """Replace the script of the child process with a copy that has another limit."""
    script = gvformat_files.CHILD.read_text(encoding="utf-8")
    assert script.count(old) == 1
    (folder / "child.py").write_text(script.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(gvformat_files, "CHILD", folder / "child.py")


def test_nested_lists_are_refused() -> None:
    assert "RecursionError" in refusal(gzip.compress(NESTED_LISTS))


@pytest.mark.slow
def test_endless_compressed_data_is_refused() -> None:
    for pack in (gzip.compress, zlib.compress):
        bomb = pack(bytes(200 << 20), 9)
        assert len(bomb) < 300_000
        assert "more than 8,388,608 bytes; expected at most that" in refusal(bomb)
    assert "more than 8,388,608 bytes" in refusal(bytes(gvformat_child.MAX_EXPANDED + 1))
    assert "the compressed data is cut off" in refusal(gzip.compress(NESTED_LISTS)[:-9])
    with pytest.raises(
        RecordError, match=r"an OGXM file that cannot be read .ValueError: more than 8,388,608 bytes"
    ):
        list(read_binary(b"OGXM" + bytes(gvformat_child.MAX_EXPANDED)))


def test_decompression_is_limited() -> None:
    bomb = gzip.compress(bytes(40 << 20), 1)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than 8,388,608 bytes; expected at most that"):
            gvformat_child.expand(bomb)
        assert tracemalloc.get_traced_memory()[1] < 3 * gvformat_child.MAX_EXPANDED
    finally:
        tracemalloc.stop()


LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="the system does not enforce memory limits")


@LINUX_ONLY
@pytest.mark.slow
def test_the_memory_of_the_process_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Four million lists in eight megabytes need about 300 megabytes; the process gets less."""
    change_child(monkeypatch, tmp_path, "1 << 30", "200 << 20")
    assert "MemoryError" in refusal(gzip.compress(MANY_LISTS))


@LINUX_ONLY
@pytest.mark.slow
def test_the_processor_time_of_the_process_is_limited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    change_child(monkeypatch, tmp_path, "MAX_SECONDS = 20", "MAX_SECONDS = 1")
    start = time.monotonic()
    assert "gvformat exited with status -9, out of memory or time" in refusal(gzip.compress(ENDLESS_NUMBER))
    assert time.monotonic() - start < patient(10)


@pytest.mark.slow
def test_the_process_is_stopped_at_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gvformat_files, "TIMEOUT_SECONDS", 0.5)
    start = time.monotonic()
    assert "it was not read within 0.5 s" in refusal(gzip.compress(ENDLESS_NUMBER))
    assert time.monotonic() - start < patient(10)


def test_a_failed_start_of_the_process_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(BgfastError, match=r"gvformat cannot be started: .*No such file"):
        list(read_binary(WRITERS["ogxm"](match_without_beavers(1))))


def test_long_answers_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    change_child(monkeypatch, tmp_path, "32 << 20", "1000")
    with pytest.raises(RecordError, match=r"a document of .* bytes; expected at most 1,000"):
        list(read_binary(WRITERS["ogxm"](match_without_beavers(1))))


# ---------------------------------------------------------------- damaged files


content_of = cache(lambda file_format, seed: WRITERS[file_format](match_without_beavers(seed)))


def damaged_bgf(seed: int, rng: random.Random) -> bytes:
    """Return a BGBlitz file damaged inside or outside the compressed part."""
    content = content_of("plain bgf", seed)
    head, _, payload = content.partition(b"\n")
    if rng.random() < 0.8:
        return head + b"\n" + gzip.compress(damage(payload, rng), 1)
    return head + b"\n" + damage(gzip.compress(payload, 1), rng)


def damaged_ogxm(seed: int, rng: random.Random) -> bytes:
    """Return a damaged OGXM file of either version, mostly with correct sizes and checksums."""
    is_old = rng.random() < 0.4
    content = bytearray(content_of("gvab" if is_old else "ogxm", seed))
    content[20:] = damage(bytes(content[20:]), rng)
    if rng.random() < 0.9:
        struct.pack_into("<I", content, 12, len(content))
        checksum = content.rfind(b"CSUM")
        if checksum >= 0:
            offset = checksum + 16 if is_old else checksum + 9
            if offset + 4 <= len(content):
                struct.pack_into("<I", content, offset, zlib.crc32(content[:checksum]))
    return bytes(content)


def count_readable(seed: int, count: int, damage: Callable[[int, random.Random], bytes]) -> int:
    """Read damaged files; return how many are readable."""
    rng = random.Random(seed)
    readable_count = 0
    for _ in range(count):
        with suppress(RecordError):
            for item in read_binary(damage(rng.choice((4, 6)), rng)):
                assert isinstance(item, (RecordHead, RecordedGame))
            readable_count += 1
    return readable_count


DAMAGE_FUNCTIONS = pytest.mark.parametrize("damage", [damaged_bgf, damaged_ogxm])


@DAMAGE_FUNCTIONS
@pytest.mark.usefixtures("single_process")
@pytest.mark.parametrize("count", [40, pytest.param(20_000, marks=pytest.mark.long)])
def test_damaged_files_are_read_or_refused(damage: Callable[[int, random.Random], bytes], count: int) -> None:
    assert count / 20 < count_readable(1, count, damage) < count - count / 20


@DAMAGE_FUNCTIONS
@pytest.mark.slow
def test_processes_read_or_refuse_damaged_files(damage: Callable[[int, random.Random], bytes]) -> None:
    count_readable(2, 5, damage)
