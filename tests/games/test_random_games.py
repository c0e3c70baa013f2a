"""Random games of every preset end with a correct result."""

from __future__ import annotations

import pytest

from tests.support.games import PRESETS
from tests.tools.random_games import play_games


@pytest.mark.parametrize("name", PRESETS)
def test_random_games_end(name: str) -> None:
    summary = play_games(name, 5, seed=1)
    assert summary.cut_off == 0
    assert sum(summary.levels.values()) == 5
    assert min(summary.turns) > 15


@pytest.mark.long
@pytest.mark.parametrize("name", PRESETS)
def test_ten_thousand_random_games(name: str) -> None:
    summary = play_games(name, 10_000, seed=0)
    print(summary)
    assert summary.cut_off + sum(summary.levels.values()) == 10_000
    assert set(summary.levels) <= {1, 2, 3}
