from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.batch._request import Request
from bgfast.common.vocabulary import Boards
from bgfast.core.board.result import WinScheme

@final
class Count(Request):
    def __init__(
        self,
        switches: tuple[int, bool, bool, int] | None,
        boards: Boards,
        dice: Boards | None,
        keep_passes: bool,
        threads: int,
    ) -> None: ...
    def into(self, sizes: npt.NDArray[np.int64]) -> None: ...

def flip_boards(boards: Boards, out: Boards) -> None: ...
def pip_counts(boards: Boards, out: npt.NDArray[np.int32]) -> None: ...
def write_results(boards: Boards, scheme: WinScheme, checkers: int, out: Boards) -> None: ...
