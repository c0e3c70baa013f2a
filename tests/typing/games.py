"""Static types of games and matches; type checkers read this file, which is never run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from typing_extensions import assert_type

import bgfast
from bgfast import Game, Match
from bgfast.games import Action, Cube, GameResult, Moved
from bgfast.games.state import ActionName, GamePhase

game = Game(rules="exact", dice=[(3, 1)], cube=Cube(2, owner=0))
match = Match(7, score=(2, 3), dice=np.random.default_rng(1))


def games() -> None:
    assert_type((game.roll(), game.roll((3, 1), by=0)), tuple[tuple[int, int], tuple[int, int]])
    assert_type((game.on_turn, game.to_act, game.cube.owner), tuple[int | None, int | None, int | None])
    assert_type(game.dice, tuple[int, int] | None)
    assert_type(game.history[0].name, ActionName)
    assert_type(game.state.moved, Moved | None)
    assert_type((game.phase, game.state.resumes), tuple[GamePhase, GamePhase])
    assert_type(game.legal_actions(), tuple[ActionName, ...])
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
    assert_type((match.length, match.winner), tuple[int | None, int | None])
    assert_type((Match.from_json(""), Match.from_decision("", dice=1)), tuple[Match, Match])

    Match("7")  # type: ignore[arg-type]
    Match()  # type: ignore[call-arg]
    game.next_game()  # type: ignore[attr-defined]


def records() -> None:
    assert_type(bgfast.load_match("match.mat").findings, tuple[bgfast.games.Finding, ...])
    assert_type(
        bgfast.games.Finding("note", "result", "", "", 1, 1).severity, Literal["note", "warning", "error"]
    )
    assert_type(bgfast.load_match("match.mat"), Match)
    assert_type(bgfast.records.load_matches("matches.sgf"), Iterator[Match])
    assert_type(bgfast.records.load_games("matches.sgf"), Iterator[Match])


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
