import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import Boards
from bgfast.evaluation.evaluators._evaluators import NativeEvaluator
from bgfast.evaluation.evaluators._network import NetworkEvaluator

def luck_of_rolls(
    policy: NetworkEvaluator, evaluator: NativeEvaluator, boards: Boards, dice: Boards, threads: int
) -> npt.NDArray[np.float64]: ...
