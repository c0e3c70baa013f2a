"""Opponents: levels, cube decisions, resignations."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, Decision, Game, Match, Position, RuleSet
from bgfast.cli.game import act_at_random
from bgfast.evaluators import Pubeval
from bgfast.games.scoring import MAX_CUBE_VALUE, Cube
from bgfast.players.opponents import (
    OPPONENTS,
    NetworkOpponent,
    Opponent,
    is_pip_double,
    is_pip_take,
    opponent,
    simple_play,
)

LEAD = [0, 3, 3, 3, 3, 3] + [0] * 13 + [-2, -2, -4, -4, -3, 0, 0]  # a race: 45 pips against 56
DEFICIT = [0] * 4 + [3, 3, 3, 3, 3] + [0] * 11 + [-3, -3, -3, -3, -3, 0]  # a race: 90 pips against 45
EVEN_RACE = [0, 3, 3, 3, 3, 3] + [0] * 14 + [-3, -3, -3, -3, -3, 0]
# 34 pips against 35, but the twelve checkers on the ace point waste pips.
WASTE = [0, 12, 0, 0, 0, 0, 1, 0, 2] + [0] * 10 + [-2, -3, -2, 0, 0, 0, 0]
BLOTS = [0, 0, 6, 7] + [0] * 6 + [1, 1, 0, -1, 0, 0, 0, -1, 0, 0, 0, 0, -3, -1, -9, 0]  # 54 pips against 40
# Two opposing checkers are closed out and others are far from home, so most wins are gammons.
TOO_GOOD = [-2, 2, 2, 2, 2, 2, 2, 2, 1, 0, 0, 0, -2, 0, 0, 0, 0, 0, -3, -4, -4, 0, 0, 0, 0, 0]
# The best play of 4-1 at 0 plies loses 0.08 according to a deeper search.
SEARCH_BOARD = [0, -3, 3, 6, 0, -1, 0, -1, -4, 0, 1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 1, -6, 0]


def flip(board: list[int]) -> list[int]:
    return [-x for x in reversed(board)]


def game_of(board: list[int], on_turn: int = 1, rules: RuleSet = STANDARD, **options: Any) -> Game:
    return Game(rules, position=Position.from_array(board), on_turn=on_turn, **options)


@pytest.fixture(scope="module")
def network_opponent() -> Opponent:
    return opponent("intermediate")


@pytest.mark.parametrize("rules", [STANDARD, EXACT, REAR_FIRST, FIVE_STACK])
@pytest.mark.parametrize("level", OPPONENTS)
def test_each_level_plays_to_the_end(level: str, rules: RuleSet) -> None:
    player = opponent(level, rules)
    match = Match(None, rules, dice=3)
    rng = np.random.default_rng(1)
    for _ in range(2):
        while match.result is None:
            if match.to_act == 0 and "resign" in match.legal_actions() and rng.random() < 0.02:
                match.resign(int(rng.integers(1, 4)))
            elif match.to_act == 0:
                act_at_random(match, rng)
            else:
                player.act(match)
        match.next_game()
    assert len(match.results) == 2


def net_points(first: Opponent, second: Opponent, games: int) -> int:
    """Return the points of the first player minus the points of the second, at most 8 per game."""
    total = 0
    for seed in range(games):
        game = Game(dice=seed)
        while game.result is None:
            (first, second)[game.to_act or 0].act(game)
        total += min(game.result.points, 8) * (1 if game.result.winner == 0 else -1)
    return total


@pytest.mark.slow
def test_higher_levels_beat_the_beginner() -> None:
    beginner, casual, intermediate = (opponent(level) for level in ("beginner", "casual", "intermediate"))
    assert net_points(intermediate, beginner, 30) > 10
    assert net_points(casual, beginner, 60) > 10


def test_plays_agree_with_the_evaluator() -> None:
    networks = {"intermediate": bgfast.Network.builtin_fast(), "advanced": bgfast.Network.builtin()}
    start = Position.start().to_array().tolist()
    turns = [(start, roll) for roll in ((3, 1), (6, 5), (5, 5), (4, 2), (2, 1))]
    for board, roll in [*turns, (SEARCH_BOARD, (4, 1))]:
        for ply, (level, network) in enumerate(networks.items()):
            game = game_of(board, on_turn=0, dice=[roll])
            game.roll()
            best_play = network.best_plays(game.decision, ply=ply)[0].play
            assert str(opponent(level).best_play(game)) == str(best_play)
        game = game_of(board, on_turn=0, dice=[roll])
        game.roll()
        values = Pubeval()(bgfast.flip(game.plays().boards))
        assert str(opponent("casual").best_play(game)) == str(game.plays()[int(values.argmin())])


def test_networks_double_only_in_the_doubling_window(network_opponent: Opponent) -> None:
    assert not network_opponent.offers_double(game_of(Position.start().to_array().tolist()))
    assert not network_opponent.offers_double(game_of(EVEN_RACE))
    assert network_opponent.offers_double(game_of(LEAD))
    assert not network_opponent.offers_double(game_of(DEFICIT))
    assert not network_opponent.offers_double(game_of(TOO_GOOD))
    jacoby = RuleSet(jacoby=True)
    assert opponent("intermediate", jacoby).offers_double(game_of(TOO_GOOD, rules=jacoby))
    assert network_opponent.act(game_of(LEAD)) == ("double", None)
    assert network_opponent.act(game_of(EVEN_RACE, dice=[(3, 1)])) == ("roll", None)


def game_at(context: dict[str, Any], board: list[int], dice: tuple[int, int] | None = None) -> Game:
    decision = Decision(position=Position.from_array(board), dice=dice, **context)
    return Game.from_decision(decision)


def test_cube_decisions_depend_on_the_score(network_opponent: Opponent) -> None:
    """After the Crawford game the trailer doubles immediately; takes depend on the score."""
    assert network_opponent.act(game_at({"match_length": 5, "score": (0, 4)}, EVEN_RACE)) == ("double", None)
    assert not network_opponent.offers_double(game_at({}, EVEN_RACE))
    offered_game = game_at({"match_length": 5, "score": (2, 4)}, EVEN_RACE)
    offered_game.double()
    assert network_opponent.answer(offered_game) != "drop"
    # The leader drops; EVEN_RACE is a take in money play.
    for score, length, board in (((3, 7), 9, LEAD), ((1, 2), 3, EVEN_RACE)):
        game = game_at({"match_length": length, "score": score}, board)
        game.double()
        assert network_opponent.answer(game) == "drop"
    money_game = game_at({}, EVEN_RACE)
    money_game.double()
    assert network_opponent.answer(money_game) != "drop"


def test_plays_depend_on_the_score() -> None:
    player = opponent("intermediate")
    search = bgfast.evaluators.Lookahead(bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast()), ply=0)
    score_changes_a_play = False
    for board in bgfast.random_positions(40, 3, phase="contact"):
        game = game_at({"match_length": 3, "score": (2, 0)}, board.tolist(), (6, 2))
        play = str(player.best_play(game))
        assert play == str(search.best_plays(game.decision)[0].play)
        score_changes_a_play |= play != str(search.best_plays(game.position, (6, 2))[0].play)
    assert score_changes_a_play


def test_doubles_of_large_cubes_are_answered() -> None:
    player = opponent("intermediate", RuleSet(beavers=True))
    for board, answer in ((LEAD, "drop"), (EVEN_RACE, "take")):
        for value in (1024, MAX_CUBE_VALUE // 2):
            game = game_of(board, on_turn=0, cube=Cube(value, 0), rules=RuleSet(beavers=True))
            game.double()
            assert player.answer(game) == answer
    game = game_of(DEFICIT, on_turn=0, cube=Cube(MAX_CUBE_VALUE // 4, 0), rules=RuleSet(beavers=True))
    game.double()
    game.beaver()
    assert player.answer(game) == "drop"


def test_acceptance_of_resignations_depends_on_the_equity(monkeypatch: pytest.MonkeyPatch) -> None:
    player = NetworkOpponent(bgfast.Network.builtin_fast())
    for equity, min_level in ((1.04, 1), (1.06, 2), (2.04, 2), (2.2, 3)):
        evaluation = SimpleNamespace(equity=equity)
        monkeypatch.setattr(player._player, "evaluation", lambda position, result=evaluation: result)
        answers = [player.accepts_resignation(game_of(EVEN_RACE), level) for level in (1, 2, 3)]
        assert answers == [level >= min_level for level in (1, 2, 3)]


@pytest.mark.parametrize(
    ("board", "answer"), [(LEAD, "drop"), (EVEN_RACE, "take"), (DEFICIT, "take"), (TOO_GOOD, "drop")]
)
def test_networks_take_or_drop_doubles(board: list[int], answer: str, network_opponent: Opponent) -> None:
    game = game_of(board, on_turn=0)
    game.double()
    assert network_opponent.act(game) == (answer, None)


def doubled_game(board: list[int]) -> Game:
    game = game_of(board, rules=RuleSet(beavers=True))
    game.double()
    return game


@pytest.mark.parametrize(
    ("board", "beginner_answer", "network_answer"),
    [(LEAD, "take", "raccoon"), (DEFICIT, "drop", "drop"), (WASTE, "take", "drop"), (BLOTS, "drop", "take")],
)
def test_answers_to_beavers(board: list[int], beginner_answer: str, network_answer: str) -> None:
    """Networks evaluate with the cube owned by the opponent; beginners compare pip counts."""
    for level, answer in (("beginner", beginner_answer), ("intermediate", network_answer)):
        game = doubled_game(board)
        game.beaver()
        player = opponent(level, game.rules)
        assert player.answer(game) == answer
        assert player.act(game) == (answer, None)


def test_networks_beaver_where_the_rules_allow_it(network_opponent: Opponent) -> None:
    game = doubled_game(DEFICIT)
    assert network_opponent.act(game) == ("beaver", None)
    assert game.legal_actions()[:2] == ("take", "drop")
    game_without_beavers = game_of(DEFICIT)
    game_without_beavers.double()
    assert network_opponent.act(game_without_beavers) == ("take", None)
    game = doubled_game(LEAD)
    game.beaver()
    game.raccoon()
    assert network_opponent.answer(game) == opponent("beginner").answer(game) == "drop"


def test_networks_accept_resignations_of_a_sufficient_level(network_opponent: Opponent) -> None:
    for level, expected in ((1, "refuse_resignation"), (2, "accept_resignation")):
        game = game_of(flip(TOO_GOOD), on_turn=0)
        game.resign(level)
        assert network_opponent.act(game)[0] == expected
    game = game_of(LEAD, on_turn=0)
    game.resign()
    assert network_opponent.act(game)[0] == "accept_resignation"


def test_notices_warn_of_rules_not_trained_on() -> None:
    for level in OPPONENTS:
        assert opponent(level).notice is None
        assert opponent(level, RuleSet(jacoby=True, beavers=True)).notice is None
        for rules in (EXACT, REAR_FIRST, FIVE_STACK):
            notice = opponent(level, rules).notice
            assert (notice is None) is (level == "beginner")
            assert notice is None or "was trained on the rules `standard` only" in notice


def test_beginners_use_simple_plays_and_pip_counts() -> None:
    start = Position.start()
    for roll, play in (((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7")):
        assert str(simple_play(start.plays(roll))) == play
    lead = Position.from_array([0, 2, 2, 2, 2] + [0] * 15 + [-3] * 5 + [0])
    assert is_pip_double(*lead.pip_counts)
    assert not is_pip_double(*lead.flip().pip_counts)
    assert is_pip_take(*start.pip_counts)
    assert not is_pip_take(*lead.pip_counts)
