"""Decisions: reading and writing XGIDs, match IDs and FIBS board lines."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace
from typing import Any

import bgfast
from bgfast import Decision, Position
from bgfast.position.formats import may_be_crawford, read_xgid

START = Position.start()
BOARD = "-b----E-C---eE---c-e----B-"
# Match IDs that GNU Backgammon 1.07 prints for these XGIDs.
MATCH_IDS = {
    f"XGID={BOARD}:1:1:1:31:2:3:0:7:10": "UYnlADAAEAAE",
    f"XGID={BOARD}:1:1:-1:31:2:3:0:7:10": "EYHlADAAEAAE",
    f"XGID={BOARD}:0:0:1:00:2:3:0:7:10": "cAngADAAEAAE",
    f"XGID={BOARD}:0:0:1:00:0:0:1:0:10": "cAkAAAAAAAAA",
    f"XGID={BOARD}:0:0:1:00:0:0:0:0:10": "cAkAAAAAAAAE",
    f"XGID={BOARD}:0:0:1:00:6:2:1:7:10": "8AngACAAMAAE",
}


def test_match_ids_agree_with_gnu_backgammon() -> None:
    for text, match_id in MATCH_IDS.items():
        decision = Decision.read(text)
        assert decision.match_id == match_id
        assert decision.gnubg_id == f"4HPwATDgc/ABMA:{match_id}"
        assert Decision.read(decision.gnubg_id) == decision
        output = f" GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : {match_id}\n"
        assert Decision.read(output) == decision


def test_match_ids_do_not_depend_on_the_order_of_dice() -> None:
    decision, other = (Decision(position=Position.start(), dice=dice) for dice in ((1, 3), (3, 1)))
    assert decision.match_id == other.match_id == "cIkFAAAAAAAE"


def random_decision(rng: random.Random) -> Decision:
    board = bgfast.random_positions(1, seed=rng.randrange(10**6))[0]
    length = rng.choice([0, 1, 5, 32767])
    score = (rng.randrange(length or 99), rng.randrange(length or 99))
    if rng.random() < 0.3 and length:
        score = (length - 1, score[1])
    offer: Any = rng.choice([None, None, "double", "beaver", "raccoon"])
    return Decision(
        position=Position.from_array(board),
        turn=rng.choice([1, -1]),
        dice=None if offer or rng.random() < 0.5 else (rng.randint(1, 6), rng.randint(1, 6)),
        offer=offer,
        cube=2 ** rng.randrange(11),
        cube_owner=rng.choice([1, 0, -1]),
        score=score,
        match_length=length,
        crawford=length > 0 and may_be_crawford(score, length) and rng.random() < 0.5,
        jacoby=not length and rng.random() < 0.5,
        beaver=not length and rng.random() < 0.5,
    )


def test_round_trip() -> None:
    for seed in range(100):
        check_round_trip(random_decision(random.Random(seed)))


def check_round_trip(decision: Decision) -> None:
    assert Decision.read(decision.xgid) == decision
    assert eval(repr(decision), {"Decision": Decision}) == decision
    assert pickle.loads(pickle.dumps(decision)) == decision
    assert hash(Decision.read(decision.xgid)) == hash(decision)
    # An XGID is written from X's side and read from the mover's side.
    board, context = read_xgid(decision.xgid)
    assert (board, context.turn, context.score) == (tuple(decision.position), decision.turn, decision.score)
    dice = decision.dice and (max(decision.dice), min(decision.dice))
    printed_decision = replace(decision, jacoby=False, beaver=False, dice=dice)
    assert Decision.read(str(printed_decision)) == printed_decision
    assert Position(str(printed_decision)) == decision.position
    if decision.offer in ("beaver", "raccoon"):
        return
    copy = Decision.read(decision.gnubg_id)
    assert sorted(copy.dice or ()) == sorted(decision.dice or ())
    for name in "position turn offer cube cube_owner score match_length crawford jacoby".split():
        assert getattr(copy, name) == getattr(decision, name), name


def test_a_position_id_alone_means_money_play() -> None:
    for text in ("4HPwATDgc/ABMA", " Position ID: 4HPwATDgc/ABMA\n"):
        assert Decision.read(text) == Decision(position=START)


def test_decisions_too_large_for_an_id_are_printed() -> None:
    largest_cube = Decision(position=START, cube=1 << 15, max_cube=1 << 15)
    assert Decision.read(largest_cube.xgid) == largest_cube
    assert Decision.read(largest_cube.gnubg_id).cube == 1 << 15
    for fields in ({"cube": 1 << 16, "max_cube": 1 << 16}, {"score": (32768, 0)}, {"match_length": 32768}):
        decision = Decision(position=START, **fields)  # type: ignore[arg-type]
        assert repr(decision).startswith("Decision.read('XGID=")
        assert "on roll" in str(decision)


def test_round_trip_with_three_checkers() -> None:
    decision = Decision(position=Position.hypergammon(), dice=(2, 1))
    assert Decision.read(decision.xgid, 3) == decision
    assert eval(repr(decision), {"Decision": Decision}) == decision


def test_printed_decision() -> None:
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


# ---- FIBS board lines ----


FIBS_LINE = (
    "board:You:someplayer:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0:1:-1"
    ":0:25:0:0:0:0:2:0:0:0"
)


def test_the_example_from_fibs_is_read() -> None:
    decision = Decision.read(FIBS_LINE)
    assert decision.position == Position.start()
    assert (decision.turn, decision.dice, decision.score, decision.match_length) == (1, (6, 2), (0, 1), 3)
    assert Decision.read(decision.fibs_board(("You", "someplayer"))) == decision
    reversed_line = FIBS_LINE.replace(":1:-1:0:25:", ":-1:1:25:0:").replace(
        ":2:0:1:6:2:0:0:1:1:1:0:", ":2:0:-1:6:2:0:0:1:1:1:0:"
    )
    assert Decision.read(reversed_line).position == Position.start()


def test_round_trip_of_board_lines() -> None:
    for seed in range(60):
        decision = replace(random_decision(random.Random(seed)), jacoby=False, beaver=False)
        if decision.offer in ("beaver", "raccoon"):
            continue
        if decision.crawford:
            decision = replace(decision, cube=1, cube_owner=0, offer=None)
        if decision.match_length == 32767:
            decision = replace(decision, match_length=32766, score=(3, 4), crawford=False)
        assert Decision.read(decision.fibs_board()) == decision
        is_post_crawford = max(decision.score) == decision.match_length - 1 and not decision.crawford
        assert decision.fibs_board().endswith(f":{int(is_post_crawford)}:0")


def test_round_trip_of_a_match_to_one_point() -> None:
    for crawford in (True, False):
        decision = Decision(position=START, match_length=1, crawford=crawford)
        assert Decision.read(decision.fibs_board()) == decision


def test_a_game_at_double_match_point_is_not_the_crawford_game() -> None:
    decision = Decision(position=Position.start(), match_length=5, score=(4, 4))
    line = decision.fibs_board().replace(":1:1:1:0:1:-1:", ":1:0:0:0:1:-1:")  # neither player may double
    assert line != decision.fibs_board()
    assert Decision.read(line) == decision
