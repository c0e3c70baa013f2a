"""Matches of one or two decisions, whose errors follow from the exact tables or are computed by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bgfast
from bgfast import Decision, Match, Position
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluators import Lookahead
from bgfast.matches import MatchAnalysis
from bgfast.position.decision import after_turn
from tests.support.bearing_off import LONG_SHOT, SURE_WIN, TOSSUP, bearoff_of

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
TABLES = Bearoff()
MONEY: dict[str, Any] = {}
MATCH = {"match_length": 5, "score": (2, 1)}
OWN_CUBE = {"match_length": 7, "score": (3, 3), "cube": 2, "cube_owner": 1}
OPPONENTS_CUBE = {"match_length": 3, "score": (0, 1), "cube": 2, "cube_owner": -1}
CONTEXTS = [MONEY, MATCH, OWN_CUBE, OPPONENTS_CUBE]
PLAY_POSITION = bearoff_of([1, 0, 1, 0, 1], [3])  # the best play of 2-1 bears off the checker on 3
WRONG_PLAY = "5/2"


def stakes_of(decision: Decision) -> npt.NDArray[np.float64] | None:
    """Return the MWC after a won and a lost game, for four cube values; None for money play."""
    if not decision.match_length:
        return None
    cubes = [decision.cube * 2**doubles for doubles in range(4)]
    met = MatchEquityTable.builtin()
    return np.array([[met.after(decision, cube), met.after(decision, -cube)] for cube in cubes])


def exact_equities(decision: Decision) -> tuple[float, float, float]:
    """Return the equities (EMG) of no double, double and take, double and drop."""
    stakes, positions = stakes_of(decision), [decision.position]
    if decision.cube_owner == -1:
        equities = np.array([TABLES.cubeful_equities(positions, stakes)[0, 2], -np.inf, -np.inf])
    else:
        equities = TABLES.doubling_equities(positions, stakes)[0, [1 - decision.cube_owner, 2, 3]]
    if stakes is not None:
        equities = (equities - stakes[0].mean()) / (np.ptp(stakes[0]) / 2)
    no_double, take, drop = equities.tolist()
    return no_double, take, drop


def turn_equity(decision: Decision) -> float:
    """Return the equity of the player on roll, who may double."""
    no_double, take, drop = exact_equities(decision)
    return max(no_double, min(take, drop))


def play_error(decision: Decision) -> float:
    equities = play_equities(decision)
    return max(equities.values()) - equities[WRONG_PLAY]


def play_equities(decision: Decision) -> dict[str, float]:
    plays = decision.position.plays(decision.dice)
    return {str(play): -turn_equity(after_turn(decision, play.position)) for play in plays}


def double_error(decision: Decision) -> float:
    no_double, take, drop = exact_equities(decision)
    return no_double - min(take, drop)


def take_error(decision: Decision) -> float:
    _, take, drop = exact_equities(decision)
    return take - drop


@pytest.mark.parametrize(
    ("position", "contexts", "actions", "kind", "player", "exact_error"),
    [
        (PLAY_POSITION, CONTEXTS, [WRONG_PLAY], "play", 0, play_error),
        (TOSSUP, [MONEY, MATCH], ["roll"], "missed double", 0, lambda decision: -double_error(decision)),
        (LONG_SHOT, [MONEY, MATCH, OWN_CUBE], ["double", "take"], "wrong double", 0, double_error),
        (SURE_WIN, [MONEY, MATCH, OWN_CUBE], ["double", "take"], "wrong take", 1, take_error),
        (TOSSUP, [MONEY, MATCH], ["double", "drop"], "wrong drop", 1, lambda decision: -take_error(decision)),
        (TOSSUP, CONTEXTS, ["resign"], "resignation", 0, lambda decision: turn_equity(decision) + 1),
    ],
)
def test_errors_agree_with_the_exact_tables(
    position: Position,
    contexts: list[dict[str, Any]],
    actions: list[str],
    kind: str,
    player: int,
    exact_error: Callable[[Decision], float],
) -> None:
    for context in contexts:
        decision = Decision(position=position, dice=(2, 1) if kind == "play" else None, **context)
        analysis = analyse(decision, *actions)
        expected = exact_error(decision)
        assert expected > 0.02
        for side in (0, 1):
            errors = {name: error for name, error in analysis.rates[side].errors.items() if error > 1e-6}
            assert errors == ({kind: pytest.approx(expected, abs=2e-4)} if side == player else {})
        (analysed,) = (item for item in analysis.decisions if item.error > 1e-6)
        assert analysed.recorded.player == player
        stakes = stakes_of(decision)
        error_mwc = None if stakes is None else pytest.approx(expected * np.ptp(stakes[0]) / 2, abs=1e-4)
        assert analysed.error_mwc == error_mwc


def analyse(decision: Decision, *actions: str, evaluator: Any = FAST, ply: int = 0) -> MatchAnalysis:
    """Return the analysis of a match that begins with the decision and these actions."""
    match = Match.from_decision(decision, dice=[(3, 1)])
    for action in actions:
        match.play(action) if "/" in action else getattr(match, action)()
    return bgfast.analyse_match(match, evaluator, ply=ply)


def test_cube_actions_name_their_evaluation_method() -> None:
    # A recursion with 14 checkers on the highest points would take too long.
    for side, method in (([5, 1], "exact"), ([9, 1], "race recursion"), ([0, 0, 0, 0, 7, 7], "formula")):
        analysis = analyse(Decision(position=bearoff_of(side, side)), "double", "take")
        for analysed in analysis.decisions:
            assert {choice.method for choice in analysed.choices} == {method}
            assert (method in repr(analysed.best)) == (method != "formula")
        row, *_ = analysis.to_dict()["decisions"]
        assert row["method"] == row["choices"][0]["method"] == method


def test_after_a_play_the_opponent_may_cash() -> None:
    # The tables do not cover eight checkers. After every play the opponent doubles and the player drops.
    decision = Decision(position=bearoff_of([0, 0, 0, 0, 0, 7], [2, 2, 2, 2]), dice=(2, 1))
    plays = Lookahead(FAST, ply=1).best_plays(decision)
    assert len(plays) > 1
    assert [play.equity for play in plays] == pytest.approx([-1] * len(plays), abs=1e-9)
    assert plays[0].difference == 0


def test_the_tables_decide_the_best_play_at_every_ply() -> None:
    decision = Decision(position=PLAY_POSITION, dice=(2, 1), **MATCH)
    static_error, searched_error = (
        analyse(decision, WRONG_PLAY, ply=ply).decisions[0].error for ply in (0, 2)
    )
    assert static_error == searched_error
    # The cube formula prefers another play, and so does a search without the tables.
    decision = Decision(position=bearoff_of([0, 2, 0, 3], [1, 0, 0, 0, 3]), dice=(4, 1), **MATCH)
    equities = play_equities(decision)
    best = max(equities, key=equities.__getitem__)
    (analysed,) = analyse(decision, best, ply=2).decisions
    assert (analysed.rank, analysed.error, analysed.best.text) == (1, 0, best)
    first, second, *_ = Lookahead(FAST, ply=1).best_plays(decision)
    assert (str(first.play), first.difference) == (best, 0)
    assert second.difference == pytest.approx(sorted(equities.values())[-2] - equities[best], abs=2e-4)


# ---------------------------------------------------------------- errors that can be computed by hand

CERTAIN_GAMMON = bearoff_of([1], [0, 0, 0, 0, 0, 15])  # the opponent still has 15 checkers


def gammon_evaluator(boards: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """Evaluate every position as a gammon for the player on roll."""
    return np.tile([1.0, 1.0, 0.0, 0.0, 0.0], (len(boards), 1))


def errors_and_prs(
    decision: Decision, *actions: str, evaluator: Any = FAST
) -> tuple[dict[str, float], list[float | None]]:
    """Return the error of each choice by its name, and the PR of both players."""
    analysis = analyse(decision, *actions, evaluator=evaluator)
    errors = {item.recorded.chosen: item.error for item in analysis.decisions}
    return errors, [rates.pr for rates in analysis.rates]


def test_doubling_a_certain_gammon_costs_a_point() -> None:
    """A gammon without a double wins 2 points; a dropped double wins 1 point."""
    decision = Decision(position=CERTAIN_GAMMON)
    errors, prs = errors_and_prs(decision, "double", "drop", evaluator=gammon_evaluator)
    assert errors == pytest.approx({"double": 1.0, "drop": 0.0}, abs=1e-9)
    assert prs == [pytest.approx(500), pytest.approx(0)]
    errors, _ = errors_and_prs(decision, "double", "take", evaluator=gammon_evaluator)
    assert errors == pytest.approx({"double": 1.0, "take": 3.0}, abs=1e-9)  # 4 points are lost instead of 1
    errors, prs = errors_and_prs(decision, "roll", evaluator=gammon_evaluator)
    assert (errors, prs) == ({"no double": 0}, [None, None])  # a double costs 1, so the turn is not counted
    # Under the Jacoby rule a gammon with a centred cube wins 1 point, no more than the cash.
    jacoby = Decision(position=CERTAIN_GAMMON, jacoby=True)
    errors, _ = errors_and_prs(jacoby, "double", "drop", evaluator=gammon_evaluator)
    assert errors == pytest.approx({"double": 0.0, "drop": 0.0}, abs=1e-9)


def test_a_take_instead_of_a_beaver_is_an_error() -> None:
    """The equity is -7/9 without a double, -14/9 after a take, and -2 after a dropped beaver."""
    loss = 1 - 2 * 4 / 36
    errors, prs = errors_and_prs(Decision(position=LONG_SHOT, beaver=True), "double", "take")
    assert errors == pytest.approx({"double": 2 - loss, "take": 2 - 2 * loss}, abs=1e-4)
    assert prs == pytest.approx([500 * (2 - loss), 500 * (2 - 2 * loss)], abs=0.05)
    # Without beavers, or with a cube that cannot be beavered, the take is correct.
    for limits in ({}, {"beaver": True, "max_cube": 2}):
        errors, prs = errors_and_prs(Decision(position=LONG_SHOT, **limits), "double", "take")
        assert errors == pytest.approx({"double": loss, "take": 0.0}, abs=1e-4)
        assert prs == pytest.approx([500 * loss, 0.0], abs=0.05)


def test_errors_count_one_and_a_half_times_in_one_point_matches() -> None:
    """The same error costs the same equity in every match that this game decides."""
    prs = []
    for length, score in ((1, (0, 0)), (2, (1, 1))):
        decision = Decision(position=PLAY_POSITION, dice=(2, 1), match_length=length, score=score)
        analysis = analyse(decision, WRONG_PLAY)
        (play,) = analysis.decisions
        error = play_error(decision)
        assert play.error == pytest.approx(error, abs=1e-4)
        prs.append(analysis.rates[0].pr)
        assert prs[-1] == pytest.approx((1.5 if length == 1 else 1) * 500 * error, abs=0.05)
    assert prs[0] == pytest.approx(1.5 * prs[1])
