"""Two players against each other."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import BgfastError
from bgfast.analysis.evaluators.network import Network
from bgfast.analysis.strength import contest as contests
from bgfast.analysis.strength.contest import Contest, RunningContest, contest
from bgfast.evaluators import PipCount, Pubeval, Random
from tests.support.rollouts import Interrupted, pip_count


def test_nobody_wins_against_itself() -> None:
    found = contest(PipCount(), pip_count, games=100, seed=3)
    assert (found.points_per_game, found.standard_error, found.won, found.games) == (0, 0, 0.5, 100)


def test_who_is_stronger() -> None:
    strong = contest(Pubeval(), Random(), games=600, seed=1)
    assert strong.points_per_game > 10 * strong.standard_error
    assert 1.5 < strong.points_per_game < 3
    weak = contest(Random(), Pubeval(), games=600, seed=1)
    assert abs(strong.points_per_game + weak.points_per_game) < 5 * strong.standard_error
    assert "points a game" in str(strong)


def test_who_is_named_first_does_not_matter() -> None:
    found, turned = (
        contest(Pubeval(), PipCount(), games=300, seed=4),
        contest(PipCount(), Pubeval(), games=300, seed=4),
    )
    assert (turned.points_per_game, turned.standard_error) == (-found.points_per_game, found.standard_error)
    assert turned.won == pytest.approx(1 - found.won)


def test_the_same_for_a_seed() -> None:
    network = Network.random(32, seed=1)
    first, again = (contest(network, PipCount(), games=100, seed=5) for _ in range(2))
    assert first == again
    assert first != contest(network, PipCount(), games=100, seed=6)


@pytest.mark.parametrize("first", [Network.random(32, seed=1), Random(), pip_count])
def test_threads_change_nothing(first: Any) -> None:
    found = [contest(first, Pubeval(), games=100, seed=5, threads=number) for number in (1, 2, 3)]
    assert found[0] == found[1] == found[2]


def test_several_threads_play() -> None:
    asked: set[int] = set()

    def player(boards: np.ndarray) -> np.ndarray:
        asked.add(threading.get_ident())
        time.sleep(0.001)
        return PipCount()(boards)

    contest(player, Random(), games=200, threads=2)
    assert len(asked) > 1


@pytest.mark.slow
def test_errors_are_those_of_the_mean() -> None:
    found = [contest(PipCount(), Pubeval(), games=60, seed=seed) for seed in range(40)]
    means = np.array([each.points_per_game for each in found])
    expected = np.mean([each.standard_error for each in found])
    assert 0.7 < means.std(ddof=1) / expected < 1.4


def test_rule_sets_and_progress() -> None:
    told: list[float] = []
    found = contest(PipCount(), Random(), games=2_000, seed=1, rules="five_stack", progress=told.append)
    assert isinstance(found, Contest)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert (
        0 < told[60] < 0.01
    )  # some of the first games are over: there are few at once until speeds are known


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 3}, "games is 3; expected an even number, 4 or more"),
        ({"progress": 5}, "progress is 5; expected None, or what can be called with the fraction"),
        ({"games": 2}, "games is 2"),
        ({"games": 5}, "games is 5"),
        ({"first": "pubeval"}, "player is 'pubeval'; expected an evaluator"),
        ({"rules": 5}, "rules is 5"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads is 0; expected a whole number from 1"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"first": PipCount(), "second": Random(), "games": 4, **options}
    with pytest.raises(BgfastError, match=message):
        contest(arguments.pop("first"), arguments.pop("second"), **arguments)


def test_an_evaluator_that_is_wrong() -> None:
    with pytest.raises(BgfastError, match="expected"):
        contest(lambda boards: np.zeros(3), bgfast.evaluators.Random(), games=4)


def test_ctrl_c_leaves_what_is_known() -> None:
    """Whole parts of the contest: of games that are over while others go on one knows that they are short."""
    run = RunningContest(Interrupted(300), Random(), games=1000, seed=3)
    with pytest.raises(KeyboardInterrupt):
        list(run.play())
    assert run.games >= 32
    assert run.result() == contest(pip_count, Random(), games=run.games, seed=3)
    list(run.play())  # goes on
    assert run.result() == contest(pip_count, Random(), games=1000, seed=3)
    run = RunningContest(Interrupted(3), Random())
    with pytest.raises(KeyboardInterrupt):
        list(run.play())
    with pytest.raises(BgfastError, match="0 games are over; expected a contest that has run until 4 are"):
        run.result()


def test_slow_players_are_seen_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are as many games at once as a ply takes a quarter of a second for."""
    now, sizes = 0.0, []

    def player(boards: np.ndarray) -> np.ndarray:
        nonlocal now
        now += len(boards) / 1000
        sizes.append(len(boards))
        return pip_count(boards)

    monkeypatch.setattr(contests.time, "monotonic", lambda: now)
    contest(player, Random(), games=400, seed=1)
    assert now / len(sizes) < 0.5


def test_games_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "MOST_PLIES", 12)
    with pytest.raises(
        BgfastError, match="games are not over after 12 plies; expected players that end them"
    ):
        contest(Random(), Random(), games=4)
