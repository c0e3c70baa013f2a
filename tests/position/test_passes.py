"""The pass as a `Play` of rolls without legal plays."""

from __future__ import annotations

import pickle

import pytest

from bgfast import Decision, Game, IllegalPlayError, NotationError, Position

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


def test_a_pass_is_in_no_list() -> None:
    plays = CLOSED_OUT.plays((6, 5))
    assert plays._pass() not in plays
    assert plays.count(plays._pass()) == len(plays) == 0


def test_no_pass_if_there_are_plays() -> None:
    with pytest.raises(IllegalPlayError, match=r"passing is not allowed: there are legal plays \(16\)"):
        Position.start().plays((3, 1))._pass()


# On the bar, with the 6 blocked: with 6-1 the 1 enters, and then nothing moves.
ONE_ENTERS = Position.from_array(
    [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, -2, -2, -2, -2, -2, 0, 1]
)


@pytest.mark.parametrize(
    "text",
    ["bar/24 pass", "Bar/24 Pass", "bar/24, pass", "bar/24 Pass Pass", "61: bar/24 pass", "24 - Bar/24 Pass"],
)
def test_a_pass_after_moves_means_that_no_die_is_playable(text: str) -> None:
    assert ONE_ENTERS.play(text, (6, 1)) == ONE_ENTERS.play("bar/24", (6, 1))
    plays = ONE_ENTERS.plays((6, 1))
    assert plays[text] == plays["bar/24"]
    assert text in plays


def test_games_accept_a_pass() -> None:
    game = Game.from_decision(Decision(position=ONE_ENTERS, dice=(6, 1)))
    game.play("Bar/24 Pass")
    assert game.position == ONE_ENTERS.play("bar/24", (6, 1))
    passed = Game.from_decision(Decision(position=CLOSED_OUT, dice=(6, 5)))
    passed.play("Pass Pass")
    assert passed.position == CLOSED_OUT.flip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8/5 pass", "illegal play '8/5' for 3-1: both numbers can be played, so both must be"),
        ("8/5 6/5 pass", "'8/5 6/5 pass' passes after a play that uses every number; leave 'pass' out"),
        ("7 - 8/5 pass", "illegal play '8/5' for 3-1: both numbers"),
        ("24 - 8/4 6/5", "illegal play '24/8 8/4 6/5' for 3-1"),
        ("pass pass", "passing is not allowed: there are legal plays"),
    ],
)
def test_passes_where_more_can_be_played(text: str, message: str) -> None:
    with pytest.raises(IllegalPlayError, match=message):
        Position.start().play(text, (3, 1))


@pytest.mark.parametrize("text", ["pass 8/5 6/5", "8/5 pass 6/5", "8/5 pas", "7 - "])
def test_passes_in_the_wrong_place(text: str) -> None:
    with pytest.raises(NotationError, match=r"cannot read part|is empty"):
        Position.start().play(text, (3, 1))


def test_a_pass_on_a_double() -> None:
    two = Position.from_array([0] * 7 + [-2, 0, 2] + [0] * 16)
    assert [str(play) for play in two.plays((1, 1))] == ["9/8(2)"]
    assert two.play("9/8(2) Pass", (1, 1)) == two.play("9/8(2)", (1, 1))
    four = Position.start()
    with pytest.raises(IllegalPlayError, match="leave 'pass' out"):
        four.play("8/7(2) 6/5(2) pass", (1, 1))


@pytest.mark.parametrize("text", ["24 - 8/5 6/5", "1304 - 8/5 6/5", "8 - 5 6 - 5"])
def test_numbers_of_actions_and_moves_with_dashes(text: str) -> None:
    assert Position.start().play(text, (3, 1)) == Position.start().play("8/5 6/5", (3, 1))
