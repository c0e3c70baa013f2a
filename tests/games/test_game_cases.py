"""Game cases G02 to G22 of docs/RULES.md."""

from __future__ import annotations

import pytest

from bgfast import EXACT, STANDARD, Game, Match, Position, RuleSet
from bgfast.errors import IllegalActionError
from bgfast.games import Cube, GameResult, MatchScore
from tests.support.games import BAR, bear_off, near_win

SCHEMES = ("standard", "bar_home_beats_off", "not_all_home")
WINNERS_HOME = range(19, 24)  # the winner's last checker is on the loser's 24 point


def points_won(loser: dict[int, int], rules: RuleSet, **options: object) -> int:
    """Return the points for bearing off the last checker; -1 if they differ between the players."""
    points = set()
    for player in (0, 1):
        game = Game(rules, position=near_win(loser), on_turn=player, **options)  # type: ignore[arg-type]
        bear_off(game)
        assert (game.result.winner, game.result.ending) == (player, "bearoff")
        assert game.result.points == game.cube.value * game.result.level
        assert game.legal_actions() == ()
        points.add(game.result.points)
    return points.pop() if len(points) == 1 else -1


def test_g02_to_g08_points_by_the_losers_checkers_and_the_win_scheme() -> None:
    cases: list[tuple[dict[int, int], tuple[int, int, int]]] = [
        ({6: 5, 3: 9}, (1, 1, 1)),  # G02: one checker is off, the rest are home
        ({6: 10, 1: 5}, (2, 2, 2)),  # G03: no checker is off, all are home
        ({10: 1, 4: 14}, (2, 2, 3)),  # G04: no checker is off, one is on the loser's 10 point
        *(({point: 1, 4: 14}, (3, 3, 3)) for point in WINNERS_HOME),  # G05
        ({BAR: 1, 4: 14}, (3, 3, 3)),  # G06
        *(({point: 1, 4: 13}, (1, 3, 3)) for point in (BAR, *WINNERS_HOME)),  # G07: one checker is off
        ({10: 1, 4: 13}, (1, 1, 3)),  # G08: one checker is off
    ]
    for loser, points in cases:
        assert tuple(points_won(loser, RuleSet(win_scheme=scheme)) for scheme in SCHEMES) == points, loser


def test_g09_a_triple_win_with_the_cube_at_8() -> None:
    assert points_won({BAR: 1, 4: 14}, STANDARD, cube=Cube(8)) == 24


def test_g12_only_the_owner_of_the_cube_may_redouble() -> None:
    game = Game(on_turn=0)
    game.double()
    game.take()
    with pytest.raises(IllegalActionError, match="double: O owns the cube and alone may double"):
        game.double()
    game.roll((3, 1))
    game.play("8/5 6/5")
    game.roll((3, 1))
    game.play("8/5 6/5")
    assert "double" not in game.legal_actions()
    game.roll((6, 5))
    game.play("24/13")
    game.double()  # O owns the cube now
    assert game.to_act == 0


def test_g13_no_double_after_rolling_or_on_the_opponents_turn() -> None:
    game = Game(on_turn=0)
    game.roll((3, 1))
    with pytest.raises(IllegalActionError, match="the player on turn may double, and only before rolling"):
        game.double()
    game.play("8/5 6/5", end_turn=False)
    with pytest.raises(IllegalActionError, match="only the player on turn may double"):
        game.double(by=1)
    game.end_turn()
    with pytest.raises(IllegalActionError, match="it is O's turn to act, not X's"):
        game.double(by=0)
    game.double(by=1)


def test_g14_the_owner_of_a_cube_at_64_redoubles_to_128_in_money_play() -> None:
    game = Game(on_turn=0, cube=Cube(64, owner=0))
    game.double()
    game.take()
    assert game.cube == Cube(128, owner=1)


@pytest.mark.parametrize(("dice", "starter"), [((5, 3), 0), ((3, 5), 1)])
def test_g15_the_higher_opening_die_starts_and_plays_both(dice: tuple[int, int], starter: int) -> None:
    game = Game()
    assert game.roll(dice) == dice
    assert (game.on_turn, game.dice, game.phase) == (starter, dice, "to_play")
    with pytest.raises(IllegalActionError, match="roll: the dice have been rolled"):
        game.roll((6, 6))
    game.play("8/3 6/3")
    assert game.on_turn == 1 - starter


def test_g16_an_opening_tie_is_rolled_again() -> None:
    game = Game()
    game.roll((4, 4))
    assert (game.phase, game.on_turn, game.cube) == ("opening", None, Cube(1))
    assert game.legal_actions() == ("roll",)
    game = Game(RuleSet(automatic_doubles=1))
    game.roll((4, 4))
    assert (game.phase, game.cube) == ("opening", Cube(2))
    game.roll((6, 6))
    assert (game.phase, game.cube) == ("opening", Cube(2))
    game.roll((2, 1))
    game.play("13/11 6/5")
    game.double()  # the cube is centred
    game.drop()
    assert game.result.points == 2


@pytest.mark.parametrize("white", [0, 1])
def test_g17_whites_first_throw_may_be_a_double(white: int) -> None:
    game = Game(EXACT)
    assert game.legal_actions() == ("draw_lot",)
    with pytest.raises(IllegalActionError, match="roll: the lot has to decide the colours first"):
        game.roll((6, 6))
    game.draw_lot(white)
    assert game.on_turn == white
    with pytest.raises(IllegalActionError, match="double: there is no cube before White's first roll"):
        game.double()
    game.roll((6, 6))
    assert (game.phase, game.on_turn, len(game.plays())) == ("to_play", white, 11)
    game.play(game.plays()[0])
    assert "double" in game.legal_actions()


def test_g17_a_first_roll_of_6_6_is_impossible_under_high_die() -> None:
    game = Game()
    game.roll((6, 6))
    assert game.phase == "opening"
    with pytest.raises(IllegalActionError, match="draw_lot: 6-6 is a tie: roll again"):
        game.draw_lot(0)


def test_g18_gammons_under_the_jacoby_rule() -> None:
    jacoby = RuleSet(jacoby=True)
    loser = {6: 10, 1: 5}
    assert points_won(loser, jacoby) == 1
    assert points_won({BAR: 1, 4: 14}, jacoby) == 1
    assert points_won(loser, jacoby, match=MatchScore(7)) == 2  # "Match play adds ... no Jacoby"
    game = Game(jacoby, position=near_win(loser), on_turn=0)
    game.double()
    game.take()
    bear_off(game)
    assert game.result.points == 4


def test_g18_automatic_doubles_do_not_count_for_jacoby() -> None:
    game = Game(RuleSet(jacoby=True, automatic_doubles=1), position=near_win({6: 10, 1: 5}))
    game.roll((3, 3))
    game.roll((2, 1))
    game.play(game.plays()[0])
    assert (game.result.points, game.result.level) == (2, 1)


@pytest.mark.parametrize("doubler", [0, 1])
@pytest.mark.parametrize("cube", [1, 2])
@pytest.mark.parametrize("offers", ["double", "double beaver", "double beaver raccoon"])
def test_g10_g11_and_g19_answers_to_offers(offers: str, cube: int, doubler: int) -> None:
    """Each offer doubles the stake; a drop loses the stake before the last offer."""
    *_, last_offer = names = offers.split()
    answerer = doubler if last_offer == "beaver" else 1 - doubler

    def offered_game() -> Game:
        owner = None if cube == 1 else doubler
        game = Game(RuleSet(beavers=True), on_turn=doubler, cube=Cube(cube, owner))
        for name in names:
            getattr(game, name)()
        counter_offers = {"double": ("beaver",), "beaver": ("raccoon",)}.get(last_offer, ())
        assert (game.to_act, game.legal_actions()) == (answerer, ("take", "drop", *counter_offers))
        return game

    stake = cube * 2 ** len(names)
    taken_game = offered_game()
    assert Game.from_json(taken_game.to_json()).state == taken_game.state
    taken_game.take()
    assert (taken_game.cube, taken_game.on_turn) == (Cube(stake, owner=1 - doubler), doubler)
    assert taken_game.legal_actions() == ("roll", "resign")
    dropped_game = offered_game()
    dropped_game.drop()
    assert dropped_game.result == GameResult(1 - answerer, stake // 2, 1, "drop")
    resigned_game = offered_game()
    resigned_game.resign(2, by=doubler)
    resigned_game.accept_resignation()
    assert (resigned_game.result.winner, resigned_game.result.points) == (1 - doubler, stake)


def test_g20_both_dice_are_rolled_again() -> None:
    game = Game(on_turn=0)
    state = game.state
    game.roll((6, 6))
    game.roll_again((2, 1))
    assert (game.dice, game.position) == ((2, 1), state.position)
    game.play("13/11 6/5", end_turn=False)
    with pytest.raises(IllegalActionError, match="roll_again: the turn has not ended"):
        game.roll_again((6, 6))


def test_g20_an_opening_roll_is_rolled_again_by_both() -> None:
    start = Position.from_array([0] * 4 + [3, 2] + [0] * 18 + [-3, 0])
    game = Game(position=start)
    game.roll((2, 5))
    assert (game.on_turn, game.position) == (1, start.flip())
    game.roll_again((4, 4))
    assert (game.on_turn, game.position, game.phase, game.dice) == (None, start, "opening", None)
    game.roll((6, 1))
    game.roll_again((5, 1))
    assert (game.on_turn, game.position, game.dice) == (0, start, (5, 1))


CONTACT = Position.start()
RACE = Position.from_array([0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5, -5, -5, -5] + [0] * 12)
# Either die enters, but then the other cannot be played, so the 6 has to be played.
FORCED = Position.from_array([0] * 18 + [-2, 0, -2, -2, -2, -2, 0, 1])


@pytest.mark.parametrize(
    ("rules", "position", "dice", "is_valid"),
    [
        ("void", CONTACT, (3, 1), False), ("void", RACE, (3, 1), True),
        ("void", FORCED, (6, 1), True), ("stands", CONTACT, (3, 1), True),
    ],
    ids=["contact", "race", "forced", "stands"],
)  # fmt: skip
def test_g21_premature_rolls(rules: str, position: Position, dice: tuple[int, int], is_valid: bool) -> None:
    game = Game(RuleSet(premature_roll=rules), position=position, on_turn=0)
    game.roll(dice)
    game.play(game.plays()[0], end_turn=False)
    state = game.state
    game.roll((6, 5), by=1)
    assert game.history[-1].player == 1
    if is_valid:
        assert (game.on_turn, game.dice, game.phase) == (1, (6, 5), "to_play")
        return
    assert (game.on_turn, game.dice, game.phase) == (0, dice, "moved")
    assert game.position == state.position
    game.end_turn()
    game.roll((2, 1))
    assert (game.on_turn, game.dice) == (1, (2, 1))


def test_g22_the_opponent_rolls_or_doubles_after_an_illegal_play() -> None:
    for act in (lambda game: game.roll((6, 5)), Game.double):
        game = Game(on_turn=0)
        game.roll((3, 1))
        game.play("13/8", unchecked=True)
        position = game.position
        assert "challenge" in game.legal_actions()
        act(game)
        assert (game.position, game.state.moved) == (position, None)
        with pytest.raises(IllegalActionError, match="challenge: there is no illegal play"):
            game.challenge()


def test_g22_the_opponent_challenges_an_illegal_play() -> None:
    match = Match(5)
    match.roll((3, 1))
    state = match.state
    match.play("13/8", unchecked=True)
    match.challenge()
    assert (match.position, match.on_turn, match.dice) == (state.game.position, 0, (3, 1))
    with pytest.raises(IllegalActionError, match="roll_again: the dice stand"):
        match.roll_again((6, 6))
    match.play("8/5 6/5")
    assert "challenge" not in match.legal_actions()
