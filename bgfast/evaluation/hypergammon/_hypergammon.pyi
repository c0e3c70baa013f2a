from typing import final

import numpy as np
import numpy.typing as npt

_Int8 = npt.NDArray[np.int8]
_Uint8 = npt.NDArray[np.uint8]
_Int32 = npt.NDArray[np.int32]
_Int64 = npt.NDArray[np.int64]
_Float64 = npt.NDArray[np.float64]

@final
class PositionIndex:
    checkers: int
    sides: int
    size: int

    def __new__(cls, checkers: int) -> PositionIndex: ...
    def fill_boards(self, positions: _Int32, out: _Int8) -> None: ...
    def fill_numbers(self, boards: _Int8, out: _Int32) -> None: ...
    def fill_levels(self, levels: _Int32, keys: _Int32, contact: _Int8) -> None: ...

def count_plays(index: PositionIndex, order: _Int32, counts: _Uint8) -> None: ...
def list_plays(index: PositionIndex, order: _Int32, begins: _Int64, after: _Int32) -> None: ...
def sweep_cubeless(
    order: _Int32, counts: _Uint8, begins: _Int64, after: _Int32, values: _Float64, out: _Float64
) -> float: ...
def sweep_cube(
    order: _Int32,
    counts: _Uint8,
    begins: _Int64,
    after: _Int32,
    total: float,
    transitions: _Int32,
    numbers: _Float64,
    values: _Float64,
    no_double: bool,
    out: _Float64,
) -> float: ...
