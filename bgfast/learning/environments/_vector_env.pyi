import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import Boards

MAX_PLAYS: int

_Int64 = npt.NDArray[np.int64]

def choose(boards: Boards, offsets: _Int64, actions: _Int64, out: Boards) -> int: ...
def mark(offsets: _Int64, marked: _Int64, max_plays: int, mask: npt.NDArray[np.int8]) -> int: ...
def observe(boards: Boards, dice: npt.NDArray[np.int8], out: npt.NDArray[np.int8]) -> None: ...
