"""Correctness of an engine: its successors compared with `bgfast.reference`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, TypedDict

from benchmarks.peers.engines import Board, Case, Engine, Roll, UnreachableError
from benchmarks.positions import Sample
from bgfast import reference


class Verdict(TypedDict):
    """Result of one engine on one set of positions; a case is a position with a roll.

    Attributes
    ----------
    engine, set : str
    cases : int
        Cases compared.
    disagreements : int
        Cases with a different set of boards or with an exception.
    missing, illegal : int
        Boards that the engine omits, and boards that it invents.
    repeated : int
        Rows that repeat an earlier row.
    errors : int
        Cases with an exception.
    unreachable : int
        Cases that the engine cannot set up; they are not compared.
    example : str or None
        First disagreement.
    """

    engine: str
    set: str
    cases: int
    disagreements: int
    missing: int
    illegal: int
    repeated: int
    errors: int
    unreachable: int
    example: str | None


class ReferenceCache:
    """Cached results of `bgfast.reference`."""

    def __init__(self) -> None:
        self._successors: dict[tuple[Board, Roll], frozenset[Board]] = {}

    def __call__(self, board: Board, roll: Roll) -> frozenset[Board]:
        """Return the boards after every legal play, from the mover's side; empty for a pass."""
        if (board, roll) not in self._successors:
            self._successors[board, roll] = frozenset(map(tuple, reference.legal_positions(board, *roll)))
        return self._successors[board, roll]


def compare(engine: Engine, name: str, samples: Sequence[Sample], reference_cache: ReferenceCache) -> Verdict:
    """Compare an engine with the reference on all 21 rolls of each position."""
    verdict = Verdict(
        engine=engine.name,
        set=name,
        cases=0,
        disagreements=0,
        missing=0,
        illegal=0,
        repeated=0,
        errors=0,
        unreachable=0,
        example=None,
    )
    last_report = time.monotonic()
    for count, sample in enumerate(samples, 1):
        for case in sample.cases():
            disagreement = _compare_case(engine, case, reference_cache, verdict)
            if disagreement and verdict["example"] is None:
                verdict["example"] = f"{sample.position_id} {case.roll[0]}-{case.roll[1]}: {disagreement}"
        if time.monotonic() - last_report > 5:
            last_report = time.monotonic()
            print(f"  {engine.name}, {name}: {count} of {len(samples)}", file=sys.stderr, flush=True)
    return verdict


def _compare_case(engine: Engine, case: Case, reference_cache: ReferenceCache, verdict: Any) -> str:
    """Add one case to the verdict; return the disagreement, or an empty string."""
    try:
        rows = engine.successors(case)
    except UnreachableError:
        verdict["unreachable"] += 1
        return ""
    # Any exception from an external engine is a disagreement; the comparison continues.
    except Exception as error:
        verdict["cases"] += 1
        verdict["disagreements"] += 1
        verdict["errors"] += 1
        return f"{type(error).__name__}: {error}"[:120]
    boards, expected = set(rows), reference_cache(case.board, case.roll)
    verdict["cases"] += 1
    verdict["repeated"] += len(rows) - len(boards)
    if boards == expected:
        return ""
    verdict["disagreements"] += 1
    verdict["missing"] += len(expected - boards)
    verdict["illegal"] += len(boards - expected)
    return f"{len(expected - boards)} missing, {len(boards - expected)} illegal of {len(expected)}"
