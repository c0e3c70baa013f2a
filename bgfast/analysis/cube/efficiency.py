"""How efficient the cube is, from 0 dead to 1 fully live: named models by the kind of position."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._efficiency import fill_efficiencies
from bgfast.batch.validation import BoardsLike, checked_boards
from bgfast.errors import BgfastError, shown

__all__ = ["EFFICIENCY_MODELS", "cube_efficiencies", "efficiency_model"]

EFFICIENCY_MODELS = ("bgfast", "gnubg")
"""Names of the models, in the order of the core."""


def cube_efficiencies(boards: BoardsLike, model: str = "bgfast") -> npt.NDArray[np.float64]:
    """Return how efficient the cube is on each board.

    Parameters
    ----------
    boards : array of int, shape (n, 26)
        Mover's side, before the roll.
    model : {"bgfast", "gnubg"}
        ``"gnubg"`` is GNU Backgammon's: 0.68 where there is contact; in races 0.55 and 1/800 for each pip of
        the mover, at least 0.6 and at most 0.7; 0.6 where both sides bear off.

    Returns
    -------
    ndarray of float64, shape (n,)
        From 0, as if the cube were never turned again, to 1, as if everybody turned it at the best moment.

    Raises
    ------
    BgfastError
        If there is no such model, or a board is impossible.

    Notes
    -----
    Thread-safe: nothing is shared.

    Examples
    --------
    >>> import bgfast
    >>> from bgfast import Position
    >>> race = Position.from_gnubg_id("4HPwATDgc/ABMA")
    >>> bgfast.cube_efficiencies([race.to_array()], model="gnubg")
    array([0.68])
    """
    number = efficiency_model(model)
    rows = checked_boards(boards, None)
    out = np.empty(len(rows))
    fill_efficiencies(rows, number, out)
    return out


def efficiency_model(name: Any) -> int:
    """Return the place of a model among `EFFICIENCY_MODELS`, as the core knows it.

    Raises
    ------
    BgfastError
        If there is none of that name.
    """
    if name not in EFFICIENCY_MODELS:
        raise BgfastError(
            f"efficiency model {shown(name)}; expected {' or '.join(map(repr, EFFICIENCY_MODELS))}"
        )
    return EFFICIENCY_MODELS.index(name)
