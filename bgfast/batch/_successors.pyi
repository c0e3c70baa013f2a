import numpy as np
import numpy.typing as npt

_Int8 = npt.NDArray[np.int8]
_Switches = tuple[int, bool, bool, int] | None

def first_fault(boards: _Int8, checkers: int) -> tuple[int, int] | None: ...
def count_segments(
    switches: _Switches,
    boards: _Int8,
    dice: _Int8 | None,
    keep_passes: bool,
    first: int,
    last: int,
    sizes: npt.NDArray[np.int64],
) -> None: ...
def fill_segments(
    switches: _Switches,
    boards: _Int8,
    dice: _Int8 | None,
    flip: bool,
    keep_passes: bool,
    first: int,
    last: int,
    rows: _Int8,
    moves: _Int8 | None,
    sizes: npt.NDArray[np.int64] | None,
) -> int: ...
def flip_boards(boards: _Int8, out: _Int8) -> None: ...
def pip_counts(boards: _Int8, out: npt.NDArray[np.int32]) -> None: ...
