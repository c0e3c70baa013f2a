"""Reading and writing of FIBS board lines."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from bgfast import Decision, NotationError, Position
from tests.position.test_decision import random_decision

LINE = (
    "board:You:someplayer:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0:1:-1"
    ":0:25:0:0:0:0:2:0:0:0"
)


def test_the_example_of_the_server() -> None:
    decision = Decision.read(LINE)
    assert decision.position == Position.start()
    assert (decision.turn, decision.dice, decision.score, decision.match_length) == (1, (6, 2), (0, 1), 3)
    assert Decision.read(decision.fibs_board(("You", "someplayer"))) == decision
    other_way = LINE.replace(":1:-1:0:25:", ":-1:1:25:0:").replace(
        ":2:0:1:6:2:0:0:1:1:1:0:", ":2:0:-1:6:2:0:0:1:1:1:0:"
    )
    assert Decision.read(other_way).position == Position.start()


@pytest.mark.parametrize("seed", range(60))
def test_round_trip(seed: int) -> None:
    decision = replace(random_decision(random.Random(seed)), jacoby=False, beaver=False)
    if decision.offer in ("beaver", "raccoon"):
        with pytest.raises(NotationError, match="cannot represent the offer"):
            decision.fibs_board()
        return
    if decision.crawford:
        decision = replace(decision, cube=1, cube_owner=0, offer=None)
    if decision.match_length == 32767:
        decision = replace(decision, match_length=32766, score=(3, 4), crawford=False)
    assert Decision.read(decision.fibs_board()) == decision
    with pytest.raises(NotationError, match="expected one without colons"):
        decision.fibs_board(("a:b", "c"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (":3:0:1:", ":3:0:", "51 fields; expected 52"),
        (":6:2:", ":6:x:", "expected a number"),
        (":6:2:", ":7:2:", "the dice 7 and 2; expected 1 to 6"),
        (":0:0:1:1:1:0:1:-1:", ":0:0:3:1:1:0:1:-1:", "the cube shows 3; expected a power of two"),
        (":1:1:1:0:1:-1:", ":1:1:1:0:2:-1:", "colour 2"),
        (":0:0:0:0:2:0:0:0", ":0:0:1:0:2:0:0:0", "1 and 0 checkers on the bar, but 0 and 0 on the board"),
    ],
)
def test_invalid_lines(old: str, new: str, message: str) -> None:
    assert old in LINE
    with pytest.raises(NotationError, match=message):
        Decision.read(LINE.replace(old, new, 1))


def test_no_crawford_game_where_both_need_one_point() -> None:
    decision = Decision(position=Position.start(), match_length=5, score=(4, 4))
    line = decision.fibs_board().replace(":1:1:1:0:1:-1:", ":1:0:0:0:1:-1:")  # nobody may double
    assert line != decision.fibs_board()
    assert Decision.read(line) == decision
