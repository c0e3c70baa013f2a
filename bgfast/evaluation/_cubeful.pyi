import numpy as np
import numpy.typing as npt

from bgfast.evaluation._efficiency import BoardEfficiency
from bgfast.evaluation._stakes import CubeStakes

_Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]
_Float64 = npt.NDArray[np.float64]

def fill_values(
    stakes: CubeStakes,
    rows: _Rows,
    efficiency: _Float64 | None,
    lines: BoardEfficiency | None,
    excess: float,
    normalized: bool,
    out: _Float64,
) -> int: ...
def fill_live_points(stakes: CubeStakes, rows: _Rows, out: _Float64) -> None: ...
