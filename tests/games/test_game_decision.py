"""Games from XGIDs, XGIDs of games, and boards seen from either side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Game, Match, NotationError, Position, RuleSet
from bgfast.cli.game import act_at_random
from bgfast.games import Cube, MatchScore

START = Position.start()
MATCH_XGID = "XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10"


def restore_from_xgid(game: Any) -> Any:
    """Return a new game from the XGID of a game."""
    game_type = Game if isinstance(game, Game) else Match
    return game_type.from_decision(game.xgid, game.rules, checkers=game.position.checkers)


def test_games_are_restored_from_the_xgid_of_every_state() -> None:
    for seed in range(6):
        rules = RuleSet(beavers=bool(seed % 2), jacoby=seed % 3 == 0)
        game: Any = Game(rules, dice=seed) if seed % 4 else Match(None if seed else 2, rules, dice=seed)
        rng = np.random.default_rng(seed)
        count = 0
        while game.legal_actions() and game.action_count < 120:
            if game.on_turn is not None and game.phase not in ("over", "resigned", "moved", "first_roll"):
                restored = restore_from_xgid(game)
                for name in ("xgid", "position", "on_turn", "dice", "cube", "phase"):
                    assert getattr(restored, name) == getattr(game, name)
                assert restored.from_json(restored.to_json(complete=True)) == restored
                count += 1
            act_at_random(game, rng)
        assert count > 10


def test_a_game_begins_at_an_xgid() -> None:
    game = Game.from_decision(MATCH_XGID, dice=[(6, 5)])
    assert (game.on_turn, game.dice, game.cube) == (1, (3, 1), Cube(2, 1))
    assert game.state.match == MatchScore(7, (2, 3))
    assert game.history == ()
    game.play("8/5 6/5")
    assert game.roll() == (6, 5)
    assert Game.from_json(game.to_json(complete=True)) == game
    assert Game.from_decision(Decision.read(MATCH_XGID)).xgid == MATCH_XGID


def test_a_match_begins_at_an_xgid() -> None:
    match = Match.from_decision(MATCH_XGID, dice=7)
    assert (match.length, match.score, match.on_turn) == (7, (2, 3), 1)
    match.play("8/5 6/5")
    match.resign(2)
    match.accept_resignation()
    assert match.score == (2, 7) if match.history[-2].player == 0 else (6, 3)
    assert Match.from_json(match.to_json(complete=True)) == match
    session = Match.from_decision("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:4:9:3:0:10")
    assert (session.length, session.score) == (None, (4, 9))
    assert session.rules == RuleSet(jacoby=True, beavers=True)
    assert session.xgid == "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:4:9:3:0:10"
    post_crawford = Match.from_decision("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:2:0:7:10")
    assert post_crawford.state.crawford_played
    assert post_crawford.state.game.match == MatchScore(7, (6, 2))


def test_offers_are_read_from_xgids() -> None:
    game = Game.from_decision("XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:2:0:10")
    assert (game.on_turn, game.to_act, game.legal_actions()) == (1, 0, ("take", "drop", "beaver"))
    game.beaver()
    assert ":B:" in game.xgid
    assert Game.from_decision(game.xgid).phase == "beavered"
    game.raccoon()
    assert game.xgid == "XGID=-b----E-C---eE---c-e----B-:0:0:-1:R:0:0:2:0:10"
    restored = Game.from_decision(game.xgid)
    assert (restored.phase, restored.to_act) == ("raccooned", 0)


def test_decisions_of_games_contain_the_offer_and_the_cube() -> None:
    match = Match(7, score=(2, 3), dice=[(4, 2), (6, 5)])
    match.roll()
    match.play("8/4 6/4")
    match.double()
    assert match.decision == Decision(
        position=match.position, turn=-1, offer="double", score=(3, 2), match_length=7
    )
    assert match.xgid == match.decision.xgid
    # A picture can show larger cubes than an XGID.
    large_cube = Game(on_turn=0, cube=Cube(2**20))
    assert large_cube.decision.cube == 2**20
    with pytest.raises(NotationError):
        _ = large_cube.xgid
    assert f">{2**20}<" in bgfast.svg(large_cube)
    large_cube.resign()
    large_cube.accept_resignation()
    assert f"O wins {large_cube.result}" in bgfast.svg(large_cube)


def test_xgids_before_the_opening() -> None:
    game = Game()
    assert game.xgid == START.xgid
    assert (game.board(0) == START.to_array()).all()
    match = Match(5)
    assert match.xgid.endswith(":0:0:0:5:10")


def test_boards_of_both_sides_are_mirrored() -> None:
    game = Game(dice=5)
    rng = np.random.default_rng(1)
    while game.legal_actions() and len(game.history) < 60:
        assert (game.board(0) == bgfast.flip(game.board(1)[None])[0]).all()
        assert (game.board(game.on_turn or 0) == game.position.to_array()).all()
        act_at_random(game, rng)
