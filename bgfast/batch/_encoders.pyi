from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.batch._request import BoardTask

_Int8 = npt.NDArray[np.int8]
_Float32 = npt.NDArray[np.float32]

class Encoder(BoardTask):
    def __init__(self, boards: _Int8, checkers: int, threads: int) -> None: ...

@final
class TdGammon(Encoder):
    def into(self, sides: _Int8, out: _Float32) -> None: ...

@final
class OneHot(Encoder):
    def into(self, out: _Float32 | _Int8) -> None: ...
