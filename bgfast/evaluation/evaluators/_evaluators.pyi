from typing import Any, final

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from bgfast.batch.successors import BoardsLike
from bgfast.common.validation import Boards

PUBEVAL_WEIGHTS: tuple[tuple[float, float], ...]

@disjoint_base
class NativeEvaluator:
    @property
    def returns_probabilities(self) -> bool: ...
    @property
    def returns_points(self) -> bool: ...
    @property
    def _native(self) -> NativeEvaluator: ...
    def __call__(self, boards: BoardsLike) -> npt.NDArray[np.float64]: ...
    _values: Any
    _choices: Any
    def adapt_to_rules(self, switches: tuple[int, bool, bool, int] | None) -> NativeEvaluator: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def bound_values(
    values: npt.NDArray[np.float64], boards: Boards, scheme: int, checkers: int, standard_plays: bool
) -> None: ...

@final
class Random(NativeEvaluator): ...

@final
class PipCount(NativeEvaluator): ...

@final
class Pubeval(NativeEvaluator): ...
