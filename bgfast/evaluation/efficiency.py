"""Cube efficiency, from 0 (dead cube) to 1 (fully live cube): numbers or named models."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import BoardsLike, validate_boards
from bgfast.common.probabilities import PROBABILITIES, PROBABILITY_NAMES, SLACK, Numbers, are_probabilities
from bgfast.common.validation import Boards, number_array, real_number
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation._cubeful import CubeStakes, model_efficiencies
from bgfast.evaluation.stakes import DecisionLike, as_decision, stakes_of
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

EFFICIENCY_MODELS = ("bgfast", "gnubg")
"""Names of the models, in the order of `EfficiencyModel`."""
Efficiency = str | float | npt.ArrayLike
"""A model's name, one number for all rows, or an array with one number per row."""


class Efficiencies(NamedTuple):
    """Cube efficiencies for rows of probabilities: numbers, or a model and its boards."""

    values: Numbers | None  # (1,) or (n,); None if a model is used
    model: int  # index in `EFFICIENCY_MODELS`
    boards: Boards  # one for all rows, or one for each row

    @classmethod
    def of_model(cls, name: Any, boards: Boards) -> Efficiencies:
        """Return the efficiencies of a named model."""
        return cls(None, efficiency_model(name), boards)

    def at(self, stakes: CubeStakes, rows: Rows) -> Numbers:
        """Return the efficiencies of rows at these stakes, shape (n,), or (1,) if all rows share one."""
        if self.values is not None:
            return self.values
        return model_efficiencies(self.boards, self.model, stakes, rows)


def cube_efficiencies(
    boards: BoardsLike,
    model: str = "bgfast",
    *,
    probabilities: npt.ArrayLike | None = None,
    decision: DecisionLike | None = None,
) -> npt.NDArray[np.float64]:
    """Return the cube efficiencies of boards.

    Parameters
    ----------
    boards : array of int, shape (n, 26)
        Mover's side, before the roll.
    model : {"bgfast", "gnubg"}
        ``"bgfast"`` depends on the winning probability, on the owner of the cube and, in races, on the pip
        count. It was fitted to exact tables and to rollouts; docs/CUBE.md describes it.
        ``"gnubg"`` is GNU Backgammon's model.
    probabilities : array of real numbers, shape (n, 5) or (5,), optional
        Cubeless probabilities of the mover, one row per board or one for all, as for `cubeful_equities`. The
        default is an even game without gammons.
    decision : Decision, or position or text as for `bgfast.analyse`, optional
        Cube and score; its position is ignored. The default is money play with a centred cube.

    Returns
    -------
    ndarray of float64, shape (n,)
        From 0, a dead cube, to 1, a fully live cube.

    Raises
    ------
    BgfastError
        If `model` is unknown, a board is impossible, or another argument is invalid.

    See Also
    --------
    cubeful_equities : Equities computed with cube efficiencies.

    Examples
    --------
    >>> import bgfast
    >>> bgfast.cube.cube_efficiencies(bgfast.Position(), model="gnubg")
    array([0.68])
    """
    efficiencies = Efficiencies.of_model(model, validate_boards(boards, None))
    count = len(efficiencies.boards)
    rows, _ = as_rows([0.5, 0, 0, 0, 0] if probabilities is None else probabilities)
    if len(rows) not in (1, count):
        raise BgfastError(f"probabilities has {len(rows)} rows; expected 1, or {count} (one per board)")
    check_rows(rows)
    stakes = stakes_of(as_decision(Position.start() if decision is None else decision))
    return efficiencies.at(stakes, rows.repeat(count, axis=0) if len(rows) == 1 else rows)


def as_efficiencies(efficiency: Efficiency | None, decision: Decision, rows: int) -> Efficiencies:
    """Convert a user's argument to `Efficiencies`; None is the model ``"bgfast"``."""
    boards = decision.position.to_array()[None]
    if efficiency is None or isinstance(efficiency, str):
        return Efficiencies.of_model(efficiency or "bgfast", boards)
    value = real_number(efficiency)
    values = efficiency if value is None else [value]
    array = number_array(values, "efficiency", BgfastError, "real numbers")
    if array.shape != (1,) and array.shape != (rows,):
        raise BgfastError(
            f"efficiency of shape {short_repr(array.shape)}; expected a model's name, one number, or "
            f"({rows},)"
        )
    is_valid = are_probabilities(array, 0)
    if not is_valid.all():
        raise BgfastError(f"efficiency is {array[int(np.argmin(is_valid))]}; expected 0 to 1")
    return Efficiencies(np.require(array, np.float64, ["C", "A"]), 0, boards)


def efficiency_model(name: Any) -> int:
    """Return the index of a model in `EFFICIENCY_MODELS`."""
    if not isinstance(name, str) or name not in EFFICIENCY_MODELS:
        raise BgfastError(
            f"efficiency model {short_repr(name)}; expected {' or '.join(map(repr, EFFICIENCY_MODELS))}"
        )
    return EFFICIENCY_MODELS.index(name)


# ---- rows of probabilities ----

Rows = npt.NDArray[np.float32] | npt.NDArray[np.float64]
ROUNDING_EXCESS = 1e-3 + SLACK
"""Excess of gammons over games, or backgammons over gammons, that rounding to three digits can cause."""
ANY_EXCESS = 2.0
"""Limit that no excess reaches; for evaluators, whose numbers need only be probabilities."""
_BOUND_NAMES = ("1", "win", "win_gammon", "1 - win", "lose_gammon")  # upper bounds of the five probabilities


def as_rows(probabilities: Any) -> tuple[Rows, bool]:
    """Return probabilities as a C-contiguous float array (n, 5), and whether they were a single row."""
    array = number_array(probabilities, "probabilities", BgfastError, "real numbers")
    is_single = array.ndim == 1
    if array.shape[-1:] != (PROBABILITIES,) or array.ndim > 2:
        raise BgfastError(f"probabilities of shape {short_repr(array.shape)}; expected (n, 5) or (5,)")
    dtype = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    return np.require(array[None] if is_single else array, dtype, ["C", "A"]), is_single


def check_rows(rows: Rows, excess: float = ROUNDING_EXCESS, first: int = 0) -> None:
    """Raise `BgfastError` for the first number that is out of bounds, from row `first` on.

    `excess` is the tolerated excess of gammons over games, and of backgammons over gammons.
    """
    floats = rows[first:].astype(np.float64)
    win, win_gammon, _, lose_gammon, _ = floats.T
    bounds = np.column_stack((np.ones(len(floats)), win, win_gammon, 1 - win, lose_gammon))
    is_valid = (floats >= -SLACK) & (floats - bounds <= (SLACK, *[excess] * 4))
    if is_valid.all():
        return
    row = int(np.argmin(is_valid.all(axis=1)))
    column = int(np.argmin(is_valid[row]))
    value = rows[first + row, column]
    bound = f"at most {_BOUND_NAMES[column]}, {bounds[row, column]:g}"
    expected = bound if are_probabilities(floats[row, column]) else "0 to 1"
    raise BgfastError(f"row {first + row}: {PROBABILITY_NAMES[column]} is {value}; expected {expected}")
