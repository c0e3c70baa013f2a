import numpy as np
import numpy.typing as npt

def fill_efficiencies(boards: npt.NDArray[np.int8], model: int, out: npt.NDArray[np.float64]) -> None: ...
