"""How efficient the cube is, from 0 dead to 1 fully live: numbers, or named models."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._efficiency import HeldLines, fill_efficiencies
from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.rows import Rows, check_rows, given_rows
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.batch.validation import BoardsLike, checked_boards
from bgfast.common.probabilities import Numbers, are_probabilities
from bgfast.common.validation import number_array, real_number
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

__all__ = [
    "EFFICIENCY_MODELS",
    "Efficiencies",
    "Efficiency",
    "cube_efficiencies",
    "efficiency_model",
    "given_efficiency",
]

EFFICIENCY_MODELS = ("bgfast", "gnubg")
"""Names of the models, in the order of the core."""
Efficiency = str | float | npt.ArrayLike
"""A model's name, one number, or one for each row."""
EVEN = np.array([[0.5, 0, 0, 0, 0]])


class Efficiencies(NamedTuple):
    """How efficient the cube is in some rows of probabilities.

    Attributes
    ----------
    numbers : ndarray of float64, shape (1,) or (n,), or None
        The same for every cube; None if a model is asked.
    model : int
        The model, as the core knows it.
    boards : int8 array, shape (1, 26) or (n, 26)
        Of all rows, or of each.
    """

    numbers: Numbers | None
    model: int
    boards: Boards

    @classmethod
    def of_model(cls, name: Any, boards: Boards) -> Efficiencies:
        """Return those that a named model finds.

        Raises
        ------
        BgfastError
            If there is none of that name.
        """
        return cls(None, efficiency_model(name), boards)

    def at(self, stakes: HeldStakes, rows: Rows) -> Numbers:
        """Return the efficiency for each row with the cube of such stakes, (n,), or (1,) for all rows."""
        if self.numbers is not None:
            return self.numbers
        out = np.empty(len(rows))
        fill_efficiencies(self.boards, self.model, stakes, rows, out)
        return out

    def known(self, stakes: HeldStakes, rows: Rows) -> Numbers | HeldLines:
        """Return the same, or of one board what it is for any rows, which then need not be read twice."""
        if self.numbers is None and len(self.boards) == 1:
            return HeldLines(self.boards[0], self.model, stakes)
        return self.at(stakes, rows)


def cube_efficiencies(
    boards: BoardsLike,
    model: str = "bgfast",
    *,
    probabilities: npt.ArrayLike | None = None,
    decision: Decision | None = None,
) -> npt.NDArray[np.float64]:
    """Return how efficient the cube is on each board.

    Parameters
    ----------
    boards : array of int, shape (n, 26)
        Mover's side, before the roll.
    model : {"bgfast", "gnubg"}
        ``"bgfast"`` goes by the chance to win, by who owns the cube and, in races, by their length, as fitted
        to exact tables and to rollouts; docs/CUBE.md has its numbers.
        ``"gnubg"`` is GNU Backgammon's: 0.68 where there is contact; in races 0.55 and 1/800 for each pip of
        the mover, at least 0.6 and at most 0.7; 0.6 where both sides bear off.
    probabilities : array of real numbers, shape (n, 5) or (5,), optional
        Of the mover, for each board or for all, as for `cubeful_equities`; an even game unless said.
    decision : Decision, optional
        Cube and score; money play with a centred cube unless said. Its position does not matter.

    Returns
    -------
    ndarray of float64, shape (n,)
        From 0, as if the cube were never turned again, to 1, as if everybody turned it at the best moment.

    Raises
    ------
    BgfastError
        If there is no such model, a board is impossible, or other arguments are none of the above.

    Notes
    -----
    Thread-safe: nothing is shared.

    Examples
    --------
    >>> import bgfast
    >>> race = bgfast.Position.from_gnubg_id("4HPwATDgc/ABMA")
    >>> bgfast.cube_efficiencies([race.to_array()], model="gnubg")
    array([0.68])
    """
    found = Efficiencies.of_model(model, checked_boards(boards, None))
    rows, _ = given_rows(EVEN if probabilities is None else probabilities)
    if len(rows) not in (1, len(found.boards)):
        raise BgfastError(
            f"{len(rows)} rows of probabilities for {len(found.boards)} boards; expected as many"
        )
    check_rows(rows)
    stakes = stakes_of(Decision(position=Position.start()) if decision is None else decision)
    each: Any = np.repeat(rows, len(found.boards), axis=0) if len(rows) == 1 else rows
    return found.at(stakes, each)


def given_efficiency(efficiency: Efficiency | None, decision: Decision, rows: int) -> Efficiencies:
    """Return efficiencies as they were given: a model, ``"bgfast"`` for None, a number, or one for each row.

    Raises
    ------
    BgfastError
        If there is no such model, or these are no numbers from 0 to 1.
    """
    boards = decision.position.to_array()[None]
    if efficiency is None or isinstance(efficiency, str):
        return Efficiencies.of_model(efficiency or "bgfast", boards)
    number = real_number(efficiency)
    found = (
        np.array([number])
        if number is not None
        else number_array(efficiency, "efficiency", BgfastError, "real numbers")
    )
    if found.shape != (1,) and found.shape != (rows,):
        raise BgfastError(
            f"efficiency of shape {shown(found.shape)}; expected a model's name, one number, or ({rows},)"
        )
    good = are_probabilities(found, 0)
    if not good.all():
        raise BgfastError(f"efficiency is {found[int(np.argmin(good))]}; expected 0 to 1")
    return Efficiencies(np.require(found, np.float64, ["C", "A"]), 0, boards)


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
