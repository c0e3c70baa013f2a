"""Errors by a 2-ply search beside rollouts, in the contested decisions of the package.

    python -m benchmarks.search_errors

Every candidate but the best one by the search stands for a recorded play. Its error by the search is compared
with that by the rollouts, separately for plays that the static evaluation prefers: a shallow check forgives
their errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast import Network, Position
from bgfast.analysis.matches.judging.presets import THRESHOLDS
from bgfast.common.probabilities import NORMAL_95
from bgfast.evaluators import Lookahead, WithBearoff
from bgfast.learning.strength.contested_decisions import ContestedDecision, read_decisions

PLIES = 2


class SearchError(NamedTuple):
    """Error of a candidate play, cubeless, in points.

    Attributes
    ----------
    is_best_statically : bool
    by_search, by_rollouts : float
    """

    is_best_statically: bool
    by_search: float
    by_rollouts: float


def search_errors(decision: ContestedDecision, search: Lookahead, static: Lookahead) -> Iterator[SearchError]:
    """Yield the errors of the candidates that were searched to the full depth."""
    position = Position.from_gnubg_id(decision.position_id)
    rolled_out = {candidate.play: candidate.equity for candidate in decision.candidates}
    ranked = search.best_plays(position, decision.roll)
    plays = [play for play in ranked if play.ply == PLIES and str(play.play) in rolled_out]
    if not plays:
        return
    best = plays[0]
    static_best = static.best_plays(position, decision.roll)[0].play
    for play in plays[1:]:
        by_rollouts = rolled_out[str(best.play)] - rolled_out[str(play.play)]
        yield SearchError(play.play == static_best, best.equity - play.equity, by_rollouts)


def with_interval(values: npt.NDArray[np.float64], sign: str = "") -> str:
    """Return the mean and the half-width of its 95 % interval."""
    return f"{values.mean():{sign}.4f} ± {NORMAL_95 * values.std() / np.sqrt(len(values)):.4f}"


def main() -> None:
    """Print the table."""
    evaluator = WithBearoff(Network.builtin())
    search = Lookahead(evaluator, ply=PLIES, threshold=(THRESHOLDS[0], THRESHOLDS[0]), candidates=(8, 8))
    static = Lookahead(evaluator, ply=0)
    decisions = read_decisions().decisions
    errors = [error for decision in decisions for error in search_errors(decision, search, static)]
    print(f"{'':34}{'number':>7}{'search':>9}{'rollouts':>10}")
    for is_best, name in ((False, "other plays"), (True, "the static evaluation's choice")):
        by_search, by_rollouts = np.array([error[1:] for error in errors if error[0] == is_best]).T
        print(
            f"{name:34}{len(by_search):7}{by_search.mean():9.4f}    {with_interval(by_rollouts)}, "
            f"difference {with_interval(by_rollouts - by_search, '+')}"
        )


if __name__ == "__main__":
    main()
