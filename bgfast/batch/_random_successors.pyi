from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.batch._request import Request

_Int8 = npt.NDArray[np.int8]

@final
class RandomChoice(Request):
    def __init__(
        self,
        switches: tuple[int, bool, bool, int] | None,
        boards: _Int8,
        dice: _Int8 | None,
        seed: int,
        flip: bool,
        threads: int,
    ) -> None: ...
    def into(self, out: _Int8, dice_out: _Int8 | None) -> None: ...
