"""Arrays of probabilities, equities and evaluations, and text of percentages."""

from __future__ import annotations

import numpy as np
import pytest

from bgfast.common.probabilities import (
    equities_of,
    evaluations_of_points,
    flip_evaluations,
    flip_probabilities,
    percent,
)

PROBABILITIES = np.array([[0.75, 0.25, 0.0, 0.125, 0.0], [0.5, 0.25, 0.125, 0.0, 0.0]])


def test_flipped_probabilities_negate_the_equities() -> None:
    equities = equities_of(PROBABILITIES)
    assert equities.tolist() == [0.625, 0.375]
    assert flip_probabilities(PROBABILITIES)[0].tolist() == [0.25, 0.125, 0.0, 0.25, 0.0]
    assert equities_of(flip_probabilities(PROBABILITIES)).tolist() == [-0.625, -0.375]


def test_finished_games_have_exact_evaluations() -> None:
    evaluations = evaluations_of_points(np.array([2, -3]))
    assert evaluations.tolist() == [[1, 1, 0, 0, 0, 2], [0, 0, 0, 1, 1, -3]]
    assert flip_evaluations(evaluations).tolist() == evaluations_of_points(np.array([-2, 3])).tolist()


@pytest.mark.parametrize(
    ("probability", "digits", "text"), [(0.123456, 2, "12.35%"), (-0.0004, 1, "0.0%"), (-0.004, 1, "-0.4%")]
)
def test_percentages_that_round_to_zero_have_no_sign(probability: float, digits: int, text: str) -> None:
    assert percent(probability, digits) == text
