import numpy as np
import numpy.typing as npt

from bgfast.evaluation.evaluators._evaluators import NativeEvaluator

_Boards = npt.NDArray[np.int8]

def continue_games(
    policy: NativeEvaluator,
    start: _Boards,
    boards: _Boards,
    first_ply: int,
    plies: int,
    seed: int,
    noise: float,
    threads: int,
) -> tuple[_Boards, _Boards, _Boards, npt.NDArray[np.bool_]]: ...
def one_ply_targets(evaluator: NativeEvaluator, boards: _Boards, threads: int) -> npt.NDArray[np.float32]: ...
def add_later_errors(
    targets: npt.NDArray[np.float32],
    evaluations: npt.NDArray[np.float32],
    cut: npt.NDArray[np.bool_],
    trace: float,
) -> None: ...
