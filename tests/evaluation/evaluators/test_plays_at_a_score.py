"""Plays and evaluations with cube and score: agreement with a slow recursion, and decisive scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, ROLLS, Decision, Network, Position
from bgfast.common.probabilities import EQUITY, flip_probabilities
from bgfast.cube import MatchEquityTable
from bgfast.evaluation._cubeful import CubeStakes
from bgfast.evaluation.cubeful import CubeModel
from bgfast.evaluation.efficiency import Efficiencies
from bgfast.evaluation.evaluators._network import position_buckets
from bgfast.evaluation.evaluators.evaluators import STANDARD_GAME, Policy, native_of
from bgfast.evaluation.evaluators.network_file import BUCKETS
from bgfast.evaluation.stakes import stakes_of
from bgfast.evaluators import Lookahead, PipCount, Pubeval, Random, WithBearoff
from tests.support.search_positions import (
    BACKGAMMON_TO_COME,
    CLOSED_OUT,
    GAMMON_TO_COME,
    LAST_CHECKERS,
    ON_THE_BAR,
    Proxy,
)

START = Position.start().to_array()
ROUNDING_TOLERANCE = 6e-3  # equity difference if rounded weights change the choice of plays
MONEY: dict[str, Any] = {}
JACOBY = {"jacoby": True, "beaver": True}
OWNED_CUBE = {"cube": 2, "cube_owner": 1}
MATCH_TO_FIVE = {"match_length": 5, "score": (1, 3), "cube": 2, "cube_owner": -1}
GAMMON_GO = {"match_length": 7, "score": (5, 6), "crawford": True}
GAMMON_SAVE = {"match_length": 7, "score": (6, 5), "crawford": True}
LAST_POINT = {"match_length": 1}
GAMES = {
    "money": MONEY,
    "Jacoby": JACOBY,
    "owned": OWNED_CUBE,
    "to five": MATCH_TO_FIVE,
    "gammon-go": GAMMON_GO,
    "gammon-save": GAMMON_SAVE,
    "last point": LAST_POINT,
}


def decision_of(board: Any, game: dict[str, Any], **fields: Any) -> Decision:
    return Decision(position=Position.from_array(board), **game, **fields)


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.builtin()


@pytest.fixture(scope="module")
def contact_boards() -> np.ndarray:
    return bgfast.random_positions(30, seed=11, phase="contact")


def efficiency(board: np.ndarray, stakes: CubeStakes, probabilities: Any, model: str = "bgfast") -> float:
    """Return the cube efficiency of a board with these stakes."""
    efficiencies = Efficiencies.of_model(model, board[None])
    return float(efficiencies.at(stakes, np.asarray(probabilities, np.float64)[None])[0])


def static_equities(boards: np.ndarray, network: Any, stakes: CubeStakes) -> np.ndarray:
    """Return cubeful equities (EMG) of boards for the player on roll."""
    equities = []
    rows = zip(boards, network.evaluate(boards).astype(np.float64), bgfast.results(boards), strict=True)
    for board, probabilities, points in rows:
        if points:
            value = stakes.of_points(int(points))
        else:
            value = stakes.value(probabilities, efficiency(board, stakes, probabilities))
        equities.append(stakes.normalize(value))
    return np.array(equities)


def cube_decision_value(
    board: np.ndarray, stakes: CubeStakes, no_double: tuple[float, np.ndarray]
) -> tuple[float, np.ndarray]:
    """Return the equity and probabilities of the better action, double or no double."""
    equity, probabilities = no_double
    if not stakes.may_double or bgfast.results(board[None])[0]:
        return no_double
    take_value = stakes.double_take(probabilities, efficiency(board, stakes.after_double(), probabilities))
    return max(equity, float(stakes.normalize(min(take_value, stakes.double_drop)))), probabilities


def searched_equity(
    board: np.ndarray, network: Any, stakes: CubeStakes, ply: int
) -> tuple[float, np.ndarray]:
    """Return the mean equity and probabilities over all rolls, with the best plays."""
    points = int(bgfast.results(board[None])[0])
    if ply == 0 or points:
        probabilities = network.evaluate(board[None])[0].astype(np.float64)
        if points:
            probabilities = np.array(
                [points > 0, points > 1, points > 2, points < -1, points < -2], np.float64
            )
        return float(static_equities(board[None], network, stakes)[0]), probabilities
    other_side = stakes.flip()
    total, mean = 0.0, np.zeros(5)
    for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        after = bgfast.successors(board[None], roll, flip=True, passes="keep").boards
        best = after[static_equities(after, network, other_side).argmin()]
        no_double = searched_equity(best, network, other_side, ply - 1)
        equity, probabilities = cube_decision_value(best, other_side, no_double)
        total -= weight * equity
        mean += weight * flip_probabilities(probabilities[None])[0]
    return total / 36, mean / 36


@pytest.mark.parametrize("in_core", [True, False])
@pytest.mark.parametrize("name", GAMES)
def test_one_ply_agrees_with_the_definition(
    name: str, in_core: bool, network: Network, contact_boards: np.ndarray
) -> None:
    boards = np.array([ON_THE_BAR, CLOSED_OUT, LAST_CHECKERS, GAMMON_TO_COME, BACKGAMMON_TO_COME], np.int8)
    player = Lookahead(network if in_core else Proxy(network), policy=network if in_core else None)
    stakes = stakes_of(decision_of(START, GAMES[name]))
    for board in np.concatenate([contact_boards[:3], boards]):
        evaluation = player.evaluation(decision_of(board, GAMES[name]))
        expected, _ = searched_equity(board, network, stakes, 1)
        assert evaluation.equity == pytest.approx(expected, abs=ROUNDING_TOLERANCE if in_core else 1e-9)
        assert evaluation.cubeful


@pytest.mark.parametrize("in_core", [True, False])
def test_two_plies_agree_with_the_definition(in_core: bool, network: Network) -> None:
    player = Lookahead(network if in_core else Proxy(network), ply=2, policy=network if in_core else None)
    board = np.array([0, 2, 1] + [0] * 19 + [-1, -1, -2, 0], np.int8)
    for name in ("owned", "to five"):
        stakes = stakes_of(decision_of(START, GAMES[name]))
        equity = player.evaluation(decision_of(board, GAMES[name])).equity
        expected, _ = searched_equity(board, network, stakes, 2)
        assert equity == pytest.approx(expected, abs=2e-3 if in_core else 1e-9)


@pytest.mark.parametrize("ply", [0, 1])
def test_core_and_batch_policies_agree(ply: int, network: Network, contact_boards: np.ndarray) -> None:
    policy = Network.builtin_fast()
    for board in contact_boards[:4]:
        decision = decision_of(board, MATCH_TO_FIVE, dice=(6, 3))
        core_plays = Lookahead(network, ply=ply, policy=policy).best_plays(decision)
        batch_plays = Lookahead(Proxy(network), ply=ply, policy=Proxy(policy)).best_plays(decision)
        # With rounded weights the last play of a shortlist may differ.
        assert core_plays[0].equity == pytest.approx(batch_plays[0].equity, abs=2 * ROUNDING_TOLERANCE)
        assert {str(item.play): item.equity for item in core_plays if item.ply == 0} == pytest.approx(
            {str(item.play): item.equity for item in batch_plays if item.ply == 0}, abs=1e-6
        )


def test_a_policy_without_probabilities_ignores_the_cube(network: Network) -> None:
    player = Lookahead(Proxy(network), policy=PipCount())
    board = bgfast.random_positions(1, seed=2, phase="race")[0]
    decision = decision_of(board, MATCH_TO_FIVE)
    assert player.evaluation(decision).cubeful
    cubeless_equity = player.evaluation(decision.position).equity
    assert player.evaluation(decision).cubeless_equity == pytest.approx(cubeless_equity, abs=1e-12)


@pytest.mark.parametrize("ply", [0, 1])
def test_positions_without_cube_and_score_are_cubeless(ply: int, network: Network) -> None:
    decision = decision_of(ON_THE_BAR, MATCH_TO_FIVE, dice=(6, 1))
    for evaluator in (network, Proxy(network), WithBearoff(network)):
        player = Lookahead(evaluator, ply=ply)
        cubeless_plays = player.best_plays(decision.position, (6, 1))
        assert player.best_plays(decision, cubeless=True) == cubeless_plays
        assert not any(item.cubeful for item in cubeless_plays)
        assert all(item.mwc is None and item.cubeless_equity == item.equity for item in cubeless_plays)
        plays = player.best_plays(decision)
        assert all(item.cubeful and item.mwc is not None for item in plays)
        equities = {str(item.play): item.cubeless_equity for item in plays if item.ply == ply}
        cubeless_equities = {str(item.play): item.equity for item in cubeless_plays if item.ply == ply}
        for play in equities.keys() & cubeless_equities.keys():
            assert equities[play] == pytest.approx(cubeless_equities[play], abs=ROUNDING_TOLERANCE)
        assert player.evaluation(decision, cubeless=True) == player.evaluation(decision.position)
    assert network.best_plays(decision, ply=ply, cubeless=True) == network.best_plays(
        decision.position, (6, 1), ply=ply
    )
    assert network.best_plays(decision, ply=ply) == Lookahead(network, ply=ply).best_plays(decision)


def test_evaluators_without_probabilities_are_cubeless() -> None:
    decision = decision_of(START, MATCH_TO_FIVE, dice=(3, 1))
    for evaluator in (PipCount(), Random(), Pubeval(), lambda boards: PipCount()(boards)):
        player = Lookahead(evaluator, ply=0)
        assert player.best_plays(decision) == player.best_plays(decision.position, (3, 1))
        assert not player.best_plays(decision)[0].cubeful
        assert player.evaluation(decision) == player.evaluation(decision.position)


def test_match_winning_chances_are_linear_in_the_equity(network: Network) -> None:
    decision = decision_of(START, MATCH_TO_FIVE, dice=(3, 1))
    table = MatchEquityTable.builtin()
    win, loss = table.after(decision, 2), table.after(decision, -2)
    for item in network.best_plays(decision, ply=0):
        assert item.mwc == pytest.approx((win + loss) / 2 + item.equity * (win - loss) / 2)
    assert network.best_plays(decision_of(START, OWNED_CUBE, dice=(3, 1)))[0].mwc is None


def test_other_tables_and_efficiencies_change_the_results(network: Network) -> None:
    decision = decision_of(START, {"match_length": 5}, dice=(3, 1))
    race = decision_of(bgfast.random_positions(1, seed=2, phase="race")[0], OWNED_CUBE)
    steep_table = MatchEquityTable(
        "steep",
        [
            [min(1, 0.5 + 0.12 * (j - i)) if j > i else max(0, 0.5 - 0.12 * (i - j)) for j in range(5)]
            for i in range(5)
        ],
        np.linspace(0.5, 0.05, 5),
    )
    for evaluator in (network, Proxy(network)):
        player = Lookahead(evaluator, ply=0)
        assert player.best_plays(decision, met=steep_table)[0].mwc != player.best_plays(decision)[0].mwc
        probabilities = np.array(player.evaluation(race).probabilities)
        stakes = stakes_of(race)
        for name in ("bgfast", "gnubg"):
            cube_efficiency = efficiency(race.position.to_array(), stakes, probabilities, name)
            expected = stakes.value(probabilities, cube_efficiency)
            assert player.evaluation(race, efficiency=name).equity == pytest.approx(expected, abs=1e-12)


def test_results_of_both_sides_are_consistent(network: Network) -> None:
    """After a pass equities are opposite, and the winning chances of both sides add up to 1."""
    decision = decision_of(CLOSED_OUT, MATCH_TO_FIVE, dice=(6, 5))
    other_side = Decision(
        position=decision.position.flip(), turn=-1, match_length=5, score=(3, 1), cube=2, cube_owner=1
    )
    for player in (Lookahead(network), Lookahead(Proxy(network)), Lookahead(network, ply=0)):
        (pass_play,) = player.best_plays(decision)
        evaluation = player.evaluation(other_side)
        assert pass_play.equity == pytest.approx(-evaluation.equity, abs=1e-12)
        assert pass_play.mwc + evaluation.mwc == pytest.approx(1, abs=1e-12)


def test_gammons_count_with_a_dead_cube_only_if_they_decide_the_match(
    network: Network, contact_boards: np.ndarray
) -> None:
    assert MatchEquityTable.builtin()(1, 1) == 0.5
    for board in contact_boards[:5]:
        for game, factor in ((LAST_POINT, (0, 0)), (GAMMON_GO, (2, 0)), (GAMMON_SAVE, (0, 2))):
            for item in network.best_plays(decision_of(board, game, dice=(5, 2)), ply=0):
                win, win_gammon, _, lose_gammon, _ = item.probabilities or ()
                expected = 2 * win - 1 + factor[0] * win_gammon - factor[1] * lose_gammon
                assert item.equity == pytest.approx(expected, abs=1e-6)


def test_gammons_count_once_with_jacoby_and_a_centred_cube(network: Network) -> None:
    for player in (Lookahead(network), Lookahead(Proxy(network))):
        for game, equity in ((MONEY, 2), (JACOBY, 1), ({**JACOBY, **OWNED_CUBE}, 2)):
            assert player.evaluation(decision_of(GAMMON_TO_COME, game)).equity == pytest.approx(equity)


def test_filter_uses_normalized_equities(network: Network, contact_boards: np.ndarray) -> None:
    has_difference = False
    for board in contact_boards[:6]:
        decision = decision_of(board, LAST_POINT, dice=(4, 2))
        equities = [item.equity for item in network.best_plays(decision, ply=0)]
        count = sum(equity >= equities[0] - 0.1 for equity in equities)
        options: dict[str, Any] = {"candidates": 999, "threshold": 0.1}
        assert sum(item.ply for item in network.best_plays(decision, **options)) == count
        cubeless_plays = network.best_plays(decision, cubeless=True, **options)
        has_difference |= sum(item.ply for item in cubeless_plays) != count
    assert has_difference


# ---------------------------------------------------------------- bear-offs, and players in the core


@pytest.mark.parametrize("game", [OWNED_CUBE, MATCH_TO_FIVE])
def test_bearoff_databases_evaluate_at_a_score(game: dict[str, Any], network: Network) -> None:
    player = WithBearoff(network)
    stakes = stakes_of(decision_of(START, game))
    boards = bgfast.random_positions(6, seed=1, phase="bearoff")
    for board in boards:
        decision, probabilities = decision_of(board, game), player([board])[0]
        static_evaluation = Lookahead(player, ply=0).evaluation(decision)
        assert static_evaluation.probabilities == tuple(probabilities)
        value = stakes.value(probabilities, efficiency(board, stakes, probabilities))
        assert static_evaluation.equity == pytest.approx(stakes.normalize(value), abs=1e-12)
        actual, expected = (Lookahead(item, ply=1).evaluation(decision) for item in (player, Proxy(player)))
        assert actual.equity == pytest.approx(expected.equity, abs=0.03)


@pytest.mark.parametrize("ply", [None, 0, 1])
def test_core_players_choose_the_best_plays_at_a_score(ply: int | None, network: Network) -> None:
    boards = np.concatenate(
        [
            bgfast.random_positions(25, seed=8, phase="contact"),
            bgfast.random_positions(15, seed=8, phase="bearoff"),
            np.array([LAST_CHECKERS, GAMMON_TO_COME, ON_THE_BAR], np.int8),
        ]
    )
    dice = bgfast.random_dice(len(boards), seed=8)
    successors = bgfast.successors(boards, dice, flip=True, passes="keep")
    zeros = np.zeros(len(boards), np.int64)
    for evaluator in (network, WithBearoff(network)):
        player = evaluator if ply is None else Lookahead(evaluator, ply=ply)
        search = Lookahead(evaluator, ply=ply or 0)
        for game in (LAST_POINT, MATCH_TO_FIVE):
            stakes = stakes_of(decision_of(START, game)).flip()
            arguments = (boards, successors.boards, successors.offsets, *STANDARD_GAME, 0, zeros, zeros)
            native = native_of(player)
            assert native is not None
            rows = native._choices(*arguments, stakes)
            cubeless_rows = native._choices(*arguments)
            assert np.array_equal(cubeless_rows, Policy(player, bgfast.STANDARD).rows(boards, successors))
            assert (rows != cubeless_rows).any()
            for row, board, roll in zip(rows.tolist(), boards, dice.tolist(), strict=True):
                plays = search.best_plays(decision_of(board, game, dice=roll))
                equities = {item.play.position.to_array().tobytes(): item.equity for item in plays}
                assert equities[successors.boards[row].tobytes()] >= plays[0].equity - ROUNDING_TOLERANCE


def test_each_successor_has_a_separate_efficiency() -> None:
    """With 6-4 the mover can run or keep contact; one efficiency for both would change some choices."""
    network = Network.builtin()
    boards = bgfast.random_positions(8000, seed=8, phase="contact")
    successors = bgfast.successors(boards, (6, 4), flip=True)
    is_race = position_buckets(successors.boards) == BUCKETS - 1
    has_both = np.bincount(successors.owners[is_race], minlength=len(boards)) > 0
    has_both &= np.bincount(successors.owners[~is_race], minlength=len(boards)) > 0
    boards = boards[has_both]
    successors = bgfast.successors(boards, (6, 4), flip=True)
    assert len(boards) > 120
    zeros = np.zeros(len(boards), np.int64)
    arguments = (boards, successors.boards, successors.offsets, *STANDARD_GAME, 0, zeros, zeros)
    search = Lookahead(network, ply=0)
    for game in (OWNED_CUBE, MONEY):
        stakes = stakes_of(decision_of(START, game)).flip()
        rows = network._choices(*arguments, stakes)
        equities = search._evaluations(successors.boards, 0, 15, cube_model=CubeModel(stakes, 0))[:, EQUITY]
        assert (equities[rows] <= np.minimum.reduceat(equities, successors.offsets[:-1]) + 2e-3).all()


def test_cubeless_policies_ignore_the_stakes() -> None:
    boards = bgfast.random_positions(20, seed=8, phase="contact")
    plays = bgfast.successors(boards, bgfast.random_dice(20, seed=8), flip=True, passes="keep")
    zeros = np.zeros(20, np.int64)
    arguments = (boards, plays.boards, plays.offsets, *STANDARD_GAME, 7, zeros, zeros)
    stakes = stakes_of(decision_of(START, GAMMON_GO))
    for player in (PipCount(), Pubeval(), Random()):
        assert np.array_equal(player._choices(*arguments, stakes), player._choices(*arguments))


def test_worthless_gammons_break_ties() -> None:
    # A lost race: at this score all plays are equal; an arbitrary choice would lose more gammons.
    board = "XGID=-B-BBACB-AB------------bb-"
    search = Lookahead(bgfast.Network.builtin(), ply=1)
    last_game = search.evaluation(Decision.read(f"{board}:0:0:1:00:6:6:0:7:10"))
    money_game = search.evaluation(Decision.read(f"{board}:0:0:1:00:0:0:0:0:10"), cubeless=True)
    assert last_game.probabilities[3] == pytest.approx(money_game.probabilities[3], abs=0.05)
    assert last_game.equity == pytest.approx(-1, abs=1e-4)
