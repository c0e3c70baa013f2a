"""Exact tables as an evaluator: boards, plays, cube decisions, rollouts and the command line."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, ROLLS, BgfastError, Decision, Position
from bgfast.analysis.branches import as_search
from bgfast.cli.main import main
from bgfast.cli.players import load_evaluator
from bgfast.evaluation.hypergammon.solver import solve_tables, start_board
from bgfast.evaluation.hypergammon.tables import MONEY, SCORE_STATES, read_header, table_at
from bgfast.evaluators import Chain, Hypergammon, PipCount
from tests.evaluation.hypergammon.test_solver import boards_at

Owner = Literal[1, 0, -1]


@pytest.fixture(scope="module", params=["small_path", pytest.param("tables_path", marks=pytest.mark.slow)])
def tables(request: Any) -> Hypergammon:
    """Return the tables for one or two checkers per side."""
    return Hypergammon(request.getfixturevalue(request.param))


def start_of(tables: Hypergammon) -> Position:
    return Position.from_array(start_board(tables.checkers)[0], tables.checkers)


def positions_of(tables: Hypergammon) -> list[Position]:
    """Return the start and a race, from both sides."""
    board = [0, 0, 0, 0, 1, 0, 1] + [0] * 12 + [-1, -1] + [0] * 5
    if tables.checkers == 1:
        board[4] = board[19] = 0
    race = Position.from_array(board, tables.checkers)
    return [start_of(tables), start_of(tables).flip(), race, race.flip()]


def test_evaluations_equal_the_table(tables: Hypergammon) -> None:
    step = 7 if tables.checkers == 1 else 77
    boards = boards_at(tables._positions, np.arange(0, tables._positions.size, step))
    expected = table_at(tables._path, read_header(tables._path), 0)[::step]
    assert (tables(boards) == expected).all()
    assert tables.covers(boards).all()
    assert (tables(boards.tolist()[:3]) == expected[:3]).all()
    assert tables.covers([start_of(tables).to_array(), [0] * 24 + [-1, 0]]).tolist() == [True, False]
    restored = pickle.loads(pickle.dumps(tables))
    assert repr(restored) == repr(tables)
    assert (restored(boards) == expected).all()
    chain = Chain(tables, lambda boards: np.zeros((len(boards), 5)))
    assert (chain(boards[:1]) == expected[:1]).all()


def test_an_unfinished_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.bghyper"

    def interrupt(state: object) -> None:
        if getattr(state, "table", None) == "money" and getattr(state, "sweeps", 0):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_tables(path, checkers=1, progress=interrupt)
    with pytest.raises(BgfastError, match=r"one\.bghyper: it has no table 'money'; expected a file"):
        Hypergammon(path)


# ---------------------------------------------------------------- decisions


@pytest.mark.parametrize(
    ("name", "context"),
    {
        "centred": {},
        "centred, Jacoby": {"jacoby": True},
        "owned": {"cube": 4, "cube_owner": 1},
        "unavailable": {"cube": 4, "cube_owner": -1},
    }.items(),
)
def test_plays_and_cube_actions_agree(tables: Hypergammon, name: str, context: dict[str, Any]) -> None:
    money = table_at(tables._path, read_header(tables._path), 1)
    search = as_search(tables, None, 2)
    for position in positions_of(tables):
        decision = Decision(position=position, **context)
        result = bgfast.cube_decision(decision, tables)
        equities = MONEY.begin_turn(np.array(money[tables._positions.indices(position.to_array()[None])]))[0]
        assert result.equities.best == pytest.approx(equities[MONEY.names.index(name)], abs=1e-12)
        if name != "unavailable":
            take_equity = 2 * equities[MONEY.names.index("unavailable")]
            assert result.equities.double_take == pytest.approx(take_equity, abs=1e-12)
            assert result.equities.double_drop == 1
        # The equity of no double is the mean over the best plays of all rolls.
        best_plays = [search.best_plays(replace(decision, dice=roll))[0] for roll in ROLLS]
        mean = sum(weight * play.equity for weight, play in zip(ROLL_WEIGHTS, best_plays, strict=True)) / 36
        assert mean == pytest.approx(result.equities.no_double, abs=1e-8)
        assert (result.ply, result.evaluator) == (0, f"Hypergammon({tables.checkers})")


@pytest.mark.parametrize("owner", [1, 0, -1])
def test_cube_actions_at_a_score_are_means_over_rolls(tables: Hypergammon, owner: Owner) -> None:
    start = start_of(tables)
    if tables.checkers == 1:  # no roll ends the game from the bar
        start = Position.from_array([0, -1] + [0] * 23 + [1], 1)
    for score in ((1, 1), (2, 1), (1, 2), (0, 0), (0, 1), (1, 0), (0, 2), (2, 0), (2, 2)):
        cube = 1 if owner == 0 else 2
        decision = Decision(position=start, match_length=3, score=score, cube=cube, cube_owner=owner)
        if (score, owner) in (((2, 0), -1), ((0, 2), 1)):
            with pytest.raises(BgfastError, match="a double by a player who needed only a single game"):
                tables.cube_actions([start], decision)
            continue
        actions = tables.cube_actions([start], decision, mwc=True)
        need, opponent_need = 3 - score[0], 3 - score[1]
        mean = 0.0
        for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
            successors = [play.position for play in start.plays(roll)] or [start.flip()]
            next_decision = replace(decision, turn=-1, score=score[::-1], cube_owner=-owner)
            mean += weight * (1 - tables.cube_actions(successors, next_decision, mwc=True).best.min()) / 36
        assert actions.no_double[0] == pytest.approx(mean, abs=1e-8)
        if owner != -1 and need > decision.cube:
            remaining_need = need - decision.cube
            crawford = remaining_need == 1 < opponent_need and min(need, opponent_need) > 1
            expected = tables.match_equity(remaining_need, opponent_need, crawford=crawford)
            assert actions.double_drop[0] == pytest.approx(expected, abs=1e-12)
            # A drop normalizes to 1, but with one checker per side a game may not change the match equity.
            normalized_drop = tables.cube_actions([start], decision).double_drop[0]
            assert tables.checkers == 1 or normalized_drop == pytest.approx(1)
        else:
            assert np.isnan(actions.double_drop[0])


def test_cube_actions_at_every_score_are_finite(tables: Hypergammon) -> None:
    """With one checker per side every win is a gammon, and an additional point may be worth nothing."""
    position = start_of(tables)
    for need, opponent_need, crawford, cube, owner in SCORE_STATES:
        score = 3 - need, 3 - opponent_need
        decision = Decision(
            position=position, match_length=3, score=score, crawford=crawford, cube=cube, cube_owner=owner
        )
        assert np.isfinite(tables.cube_actions([position], decision).no_double).all()


def test_well_known_match_equities(tables: Hypergammon) -> None:
    assert tables.match_equity(3, 3) == pytest.approx(0.5, abs=1e-9)
    if tables.checkers == 2:
        assert tables.match_equity(1, 3, crawford=True) == pytest.approx(0.73422, abs=1e-5)
        assert tables.match_equity(3, 1) == pytest.approx(0.43994, abs=1e-5)


def test_beavers_are_worth_twice_a_take(tables: Hypergammon) -> None:
    actions = tables.cube_actions(positions_of(tables), Decision(position=start_of(tables), beaver=True))
    assert np.array_equal(actions.double_beaver, np.maximum(2 * actions.double_take, -2))


def test_the_formula_decides_outside_the_tables(tables: Hypergammon) -> None:
    match = Decision(position=start_of(tables), match_length=5)
    assert "the players need 5 and 5 points" in str(tables.why_not_exact(match))
    assert bgfast.cube_decision(match, tables).mwc is not None


# ---------------------------------------------------------------- rollouts and the command line


def test_a_rollout_finds_the_exact_equity(tables: Hypergammon) -> None:
    start = start_of(tables)
    win, gammon, backgammon, lost_gammon, lost_backgammon = tables([start.to_array()])[0]
    expected = 2 * win - 1 + gammon - lost_gammon + backgammon - lost_backgammon
    result = bgfast.rollout(start, evaluator=tables, trials=1296, seed=1, cubeless=True)
    assert abs(result.equity - expected) < 4 * result.equity_se
    assert result.equity_se < 0.06
    # Variance reduction with exact luck leaves no variance.
    options: dict[str, Any] = {"seed": 1, "variance_reduction": True, "cubeless": True}
    reduced_result = bgfast.rollout(start, evaluator=tables, trials=36, **options)
    assert reduced_result.equity == pytest.approx(expected, abs=1e-8)
    assert reduced_result.equity_se < 1e-8
    if tables.checkers == 2:  # imperfect players have a different equity
        options["luck_evaluator"] = tables
        weak_result = bgfast.rollout(start, evaluator=PipCount(), trials=1296, **options)
        assert abs(weak_result.equity - expected) > 3 * weak_result.equity_se


def test_the_command_line_reads_the_file(tables: Hypergammon, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(load_evaluator(tables._path), Hypergammon)
    options = ["--checkers", str(tables.checkers), "--evaluator", tables._path, "--cubeless"]
    assert main(["analyse", start_of(tables).gnubg_id, "65", *options]) == 0
    first_line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(" 1 "))
    play, equity = ("24/13", "+0.9765") if tables.checkers == 1 else ("24/19 23/17", "+0.2332")
    assert first_line.startswith(f" 1 {play} ")
    assert equity in first_line
