import numpy as np
import numpy.typing as npt

_Int8 = npt.NDArray[np.int8]
_Float32 = npt.NDArray[np.float32]

def fill_tdgammon(
    boards: _Int8, sides: _Int8, checkers: int, first: int, last: int, out: _Float32
) -> None: ...
def fill_onehot(boards: _Int8, checkers: int, first: int, last: int, out: _Float32 | _Int8) -> None: ...
