"""The pass as a `Play`: what is shown where there is no legal play; it is in no list."""

from __future__ import annotations

import pickle

import pytest

from bgfast import IllegalPlayError, Position

CLOSED_OUT = Position.from_array([0] * 19 + [-2] * 6 + [1])


def test_a_pass_is_a_play_without_moves() -> None:
    plays = CLOSED_OUT.plays((6, 5))
    passed = plays._pass()
    assert (str(passed), passed.moves, passed.hits, passed.roll) == ("pass", (), 0, (6, 5))
    assert passed.position == CLOSED_OUT.flip() == CLOSED_OUT.play(passed, (6, 5)) == plays.play(passed)
    assert passed.start == CLOSED_OUT
    assert passed == plays._pass() == pickle.loads(pickle.dumps(passed))
    assert hash(passed) == hash(plays._pass())
    assert "X passes" in str(passed._repr_svg_())


def test_it_is_in_no_list() -> None:
    plays = CLOSED_OUT.plays((6, 5))
    assert plays._pass() not in plays
    assert plays.count(plays._pass()) == len(plays) == 0


def test_there_is_none_where_there_are_plays() -> None:
    with pytest.raises(IllegalPlayError, match=r"passing is not allowed: there are legal plays \(16\)"):
        Position.start().plays((3, 1))._pass()
