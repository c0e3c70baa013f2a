import numpy as np
import numpy.typing as npt

_Boards = npt.NDArray[np.int8]
_Ways = npt.NDArray[np.uint64]

def merged_children(
    switches: tuple[int, bool, bool, int] | None,
    boards: _Boards,
    ways: _Ways,
    weighted: bool,
    part: int,
    parts: int,
) -> tuple[_Boards, _Ways, _Ways]: ...
