"""Cube efficiency models."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bgfast import Decision, Position, random_positions
from bgfast.cube import cube_actions, cube_efficiencies, cube_points, cubeful_equities


def race(pips: int) -> list[int]:
    """Return a race in which the mover has this pip count and one checker of the opponent is not home."""
    board = [0] * 26
    while pips >= 12:
        board[12], pips = board[12] + 1, pips - 12
    if pips:
        board[pips] += 1
    board[18], board[20] = -1, -3
    return board


def test_efficiencies_of_gnu_backgammon() -> None:
    boards = [
        Position.start().to_array(),
        *(race(pips) for pips in (12, 36, 64, 100, 132)),
        [0] * 5 + [2] + [0] * 15 + [-2] + [0] * 4,
    ]
    np.testing.assert_allclose(
        cube_efficiencies(boards, "gnubg"), [0.68, 0.6, 0.6, 0.55 + 64 / 800, 0.55 + 100 / 800, 0.7, 0.6]
    )


CONTACT = Position.start()
WINS = np.linspace(0, 1, 101)
DECISION_FIELDS: tuple[dict[str, Any], ...] = (
    {},
    {"jacoby": True},
    {"match_length": 7, "score": (2, 4)},
    {"match_length": 4, "score": (2, 0)},
    {"match_length": 5, "score": (1, 4)},
    {"match_length": 5, "score": (4, 1)},
)


def rows_of(gammons: float = 0.0, lost_gammons: float = 0.0) -> np.ndarray:
    """Return rows with winning probabilities from 0 to 1 and these shares of gammons in wins and losses."""
    zeros = np.zeros_like(WINS)
    return np.stack((WINS, gammons * WINS, zeros, lost_gammons * (1 - WINS), zeros), axis=1)


def efficiencies(position: Position, rows: npt.ArrayLike, **fields: Any) -> np.ndarray:
    rows = np.asarray(rows)
    decision = Decision(position=CONTACT, **fields)
    return cube_efficiencies([position] * len(rows), probabilities=rows, decision=decision)


def test_the_bgfast_model_has_the_fitted_lines() -> None:
    """Efficiency is linear in wins; the line depends on owner and gammons or, in races, owner and pips."""
    for owner, at_loss, at_win, slope in ((1, 0.69, 0.85, -0.26), (-1, 0.86, 0.59, 0.03)):
        actual = efficiencies(CONTACT, rows_of(0.3, 0.2), cube=2, cube_owner=owner)
        gammons = 0.3 * WINS + 0.2 * (1 - WINS)
        assert actual == pytest.approx(at_loss + WINS * (at_win - at_loss) + slope * gammons)
    assert efficiencies(CONTACT, rows_of(0.3, 0.2))[50] == pytest.approx(0.88 - 0.81 * 0.25)
    rows = [[0.3, 0, 0, 0, 0], [0.9, 0, 0, 0, 0]]
    short_race, medium_race, long_race = (
        Position.from_array([0, aces, 0, 0, 0, 0, sixes] + [0] * 17 + [-12, 0])
        for aces, sixes in ((6, 0), (8, 0), (4, 1))
    )
    assert efficiencies(short_race, rows, cube=2, cube_owner=1) == pytest.approx(
        [0.7 * 0.21 + 0.3 * 0.45, 0.1 * 0.21 + 0.9 * 0.45]
    )
    at_loss, at_win = (0.21 + 0.24) / 2, (0.45 + 0.54) / 2  # 8 pips are halfway between 6 and 10
    expected = [0.7 * at_loss + 0.3 * at_win]
    assert efficiencies(medium_race, rows[:1], cube=2, cube_owner=1) == pytest.approx(expected)
    expected = [0.7 * 0.83 + 0.3 * 0.26]
    assert efficiencies(long_race, rows[:1], cube=2, cube_owner=-1) == pytest.approx(expected)
    # The pips of the side that is ahead count, whoever is on roll.
    assert efficiencies(long_race.flip(), rows[:1]) == pytest.approx(efficiencies(long_race, rows[:1]))


@pytest.mark.parametrize("fields", DECISION_FIELDS, ids=str)
def test_the_model_preserves_monotonicity(fields: dict[str, Any]) -> None:
    """Equities rise with the winning probability, and from unavailable to centred to owned cubes."""
    for phase in ("contact", "race", "bearoff"):
        for board in random_positions(3, 5, phase=phase):
            for shares in ((0.0, 0.0), (0.3, 0.2), (0.5, 0.1)) if phase == "contact" else ((0.0, 0.0),):
                rows = rows_of(*shares)
                decision = Decision(position=Position.from_array(board), **fields)
                equities = {owner: cubeful_equities(rows, decision, owner=owner) for owner in (1, 0, -1)}
                assert min(np.diff(curve).min() for curve in equities.values()) > -1e-4
                if not fields and not any(shares):
                    assert (equities[1] >= equities[0] - 1e-9).all()
                    assert (equities[0] >= equities[-1] - 1e-9).all()


def test_a_riskless_double_makes_the_cube_fully_live() -> None:
    """At 2-away, 4-away a loss at cube 2 already costs the trailer the match: a redouble risks nothing."""
    context: dict[str, Any] = {"match_length": 4, "score": (2, 0), "cube": 2}
    long_race = Position.from_array([0] * 6 + [5, 5, 5] + [0] * 7 + [-5, -5, -5] + [0] * 7)
    for position in (CONTACT, long_race):
        assert (efficiencies(position, rows_of(), **context, cube_owner=-1) == 1).all()
        # A cube owned by the leader is dead and has the efficiency of the model.
        assert (efficiencies(position, rows_of(), **context, cube_owner=1) < 1).any()
    bearoff = Position.from_array([0, 4] + [0] * 22 + [-4, 0])
    assert efficiencies(bearoff, rows_of(), **context, cube_owner=-1) == pytest.approx(0.6 + 0.4 * WINS)
    # After the Crawford game a centred cube is in effect the trailer's.
    post_crawford: dict[str, Any] = {"match_length": 4, "score": (0, 3)}
    expected = efficiencies(CONTACT, rows_of(), cube=2, cube_owner=1)
    assert np.array_equal(efficiencies(CONTACT, rows_of(), **post_crawford), expected)
    assert (efficiencies(CONTACT, rows_of(), match_length=4, score=(3, 0)) == 1).all()


def test_cube_points_of_a_model_are_crossings_of_its_equities() -> None:
    decision = Decision(position=CONTACT)
    points = cube_points([0.6, 0.15, 0.01, 0.1, 0.0], decision)
    for point, alternative in (("double", "no_double"), ("cash", "double_drop")):
        win = getattr(points, point)
        row = [win, 0.25 * win, 0.01 / 0.6 * win, 0.25 * (1 - win), 0]
        actions = cube_actions(row, decision)
        assert actions.double_take == pytest.approx(getattr(actions, alternative), abs=1e-9)
