import numpy as np
import numpy.typing as npt

ROLLS_COLUMNS: int
FIRST_COLUMNS: int
MAX_CUBE_STATES: int
MOVES_NUMBERS: int

_Boards = npt.NDArray[np.int8]
_Int8 = npt.NDArray[np.int8]
_Int16 = npt.NDArray[np.int16]
_Int32 = npt.NDArray[np.int32]
_Float64 = npt.NDArray[np.float64]

def fill_one_sided(
    checkers: int, first_only: bool, rolls: _Float64, mean: _Float64, plays: _Int32, bests: _Int32
) -> None: ...
def list_plays(checkers: int, memory: _Int32, begins: _Int32, plays: _Int16) -> None: ...
def fill_two_sided(
    first: int,
    last: int,
    begins: _Int32,
    plays: _Int16,
    total: float,
    transitions: _Int32,
    values: _Float64,
    equities: _Float64,
    no_doubles: _Float64,
    memory: _Float64,
) -> None: ...
def fill_race(
    plays: _Int32,
    replies: _Int32,
    on_roll: _Int32,
    waiting: _Int32,
    transitions: _Int32,
    values: _Float64,
    exact: _Float64,
    rows: _Float64,
    equities: _Float64,
) -> None: ...
def fill_side_numbers(boards: _Boards, checkers: int, out: _Int32) -> None: ...
def side_number(board: _Int8) -> int: ...
def fill_probabilities(
    boards: _Boards, checkers: int, rolls: _Float64, firsts: _Float64, wins: _Float64, out: _Float64
) -> int: ...
