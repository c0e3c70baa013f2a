"""n-ply search, compared with a plain recursion; filters, threads and finished games."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Network, Position
from bgfast.evaluation.evaluators._lookahead import SHORTLISTS
from bgfast.evaluation.evaluators.evaluators import game_rules, native_of
from bgfast.evaluators import Lookahead, PipCount, WithBearoff
from bgfast.learning.contested_decisions import read_decisions
from tests.support.patience import patient
from tests.support.search_positions import (
    BACKGAMMON_TO_COME,
    CLOSED_OUT,
    GAMMON_TO_COME,
    LAST_CHECKERS,
    ON_THE_BAR,
    ONE_EACH,
    ROUNDING_TOLERANCE,
    SPECIAL_BOARDS,
    START,
    WON,
    Proxy,
)


def sample_boards(count: int) -> np.ndarray:
    phases = ("contact", "race", "bearoff")
    sample = [bgfast.random_positions(count, seed=7, phase=phase) for phase in phases]  # type: ignore[call-overload]
    return np.concatenate([*sample, np.array(SPECIAL_BOARDS, np.int8)])


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.builtin_fast()


# ---------------------------------------------------------------- the definition

Value = tuple[float, ...]


def other_side(value: Value) -> Value:
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon, equity = value
    return 1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon, -equity


def static_value(evaluate: Callable[[Any], Any], position: Position, rules: Any) -> Value:
    """Return the static value of a position, or the result of a finished game."""
    if position.phase == "over":
        points = int(bgfast.results([position.to_array()], rules)[0])
        results = (points > 0, points > 1, points > 2, points < -1, points < -2)
        return (*map(float, results), float(points))
    probabilities = [float(probability) for probability in evaluate([position.to_array()])[0]]
    return (*probabilities, float(np.array(probabilities) @ [2, 1, 1, -1, -1] - 1))


def searched_value(
    evaluate: Callable[[Any], Any],
    position: Position,
    ply: int,
    rules: Any = "standard",
    policy: Callable[[Any], Any] | None = None,
) -> Value:
    """Return the value of a position for the player on roll, searched over all 36 rolls."""
    if ply == 0 or position.phase == "over":
        return static_value(evaluate, position, rules)
    total = [0.0] * 6
    for first in range(1, 7):
        for second in range(1, 7):
            plays = [play.position for play in position.plays((first, second), rules)] or [position.flip()]
            if policy:
                ranks = sorted((static_value(policy, play, rules)[5], i) for i, play in enumerate(plays))
                count, loss = SHORTLISTS[ply - 1]
                plays = [plays[i] for equity, i in ranks[:count] if equity <= ranks[0][0] + loss]
            best = min(plays, key=lambda play: static_value(evaluate, play, rules)[5])
            value = other_side(searched_value(evaluate, best, ply - 1, rules, policy))
            total = [a + b / 36 for a, b in zip(total, value, strict=True)]
    return tuple(total)


class CachedEvaluator:
    """Evaluator that caches the results of single boards."""

    def __init__(self, evaluator: Any) -> None:
        self.evaluator = evaluator
        self.cache: dict[bytes, Any] = {}

    def __call__(self, boards: Any) -> Any:
        key = np.asarray(boards[0], np.int8).tobytes()
        if key not in self.cache:
            self.cache[key] = self.evaluator(boards)
        return self.cache[key]


@pytest.mark.parametrize("in_core", [True, False])
def test_one_ply_agrees_with_the_definition(in_core: bool, network: Network) -> None:
    boards = sample_boards(12)
    player = Lookahead(network if in_core else Proxy(network), ply=1)
    assert (native_of(player) is not None) is in_core
    actual = player(boards)
    evaluate = CachedEvaluator(network)
    expected = np.array([searched_value(evaluate, Position.from_array(board), 1) for board in boards])
    assert actual.dtype == np.float64
    # The core chooses replies with rounded weights, so it may choose another of several equal plays.
    tolerance = ROUNDING_TOLERANCE if in_core else 1e-9
    assert np.abs(player.equities(boards) - expected[:, 5]).max() < tolerance
    difference = np.abs(actual - expected[:, :5])
    assert difference.max() < (1e-2 if in_core else 1e-9)
    assert np.median(difference) < 1e-7
    for row, board in enumerate(boards.tolist()):
        equity, probabilities, *_ = player.evaluation(Position.from_array(board))
        assert equity == pytest.approx(expected[row, 5], abs=tolerance)
        assert probabilities == tuple(actual[row])


@pytest.mark.parametrize("in_core", [True, False])
@pytest.mark.parametrize("is_policy_random", [True, False])
def test_policies_only_shortlist_plays(is_policy_random: bool, in_core: bool, network: Network) -> None:
    policy = Network.random(64, seed=5, dense=32)
    if not is_policy_random:
        network, policy = policy, network
    sample = (*bgfast.random_positions(2, seed=4), *bgfast.random_positions(1, seed=3, phase="bearoff"))
    boards = np.array([*sample, ON_THE_BAR, LAST_CHECKERS, GAMMON_TO_COME], np.int8)
    wrap: Callable[[Network], Any] = (lambda evaluator: evaluator) if in_core else Proxy
    evaluate, choose = CachedEvaluator(network), CachedEvaluator(policy)
    for ply in (1, 2):
        player = Lookahead(wrap(network), ply=ply, policy=wrap(policy))
        assert (native_of(player) is not None) is in_core
        positions = [Position.from_array(board) for board in boards]
        expected = np.array(
            [searched_value(evaluate, position, ply, policy=choose) for position in positions]
        )
        # With an untrained policy the core may choose another of several equal plays.
        tolerance = 0.01 if in_core else 1e-9
        assert np.abs(player.equities(boards) - expected[:, 5]).max() < tolerance
        assert np.abs(player(boards) - expected[:, :5]).max() < tolerance
        full_search = Lookahead(wrap(network), ply=ply)
        assert np.abs(player.equities(boards) - full_search.equities(boards)).max() > 2 * ROUNDING_TOLERANCE


def test_only_the_builtin_network_has_a_default_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passing the network itself as policy disables the default policy."""
    policy = Network.random(32, seed=5)
    monkeypatch.setattr(Network, "builtin_fast", lambda: policy)
    builtin = copy.deepcopy(Network.builtin())  # networks cache searches
    other_network = Network.random(32, seed=6)
    boards = bgfast.random_positions(2, seed=4)
    for wrap in (lambda evaluator: evaluator, WithBearoff):
        for ply in (1, 2):
            player = Lookahead(wrap(builtin), ply=ply)
            assert player.policy == policy
            assert player == Lookahead(wrap(pickle.loads(pickle.dumps(builtin))), ply=ply, policy=policy)
        assert Lookahead(wrap(builtin), ply=0).policy is None
        assert Lookahead(wrap(other_network)).policy is None
        assert Lookahead(wrap(policy)).policy is None
        full_search = Lookahead(wrap(builtin), policy=builtin)
        assert full_search.policy == builtin
        assert np.abs(full_search.equities(boards) - Lookahead(wrap(builtin)).equities(boards)).max() > 0.01
    assert builtin.best_plays(START, (3, 1)) == Lookahead(builtin, policy=policy).best_plays(START, (3, 1))


def test_the_default_policy_changes_equities_little() -> None:
    builtin = Network.builtin()
    player, full_search = Lookahead(builtin), Lookahead(builtin, policy=builtin)
    assert player.policy in (Network.builtin_fast(), None)
    boards = read_decisions().boards[:300]
    assert np.abs(player.equities(boards) - full_search.equities(boards)).mean() < 0.005


def test_databases_take_precedence_over_a_policy(network: Network) -> None:
    """Only the databases evaluate exact positions; elsewhere the policy shortlists plays."""
    policy = Network.random(64, seed=5)
    evaluator = WithBearoff(network)
    player = Lookahead(evaluator, policy=policy)
    boards = bgfast.random_positions(20, seed=1, phase="bearoff")
    contact_boards = bgfast.random_positions(20, seed=1, phase="contact")
    assert np.abs(player.equities(boards) - Lookahead(evaluator).equities(boards)).max() < 0.02
    difference = player.equities(contact_boards) - Lookahead(evaluator).equities(contact_boards)
    assert np.abs(difference).max() > 0.05
    copied_player = pickle.loads(pickle.dumps(player))
    assert np.array_equal(copied_player.equities(contact_boards), player.equities(contact_boards))


@pytest.mark.parametrize("in_core", [True, False])
@pytest.mark.parametrize("rules", ["exact", "five_stack", "rear_first"])
def test_other_rules_agree_with_the_definition(rules: Any, in_core: bool, network: Network) -> None:
    sample = bgfast.random_positions(4, seed=9, phase="bearoff")
    boards = np.array([*sample, START.to_array(), LAST_CHECKERS, GAMMON_TO_COME], np.int8)
    player = Lookahead(network if in_core else Proxy(network), ply=1, rules=rules)
    assert native_of(player) is None  # the core's policies generate only standard plays
    evaluate = CachedEvaluator(network)
    expected = [searched_value(evaluate, Position.from_array(board), 1, rules) for board in boards]
    assert np.abs(player.equities(boards) - np.array(expected)[:, 5]).max() < (2e-3 if in_core else 1e-5)
    standard_equities = Lookahead(network).equities(boards)
    assert np.abs(standard_equities - player.equities(boards)).max() > 1e-3


def test_points_follow_the_win_scheme(network: Network) -> None:
    rules = bgfast.RuleSet(win_scheme="not_all_home")
    boards = np.array(
        [GAMMON_TO_COME, BACKGAMMON_TO_COME, *bgfast.random_positions(20, seed=2, phase="race")]
    )
    player, batch_player = (Lookahead(evaluator, rules=rules) for evaluator in (network, Proxy(network)))
    assert player.equities(boards[:2]) == pytest.approx([3, 3])
    native = native_of(player)
    assert native is not None
    native_equities = native._values(boards.astype(np.int8), *game_rules(rules, 15)) @ [2, 1, 1, -1, -1] - 1
    for actual in (player.equities(boards), native_equities):
        assert np.abs(actual - batch_player.equities(boards)).max() < ROUNDING_TOLERANCE


def test_best_plays_use_the_dice_of_a_decision() -> None:
    player = Lookahead(PipCount(), ply=0)
    decision = Decision(position=START, dice=(3, 1))
    plays = player.best_plays(START, (3, 1))
    assert player.best_plays(decision) == player.best_plays(decision, (1, 3)) == plays
    assert player.best_plays(decision, iter((3, 1))) == player.best_plays(START, iter((3, 1))) == plays
    assert player.best_plays(Decision(position=START), (3, 1)) == plays


def test_evaluators_without_probabilities_give_equities_only(network: Network) -> None:
    boards = sample_boards(3)
    player = Lookahead(lambda boards: np.asarray(network.equities(boards)), ply=1)
    assert player(boards).shape == (len(boards),)
    assert np.abs(player(boards) - Lookahead(network).equities(boards)).max() < ROUNDING_TOLERANCE
    assert player.best_plays(START, (3, 1))[0].probabilities is None
    assert player.evaluation(START)[1] is None
    assert player.evaluation(Position.from_array(WON))[:2] == (2.0, None)


def test_finished_games_have_exact_results(network: Network) -> None:
    for evaluator in (network, Proxy(network)):
        best, *_ = Lookahead(evaluator, ply=2).best_plays(Position.from_array(LAST_CHECKERS), (2, 1))
        assert (str(best.play), best.equity, best.ply) == ("1/off(2)", 1.0, 2)
        assert best.probabilities == (1.0, 0.0, 0.0, 0.0, 0.0)
        player = Lookahead(evaluator, ply=1)
        assert player([WON]).tolist() == [[1, 1, 0, 0, 0]]
        assert player.evaluation(Position.from_array(WON))[:2] == (2.0, (1.0, 1.0, 0.0, 0.0, 0.0))
        # The last roll wins a single game, a gammon or a backgammon.
        assert player.evaluation(Position.from_array(ONE_EACH))[:2] == (1.0, (1.0, 0.0, 0.0, 0.0, 0.0))
        assert player.evaluation(Position.from_array(GAMMON_TO_COME))[0] == pytest.approx(2)
        assert player.evaluation(Position.from_array(BACKGAMMON_TO_COME))[0] == pytest.approx(3)


def test_results_do_not_depend_on_the_batch(network: Network) -> None:
    boards = bgfast.random_positions(300, seed=2)
    for evaluator in (network, Proxy(network)):
        player = Lookahead(evaluator, ply=1)
        batched = player(boards)
        assert np.array_equal(batched[290:293], player(boards[290:293]))
        assert np.array_equal(batched[:1], player(boards[:1]))


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_plays_that_end_the_game_need_no_evaluation(ply: int, network: Network) -> None:
    """The evaluator has not been called, hence `returns_probabilities` is unknown."""
    position = Position.from_array([0, 2] + [0] * 22 + [-3, 0])
    (play,) = Lookahead(lambda boards: network.evaluate(boards), ply=ply).best_plays(position, (2, 1))
    assert play[1:4] == (1.0, 0.0, (1.0, 0.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_ranked_plays_are_complete_sorted_and_filtered(ply: int, network: Network) -> None:
    position, roll = Position.from_array(bgfast.random_positions(1, seed=5, phase="contact")[0]), (4, 2)
    legal_plays = position.plays(roll)
    plays = network.best_plays(position, roll, ply=ply)
    assert {item.play.position for item in plays} == {play.position for play in legal_plays}
    assert len(plays) == len(legal_plays)
    assert [item.ply for item in plays] == sorted((item.ply for item in plays), reverse=True)
    assert plays[0].ply == ply
    assert plays[0].difference == 0
    for item in plays:
        evaluation = Lookahead(network, ply=item.ply).evaluation(item.play.position)
        assert item.equity == pytest.approx(-evaluation[0], abs=1e-9)
        assert item.difference == pytest.approx(item.equity - plays[0].equity)
        assert item.equity == pytest.approx(
            float(np.array(item.probabilities) @ [2, 1, 1, -1, -1] - 1), abs=1e-6
        )
    for first, second in pairwise(plays):
        assert (first.ply, first.equity) >= (second.ply, second.equity)
    # The filter selects plays within the threshold of the best play, up to a maximum number.
    for depth in range(ply):
        search = Lookahead(network, ply=depth)
        equities = [-search.evaluation(item.play.position)[0] for item in plays if item.ply >= depth]
        candidates = [equity for equity in equities if equity >= max(equities) - (0.16, 0.04)[depth]]
        assert sum(item.ply > depth for item in plays) == min(len(candidates), (8, 4)[depth])


def test_candidates_and_thresholds_limit_the_searched_plays(network: Network) -> None:
    play_count = len(START.plays((6, 5)))
    options: dict[str, Any]
    for options, plies in (
        ({"ply": 2, "candidates": 9999, "threshold": float("inf")}, [2] * play_count),
        ({"candidates": 3, "threshold": 9}, [1] * 3),
        ({"threshold": 0}, [1]),
        ({"ply": 2, "candidates": (5, 2), "threshold": (9, 9)}, [2] * 2 + [1] * 3),
        ({"ply": 2, "candidates": 1}, [2]),  # a single remaining play is also searched
    ):
        plays = network.best_plays(START, (6, 5), **options)
        assert [item.ply for item in plays] == plies + [0] * (play_count - len(plies))


@pytest.mark.parametrize("rules", ["standard", "exact"])
def test_results_do_not_depend_on_threads(rules: Any, network: Network) -> None:
    position = Position.from_array(sample_boards(1)[0])
    for evaluator in (network, Proxy(network)):
        # The search has enough positions for several threads.
        player = Lookahead(evaluator, ply=1, candidates=60, threshold=9, rules=rules)
        expected = player.best_plays(position, (4, 4))
        assert all(player.best_plays(position, (4, 4), threads=threads) == expected for threads in (2, 3, 8))
    if rules == "standard":
        assert network.best_plays(position, (4, 4), threads=2) == network.best_plays(position, (4, 4))


def test_evaluators_are_called_from_several_threads() -> None:
    main_thread, barrier = threading.get_ident(), threading.Barrier(2)
    callers: set[int] = set()

    def evaluator(boards: np.ndarray) -> np.ndarray:
        if (thread := threading.get_ident()) not in callers:
            callers.add(thread)
            if thread != main_thread:  # the main thread evaluates statically
                barrier.wait(patient(60))
        return PipCount()(boards)

    Lookahead(evaluator).best_plays(START, (3, 1), threads=2)
    assert len(callers) == 3


def test_a_pass_has_the_opposite_equity(network: Network) -> None:
    closed_out = Position.from_array(CLOSED_OUT)
    for evaluator in (network, Proxy(network)):
        player = Lookahead(evaluator, ply=2)
        (actual,) = player.best_plays(closed_out, (6, 5))
        equity, probabilities, *_ = player.evaluation(closed_out.flip())
        assert (str(actual.play), actual.play.moves, actual.difference, actual.ply) == ("pass", (), 0, 2)
        assert actual.play.position == closed_out.flip()
        assert actual.equity == -equity
        assert actual.probabilities is not None
        assert probabilities is not None
        assert actual.probabilities[0] == 1 - probabilities[0]


def test_gammons_depend_on_the_checkers_per_side() -> None:
    board = [0, 1, 1] + [0] * 21 + [-3, 0]
    for checkers, points in ((3, 2), (15, 1)):
        position = Position.from_array(board, checkers)
        assert Lookahead(PipCount(), ply=1).best_plays(position, (6, 5))[0].equity == points
