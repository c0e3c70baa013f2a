"""Actions that occur only in recorded matches; see docs/RULES.md, section 3."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bgfast import Decision, Game, Match, Position, RuleSet
from bgfast.games import Cube, MatchScore
from tests.games.test_match import open_game, win

RACE = Position.from_xgid("XGID=-CB--------------------bb-:0:0:1:00:0:0:0:0:10")


def test_a_match_without_the_crawford_game() -> None:
    match = Match(3, crawford=False)
    win(match, 0, 2)
    match.next_game()
    assert match.state.game.match == MatchScore(3, (2, 0))
    open_game(match)
    match.double()
    assert Match.from_json(match.to_json()).state == match.state
    assert Match(3, crawford=False) != Match(3)


def test_the_cube_limit_restricts_offers() -> None:
    game = Game(RuleSet(cube_limit=4, beavers=True), on_turn=0, cube=Cube(2, 0))
    game.double()
    assert game.legal_actions() == ("take", "drop")
    game.take()
    beaver_game = Game(RuleSet(cube_limit=4, beavers=True), on_turn=0)
    beaver_game.double()
    beaver_game.beaver()
    assert beaver_game.legal_actions() == ("take", "drop")
    game = Game(RuleSet(cube_limit=4), on_turn=0, cube=Cube(4, 0))
    assert game.decision.max_cube == 4
    assert Game.from_decision(game.xgid).rules.cube_limit == 4
    assert Game.from_decision(Decision(position=game.position)).rules.cube_limit == 0


def test_ties_double_the_cube_up_to_its_limit() -> None:
    game = Game(RuleSet(automatic_doubles=5, cube_limit=2), dice=[(1, 1), (2, 2), (3, 1)])
    assert [game.roll() and game.cube.value for _ in range(3)] == [2, 2, 2]


def test_a_resignation_leaves_the_offer_in_the_decision() -> None:
    game = Game(on_turn=0)
    game.double()
    game.resign(by=0)
    assert game.decision.offer == "double"


def test_a_dead_cube_may_be_turned_unchecked() -> None:
    game = Game(on_turn=0, match=MatchScore(5, (3, 0)), cube=Cube(2, 0))
    game.double(unchecked=True)
    assert game.history[-1].unchecked
    assert Game.from_json(game.to_json()).state == game.state
    game.take()
    assert game.cube == Cube(4, 1)


def test_files_of_earlier_versions_are_read() -> None:
    game = Game(on_turn=0)
    game.double()
    game.take()
    game.resign()
    fields: Any = json.loads(game.to_json())
    del fields["start"]["rules"]["cube_limit"], fields["actions"][0]["unchecked"]
    del fields["actions"][2]["player"]
    assert Game.from_json(json.dumps(fields)) == game


@pytest.mark.parametrize("phase", ["opening", "to_roll", "to_play", "moved", "doubled", "resigned"])
def test_a_position_can_be_set_at_any_moment(phase: str) -> None:
    match = Match(5)
    if phase != "opening":
        match.roll((3, 1))
    if phase in ("to_roll", "moved", "doubled"):
        match.play("8/5 6/5", end_turn=phase != "moved")
    if phase in ("doubled", "resigned"):
        getattr(match, "double" if phase == "doubled" else "resign")()
    assert match.phase == phase
    state = match.state
    match.set_position(RACE, on_turn=1, cube=Cube(2, owner=1))
    assert (match.phase, match.on_turn, match.position, match.cube) == ("to_roll", 1, RACE, Cube(2, 1))
    assert match.legal_actions() == ("roll", "double", "resign")
    new_state = match.state
    for restored in (Match.from_json(match.to_json()), Match.from_json(match.to_json(complete=True))):
        assert (restored.history, restored.state) == (match.history, new_state)
    match.undo()
    assert match.state == state
    match.redo()
    assert match.state == new_state
    assert "position GwAA4AYAAAAAAA, O on turn" in match.score_sheet()
    match.set_position(RACE, on_turn=0, roll=(2, 1))
    assert (match.phase, match.dice, match.cube) == ("to_play", (2, 1), Cube(2, 1))
    assert Match.from_json(match.to_json()).state == match.state
    match.play("2/off 1/off")


def test_a_position_keeps_automatic_doubles_and_an_accepted_double() -> None:
    match = Match(None, RuleSet(automatic_doubles=2, jacoby=True))
    match.roll((3, 3))
    match.set_position(RACE, on_turn=0)
    assert (match.state.game.ties, match.cube, match.state.game.cube_turned) == (1, Cube(2), False)
    match.double()
    match.take()
    match.set_position(RACE, on_turn=0, cube=Cube(2))
    match.resign(2)
    match.accept_resignation()
    assert str(match.result) == "4 points (gammon, resignation)"


def test_a_set_position_affects_only_the_current_game() -> None:
    match = Match(3, dice=[(6, 6), (3, 1), (5, 2)])
    match.set_position(RACE, on_turn=0, roll=(1, 2))
    match.play("2/off 1/off")
    match.roll()  # the first dice of the match, because the position came with a roll
    assert match.dice == (6, 6)
    assert Match.from_json(match.to_json(complete=True)) == match
    match.play("2/off(2) 1/off(2)")  # player 1 wins
    match.next_game()
    assert match.position == Position.start()


def test_gammons_count_with_a_turned_cube_under_the_jacoby_rule() -> None:
    for make_game in (
        lambda: Game(RuleSet(jacoby=True), on_turn=0, cube=Cube(2, 0)),
        lambda: Game.from_decision("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:1:0:10"),
    ):
        game = make_game()
        game.resign(2)
        game.accept_resignation()
        assert str(game.result) == "4 points (gammon, resignation)"


def test_an_unknown_play_leaves_the_board_unknown() -> None:
    game = Game()
    game.roll((3, 1))
    game.play("8/5 ?", unknown=True)
    assert game.history[-1].text == "8/5 ?"
    assert (game.on_turn, game.state.board_unknown, int(game.board(0)[5])) == (1, True, 1)
    assert game.status.endswith("; the board is unknown")
    texts = {"24/1": "24/1", "x/y": "?", "": "?", "pass": "pass", "6/off(2)": "6/off 6/off"}
    for text, expected in texts.items():
        game.roll((2, 1))
        game.play(text, unknown=True)
        assert (game.history[-1].text, game.history[-1].unchecked) == (expected, True)
    assert game.legal_actions() == ("roll", "double", "resign")  # there is nothing to challenge
    restored = Game.from_json(game.to_json())
    assert (restored.history, restored.state) == (game.history, game.state)
    game.set_position(None, on_turn=0)
    assert game.state.board_unknown
    assert Game.from_json(game.to_json()).state == game.state
    game.set_position(RACE, on_turn=0)
    assert not game.state.board_unknown


def test_bearing_off_on_an_unknown_board_does_not_end_the_game() -> None:
    position = Position.from_xgid("XGID=-A---------------------b--:0:0:1:00:0:0:0:0:10")
    game = Game(on_turn=0, position=position)
    game.roll((2, 1))
    game.play("1/off", unknown=True)
    assert (game.phase, game.on_turn, game.position.flip()) == ("to_roll", 1, position)
