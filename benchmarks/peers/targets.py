"""What bgfast is to reach, as ratios measured in one run: machines differ, ratios less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from benchmarks.peers import workloads as w
from bgfast.common.timing import Timing

PEER = "gnubg-nn"


class Outcome(TypedDict):
    """A target with what was measured: the ratio of the best times, and that of the medians.

    `reached` is judged on the best times; None where something was not measured.
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
    """A timing to look up; `what` None: the plain call of that engine, its first row."""

    workload: str
    engine: str
    what: str | None = None


class Target(NamedTuple):
    """A ratio: speed of `ours` over speed of `other`, or, for `at_most`, time over time for each unit."""

    what: str
    limit: float
    aim: float | None
    ours: Side
    other: Side
    at_most: bool = False
    calls: bool = False
    note: str = ""


def _ours(workload: str, what: str) -> Side:
    return Side(workload, "bgfast", what)


N = w.NAMES
TARGETS = [
    Target(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: successors/s of gnubg-nn's `moves`",
        40, 65, _ours(N.contact, w.BATCH), Side(N.contact, PEER),
    ),
    Target(
        "the same on a fresh stream, one random roll each",
        28, 40, _ours(N.stream, w.BATCH), Side(N.stream, PEER),
    ),
    Target(
        "with moves",
        25, None, _ours(N.contact, w.MOVES), Side(N.contact, PEER),
        note="against `moves` without its moves, the faster call",
    ),
    Target(
        "`pos.plays(roll).boards`: calls/s of gnubg-nn's `moves`",
        6, 10, Side(N.contact, "bgfast"), Side(N.contact, PEER), calls=True,
    ),
    Target(
        "`perft(start, 3)`, bulk=False: leaves/s of the same recursion over gnubg-nn",
        40, None, _ours(N.perft, w.GENERATING), Side(N.perft, PEER),
    ),
    Target(
        "`perft(start, 3)`, bulk=True",
        100, None, _ours(N.perft, w.COUNTING), Side(N.perft, PEER),
    ),
    Target(
        "two threads: speed of one, `out=` reused",
        1.8, None, _ours(N.threads, w.THREADS + w.BATCH), _ours(N.threads, w.BATCH),
    ),
    Target(
        "two threads: speed of one, new arrays",
        1.8, None, _ours(N.threads, w.THREADS + w.FRESH), _ours(N.threads, w.FRESH),
    ),
    Target(
        "two threads with a call each, that share nothing: speed of one, `out=` reused",
        1.8, None, _ours(N.threads, w.APART), _ours(N.threads, w.BATCH),
        note="what this machine's cores allow; no code of bgfast's can change it",
    ),
    Target(
        "cost of a successor in one big batch: that in batches of 1,000, the same positions",
        1.15, None, _ours(N.cost, w.BIG), _ours(N.cost, w.NEW_SMALL), at_most=True,
    ),
    Target(
        "cost of a successor in one big batch: that of 1,000 positions repeated",
        1.15, None, _ours(N.cost, w.BIG), _ours(N.cost, w.SAME_SMALL), at_most=True,
        note="a repeated batch is one whose branches the processor has learnt",
    ),
    Target(
        "`successors`, boards only, `out=` reused, contact x 21 rolls: time of `numpy.copyto`",
        4, 2.5, _ours(N.contact, w.BATCH), Side(N.contact, "numpy"), at_most=True,
    ),
]  # fmt: skip


def outcomes(timings: Sequence[Timing]) -> list[Outcome]:
    """Return every target with its measured ratio."""
    return [_outcome(target, timings) for target in TARGETS]


def perft_outcome(seconds: float | None, timings: Sequence[Timing], note: str) -> Outcome:
    """Return the target of perft(start, 4) on two threads, in times of perft(start, 3, bulk=False) on one."""
    one = find(timings, _ours(N.perft, w.GENERATING))
    best = None if seconds is None or one is None else seconds / one.best
    median = None if seconds is None or one is None else seconds / one.median
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
    """Return the timing of one side, if it was measured."""
    for timing in timings:
        task = timing.task
        if (task.workload, task.engine) == side[:2] and side.what in (None, task.what):
            return timing
    return None


def _outcome(target: Target, timings: Sequence[Timing]) -> Outcome:
    ours, other = find(timings, target.ours), find(timings, target.other)
    best = median = None
    if ours is not None and other is not None:
        best = _ratio(target, ours, other, ours.best, other.best)
        median = _ratio(target, ours, other, ours.median, other.median)
    reached = None if best is None else (best <= target.limit if target.at_most else best >= target.limit)
    return Outcome(
        what=target.what,
        limit=target.limit,
        at_most=target.at_most,
        aim=target.aim,
        best=best,
        median=median,
        reached=reached,
        note=target.note if best is not None else "not measured: one of the two is missing",
    )


def _ratio(target: Target, ours: Timing, other: Timing, ours_took: float, other_took: float) -> float:
    speed = _amount(target, ours) / ours_took
    other_speed = _amount(target, other) / other_took
    return other_speed / speed if target.at_most else speed / other_speed


def _amount(target: Target, timing: Timing) -> int:
    return timing.task.calls if target.calls else timing.units
