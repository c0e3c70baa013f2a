from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.batch._request import Request
from bgfast.common.vocabulary import Boards

@final
class Fill(Request):
    def __init__(
        self,
        switches: tuple[int, bool, bool, int] | None,
        boards: Boards,
        dice: Boards | None,
        flip: bool,
        keep_passes: bool,
        moves: bool,
        threads: int,
    ) -> None: ...
    @property
    def total(self) -> int: ...
    def room_needed(self) -> int: ...
    def into(
        self, offsets: npt.NDArray[np.int64], rows: Boards, moves: Boards | None, fresh: bool
    ) -> bool: ...
