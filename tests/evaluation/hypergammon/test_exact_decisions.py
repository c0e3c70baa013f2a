"""Exact decisions at a score with the tables for two checkers per side."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bgfast
from bgfast import Decision, Position, cube_decision
from bgfast.cli.main import main
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.hypergammon.tables import SCORE_STATES, ScoreState
from bgfast.evaluators import Hypergammon
from tests.support.few_checkers import Board, Score, all_boards, mwc, plays_of

pytestmark = pytest.mark.slow  # the fixture solves the game with two checkers per side

BOARDS = list(all_boards(2))[::20_000]
CONTACT = Position.from_array([0, -1, *[0] * 4, 1, *[0] * 7, 1, *[0] * 2, -1, *[0] * 8], 2)


def decision_of(position: Position, score: Score | ScoreState) -> Decision:
    need, opponent_need, crawford, cube, owner = score
    return Decision(
        position=position,
        match_length=3,
        score=(3 - need, 3 - opponent_need),
        crawford=crawford,
        cube=cube,
        cube_owner=owner,
    )


def test_cube_decisions_at_scores_equal_one_step_of_slow_python(tables: Hypergammon) -> None:
    def best_mwc(board: Board, score: Score) -> float:
        decision = decision_of(Position.from_array(board, 2), ScoreState(*score).canonical())
        actions = tables.cube_actions([board], decision, mwc=True)
        return float(np.fmax(actions.no_double, np.fmin(actions.double_take, actions.double_drop))[0])

    def match_equity(need: int, opponent_need: int, crawford_is_over: bool) -> float:
        if need <= 0 or opponent_need <= 0:
            return float(need <= 0)
        crawford = not crawford_is_over and min(need, opponent_need) == 1 < max(need, opponent_need)
        return tables.match_equity(need, opponent_need, crawford=crawford)

    double_count = 0
    for board in BOARDS:
        plays = plays_of(board, 2)
        for state in SCORE_STATES[::2]:
            result = cube_decision(decision_of(Position.from_array(board, 2), state), tables)
            assert result.is_exact
            assert result.match_equity_table == "Hypergammon(2)"
            assert result.mwc is not None
            best = float(result.mwc.no_double if result.why_not else result.mwc.best)
            assert best == pytest.approx(mwc(board, plays, Score(*state), best_mwc, match_equity), abs=1e-9)
            double_count += result.why_not is None and bool(result.equities.doubles)
    assert double_count


def test_answers_to_a_double_are_exact(tables: Hypergammon) -> None:
    decision = decision_of(CONTACT, Score(3, 2, False, 1, 0))
    result = cube_decision(replace(decision, offer="double"), tables)
    assert result.is_exact
    assert result.mwc == cube_decision(decision, tables).mwc
    assert result.proper_action in ("Take", "Drop")


def test_plays_are_exact(tables: Hypergammon) -> None:
    met = tables.match_equity_table
    assert met is not None
    race = Position.from_array([0, 0, 0, 1, *[0] * 17, -1, *[0] * 4], 2)
    for position in (race, CONTACT):
        for score in (Score(3, 3, False, 1, 0), Score(2, 3, False, 2, -1), Score(3, 1, True, 1, 0)):
            decision = replace(decision_of(position, score), dice=(4, 2))
            next_decision = replace(
                decision, dice=None, turn=-1, score=decision.score[::-1], cube_owner=-decision.cube_owner
            )
            for ranked_play in bgfast.analyse(decision, evaluator=tables):
                position_after = ranked_play.play.position
                if position_after.winner is None:
                    actions = tables.cube_actions([position_after], next_decision, mwc=True)
                    after_double = np.fmin(actions.double_take, actions.double_drop)
                    expected = 1 - float(np.fmax(actions.no_double, after_double)[0])
                else:
                    points = -int(bgfast.results([position_after.to_array()], checkers=2)[0])
                    expected = met.after(decision, decision.cube * points)
                assert ranked_play.mwc == pytest.approx(expected, abs=1e-12)


def test_another_table_or_a_longer_match_uses_the_formula(tables: Hypergammon) -> None:
    decision = decision_of(CONTACT, Score(3, 2, False, 1, 0))
    table = MatchEquityTable.builtin()
    result = cube_decision(decision, tables, met=table)
    assert (result.is_exact, result.match_equity_table) == (False, table.name)
    assert result.mwc != cube_decision(decision, tables).mwc
    assert cube_decision(decision, tables, met=tables.match_equity_table).is_exact
    longer_match = replace(decision, match_length=5)
    result = cube_decision(longer_match, tables)
    assert (result.is_exact, result.match_equity_table) == (False, table.name)
    assert result.mwc == cube_decision(longer_match, tables, met=table).mwc
    assert cube_decision(replace(decision, match_length=0, score=(0, 0)), tables).is_exact


@pytest.mark.parametrize("dice", [None, (4, 2)])
def test_the_command_names_the_method(
    tables_path: Path, capsys: pytest.CaptureFixture[str], dice: tuple[int, int] | None
) -> None:
    def run_analyse(decision: Decision, *options: str) -> str:
        arguments = ["analyse", decision.xgid, "--checkers", "2", "--evaluator", str(tables_path), *options]
        assert main(arguments) == 0
        return capsys.readouterr().out

    decision = replace(decision_of(CONTACT, Score(3, 2, False, 1, 0)), dice=dice)
    assert run_analyse(decision).splitlines()[-1].endswith("match equities: Hypergammon(2); exact")
    settings = json.loads(run_analyse(decision, "--json"))["played_for"]
    assert (settings["match_equity_table"], settings["efficiency"]) == ("Hypergammon(2)", None)
    text = run_analyse(replace(decision, match_length=5))
    assert text.splitlines()[-1].endswith("; efficiency: bgfast")
