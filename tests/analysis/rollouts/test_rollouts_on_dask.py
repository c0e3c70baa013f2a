"""Rollouts on a Dask cluster: the same to the last bit as here, even when a worker is killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast import RolloutError, RolloutResult
from bgfast.cli.main import main
from bgfast.evaluators import PipCount

dask = pytest.importorskip("dask", reason="NOT INSTALLED: dask, so it was not tested")
distributed = pytest.importorskip("distributed", reason="NOT INSTALLED: distributed, so it was not tested")

START = bgfast.Position.start()


def slow_pip_count(boards: np.ndarray) -> np.ndarray:
    """Slow enough for a worker to be in the middle of its games when it is killed."""
    time.sleep(0.02)
    return PipCount()(boards)


def deadly(boards: np.ndarray) -> np.ndarray:
    """No worker outlives it."""
    os.kill(os.getpid(), signal.SIGKILL)
    return PipCount()(boards)


def failing(boards: np.ndarray) -> np.ndarray:
    raise ZeroDivisionError("an evaluator's own error")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers; those that are killed are started anew."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


def test_a_worker_killed_in_the_middle_loses_nothing(client: Any) -> None:
    options: dict[str, Any] = {"trials": 3000, "truncate": 10, "seed": 11}
    killed: list[int] = []

    def kill_one(share: float) -> None:
        if killed or share >= 0.5:
            return
        workers = client.run(os.getpid)
        busy = [address for address, tasks in client.processing().items() if tasks]
        if busy:
            killed.append(workers[busy[0]])
            os.kill(killed[0], signal.SIGKILL)

    found = bgfast.rollout(
        START, slow_pip_count, executor=client.get_executor(), progress=kill_one, **options
    )
    assert killed
    assert killed[0] not in client.run(os.getpid).values()
    assert found.trials == 3000
    assert found.estimates == bgfast.rollout(START, slow_pip_count, **options).estimates


def test_what_kills_every_worker_is_an_error(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(RolloutError, match=r"the executor has failed after 0 of 1,296 trials: .*died"):
        bgfast.rollout(START, deadly, executor=client.get_executor(), trials=1296, truncate=2)


def test_what_an_evaluator_raises_there_is_raised_here(client: Any) -> None:
    with pytest.raises(ZeroDivisionError, match="an evaluator's own error"):
        bgfast.rollout(START, failing, executor=client.get_executor(), trials=36, truncate=2)


@pytest.mark.parametrize("whole", [False, True])
def test_an_executor_that_is_shut_down_is_an_error(client: Any, whole: bool) -> None:
    executor = client.get_executor()

    def end(share: float) -> None:
        if whole:
            client.close()
        else:
            executor.shutdown(wait=False)

    with pytest.raises(
        RolloutError, match=r"the executor has failed after [\d,]+ of 3,000 trials: \w+"
    ) as caught:
        bgfast.rollout(
            START,
            slow_pip_count,
            executor=executor,
            trials=3000,
            truncate=20,
            progress=end,
        )
    assert 2 <= caught.value.result.trials < 3000


def test_the_command_line(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    options = "rollout start 31 --top 2 --evaluator pip-count --trials 216 --json".split()
    assert main([*options, "--scheduler", client.scheduler.address]) == 0
    found = RolloutResult.from_json(capsys.readouterr().out)
    assert main(options) == 0
    assert found.estimates == RolloutResult.from_json(capsys.readouterr().out).estimates
    assert sum(client.run(lambda dask_worker: dask_worker.state.executed_count).values()) > 0


def test_no_cluster_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", "--trials", "36", "--scheduler", "nowhere"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("bgfast: error: scheduler 'nowhere': ")
    assert err.count("\n") == 1
