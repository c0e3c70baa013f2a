"""eXtreme Gammon files: matches, analyses, refused files."""

from __future__ import annotations

import io
import random
import re
import struct
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import bgfast
from bgfast import Match
from bgfast.errors import RecordError
from bgfast.records import xg
from bgfast.records.match_files import _binary_format, holds_matches, read_binary
from bgfast.records.record import Event, Place, RecordedGame, RecordHead, Setup
from bgfast.records.recorded_analysis import CubeEquities
from bgfast.records.xg import rtf_text
from tests.support.binary_matches import (
    COMMENT,
    DOUBLE_TAKE,
    HEADER_BYTES,
    LUCK,
    NO_DOUBLE,
    PROBABILITIES,
    TRIALS,
    damage,
    match_head,
    put,
    record,
    xg_file,
    xg_records,
)
from tests.support.matches import random_match


def actions_and_positions(match: Match) -> list[Any]:
    """Return the actions and resulting positions of a match, without rolls, since records omit ties."""
    return [
        (action.name, action.player, match.states[index + 1].game.position)
        for index, action in enumerate(match.history)
        if action.name != "roll"
    ]


def load_file(content: bytes, tmp_path: Path) -> Match:
    path = tmp_path / "match.xg"
    path.write_bytes(content)
    return bgfast.load_match(path)


def items(content: bytes) -> tuple[RecordHead, list[RecordedGame]]:
    """Return the header and the games of a file."""
    head, *games = read_binary(content)
    assert isinstance(head, RecordHead)
    return head, [game for game in games if isinstance(game, RecordedGame)]


def short_match() -> Match:
    """Return a match of two games, one ended by a drop and one by a resignation."""
    match = Match(3)
    for _ in range(2):
        match.roll((3, 1))
        match.play("8/5 6/5")
        match.roll((6, 4))
        match.play("24/14")
        if not match.results:
            match.double()
            match.drop()
            match.next_game()
    match.resign(2, by=1)
    match.accept_resignation()
    return match


def changed_file(index: int, **fields: Any) -> bytes:
    """Return the file of the short match with fields of one record changed."""
    records = xg_records(short_match())
    put(records[index], **fields)
    return xg_file(records)


def first_game(content: bytes) -> RecordedGame:
    return items(content)[1][0]


def load_with_expected(content: bytes, tmp_path: Path) -> tuple[Match, dict[int, Any]]:
    """Read a file with the actions of the short match; return it and the analysis of the short match."""
    match = short_match()
    expected = load_file(xg_file(xg_records(match)), tmp_path).recorded_analysis
    copy = load_file(content, tmp_path)
    assert actions_and_positions(copy) == actions_and_positions(match)
    return copy, expected


def test_round_trip(tmp_path: Path) -> None:
    for seed in range(8):
        match = random_match(seed, (None, 3, 5, 7)[seed % 4], crawford=seed < 6)
        content = xg_file(xg_records(match, analysed=seed % 3 == 0), indexed=seed % 2 == 0)
        copy = load_file(content, tmp_path)
        assert actions_and_positions(copy) == actions_and_positions(match)
        assert (copy.score, copy.results, copy.length) == (match.score, match.results, match.length)
        assert copy.state.crawford == match.state.crawford
        assert copy.rules.jacoby == match.rules.jacoby


def test_events_and_their_places() -> None:
    head, games = items(xg_file(xg_records(short_match()), rollouts=1))
    assert head.place == Place(1, 1)
    assert (head.length, head.crawford, head.jacoby, head.beavers) == (3, True, False, False)
    info = head.info
    assert (info.players, info.event, info.site, info.round) == (("Zoe", "Adam"), "Open", "Ghent", "7")
    assert (info.date, head.cube_limit, info.variant) == ("2026-11-20", 0, "")
    assert [(game.number, game.score, game.crawford) for game in games] == [
        (1, (0, 0), False),
        (2, (1, 0), False),
    ]
    game, second_game = games
    assert game.place == Place(2, 1)
    events = [(event.kind, event.player, event.text, event.points or event.value) for event in game.events]
    assert events == [
        ("turn", 0, "8/5 6/5", 0),
        ("turn", 1, "24/18 18/14", 0),
        ("double", 0, "", 2),
        ("drop", 1, "", 0),
        ("wins", 0, "", 1),
    ]
    assert [event.place.line for event in game.events] == [4, 6, 7, 7, 8]
    assert [
        (*event[:2], event.points or event.value, event.flagged) for event in second_game.events[-3:]
    ] == [("resign", 1, 2, False), ("accept", 0, 0, False), ("wins", 0, 2, True)]


def test_analysis_belongs_to_its_event() -> None:
    game = first_game(xg_file(xg_records(short_match()), rollouts=1))
    assert sorted(game.analysis) == [0, 1, 2, 3]
    cube = CubeEquities(NO_DOUBLE, DOUBLE_TAKE, 1.0, PROBABILITIES, "2-ply")
    assert [game.analysis[index].cube for index in range(4)] == [cube] * 4
    analysis = game.analysis[0]
    assert analysis.played == 1
    assert analysis.luck == LUCK
    assert analysis.plays[1].text == "8/5 6/5"
    assert [play.equity for play in analysis.plays] == [0.5, 0.375, 0.25, 0.125]
    assert {play.probabilities for play in analysis.plays} == {PROBABILITIES}
    levels = [play.level for play in analysis.plays]
    assert levels == [f"rollout {TRIALS} trials", "XG Roller++", "3-ply red", "2-ply"]
    assert game.analysis[2].plays == ()
    assert game.analysis[2].luck is None
    # Without the rollout file in the archive, the number of trials is unknown.
    game = first_game(xg_file(xg_records(short_match()), indexed=False))
    assert game.analysis[0].plays[0].level == "rollout"


def test_names_of_levels() -> None:
    levels = {0: "1-ply", 3: "4-ply", 998: "opening book", 1000: "XG Roller", 1001: "XG Roller+"}
    for code, level in {**levels, 77: "level 77"}.items():
        assert first_game(changed_file(3, h1280=code)).analysis[0].plays[0].level == level


def test_games_without_analysis_are_read() -> None:
    _, games = items(xg_file(xg_records(short_match(), analysed=False)))
    assert [game.analysis for game in games] == [{}, {}]
    assert games[0].events[0].text == "8/5 6/5"


def test_cube_equities_of_the_other_player_are_ignored() -> None:
    assert first_game(changed_file(4, i12=1)).analysis[1].cube is None


def test_answers_to_a_double_are_read() -> None:
    def events_of(*answers: int) -> list[Any]:
        events = first_game(changed_file(6, i20=answers)).events[2:-1]
        return [(event.kind, event.player, event.points or event.value) for event in events]

    double = ("double", 0, 2)
    beaver, raccoon = ("beaver", 1, 4), ("raccoon", 0, 8)
    assert events_of(-1, -1, -1) == [double]
    assert events_of(1, -1, -1) == [double, ("take", 1, 0)]
    assert events_of(2, 1, -1) == [double, beaver, ("take", 0, 0)]
    assert events_of(2, 0, -1) == [double, beaver, ("drop", 0, 0)]
    assert events_of(2, 2, 1) == [double, beaver, raccoon, ("take", 1, 0)]


def test_opening_ties_are_automatic_doubles() -> None:
    records = xg_records(short_match())
    put(records[0], i92=99999)
    put(records[1], i64=2)
    head, (game, _) = items(xg_file(records))
    assert head.length is None
    assert [event.kind for event in game.events][:3] == ["tie", "tie", "turn"]
    assert next(event.value for event in game.events if event.kind == "double") == 8


def test_illegal_play_is_read_from_the_board() -> None:
    """The third move goes backwards and is missing from the record."""
    board = [0, 0, -2, 2, 0, 2, 3, 4, 2, 0, 0, 0, 0, 0, 1, 1, -1, 0, 0, 0, -1, -3, -4, -2, -2, 0]
    board_after = [0, 0, -2, 2, 0, 2, 2, 4, 4, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0, -1, -3, -4, -2, -2, 0]
    records = xg_records(short_match(), analysed=False)
    roll_record = records[3]
    put(roll_record, b9=board, b35=board_after, i68=[13, 7, 14, 9, -1, -1, 5, 3], i100=(6, 5), i2480=2)
    position, turn = first_game(xg_file(records)).events[:2]
    assert (position.kind, position.player, position.setup) == ("position", 0, Setup(tuple(board)))
    assert turn[3:7] == ((6, 5), "15/10 14/8 6/8", 0, True)
    put(roll_record, b35=[1] * 26)  # four moves cannot reach this board
    turn = first_game(xg_file(records)).events[1]
    assert (turn.text, turn.setup) == ("14/8 15/10", Setup((1,) * 26))


def test_a_game_from_another_position_is_read(tmp_path: Path) -> None:
    for owner, decision in (
        (0, "-BC--------------------cb-:1:1:1"),
        (1, "-BC--------------------cb-:2:-1:1"),
    ):
        match = Match.from_decision(f"XGID={decision}:00:1:0:0:5:10")
        if owner == 0:
            match.double()
            match.take()
        for _ in range(2):
            match.roll((2, 1))
            match.play("2/off 1/off")
        records = xg_records(match)
        if owner == 1:  # the cube value is negative if the opponent owns it
            for cube in records[2::2]:
                put(cube, i32=-2 if struct.unpack_from("<i", cube, 12) == (1,) else 2)
        copy = load_file(xg_file(records), tmp_path)
        assert not copy.findings
        assert actions_and_positions(copy)[1:] == actions_and_positions(match)
        assert (copy.cube, copy.score, copy.state.game) == (match.cube, match.score, match.state.game)


def test_a_board_that_the_game_has_not_reached_is_set_up(tmp_path: Path) -> None:
    records = xg_records(short_match(), analysed=False)
    put(records[5], b9=bgfast.Position.nackgammon().flip().to_array().tolist())
    copy = load_file(xg_file(records), tmp_path)
    assert [action.name for action in copy.history[:5]] == ["roll", "play", "set_position", "roll", "play"]
    assert copy.history[2].after == bgfast.Position.nackgammon().flip()
    put(records[1], b22=1)  # makes the board impossible
    (finding, *_) = load_file(xg_file(records), tmp_path).findings
    assert (finding.severity, finding.line) == ("error", 4)
    assert finding.message.endswith("; the board is unknown from here")


def test_end_codes_of_games() -> None:
    records = xg_records(short_match())
    for code, values in ((101, [1]), (103, [3]), (104, [0]), (1001, []), (1, [])):
        put(records[-1], i32=code)
        _, games = items(xg_file(records))
        assert [event.value for event in games[1].events if event.kind == "resign"] == values
    put(records[-1], i24=0)  # the game has no winner
    assert items(xg_file(records))[1][1].events[-1].kind == "turn"


def test_comments_follow_their_events() -> None:
    records = xg_records(short_match())
    for comment, (row, field) in enumerate(((0, "i576"), (1, "i56"), (3, "i2524"), (6, "i292"), (1, "i60"))):
        put(records[row], **{field: comment})
    comments = [COMMENT, "head of game 1", "a roll\r\nand a play", "a double", "end of game 1"]
    _, (game, second_game) = items(xg_file(records, comments))
    events = [event.text if event.kind == "comment" else event.kind for event in game.events]
    assert events == [
        *("Too loose!\n\u2192", "head of game 1", "turn", "a roll\r\nand a play", "turn"),
        *("double", "a double", "drop", "wins", "end of game 1"),
    ]
    assert sorted(game.analysis) == [2, 4, 5, 7]
    assert "comment" not in {event.kind for event in second_game.events}


def test_a_comment_that_all_records_share_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    records = xg_records(short_match())
    for index in range(1, len(records) - 1):
        put(records[index], i56=0, i60=0, i2524=0, i292=0)
    _, games = items(xg_file(records, ["a comment"]))
    comments = [event for game in games for event in game.events if event.kind == "comment"]
    assert [(event.text, event.place.line) for event in comments] == [("a comment", 2)]
    lines: list[str] = []
    monkeypatch.setattr(xg, "comment_text", lambda line: lines.append(line) or rtf_text(line))
    items(xg_file(records, ["{\\rtf1 }"]))  # the comment has no text
    assert list(filter(None, lines)) == ["{\\rtf1 }"]


def test_the_total_length_of_comments_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    records = xg_records(short_match())
    put(records[3], i2524=0)
    monkeypatch.setattr(xg, "MAX_COMMENTS", 100)
    for length, count in ((100, 1), (101, 0)):
        _, (game, _) = items(xg_file(records, ["x" * length]))
        assert [event.kind for event in game.events].count("comment") == count
        assert len(game.damaged) == 1 - count
    text = "temp.xgc in the archive: it expands to more than 100 bytes; expected at most that"
    assert game.damaged[0][1] == text


def test_text_of_rtf() -> None:
    assert rtf_text(" plain {text} ") == "plain {text}"
    assert rtf_text(r"{\rtf1{\*\x hidden}{\colortbl;\red1;}a\\b\{c\}\tab d\u-10179?\par}") == "a\\b{c}\td?"
    assert rtf_text("{\\rtf1 " + "{" * 10_000) == ""


def test_names_of_old_versions_are_windows_1252() -> None:
    records = xg_records(short_match())
    head = record(0, i92=3, i552=20, i576=-1)
    for offset, text in ((9, "Jos\u00e9 O\u2019Neil"), (50, "Bob"), (136, "Open"), (283, "Gent"), (417, "1")):
        head[offset] = len(text)
        head[offset + 1 : offset + 1 + len(text)] = text.encode("cp1252")
    put(head, u880="newer")
    info = items(xg_file([head, *records[1:]]))[0].info
    assert (info.players, info.event, info.site, info.round) == (
        ("Jos\u00e9 O\u2019Neil", "Bob"),
        "Open",
        "Gent",
        "1",
    )
    assert info.date == ""


def test_cube_limits() -> None:
    for power, limit in ((6, 64), (10, 0), (0, 0), (-1, 0), (99, 0)):
        head = next(iter(read_binary(xg_file([match_head(short_match(), i612=power)]))))
        assert head.cube_limit == limit


def test_nackgammon_is_read(tmp_path: Path) -> None:
    match = Match(1, position=bgfast.Position.nackgammon())
    match.roll((6, 5))
    match.play(match.plays()[0].text)
    records = xg_records(match)
    put(records[0], i96=1)
    copy = load_file(xg_file(records), tmp_path)
    assert actions_and_positions(copy) == actions_and_positions(match)
    assert copy.info.variant == "nackgammon"


IMPOSSIBLE_RECORDS: list[tuple[int, dict[str, Any], str]] = [
    (0, {"i92": -1}, "the match length is -1; expected a whole number from 1 to 1000000"),
    (0, {"i96": 4}, "the variant is 4; expected 0 to 3"),
    (0, {"b8": 1}, "no match in the eXtreme Gammon file; expected a match header"),
    (1, {"b8": 3}, "a record of type 3; expected a game header before it"),
    (1, {"i64": 11}, "11 automatic doubles; expected 0 to 10"),
    (6, {"i12": 0}, "the player is 0; expected 1 or -1"),
    (6, {"i32": 21}, "the cube is 2**21; expected at most 2**20"),
    (3, {"i64": 3}, "the player is 3; expected 1 or -1"),
    (3, {"i100": (0, 1)}, "the dice are 0 and 1; expected 1 to 6"),
    (3, {"i68": (25, 3)}, "a checker moves from 26 to 4; expected points on the board"),
    (7, {"i28": -1}, "-1 points are won; expected 0 to 1000000"),
]


def test_impossible_records_are_refused() -> None:
    for index, fields, message in IMPOSSIBLE_RECORDS:
        with pytest.raises(RecordError, match=re.escape(message)) as caught:
            items(changed_file(index, **fields))
        assert (caught.value.line, caught.value.column) == (index + 1, 1)


NAN = float("nan")
NO_PLAYS: dict[str, Any] = {"plays": (), "played": None}
DAMAGED_ANALYSES: list[tuple[int, dict[str, Any], str, dict[str, Any]]] = [
    (2, {"i12": 0}, "the player is 0; expected 1 or -1", {"cube": None}),
    (2, {"f152": NAN}, "a cube decision has the equities nan, -0.25, 1; expected numbers", {"cube": None}),
    (3, {"i120": 33}, "33 plays are ranked; expected 0 to 32", NO_PLAYS),
    (3, {"b1024": (3, 24)}, "a checker moves from 4 to 25; expected points on the board", NO_PLAYS),
    (3, {"f1432": float("inf")}, "a play has the equity inf; expected a number", NO_PLAYS),
    (3, {"f1432": -1e20}, "a play has the equity -1e+20; expected a number", NO_PLAYS),
    (3, {"d2320": NAN}, "the luck of a roll is nan; expected a number", {"luck": None}),
    (3, {"d2320": 1e9}, "the luck of a roll is 1e+09; expected a number", {"luck": None}),
]


def test_damaged_analysis_is_a_finding(tmp_path: Path) -> None:
    for index, fields, message, changes in DAMAGED_ANALYSES:
        copy, expected = load_with_expected(changed_file(index, **fields), tmp_path)
        (finding,) = copy.findings
        assert (finding.severity, finding.kind, finding.line) == ("warning", "analysis", index + 1)
        assert finding.message == f"a part of the file's analysis is damaged and left out: {message}"
        assert copy.recorded_analysis == {**expected, 1: replace(expected[1], **changes)}


def test_damaged_equities_of_a_double_are_left_out(tmp_path: Path) -> None:
    copy, expected = load_with_expected(changed_file(6, f156=NAN), tmp_path)
    assert len(copy.findings) == 1
    assert sorted(set(expected) - set(copy.recorded_analysis)) == [4, 5]


def test_equities_without_probabilities_are_kept(tmp_path: Path) -> None:
    for fields in ({"f1424": NAN}, {"f1420": 0.01}, {"f1412": 0.7}, {"f1408": -0.1}, {"f1420": 2.0}):
        copy, expected = load_with_expected(changed_file(3, **fields), tmp_path)
        assert "an evaluation has the probabilities" in copy.findings[0].message
        damaged_play, *other_plays = expected[1].plays
        assert copy.recorded_analysis[1].plays == (damaged_play._replace(probabilities=None), *other_plays)


def test_one_finding_for_several_damaged_analyses(tmp_path: Path) -> None:
    records = xg_records(short_match())
    for index in (3, 5):
        put(records[index], f1432=NAN, d2320=NAN)
    copy = load_file(xg_file(records), tmp_path)
    (finding,) = copy.findings
    text = "4 parts of the file's analysis are damaged and left out, the first: a play has the equity nan"
    assert finding.message.startswith(text)
    counts = [len(game.findings) for game in bgfast.records.load_games(tmp_path / "match.xg")]
    assert counts == [1, 0]
    bgfast.load_match(tmp_path / "match.xg", strict=True)


def test_damaged_rollouts_and_comments_are_left_out(tmp_path: Path) -> None:
    match = short_match()
    records = xg_records(match)
    put(records[3], i2524=0)
    content = xg_file(records, ["a comment"], rollouts=1)
    archive = content[HEADER_BYTES + 3 :]
    start = len(zlib.compress(b"".join(records)))
    damaged_content = content[: HEADER_BYTES + 3] + archive[:start] + b"\0" * 8 + archive[start + 8 :]
    copy = load_file(damaged_content, tmp_path)
    (finding,) = copy.findings
    assert finding.message.endswith(
        "temp.xgr in the archive: the compressed data is damaged; expected a zlib stream"
    )
    assert copy.recorded_analysis[1].plays[0].level == "rollout"
    assert copy.info.comments == ((2, "a comment"),)
    assert actions_and_positions(copy) == actions_and_positions(match)
    comments = archive.rfind(zlib.compress(b"a comment"))
    damaged_content = content[: HEADER_BYTES + 3] + archive[:comments] + b"\0" * 8 + archive[comments + 8 :]
    copy = load_file(damaged_content, tmp_path)
    assert "temp.xgc in the archive" in copy.findings[0].message
    assert copy.info.comments == ()
    assert copy.recorded_analysis[1].plays[0].level == f"rollout {TRIALS} trials"


def test_a_rollout_without_trials_is_damaged(tmp_path: Path) -> None:
    records = b"".join(xg_records(short_match()))
    rollouts = bytearray(2184)
    members = xg.XgMembers(records, bytes(rollouts))
    _, game, _ = xg._Reader(members).items()
    assert isinstance(game, RecordedGame)
    assert game.damaged[0] == (Place(4, 1), "a rollout has 0 trials; expected at least one")
    assert game.analysis[0].plays[0].level == "rollout"


def test_truncated_files_keep_the_games_before_the_cut(tmp_path: Path) -> None:
    match = next(match for seed in range(99) if len((match := random_match(seed, 25)).results) > 3)
    records = xg_records(match)
    content = xg_file(records, indexed=False)
    offset = HEADER_BYTES + 3
    path = tmp_path / "cut.xg"
    path.write_bytes(content[: offset + (len(content) - offset) * 9 // 10])
    prefix = bgfast.load_match(path)
    assert actions_and_positions(prefix) == actions_and_positions(match)[: len(actions_and_positions(prefix))]
    assert prefix.results
    assert "the file is truncated" in prefix.findings[0].message
    path.write_bytes(content[:-1])  # the file ends after the last record
    copy = bgfast.load_match(path)
    assert actions_and_positions(copy) == actions_and_positions(match)
    assert "the file is truncated after this record; expected a complete file" in copy.findings[-1].message


def test_damaged_archives_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    records = xg_records(short_match())
    file = xg_file(records)

    def assert_refused(content: bytes, message: str) -> None:
        with pytest.raises(RecordError, match=message):
            list(read_binary(content))

    assert_refused(file[:100], "the eXtreme Gammon file has 100 bytes; expected a header of 8232")
    assert_refused(file[: HEADER_BYTES + 3], "no match in the eXtreme Gammon file")
    assert_refused(
        file[:HEADER_BYTES] + b"jpgno zlib", "the compressed data is damaged; expected a zlib stream"
    )
    header = file[: HEADER_BYTES + 3]
    archive = file[HEADER_BYTES + 3 :]
    size, start = struct.unpack_from("<2i", archive, len(archive) - 24)
    index = bytearray(zlib.decompress(archive[start : start + size]))

    def add_index(index: bytes, count: int = 3) -> bytes:
        data = zlib.compress(index)
        return header + archive[:start] + data + struct.pack("<IiiiiB15x", 0, count, 1, len(data), start, 1)

    assert len(items(add_index(bytes(index)))[1]) == 2
    assert_refused(add_index(bytes(index[:-1])), "the archive's index has 1595 bytes; expected 3 times 532")
    overlapping_index = bytearray(index)  # every member spans the whole archive, uncompressed
    for offset in range(0, len(index), 532):
        struct.pack_into("<iiIIB", overlapping_index, offset + 512, 0, start, 0, 0, offset < 1064)
    with monkeypatch.context() as patch:
        patch.setattr(xg, "MAX_EXPANDED", start + start // 2)
        members = xg.read_archive(add_index(bytes(overlapping_index)))
        assert (len(members.records), len(members.rollouts), len(members.damaged)) == (start, 0, 2)
    struct.pack_into("<i", index, 516, start + 1)
    assert_refused(
        add_index(bytes(index)),
        f"a file in the archive has {start + 1} bytes at 0; expected them before {start}",
    )
    struct.pack_into("<i", index, 516, 50)
    assert_refused(
        add_index(bytes(index)), "temp.xg in the archive: it is truncated; expected a complete zlib stream"
    )


@pytest.mark.slow
def test_files_beyond_the_limits_are_refused() -> None:
    header = xg_file([], indexed=False)[: HEADER_BYTES + 3]
    bomb = header + zlib.compress(bytes(xg.MAX_EXPANDED + 1))
    assert len(bomb) < 100_000
    with pytest.raises(RecordError, match="it expands to more than 67,108,864 bytes; expected at most that"):
        list(read_binary(bomb))
    records = xg_records(short_match())
    long_game = [*records[:2], *[records[3]] * xg._MAX_GAME]
    with pytest.raises(RecordError, match="a game of more than 5,000 records; expected at most that"):
        items(xg_file(long_game))
    large_file = b"RGMH" + bytes(64 << 20)
    with pytest.raises(RecordError, match="a binary file of 67,108,868 bytes; expected at most 67,108,864"):
        read_binary(large_file)


def test_detection_of_formats() -> None:
    for beginning in (
        b"RGMH",
        b"OGXM\x02",
        b'{"format":"BGF","version":"1.0"}\n',
        b'{"a": 1, "format" : "BGF"',
    ):
        assert _binary_format(beginning) is not None
        assert holds_matches(io.BytesIO(beginning))
    for beginning in (b"", b"RGM", b"(;GM[6]", b'{"format": "bgfast game"}', b" 3 point match\n", b"\n{}"):
        assert _binary_format(beginning) is None
    with pytest.raises(
        RecordError, match=r"no match in it; expected one in .xg, .bgf, .ogxm or .gvab format"
    ):
        read_binary(b"hello")


def count_readable(seed: int, count: int) -> int:
    """Read files damaged inside or outside the compressed part; return how many are readable."""
    rng = random.Random(seed)
    files = [xg_records(random_match(1, 5)), xg_records(short_match())]
    readable_count = 0
    for _ in range(count):
        records = b"".join(rng.choice(files))
        is_record_damaged = rng.random() < 0.7
        content = xg_file([damage(records, rng) if is_record_damaged else records], [COMMENT], rollouts=1)
        if not is_record_damaged:
            content = damage(content[:HEADER_BYTES] + b"jpg", rng) + damage(content[HEADER_BYTES + 3 :], rng)
        if not content.startswith(b"RGMH"):
            continue
        refusal: RecordError | None = None
        try:
            for item in read_binary(content):
                assert isinstance(item, (RecordHead, RecordedGame))
                if isinstance(item, RecordedGame):
                    assert all(isinstance(event, Event) for event in item.events)
                    assert all(0 <= index < len(item.events) for index in item.analysis)
        except RecordError as error:
            refusal = error
        readable_count += refusal is None
        if refusal is not None:
            assert "expected" in str(refusal)
            assert min(refusal.line, refusal.column) >= 1
    return readable_count


@pytest.mark.parametrize("count", [40, pytest.param(20_000, marks=pytest.mark.long)])
def test_damaged_files_are_read_or_refused(count: int) -> None:
    assert count / 20 < count_readable(1, count) < count - count / 20
