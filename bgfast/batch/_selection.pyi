import numpy as np
import numpy.typing as npt

_Numbers = npt.NDArray[np.float32] | npt.NDArray[np.float64]
_Int64 = npt.NDArray[np.int64]
_Float64 = npt.NDArray[np.float64]

def fill_best(values: _Numbers, offsets: _Int64, sign: float, first: int, last: int, out: _Int64) -> None: ...
def fill_softmax(
    values: _Numbers,
    offsets: _Int64,
    sign: float,
    seed: int,
    temperature: float,
    first: int,
    last: int,
    out: _Int64,
) -> None: ...
def fill_epsilon(
    values: _Numbers,
    offsets: _Int64,
    sign: float,
    seed: int,
    epsilon: float,
    first: int,
    last: int,
    out: _Int64,
) -> None: ...
def fill_means(
    values: _Numbers,
    offsets: _Int64,
    weights: _Float64,
    sign: float,
    empty: _Float64 | None,
    first: int,
    last: int,
    out: _Float64,
) -> None: ...
