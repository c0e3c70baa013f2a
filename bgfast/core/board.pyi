import numpy as np
import numpy.typing as npt

def fault_text(fault: int, numbers: npt.NDArray[np.int8], checkers: int) -> str: ...
