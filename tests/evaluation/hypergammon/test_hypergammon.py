"""Exact tables as an evaluator: of boards, of cube decisions, of plays, and in rollouts."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import bgfast
from bgfast import ROLL_WEIGHTS, ROLLS, BgfastError, Decision, InvalidPositionError, Position
from bgfast.analysis.branches import search_of
from bgfast.cli.main import main
from bgfast.cli.players import named_evaluator
from bgfast.evaluation.hypergammon.solver import solve_tables
from bgfast.evaluation.hypergammon.tables import MONEY, read_header, table_at
from bgfast.evaluators import Chain, Hypergammon, PipCount
from tests.evaluation.hypergammon.test_solver import boards_at, numbers_of

START = Position.from_array([0, -1, -1] + [0] * 20 + [1, 1, 0], 2)
RACE = Position.from_array([0, 0, 0, 0, 1, 0, 1] + [0] * 12 + [-1, -1] + [0] * 5, 2)


@pytest.fixture(scope="module")
def two(path: Path) -> Hypergammon:
    return Hypergammon(path)


def money_at(path: Path, two: Hypergammon, position: Position) -> dict[str, float]:
    """Return the values at the beginning of a turn by the names of the columns."""
    number = numbers_of(two._index, position.to_array()[None])
    values = MONEY.begin_turn(np.array(table_at(str(path), read_header(str(path)), 1)[number]))
    return dict(zip(MONEY.names, values[0].tolist(), strict=True))


# ---------------------------------------------------------------- boards


def test_probabilities_are_those_of_the_table(path: Path, two: Hypergammon) -> None:
    boards = boards_at(two._index, np.arange(0, two._index.size, 77))
    expected = table_at(str(path), read_header(str(path)), 0)[::77]
    assert (two(boards) == expected).all()
    assert two.covers(boards).all()
    assert (two(boards.tolist()[:3]) == expected[:3]).all()


def test_boards_that_are_refused(two: Hypergammon) -> None:
    over = [0] * 24 + [-2, 0]
    assert two.covers([START.to_array(), over]).tolist() == [True, False]
    with pytest.raises(
        InvalidPositionError, match="row 1: the game is over; expected checkers of both sides"
    ):
        two([START.to_array(), over])
    with pytest.raises(InvalidPositionError, match=r"row 0: .*\b3\b"):
        two([[0, 3] + [0] * 22 + [-1, 0]])


def test_it_is_pickled_by_its_path(two: Hypergammon) -> None:
    copy = pickle.loads(pickle.dumps(two))
    assert repr(copy) == repr(two)
    assert (copy([START.to_array()]) == two([START.to_array()])).all()


def test_files_that_are_refused(tmp_path: Path) -> None:
    unfinished = tmp_path / "one.bghyper"

    def interrupt(state: object) -> None:
        if getattr(state, "table", None) == "money" and getattr(state, "sweeps", 0):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_tables(unfinished, checkers=1, progress=interrupt)
    with pytest.raises(BgfastError, match=r"one\.bghyper: it has no table 'money'; expected a file"):
        Hypergammon(unfinished)


def test_check_reads_all_tables(path: Path, tmp_path: Path, two: Hypergammon) -> None:
    two.check()
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    damaged = tmp_path / "damaged.bghyper"
    damaged.write_bytes(content)
    with pytest.raises(BgfastError, match="the checksum of the table 'match'"):
        Hypergammon(damaged).check()


# ---------------------------------------------------------------- decisions


@pytest.mark.parametrize("position", [START, START.flip(), RACE, RACE.flip()])
@pytest.mark.parametrize(
    ("context", "name"),
    [
        ({}, "centred"),
        ({"jacoby": True}, "centred, Jacoby"),
        ({"cube": 4, "cube_owner": 1}, "owned"),
        ({"cube": 4, "cube_owner": -1}, "unavailable"),
    ],
)
def test_plays_and_cube_actions_agree(
    path: Path, two: Hypergammon, position: Position, context: dict[str, int], name: str
) -> None:
    decision = Decision(position=position, **context)
    result = bgfast.cube_decision(decision, two)
    equities = result.equities
    values = money_at(path, two, position)
    assert equities.best == pytest.approx(values[name], abs=1e-12)
    if name != "unavailable":
        assert equities.double_take == pytest.approx(2 * values["unavailable"], abs=1e-12)
        assert equities.double_drop == 1
    # No double is the mean of the best plays of all rolls.
    search = search_of(two, None, 2)
    best = [search.best_plays(replace(decision, dice=roll))[0] for roll in ROLLS]
    mean = sum(weight * play.equity for weight, play in zip(ROLL_WEIGHTS, best, strict=True)) / 36
    assert mean == pytest.approx(equities.no_double, abs=1e-8)
    assert (result.ply, result.evaluator) == (0, "Hypergammon(2)")


@pytest.mark.parametrize("score", [(1, 1), (2, 1), (1, 2), (0, 0), (0, 1), (1, 0), (0, 2), (2, 0), (2, 2)])
@pytest.mark.parametrize("owner", [1, 0, -1])
def test_cube_actions_at_a_score(
    path: Path, two: Hypergammon, score: tuple[int, int], owner: Literal[1, 0, -1]
) -> None:
    decision = Decision(
        position=START, match_length=3, score=score, cube=1 if owner == 0 else 2, cube_owner=owner
    )
    if (score, owner) in (((2, 0), -1), ((0, 2), 1)):
        with pytest.raises(BgfastError, match="a double by a player for whom a single game was enough"):
            two.cube_actions([START.to_array()], decision)
        return
    actions = two.cube_actions([START.to_array()], decision, mwc=True)
    need, opponent_need = 3 - score[0], 3 - score[1]
    is_over = min(need, opponent_need) == 1
    mean = 0.0
    for roll, weight in zip(ROLLS, ROLL_WEIGHTS, strict=True):
        best = 0.0
        for play in START.plays(roll):
            after = replace(decision, position=play.position, turn=-1, score=score[::-1], cube_owner=-owner)
            best = max(best, 1 - two.cube_actions([play.position.to_array()], after, mwc=True).best[0])
        mean += weight * best / 36
    assert actions.no_double[0] == pytest.approx(mean, abs=1e-8)
    if owner != -1 and need > decision.cube:
        rest = need - decision.cube
        crawford = rest == 1 < opponent_need and not is_over
        expected = two.match_equity(rest, opponent_need, crawford=crawford)
        assert actions.double_drop[0] == pytest.approx(expected, abs=1e-12)
        # Normalised, winning the cube is 1.
        assert two.cube_actions([START.to_array()], decision).double_drop[0] == pytest.approx(1)
    else:
        assert np.isnan(actions.double_drop[0])


def test_match_equities(two: Hypergammon) -> None:
    assert two.match_equity(3, 3) == pytest.approx(0.5, abs=1e-9)
    assert two.match_equity(1, 3, crawford=True) == pytest.approx(0.73422, abs=1e-5)
    assert two.match_equity(3, 1) == pytest.approx(0.43994, abs=1e-5)
    for need, crawford in ((4, False), (3, True), (0, False)):
        with pytest.raises(BgfastError, match=f"the score {need}-away, 3-away.* is not in the file"):
            two.match_equity(need, 3, crawford=crawford)


def test_beavers_are_worth_twice_a_take(two: Hypergammon) -> None:
    decision = Decision(position=START, beaver=True)
    actions = two.cube_actions([START.to_array()], decision)
    assert actions.double_beaver[0] == pytest.approx(max(2 * actions.double_take[0], -2))


def test_cubes_outside_the_tables(two: Hypergammon) -> None:
    board = [START.to_array()]
    match = Decision(position=START, match_length=5)
    for decision, why in [
        (match, "the players need 5 and 5 points; the tables are for at most 3"),
        (Decision(position=START, max_cube=64), "the maximum cube is 64"),
        (Decision(position=START, jacoby=True, beaver=True), "beavers under the Jacoby rule"),
    ]:
        assert why in str(two.why_not_exact(decision))
        with pytest.raises(BgfastError, match=why):
            two.cube_actions(board, decision)
    # The formula of cube efficiency takes its place.
    assert bgfast.cube_decision(match, two).mwc is not None


# ---------------------------------------------------------------- rollouts and other evaluators


def test_a_rollout_finds_the_exact_equity(two: Hypergammon) -> None:
    win, gammon, backgammon, lost_gammon, lost_backgammon = two([START.to_array()])[0]
    exact = 2 * win - 1 + gammon - lost_gammon + backgammon - lost_backgammon
    plain = bgfast.rollout(START, two, trials=5184, seed=1)
    assert abs(plain.equity - exact) < 4 * plain.equity_se
    assert plain.equity_se < 0.03
    # Subtracting exact luck leaves nothing to chance.
    reduced = bgfast.rollout(START, two, trials=36, seed=1, variance_reduction=True)
    assert reduced.equity == pytest.approx(exact, abs=1e-8)
    assert reduced.equity_se < 1e-8
    # Imperfect players have another equity.
    weak = bgfast.rollout(START, PipCount(), trials=1296, seed=1, variance_reduction=True, luck_evaluator=two)
    assert abs(weak.equity - exact) > 3 * weak.equity_se


def test_it_begins_a_chain(two: Hypergammon) -> None:
    chain = Chain(two, lambda boards: np.zeros((len(boards), 5)))
    assert (chain(START.to_array()[None]) == two([START.to_array()])).all()


def test_the_command_line_reads_its_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(named_evaluator(str(path)), Hypergammon)
    words = ["analyse", START.gnubg_id, "--checkers", "2", "--evaluator", str(path)]
    assert main([*words[:2], "65", *words[2:]]) == 0
    first = next(line for line in capsys.readouterr().out.splitlines() if line.startswith(" 1 "))
    assert first.startswith(" 1 24/19 23/17 ")
    assert "+0.2332" in first
