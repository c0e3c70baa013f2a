import numpy as np
import numpy.typing as npt

from bgfast.core.board.result import WinScheme

def write_results(
    boards: npt.NDArray[np.int8], scheme: WinScheme, checkers: int, out: npt.NDArray[np.int8]
) -> None: ...
