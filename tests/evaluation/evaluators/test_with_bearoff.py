"""Network with bear-off databases: evaluations, plays, search and rollouts."""

from __future__ import annotations

import itertools
import os
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError, Network, Position
from bgfast.batch.successors import Successors
from bgfast.evaluation.bearoff import bearoff as bearoff_module
from bgfast.evaluation.bearoff.bearoff import default_bearoff
from bgfast.evaluation.evaluators.evaluators import Policy, evaluator_name
from bgfast.evaluators import Bearoff, Chain, Lookahead, WithBearoff
from bgfast.learning.contest import contest
from tests.support.bearing_off import all_sides, board_of
from tests.support.processes import run_python
from tests.support.search_positions import Proxy

START = Position.start().to_array()
BOTH_HOME = board_of((1, 2, 3, 1, 0, 0), (3, 3, 1, 1, 0, 0))  # only the one-sided database covers it
GAMMON_RISK = board_of((0, 0, 0, 2, 3, 10), (1, 0, 0, 0, 0, 0))  # the mover may lose a gammon
ONE_OUTSIDE = [0, 1, 1, 0, 1, 0, 0, 1] + [0] * 14 + [-1, -1, -1, 0]  # the mover has a checker on point 7
# After 4-4 or 5-5 the contact may be over and all checkers may be at home.
ONE_BACK = [0] * 5 + [2, 2] + [0] * 12 + [-1, 1] + [0] * 3 + [-1, 0]


@pytest.fixture(scope="module")
def network() -> Network:
    return Network.builtin_fast()


@pytest.fixture(scope="module")
def player(network: Network) -> WithBearoff:
    return WithBearoff(network)


@pytest.fixture(scope="module")
def bearoff() -> Bearoff:
    return Bearoff()


def small_boards(count: int, seed: int) -> np.ndarray:
    """Return boards with one to six checkers per side, all at home."""
    sides = [side for side in all_sides(6) if sum(side)]
    indices = np.random.default_rng(seed).integers(0, len(sides), (count, 2))
    return np.array([board_of(sides[mover], sides[opponent]) for mover, opponent in indices], np.int8)


def test_databases_evaluate_covered_boards(player: WithBearoff, network: Network, bearoff: Bearoff) -> None:
    boards = np.concatenate(
        [
            *(bgfast.random_positions(60, 3, phase=phase) for phase in ("contact", "race", "bearoff")),
            small_boards(60, 1),
            np.array([GAMMON_RISK, BOTH_HOME, ONE_OUTSIDE, ONE_BACK], np.int8),
        ]
    )
    actual = player(boards)
    is_covered = bearoff.covers(boards)
    assert 100 < is_covered.sum() < 160
    assert actual.dtype == np.float64
    assert np.array_equal(actual[is_covered], bearoff(boards[is_covered]))
    assert np.array_equal(actual[~is_covered], network.evaluate(boards[~is_covered]).astype(np.float64))
    finished_boards = [board_of((0,) * 6, (15, 0, 0, 0, 0, 0)), board_of((1, 0, 0, 0, 0, 0), (0,) * 6)]
    assert player(finished_boards).tolist() == network.evaluate(finished_boards).tolist()


def test_given_databases_are_used(network: Network, tmp_path: Path) -> None:
    bearoff_7 = Bearoff(7, folder=tmp_path)
    player = WithBearoff(network, bearoff_7)
    board = board_of((0, 0, 1, 0, 1, 5), (0, 1, 0, 0, 0, 6))
    assert player([board])[0, 0] == bearoff_7([board])[0, 0] != WithBearoff(network)([board])[0, 0]
    assert player.bearoff is bearoff_7
    assert player != WithBearoff(network)


# ---------------------------------------------------------------- exact plays


def exact_losses(boards: np.ndarray, dice: np.ndarray, rows: np.ndarray, bearoff: Bearoff) -> np.ndarray:
    """Return how much winning probability the successors in these rows give up."""
    plays = bgfast.successors(boards, dice, flip=True)
    is_over = bgfast.results(plays.boards) != 0
    opponent_wins = np.zeros(len(plays.boards))
    opponent_wins[~is_over] = bearoff(plays.boards[~is_over])[:, 0]
    min_wins = np.minimum.reduceat(opponent_wins, plays.offsets[:-1])
    losses: np.ndarray = opponent_wins[rows] - min_wins
    return losses


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_plays_with_up_to_six_checkers_per_side_are_best(
    ply: int, player: WithBearoff, network: Network, bearoff: Bearoff
) -> None:
    boards = small_boards(3000, 7)
    dice = np.random.default_rng(8).integers(1, 7, (len(boards), 2)).astype(np.int8)
    plays = bgfast.successors(boards, dice, flip=True)
    for evaluator, is_best in ((player, True), (network, False)):
        policy = evaluator if ply == 0 else Lookahead(evaluator, ply=ply, candidates=3)
        if ply < 2 or is_best:
            rows = Policy(policy, bgfast.STANDARD).rows(boards, plays)
            assert bool(exact_losses(boards, dice, rows, bearoff).max() < 1e-12) is is_best
    rows = Lookahead(player, ply=ply)._choose_rows(plays, 15)
    assert exact_losses(boards, dice, rows, bearoff).max() < 1e-12


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_exact_positions_are_not_searched(ply: int, player: WithBearoff, bearoff: Bearoff) -> None:
    boards = small_boards(40, 2)
    assert np.array_equal(Lookahead(player, ply=ply)(boards), bearoff(boards))


def test_other_positions_are_searched(player: WithBearoff, bearoff: Bearoff) -> None:
    """The search plays one roll and evaluates with the databases."""
    differences = 0
    for board in (BOTH_HOME, GAMMON_RISK):
        plays = bgfast.successors(np.array([board], np.int8), "all", flip=True)
        probabilities = np.zeros((len(plays.boards), 5))
        is_over = bgfast.results(plays.boards) != 0
        probabilities[~is_over] = bearoff(plays.boards[~is_over])
        equities = 2 * probabilities[:, 0] - 1 + probabilities[:, 1] - probabilities[:, 3]
        expected = np.zeros(5)
        for roll, (begin, end) in enumerate(zip(plays.offsets, plays.offsets[1:], strict=False)):
            win, gammon, _, lost_gammon, _ = probabilities[begin + int(equities[begin:end].argmin())]
            expected += bgfast.ROLL_WEIGHTS[roll] * np.array([1 - win, lost_gammon, 0, gammon, 0]) / 36
        # The built-in network alone would choose the same replies here; a random network would not.
        for evaluator in (player, WithBearoff(Network.random(32, seed=1))):
            actual = Lookahead(evaluator)([board])[0]
            assert actual == pytest.approx(expected, abs=1e-12)
        differences += actual[0] != player([board])[0, 0] or actual[3] != player([board])[0, 3]
    assert differences


def successors_of(board: Any, roll: tuple[int, int]) -> Successors:
    return bgfast.successors(np.array([board], np.int8), roll, flip=True)


@pytest.mark.parametrize("ply", [0, 1, 2])
def test_races_prefer_exact_successors(ply: int, player: WithBearoff, bearoff: Bearoff) -> None:
    """Network equities in races are off by hundredths, so they are not compared with exact equities."""
    mixed_roll_count = 0
    for roll in ((2, 1), (1, 1), (3, 1), (4, 3)):
        plays = successors_of(ONE_OUTSIDE, roll)
        is_covered = bearoff.covers(plays.boards)
        assert is_covered.any()
        mixed_roll_count += not is_covered.all()
        assert player._exclusion_mask(plays.boards, plays.offsets).tolist() == (~is_covered).tolist()
        losing_chances = np.where(is_covered, 0.0, np.inf)
        losing_chances[is_covered] = bearoff(plays.boards[is_covered])[:, 0]
        policy = player if ply == 0 else Lookahead(player, ply=ply)
        boards = np.array([ONE_OUTSIDE], np.int8)
        best_row = int(losing_chances.argmin())
        assert Policy(policy, bgfast.STANDARD).rows(boards, plays).tolist() == [best_row]
        ranked_plays = Lookahead(player, ply=ply).best_plays(Position.from_array(ONE_OUTSIDE), roll)
        assert len(ranked_plays) == len(plays.boards)
        is_home = [Bearoff.covers(bearoff, [item.play.position.to_array()])[0] for item in ranked_plays]
        assert is_home == sorted(is_home, reverse=True)
        assert ranked_plays[0].equity == pytest.approx(1 - 2 * losing_chances[best_row], abs=1e-12)
    assert mixed_roll_count


@pytest.mark.parametrize(("ply", "count"), [(0, 600), (1, 60)])
def test_network_successors_lose_to_exact_ones_in_races(
    ply: int, count: int, player: WithBearoff, network: Network, bearoff: Bearoff
) -> None:
    """In some positions the network prefers to leave a checker on point 7."""
    boards = small_boards(count, 11)
    boards[:, 7] = 1
    dice = np.random.default_rng(12).integers(1, 7, (count, 2)).astype(np.int8)
    plays = bgfast.successors(boards, dice, flip=True)
    is_covered = bearoff.covers(plays.boards)
    equities = np.where(is_covered, np.inf, network.equities(plays.boards))
    equities[is_covered] = 2 * bearoff(plays.boards[is_covered])[:, 0] - 1
    is_tempting = np.minimum.reduceat(np.where(is_covered, np.inf, equities), plays.offsets[:-1]) < (
        np.minimum.reduceat(np.where(is_covered, equities, np.inf), plays.offsets[:-1])
    )
    has_exact = np.maximum.reduceat(is_covered, plays.offsets[:-1])
    assert (is_tempting & has_exact).sum() > count // 300
    policy = player if ply == 0 else Lookahead(player, ply=ply)
    rows = Policy(policy, bgfast.STANDARD).rows(boards, plays)
    assert is_covered[rows][has_exact].all()
    assert is_covered[Lookahead(player, ply=ply)._choose_rows(plays, 15)][has_exact].all()


def test_exact_successors_compete_in_contact(player: WithBearoff, network: Network, bearoff: Bearoff) -> None:
    mixed_roll_count = 0
    for roll in ((4, 4), (5, 5), (6, 6), (3, 1)):
        plays = successors_of(ONE_BACK, roll)
        is_over = bgfast.results(plays.boards) != 0
        is_covered = bearoff.covers(plays.boards) & ~is_over
        mixed_roll_count += 0 < is_covered.sum() < len(plays.boards)
        is_race = [Position.from_array(board).phase == "race" for board in plays.boards]
        is_excluded = np.array(is_race) & bool(is_covered.any())
        assert player._exclusion_mask(plays.boards, plays.offsets).tolist() == is_excluded.tolist()
        equities = network.equities(plays.boards).astype(np.float64)
        equities[is_covered] = 2 * bearoff(plays.boards[is_covered])[:, 0] - 1
        equities[is_over] = bgfast.results(plays.boards[is_over])
        equities[is_excluded] = np.inf
        boards = np.array([ONE_BACK], np.int8)
        (row,) = Policy(player, bgfast.STANDARD).rows(boards, plays)
        assert equities[row] <= equities.min() + 1e-3  # the network chooses with quantized weights
    assert mixed_roll_count


def test_network_chooses_without_exact_successors(player: WithBearoff, network: Network) -> None:
    boards = bgfast.random_positions(2000, 5, phase="contact")
    dice = bgfast.random_dice(len(boards), 6)
    plays = bgfast.successors(boards, dice, flip=True, passes="keep")
    rows = [Policy(evaluator, bgfast.STANDARD).rows(boards, plays) for evaluator in (player, network)]
    is_covered = player.bearoff.covers(plays.boards)
    has_exact = np.add.reduceat(is_covered, plays.offsets[:-1]) > 0
    assert np.array_equal(rows[0][~has_exact], rows[1][~has_exact])


# ---------------------------------------------------------------- rollouts and contests


def test_variance_reduction_makes_rollouts_exact(player: WithBearoff, bearoff: Bearoff) -> None:
    """Exact luck leaves no variance."""
    position = Position.from_gnubg_id("mQAAoBAAAAAAAA")
    expected = 2 * bearoff([position.to_array()])[0, 0] - 1
    for evaluator in (player, Lookahead(player)):
        for truncate in (None, 2):
            settings: Any = {"truncate": truncate, "variance_reduction": True, "cubeless": True}
            result = bgfast.rollout(position, evaluator=evaluator, trials=36, **settings)
            assert result.equity == pytest.approx(expected, abs=1e-12)
            assert result.equity_se < 1e-12


def test_core_and_batched_games_agree(player: WithBearoff) -> None:
    position = Position.from_array(BOTH_HOME)
    for options in ({}, {"truncate": 3}, {"variance_reduction": True}):
        core_result, batched_result = (
            bgfast.rollout(position, evaluator=evaluator, trials=72, seed=2, cubeless=True, **options)  # type: ignore[arg-type]
            for evaluator in (player, Proxy(player))
        )
        assert core_result.equity == pytest.approx(batched_result.equity, abs=1e-12)
        assert core_result.best.probabilities == pytest.approx(batched_result.best.probabilities, abs=1e-12)
    assert contest(player, Proxy(player), games=40, seed=3).games == 40


def test_gammons_with_three_checkers_per_side(player: WithBearoff, bearoff: Bearoff) -> None:
    board = board_of((0, 0, 0, 0, 1, 2), (2, 1, 0, 0, 0, 0))
    win, gammon, _, lost_gammon, _ = bearoff.probabilities([board], checkers=3)[0]
    assert gammon > 0
    assert lost_gammon > 0
    position = Position.from_array(board, 3)
    equity, probabilities, *_ = Lookahead(player, ply=0).evaluation(position)
    assert probabilities == (win, gammon, 0, lost_gammon, 0)
    assert equity == 2 * win - 1 + gammon - lost_gammon
    searched_equity = Lookahead(player, ply=1).evaluation(position)[0]
    assert searched_equity != equity  # gammon probabilities are not exact
    assert searched_equity == pytest.approx(equity, abs=0.02)
    settings: dict[str, Any] = {"trials": 36, "truncate": 1, "cubeless": True}
    truncated_rollout = bgfast.rollout(position, evaluator=player, **settings)
    assert truncated_rollout.equity == pytest.approx(searched_equity, abs=1e-12)
    reduced_rollout = bgfast.rollout(position, evaluator=player, variance_reduction=True, seed=1, **settings)
    assert reduced_rollout.equity == pytest.approx(searched_equity, abs=1e-12)
    assert reduced_rollout.equity_se < 1e-12  # luck is also evaluated with three checkers per side


@pytest.mark.parametrize("rules", ["exact", "rear_first", "five_stack"])
def test_other_rules_use_the_network_alone(rules: Any, player: WithBearoff, network: Network) -> None:
    position = Position.from_gnubg_id("mQAAoBAAAAAAAA")
    player_result, network_result = (
        bgfast.rollout(position, evaluator=evaluator, trials=36, rules=rules, variance_reduction=True)
        for evaluator in (player, network)
    )
    assert player_result.equity == network_result.equity
    assert player_result.settings["evaluator"] == evaluator_name(network)
    assert contest(player, network, games=20, rules=rules).points_per_game == 0
    for pair, ply in itertools.product(((player, network), (Chain(player), Chain(network))), (0, 1)):
        plays, expected = (
            Lookahead(evaluator, ply=ply, rules=rules).best_plays(position, (2, 1)) for evaluator in pair
        )
        assert [(str(x.play), x.equity) for x in plays] == [(str(x.play), x.equity) for x in expected]
    evaluation = Lookahead(player, rules=bgfast.RuleSet(win_scheme="not_all_home")).evaluation(position)
    assert evaluation[0] == pytest.approx(2 * player([position.to_array()])[0, 0] - 1, abs=1e-12)


def test_equality_pickling_and_repr(player: WithBearoff, network: Network, tmp_path: Path) -> None:
    assert repr(player) == f"WithBearoff({network!r}, 6 checkers)"
    assert evaluator_name(player) != evaluator_name(network)
    assert evaluator_name(Lookahead(player)) != evaluator_name(Lookahead(network))
    folder_player = WithBearoff(network, Bearoff(folder=tmp_path))
    for evaluator in (player, folder_player, Lookahead(player)):
        restored = pickle.loads(pickle.dumps(evaluator))
        assert restored == evaluator
        assert hash(restored) == hash(evaluator)
        assert np.array_equal(restored([BOTH_HOME]), evaluator([BOTH_HOME]))
    assert folder_player == player
    assert folder_player.bearoff is not player.bearoff
    assert player.network is network
    assert player != WithBearoff(Network.random(32))
    assert player != network
    assert player.bearoff is WithBearoff(network).bearoff  # opened once
    assert str(tmp_path) in repr(pickle.loads(pickle.dumps(folder_player)).bearoff)
    assert len(pickle.dumps(player)) < len(pickle.dumps(network)) + 1000


def test_evaluators_are_initialized_once(network: Network) -> None:
    uninitialized = WithBearoff.__new__(WithBearoff)
    assert uninitialized([BOTH_HOME])[0, 0] == 0.5  # no weights and no databases
    player = WithBearoff(network)
    expected = player([START, BOTH_HOME])
    with pytest.raises(BgfastError, match="expected a new object"):
        WithBearoff.__init__(player, Network.random(32))
    assert np.array_equal(player([START, BOTH_HOME]), expected)
    assert player.network is network


def test_unusable_database_files_cause_no_warnings(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    damaged_folder = tmp_path / "damaged"
    damaged_folder.mkdir()
    (damaged_folder / bearoff_module.databases.one_sided_spec().name).write_bytes(b"x")
    for folder, is_stored in ((tmp_path / "file" / "below", False), (damaged_folder, True)):
        monkeypatch.setenv("BGFAST_CACHE", str(folder))
        default_bearoff.cache_clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            evaluator = WithBearoff(network)
        assert [database.path is not None for database in evaluator.bearoff.databases] == [is_stored] * 2
        assert evaluator([BOTH_HOME])[0, 0] == pytest.approx(0.5, abs=0.5)
    assert len(os.listdir(damaged_folder)) == 2
    default_bearoff.cache_clear()


def test_databases_are_opened_on_demand() -> None:
    assert (
        run_python("""
import sys
import bgfast
assert not [name for name in sys.modules if "bearoff" in name]
network = bgfast.Network.builtin_fast()
bgfast.rollout(bgfast.Position.start(), evaluator=network, trials=36)
bgfast.evaluators.Lookahead(network)
from bgfast.evaluation.bearoff.bearoff import default_bearoff
print(default_bearoff.cache_info().currsize)
""")
        == "0\n"
    )
