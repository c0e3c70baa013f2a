"""Exact bear-off databases: rolls to bear off, winning probabilities, and equities with a cube."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.batch.successors import BoardsLike, unbatch, validate_boards
from bgfast.common.files import cache_folder, validate_path
from bgfast.common.foreign_names import names_missing
from bgfast.common.probabilities import PROBABILITIES
from bgfast.common.validation import (
    BAR,
    CHECKERS,
    HOME,
    Boards,
    PositionLike,
    checkers_per_side,
    validate_progress,
    whole_number,
)
from bgfast.errors import BgfastError, InvalidPositionError, short_repr
from bgfast.evaluation._cubeful import CubeStakes
from bgfast.evaluation.actions import CubeActions, exact_actions
from bgfast.evaluation.bearoff import databases
from bgfast.evaluation.bearoff._bearoff import fill_probabilities, side_number, side_numbers
from bgfast.evaluation.bearoff.cube_tables import BearoffEquities, Race, StakesTables, money_tables
from bgfast.evaluation.bearoff.databases import OpenDatabase, number_of_sides
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, stakes_of, validate_mwc
from bgfast.position.decision import Decision
from bgfast.position.objects import Position
from bgfast.position.turn import rearmost

PIPS_PER_ROLL = 49 / 6
"""Mean pips of a roll, doubles counted four times."""
TWO_SIDED_CHECKERS = (6, 7)
MAX_RACE_VALUES = 8_000_000
"""Default maximum number of equities of a race recursion, computed in about a tenth of a second."""
MAX_GAMMONS = 1e-5
"""Maximum sum of both gammon chances for which a race recursion ignores gammons."""
MAX_RACES = 64
"""Maximum number of race recursions whose results are cached."""

Array = npt.NDArray[np.float64]


@names_missing
class Bearoff:
    """Exact bear-off databases, and an evaluator of positions in which both sides bear off.

    The one-sided database holds the distributions of the rolls to bear off all checkers, and the first
    checker, for the 54,264 sides of up to 15 checkers at home. The two-sided database holds the cubeless
    winning probability of the side on roll, for sides of at most `checkers` checkers. A third database,
    opened when it is first needed, holds their equities in money play with a cube. The databases are
    for the rules `standard`.

    They are built at first use, in a fraction of a second, and stored in files. A damaged file is rebuilt
    with a warning. If the folder cannot be written, databases stay in memory, with one warning per process.

    Parameters
    ----------
    checkers : {6, 7}
        Maximum checkers per side in the two-sided databases (6.8 or 23.6 MB; with a cube, 20.5 or 70.7 MB).
    folder : path, optional
        Folder of the files. By default the value of BGFAST_CACHE, else `bgfast` in the user's cache
        folder: XDG_CACHE_HOME or ~/.cache, ~/Library/Caches on macOS, %LOCALAPPDATA% on Windows.
    progress : callable, optional
        Called with the completed fraction if a database has to be built.

    Raises
    ------
    BgfastError
        If `checkers` or `folder` is invalid.

    See Also
    --------
    WithBearoff : Network with these databases.

    Notes
    -----
    Methods for one side take a `Position` or 26 numbers; the mover's checkers are all at home, without
    contact. Methods for both sides take `boards` from the mover's side, an array of whole numbers of shape
    (n, 26) or a list of Position, and `checkers`, the number per side: 15, or 3 in hypergammon. All raise
    `InvalidPositionError` for positions that are impossible or not covered; the message names the first such
    row and the reason.

    Thread-safe; results are reproducible. A pickle stores the folder; unpickling opens the databases again.
    Distributions assume the plays with the smallest mean number of rolls to bear off all checkers (for
    `gammon_distribution`, the first checker), as in the databases of GNU Backgammon. docs/BEAROFF.md
    describes formulas, files and accuracy.

    Examples
    --------
    >>> from bgfast import Position
    >>> from bgfast.evaluators import Bearoff
    >>> bearoff = Bearoff()
    >>> position = Position([0, 0, 0, 0, 0, 1, 1] + [0] * 14 + [-2, -1, 0, 0, 0])
    >>> bearoff.distribution(position).round(3)     # 1 roll bears off both 6 times in 36
    array([0.   , 0.167, 0.708, 0.125, 0.001])
    >>> round(bearoff.epc(position), 2), round(bearoff.wastage(position), 2)
    (16.01, 5.01)
    >>> bearoff.probabilities(position).round(3)
    array([0.841, 0.   , 0.   , 0.   , 0.   ])
    """

    _with_cube: OpenDatabase | None = None
    _stakes_tables: StakesTables | None = None

    def __init__(
        self,
        checkers: int = 6,
        *,
        folder: str | os.PathLike[str] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        count = whole_number(checkers)
        if count not in TWO_SIDED_CHECKERS:
            raise BgfastError(f"checkers is {short_repr(checkers)}; expected 6 or 7")
        self._open(count, _validate_folder(folder), validate_progress(progress), False)

    def _open(self, checkers: int, folder: Path | None, progress: databases.Progress, quiet: bool) -> None:
        self._checkers, self._folder, self._quiet = checkers, folder, quiet
        open_database = partial(databases.open_database, folder=folder, quiet=quiet)
        self._one_sided = open_database(databases.one_sided_spec(), progress=lambda done: progress(done / 2))
        self._two_sided = open_database(
            databases.two_sided_spec(checkers), progress=lambda done: progress((1 + done) / 2)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Bearoff, folder=self._folder), (self._checkers,)

    def __repr__(self) -> str:
        return f"Bearoff({self._checkers}, folder={None if self._folder is None else str(self._folder)!r})"

    @property
    def name(self) -> str:
        """Name in rollout results and checkpoints."""
        return f"Bearoff({self._checkers})"

    @property
    def checkers(self) -> int:
        """Maximum number of checkers per side in the two-sided databases."""
        return self._checkers

    @property
    def databases(self) -> tuple[OpenDatabase, OpenDatabase]:
        """The one-sided and the two-sided database: arrays, path or None, True if built now, and seconds."""
        return self._one_sided, self._two_sided

    @property
    def cube_database(self) -> OpenDatabase:
        """The two-sided database of money play with a cube, opened at first access."""
        if self._with_cube is not None:
            return self._with_cube
        spec = databases.with_cube_spec(self._checkers)
        opened = databases.open_database(spec, self._folder, lambda done: None, quiet=self._quiet)
        # All threads get the database stored first. No lock: a fork could leave it held forever.
        database: OpenDatabase = vars(self).setdefault("_with_cube", opened)
        return database

    # ---- one side ----

    def distribution(self, position: PositionLike) -> Array:
        """Return the probabilities that the mover needs 0, 1, 2, ... rolls to bear off all checkers, (k,)."""
        return _trim(self._one_sided.arrays[0][side_number(_validate_bearoff(position).to_array())])

    def gammon_distribution(self, position: PositionLike) -> Array:
        """Return the probabilities that the mover needs 0, 1, 2, ... rolls to bear off the first checker.

        The mover plays to save the gammon and minimises the expected rolls until a checker is off.

        Examples
        --------
        >>> Bearoff().gammon_distribution([0, 0, 0, 0, 0, 0, 15] + [0] * 17 + [-1, 0]).round(3)
        array([0.   , 0.472, 0.45 , 0.069, 0.008, 0.001, 0.   , 0.   , 0.   ])
        """
        position = _validate_bearoff(position)
        if position.off[0]:
            return np.ones(1)
        return _trim(self._one_sided.arrays[1][side_number(position.to_array())])

    def mean_rolls(self, position: PositionLike) -> float:
        """Return the mean number of rolls that the mover needs to bear off."""
        rolls = self.distribution(position)
        return float(rolls @ np.arange(len(rolls)))

    def epc(self, position: PositionLike) -> float:
        """Return the mover's effective pip count (EPC): mean rolls times 49/6, the mean pips of a roll.

        See Also
        --------
        wastage : EPC less the pip count.
        mean_rolls : Mean number of rolls.

        References
        ----------
        Walter Trice, "Backgammon Boot Camp", 2004, chapter on bear-offs.
        """
        return self.mean_rolls(position) * PIPS_PER_ROLL

    def wastage(self, position: PositionLike) -> float:
        """Return the mover's wastage: effective pip count minus pip count."""
        position = _validate_bearoff(position)
        return self.epc(position) - position.pip_counts[0]

    # ---- both sides ----

    def covers(self, boards: BoardsLike, *, checkers: int = CHECKERS) -> npt.NDArray[np.bool_]:
        """Return a mask of boards that can be evaluated: unfinished, all checkers at home or off.

        Examples
        --------
        >>> home = Position([0, 15] + [0] * 22 + [-15, 0])
        >>> Bearoff().covers([Position(), home])
        array([False,  True])
        """
        return self._coverage(boards, checkers, CHECKERS)

    def covers_exactly(self, boards: BoardsLike, *, checkers: int = CHECKERS) -> npt.NDArray[np.bool_]:
        """Return a mask of boards in the two-sided database: covered, with few enough checkers."""
        return self._coverage(boards, checkers, self._checkers)

    def _coverage(self, boards: BoardsLike, checkers: int, max_checkers: int) -> npt.NDArray[np.bool_]:
        rows, per_side = _validate_rows(boards, checkers)
        sides = side_numbers(rows, per_side)
        mask: npt.NDArray[np.bool_] = ((sides >= 0) & (sides < number_of_sides(max_checkers))).all(axis=1)
        return mask

    def probabilities(self, boards: BoardsLike, *, checkers: int = CHECKERS) -> Array:
        """Return the cubeless probabilities of the results for the player on roll.

        Where `covers_exactly` is true, the winning probability is exact for optimal play; elsewhere both
        sides are assumed to minimise their own expected rolls. Gammons, possible while a side has all its
        checkers, combine the winner's `distribution` with the loser's `gammon_distribution`.

        Returns
        -------
        ndarray of float64, shape (n, 5), or (5,) for one board
            Win, win a gammon or more, win a backgammon, lose a gammon or more, lose a backgammon.
        """
        rows, per_side = _validate_rows(boards, checkers)
        out = np.empty((len(rows), PROBABILITIES))
        arrays = (*self._one_sided.arrays, *self._two_sided.arrays)
        uncovered = fill_probabilities(rows, per_side, *arrays, out)
        if uncovered >= 0:
            raise _coverage_error(rows, uncovered, per_side)
        result: Array = unbatch(boards, out)
        return result

    _has_tables = True  # table values need no bounds

    def __call__(self, boards: BoardsLike) -> Array:
        """Return `probabilities(boards)`: a `Bearoff` is an evaluator."""
        return self.probabilities(boards)

    # ---- with a cube ----

    def cubeful_equities(
        self, boards: BoardsLike, stakes: npt.ArrayLike | None = None, *, checkers: int = CHECKERS
    ) -> Array:
        """Return exact cubeful equities for the player on roll at the beginning of the turn.

        Both sides double, take, drop and play optimally. Each side has at most as many checkers as the
        two-sided databases cover, and fewer than `checkers`, which rules out gammons.

        Parameters
        ----------
        stakes : array of numbers, shape (levels, 2), optional
            Values, for the player on roll, of a game won and of a game lost, with the cube as it is, doubled
            once, doubled twice, ...; at most 21 rows. The cube of the last row cannot be doubled. At a score,
            values are match-winning chances. The default is money play without a cube limit.

        Returns
        -------
        ndarray of float64, shape (n, 3)
            Equities with the cube owned by the player on roll, centred, and owned by the opponent; in the
            unit of `stakes`, or in points with the cube at 1.

        Raises
        ------
        BgfastError
            If `stakes` is invalid.

        See Also
        --------
        doubling_equities : Equities of the cube actions.
        bgfast.cube.cubeful_equities : The formula, for any position.

        Notes
        -----
        Tables for stakes are built on demand, in up to two seconds, and cached until other stakes are used.
        In money play neither the Jacoby rule nor beavers matter: there are no gammons, and a double that
        should be beavered is never correct.

        Examples
        --------
        >>> board = [[0, 0, 1, 0, 0, 1, 0] + [0] * 17 + [-1, 0]]      # points 5 and 2: 19 rolls of 36 win
        >>> Bearoff().cubeful_equities(board).round(4)
        array([[0.1111, 0.1111, 0.0556]])
        >>> Bearoff().cubeful_equities(board, [(0.7, 0.3), (1, 0)]).round(4)   # 2-away, 2-away
        array([[0.5278, 0.5278, 0.5111]])
        """
        unavailable, owned, centred = self._cube_equities(boards, stakes, checkers).at_start()
        return np.stack([owned, centred, unavailable], axis=1)

    def doubling_equities(
        self, boards: BoardsLike, stakes: npt.ArrayLike | None = None, *, checkers: int = CHECKERS
    ) -> Array:
        """Return the exact equities of the cube actions for the player on roll.

        Arguments and errors are as for `cubeful_equities`; `stakes` has two rows or more.

        Returns
        -------
        ndarray of float64, shape (n, 4)
            No double with an owned cube; no double with a centred cube; double and take; double and drop.

        See Also
        --------
        cube_actions : The proper actions, and the costs of errors.

        Examples
        --------
        >>> four, six = ([0, n] + [0] * 22 + [-n, 0] for n in (4, 6))      # two rolls, three rolls
        >>> Bearoff().doubling_equities([four, six]).round(3)
        array([[0.722, 0.722, 1.444, 1.   ],
               [0.769, 0.769, 1.151, 1.   ]])
        """
        _, owned, centred, double_take, cash = self._cube_equities(boards, stakes, checkers)
        if cash == -np.inf:
            raise BgfastError("stakes has 1 row; expected 2 or more, for a cube that can be doubled")
        return np.stack([owned, centred, double_take, np.full(len(owned), cash)], axis=1)

    def cube_actions(
        self,
        boards: BoardsLike,
        decision: DecisionLike,
        *,
        met: MatchEquityTable | None = None,
        mwc: bool = False,
        checkers: int = CHECKERS,
    ) -> CubeActions:
        """Return the exact cube actions of a decision, arrays of shape (n,).

        Boards are as for `cubeful_equities`. Position and dice of `decision` are ignored. If the mover has
        doubled, this double is evaluated. Raises `BgfastError` if an argument is invalid, if `mwc` is true
        in money play, or if beavers are allowed and the cube has a limit, since the tables do not cover that.

        See Also
        --------
        race_actions : Longer bear-offs, by a recursion.
        bgfast.cube.cube_actions : The formula, for any position.

        Examples
        --------
        >>> import bgfast
        >>> boards = [[0, *[1] * 6, *[0] * 12, *[-1] * 6, 0]]      # six checkers per side, one on each point
        >>> match = bgfast.Decision(position=bgfast.Position(), match_length=7, score=(3, 5))
        >>> Bearoff().cube_actions(boards, match).words.tolist()
        ['No double, take']
        """
        decision = as_decision(decision)
        stakes = _bearoff_stakes(decision, met, mwc)
        equities = self._cube_equities(boards, stakes.single_games, checkers)
        no_double = {1: equities.owned, 0: equities.centred, -1: equities.unavailable}[stakes.owner]
        return exact_actions(stakes, no_double, equities.double_take, mwc)

    def race_actions(
        self,
        decision: DecisionLike,
        *,
        met: MatchEquityTable | None = None,
        mwc: bool = False,
        max_values: int = MAX_RACE_VALUES,
    ) -> CubeActions | None:
        """Return the cube actions of a race in which each side minimises its expected rolls.

        The recursion follows all boards that both sides reach with the plays of `distribution`, and doubles,
        takes and drops optimally. In money play, positions of the two-sided tables have their exact equities.

        Arguments and errors are as for `cube_actions`. `max_values` limits the number of equities, at
        about 10 nanoseconds each: the boards that both sides reach, times the states of the cube.

        Returns
        -------
        CubeActions or None
            With arrays of shape (1,). None if a checker is outside the home boards, the chance of a gammon
            is above 10⁻⁵, or there are more than `max_values` equities.

        Examples
        --------
        >>> five_rolls = Decision.read("XGID=-J----------------------j-:1:1:1:00:0:0:0:0:10")
        >>> actions = Bearoff().race_actions(five_rolls)
        >>> actions.no_double.round(4), actions.double_take.round(4)
        (array([0.7534]), array([0.7269]))
        """
        limit = whole_number(max_values)
        if limit is None or limit < 0:
            raise BgfastError(
                f"max_values is {short_repr(max_values)}; expected a number of equities, 0 or more"
            )
        decision = as_decision(decision)
        stakes = _bearoff_stakes(decision, met, mwc)
        board, checkers = decision.position.to_array()[None], decision.position.checkers
        on_roll, waiting = side_numbers(board, checkers)[0].tolist()
        if on_roll < 0:
            return None
        _, win_gammon, _, lose_gammon, _ = self.probabilities(board, checkers=checkers)[0].tolist()
        if win_gammon + lose_gammon > MAX_GAMMONS:
            return None
        equities = self._race_equities(on_roll, waiting, stakes.single_games, stakes.owner, limit)
        if equities is None:
            return None
        no_double, double_take = np.array(equities)[:, None]
        return exact_actions(stakes, no_double, double_take, mwc)

    @cached_property
    def _race_equities(self) -> Callable[..., tuple[float, float] | None]:
        """Cached function for a race's equities of no double and of double and take, or None if too long."""

        @lru_cache(MAX_RACES)
        def equities(
            on_roll: int, waiting: int, levels: tuple[Any, ...] | None, owner: int, max_values: int
        ) -> tuple[float, float] | None:
            race = Race.of(on_roll, waiting, None if levels is None else np.array(levels), owner)
            if race.size > max_values:
                return None
            if levels is not None:  # exact tables for stakes would cost more time than the recursion
                return race.equities(None, 0)
            tables = money_tables(self.cube_database.arrays)
            return race.equities(
                lambda *sides: tables.equities(*sides).at_start(), number_of_sides(self._checkers)
            )

        return equities

    def _cube_equities(
        self, boards: BoardsLike, stakes: npt.ArrayLike | None, checkers: int
    ) -> BearoffEquities:
        levels = None if stakes is None else databases.validate_stakes(stakes)
        on_roll, waiting = self._side_numbers(boards, checkers).T
        if levels is None:
            return money_tables(self.cube_database.arrays).equities(on_roll, waiting)
        tables = self._stakes_tables
        if tables is None or not np.array_equal(tables.stakes, levels):
            tables = self._stakes_tables = StakesTables(levels)
        return tables.equities(on_roll, waiting)

    def _side_numbers(self, boards: BoardsLike, checkers: int) -> npt.NDArray[np.int32]:
        """Return the side numbers of mover and opponent, shape (n, 2); refuse boards without an entry."""
        rows, per_side = _validate_rows(boards, checkers)
        sides: npt.NDArray[np.int32] = side_numbers(rows, per_side)
        uncovered = np.flatnonzero(sides[:, 0] < 0)
        if len(uncovered):
            raise _coverage_error(rows, int(uncovered[0]), per_side)
        max_checkers = min(self._checkers, per_side - 1)
        too_large = np.argwhere(sides >= number_of_sides(max_checkers))
        if too_large.size:
            row, side = too_large[0].tolist()
            player = ("mover", "opponent")[side]
            count = per_side - Position.from_array(rows[row], per_side).off[side]
            reason = "could lose a gammon" if count == per_side else "is not in the two-sided database"
            raise InvalidPositionError(
                f"row {row}: the {player} has {count} checkers, and {reason}; expected at most {max_checkers}"
            )
        return sides


def _bearoff_stakes(decision: Decision, met: MatchEquityTable | None, mwc: bool) -> CubeStakes:
    """Return the stakes of a decision; refuse MWC in money play, and beavers with a limited cube."""
    stakes = stakes_of(decision, met)
    validate_mwc(mwc, stakes.is_match)
    if stakes.may_beaver_below_limit:
        raise BgfastError(
            f"beavers are allowed and the maximum cube is {decision.max_cube}; expected one or the "
            "other, since the tables do not cover beavers with a limited cube"
        )
    return stakes


@cache
def default_bearoff() -> Bearoff:
    """Return the process-wide default databases, opened at the first call and without warnings."""
    bearoff, folder = Bearoff.__new__(Bearoff), None
    with suppress(OSError):
        folder = cache_folder()
    bearoff._open(TWO_SIDED_CHECKERS[0], folder, lambda done: None, True)
    return bearoff


def _validate_folder(folder: Any) -> Path | None:
    """Return the absolute folder, by default the cache folder; None if the user has no home folder."""
    if folder is None:
        try:
            return cache_folder()
        except OSError as error:
            databases.warn_in_memory("no folder", error)
            return None
    return Path(validate_path(folder, "folder")).absolute()


def _validate_rows(boards: BoardsLike, checkers: Any) -> tuple[Boards, int]:
    per_side = checkers_per_side(checkers)
    return validate_boards(boards, per_side), per_side


def _coverage_error(rows: Boards, row: int, per_side: int) -> InvalidPositionError:
    return InvalidPositionError(f"row {row}: {not_covered_reason(Position.from_array(rows[row], per_side))}")


def _trim(row: Array) -> Array:
    """Return a copy of a distribution without trailing zeros."""
    return row[: np.flatnonzero(row)[-1] + 1].copy()


def _validate_bearoff(position: PositionLike) -> Position:
    """Return a position in which the mover bears off without contact; refuse others."""
    position = Position(position)
    board = position.to_array().tolist()
    rear = rearmost(board)
    if rear > HOME:
        raise InvalidPositionError(_not_home(rear))
    contact = next((point for point in range(rear) if board[point] < 0), None)
    if contact is not None:
        raise InvalidPositionError(
            f"the opponent has a checker on {_place(contact)}, behind the mover's on point {rear}; "
            "expected no contact"
        )
    return position


def _place(index: int) -> str:
    return "the bar" if index in (0, BAR) else f"point {index}"


def _not_home(rear: int) -> str:
    return f"the mover has a checker on {_place(rear)}; expected all on points 1 to {HOME} or off"


def not_covered_reason(position: Position) -> str:
    """Return the reason why a position is not a bear-off of both sides."""
    if position.phase == "over":
        return "the game is over; expected checkers of both sides"
    rear = rearmost(position.to_array().tolist())
    if rear > HOME:
        return _not_home(rear)
    place = _place(BAR - rearmost(position.flip().to_array().tolist()))
    return f"the opponent has a checker on {place}; expected all on points {BAR - HOME} to {BAR - 1} or off"
