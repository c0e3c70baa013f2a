"""Positions read from text: lists of positions, and IDs within other text."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import product

import pytest

from bgfast import BgfastError, Decision, Position
from bgfast.position.position_ids import find_positions
from bgfast.position.position_text import holds_positions, position_lines, read_position
from tests.position.test_decision import random_decision
from tests.support.position_texts import LANGUAGES, blitz_text, gnubg_text, noise_lines, wrap_id, xg_text

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
XGID2 = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:7:10"
OGID = "11ccccchhhjjjjj:66666888dddddoo:N0N:13:B:R:0:0:7:0"
DECISION = Decision.read(XGID)


def positions_in(text: str | bytes) -> list[tuple[int, str]]:
    content = text if isinstance(text, bytes) else text.encode()
    assert holds_positions(content)
    return [(line, " ".join(tokens)) for line, tokens in position_lines("x", content)]


def decisions_in(text: str | bytes) -> list[Decision]:
    return [Decision.read(tokens) for _, tokens in positions_in(text)]


def test_text_of_extreme_gammon_is_read_in_every_language() -> None:
    encodings = ["utf-8", "utf-8-sig", "utf-16", "cp1252", "shift-jis"]
    for language, encoding, end in product(LANGUAGES, encodings, ["\n", "\r\n"]):
        text = xg_text(DECISION, language)
        errors = "replace" if encoding in ("cp1252", "shift-jis") else "strict"
        assert positions_in(text.replace("\n", end).encode(encoding, errors)) == [(1, XGID)]
        assert Decision.read(text) == DECISION


def test_a_text_with_two_positions_is_not_a_decision() -> None:
    other = Decision.read(XGID2)
    text = xg_text(DECISION) + xg_text(other, "German") + xg_text(DECISION, "Japanese")
    assert positions_in(text) == [(1, XGID), (1 + text[: text.index(XGID2)].count("\n"), XGID2)]
    with pytest.raises(BgfastError, match=r"states 2 positions, the second in line \d+; expected one"):
        Decision.read(text)


def test_identical_ids_count_once() -> None:
    for repeat in (XGID, f"see {XGID}", f"{XGID} and {XGID}", f"Position ID: {START}\n\nonce more\n{XGID}"):
        text = f"{XGID}\nFirst.\n{XGID2}\nSecond.\n{repeat}\n"
        assert positions_in(text) == [(1, XGID), (3, XGID2)]
    assert len(positions_in(f"{XGID}\n{XGID2}\n{XGID}\n")) == 3  # a list keeps repeats


def test_a_sentence_may_mention_another_position() -> None:
    for note in (
        f"When ahead, race! Compare with {XGID2} where it is different.",
        f"Not {XGID2}.",
        f"It is worse ({XGID2}).",
        f"The board (see {XGID2}) is another.",
        f'Compare "{XGID2}".',
    ):
        assert positions_in(f"{xg_text(Decision.read(XGID))}\n{note}\n") == [(1, XGID)]
        assert Decision.read(f"{note}\n\n1. {XGID}") == DECISION
        assert len(positions_in(f"Here {XGID} is the question.\n{note}\n")) == 2  # no line begins with an ID
        assert len(positions_in(f"{note}\nIn mine: {XGID}\n")) == 2


def test_labels_tables_and_links_are_not_sentences() -> None:
    for text in (f"Position 12: {XGID2}", f"Ann;{XGID2};0.5", f"<p>{XGID2}</p>", f"https://x.org/?{XGID2}"):
        assert [position_id for _, position_id in positions_in(f"{XGID}\n\n{text}\n")] == [XGID, XGID2]


def test_lessons_may_resemble_a_match_record() -> None:
    text = f"White is Player 2\n\nUnlimited Game\nJacoby Beaver\nscore: 0\n{XGID}\n\n5 point match\n{XGID2}\n"
    assert positions_in(text) == [(6, XGID), (9, XGID2)]


def test_a_position_stated_twice_is_returned_once() -> None:
    assert positions_in(blitz_text(DECISION)) == [(9, XGID)]
    assert decisions_in(gnubg_text(DECISION)) == [Decision.read(DECISION.gnubg_id)]
    for text, expected in (
        (f"Position ID: {START} and {XGID}", XGID),
        (f"{DECISION.gnubg_id}, {XGID}", XGID),
        (f"OGID={OGID} or\n{XGID}", XGID),
        (f"{XGID} or\nOGID={OGID}", XGID),
        (f"OGID={OGID} or\nGNU ID: {DECISION.gnubg_id}", DECISION.gnubg_id),
        (f"GNU ID: {START} or\n{OGID}", f"OGID={OGID}"),
    ):
        assert [position_id for _, position_id in positions_in(text)] == [expected], text
    assert [position_id for _, position_id in positions_in(f'<a href="{XGID}">{XGID}</a>')] == [XGID]
    assert len(positions_in(f"Here: {DECISION.gnubg_id}\nPosition ID: {START}")) == 2
    assert len(positions_in(f"So {DECISION.gnubg_id}, {DECISION.gnubg_id}\n{DECISION.gnubg_id} again")) == 1
    assert [position_id for _, position_id in positions_in(f"{XGID}; {XGID2}\n")] == [XGID, XGID2]


def test_an_id_from_the_side_of_the_opponent_states_the_same_position() -> None:
    decision = Decision(position=Position.start().play("8/5 6/5", (3, 1)), dice=(5, 2))
    text = f"Position ID: {decision.position.flip().gnubg_id}\nor\n{decision.xgid}\n"
    assert [position_id for _, position_id in positions_in(text)] == [decision.xgid]


def test_ids_of_different_boards_are_two_positions() -> None:
    text = f"Position ID: {START}\nor\n{Decision(position=Position.nackgammon()).xgid}\n"
    assert len(positions_in(text)) == 2


def test_a_match_id_belongs_to_the_position_id_above_it() -> None:
    match_id = DECISION.match_id
    for separator in ("\n", "\n\n", "   ", "    aside    "):
        assert (
            positions_in(f"Here: Position ID: {START}{separator}Match ID: {match_id}")[0][1]
            == f"{START}:{match_id}"
        )
    assert positions_in(f"Here: Position ID: {START}\n\n\nMatch ID: {match_id}")[0][1] == START
    assert positions_in(f"Here: {XGID}\nMatch ID: {match_id}")[0][1] == XGID


def test_a_roll_after_a_position_id_belongs_to_it() -> None:
    text = gnubg_text(DECISION).replace("Match ID   :", "").replace("X: Bea", "Rolled 53")
    assert positions_in(text) == [(1, f"{START} 53")]
    assert positions_in(text + "Rolled 53\n") == [(1, f"{START} 53")]
    assert positions_in(text + "Rolled 31\n") == [(1, START)]
    assert positions_in(gnubg_text(DECISION) + "Rolled 53")[0][1] == DECISION.gnubg_id
    assert positions_in(text + text) == [(1, f"{START} 53")]


def test_text_that_resembles_an_id_is_ignored() -> None:
    for line in (
        *("Administrating 31", "Backgammonists love it", "Understandings", "XGID: none", "Position ID:"),
        *(f"the board {START} is the start", f"/{START}/31", "see XGID=... below", "Position ID: unknown"),
        "12:30:15 1:2:3",
    ):
        assert find_positions([line]) == []
        assert positions_in(f"{line}\nsee: {XGID}") == [(2, XGID)]


def test_invalid_ids_in_other_text_are_errors() -> None:
    for line, message in (
        (XGID.replace(":31:", ":71:"), r"field 5 \(dice\) of the XGID is '71'"),
        (f"here: {XGID.replace('b----E', 'b---E')}", "field 1 .* has 25 characters"),
        (f"here: {XGID}:5", "an XGID of 11 fields"),
        (f"{XGID[5:-3]}:x", "field 10 .* is 'x'"),
        (f"here: {XGID[6:]}", "field 1 .* has 25 characters"),
        (f"here: {XGID[5:].replace(':31:', ':71:')}, no", r"field 5 \(dice\) of the XGID is '71'"),
        (f"Position ID: {START[:-1]}B", "the last character of the position ID is 'B'"),
        (f"Position-ID: {START[:-1]}", "is not a position"),
        (f"{START[:-1]}B", "the last character"),
        (f"OGID={OGID.replace(':13:', ':73:')}", r"field 4 \(dice\) of the OGID is '73'"),
    ):
        first, second = positions_in(f"{xg_text(DECISION)}{line}\n")
        assert first == (1, XGID)
        with pytest.raises(BgfastError, match=message):
            read_position(second[1])


def test_a_list_with_an_invalid_line_is_still_a_list() -> None:
    for text in (
        "start 31\nstrat 65",
        f"{XGID} 31\nnonsense",
        f"{START}\nnonsense",
        f"{DECISION.fibs_board()}\nnonsense\n{XGID}",
        f"# openings\n{START}\n\nnonsense\n{XGID}",
        "0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0\nnonsense",
        "nackgammon # odd\n| X   O |",
    ):
        positions = positions_in(text)
        assert [line for line, _ in positions] == [
            index for index, line in enumerate(text.splitlines(), 1) if line.partition("#")[0].strip()
        ]
        nonsense = next(tokens for _, tokens in positions if tokens.split()[0] in ("strat", "nonsense", "|"))
        with pytest.raises(BgfastError, match="not a position"):
            read_position(nonsense)


def test_ids_in_comments_are_ignored() -> None:
    assert positions_in(f"start 31 # {XGID}\n# {XGID2}") == [(1, "start 31")]
    assert positions_in(f"{XGID} # was {XGID2}\n") == [(1, XGID)]
    assert positions_in(f"What now?\n # {XGID2}\nhttps://example.org/#{XGID}") == [(3, XGID)]


def test_content_without_positions_is_recognized() -> None:
    for content in (b"", b"\n# start 31\n", b"nothing here", f"\0{XGID}".encode(), b"\xff\xfe\x00\xd8"):
        assert not holds_positions(content), content


def test_decisions_are_found_among_other_lines() -> None:
    for seed in range(150):
        check_mixed_text(random.Random(seed))


def check_mixed_text(rng: random.Random) -> None:
    expected: list[Decision] = []
    lines: list[str] = []
    for _ in range(rng.randrange(1, 5)):
        decision = random_decision(rng)
        form = rng.choice(["xg", "blitz", "gnubg", "line", "line", "ogid"])
        if decision.offer in ("beaver", "raccoon") and form not in ("xg", "line"):
            form = "xg"
        lines += noise_lines(rng)
        if form == "xg":
            lines += xg_text(decision, rng.choice(list(LANGUAGES))).splitlines()
        elif form == "blitz":
            lines += blitz_text(decision).splitlines()
        elif form == "gnubg":
            lines += gnubg_text(decision).splitlines()
            decision = Decision.read(decision.gnubg_id)
        elif form == "ogid":
            lines.append(wrap_id(f"OGID={decision.ogid}", rng))
            decision = Decision.read(decision.ogid)
        else:
            text = rng.choice(
                [decision.xgid, decision.xgid.lower()[:5] + decision.xgid[5:], decision.xgid[5:]]
            )
            lines.append(wrap_id(text, rng))
        lines += ["", "and then:"]
        expected.append(decision)
    line_end = rng.choice(["\n", "\r\n", "\r"])
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16"])
    assert decisions_in(line_end.join(lines).encode(encoding)) == expected


def test_changed_bytes_are_read_or_refused() -> None:
    rng = random.Random(3)
    for text in (
        xg_text(DECISION, "French"),
        blitz_text(DECISION),
        gnubg_text(DECISION),
        f"start 31\n{XGID} 31\n",
    ):
        content = text.encode()
        for _ in range(100):
            index = rng.randrange(min(len(content), 900))
            damaged_content = content[:index] + rng.randbytes(1) + content[index + rng.randrange(3) :]
            with suppress(BgfastError):
                for _, tokens in position_lines("x", damaged_content):
                    read_position(" ".join(tokens))
            assert holds_positions(damaged_content) in (True, False)
