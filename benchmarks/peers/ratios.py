"""Ratios of speeds in one run, which depend less on the machine than times do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from benchmarks.peers import workloads as w
from bgfast.common.machine import Timing

PEER = "gnubg-nn"
N = w.NAMES


class MeasuredRatio(TypedDict):
    """Ratio by best and by median times; None if a side was not measured."""

    what: str
    best: float | None
    median: float | None


class Side(NamedTuple):
    """Key of a timing; if `what` is None, the key of the engine's first timing in the workload."""

    workload: str
    engine: str
    what: str | None = None


class Ratio(NamedTuple):
    """Speed of `subject` divided by the speed of `base`, in units or calls; inverse if `is_cost`."""

    what: str
    subject: Side
    base: Side
    is_cost: bool = False
    counts_calls: bool = False


def _side(workload: str, what: str) -> Side:
    return Side(workload, "bgfast", what)


CONTACT, THREADS, COST = _side(N.contact, w.BATCH), _side(N.threads, w.BATCH), _side(N.cost, w.BIG)
RATIOS = [
    Ratio(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: successors/s of gnubg-nn's `moves`",
        CONTACT, Side(N.contact, PEER),
    ),
    Ratio("the same on a fresh stream, one random roll each", _side(N.stream, w.BATCH), Side(N.stream, PEER)),
    Ratio("with moves", _side(N.contact, w.MOVES), Side(N.contact, PEER)),
    Ratio(
        "`pos.plays(roll).boards`: calls/s of gnubg-nn's `moves`",
        Side(N.contact, "bgfast"), Side(N.contact, PEER), counts_calls=True,
    ),
    Ratio(
        "`perft(start, 3)`, bulk=False: leaves/s of the same recursion over gnubg-nn",
        _side(N.perft, w.GENERATED_PERFT), Side(N.perft, PEER),
    ),
    Ratio("`perft(start, 3)`, bulk=True", _side(N.perft, w.BULK_PERFT), Side(N.perft, PEER)),
    Ratio(
        "two threads: speed of one, `out=` reused", _side(N.threads, w.THREADS + w.BATCH), THREADS
    ),
    Ratio(
        "two threads: speed of one, new arrays",
        _side(N.threads, w.THREADS + w.FRESH), _side(N.threads, w.FRESH),
    ),
    Ratio(
        "two threads with a call each, that share nothing: speed of one, `out=` reused",
        _side(N.threads, w.TWO_CALLS), THREADS,
    ),
    Ratio(
        "cost of a successor in one big batch: cost in batches of 1,000, the same positions",
        COST, _side(N.cost, w.NEW_SMALL), is_cost=True,
    ),
    Ratio(
        "cost of a successor in one big batch: cost in 1,000 positions repeated",
        COST, _side(N.cost, w.SAME_SMALL), is_cost=True,
    ),
    Ratio(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: time of `numpy.copyto`",
        CONTACT, Side(N.contact, "numpy"), is_cost=True,
    ),
]  # fmt: skip


def measure_ratios(timings: Sequence[Timing]) -> list[MeasuredRatio]:
    """Return all ratios."""
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
    return (
        MeasuredRatio(what=ratio.what, best=1 / best, median=1 / median)
        if ratio.is_cost
        else MeasuredRatio(what=ratio.what, best=best, median=median)
    )
