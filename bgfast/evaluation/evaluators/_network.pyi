from collections.abc import Iterable
from typing import Any, final

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.batch._successors import Request
from bgfast.batch.successors import BoardsLike
from bgfast.evaluation.evaluators._evaluators import NativeEvaluator

class NetworkEvaluator(NativeEvaluator):
    def _default_policy(self) -> CoreNetwork | None: ...

@disjoint_base
class CoreNetwork(NetworkEvaluator):
    def __init__(self, first_layers: Iterable[tuple[Any, ...]], heads: Iterable[Any]) -> None: ...
    _evaluate_into: Any
    @property
    def _tables_made(self) -> tuple[int, ...]: ...

def position_features(boards: BoardsLike) -> npt.NDArray[np.uint8]: ...
def position_buckets(boards: BoardsLike) -> npt.NDArray[np.uint8]: ...

@final
class BestSuccessor(Request):
    def __init__(self, *arguments: Any) -> None: ...
