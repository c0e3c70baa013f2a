"""Exact values of hypergammon: an evaluator that reads a file of solved tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import BoardsLike, checkers_of, unbatch, validate_boards
from bgfast.common.files import validate_path
from bgfast.common.foreign_names import names_missing
from bgfast.common.validation import flag, validate_number
from bgfast.errors import BgfastError, InvalidPositionError
from bgfast.evaluation.actions import CubeActions, exact_actions, proper_actions
from bgfast.evaluation.hypergammon._hypergammon import PositionIndex
from bgfast.evaluation.hypergammon.solver import opening_values
from bgfast.evaluation.hypergammon.tables import (
    CUBELESS,
    MATCH_TABLE,
    MAX_NEED,
    MONEY,
    MONEY_TABLE,
    NONE,
    SCORE_STATES,
    CubeColumns,
    ScoreState,
    TableEntry,
    check_table,
    match_columns,
    match_equity,
    read_header,
    table_at,
    update_match_columns,
)
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, stakes_of, validate_mwc
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

Array = npt.NDArray[np.float64]


@names_missing
class Hypergammon:
    """Evaluator with exact values of all positions of hypergammon, the game with three checkers per side.

    Probabilities are for cubeless money play in which both sides maximise equity. Values with a cube are for
    money play without a cube limit and for matches to 3 points; both sides double, take, drop and play
    optimally. All values are for `standard` rules.

    Parameters
    ----------
    path : path
        File written by ``bgfast hypergammon solve``. Its length and header are checked here, its tables only
        by `check`.

    Attributes
    ----------
    checkers : int
        Checkers per side: 3, or 1 or 2 in a file of a smaller game.

    Raises
    ------
    BgfastError
        If the file cannot be read, is damaged, or lacks a table.

    See Also
    --------
    Bearoff : Tables of bear-offs with 15 checkers.

    Notes
    -----
    Methods take `boards` from the mover's side, an array of whole numbers of shape (n, 26) or a list of
    Position, with at most `checkers` checkers per side. They raise `InvalidPositionError` for boards that are
    impossible or, except in `covers`, finished; the message names the first such row.

    The file is mapped into memory and must not be changed while in use. Thread-safe. A pickle holds the path.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bgfast.evaluation.hypergammon.solver import solve_tables
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "one.bghyper")
    ...     _ = solve_tables(path, checkers=1)
    ...     one = Hypergammon(path)
    ...     one([[0, 0, 0, 0, 0, 0, 1] + [0] * 17 + [-1, 0]]).round(4)     # 27 rolls of 36 bear off
    array([[0.75, 0.75, 0.  , 0.25, 0.  ]])
    """

    returns_probabilities = True
    """True: an evaluation of a board is five probabilities."""
    is_exact = True
    """True: values are exact; analyses do not search by default."""
    _match_equities: MatchEquityTable | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.abspath(validate_path(path, "path"))
        self._header = read_header(self._path)
        tables = {
            entry.name: table_at(self._path, self._header, index)
            for index, entry in enumerate(self._header.tables)
            if entry.residual is not None
        }
        for name in (CUBELESS, MONEY_TABLE):
            if name not in tables:
                raise BgfastError(
                    f"{self._path}: it has no table {name!r}; expected a file that "
                    "'bgfast hypergammon solve' has finished"
                )
        self._probabilities, self._money = tables[CUBELESS], tables[MONEY_TABLE]
        self._match = tables.get(MATCH_TABLE)
        self.checkers = self._header.checkers
        self._positions = PositionIndex(self.checkers)

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
        """Tables of the file, with their sweeps and residuals."""
        return self._header.tables

    def check(self) -> None:
        """Compare all tables with their checksums, reading the whole file; raise `BgfastError` for damage."""
        for index in range(len(self._header.tables)):
            check_table(self._path, self._header, index)

    def covers(self, boards: BoardsLike) -> npt.NDArray[np.bool_]:
        """Return a mask of the boards that the tables cover: all unfinished games."""
        return self._indices(boards) >= 0

    def probabilities(self, boards: BoardsLike) -> Array:
        """Return cubeless probabilities for the player on roll, as `Bearoff.probabilities` does."""
        result: Array = unbatch(boards, np.array(self._probabilities[self._validate_indices(boards)]))
        return result

    _has_tables = True  # table values are exact, so they are not bounded

    def __call__(self, boards: BoardsLike) -> Array:
        """Return `probabilities(boards)`, as evaluators do."""
        return self.probabilities(boards)

    def exact_tables(self, decision: Decision, positions: Sequence[Position]) -> Hypergammon | None:
        """Return the tables if they cover the positions with the cube and score of a decision, else None.

        `positions` are unfinished positions of this game; the decision's own position is ignored.
        Raises `BgfastError` for another number of checkers per side, because gammons would count differently.
        """
        checkers = checkers_of(positions)
        if checkers != self.checkers:
            raise BgfastError(
                f"the position has {checkers} checkers per side; the tables are for {self.checkers}"
            )
        if self.why_not_exact(decision) is not None:
            return None
        return None if decision.match_length and self.match_equity_table is None else self

    @property
    def match_equity_table(self) -> MatchEquityTable | None:
        """Match equity table of this game up to 3 points; None if the file has no match table.

        It is also None with one checker per side: every win is then a gammon, so a single point may be worth
        nothing.
        """
        if self._match is None or self.checkers == 1:
            return None
        if self._match_equities is None:
            needs = range(1, MAX_NEED + 1)
            pre_crawford = [
                [
                    self.match_equity(need, other, crawford=1 == min(need, other) < max(need, other))
                    for other in needs
                ]
                for need in needs
            ]
            post_crawford = [self.match_equity(need, 1) for need in needs]
            # `setdefault` is atomic, so all threads return the same table.
            table = MatchEquityTable(self.name, pre_crawford, post_crawford)
            self.__dict__.setdefault("_match_equities", table)
        return self._match_equities

    def why_not_exact(self, decision: DecisionLike) -> str | None:
        """Return why the tables do not cover the cube and score of a decision; None if they do."""
        decision = as_decision(decision)
        stakes = stakes_of(decision)
        need, other = (decision.match_length - won for won in decision.score)
        if decision.match_length and max(need, other) > MAX_NEED:
            return f"the players need {need} and {other} points; the tables are for at most {MAX_NEED}"
        if decision.max_cube <= MAX_NEED if decision.match_length else stakes.single_games is not None:
            return f"the maximum cube is {decision.max_cube}; the tables are for a cube without a limit"
        if not decision.match_length:
            is_uncovered = decision.beaver and decision.jacoby and decision.cube_owner == 0
            return "the tables do not cover beavers under the Jacoby rule" if is_uncovered else None
        if _score_state(decision) not in SCORE_STATES:
            return "the tables do not cover a double by a player who needed only a single game"
        return None if self._match is not None else "the file has no match table"

    def cube_actions(
        self,
        boards: BoardsLike,
        decision: DecisionLike,
        *,
        met: MatchEquityTable | None = None,
        mwc: bool = False,
    ) -> CubeActions:
        """Return the exact cube actions of a decision as arrays (n,); see `bgfast.cube.cube_actions`.

        Arguments as for `Bearoff.cube_actions`, but `met` is ignored: match equities come from
        `match_equity_table`. In a match, a player for whom a single game is enough does not double.
        Raises `BgfastError` if the tables do not cover the decision; see `why_not_exact`.
        """
        decision = as_decision(decision)
        objection = self.why_not_exact(decision)
        if objection is not None:
            raise BgfastError(objection)
        in_mwc = validate_mwc(mwc, decision.match_length > 0)
        if decision.match_length:
            return self._match_actions(boards, decision, in_mwc)
        stakes = stakes_of(decision)
        values = dict(zip(MONEY.names, self._money[self._validate_indices(boards)].T, strict=True))
        centred = "centred, Jacoby" if decision.jacoby else "centred"
        name = {1: "owned", 0: centred, -1: "unavailable"}[stakes.owner]
        return exact_actions(stakes, values[name], 2 * values["unavailable"])

    def match_equity(self, need: int, opponent_need: int, *, crawford: bool = False) -> float:
        """Return the match-winning chance of a player at the start of a game, before the opening roll.

        `need` and `opponent_need` are points to win, 1 to 3; `crawford` is True in the Crawford game
        and False after it. Raises `BgfastError` if the score is not in the file.
        """
        need, opponent_need = validate_number("need", need), validate_number("opponent_need", opponent_need)
        state = ScoreState(need, opponent_need, flag("crawford", crawford)).canonical()
        if self._match is None or state not in SCORE_STATES:
            raise BgfastError(
                f"the score {need}-away, {opponent_need}-away{', Crawford' * crawford} is not in the file; "
                f"expected 1 to {MAX_NEED} points, and a match table"
            )
        return match_equity(state, 0, self._match_solution[1])

    def _match_actions(self, boards: BoardsLike, decision: Decision, mwc: bool) -> CubeActions:
        indices, table = self._validate_indices(boards), self._match
        assert table is not None
        columns, _ = self._match_solution
        column = SCORE_STATES.index(_score_state(decision))
        double_column = columns.transitions[column, 1]
        _, cash, loss, *_ = columns.points[column]
        values = np.full((3, len(indices)), np.nan)  # no double, take, drop
        values[0] = table[indices, column]
        if double_column != NONE:
            values[1], values[2] = table[indices, double_column], cash
        if not mwc:
            # With one checker per side, an extra point may be worth nothing; the difference then counts as 1.
            values = (2 * values - cash - loss) / (cash - loss if cash > loss else 1)
        return proper_actions(*values, redouble=decision.cube_owner == 1, normalized=not mwc)

    @cached_property
    def _match_solution(self) -> tuple[CubeColumns, Array]:
        """Columns of the match table, and the values of the opening play by state."""
        table, columns, opening = self._match, match_columns(), np.full(len(SCORE_STATES), 0.5)
        assert table is not None
        for _ in range(2 * MAX_NEED):  # a score depends on scores with fewer points to go
            opening = opening_values(
                self._positions, columns, lambda indices: columns.begin_turn(table[indices])
            )
            update_match_columns(columns, opening)
        return columns, opening

    def _indices(self, boards: BoardsLike) -> npt.NDArray[np.int32]:
        return self._positions.indices(validate_boards(boards, self.checkers))

    def _validate_indices(self, boards: BoardsLike) -> npt.NDArray[np.int32]:
        indices = self._indices(boards)
        rows = np.flatnonzero(indices < 0)
        if len(rows):
            raise InvalidPositionError(f"row {rows[0]}: the game is over; expected checkers of both sides")
        return indices


def _score_state(decision: Decision) -> ScoreState:
    need, opponent_need = (decision.match_length - won for won in decision.score)
    return ScoreState(need, opponent_need, decision.crawford, decision.cube, decision.cube_owner).canonical()
