"""Speed targets, as ratios of times of one run, which depend less on the machine than times do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from benchmarks.peers import workloads as w
from bgfast.common.timing import Timing

PEER = "gnubg-nn"


class Outcome(TypedDict):
    """A target with the measured ratios of best and of median times.

    `reached` compares the ratio of the best times; None if a task was not measured.
    """

    what: str
    limit: float
    at_most: bool
    aim: float | None
    best: float | None
    median: float | None
    reached: bool | None
    note: str


class Side(NamedTuple):
    """Key of a timing; `what` is None for the engine's first call."""

    workload: str
    engine: str
    what: str | None = None


class Target(NamedTuple):
    """A ratio of speeds, `own` to `other`; for `at_most` of times per unit."""

    what: str
    limit: float
    aim: float | None
    own: Side
    other: Side
    at_most: bool = False
    calls: bool = False
    note: str = ""


def _own(workload: str, what: str) -> Side:
    return Side(workload, "bgfast", what)


N = w.NAMES
TARGETS = [
    Target(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: successors/s of gnubg-nn's `moves`",
        40, 65, _own(N.contact, w.BATCH), Side(N.contact, PEER),
    ),
    Target(
        "the same on a fresh stream, one random roll each",
        28, 40, _own(N.stream, w.BATCH), Side(N.stream, PEER),
    ),
    Target(
        "with moves",
        25, None, _own(N.contact, w.MOVES), Side(N.contact, PEER),
        note="against `moves` without its moves, the faster call",
    ),
    Target(
        "`pos.plays(roll).boards`: calls/s of gnubg-nn's `moves`",
        6, 10, Side(N.contact, "bgfast"), Side(N.contact, PEER), calls=True,
    ),
    Target(
        "`perft(start, 3)`, bulk=False: leaves/s of the same recursion over gnubg-nn",
        40, None, _own(N.perft, w.GENERATING), Side(N.perft, PEER),
    ),
    Target(
        "`perft(start, 3)`, bulk=True",
        100, None, _own(N.perft, w.COUNTING), Side(N.perft, PEER),
    ),
    Target(
        "two threads: speed of one, `out=` reused",
        1.8, None, _own(N.threads, w.THREADS + w.BATCH), _own(N.threads, w.BATCH),
    ),
    Target(
        "two threads: speed of one, new arrays",
        1.8, None, _own(N.threads, w.THREADS + w.FRESH), _own(N.threads, w.FRESH),
    ),
    Target(
        "two threads with a call each, that share nothing: speed of one, `out=` reused",
        1.8, None, _own(N.threads, w.INDEPENDENT), _own(N.threads, w.BATCH),
        note="the machine's limit, independent of bgfast",
    ),
    Target(
        "cost of a successor in one big batch: that in batches of 1,000, the same positions",
        1.15, None, _own(N.cost, w.BIG), _own(N.cost, w.NEW_SMALL), at_most=True,
    ),
    Target(
        "cost of a successor in one big batch: that of 1,000 positions repeated",
        1.15, None, _own(N.cost, w.BIG), _own(N.cost, w.SAME_SMALL), at_most=True,
        note="the processor predicts the branches of a repeated batch",
    ),
    Target(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: time of `numpy.copyto`",
        4, 2.5, _own(N.contact, w.BATCH), Side(N.contact, "numpy"), at_most=True,
    ),
]  # fmt: skip


def outcomes(timings: Sequence[Timing]) -> list[Outcome]:
    """Return the outcomes of all targets."""
    return [_outcome(target, timings) for target in TARGETS]


def perft_outcome(seconds: float | None, timings: Sequence[Timing], note: str) -> Outcome:
    """Return the outcome of perft(start, 4) on two threads relative to perft(start, 3, bulk=False) on one."""
    depth_3 = find(timings, _own(N.perft, w.GENERATING))
    best = None if seconds is None or depth_3 is None else seconds / depth_3.best
    median = None if seconds is None or depth_3 is None else seconds / depth_3.median
    return Outcome(
        what="`perft(start, 4)`, two threads: time of `perft(start, 3, bulk=False)` on one",
        limit=200,
        at_most=True,
        aim=None,
        best=best,
        median=median,
        reached=None if best is None else best < 200,
        note=note,
    )


def find(timings: Sequence[Timing], side: Side) -> Timing | None:
    """Return the timing of one side; None if it was not measured."""
    for timing in timings:
        task = timing.task
        if (task.workload, task.engine) == side[:2] and side.what in (None, task.what):
            return timing
    return None


def _outcome(target: Target, timings: Sequence[Timing]) -> Outcome:
    own, other = find(timings, target.own), find(timings, target.other)
    best = median = None
    if own is not None and other is not None:
        best = _ratio(target, own, other, own.best, other.best)
        median = _ratio(target, own, other, own.median, other.median)
    reached = None if best is None else (best <= target.limit if target.at_most else best >= target.limit)
    return Outcome(
        what=target.what,
        limit=target.limit,
        at_most=target.at_most,
        aim=target.aim,
        best=best,
        median=median,
        reached=reached,
        note=target.note if best is not None else "not measured: an engine is missing",
    )


def _ratio(target: Target, own: Timing, other: Timing, own_seconds: float, other_seconds: float) -> float:
    speed = _amount(target, own) / own_seconds
    other_speed = _amount(target, other) / other_seconds
    return other_speed / speed if target.at_most else speed / other_speed


def _amount(target: Target, timing: Timing) -> int:
    return timing.task.calls if target.calls else timing.units
