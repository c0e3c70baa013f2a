"""Exact values of hypergammon: an evaluator that reads a file of solved tables."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch.validation import BoardsLike, checked_boards
from bgfast.common.files import checked_path
from bgfast.errors import BgfastError, InvalidPositionError
from bgfast.evaluation.cube.actions import CubeActions, proper_actions
from bgfast.evaluation.cube.match_equity import MatchEquityTable
from bgfast.evaluation.cube.stakes import stakes_of
from bgfast.evaluation.hypergammon._hypergammon import PositionIndex
from bgfast.evaluation.hypergammon.cube_columns import MONEY, money_state
from bgfast.evaluation.hypergammon.solving import CUBELESS, MONEY_TABLE
from bgfast.evaluation.hypergammon.tables_file import TableEntry, check_table, read_header, table_at
from bgfast.position.decision import Decision

__all__ = ["Hypergammon"]

Array = npt.NDArray[np.float64]


class Hypergammon:
    """Exact values of all positions of hypergammon, the game with three checkers a side; an evaluator.

    Probabilities are those of cubeless money play in which both sides maximise equity. Values with a cube are
    those of money play without a cube limit, in which both sides double, take, drop and play optimally. All
    are for the rules `standard`.

    Parameters
    ----------
    path : path
        File that ``bgfast hypergammon solve`` has made. Its length and header are checked here, its tables
        only by `check`.

    Attributes
    ----------
    checkers : int
        Checkers a side: 3, or 1 or 2 in a file of a smaller game.
    tables : tuple of TableEntry
        Tables of the file, with their sweeps and residuals.

    Raises
    ------
    BgfastError
        If the file cannot be read, is damaged, or lacks a table.

    Notes
    -----
    The file is mapped into memory and must not be changed meanwhile. Thread-safe. A pickle holds the path.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bgfast.evaluation.hypergammon.solving import solve_tables
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "one.bghyper")
    ...     _ = solve_tables(path, checkers=1)
    ...     one = Hypergammon(path)
    ...     one([[0, 0, 0, 0, 0, 0, 1] + [0] * 17 + [-1, 0]]).round(4)     # 27 rolls of 36 bear off
    array([[0.75, 0.75, 0.  , 0.25, 0.  ]])
    """

    returns_probabilities = True
    """True: boards are evaluated by five probabilities."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.abspath(checked_path(path, "path"))
        self._header = read_header(self._path)
        names = [entry.name for entry in self._header.tables if entry.residual is not None]
        for name in (CUBELESS, MONEY_TABLE):
            if name not in names:
                raise BgfastError(
                    f"{self._path}: it has no table {name!r}; expected a file that "
                    "'bgfast hypergammon solve' has finished"
                )
        self.checkers = self._header.checkers
        self._index = PositionIndex(self.checkers)
        self._probabilities, self._money = (
            table_at(self._path, self._header, names.index(name)) for name in (CUBELESS, MONEY_TABLE)
        )

    def __repr__(self) -> str:
        return f"Hypergammon({self._path!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Hypergammon, (self._path,)

    @property
    def name(self) -> str:
        """Name in results and checkpoints; the same for every file of the same game."""
        return f"Hypergammon({self.checkers})"

    @property
    def tables(self) -> tuple[TableEntry, ...]:
        """Tables of the file."""
        return self._header.tables

    def check(self) -> None:
        """Compare all tables with their checksums, which reads the whole file.

        Raises
        ------
        BgfastError
            If a table is damaged.
        """
        for index in range(len(self._header.tables)):
            check_table(self._path, self._header, index)

    def covers(self, boards: BoardsLike) -> npt.NDArray[np.bool_]:
        """Return a mask of boards that are in the tables: unfinished games.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Mover's side, at most `checkers` checkers a side.

        Returns
        -------
        ndarray of bool, shape (n,)

        Raises
        ------
        InvalidPositionError
            If a board is impossible; the message names the first bad row.
        """
        return self._numbers(boards) >= 0

    def probabilities(self, boards: BoardsLike) -> Array:
        """Return the cubeless probabilities of the results of many games for the player on roll.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Mover's side, at most `checkers` checkers a side, unfinished.

        Returns
        -------
        ndarray of float64, shape (n, 5)
            Win, win a gammon or more, win a backgammon, lose a gammon or more, lose a backgammon.

        Raises
        ------
        InvalidPositionError
            If a board is impossible or the game is over; the message names the first such row.
        """
        return np.array(self._probabilities[self._covered_numbers(boards)])

    def __call__(self, boards: BoardsLike) -> Array:
        """Return `probabilities(boards)`: tables are an evaluator."""
        return self.probabilities(boards)

    def why_not_exact(self, decision: Decision) -> str | None:
        """Return the reason why the tables do not cover the cube and score of a decision; None if they do."""
        if decision.match_length:
            return "the tables are for money play"
        if stakes_of(decision).single_games is not None:
            return f"the maximum cube is {decision.max_cube}; the tables are for a cube without a limit"
        if decision.beaver and decision.jacoby and decision.cube_owner == 0:
            return "the tables do not cover beavers under the Jacoby rule"
        return None

    def cube_actions(
        self,
        boards: BoardsLike,
        decision: Decision,
        *,
        met: MatchEquityTable | None = None,
        mwc: bool = False,
    ) -> CubeActions:
        """Return the exact cube actions of a decision; see `bgfast.cube.cube_actions`.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Mover's side, as for `probabilities`.
        decision : Decision
            Cube and rules, money play; its position and dice are ignored. If the mover has doubled already,
            the actions are those of that double.
        met : MatchEquityTable, optional
            Ignored in money play.
        mwc : bool
            False: there are no match-winning chances in money play.

        Returns
        -------
        CubeActions
            With arrays of shape (n,): points per unit of the cube before the double.

        Raises
        ------
        InvalidPositionError
            As `probabilities`.
        BgfastError
            If the tables do not cover the decision, see `why_not_exact`; if `mwc` is true.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import bgfast
        >>> from bgfast.evaluation.hypergammon.solving import solve_tables
        >>> board = [0, 0, 0, 0, 0, 0, 1] + [0] * 17 + [-1, 0]
        >>> jacoby = bgfast.Decision(position=bgfast.Position.from_array(board, 1), jacoby=True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "one.bghyper")
        ...     _ = solve_tables(path, checkers=1)
        ...     actions = Hypergammon(path).cube_actions([board], jacoby)
        >>> actions.words.tolist(), actions.no_double.tolist(), actions.double_take.tolist()
        (['Double, drop'], [0.5], [2.0])
        """
        why_not = self.why_not_exact(decision)
        if why_not is not None:
            raise BgfastError(why_not)
        if mwc:
            raise BgfastError("mwc is True in money play; expected a decision of a match")
        stakes = stakes_of(decision, met)
        values = self._money[self._covered_numbers(boards)]
        no_double = values[:, money_state(stakes.owner, decision.jacoby)]
        double = np.full((3, len(values)), np.nan)  # take, drop, beaver
        if stakes.may_double:
            double[0] = 2 * values[:, MONEY.names.index("unavailable")]
            double[1] = 1
            if stakes.may_beaver:  # the doubler may drop the beaver
                double[2] = np.maximum(2 * double[0], -2)
        return proper_actions(no_double, *double, redouble=stakes.owner == 1)

    def _numbers(self, boards: BoardsLike) -> npt.NDArray[np.int32]:
        rows = checked_boards(boards, self.checkers)
        numbers = np.empty(len(rows), np.int32)
        self._index.fill_numbers(rows, numbers)
        return numbers

    def _covered_numbers(self, boards: BoardsLike) -> npt.NDArray[np.int32]:
        numbers = self._numbers(boards)
        over = np.flatnonzero(numbers < 0)
        if len(over):
            raise InvalidPositionError(f"row {over[0]}: the game is over; expected checkers of both sides")
        return numbers
