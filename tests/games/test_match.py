"""Match: score, Crawford game, dead cube, money sessions, JSON."""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import pytest

from bgfast import Game, Match, Position, RuleSet, load_match
from bgfast.errors import IllegalActionError
from bgfast.games import Cube, GameResult, MatchScore
from tests.support.games import bear_off, expect_refusal, near_win


def win(match: Match, winner: int, level: int = 1) -> None:
    """Let a player win a game by a resignation after the opening roll."""
    match.roll((1, 2) if winner == 0 else (2, 1))
    match.resign(level)
    match.accept_resignation()


def open_game(match: Match) -> None:
    """Make an opening play as X, after which O may double."""
    match.roll((3, 1))
    match.play("8/5 6/5")


def test_a_match_won_by_a_doubled_gammon() -> None:
    match = Match(4, position=near_win({6: 15}))
    match.roll((2, 1))
    match.undo()
    match.roll((1, 2))  # O begins and has all checkers home
    match.play(match.plays()[0])
    match.double()
    match.take()
    bear_off(match)
    assert (match.score, match.winner) == ((4, 0), 0)


def test_the_crawford_game_is_played_once_without_a_cube() -> None:
    match = Match(3)
    crawford_flags = []
    for winner, level in ((0, 2), (1, 1), (1, 1), (0, 1)):
        context = match.state.game.match
        crawford_flags.append(context.crawford)
        assert context.score == match.score
        open_game(match)
        if context.crawford:
            with expect_refusal(match, IllegalActionError, "double: this is the Crawford game"):
                match.double()
        match.roll((3, 1))
        match.play("8/5 6/5")
        if winner == 1:
            match.resign(level)
        else:
            match.roll((3, 1))
            match.play("24/23 13/10")
            match.resign(level)
        match.accept_resignation()
        if match.winner is None:
            match.next_game()
    assert crawford_flags == [False, True, False, False]
    assert (match.score, match.winner) == ((3, 2), 0)


def test_the_trailer_may_double_after_the_crawford_game() -> None:
    match = Match(5, score=(4, 2), crawford_played=True)
    match.roll((1, 3))
    match.play("8/5 6/5")
    assert "double" not in match.legal_actions()
    match.roll((3, 1))
    match.play("8/5 6/5")
    match.double()
    match.take()
    assert match.cube == Cube(2, owner=0)


def test_a_dead_cube_may_not_be_turned() -> None:
    for value, is_legal in ((1, True), (2, True), (4, False), (8, False)):
        game = Game(on_turn=1, cube=Cube(value, owner=1), match=MatchScore(7, (0, 4)))
        assert ("double" in game.legal_actions()) is is_legal


def test_beavers_and_jacoby_apply_only_in_sessions() -> None:
    rules = RuleSet(beavers=True, jacoby=True)
    for length, has_beaver, points in ((9, False, 2), (None, True, 1)):
        match = Match(length, rules)
        win(match, 1, 2)
        assert match.score == (0, points)
        match.next_game()
        open_game(match)
        match.double()
        assert ("beaver" in match.legal_actions()) is has_beaver


def test_ties_double_the_cube_except_in_the_crawford_game() -> None:
    rules = RuleSet(automatic_doubles=2)
    for score, cube_value in (((1, 0), 2), ((2, 0), 1)):
        match = Match(3, rules, score=score)
        match.roll((2, 2))
        assert match.cube == Cube(cube_value)


def test_games_start_at_the_match_position_with_a_centred_cube() -> None:
    match = Match(None, position=Position.nackgammon())
    for _ in range(3):
        assert (match.position, match.cube, match.phase) == (Position.nackgammon(), Cube(1), "opening")
        match.roll((3, 1))
        match.play(match.plays()[0])
        match.double()
        match.take()
        match.resign()
        match.accept_resignation()
        match.next_game()
    assert match.score == (6, 0)


def test_dice_continue_across_games() -> None:
    match = Match(5, dice=[(3, 1), (6, 4)])
    for dice in ((3, 1), (6, 4)):
        assert match.roll() == dice
        match.resign()
        match.accept_resignation()
        match.next_game()


def test_matches_that_start_at_or_after_the_crawford_game() -> None:
    for match, crawford in (
        (Match(5, score=(4, 3)), True),
        (Match(5, score=(4, 3), crawford_played=True), False),
        (Match(5, score=(4, 4)), False),
        (Match(1), False),
    ):
        restored = Match.from_json(match.to_json(complete=True))
        assert restored == match
        assert restored.state.game.match == MatchScore(match.length, match.score, crawford)
        assert (restored.state.crawford_played, restored.decision.crawford) == (True, crawford)


def test_text_of_a_match() -> None:
    match = Match(7)
    assert repr(match) == "<Match: match to 7, 0-0, opening, 0 actions>"
    assert repr(Match(None)) == "<Match: money games, 0-0, opening, 0 actions>"
    assert json.loads(match.to_json(complete=True))["bgfast"] == "match"
    assert match != Match(5)
    assert match.length == 7


def long_session(games: int) -> Match:
    match = Match(None)
    for index in range(games):
        win(match, index % 2)
        match.next_game()
    return match


def test_matches_compare_each_result_once(monkeypatch: pytest.MonkeyPatch) -> None:
    match = long_session(60)
    other_match = Match.from_json(match.to_json(complete=True))
    comparison_count = 0
    compare = GameResult.__eq__

    def count_and_compare(self: GameResult, other: object) -> bool:
        nonlocal comparison_count
        comparison_count += 1
        return compare(self, other)

    monkeypatch.setattr(GameResult, "__eq__", count_and_compare)
    assert match == other_match
    assert comparison_count <= 60
    other_match.undo()
    assert match != other_match


def test_matches_that_differ_in_undone_actions_are_unequal() -> None:
    matches = [long_session(1) for _ in range(3)]
    for match, dice in zip(matches, ((3, 1), (3, 1), (4, 1)), strict=True):
        match.roll(dice)
        match.undo()
    assert matches[0] == matches[1] != matches[2]


def test_results_are_stored_once() -> None:
    match = Match.from_json(long_session(200).to_json(complete=True))
    assert len(match.states) > 800
    # A result is not referenced by every later state.
    assert sys.getrefcount(match.state.ended._last) < 20
    first_state = next(state for state in match.states if len(state.ended) == 1)
    assert sys.getrefcount(next(iter(first_state.ended))) < 20
    assert match.results == match.state.results == tuple(match.state.ended)
    assert [result.winner for result in match.results] == [index % 2 for index in range(200)]


def test_lists_of_ended_games_are_compared_by_value() -> None:
    state, equal_state = long_session(3).state, long_session(3).state
    assert state.ended == equal_state.ended
    assert hash(state) == hash(equal_state)
    assert state.ended != long_session(2).state.ended
    assert state.ended != state.results
    assert repr(state.ended) == repr(state.results)
    session = long_session(1100)  # more than the recursion limit
    assert pickle.loads(pickle.dumps(session.state)).results == session.results


def test_score_sheet() -> None:
    match = Match(None, RuleSet(beavers=True, automatic_doubles=1, premature_roll="void"))
    for dice in ((4, 4), (2, 2), (3, 1)):
        match.roll(dice)
    match.roll_again((6, 2))
    match.play("24/16", end_turn=False)
    match.play("13/8", unchecked=True, end_turn=False)
    match.roll((6, 6))
    match.end_turn()
    match.challenge()
    match.play("24/18 13/11")
    match.resign(2)
    match.refuse_resignation()
    match.double()
    match.beaver()
    match.take()
    match.roll((5, 5))
    match.play("8/3(2) 6/1(2)*")
    match.resign()
    match.accept_resignation()
    match.next_game()
    match.roll((1, 2))
    assert (
        match.score_sheet().splitlines()
        == """\
Game 1: X 0, O 0
     X                                   O
opening roll 4-4: a tie, the cube shows 2
opening roll 2-2: a tie
  1) 31: rolled again
  2) 62: 13/8 (illegal)
O rolls 6-6 too early: void
  3)                                     Challenges
  4) 62: 24/18 13/11                     Resigns a gammon
  5) Refuses                             Doubles to 4
  6) Beavers to 8                        Takes
  7)                                     55: 8/3(2) 6/1*(2)
  8) Resigns a single                    Accepts
O wins 8 points (single, resignation)

Game 2: X 0, O 8
     X                                   O
  1)                                     12:""".splitlines()
    )


def test_a_match_lists_its_games() -> None:
    match = Match(3, dice=[(3, 1), (2, 1)])
    match.roll()
    match.play("8/5 6/5")
    match.resign(2)
    match.accept_resignation()
    match.next_game()
    match.roll()
    first_game, second_game = match.games
    assert (*first_game.history, match.history[4], *second_game.history) == match.history
    assert (first_game.result, second_game.result) == (match.results[0], None)
    assert second_game.state.match == match.state.game.match
    assert second_game.position == match.position
    for game in match.games:
        assert Game.from_json(game.to_json()) == game
    second_game.play("24/23 13/11")  # the games are copies
    assert match.phase == "to_play"
    match.undo()
    match.undo()
    assert [len(game.history) for game in match.games] == [4]


def test_games_of_recorded_matches_contain_all_results_and_actions() -> None:
    for path in sorted((Path(__file__).parents[1] / "data" / "records").rglob("*.mat")):
        match = load_match(path)
        assert tuple(game.result for game in match.games if game.result is not None) == match.results
        assert sum(game.action_count for game in match.games) == match.action_count - len(match.games) + 1
