from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float32]

def weights_size(hidden: int, heads: int, dense: int, triples: bool, squares: bool) -> int: ...

@final
class Learner:
    steps: int
    def __init__(
        self,
        hidden: int,
        dense: int,
        heads: Sequence[int],
        features: bool,
        triples: bool,
        squares: bool,
        weights: _Floats,
        mean: _Floats,
        square: _Floats,
        steps: int,
        batch: int,
    ) -> None: ...
    def learn(
        self,
        boards: npt.NDArray[np.int8],
        targets: _Floats,
        rows: npt.NDArray[np.int64],
        rate: float,
        threads: int,
    ) -> float: ...
    def first_activations(
        self, boards: npt.NDArray[np.int8], rows: npt.NDArray[np.int64], threads: int
    ) -> _Floats: ...
