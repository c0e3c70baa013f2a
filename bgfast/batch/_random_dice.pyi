import numpy as np
import numpy.typing as npt

def fill_dice(seed: int, opening: bool, first: int, out: npt.NDArray[np.int8]) -> None: ...
