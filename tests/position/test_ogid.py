"""OGIDs: pairs with XGIDs, random decisions, an independent reader, invalid texts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bgfast import BgfastError, Decision, InvalidPositionError, NotationError, Position
from bgfast.position.formats import looks_like_ogid, read_ogid
from tests.position.test_decision import random_decision

SIDES = "11ccccchhhjjjjj:66666888dddddoo"
BOARD = "-b----E-C---eE---c-e----B-"
# X is White. Boards that differ from each side, the bars, owned cubes and both players on roll.
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


@pytest.mark.parametrize(("ogid", "xgid"), PAIRS)
def test_the_same_position_in_either_notation(ogid: str, xgid: str) -> None:
    decision = Decision.read(xgid)
    assert decision.ogid == ogid
    assert Decision.read(ogid) == decision
    assert Decision.read(ogid).xgid == f"XGID={xgid}"


@pytest.mark.parametrize("seed", range(300))
def test_round_trip(seed: int) -> None:
    decision = random_decision(random.Random(seed))
    if decision.offer in ("beaver", "raccoon"):
        with pytest.raises(NotationError, match=f"cannot represent the offer of a {decision.offer}"):
            print(decision.ogid)
        return
    again = Decision.read(decision.ogid)
    assert (again.dice is None) == (decision.dice is None)
    assert sorted(again.dice or ()) == sorted(decision.dice or ())
    for name in "position turn offer cube cube_owner score match_length crawford".split():
        assert getattr(again, name) == getattr(decision, name), name
    assert again.ogid == decision.ogid


@pytest.mark.parametrize("seed", range(300))
def test_an_independent_reader_and_writer(seed: int) -> None:
    ogid = pytest.importorskip("gvformat.ogid", reason="NOT INSTALLED: gammonview, so no OGID was compared")
    decision = random_decision(random.Random(seed))
    cube = min(decision.cube, 64)
    if decision.offer is not None:
        return
    own = decision.ogid.split(":")
    own[2] = f"{own[2][0]}{cube.bit_length() - 1}N"
    state = ogid.parse_ogid(":".join(own))
    board = list(decision.position)
    board[0] = -board[0]
    assert state.board == board
    assert (state.on_roll == "W") == (decision.turn == 1)
    assert sorted((state.die1, state.die2)) == sorted(decision.dice or (0, 0))
    owner = "centered player opponent".split()[decision.cube_owner]
    assert state.cube_owner == ("dead" if own[2][0] == "D" else owner)
    assert (state.score_white, state.score_black) == decision.score[:: decision.turn]
    assert (state.match_length, state.crawford) == (decision.match_length, decision.crawford)
    written = ogid.board_to_ogid(
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
    if own[2][0] != "D":
        assert written == ":".join(own)
    again = Decision.read(written)
    assert (again.position, again.turn) == (decision.position, decision.turn)
    assert (again.score, again.cube_owner) == (decision.score, decision.cube_owner)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
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
    ],
)
def test_fields(text: str, expected: dict[str, Any]) -> None:
    decision = Decision.read(text)
    assert {name: getattr(decision, name) for name in expected} == expected
    assert Decision.read(decision.ogid).position == decision.position


def test_positions_have_an_ogid() -> None:
    assert Position.start().ogid == f"{SIDES}:N0N::B:C:0:0:0:0" == Decision(position=Position.start()).ogid
    assert Decision(position=Position.start(), dice=(6, 5)).ogid == f"{SIDES}:N0N:56:B:R:0:0:0:0"
    assert Position.hypergammon().ogid == "123:mno:N0N::B:C:0:0:0:0:3"
    assert Decision.read(Position.hypergammon().ogid).position == Position.hypergammon()


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("OGID=", NotationError, "an OGID of 1 fields, 'OGID='; expected 3 to 11"),
        (f"OGID={SIDES}", NotationError, "an OGID of 2 fields"),
        (f"{SIDES}:N0N::B:C:0:0:0:0:15:1", NotationError, "an OGID of 12 fields"),
        (f"OGID={'1' * 200}:2:N0N", NotationError, "an OGID of 3 fields"),
        (
            f"OGID={SIDES}:X0N",
            NotationError,
            "field 3 .the cube. of the OGID is 'X0N'; expected N, W, B, D or",
        ),
        (f"OGID={SIDES}:N16N", NotationError, "field 3 .* is 'N16N'"),
        (f"OGID={SIDES}:N0N:07:B", NotationError, "field 4 .dice. of the OGID is '07'"),
        (f"OGID={SIDES}:N0N:31:X", NotationError, "field 5 .the player who acted. of the OGID is 'X'"),
        (f"OGID={SIDES}:N0N:31", NotationError, "field 5 .* is ''; expected W or B"),
        (f"OGID={SIDES}:N0N::B:ZZ", NotationError, "field 6 .* is 'ZZ'"),
        (f"OGID={SIDES}:N0N::B:RG", NotationError, "is of a finished game"),
        (f"OGID={SIDES}:N0P::B:C", NotationError, "is of a finished game"),
        (f"OGID={SIDES}:N0N::B:C:x", NotationError, "field 7 .* is 'x'"),
        (
            f"OGID={SIDES}:N0N::B:C:0:99999",
            NotationError,
            "field 8 .* is '99999'; expected a number from 0 to",
        ),
        (f"OGID={SIDES}:N0N::B:C:0:0:7X", NotationError, "field 9 .* is '7X'"),
        (f"OGID={SIDES}:N0N::B:C:0:0:40000", NotationError, "field 9 .* is '40000'"),
        (f"OGID={SIDES}:N0N::B:C:7:0:7", NotationError, "the OGID's score 7-0 ends its match to 7"),
        (f"OGID={SIDES}:N0N::B:C:2:0:7C", NotationError, "the OGID marks the Crawford game at 2-0"),
        (f"OGID={SIDES}:N0N::B:C:0:0:0:x", NotationError, "field 10 .* is 'x'"),
        (f"OGID={SIDES}:N0N::B:C:0:0:0:0:0", NotationError, "field 11 .* is '0'; expected a number from 1"),
        (f"OGID={SIDES}:N0N::B:C:0:0:0:0:16", NotationError, "field 11 .* is '16'"),
        ("OGID=q:1:N0N", NotationError, "field 1 .the checkers of White. of the OGID is 'q'"),
        ("OGID=1:1:N0N", InvalidPositionError, "field 2 of the OGID has a checker of Black on '1'"),
        ("OGID=p:1:N0N", InvalidPositionError, "field 1 of the OGID has a checker of White on 'p'"),
        ("OGID=1:0:N0N", InvalidPositionError, "field 2 of the OGID has a checker of Black on '0'"),
        (f"1{SIDES}:N0N", InvalidPositionError, "16 checkers; expected at most 15"),
    ],
)
def test_invalid_input(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Decision.read(text)


def test_values_too_large_for_an_ogid() -> None:
    for fields in ({"cube": 1 << 16, "max_cube": 1 << 16}, {"score": (32768, 0)}, {"match_length": 32768}):
        with pytest.raises(NotationError, match="of the OGID is"):
            print(Decision(position=Position.start(), **fields).ogid)  # type: ignore[arg-type]


def test_any_change_of_a_character_is_read_or_one_error() -> None:
    text = f"OGID={SIDES}:W1N:31:B:R:4:6:7:3:15"
    source = random.Random(1)
    for _ in range(3000):
        place = source.randrange(5, len(text))
        changed = (
            text[:place] + source.choice("019apqNWBDOTP?:CR-%\u00e9") + text[place + source.randrange(2) :]
        )
        try:
            decision = Decision.read(changed)
        except BgfastError:
            continue
        assert Decision.read(decision.ogid).position == decision.position


def test_an_xgid_does_not_look_like_one() -> None:
    assert not looks_like_ogid(Decision(position=Position.start()).xgid)
    assert not looks_like_ogid("4HPwATDgc/ABMA:cAkAAAAAAAAE")
    assert read_ogid(f"{SIDES}:N0N::B:C")[2] == 15
