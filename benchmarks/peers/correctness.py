"""Whether an engine is right, position by position: the set of successors against `bgfast.reference`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, TypedDict

from benchmarks.peers.engines import Board, Case, Engine, Roll, UnreachableError
from benchmarks.positions import Sample
from bgfast import reference


class Verdict(TypedDict):
    """What came out for one engine on one set of positions; a case is a position with a roll.

    A case is in disagreement if the set of boards differs, or if the engine failed (`errors` counts those).
    `missing` and `illegal` count boards, `repeated` rows that were listed before; `unreachable` cases were
    not compared.
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


class Truth:
    """The reference's answers, each computed once however many engines are compared."""

    def __init__(self) -> None:
        self._known: dict[tuple[Board, Roll], frozenset[Board]] = {}

    def __call__(self, board: Board, roll: Roll) -> frozenset[Board]:
        """Return the boards after every legal play, mover's side; none is a pass."""
        if (board, roll) not in self._known:
            self._known[board, roll] = frozenset(map(tuple, reference.legal_positions(board, *roll)))
        return self._known[board, roll]


def compare(engine: Engine, name: str, samples: Sequence[Sample], truth: Truth) -> Verdict:
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
    told = time.monotonic()
    for number, sample in enumerate(samples):
        for case in sample.cases():
            problem = _compare_case(engine, case, truth, verdict)
            if problem and verdict["example"] is None:
                verdict["example"] = f"{sample.position_id} {case.roll[0]}-{case.roll[1]}: {problem}"
        if time.monotonic() - told > 5:
            told = time.monotonic()
            print(f"  {engine.name}, {name}: {number + 1} of {len(samples)}", file=sys.stderr, flush=True)
    return verdict


def _compare_case(engine: Engine, case: Case, truth: Truth, verdict: Any) -> str:
    """Count one case; return what is wrong, or an empty text."""
    try:
        rows = engine.successors(case)
    except UnreachableError:
        verdict["unreachable"] += 1
        return ""
    # A foreign engine may fail in any way; that is a disagreement, too, not the end of the comparison.
    except Exception as error:
        verdict["cases"] += 1
        verdict["disagreements"] += 1
        verdict["errors"] += 1
        return f"{type(error).__name__}: {error}"[:120]
    found, expected = set(rows), truth(case.board, case.roll)
    verdict["cases"] += 1
    verdict["repeated"] += len(rows) - len(found)
    if found == expected:
        return ""
    verdict["disagreements"] += 1
    verdict["missing"] += len(expected - found)
    verdict["illegal"] += len(found - expected)
    return f"{len(expected - found)} missing, {len(found - expected)} illegal of {len(expected)}"
