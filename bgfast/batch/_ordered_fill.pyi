from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.batch._successors import Request
from bgfast.common.vocabulary import Boards

@final
class Turns:
    def __new__(cls, threads: int) -> Turns: ...
    def total(self) -> int: ...

def fill_in_turn(turns: Turns, request: Request, rows: Boards, sizes: npt.NDArray[np.int64]) -> None: ...
