from typing import final

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts._cube_states import CubeStates
from bgfast.common.vocabulary import Boards
from bgfast.core.board.result import WinScheme
from bgfast.evaluation.evaluators._evaluators import NativeEvaluator

@final
class Trials:
    threads: int
    seconds_per_ply: float
    def __init__(
        self,
        switches: tuple[int, bool, bool, int] | None,
        boards: Boards,
        policy: NativeEvaluator,
        evaluator: NativeEvaluator | None,
        luck_evaluator: NativeEvaluator | None,
        scheme: WinScheme,
        checkers: int,
        seed: int,
        quasi_random: bool,
        max_plies: int,
        threads: int,
        cube: CubeStates | None = None,
        cube_evaluator: NativeEvaluator | None = None,
        cube_starts: npt.NDArray[np.int32] | None = None,
        cube_decided: npt.NDArray[np.uint8] | None = None,
    ) -> None: ...
    def begin(
        self,
        first_trial: int,
        points: npt.NDArray[np.int8],
        plies: npt.NDArray[np.int32],
        adjusted: npt.NDArray[np.float64] | None,
    ) -> None: ...
    def play(self, pause: float, stop: float) -> bool: ...
