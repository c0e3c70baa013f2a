"""Positions with dice, cube and score: reading and writing XGIDs and GNU Backgammon's match IDs."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest

import bgfast
from bgfast import BgfastError, Decision, InvalidPositionError, NotationError, Position
from bgfast.position.formats import read_xgid

START = Position.start()
BOARD = "-b----E-C---eE---c-e----B-"
# What GNU Backgammon 1.07 prints for these XGIDs.
PRINTED = {
    f"XGID={BOARD}:1:1:1:31:2:3:0:7:10": "UYnlADAAEAAE",
    f"XGID={BOARD}:1:1:-1:31:2:3:0:7:10": "EYHlADAAEAAE",
    f"XGID={BOARD}:0:0:1:00:2:3:0:7:10": "cAngADAAEAAE",
    f"XGID={BOARD}:0:0:1:00:0:0:1:0:10": "cAkAAAAAAAAA",
    f"XGID={BOARD}:0:0:1:00:0:0:0:0:10": "cAkAAAAAAAAE",
    f"XGID={BOARD}:0:0:1:00:6:2:1:7:10": "8AngACAAMAAE",
}


@pytest.mark.parametrize(("text", "match_id"), PRINTED.items())
def test_ids_that_gnu_backgammon_prints(text: str, match_id: str) -> None:
    decision = Decision.read(text)
    assert decision.match_id == match_id
    assert decision.gnubg_id == f"4HPwATDgc/ABMA:{match_id}"
    assert Decision.read(decision.gnubg_id) == decision
    pasted = f" GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : {match_id}\n"
    assert Decision.read(pasted) == decision


def test_dice_fall_in_any_order() -> None:
    decision, other = (Decision(position=Position.start(), dice=dice) for dice in ((1, 3), (3, 1)))
    assert decision.match_id == other.match_id == "cIkFAAAAAAAE"


def random_decision(source: random.Random) -> Decision:
    board = bgfast.random_positions(1, seed=source.randrange(10**6))[0]
    length = source.choice([0, 1, 5, 32767])
    score = (source.randrange(length or 99), source.randrange(length or 99))
    if source.random() < 0.3 and length:
        score = (length - 1, score[1])
    offer: Any = source.choice([None, None, "double", "beaver", "raccoon"])
    return Decision(
        position=Position.from_array(board),
        turn=source.choice([1, -1]),
        dice=None if offer or source.random() < 0.5 else (source.randint(1, 6), source.randint(1, 6)),
        offer=offer,
        cube=2 ** source.randrange(11),
        cube_owner=source.choice([1, 0, -1]),
        score=score,
        match_length=length,
        crawford=length > 0 and min(score) < max(score) == length - 1 and source.random() < 0.5,
        jacoby=not length and source.random() < 0.5,
        beaver=not length and source.random() < 0.5,
    )


@pytest.mark.parametrize("seed", range(200))
def test_round_trip(seed: int) -> None:
    decision = random_decision(random.Random(seed))
    assert Decision.read(decision.xgid) == decision
    assert eval(repr(decision), {"Decision": Decision}) == decision
    assert pickle.loads(pickle.dumps(decision)) == decision
    assert hash(Decision.read(decision.xgid)) == hash(decision)
    # Written from X's side, read from the mover's.
    board, context = read_xgid(decision.xgid)
    assert (board, context.turn, context.score) == (tuple(decision.position), decision.turn, decision.score)
    if decision.offer in ("beaver", "raccoon"):
        with pytest.raises(
            NotationError, match=f"a match ID cannot represent the offer of a {decision.offer}"
        ):
            print(decision.match_id)
        return
    again = Decision.read(decision.gnubg_id)
    assert again.dice is None if decision.dice is None else sorted(again.dice or ()) == sorted(decision.dice)
    for name in "position turn offer cube cube_owner score match_length crawford jacoby".split():
        assert getattr(again, name) == getattr(decision, name), name


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"turn": 0}, "turn is 0; expected 1 or -1"),
        ({"cube": 3}, "cube is 3; expected a power of two"),
        ({"cube": 2048}, "cube shows 2048; expected at most its maximum, 1024"),
        ({"cube_owner": 2}, "cube_owner is 2"),
        ({"score": (1,)}, "score is"),
        ({"score": 3}, "score is 3"),
        ({"score": (-1, 0)}, "score is"),
        ({"match_length": -1}, "match_length is -1; expected a whole number, 0 for money play"),
        ({"score": (7, 0), "match_length": 7}, "ends its match to 7"),
        ({"match_length": "7"}, "match_length is '7'"),
        ({"crawford": True}, "the Crawford game belongs to a match"),
        ({"crawford": True, "match_length": 7}, "a player who needs one more point"),
        ({"crawford": True, "match_length": 7, "score": (6, 6)}, "at 6-6 in a match to 7, expected a player"),
        ({"crawford": 1}, "crawford is 1; expected True or False"),
        ({"jacoby": True, "match_length": 7}, "for money play"),
        ({"offer": "redouble"}, "offer is 'redouble'"),
        ({"offer": "double", "dice": (3, 1)}, "and a double on offer; expected one of them"),
        ({"dice": (7, 1)}, "7"),
        ({"position": "start"}, "position is 'start'; expected a Position"),
    ],
)
def test_invalid_contexts(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        Decision(**{"position": START, **fields})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a decision; expected an XGID, or a GNU position ID"),
        ("4HPwATDgc/ABM", "is not a decision"),
        ("4HPwATDgc/ABM*", "character 14 of the position ID"),
        ("XGID=4HPwATDgc/ABMA", "an XGID of 1 fields"),
        (f"{BOARD}:0:0:1:00:0:0:0", "an XGID of 8 fields"),
        (
            f"{BOARD}:0:0:1:31:0:0:0:0:10\n{BOARD}:0:0:1:32:0:0:0:0:10",
            "states 2 positions, the second in line 2",
        ),
        ("Position ID: 4HPwATDgc/ABMA 3 1", "of 11 characters"),
        ("4HPwATDgc/ABMA:", "the match ID is ''; expected 12 characters"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAA*", "the match ID is"),
        (":cAkAAAAAAAAE", "a position ID of 0 characters"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAAI", "bits set after its end"),
        ("4HPwATDgc/ABMA:cAoAAAAAAAAE", "of a finished game"),
        ("4HPwATDgc/ABMA:cCkAAAAAAAAE", "a resignation"),
        ("4HPwATDgc/ABMA:YAkAAAAAAAAE", "the cube to player 2"),
        ("4HPwATDgc/ABMA:cAEAAAAAAAAE", "lets player 0 decide"),
        ("4HPwATDgc/ABMA:cIkDAAAAAAAE", "the dice 7 and 0"),
        ("4HPwATDgc/ABMA:cIkAAAAAAAAE", "the dice 1 and 0"),
        (None, "a decision of type NoneType; expected a str"),
    ],
)
def test_invalid_texts(text: Any, message: str) -> None:
    with pytest.raises(BgfastError, match=message):
        Decision.read(text)


@pytest.mark.parametrize("text", ["4HPwATDgc/ABMA", " Position ID: 4HPwATDgc/ABMA\n"])
def test_a_position_id_alone_is_money_play(text: str) -> None:
    assert Decision.read(text) == Decision(position=START)


def test_values_too_large_for_an_id() -> None:
    highest = Decision(position=START, cube=1 << 15, max_cube=1 << 15)
    assert Decision.read(highest.xgid) == highest
    assert Decision.read(highest.gnubg_id).cube == 1 << 15
    for fields, message in (
        ({"cube": 1 << 16, "max_cube": 1 << 16}, "field 2"),
        ({"score": (32768, 0)}, "field 6"),
        ({"match_length": 32768}, "field 9"),
    ):
        decision = Decision(position=START, **fields)  # type: ignore[arg-type]
        with pytest.raises(NotationError, match=message):
            print(decision.xgid)
        with pytest.raises(NotationError, match=r"a match ID has no room for .*; expected 32768 and 32767"):
            print(decision.gnubg_id)
        assert repr(decision).startswith("Decision.read('XGID=")
        assert "on roll" in str(decision)


def test_other_numbers_of_checkers() -> None:
    decision = Decision(position=Position.hypergammon(), dice=(2, 1))
    assert Decision.read(decision.xgid, 3) == decision
    assert eval(repr(decision), {"Decision": Decision}) == decision
    with pytest.raises(InvalidPositionError):
        Decision.read(Decision(position=START).xgid, 3)


def test_printed() -> None:
    decision = Decision.read(f"XGID={BOARD}:1:1:-1:31:2:3:0:7:10")
    assert (
        str(decision)
        == """\
+12-11-10--9--8--7-------6--5--4--3--2--1-+   O: pips 167, off 0
| X           O    |   | O              X |      score 3 of 7
| X           O    |   | O              X |
| X           O    |   | O                |
| X                |   | O                |
| X                |   | O                |
|                  |BAR|                  |   O to play 3-1
| O                |   | X                |
| O                |   | X                |
| O           X    |   | X                |
| O           X    |   | X              O |      cube 2
| O           X    |   | X              O |      score 2 of 7
+13-14-15-16-17-18------19-20-21-22-23-24-+   X: pips 167, off 0"""
    )
    money = Decision(position=START)
    assert "cube 1" in str(money).splitlines()[7]
    assert "score" not in str(money)
    assert str(Decision(position=START, score=(3, 0))).splitlines()[11].endswith("score 3")
    for fields, status in (
        ({}, "X on roll"),
        ({"turn": -1, "dice": (6, 5)}, "O to play 6-5"),
        ({"offer": "double"}, "X offers a double"),
        ({"position": Position.from_array([0] * 24 + [-1, 0]), "turn": -1}, "O has won"),
        ({"position": Position.from_array([0] * 24 + [1, 0]), "turn": -1}, "X has won"),
    ):
        assert Decision(**{"position": START, **fields}).status == status
    assert "<title>Backgammon position: X on roll</title>" in money._repr_svg_()
