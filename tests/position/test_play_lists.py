"""Lists of plays and plays: by text, by board, printed, in notebooks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bgfast
from bgfast import IllegalPlayError, NotationError, Position
from bgfast.errors import InvalidIndexError

START = Position.start()
ON_THE_BAR = Position.from_array([0] * 19 + [-2] * 6 + [1])
HITS = Position.from_array([0, -2, 0, 0, 0, 0, 5] + [0] * 11 + [-1, 0, -1, 0, 0, 0, 1, 0])


def test_plays_by_text() -> None:
    plays = START.plays((3, 1))
    for row, play in enumerate(plays):
        assert plays[str(play)] == play
        assert plays.index(str(play)) == row
        assert str(play) in plays
    assert plays["31: 6/5, 8/5"] == plays["8/5 6/5"]
    assert "8/4" in plays
    assert "24/18" not in plays
    with pytest.raises(IllegalPlayError, match="illegal play '24/18'"):
        plays["24/18"]
    for unreadable in ("", "foo"):
        with pytest.raises(NotationError):
            assert unreadable in plays
    with pytest.raises(IllegalPlayError, match=r"passing is not allowed: there are legal plays \(16\)"):
        plays["pass"]
    with pytest.raises(IllegalPlayError, match="a pass is no play: the list is empty"):
        ON_THE_BAR.plays((6, 5))["pass"]
    with pytest.raises(IllegalPlayError, match="None is not in the list of plays"):
        plays.index(None)  # type: ignore[arg-type]


def test_boards_among_the_plays() -> None:
    plays = START.plays((3, 1))
    assert plays.boards[3] in plays
    assert plays.boards[3].astype(float).tolist() in plays
    assert START.to_array() not in plays
    assert [1, 2, 3] not in plays
    assert plays[3].position not in plays  # that is the next player's side
    assert START.to_array() not in ON_THE_BAR.plays((6, 6))


def test_slices_are_lists() -> None:
    plays = START.plays((6, 5))
    assert plays[:2] == [plays[0], plays[1]]
    assert plays[::-1][0] == plays[-1]


def test_printed() -> None:
    assert str(START.plays((6, 5))).splitlines()[0] == "6-5: 7 legal plays"
    assert str(START.plays((6, 5))).splitlines()[7] == "   7  24/13"
    assert str(ON_THE_BAR.plays((6, 5))) == "6-5: no legal play, the turn passes"
    lone = Position.from_array([0, -1, 0, 1] + [0] * 22)
    assert str(lone.plays((3, 3))) == "3-3: 1 legal play\n   1  3/off"


def test_properties_of_a_play() -> None:
    play = HITS.plays((4, 2))["24/20*/18*"]
    assert (play.hits, play.roll, play.start, play.text) == (2, (4, 2), HITS, "24/20*/18*")
    assert HITS.plays((2, 4))["24/18*"].hits == 1
    assert HITS.plays((2, 4))["6/4 6/2"].hits == 0
    assert f"[{play:>14}] {play}" == "[    24/20*/18*] 24/20*/18*"
    assert eval(repr(play), {"Position": Position}) == play
    assert repr(play).endswith(".plays((4, 2))['24/20*/18*']")
    assert pickle.loads(pickle.dumps(play)).text == play.text


def test_tables_for_notebooks() -> None:
    page = START.plays((3, 1))._repr_html_()
    assert page.count("<svg") == 16
    assert "<caption>3-1: 16 legal plays</caption>" in page
    assert "<b>8/5 6/5</b>" in page
    many = Position.from_array([0, -2] + [1] * 15 + [0] * 9).plays((1, 1))
    assert len(many) > 40
    assert many._repr_html_().count("<svg") == 40
    assert f"and {len(many) - 40} more, which print() lists" in many._repr_html_()
    assert "<svg" not in ON_THE_BAR.plays((6, 5))._repr_html_()


def test_a_position_by_index() -> None:
    assert list(START) == START.to_array().tolist()
    assert [START[point] for point in (0, 1, 6, np.int8(24), 25)] == [0, -2, 5, 2, 0]
    for index in (-1, 26, 1.5, "6", None, slice(0, 3)):
        with pytest.raises(InvalidIndexError, match="expected a point from 1 to 24"):
            START[index]  # type: ignore[index]


@pytest.mark.parametrize(
    ("board", "checkers", "result", "winner"),
    [
        (START.to_array(), 15, 0, None),
        ([0] * 24 + [-14, 0], 15, -1, "opponent"),
        ([0] * 24 + [-15, 0], 15, 2, "mover"),
        ([0] * 25 + [1], 3, -1, "opponent"),
        ([-1, -2] + [0] * 24, 3, 3, "mover"),
        ([0] * 12 + [3] + [0] * 13, 3, -2, "opponent"),
    ],
)
def test_winner(board: list[int], checkers: int, result: int, winner: str | None) -> None:
    if result and winner == "opponent" and min(board) < 0:
        board = [-n for n in reversed(board)]
    position = Position.from_array(board, checkers)
    assert position.result == bgfast.results([position.to_array()], checkers=checkers)[0]
    assert (position.result, position.winner) == (result, winner)
    assert position.flip().result == -result
