from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.common.validation import Boards
from bgfast.core.board import WinScheme
from bgfast.evaluation._stakes import CubeStakes
from bgfast.evaluation.evaluators._network import CoreNetwork, NetworkEvaluator
from bgfast.evaluation.evaluators._with_bearoff import CoreWithBearoff
from bgfast.evaluation.evaluators.ranked_plays import RankedPlays
from bgfast.position.objects import Play

SHORTLISTS: tuple[tuple[int, float], ...]

def ranked_plays(
    plays: list[Play],
    evaluations: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
    depths: npt.NDArray[np.int64],
    has_probabilities: bool,
    cubeless_equities: list[float] | None,
    mwc: list[float] | list[None] | None,
) -> RankedPlays: ...

@disjoint_base
class CoreLookahead(NetworkEvaluator):
    def __init__(
        self,
        evaluator: CoreNetwork | CoreWithBearoff,
        policy: CoreNetwork | None,
        candidates: Sequence[int],
        thresholds: Sequence[float],
        switches: tuple[int, bool, bool, int] | None,
        scheme: WinScheme,
    ) -> None: ...
    def _evaluations_into(
        self,
        boards: Boards,
        ply: int,
        checkers: int,
        out: npt.NDArray[np.float64],
        threads: int,
        stakes: CubeStakes | None = None,
        model: int = 0,
    ) -> None: ...
