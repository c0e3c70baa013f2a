import numpy as np
import numpy.typing as npt

_Int64 = npt.NDArray[np.int64]

def rollout_dice(
    seed: int, quasi_random: bool, trials: _Int64, plies: _Int64, out: npt.NDArray[np.int8]
) -> None: ...
