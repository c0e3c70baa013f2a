"""Rollouts on a Dask cluster equal local ones to the last bit, even if a worker is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import bgfast
from bgfast.analysis.rollouts.candidates import RolloutOptions
from bgfast.analysis.rollouts.rollout import Rollout
from bgfast.analysis.rollouts.trials import play_remote_block
from bgfast.cli.main import main
from bgfast.errors import RolloutError
from bgfast.evaluators import PipCount
from bgfast.rollouts import RolloutResult
from tests.support.command_line import Capture, get_error

dask = pytest.importorskip("dask", reason="NOT INSTALLED: dask, so it was not tested")
distributed = pytest.importorskip("distributed", reason="NOT INSTALLED: distributed, so it was not tested")

START = bgfast.Position.start()


def slow_pip_count(boards: np.ndarray) -> np.ndarray:
    """Count pips slowly enough for a worker to be killed during its games."""
    time.sleep(0.02)
    return PipCount()(boards)


def kill_process(boards: np.ndarray) -> np.ndarray:
    os.kill(os.getpid(), signal.SIGKILL)
    return PipCount()(boards)


def raise_error(boards: np.ndarray) -> np.ndarray:
    raise ZeroDivisionError("an evaluator's own error")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Start two workers, which restart when killed."""
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


def test_a_killed_worker_loses_no_trials(client: Any) -> None:
    options: dict[str, Any] = {"trials": 3000, "truncate": 10, "seed": 11}
    killed_pids: list[int] = []

    def kill_busy_worker(fraction: float) -> None:
        if killed_pids or fraction >= 0.5:
            return
        workers = client.run(os.getpid)
        busy_workers = [address for address, tasks in client.processing().items() if tasks]
        if busy_workers:
            killed_pids.append(workers[busy_workers[0]])
            os.kill(killed_pids[0], signal.SIGKILL)

    result = bgfast.rollout(
        START, evaluator=slow_pip_count, executor=client.get_executor(), progress=kill_busy_worker, **options
    )
    assert killed_pids
    assert killed_pids[0] not in client.run(os.getpid).values()
    assert result.trials == 3000
    assert result.estimates == bgfast.rollout(START, evaluator=slow_pip_count, **options).estimates


def test_an_evaluator_that_kills_all_workers_is_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(RolloutError, match=r"the executor has failed after 0 of 1,296 trials: .*died"):
        bgfast.rollout(START, evaluator=kill_process, executor=client.get_executor(), trials=1296, truncate=2)


def test_exceptions_of_evaluators_are_propagated(client: Any) -> None:
    with pytest.raises(ZeroDivisionError, match="an evaluator's own error"):
        bgfast.rollout(START, evaluator=raise_error, executor=client.get_executor(), trials=36, truncate=2)


@pytest.mark.parametrize("closes_client", [False, True])
def test_an_executor_that_is_shut_down_is_refused(client: Any, closes_client: bool) -> None:
    executor = client.get_executor()

    def shut_down(fraction: float) -> None:
        if closes_client:
            client.close()
        else:
            executor.shutdown(wait=False)

    with pytest.raises(
        RolloutError, match=r"the executor has failed after [\d,]+ of 3,000 trials: \w+"
    ) as error_info:
        bgfast.rollout(
            START, evaluator=slow_pip_count, executor=executor, trials=3000, truncate=20, progress=shut_down
        )
    assert 2 <= error_info.value.result.trials < 3000


def interrupt(fraction: float) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "ending",
    [{"stop": {"seconds": 3.0}}, {"progress": interrupt}, {"stop": {"standard_error": 1.0}}],
    ids=["time limit", "Ctrl-C", "precise enough"],
)
@pytest.mark.parametrize("evaluator", [slow_pip_count, bgfast.Network.builtin()], ids=["lockstep", "core"])
def test_blocks_end_before_the_cluster_is_closed(
    ending: dict[str, Any], evaluator: Any, capfd: Capture
) -> None:
    """Workers closed during a task would warn."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        with contextlib.suppress(KeyboardInterrupt, RolloutError):
            bgfast.rollout(
                START,
                evaluator=evaluator,
                trials=100_000,
                truncate=20,
                executor=client.get_executor(),
                **ending,
            )
        events = cluster.scheduler.extensions["events"]._events
        assert not events
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_blocks_end_at_the_event(client: Any) -> None:
    """A block asks the scheduler whether it is still needed, even in the middle of its games."""
    event = distributed.Event(client=client)
    job = Rollout(START, slow_pip_count, RolloutOptions(truncate=200)).job
    block = client.submit(play_remote_block, job, 0, 36, event.name)
    time.sleep(0.5)
    assert not block.done()
    event.set()
    assert block.result(timeout=5) is None
    full_block = client.submit(play_remote_block, job, 0, 2, "an event that is never set").result()
    assert (full_block.first, full_block.last) == (0, 2)


def test_job_is_sent_to_all_workers_once(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scatter_options: list[dict[str, bool]] = []
    scatter = client.scatter

    def recording_scatter(data: bytes, **options: bool) -> Any:
        scatter_options.append(options)
        return scatter(data, **options)

    monkeypatch.setattr(client, "scatter", recording_scatter)
    network, options = bgfast.Network.random(32, seed=1), {"truncate": 1, "executor": client.get_executor()}
    bgfast.rollout(START, evaluator=network, trials=1296, **options)
    assert scatter_options == [{"broadcast": True, "hash": False}]
    bgfast.rollout(START, evaluator=slow_pip_count, trials=8, **options)
    monkeypatch.setattr(client, "nthreads", dict)  # no worker has connected yet
    assert bgfast.rollout(START, evaluator=network, trials=36, **options).trials == 36
    assert len(scatter_options) == 1


def test_the_command_uses_the_scheduler(client: Any, capsys: Capture) -> None:
    options = "rollout start 31 --top 2 --evaluator pip-count --trials 216 --json".split()
    assert main([*options, "--scheduler", client.scheduler.address]) == 0
    result = RolloutResult.from_json(capsys.readouterr().out)
    assert main(options) == 0
    assert result.estimates == RolloutResult.from_json(capsys.readouterr().out).estimates
    assert sum(client.run(lambda dask_worker: dask_worker.state.executed_count).values()) > 0


def test_a_missing_cluster_is_refused(capsys: Capture) -> None:
    err = get_error(capsys, "rollout", "--trials", "36", "--scheduler", "nowhere")
    assert err.startswith("bgfast: error: scheduler 'nowhere': ")
