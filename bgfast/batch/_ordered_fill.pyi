from typing import final

import numpy as np
import numpy.typing as npt

_Int8 = npt.NDArray[np.int8]

@final
class Turns:
    def __new__(cls, threads: int) -> Turns: ...
    @property
    def total(self) -> int: ...

def fill_in_turn(
    turns: Turns,
    switches: tuple[int, bool, bool, int] | None,
    boards: _Int8,
    dice: _Int8 | None,
    flip: bool,
    keep_passes: bool,
    rows: _Int8,
    sizes: npt.NDArray[np.int64],
) -> None: ...
