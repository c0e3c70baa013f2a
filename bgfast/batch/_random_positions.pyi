import numpy as np
import numpy.typing as npt

ANY_PHASE: int

def fill_random(
    start: npt.NDArray[np.int8], seed: int, phase: int, first: int, out: npt.NDArray[np.int8]
) -> None: ...
