from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import Boards

@final
class Request:
    def __new__(
        cls,
        switches: tuple[int, bool, bool, int] | None,
        boards: Boards,
        dice: Boards | None,
        flip: bool,
        keep_passes: bool,
    ) -> Request: ...
    @property
    def switches(self) -> tuple[int, bool, bool, int] | None: ...
    @property
    def number(self) -> int: ...
    @property
    def segments(self) -> int: ...
    @property
    def rolls(self) -> int: ...

def first_fault(boards: Boards, checkers: int) -> tuple[int, int] | None: ...
def count_segments(request: Request, first: int, last: int, sizes: npt.NDArray[np.int64]) -> None: ...
def fill_segments(
    request: Request,
    first: int,
    last: int,
    rows: Boards,
    moves: Boards | None,
    sizes: npt.NDArray[np.int64] | None,
) -> int: ...
def flip_boards(boards: Boards, out: Boards) -> None: ...
def pip_counts(boards: Boards, out: npt.NDArray[np.int32]) -> None: ...
