import numpy as np
import numpy.typing as npt

def leaves_below(
    switches: tuple[int, bool, bool, int] | None,
    boards: npt.NDArray[np.int8],
    ways: npt.NDArray[np.uint64],
    depth: int,
    weighted: bool,
) -> npt.NDArray[np.uint64]: ...
