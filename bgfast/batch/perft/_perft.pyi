import numpy as np
import numpy.typing as npt

def leaves_of_roll(
    switches: tuple[int, bool, bool, int] | None,
    numbers: npt.NDArray[np.int8],
    die1: int,
    die2: int,
    depth: int,
    weighted: bool,
    bulk: bool,
) -> int: ...
def leaves_below(
    switches: tuple[int, bool, bool, int] | None,
    boards: npt.NDArray[np.int8],
    ways: npt.NDArray[np.uint64],
    depth: int,
    weighted: bool,
) -> npt.NDArray[np.uint64]: ...
