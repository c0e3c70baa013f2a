import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.evaluation._stakes import CubeStakes

_Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]

def fill_efficiencies(
    boards: npt.NDArray[np.int8], model: int, stakes: CubeStakes, rows: _Rows, out: npt.NDArray[np.float64]
) -> None: ...

@disjoint_base
class BoardEfficiency:
    def __init__(self, board: npt.NDArray[np.int8], model: int, stakes: CubeStakes) -> None: ...
