from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.common.probabilities import Numbers
from bgfast.common.vocabulary import Boards

MOST_DOUBLES: int

_States = npt.NDArray[np.int32]

@final
class CubeStates:
    number: int
    def __init__(self, stakes: HeldStakes, model: int) -> None: ...
    def doubled(self, state: int) -> int: ...
    def actions(self, boards: Boards, evaluations: Numbers, states: _States) -> tuple[_States, Numbers]: ...
    def values_of_points(self, states: _States, points: Boards, passed: npt.NDArray[np.uint8]) -> Numbers: ...
    def starters_values(self, states: _States, starts: _States, values: Numbers) -> Numbers: ...
