"""Game: legal actions, dice, illegal plays, history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import EXACT, STANDARD, Game, Position, RuleSet
from bgfast.errors import IllegalActionError
from bgfast.games import Cube, GameResult, GameState
from tests.support.games import bear_off, near_win

CLOSED_OUT = Position.from_array([0] * 19 + [-2] * 6 + [1])


def game_after(*actions: Callable[[Game], object], rules: RuleSet = STANDARD) -> Game:
    """Return a game after some actions; X is on roll first."""
    game = Game(rules, on_turn=0)
    for act in actions:
        act(game)
    return game


def roll_31(game: Game) -> None:
    game.roll((3, 1))


def make_play(game: Game) -> None:
    game.roll((3, 1))
    game.play("8/5 6/5", end_turn=False)


def play_illegally(game: Game) -> None:
    game.roll((3, 1))
    game.play("13/8", unchecked=True)


# ---- legal actions

BEAVERS = RuleSet(beavers=True)


def draw_lot(game: Game) -> Game:
    game.draw_lot(1)
    return game


def resigned_game(game: Game, level: int, *actions: Callable[[Game], object]) -> Game:
    """Let O resign after some actions, and return the game."""
    for act in actions:
        act(game)
    game.resign(level, by=1)
    return game


def closed_out_game() -> Game:
    game = Game(position=CLOSED_OUT, on_turn=0)
    game.roll((6, 5))
    return game


ANSWERS = "accept_resignation refuse_resignation"
# Game, legal actions, player to act, and status.
MOMENTS = """
Game()                                   | roll                         | None | opening roll: one die each
Game(EXACT)                              | draw_lot                     | None | the lot decides the colours
draw_lot(Game(EXACT))                    | roll resign                  | 1    | O on roll
game_after()                             | roll double resign           | 0    | X on roll
game_after(roll_31)                      | play roll_again resign       | 0    | X to play 3-1
game_after(make_play)                    | roll play end_turn           | 0    | X to end the turn
game_after(play_illegally)               | roll double challenge resign | 1    | O on roll
game_after(play_illegally, Game.challenge) | play resign | 0 | X to play 3-1
game_after(Game.double)                  | take drop                    | 1    | X offers a double
game_after(Game.double, rules=BEAVERS)   | take drop beaver             | 1    | X offers a double
game_after(Game.double, Game.beaver, rules=BEAVERS) | take drop raccoon | 0 | O offers a beaver
game_after(Game.double, Game.beaver, Game.raccoon, rules=BEAVERS) | take drop | 1 | X offers a raccoon
game_after(Game.double, Game.take)       | roll resign                  | 0    | X on roll
game_after(Game.resign)                  | ANSWERS | 1    | X resigns a single; O to answer
resigned_game(Game(), 3)                 | ANSWERS | 0    | O resigns a backgammon; X to answer
resigned_game(game_after(), 2, roll_31)  | ANSWERS | 0    | O resigns a gammon; X to answer
resigned_game(game_after(), 2, Game.double) | ANSWERS | 0 | O resigns a gammon; X to answer
game_after(Game.resign, Game.refuse_resignation) | roll double resign | 0 | X on roll
closed_out_game()                        | pass_turn roll_again resign  | 0    | X to play 6-5
game_after(Game.double, Game.drop)       |                              | None | X wins 1 point (single, drop)
"""


ACTIONS: dict[str, Callable[[Game], object]] = {
    **{name: getattr(Game, name) for name in "double take drop beaver raccoon pass_turn end_turn".split()},
    **{name: getattr(Game, name) for name in f"challenge resign {ANSWERS}".split()},
    "draw_lot": lambda game: game.draw_lot(0),
    "roll": lambda game: game.roll((6, 4)),
    "roll_again": lambda game: game.roll_again((6, 4)),
    "play": lambda game: game.play("24/23 13/10"),
}


def test_exactly_the_listed_actions_are_legal() -> None:
    for row in MOMENTS.strip().replace("ANSWERS", ANSWERS).splitlines():
        expression, names, to_act, status = map(str.strip, row.split("|"))
        for action, act in ACTIONS.items():
            game = eval(expression)
            assert (game.legal_actions(), game.to_act) == (tuple(names.split()), eval(to_act)), expression
            state, text = game.state, game.to_json(complete=True)
            if action in names.split():
                act(game)
                assert game.history[-1].name == action
                continue
            with pytest.raises(IllegalActionError, match=f"^{action}: ."):
                act(game)
            assert (game.state, game.to_json(complete=True)) == (state, text)
        game = eval(expression)
        for source in (game, game.state, replace(bgfast.Match(None, game.rules).state, game=game.state)):
            assert source.status == status
            picture = bgfast.svg(source)
            assert f"<title>Backgammon position: {status}</title>" in picture
            assert f">{status}</text>" in picture


def test_only_the_player_on_turn_may_act() -> None:
    game = game_after(Game.double)
    text = game.to_json(complete=True)
    with pytest.raises(IllegalActionError, match="take: it is O's turn to act, not X's"):
        game.take(by=0)
    assert game.to_json(complete=True) == text
    game.take(by=1)
    assert game.roll((3, 1), by=0) == (3, 1)
    opening = Game()
    opening.roll((3, 1), by=1)  # each player throws one die


def test_notations_of_a_play_are_equivalent() -> None:
    games = [game_after(roll_31) for _ in range(4)]
    games[0].play("8/5 6/5")
    games[1].play("6-5, 8-5")
    games[2].play([(8, 5), (6, 5)])
    games[3].play(next(play for play in games[3].plays() if str(play) == "8/5 6/5"))
    assert all(game == games[0] for game in games)


def test_notations_of_a_pass_are_equivalent() -> None:
    for pass_action in (
        Game.pass_turn,
        lambda game: game.play("pass"),
        lambda game: game.play("pass", unchecked=True),
        lambda game: game.play([]),
        lambda game: game.play((), unchecked=True),
        lambda game: game.play(iter([])),
        lambda game: game.play(iter([]), unchecked=True),
        lambda game: game.play([(-1, -1)] * 4),  # padding as in an array of moves
    ):
        game = closed_out_game()
        pass_action(game)
        assert Game.from_json(game.to_json(complete=True)) == game
        assert (game.on_turn, game.position, game.state.moved) == (1, CLOSED_OUT.flip(), None)
        assert game.history[-1].name == "pass_turn"


# ---- the end of a turn and illegal plays


def test_a_play_can_be_changed_before_the_end_of_the_turn() -> None:
    game = game_after(make_play)
    assert game.position == Position.start()
    game.play("24/20", end_turn=False)
    game.end_turn()
    assert game.position == Position.start().play("24/20", (3, 1))
    assert game.state.moved is None


def test_plays_are_read_from_iterators() -> None:
    legal_game, iterator_game, list_game = game_after(roll_31), game_after(roll_31), game_after(roll_31)
    legal_game.play(iter([(8, 5), (6, 5)]))
    assert legal_game.history[-1].text == "8/5 6/5"
    iterator_game.play(iter([(8, 5), (6, 4)]), unchecked=True)
    list_game.play([(8, 5), (6, 4)], unchecked=True)
    assert iterator_game == list_game


def test_a_challenge_takes_back_an_illegal_play() -> None:
    for play in ("13/8", "24/23", "8/7 6/2", "pass", [(8, 3)], [(1, 8, 7, False)], "6/off"):
        game = game_after(roll_31)
        state = game.state
        game.play(play, unchecked=True)
        assert not game.state.moved.legal
        assert game.history[-1].unchecked
        assert Game.from_json(game.to_json(complete=True)) == game
        game.challenge()
        assert (game.position, game.dice, game.on_turn) == (state.position, state.dice, state.on_turn)
        game.play("8/5 6/5")


def exact_bear_off() -> Game:
    game = Game(EXACT, position=Position.from_array([0, 5] + [0] * 4 + [2] + [0] * 17 + [-2, 0]), on_turn=0)
    game.roll((5, 4))
    return game


def test_illegal_plays_keep_their_forfeits() -> None:
    plays: list[tuple[Any, str]] = [
        ("6/3 f5", "6/3 F5"),
        ("F5, 6-3", "6/3 F5"),
        ([(6, 3), (5, 5)], "6/3 F5"),
        ([(5, 5, 5, False), (4, 6, 3, False)], "6/3 F5"),
        (iter([(5, 5), (5, 5), (6, 3)]), "6/3 F5(2)"),
        ("6/3 F3", "6/3 F3"),  # unchecked plays can forfeit any die
    ]
    for play, text in plays:
        game = exact_bear_off()
        old_state = game.state
        game.play(play, unchecked=True)
        assert (game.history[-1].text, game.history[-1].unchecked) == (text, True)
        assert f" 54: {text} (illegal)" in game.score_sheet()
        new_state = game.state
        restored = Game.from_json(game.to_json(complete=True))
        assert (restored, restored.history[-1].text) == (game, text)
        game.undo()
        assert game.state == old_state
        assert Game.from_json(game.to_json(complete=True)) == game
        game.redo()
        assert (game.state, game.history[-1].text) == (new_state, text)


def test_unchecked_legal_plays_have_the_legal_forfeits() -> None:
    # docs/RULES.md: "Two plays are equal when they end in the same position"
    for play, text in (
        ("6/2", "6/2 F5"),
        ("6/2 F6", "6/2 F5"),
        ([(6, 2), (5, 5)], "6/2 F5"),
        ("F5", "F5 F4"),
        ("pass", "F5 F4"),
    ):
        game = exact_bear_off()
        game.play(play, unchecked=True)
        assert (game.history[-1].text, game.history[-1].unchecked) == (text, False)


def test_forfeits_alone_are_a_pass() -> None:
    for play in ("F5 F6", [(6, 6)]):
        game = closed_out_game()
        game.play(play, unchecked=True)
        assert (game.history[-1].name, game.state.moved) == ("pass_turn", None)


def test_unchecked_plays_hit() -> None:
    board = Position.start().to_array()
    board[[4, 1]] = -1, -1
    game = Game(position=Position.from_array(board), on_turn=0)
    game.roll((6, 6))
    game.play("8/4", unchecked=True)
    opponent_board = game.position.flip().to_array()
    assert (opponent_board[8], opponent_board[4], opponent_board[0]) == (2, 1, -1)


def test_an_illegal_play_may_replace_a_pass() -> None:
    game = closed_out_game()
    game.play("bar/18", unchecked=True, end_turn=False)
    assert "pass_turn" in game.legal_actions()
    game.end_turn()
    assert "challenge" in game.legal_actions()


def test_resigning_does_not_accept_an_illegal_play() -> None:
    game = game_after(play_illegally, Game.resign, Game.refuse_resignation)
    assert "challenge" in game.legal_actions()


# ---- resignations


def test_points_of_accepted_resignations() -> None:
    """Under the Jacoby rule a gammon counts as a single game until a double is accepted."""
    for level, player, jacoby in product((1, 2, 3), (0, 1), (False, True)):
        game = Game(RuleSet(jacoby=jacoby), on_turn=player, cube=Cube(2))
        game.resign(level)
        assert game.to_act == 1 - player
        game.accept_resignation()
        counted_level = 1 if jacoby else level
        assert game.result == GameResult(1 - player, 2 * counted_level, counted_level, "resignation")


def test_refused_resignations_change_nothing() -> None:
    for game in (
        game_after(),
        game_after(roll_31),
        game_after(play_illegally),
        game_after(play_illegally, Game.challenge),
    ):
        state = game.state
        game.resign(3)
        game.refuse_resignation()
        assert game.state == state


# ---- dice


def test_the_same_seed_gives_the_same_dice() -> None:
    def roll_dice(source: Any) -> list[tuple[int, int]]:
        game = Game(dice=source, on_turn=0)
        results = [game.roll()]
        results += [game.roll_again() for _ in range(20)]
        return results

    assert roll_dice(7) == roll_dice(7) == roll_dice(np.random.default_rng(7)) != roll_dice(8)
    assert roll_dice(roll_dice(7)) == roll_dice(7)
    assert roll_dice(np.array(roll_dice(7))) == roll_dice(7)


def test_dice_are_fair() -> None:
    game = Game(dice=1, on_turn=0)
    game.roll()
    counts = np.zeros((7, 7), int)
    for _ in range(3600):
        counts[game.roll_again()] += 1
    assert counts[1:, 1:].sum() == 3600
    assert 55 < counts[1:, 1:].min() < counts[1:, 1:].max() < 150


def test_the_lot_is_fair() -> None:
    assert 60 < sum(Game(EXACT, dice=seed).draw_lot() for seed in range(200)) < 140


def test_the_lot_can_be_given_with_the_dice() -> None:
    game = Game(EXACT, dice=[1, (6, 6)])
    assert (game.draw_lot(), game.roll(), game.on_turn) == (1, (6, 6), 1)


# ---- the history


def test_refused_actions_keep_the_redo_history() -> None:
    game = game_after(roll_31)
    game.undo()
    with pytest.raises(IllegalActionError):
        game.take()
    game.redo()
    assert game.dice == (3, 1)


# ---- score sheets, large cubes and texts


@pytest.mark.parametrize("unchecked", [False, True])
def test_plays_of_a_score_sheet_are_read(unchecked: bool) -> None:
    game = Game(on_turn=0)
    game.roll((6, 5))
    game.play("65: 24/13", unchecked=unchecked)
    assert game.history[-1].text == "24/13"
    game.undo()
    game.play("56: 24/14", unchecked=True)
    assert (game.history[-1].text, game.history[-1].unchecked) == ("24/14", True)
    pass_game = closed_out_game()
    pass_game.play("65: no play", unchecked=unchecked)
    assert pass_game.history[-1].name == "pass_turn"


def test_cube_values_may_be_any_power_of_two() -> None:
    assert [Cube(2**power, owner=1).value for power in range(31)] == [2**power for power in range(31)]
    assert Cube(np.int64(4)) == Cube(4)  # type: ignore[arg-type]


def test_no_double_beyond_the_largest_cube() -> None:
    game = Game(RuleSet(beavers=True), on_turn=0, cube=Cube(2**29))
    game.double()
    assert game.legal_actions() == ("take", "drop")
    game.take()
    game.roll((3, 1))
    game.play("8/5 6/5")
    assert game.cube == Cube(2**30, owner=1)
    assert game.legal_actions() == ("roll", "resign")
    game = Game(RuleSet(beavers=True), on_turn=0, cube=Cube(2**28))
    game.double()
    game.beaver()
    game.take()
    assert game.cube == Cube(2**30, owner=1)


def test_ties_do_not_double_the_largest_cube() -> None:
    for limit in (0, 2**40):
        game = Game(RuleSet(automatic_doubles=40, cube_limit=limit))
        for _ in range(35):
            game.roll((4, 4))
        assert (game.cube, game.phase) == (Cube(2**30), "opening")
        assert Game.from_json(game.to_json(complete=True)) == game


def test_states_are_compared_by_value() -> None:
    states: set[GameState] = {game_after().state, game_after().state, game_after(roll_31).state}
    assert len(states) == 2
    assert game_after() != game_after(roll_31)
    assert game_after() != "a game"
    with pytest.raises(TypeError):
        hash(game_after())
    with pytest.raises(AttributeError):
        game_after().state.phase = "over"  # type: ignore[misc]


def test_text_of_a_game() -> None:
    game = Game(position=near_win({6: 15}), on_turn=0)
    assert repr(game).startswith("<Game: to_roll, 0 actions, Position.from_gnubg_id(")
    bear_off(game)
    assert str(game.result) == "2 points (gammon, bearoff)"


@pytest.mark.parametrize(
    ("make_game", "cube"),
    [(Game, 1), (partial(bgfast.Match, 3), 1), (partial(Game, RuleSet(automatic_doubles=1)), 2)],
)
def test_status_after_an_opening_tie(make_game: Any, cube: int) -> None:
    game = make_game(dice=[(4, 4), (6, 6), (2, 5)])
    assert (game.status, game.state.status) == ("opening roll: one die each",) * 2
    for dice in ("4-4", "6-6"):
        game.roll()
        status = f"{dice} is a tie: roll again"
        assert (game.on_turn, game.dice, game.legal_actions()) == (None, None, ("roll",))
        assert game.cube == Cube(cube)
        assert (game.status, game.state.status) == (status, status)
        assert f"<title>Backgammon position: {status}</title>" in bgfast.svg(game)
        assert type(game).from_json(game.to_json()).state == game.state
        for action, message in (
            (game.plays, f"plays: there is no roll to be played; {status}"),
            (game.next_moves, f"next_moves: there is no roll to be played; {status}"),
            (game.pass_turn, f"pass_turn: {status}"),
            (lambda: game.play("8/5 6/5"), f"play: {status}"),
            (game.double, f"double: {status}"),
        ):
            with pytest.raises(IllegalActionError, match=f"^{message}$"):
                action()
    game.roll()
    assert (game.on_turn, game.status) == (1, "O to play 5-2")
    game.undo()
    assert game.status == "6-6 is a tie: roll again"
