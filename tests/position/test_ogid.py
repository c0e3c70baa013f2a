"""OGIDs: equivalent XGIDs, random decisions, an independent reader, mistyped texts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bgfast import BgfastError, Decision, Position
from bgfast.position.formats import looks_like_ogid, read_ogid
from tests.position.test_decision import random_decision

SIDES = "11ccccchhhjjjjj:66666888dddddoo"
BOARD = "-b----E-C---eE---c-e----B-"
# X is White. The pairs cover asymmetric boards, bars, owned cubes and both players on roll.
PAIRS = [
    (f"{SIDES}:N0N:13:B:R:0:0:0:0", f"{BOARD}:0:0:1:13:0:0:0:0:10"),
    (f"{SIDES}:N0N::W:C:3:5:7:0", f"{BOARD}:0:0:-1:00:3:5:0:7:10"),
    (f"{SIDES}:W1N::W:C:0:0:0:0", f"{BOARD}:1:1:-1:00:0:0:0:0:10"),
    (f"{SIDES}:B1N:12:W:R:2:0:5:0", f"{BOARD}:1:-1:-1:12:2:0:0:5:10"),
    (f"{SIDES}:N0N:36:B:R:6:5:7C:0", f"{BOARD}:0:0:1:36:6:5:1:7:10"),
    (f"{SIDES}:N1O::W:D:0:0:0:0", f"{BOARD}:1:0:1:D:0:0:0:0:10"),
    (f"{SIDES}:D0N::B:C:0:0:0:0", f"{BOARD}:0:0:1:00:0:0:0:0:0"),
    ("0jjjk:6778p:N0N:25:W:R:0:0:0:0", "a----AC----------aba-----A:0:0:-1:25:0:0:0:0:10"),
]


def test_ogids_and_xgids_state_the_same_decisions() -> None:
    for ogid, xgid in PAIRS:
        decision = Decision.read(xgid)
        assert decision.ogid == ogid
        assert Decision.read(ogid) == decision
        assert Decision.read(ogid).xgid == f"XGID={xgid}"


def test_round_trip() -> None:
    for seed in range(150):
        decision = random_decision(random.Random(seed))
        if decision.offer in ("beaver", "raccoon"):
            continue
        copy = Decision.read(decision.ogid)
        assert sorted(copy.dice or ()) == sorted(decision.dice or ())
        for name in "position turn offer cube cube_owner score match_length crawford".split():
            assert getattr(copy, name) == getattr(decision, name), name
        assert copy.ogid == decision.ogid


def test_gvformat_reads_and_writes_the_same_ogids() -> None:
    ogid = pytest.importorskip("gvformat.ogid", reason="NOT INSTALLED: gammonview, so no OGID was compared")
    for seed in range(150):
        decision = random_decision(random.Random(seed))
        if decision.offer is None:
            check_against_gvformat(ogid, decision)


def check_against_gvformat(ogid: Any, decision: Decision) -> None:
    cube = min(decision.cube, 64)
    fields = decision.ogid.split(":")
    fields[2] = f"{fields[2][0]}{cube.bit_length() - 1}N"
    state = ogid.parse_ogid(":".join(fields))
    board = list(decision.position)
    board[0] = -board[0]
    assert state.board == board
    assert (state.on_roll == "W") == (decision.turn == 1)
    assert sorted((state.die1, state.die2)) == sorted(decision.dice or (0, 0))
    owner = "centered player opponent".split()[decision.cube_owner]
    assert state.cube_owner == ("dead" if fields[2][0] == "D" else owner)
    assert (state.score_white, state.score_black) == decision.score[:: decision.turn]
    assert (state.match_length, state.crawford) == (decision.match_length, decision.crawford)
    ogid_text = ogid.board_to_ogid(
        board,
        mover_is_white=decision.turn == 1,
        cube_value=cube,
        cube_owner=owner,
        dice=decision.dice,
        game_state="R" if decision.dice else "C",
        score_white=state.score_white,
        score_black=state.score_black,
        match_length=decision.match_length,
        crawford=decision.crawford,
    )
    if fields[2][0] != "D":
        assert ogid_text == ":".join(fields)
    copy = Decision.read(ogid_text)
    assert (copy.position, copy.turn) == (decision.position, decision.turn)
    assert (copy.score, copy.cube_owner) == (decision.score, decision.cube_owner)


FIELDS = [
    (f"OGID={SIDES}:N0N:31:B:R:0:0:0", {"dice": (3, 1), "turn": 1}),
    (f'"ogid: {SIDES}:N0N:31:W"', {"dice": (3, 1), "turn": -1}),
    (f"{SIDES}:N0N:31:B:R:0:0:0/".replace(":", "%3A"), {"dice": (3, 1), "turn": 1}),
    (f"{SIDES}:N0N", {"turn": 1, "dice": None}),
    (f"{SIDES}:N0N::W", {"turn": 1}),
    (f"{SIDES}:N0N::W:IW:0:0:1:0", {"turn": 1, "match_length": 1}),
    (f"{SIDES}:N0N::W:IB:0:0:1:0", {"turn": -1}),
    (f"{SIDES}:N0N:31:W:IW:0:0:1:0", {"turn": -1, "dice": (3, 1)}),
    (f"{SIDES}:N0N::W::0:0:0", {"turn": -1}),
    (f"{SIDES}:N0N:31:B:C:0:0:0", {"turn": 1, "dice": None}),
    (f"{SIDES}:B1T::B:A:0:0:0", {"turn": 1, "cube": 2, "cube_owner": -1}),
    (f"{SIDES}:W1O::W:D:0:0:0", {"turn": 1, "offer": "double", "cube": 2, "cube_owner": 1}),
    (f"{SIDES}:N0O::B:D:0:0:0", {"turn": -1, "offer": "double", "dice": None}),
    (f"{SIDES}:?0N::B:PR:4:6:7L:31", {"turn": 1, "score": (4, 6), "crawford": False}),
    (f"{SIDES}:N0N::W:C:4:6:7C:31", {"turn": -1, "score": (6, 4), "crawford": True}),
    (f"{SIDES}:N0N::B:C:1:0:0G5", {"match_length": 0, "score": (1, 0)}),
    (f"{SIDES}:D2N::B:C:0:0:0", {"cube": 4, "cube_owner": 0, "max_cube": 4}),
    (f"{SIDES}:N12N::B:C:0:0:0", {"cube": 4096, "max_cube": 4096}),
    ("123:mno:N0N:12:B:R:0:0:0:0:3", {"position": Position.hypergammon()}),
]


def test_fields_are_read() -> None:
    for text, expected in FIELDS:
        decision = Decision.read(text)
        assert {name: getattr(decision, name) for name in expected} == expected, text
        assert Decision.read(decision.ogid).position == decision.position


def test_positions_have_an_ogid() -> None:
    assert Position.start().ogid == f"{SIDES}:N0N::B:C:0:0:0:0" == Decision(position=Position.start()).ogid
    assert Decision(position=Position.start(), dice=(6, 5)).ogid == f"{SIDES}:N0N:56:B:R:0:0:0:0"
    assert read_ogid(f"{SIDES}:N0N::B:C")[2] == 15
    assert Position.hypergammon().ogid == "123:mno:N0N::B:C:0:0:0:0:3"
    assert Decision.read(Position.hypergammon().ogid).position == Position.hypergammon()


def test_changed_characters_are_read_or_refused() -> None:
    text = f"OGID={SIDES}:W1N:31:B:R:4:6:7:3:15"
    rng = random.Random(1)
    for _ in range(1000):
        index = rng.randrange(5, len(text))
        changed_text = (
            text[:index] + rng.choice("019apqNWBDOTP?:CR-%\u00e9") + text[index + rng.randrange(2) :]
        )
        try:
            decision = Decision.read(changed_text)
        except BgfastError:
            continue
        assert Decision.read(decision.ogid).position == decision.position


def test_other_ids_do_not_look_like_ogids() -> None:
    assert not looks_like_ogid(Decision(position=Position.start()).xgid)
    assert not looks_like_ogid("4HPwATDgc/ABMA:cAkAAAAAAAAE")
