"""Games as JSON: round trips, damaged files, hidden future dice."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from bgfast import Game, InvalidDiceError, Match, Position, RuleSet
from bgfast.cli.game import act_at_random
from bgfast.errors import IllegalActionError, InvalidGameError
from bgfast.games import Cube, MatchScore

BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")


@pytest.mark.parametrize("name", BIT_GENERATORS)
def test_restored_generators_continue(name: str) -> None:
    generator = np.random.Generator(getattr(np.random, name)(7))
    generator.random(3)
    generator.integers(10, dtype=np.uint16)  # half a number remains in the buffer
    game = Game(dice=generator, on_turn=0)
    game.roll()
    restored = Game.from_json(game.to_json(complete=True))
    assert [game.roll_again() for _ in range(50)] == [restored.roll_again() for _ in range(50)]
    assert restored == game


def test_games_with_all_actions_are_restored() -> None:
    rules = RuleSet(jacoby=True, beavers=True, automatic_doubles=2, premature_roll="void")
    game = Game(rules, dice=[(3, 3), (3, 1), (3, 2), (6, 4), (5, 1), (2, 2)], position=Position.nackgammon())
    game.roll()
    game.roll()
    game.roll_again()
    game.play("13/8", end_turn=False)
    game.roll()
    game.play([(24, 4)], unchecked=True)
    game.challenge()
    game.resign(2)
    game.refuse_resignation()
    game.play("24/21 13/11")
    game.double()
    game.beaver()
    game.take()
    game.roll()
    game.undo()
    game.undo()
    assert len(game.history) == 12
    restored = Game.from_json(game.to_json(complete=True))
    assert restored == game
    restored.redo()
    restored.redo()
    assert (restored.dice, restored.cube) == ((5, 1), Cube(8, owner=0))


def test_games_from_other_positions_are_restored() -> None:
    hypergammon = Game(position=Position.hypergammon(), dice=7)
    rng = np.random.default_rng(1)
    while hypergammon.result is None:
        act_at_random(hypergammon, rng)
    assert Game.from_json(hypergammon.to_json(complete=True)) == hypergammon
    game = Game(on_turn=1, cube=Cube(4, owner=1), match=MatchScore(9, (8, 2), crawford=False))
    assert Game.from_json(game.to_json(complete=True)) == game
    assert Game.from_json(game.to_json(complete=True)) != Game(on_turn=1, cube=Cube(4, owner=1))


def saved_fields() -> dict[str, Any]:
    game = Game(dice=7)
    rng = np.random.default_rng(7)
    for _ in range(6):
        act_at_random(game, rng, cube=False)
    fields: dict[str, Any] = json.loads(game.to_json(complete=True))
    names = [action["action"] for action in fields["actions"]]
    assert names == ["roll", "play", "roll", "play", "roll", "play"]
    return fields


def set_value(fields: Any, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        fields = fields[key]
    fields[path[-1]] = value


TEST_VALUES = (None, True, -1, 3, 2**70, 1.5, float("nan"), "", "x", "\u0663", [], [1], [3, 1], {}, {"a": 1})


def value_paths(fields: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all nested values."""
    keys = fields if isinstance(fields, dict) else range(len(fields)) if isinstance(fields, list) else ()
    for key in keys:
        yield (key,)
        yield from ((key, *path) for path in value_paths(fields[key]))


def test_damaged_games_are_refused_or_valid() -> None:
    text = json.dumps(saved_fields())
    Game.from_json(json.dumps({**saved_fields(), "dice": None}))  # the dice may have been entered by hand
    refusal_count = 0
    for path in list(value_paths(saved_fields())):
        for value in TEST_VALUES:
            fields = json.loads(text)
            set_value(fields, path, value)
            try:
                game = Game.from_json(json.dumps(fields))
            except InvalidGameError:
                refusal_count += 1
            else:
                assert Game.from_json(game.to_json(complete=True)) == game
    assert refusal_count > 500


@pytest.mark.parametrize(
    "dice", [lambda: 7, lambda: np.random.default_rng(7), lambda: [(3, 1), (6, 5), (2, 1), (4, 4), (5, 2)]]
)
@pytest.mark.parametrize("make_game", [lambda dice: Game(dice=dice), lambda dice: Match(3, dice=dice)])
def test_player_views_hide_future_dice(make_game: Callable[[Any], Game], dice: Callable[[], Any]) -> None:
    game, other_game = make_game(dice()), make_game(dice())
    for current_game in (game, other_game):
        current_game.roll()
        current_game.play(current_game.plays()[0])
        state = current_game.state
        current_game.roll()
        current_game.undo()  # a redo would repeat the roll
    text = game.to_json()
    assert '"dice": null' in text
    assert "generator" not in text
    assert text.count('"roll"') == 1
    restored = type(game).from_json(text)
    assert (restored.state, restored.history, restored.score_sheet()) == (
        state,
        game.history,
        game.score_sheet(),
    )
    assert restored.to_json() == text
    with pytest.raises(InvalidDiceError, match=r"entered by hand; .* from to_json\(complete=True\)"):
        restored.roll()
    with pytest.raises(IllegalActionError, match="redo"):
        restored.redo()
    # With the dice of the game, the restored game reaches the same state.
    restored.roll(game.roll())
    assert restored.state == game.state
    other_game.redo()
    assert game == other_game
    for restored in (type(game).from_json(game.to_json(complete=True)), pickle.loads(pickle.dumps(game))):
        assert restored == game
        assert restored.roll_again() == other_game.roll_again()
        other_game.undo()
