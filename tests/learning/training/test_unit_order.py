"""Order of units: units that are active together form pairs."""

from __future__ import annotations

import numpy as np

from bgfast.learning.training.unit_order import paired_units


def test_partners_share_most_positions() -> None:
    """Find two pairs that are always active together, in any order."""
    is_active = np.zeros((8, 6), np.bool_)
    is_active[:5, [0, 3]] = True
    is_active[5:, [1, 5]] = True
    is_active[4, 2] = True
    assert {frozenset(pair) for pair in paired_units(is_active).reshape(-1, 2).tolist()} == {
        frozenset({0, 3}),
        frozenset({1, 5}),
        frozenset({2, 4}),
    }


def test_each_unit_once() -> None:
    random = np.random.default_rng(3)
    is_active = random.random((500, 64)) < random.random(64) ** 2
    order = paired_units(is_active)
    assert sorted(order.tolist()) == [*range(64)]
    assert (paired_units(is_active) == order).all()


def test_units_that_are_never_active() -> None:
    assert sorted(paired_units(np.zeros((0, 32), np.bool_)).tolist()) == [*range(32)]
    assert sorted(paired_units(np.zeros((9, 32), np.bool_)).tolist()) == [*range(32)]
