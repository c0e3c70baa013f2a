from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.analysis._evaluators import BuiltIn

@disjoint_base
class Tables(BuiltIn):
    def __init__(self, contact: tuple[Any, ...], race: tuple[Any, ...]) -> None: ...
    def evaluate_into(
        self, boards: npt.NDArray[np.int8], out: npt.NDArray[np.float32], threads: int
    ) -> None: ...
