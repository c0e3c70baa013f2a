"""Cubeful equities of arrays: agreement with single rows, monotonicity, efficiency models and builds."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from bgfast import Decision, Position
from bgfast.core.generator.generator import BUILD
from bgfast.cube import cube_efficiencies, cubeful_equities
from bgfast.evaluation.cubeful import cubeful_values
from bgfast.evaluation.efficiency import as_efficiencies
from bgfast.evaluation.stakes import stakes_of

MONEY = Decision(position=Position.start())
DECISIONS = [
    MONEY,
    replace(MONEY, jacoby=True),
    replace(MONEY, cube=8, max_cube=32),
    *(
        replace(MONEY, match_length=length, score=score, cube=cube)
        for length, score, cube in [
            (2, (0, 0), 1),
            (4, (2, 0), 1),
            (4, (0, 2), 1),
            (7, (0, 2), 2),
            (5, (1, 4), 1),
            (25, (0, 3), 1),
            (25, (20, 3), 4),
        ]
    ),
]


def random_rows(count: int, max_gammon_share: float = 0.5, seed: int = 7) -> npt.NDArray[np.float64]:
    """Return rows of random probabilities; at most `max_gammon_share` of wins and losses are gammons."""
    rng = np.random.default_rng(seed)
    win, *shares = rng.random((5, count))
    gammon, lost_gammon = max_gammon_share * win * shares[0], max_gammon_share * (1 - win) * shares[1]
    return np.column_stack((win, gammon, gammon * shares[2] / 4, lost_gammon, lost_gammon * shares[3] / 4))


@pytest.mark.parametrize("decision", DECISIONS)
def test_rows_of_an_array_equal_single_rows(decision: Decision) -> None:
    rows = random_rows(77)
    x = np.linspace(0, 1, 77)
    for owner in (1, 0, -1):
        stakes = stakes_of(replace(decision, cube_owner=owner))
        expected = [
            stakes.normalize(stakes.value(row, efficiency)) for row, efficiency in zip(rows, x, strict=True)
        ]
        equities = cubeful_equities(rows, decision, efficiency=x, owner=owner)  # type: ignore[arg-type]
        assert equities.tolist() == expected
        assert cubeful_equities(rows[5], decision, efficiency=x[5], owner=owner) == expected[5]  # type: ignore[arg-type]
        float32_equities = cubeful_equities(rows.astype(np.float32), decision, efficiency=x, owner=owner)  # type: ignore[arg-type]
        np.testing.assert_allclose(float32_equities, expected, atol=1e-5)


@pytest.mark.parametrize("decision", DECISIONS)
def test_equities_rise_without_jumps(decision: Decision) -> None:
    win = np.linspace(0, 1, 1001)
    for gammon_share, lost_gammon_share in ((0, 0), (0.3, 0.1), (0.1, 0.3)):
        rows = np.column_stack((win, gammon_share * win, 0 * win, lost_gammon_share * (1 - win), 0 * win))
        for efficiency in (0, 0.68, 1):
            for owner in (1, 0, -1):
                steps = np.diff(cubeful_equities(rows, decision, efficiency=efficiency, owner=owner))
                assert steps.min() > -1e-12
                assert steps.max() < 0.04


def test_a_model_gives_the_efficiency_of_the_position() -> None:
    row = [0.6, 0.1, 0, 0.1, 0]
    assert cubeful_equities(row, MONEY) == cubeful_equities(row, MONEY, efficiency="bgfast")
    assert cubeful_equities(row, MONEY, efficiency="gnubg") == cubeful_equities(row, MONEY, efficiency=0.68)


@pytest.mark.parametrize("decision", DECISIONS)
def test_equities_with_a_model_equal_equities_with_its_efficiencies(decision: Decision) -> None:
    rows = random_rows(77)
    mwc = bool(decision.match_length)
    for owner in (1, 0, -1):
        decision = replace(decision, cube_owner=owner)
        boards = [decision.position.to_array()] * len(rows)
        for model in ("bgfast", "gnubg"):
            x = cube_efficiencies(boards, model, probabilities=rows, decision=decision)
            equities = cubeful_equities(rows, decision, efficiency=model, mwc=mwc)
            assert equities.tolist() == cubeful_equities(rows, decision, efficiency=x, mwc=mwc).tolist()


@pytest.mark.skipif(BUILD == "portable", reason="there is no other build")
def test_builds_agree_to_the_last_bit() -> None:
    data = pickle.dumps([(random_rows(50), decision) for decision in DECISIONS])
    script = (
        "import pickle, sys, bgfast\n"
        "for rows, decision in pickle.load(sys.stdin.buffer):\n"
        "    print(bgfast.cube.cubeful_equities(rows, decision).tobytes().hex())"
    )
    arguments = [sys.executable, "-c", script]
    environment = {**os.environ, "BGFAST_CPU": "portable"}
    output = subprocess.run(arguments, input=data, env=environment, capture_output=True, check=True).stdout
    equities = [cubeful_equities(rows, decision).tobytes().hex() for rows, decision in pickle.loads(data)]
    assert output.decode().split() == equities


def test_rounded_probabilities_are_accepted() -> None:
    # Rounded from a winning probability of 0.9875; every game ends in a gammon or backgammon.
    rows = np.array([[0.988, 0.988, 0, 0.013, 0.013]])
    equities = cubeful_equities(rows, MONEY, efficiency=1)
    assert equities == cubeful_equities([[0.988, 0.988, 0, 0.012, 0.012]], MONEY, efficiency=1)
    assert cubeful_equities(rows.astype(np.float32), MONEY, efficiency=1) == pytest.approx(equities, abs=1e-6)


def test_reported_gammons_are_limited_to_wins_and_losses() -> None:
    stakes, efficiencies = stakes_of(MONEY), as_efficiencies(1.0, MONEY, 1)
    for row, clipped_row in (
        ([0.6, 0.7, 0.8, 0.5, 0.7], [0.6, 0.6, 0.6, 0.4, 0.4]),
        ([0.6, 0.3, 0.5, 0.2, 0.4], [0.6, 0.3, 0.3, 0.2, 0.2]),
    ):
        expected = stakes.value(clipped_row, 1.0)
        assert stakes.value(row, 1.0) == expected
        assert cubeful_values(stakes, np.array([row]), efficiencies) == [expected]


def test_empty_arrays_have_no_equities() -> None:
    assert cubeful_equities(np.empty((0, 5)), MONEY, efficiency=[]).shape == (0,)
    assert cubeful_equities(np.empty((0, 5)), MONEY).shape == (0,)
