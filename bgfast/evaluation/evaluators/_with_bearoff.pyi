import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.common.validation import Boards
from bgfast.evaluation.evaluators._network import CoreNetwork, NetworkEvaluator

_Float64 = npt.NDArray[np.float64]

@disjoint_base
class CoreWithBearoff(NetworkEvaluator):
    def __init__(self, network: CoreNetwork, rolls: _Float64, firsts: _Float64, wins: _Float64) -> None: ...
    def _exclusion_mask(self, boards: Boards, offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]: ...
