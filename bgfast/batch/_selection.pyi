from typing import final

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

_Numbers = npt.NDArray[np.float32] | npt.NDArray[np.float64]
_Int64 = npt.NDArray[np.int64]
_Float64 = npt.NDArray[np.float64]

@disjoint_base
class Selection:
    def __init__(self, values: _Numbers, offsets: _Int64, sign: float) -> None: ...

@final
class RowChoice(Selection):
    def into(self, seed: int, temperature: float, epsilon: float, rows: _Int64, threads: int) -> None: ...

@final
class Mean(Selection):
    def into(self, weights: _Float64, empty: _Float64 | None, means: _Float64, threads: int) -> None: ...
