from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float32]

@final
class SelfPlay:
    def __init__(
        self,
        start: npt.NDArray[np.int8],
        weights: _Floats,
        output_bias: _Floats,
        seed: int,
        features: Sequence[bool],
    ) -> None: ...
    def play(self, first_game: int, games: int, learning_rate: float, trace: float) -> tuple[int, int]: ...

def train_supervised(
    weights: _Floats,
    output_bias: _Floats,
    boards: npt.NDArray[np.int8],
    targets: _Floats,
    learning_rate: float,
    has_features: bool,
) -> None: ...
