import numpy as np
import numpy.typing as npt

_Int8 = npt.NDArray[np.int8]

def fill_random_successors(
    switches: tuple[int, bool, bool, int] | None,
    boards: _Int8,
    dice: _Int8 | None,
    seed: int,
    flip: bool,
    first: int,
    last: int,
    out: _Int8,
) -> None: ...
