import numpy as np
import numpy.typing as npt

def follow_turns(
    start: npt.NDArray[np.int8],
    player: int,
    turns: list[tuple[int | None, tuple[int, int] | None, str] | None],
    first: int,
) -> tuple[int, bytes]: ...
