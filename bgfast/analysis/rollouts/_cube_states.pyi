from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.common.vocabulary import Boards
from bgfast.evaluation._stakes import CubeStakes

MAX_DOUBLES: int

_States = npt.NDArray[np.int32]

@final
class CubeStates:
    number: int
    def __init__(
        self,
        stakes: CubeStakes,
        model: int,
        tables: tuple[Numbers, ...] | None = None,
        checkers: int = 15,
    ) -> None: ...
    def doubled(self, state: int) -> int: ...
    def stakes(self, state: int) -> CubeStakes: ...
    def values(self, boards: Boards, evaluations: Numbers, states: _States) -> Numbers: ...
    def actions(
        self, boards: Boards, evaluations: Numbers, states: _States, use_tables: bool = True
    ) -> tuple[_States, Numbers]: ...
    def values_of_points(
        self, states: _States, points: Boards, dropped: npt.NDArray[np.uint8]
    ) -> Numbers: ...
    def values_at_start(self, states: _States, starts: _States, values: Numbers) -> Numbers: ...
