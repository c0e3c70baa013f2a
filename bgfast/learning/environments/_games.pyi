import numpy as np
import numpy.typing as npt

MAX_PLAYS: int
MATCH_COLUMNS: int
CUBE: int
OWNER: int
AWAY: int
AWAY_OPPONENT: int
CRAWFORD: int
PHASE: int
RESIGNATION: int
MATCH_OBSERVED: int

_Int8 = npt.NDArray[np.int8]
_Int64 = npt.NDArray[np.int64]

def begin(terms: _Int64, starts: _Int8, rows: _Int64, seed: int, table: _Int8) -> None: ...
def act(
    terms: _Int64,
    starts: _Int8,
    rows: _Int64,
    actions: _Int64,
    max_plays: int,
    boards: _Int8,
    places: _Int64,
    seed: int,
    table: _Int8,
    rewards: npt.NDArray[np.float64],
) -> None: ...
def waiting(player: int, rows: _Int64, table: _Int8, plays: _Int64, others: _Int64) -> tuple[int, int]: ...
def rolled(rows: _Int64, table: _Int8, boards: _Int8, dice: _Int8) -> None: ...
def spread(rows: _Int64, offsets: _Int64, out: _Int64) -> None: ...
def random_names(max_beavered: int, seen: _Int8, chances: npt.NDArray[np.float64], out: _Int64) -> None: ...
def mark_names(terms: _Int64, max_plays: int, table: _Int8, mask: _Int8) -> None: ...
def illegal(
    terms: _Int64, max_plays: int, offsets: _Int64, actions: _Int64, table: _Int8, out: _Int8
) -> int: ...
def observe(player: int, rows: _Int64, table: _Int8, out: _Int8) -> None: ...
def choose(boards: _Int8, offsets: _Int64, actions: _Int64, out: _Int8) -> int: ...
def mark(offsets: _Int64, marked: _Int64, max_plays: int, mask: _Int8) -> int: ...
def join_dice(boards: _Int8, dice: _Int8, out: _Int8) -> None: ...
