import numpy as np
import numpy.typing as npt

from bgfast.analysis.evaluators._evaluators import BuiltIn
from bgfast.analysis.evaluators._network import NetworkPlayer
from bgfast.common.vocabulary import Boards

def luck_of_rolls(
    policy: NetworkPlayer, evaluator: BuiltIn, boards: Boards, dice: Boards, threads: int
) -> npt.NDArray[np.float64]: ...
