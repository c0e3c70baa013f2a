from enum import IntEnum

import numpy as np
import numpy.typing as npt

class WinScheme(IntEnum):
    WIN_STANDARD = 0
    WIN_BAR_HOME_BEATS_OFF = 1
    WIN_NOT_ALL_HOME = 2

def outcomes(
    boards: npt.NDArray[np.int8], scheme: WinScheme, checkers: int, out: npt.NDArray[np.int8]
) -> None: ...
