"""Static types of games and matches; type checkers read this file, which is never run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import bgfast
from bgfast import Game, Match, PlayList
from bgfast.games import Action, Cube, GameResult, GameState, MatchScore, MatchState, Moved
from bgfast.games.state import ActionName, GamePhase

game = Game(rules="exact", dice=[(3, 1)], cube=Cube(2, owner=0))
match = Match(7, score=(2, 3), dice=np.random.default_rng(1))


def games() -> None:
    assert_type((game.roll(), game.roll((3, 1), by=0)), tuple[tuple[int, int], tuple[int, int]])
    assert_type(game.draw_lot(), int)
    assert_type(game.plays(), PlayList)
    assert_type(game.next_moves(), bgfast.NextMoves)
    assert_type(game.play_so_far([(8, 5)]), bgfast.PlaySoFar)
    assert_type(game.board(0), npt.NDArray[np.int8])
    assert_type((game.on_turn, game.to_act, game.cube.owner), tuple[int | None, int | None, int | None])
    assert_type(game.dice, tuple[int, int] | None)
    assert_type(game.cube, Cube)
    assert_type(game.rules, bgfast.RuleSet)
    assert_type(game.position, bgfast.Position)
    assert_type(game.history, tuple[Action, ...])
    assert_type(game.history[0].name, ActionName)
    assert_type(game.state, GameState)
    assert_type(game.states, tuple[GameState, ...])
    assert_type(game.state.moved, Moved | None)
    assert_type((game.phase, game.state.resumes), tuple[GamePhase, GamePhase])
    assert_type(game.legal_actions(), tuple[ActionName, ...])
    assert_type((game.xgid, game.score_sheet(), game.to_json()), tuple[str, str, str])
    assert_type(game.to_json(complete=True), str)
    assert_type(Game.from_json(""), Game)
    assert_type(Game.from_decision(bgfast.Decision.read(""), "exact"), Game)
    assert_type(game.result, GameResult | None)
    if game.result is not None:
        assert_type(game.result.winner, int)
        assert_type(game.result.ending, Literal["bearoff", "drop", "resignation", "unexplained"])
    game.play("8/5 6/5", end_turn=False)
    game.play(game.plays()[0])
    game.play([(8, 5), (6, 5)], unchecked=True)
    for action in (game.double, game.take, game.drop, game.beaver, game.pass_turn, game.end_turn, game.undo):
        assert_type(action(), None)
    game.resign(2, by=1)

    Game(rules="exactly")  # type: ignore[arg-type]
    Game(dice="31")  # type: ignore[arg-type]
    game.roll(3)  # type: ignore[arg-type]
    game.play(8, 5)  # type: ignore[call-arg, arg-type]
    game.phase = "over"  # type: ignore[misc]
    print(game.result.winner)  # type: ignore[union-attr]
    Action("rol")  # type: ignore[arg-type]
    if game.phase == "to roll":  # type: ignore[comparison-overlap]
        pass


def matches() -> None:
    assert_type(match.state, MatchState)
    assert_type(match.states, tuple[MatchState, ...])
    assert_type(match.state.game, GameState)
    assert_type((match.score, MatchScore(7, (2, 3)).away), tuple[tuple[int, int], tuple[int, int]])
    assert_type((match.length, match.winner), tuple[int | None, int | None])
    assert_type(match.results, tuple[GameResult, ...])
    assert_type(match.legal_actions(), tuple[ActionName, ...])
    assert_type(match.phase, GamePhase)
    assert_type((Match.from_json(""), Match.from_decision("", dice=1)), tuple[Match, Match])
    match.next_game()

    Match("7")  # type: ignore[arg-type]
    Match()  # type: ignore[call-arg]
    game.next_game()  # type: ignore[attr-defined]


def records() -> None:
    assert_type(bgfast.load_match("match.mat").findings, tuple[bgfast.games.Finding, ...])
    assert_type(
        bgfast.games.Finding("note", "result", "", "", 1, 1).severity, Literal["note", "warning", "error"]
    )
    assert_type(bgfast.load_match("match.mat"), Match)
    assert_type(bgfast.records.read_match(match.to_mat()), Match)
    assert_type(bgfast.records.load_matches("matches.sgf"), Iterator[Match])
    assert_type(bgfast.records.load_games("matches.sgf"), Iterator[Match])
    assert_type(match.info, bgfast.games.MatchInfo)
    assert_type(match.to_sgf(), str)


def errors() -> None:
    error_types: list[type[bgfast.BgfastError]] = [
        bgfast.errors.IllegalActionError,
        bgfast.IllegalPlayError,
        bgfast.InvalidDiceError,
        bgfast.errors.InvalidGameError,
        bgfast.InvalidPositionError,
        bgfast.errors.InvalidRulesError,
        bgfast.NotationError,
        bgfast.errors.RecordError,
        bgfast.errors.RolloutError,
    ]
    values: list[type[ValueError]] = [*error_types]
    print(error_types, values)
