"""Bear-offs in which one thing is wrong: it is found, has its name, and costs what the tables say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import bgfast
from bgfast import Decision, Match, MatchEquityTable, Position
from bgfast.analysis.bearoff.bearoff import Bearoff
from bgfast.analysis.decisions.best_plays import best_plays
from bgfast.analysis.decisions.players import after_turn
from bgfast.evaluators import Lookahead

FAST = bgfast.evaluators.WithBearoff(bgfast.Network.builtin_fast())
TABLES = Bearoff()
MONEY: dict[str, Any] = {}
MATCH = {"match_length": 5, "score": (2, 1)}
OWNED = {"match_length": 7, "score": (3, 3), "cube": 2, "cube_owner": 1}
THEIRS = {"match_length": 3, "score": (0, 1), "cube": 2, "cube_owner": -1}
ALL = [MONEY, MATCH, OWNED, THEIRS]


def bearing_off(own: list[int], opponent: list[int]) -> Position:
    """Return a position by the numbers of checkers on points 1, 2, ... of both sides."""
    board = [0, *own] + [0] * (25 - len(own))
    for point, number in enumerate(opponent, 1):
        board[25 - point] = -number
    return Position.from_array(board)


HALF = bearing_off([0, 1, 0, 0, 1], [2])  # won by 19 of 36 rolls, else lost
FEW = bearing_off([0, 0, 0, 0, 0, 2], [2])  # by 4 of 36
SURE = bearing_off([1], [1])
PLAYED = bearing_off([1, 0, 1, 0, 1], [3])  # 2-1 bears off the checker on 3, if it is well played
WRONG = "5/2"


def stakes_of(given: Decision) -> npt.NDArray[np.float64] | None:
    """Return the chances to win the match after a game won and lost, by the value of the cube."""
    if not given.match_length:
        return None
    cubes = [given.cube * 2**turned for turned in range(4)]
    met = MatchEquityTable.builtin()
    return np.array([[met.after(given, cube), met.after(given, -cube)] for cube in cubes])


def exact(given: Decision) -> tuple[float, float, float]:
    """Return the equities (EMG) of no double, double and take, double and pass."""
    stakes, board = stakes_of(given), [given.position]
    if given.cube_owner == -1:
        values = np.array([TABLES.cubeful_equities(board, stakes)[0, 2], -np.inf, -np.inf])
    else:
        values = TABLES.doubling_equities(board, stakes)[0, [1 - given.cube_owner, 2, 3]]
    if stakes is not None:
        values = (values - stakes[0].mean()) / (np.ptp(stakes[0]) / 2)
    no_double, taken, passed = values.tolist()
    return no_double, taken, passed


def worth(given: Decision) -> float:
    """Return what a turn is worth to who begins it."""
    no_double, taken, passed = exact(given)
    return max(no_double, min(taken, passed))


def cost_of_the_play(given: Decision) -> float:
    values = {str(play): -worth(after_turn(given, play.position)) for play in given.position.plays((2, 1))}
    return max(values.values()) - values[WRONG]


def cost_of_waiting(given: Decision) -> float:
    no_double, taken, passed = exact(given)
    return min(taken, passed) - no_double


def cost_of_doubling(given: Decision) -> float:
    return -cost_of_waiting(given)


def cost_of_taking(given: Decision) -> float:
    _, taken, passed = exact(given)
    return taken - passed


def cost_of_passing(given: Decision) -> float:
    return -cost_of_taking(given)


def cost_of_resigning(given: Decision) -> float:
    return worth(given) + 1


@pytest.mark.parametrize(
    ("position", "contexts", "actions", "kind", "player", "cost"),
    [
        (PLAYED, ALL, [WRONG], "play", 0, cost_of_the_play),
        (HALF, [MONEY, MATCH], ["roll"], "missed double", 0, cost_of_waiting),
        (FEW, [MONEY, MATCH, OWNED], ["double", "take"], "wrong double", 0, cost_of_doubling),
        (SURE, [MONEY, MATCH, OWNED], ["double", "take"], "wrong take", 1, cost_of_taking),
        (HALF, [MONEY, MATCH], ["double", "drop"], "wrong pass", 1, cost_of_passing),
        (HALF, ALL, ["resign"], "resignation", 0, cost_of_resigning),
    ],
)
def test_an_error_is_found_and_costs_what_the_tables_say(
    position: Position,
    contexts: list[dict[str, Any]],
    actions: list[str],
    kind: str,
    player: int,
    cost: Callable[[Decision], float],
) -> None:
    for context in contexts:
        given = Decision(position=position, dice=(2, 1) if kind == "play" else None, **context)
        match = Match.from_decision(given, dice=[(3, 1)])
        for action in actions:
            match.play(action) if action == WRONG else getattr(match, action)()
        found = bgfast.analyse_match(match, FAST, ply=0)
        expected = cost(given)
        assert expected > 0.02
        for side in (0, 1):
            errors = {name: value for name, value in found.rates[side].errors.items() if value > 1e-6}
            assert errors == ({kind: pytest.approx(expected, abs=2e-4)} if side == player else {})
        (wrong,) = (each for each in found.decisions if each.error > 1e-6)
        assert wrong.recorded.player == player
        stakes = stakes_of(given)
        chances = None if stakes is None else pytest.approx(expected * np.ptp(stakes[0]) / 2, abs=1e-4)
        assert wrong.error_mwc == chances


def test_after_a_play_the_opponent_may_cash() -> None:
    # No table knows eight checkers; whatever is played, the opponent doubles, and that is the end of it.
    given = Decision(position=bearing_off([0, 0, 0, 0, 0, 7], [2, 2, 2, 2]), dice=(2, 1))
    plays = best_plays(Lookahead(FAST, ply=1), given, None, "bgfast")
    assert len(plays) > 1
    assert [each.equity for each in plays] == pytest.approx([-1] * len(plays), abs=1e-9)
    assert plays[0].difference == 0


def test_plays_of_bear_offs_are_exact_at_any_ply() -> None:
    given = Decision(position=PLAYED, dice=(2, 1), **MATCH)
    match = Match.from_decision(given)
    match.play(WRONG)
    at_sight, ahead = (bgfast.analyse_match(match, FAST, ply=ply).decisions[0] for ply in (0, 2))
    assert at_sight.error == ahead.error


def test_the_best_play_is_that_of_the_tables() -> None:
    # The formula, and so looking ahead, likes another play here.
    position = bearing_off([0, 2, 0, 3], [1, 0, 0, 0, 3])
    given = Decision(position=position, dice=(4, 1), **MATCH)
    values = {str(play): -worth(after_turn(given, play.position)) for play in position.plays((4, 1))}
    best = max(values, key=values.__getitem__)
    match = Match.from_decision(given)
    match.play(best)
    (found,) = bgfast.analyse_match(match, FAST, ply=2).decisions
    assert (found.rank, found.error, found.best.text) == (1, 0, best)
    first, second, *_ = best_plays(Lookahead(FAST, ply=1), given, None, "bgfast")
    assert (str(first.play), first.difference) == (best, 0)
    assert second.difference == pytest.approx(sorted(values.values())[-2] - values[best], abs=2e-4)
