import numpy as np
import numpy.typing as npt

from bgfast.common.vocabulary import Boards
from bgfast.evaluation.evaluators._evaluators import BuiltIn
from bgfast.evaluation.evaluators._network import NetworkPlayer

def luck_of_rolls(
    policy: NetworkPlayer, evaluator: BuiltIn, boards: Boards, dice: Boards, threads: int
) -> npt.NDArray[np.float64]: ...
