"""Lists of plays and single plays: access by text and board, printing, notebooks, passes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Game, Position

START = Position.start()
ON_THE_BAR = Position.from_array([0] * 19 + [-2] * 6 + [1])
HIT_POSITION = Position.from_array([0, -2, 0, 0, 0, 0, 5] + [0] * 11 + [-1, 0, -1, 0, 0, 0, 1, 0])


def test_plays_are_found_by_text() -> None:
    plays = START.plays((3, 1))
    for row, play in enumerate(plays):
        assert plays[str(play)] == play
        assert plays.index(str(play)) == row
        assert str(play) in plays
    assert plays["31: 6/5, 8/5"] == plays["8/5 6/5"]
    assert "8/4" in plays
    assert "24/18" not in plays


def test_lists_contain_boards() -> None:
    plays = START.plays((3, 1))
    assert plays.boards[3] in plays
    assert plays.boards[3].astype(float).tolist() in plays
    assert START.to_array() not in plays
    assert [1, 2, 3] not in plays
    assert plays[3].position not in plays  # this board is seen from the next player's side
    assert START.to_array() not in ON_THE_BAR.plays((6, 6))


def test_printed_lists() -> None:
    assert str(START.plays((6, 5))).splitlines()[0] == "6-5: 7 legal plays"
    assert str(START.plays((6, 5))).splitlines()[7] == "   7  24/13"
    assert str(ON_THE_BAR.plays((6, 5))) == "6-5: no legal play, the turn passes"
    position = Position.from_array([0, -1, 0, 1] + [0] * 22)
    assert str(position.plays((3, 3))) == "3-3: 1 legal play\n   1  3/off"


def test_properties_of_a_play() -> None:
    play = HIT_POSITION.plays((4, 2))["24/20*/18*"]
    assert (play.hits, play.roll, play.start, play.text) == (2, (4, 2), HIT_POSITION, "24/20*/18*")
    assert HIT_POSITION.plays((2, 4))["24/18*"].hits == 1
    assert HIT_POSITION.plays((2, 4))["6/4 6/2"].hits == 0
    assert f"[{play:>14}] {play}" == "[    24/20*/18*] 24/20*/18*"
    assert eval(repr(play), {"Position": Position}) == play
    assert repr(play).endswith(".plays((4, 2))['24/20*/18*']")
    assert pickle.loads(pickle.dumps(play)).text == play.text


def test_tables_for_notebooks() -> None:
    page = START.plays((3, 1))._repr_html_()
    assert page.count("<svg") == 16
    assert "<caption>3-1: 16 legal plays</caption>" in page
    assert "<b>8/5 6/5</b>" in page
    plays = Position.from_array([0, -2] + [1] * 15 + [0] * 9).plays((1, 1))
    assert len(plays) > 40
    assert plays._repr_html_().count("<svg") == 40
    assert f"and {len(plays) - 40} more, which print() lists" in plays._repr_html_()
    assert "<svg" not in ON_THE_BAR.plays((6, 5))._repr_html_()


def test_a_position_is_a_sequence_of_counts() -> None:
    assert list(START) == START.to_array().tolist()
    assert [START[point] for point in (0, 1, 6, np.int8(24), 25)] == [0, -2, 5, 2, 0]


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
def test_result_and_winner(board: list[int], checkers: int, result: int, winner: str | None) -> None:
    if result and winner == "opponent" and min(board) < 0:
        board = [-n for n in reversed(board)]
    position = Position.from_array(board, checkers)
    assert position.result == bgfast.results([position.to_array()], checkers=checkers)[0]
    assert (position.result, position.winner) == (result, winner)
    assert position.flip().result == -result


# ---- passes: the `Play` of a roll without legal plays ----


def test_a_pass_is_a_play_without_moves() -> None:
    plays = ON_THE_BAR.plays((6, 5))
    pass_play = plays._pass()
    assert (str(pass_play), pass_play.moves, pass_play.hits, pass_play.roll) == ("pass", (), 0, (6, 5))
    assert pass_play.position == ON_THE_BAR.play(pass_play, (6, 5)) == plays.play(pass_play)
    assert pass_play.position == ON_THE_BAR.flip()
    assert pass_play.start == ON_THE_BAR
    assert pass_play == plays._pass() == pickle.loads(pickle.dumps(pass_play))
    assert hash(pass_play) == hash(plays._pass())
    assert "X passes" in str(pass_play._repr_svg_())


def test_a_pass_is_in_no_list() -> None:
    plays = ON_THE_BAR.plays((6, 5))
    assert plays._pass() not in plays
    assert plays.count(plays._pass()) == len(plays) == 0


# X is on the bar and cannot move a 6. With 6-1 the 1 enters; then no die is playable.
ONE_ENTERS = Position.from_array(
    [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, -2, -2, -2, -2, -2, 0, 1]
)


def test_a_pass_after_moves_means_that_no_die_is_playable() -> None:
    plays = ONE_ENTERS.plays((6, 1))
    for text in (
        *("bar/24 pass", "Bar/24 Pass", "bar/24, pass", "bar/24 Pass Pass", "61: bar/24 pass"),
        "24 - Bar/24 Pass",
    ):
        assert ONE_ENTERS.play(text, (6, 1)) == ONE_ENTERS.play("bar/24", (6, 1))
        assert plays[text] == plays["bar/24"]
        assert text in plays


def test_games_accept_a_pass() -> None:
    game = Game.from_decision(Decision(position=ONE_ENTERS, dice=(6, 1)))
    game.play("Bar/24 Pass")
    assert game.position == ONE_ENTERS.play("bar/24", (6, 1))
    game = Game.from_decision(Decision(position=ON_THE_BAR, dice=(6, 5)))
    game.play("Pass Pass")
    assert game.position == ON_THE_BAR.flip()


def test_a_pass_after_part_of_a_double_is_accepted() -> None:
    position = Position.from_array([0] * 7 + [-2, 0, 2] + [0] * 16)
    assert [str(play) for play in position.plays((1, 1))] == ["9/8(2)"]
    assert position.play("9/8(2) Pass", (1, 1)) == position.play("9/8(2)", (1, 1))


def test_action_numbers_and_dashes_are_accepted() -> None:
    for text in ("24 - 8/5 6/5", "1304 - 8/5 6/5", "8 - 5 6 - 5"):
        assert START.play(text, (3, 1)) == START.play("8/5 6/5", (3, 1))
