import numpy as np
import numpy.typing as npt

def leaves_below(
    boards: npt.NDArray[np.int8], ways: npt.NDArray[np.uint64], depth: int, weighted: bool
) -> npt.NDArray[np.uint64]: ...
