"""Comparison of bgfast with every installed engine: correctness, then speed.

Run from a clone: ``python -m benchmarks.peers.compare --json FILE``. ``pip install '.[peers]'`` installs the
other engines; the tables list missing engines. All tasks of a workload are timed in turn, in one run, since
ratios between different runs mean little.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import ratios, workloads
from benchmarks.peers.correctness import ReferenceCache, Verdict, compare
from benchmarks.peers.engines import ADAPTERS, Engine, MissingEngine, load_engines
from benchmarks.positions import SETS, read_samples
from benchmarks.tables.speed_table import long_table, ratios_table
from bgfast.common import machine
from bgfast.common.files import write_atomically
from bgfast.common.machine import Task, Timing, interleave

FORMAT = 1


@dataclass(frozen=True)
class Settings:
    """Sizes of the comparison; numbers of positions unless a comment or the name says otherwise."""

    quick: bool = False
    contact: int = 2000  # used, like `race` and `hard`, to check correctness
    race: int = 1000
    hard: int = 1000
    check_divisor: int = 1  # divides each engine's `check_limit`
    timed: int = 1000  # used, like `timed_race`, with all 21 rolls
    timed_race: int = 500
    stream: int = 400_000
    stream_for_engines: int = 20_000
    threads: int = 100_000
    cost: int = 1_000_000
    repetitions: int = 7
    min_seconds: float = 0.05  # minimum time of a repetition
    peer_perft_depth: int = 2


QUICK_SETTINGS = Settings(
    quick=True,
    contact=100,
    race=50,
    hard=100,
    check_divisor=10,
    timed=100,
    timed_race=50,
    stream=50_000,
    stream_for_engines=2_000,
    threads=50_000,
    cost=100_000,
    repetitions=3,
    min_seconds=0.01,
)


def check(engines: Sequence[Engine], settings: Settings) -> list[Verdict]:
    """Compare every engine with the reference on every set of positions."""
    reference_cache = ReferenceCache()
    verdicts = []
    for engine in engines:
        limit = max(1, engine.check_limit // settings.check_divisor)
        for name in SETS:
            with report_step(f"correctness of {engine.name}, {name}"):
                samples = read_samples(name, min(getattr(settings, name), limit))
                verdicts.append(compare(engine, name, samples, reference_cache))
    return verdicts


def measure(engines: Sequence[Engine], settings: Settings) -> list[Timing]:
    """Time every group of workloads; free the memory of each group before the next."""
    names = workloads.NAMES
    contact = read_samples("contact", settings.timed)
    race = read_samples("race", settings.timed_race)
    groups: list[Callable[[], Iterator[Task]]] = [
        lambda: workloads.all_rolls(names.contact, engines, contact),
        lambda: workloads.all_rolls(names.race, engines, race),
        lambda: workloads.stream(engines, settings.stream, settings.stream_for_engines),
        lambda: workloads.perft(engines, settings.peer_perft_depth),
        lambda: workloads.threads(settings.threads),
        lambda: workloads.cost(settings.cost),
    ]
    timings = []
    for index, group in enumerate(groups, 1):
        with report_step(f"speed, group {index} of {len(groups)}"):
            timings += [_drop_work(timing) for timing in _time_group(group, settings)]
    return timings


def compare_engines(names: Sequence[str], settings: Settings) -> dict[str, Any]:
    """Compare the engines with these names in `ADAPTERS`; return the content of the JSON file."""
    machine_description = machine.description()  # first, since it includes the load before the run
    engines, missing = load_engines(names)
    verdicts = check(engines, settings)
    timings = measure(engines, settings)
    return {
        "format": FORMAT,
        "quick": settings.quick,
        "machine": machine_description,
        "settings": asdict(settings),
        "engines": [_engine_entry(engine) for engine in engines],
        "missing": [_missing_entry(engine) for engine in missing],
        "correctness": verdicts,
        "speed": [_speed_entry(timing) for timing in timings],
        "ratios": ratios.measure_ratios(timings),
    }


@contextmanager
def report_step(text: str) -> Iterator[None]:
    """Report a step and its time on standard error."""
    start_time = time.monotonic()
    _report(f"{text} ...")
    yield
    _report(f"{text}: {time.monotonic() - start_time:.1f} s")


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _time_group(group: Callable[[], Iterator[Task]], settings: Settings) -> list[Timing]:
    return interleave(list(group()), settings.repetitions, settings.min_seconds, _report)


def _drop_work(timing: Timing) -> Timing:
    """Drop the timed function, which keeps positions and output memory alive."""
    return timing._replace(task=timing.task._replace(work=lambda: 0))


def _engine_entry(engine: Engine) -> dict[str, str]:
    return {"name": engine.name, "version": engine.version, "called": engine.note, "unit": engine.unit}


def _missing_entry(engine: MissingEngine) -> dict[str, str]:
    return {"name": engine.name, "reason": engine.reason}


def _speed_entry(timing: Timing) -> dict[str, Any]:
    task = timing.task
    return {
        "workload": task.workload,
        "engine": task.engine,
        "what": task.what,
        "unit": task.unit,
        "calls": task.calls,
        "units": timing.units,
        "best_seconds": timing.best,
        "median_seconds": timing.median,
        "calls_per_second": task.calls / timing.best,
        "units_per_second": timing.units / timing.best,
        "median_calls_per_second": task.calls / timing.median,
        "median_units_per_second": timing.units / timing.median,
    }


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers.compare", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--quick", action="store_true", help="use fewer positions and repetitions (under a minute)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result as JSON")
    parser.add_argument(
        "--engines", nargs="+", choices=ADAPTERS, default=list(ADAPTERS), metavar="NAME",
        help=f"engines to compare: {', '.join(ADAPTERS)}",
    )  # fmt: skip
    parser.add_argument(
        "--full-perft", action="store_true", help="count perft with gnubg-nn to depth 3 instead of 2"
    )
    options = parser.parse_args(arguments)
    if options.json is not None and not options.json.parent.is_dir():
        parser.error(f"{options.json.parent} is not a folder")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison and write its result; return 1 if bgfast itself has wrong cases."""
    options = _parse_options(arguments)
    settings = QUICK_SETTINGS if options.quick else Settings()
    if options.full_perft:
        settings = Settings(**{**asdict(settings), "peer_perft_depth": 3})
    result = compare_engines(options.engines, settings)
    if options.json:
        write_atomically(options.json, (json.dumps(result, indent=1) + "\n").encode("utf-8"))
    print(long_table(result), ratios_table(result), sep="\n\n")
    failures = sum(entry["disagreements"] for entry in result["correctness"] if entry["engine"] == "bgfast")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
