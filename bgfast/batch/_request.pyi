import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.common.vocabulary import Boards

@disjoint_base
class BoardTask:
    @property
    def threads(self) -> int: ...

@disjoint_base
class Request(BoardTask):
    def __init__(
        self,
        switches: tuple[int, bool, bool, int] | None,
        boards: Boards,
        dice: Boards | None,
        flip: bool,
        keep_passes: bool,
        min_share: int,
        threads: int,
    ) -> None: ...
    @property
    def segments(self) -> int: ...
    @property
    def rolls(self) -> int: ...

def check_boards(boards: npt.NDArray[np.int8], checkers: int, threads: int) -> None: ...
