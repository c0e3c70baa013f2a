from enum import IntEnum

import numpy as np
import numpy.typing as npt

class Fault(IntEnum):
    FAULT_NONE = 0
    FAULT_OWN_BAR = 1
    FAULT_OPPONENT_BAR = 2
    FAULT_OWN_COUNT = 3
    FAULT_OPPONENT_COUNT = 4
    FAULT_EMPTY = 5
    FAULT_DEADLOCK = 6

class Phase(IntEnum):
    PHASE_CONTACT = 0
    PHASE_RACE = 1
    PHASE_BEAROFF = 2
    PHASE_OVER = 3

def fault_of(numbers: npt.NDArray[np.int8], checkers: int) -> Fault: ...
def fault_text(fault: int, numbers: npt.NDArray[np.int8], checkers: int) -> str: ...
