import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import Boards
from bgfast.evaluation.evaluators._evaluators import NativeEvaluator
from bgfast.evaluation.evaluators._network import NetworkPlayer

def luck_of_rolls(
    policy: NetworkPlayer, evaluator: NativeEvaluator, boards: Boards, dice: Boards, threads: int
) -> npt.NDArray[np.float64]: ...
