import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.evaluation.cube._stakes import HeldStakes

_Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]

def fill_efficiencies(
    boards: npt.NDArray[np.int8], model: int, stakes: HeldStakes, rows: _Rows, out: npt.NDArray[np.float64]
) -> None: ...

@disjoint_base
class HeldLines:
    def __init__(self, board: npt.NDArray[np.int8], model: int, stakes: HeldStakes) -> None: ...
