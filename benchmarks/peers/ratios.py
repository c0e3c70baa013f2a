"""Ratios of speeds in one run, which depend less on the machine than times do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from benchmarks.peers.workloads import (
    BATCH,
    BULK_PERFT,
    GENERATED_PERFT,
    MOVES,
    NAMES,
    NEW_ARRAYS,
    ONE_CALL,
    REPEATED_BATCH,
    SMALL_BATCHES,
    THREADS,
    TWO_CALLS,
)
from bgfast.common.machine import Timing

PEER = "gnubg-nn"


class MeasuredRatio(TypedDict):
    """Ratio of best times and of median times; None if a side was not measured."""

    what: str
    best: float | None
    median: float | None


class Side(NamedTuple):
    """Key of a timing; if `what` is None, the key of the engine's first timing in the workload."""

    workload: str
    engine: str
    what: str | None = None


class Ratio(NamedTuple):
    """Speed of `subject` divided by the speed of `base`, in units or calls; the inverse if `is_cost`."""

    what: str
    subject: Side
    base: Side
    is_cost: bool = False
    counts_calls: bool = False


def _bgfast_side(workload: str, what: str) -> Side:
    return Side(workload, "bgfast", what)


CONTACT = _bgfast_side(NAMES.contact, BATCH)
ONE_THREAD = _bgfast_side(NAMES.threads, BATCH)
COST = _bgfast_side(NAMES.cost, ONE_CALL)
RATIOS = [
    Ratio(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: successors/s of gnubg-nn's `moves`",
        CONTACT, Side(NAMES.contact, PEER),
    ),
    Ratio(
        "`successors`, boards only, `out=` reused, fresh stream: successors/s of gnubg-nn's `moves`",
        _bgfast_side(NAMES.stream, BATCH), Side(NAMES.stream, PEER),
    ),
    Ratio(
        "`successors(moves=True)`, `out=` reused, contact x 21 rolls: successors/s of gnubg-nn's `moves`",
        _bgfast_side(NAMES.contact, MOVES), Side(NAMES.contact, PEER),
    ),
    Ratio(
        "`pos.plays(roll).boards`: calls/s of gnubg-nn's `moves`",
        Side(NAMES.contact, "bgfast"), Side(NAMES.contact, PEER), counts_calls=True,
    ),
    Ratio(
        "`perft(start, 3)`, bulk=False: leaves/s of the same recursion over gnubg-nn",
        _bgfast_side(NAMES.perft, GENERATED_PERFT), Side(NAMES.perft, PEER),
    ),
    Ratio(
        "`perft(start, 3)`, bulk=True: leaves/s of the same recursion over gnubg-nn",
        _bgfast_side(NAMES.perft, BULK_PERFT), Side(NAMES.perft, PEER),
    ),
    Ratio(
        "two threads: speed of one, `out=` reused",
        _bgfast_side(NAMES.threads, THREADS + BATCH), ONE_THREAD,
    ),
    Ratio(
        "two threads: speed of one, new arrays",
        _bgfast_side(NAMES.threads, THREADS + NEW_ARRAYS), _bgfast_side(NAMES.threads, NEW_ARRAYS),
    ),
    Ratio(
        "two independent threads with one call each: speed of one, `out=` reused",
        _bgfast_side(NAMES.threads, TWO_CALLS), ONE_THREAD,
    ),
    Ratio(
        "cost of a successor in one big batch: cost in batches of 1,000, the same positions",
        COST, _bgfast_side(NAMES.cost, SMALL_BATCHES), is_cost=True,
    ),
    Ratio(
        "cost of a successor in one big batch: cost in 1,000 positions repeated",
        COST, _bgfast_side(NAMES.cost, REPEATED_BATCH), is_cost=True,
    ),
    Ratio(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: time of `numpy.copyto`",
        CONTACT, Side(NAMES.contact, "numpy"), is_cost=True,
    ),
]  # fmt: skip


def measure_ratios(timings: Sequence[Timing]) -> list[MeasuredRatio]:
    return [_measure(ratio, _find(timings, ratio.subject), _find(timings, ratio.base)) for ratio in RATIOS]


def _find(timings: Sequence[Timing], side: Side) -> Timing | None:
    for timing in timings:
        task = timing.task
        if (task.workload, task.engine) == side[:2] and side.what in (None, task.what):
            return timing
    return None


def _measure(ratio: Ratio, subject: Timing | None, base: Timing | None) -> MeasuredRatio:
    if subject is None or base is None:
        return MeasuredRatio(what=ratio.what, best=None, median=None)
    amounts = [timing.task.calls if ratio.counts_calls else timing.units for timing in (subject, base)]
    best, median = (
        (amounts[0] / subject_seconds) / (amounts[1] / base_seconds)
        for subject_seconds, base_seconds in ((subject.best, base.best), (subject.median, base.median))
    )
    if ratio.is_cost:
        best, median = 1 / best, 1 / median
    return MeasuredRatio(what=ratio.what, best=best, median=median)
