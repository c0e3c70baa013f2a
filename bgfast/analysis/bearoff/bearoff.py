"""Exact bear-off databases: how many rolls a side needs, and who wins when both bear off."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.bearoff._bearoff import (
    fill_covered,
    fill_probabilities,
    fill_side_numbers,
    side_number,
)
from bgfast.analysis.bearoff.cube_states import checked_stakes
from bgfast.analysis.bearoff.cube_tables import CubeEquities, TablesOfStakes, money_tables
from bgfast.analysis.bearoff.databases import (
    OpenDatabase,
    number_of_sides,
    one_sided,
    open_database,
    say_in_memory,
    two_sided,
    with_cube,
)
from bgfast.analysis.cube.actions import CubeActions, proper_actions
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.batch.validation import BoardsLike, checked_boards
from bgfast.common.cache import cache_folder
from bgfast.common.files import checked_path
from bgfast.common.probabilities import PROBABILITIES
from bgfast.common.validation import checked_progress, checkers_per_side, whole_number
from bgfast.common.vocabulary import BAR, BOARD_SIZE, CHECKERS, HOME
from bgfast.errors import BgfastError, InvalidPositionError, shown
from bgfast.position.decision import Decision
from bgfast.position.objects import Position

__all__ = ["PIPS_PER_ROLL", "Bearoff", "unasked_bearoff", "why_not_covered"]

PIPS_PER_ROLL = 49 / 6
"""The mean number of pips of a roll, doubles counted four times: what a roll is worth in effective pips."""
TWO_SIDED_CHECKERS = (6, 7)

Array = npt.NDArray[np.float64]


class Bearoff:
    """Exact bear-off databases, and the evaluator of positions in which both sides bear off.

    The one-sided database has for each of the 54,264 sides of up to 15 checkers at home the distribution of
    the number of rolls until all are off, and until the next one is. The two-sided one has the winning
    probability of the side on roll wherever both have at most `checkers` left, in play without a cube. A
    third one, opened when first asked for, has the equities of the same pairs in money play with a cube. All
    are for the rules `standard`.

    They are built at first use, in a fraction of a second, and kept in files, which are read from then on. A
    damaged file is built again, with a warning; if the folder cannot be written they are kept in memory,
    with a warning once in a process.

    Parameters
    ----------
    checkers : {6, 7}
        Up to how many checkers a side the two-sided databases go: 6.8 or 23.6 MB, with a cube 20.5 or 70.7.
    folder : path, optional
        Where the files are kept. By default the value of BGFAST_CACHE, else `bgfast` in the user's cache
        folder: XDG_CACHE_HOME or ~/.cache, ~/Library/Caches on macOS, %LOCALAPPDATA% on Windows.
    progress : callable, optional
        Called with the fraction that is done, if something has to be built.

    Raises
    ------
    BgfastError
        If `checkers` or `folder` is wrong.

    Notes
    -----
    Safe to share between threads; what it says of a position never changes. A pickle has the folder, not the
    databases: it opens them again.

    A side's plays are those that need the fewest rolls on average until all checkers are off (until the first
    one is, for `gammon_distribution`), as in the databases of GNU Backgammon. Sides of the same mean have the
    same distribution, so that no tie has to be broken. docs/BEAROFF.md has formulas, files and accuracy.

    Examples
    --------
    >>> from bgfast import Position
    >>> from bgfast.analysis.bearoff.bearoff import Bearoff
    >>> bearoff = Bearoff()
    >>> position = Position.from_array([0, 0, 0, 0, 0, 1, 1] + [0] * 14 + [-2, -1, 0, 0, 0])
    >>> bearoff.distribution(position).round(3)     # rolls for the checkers on 6 and 5: 6 in 36 times one
    array([0.   , 0.167, 0.708, 0.125, 0.001])
    >>> round(bearoff.epc(position), 2), round(bearoff.wastage(position), 2)
    (16.01, 5.01)
    >>> bearoff.probabilities(position.to_array()[None]).round(3)
    array([[0.841, 0.   , 0.   , 0.   , 0.   ]])
    """

    _quiet: bool = False
    _with_cube: OpenDatabase | None = None
    _at_stakes: TablesOfStakes | None = None

    def __init__(
        self,
        checkers: int = 6,
        *,
        folder: str | os.PathLike[str] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        number = whole_number(checkers)
        if number not in TWO_SIDED_CHECKERS:
            raise BgfastError(f"checkers is {shown(checkers)}; expected 6 or 7")
        self._checkers: int = number
        self._folder = _checked_folder(folder)
        tell = checked_progress(progress)
        self._one_sided = open_database(one_sided(), self._folder, lambda done: tell(done / 2))
        self._two_sided = open_database(two_sided(number), self._folder, lambda done: tell((1 + done) / 2))

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self._checkers, self._folder)

    def __repr__(self) -> str:
        return f"Bearoff({self._checkers}, folder={None if self._folder is None else str(self._folder)!r})"

    @property
    def name(self) -> str:
        """What results of rollouts and their checkpoints know it by."""
        return f"Bearoff({self._checkers})"

    @property
    def checkers(self) -> int:
        """Up to how many checkers a side the two-sided database goes."""
        return self._checkers

    @property
    def databases(self) -> tuple[OpenDatabase, OpenDatabase]:
        """The one-sided and the two-sided database: arrays, file or None, whether just built, seconds."""
        return self._one_sided, self._two_sided

    @property
    def cube_database(self) -> OpenDatabase:
        """The two-sided database of money play with a cube: opened when first asked for."""
        return self._cube_database(stacklevel=4)

    def _cube_database(self, stacklevel: int) -> OpenDatabase:
        known = self._with_cube
        if known is None:
            opened = open_database(
                with_cube(self._checkers),
                self._folder,
                lambda done: None,
                quiet=self._quiet,
                stacklevel=stacklevel,
            )
            # Threads that come at once all get the first one's; a lock may stay held for ever after a fork.
            known = vars(self).setdefault("_with_cube", opened)
        return known

    # ------------------------------------------------------------ one side

    def distribution(self, position: Position | npt.ArrayLike) -> Array:
        """Return how likely the mover needs 0, 1, 2, ... rolls to bear off all checkers.

        Parameters
        ----------
        position : Position, or 26 numbers
            The mover's checkers are all at home, and the opponent's are past them.

        Returns
        -------
        ndarray of float64, shape (k,)
            Index t is the probability of exactly t rolls; it ends with the greatest possible number.

        Raises
        ------
        InvalidPositionError
            If it is no position, a checker of the mover's is not at home, or the sides can still meet.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> Bearoff().distribution([0, 0, 0, 0, 0, 1, 1] + [0] * 17 + [-1, 0]).round(3)
        array([0.   , 0.167, 0.708, 0.125, 0.001])
        """
        return _trimmed(self._one_sided.arrays[0][_number(_bearing_off(position))])

    def gammon_distribution(self, position: Position | npt.ArrayLike) -> Array:
        """Return how likely the mover needs 0, 1, 2, ... rolls to bear off the first checker.

        The plays are those that save a gammon: the fewest expected rolls until a checker is off. Once one is
        off no roll is needed. Parameters and errors are those of `distribution`.

        Returns
        -------
        ndarray of float64, shape (k,)

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> Bearoff().gammon_distribution([0, 0, 0, 0, 0, 0, 15] + [0] * 17 + [-1, 0]).round(3)
        array([0.   , 0.472, 0.45 , 0.069, 0.008, 0.001, 0.   , 0.   , 0.   ])
        """
        checked = _bearing_off(position)
        if checked.off[0]:
            return np.ones(1)
        return _trimmed(self._one_sided.arrays[1][_number(checked)])

    def mean_rolls(self, position: Position | npt.ArrayLike) -> float:
        """Return the mean number of rolls that the mover needs; parameters and errors as in `distribution`.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> round(Bearoff().mean_rolls([0, 5, 5, 5] + [0] * 20 + [-1, 0]), 3)
        7.006
        """
        rolls = self._one_sided.arrays[0][_number(_bearing_off(position))]
        return float(rolls @ np.arange(len(rolls)))

    def epc(self, position: Position | npt.ArrayLike) -> float:
        """Return the mover's effective pip count: the mean number of rolls times 49/6, the pips of a roll.

        Parameters and errors are those of `distribution`.

        Notes
        -----
        W. Trice, "Backgammon Boot Camp" (2004), chapter on bear-offs.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> round(Bearoff().epc([0, 10] + [0] * 22 + [-1, 0]), 2)
        36.0
        """
        return self.mean_rolls(position) * PIPS_PER_ROLL

    def wastage(self, position: Position | npt.ArrayLike) -> float:
        """Return by how many pips the mover's effective pip count exceeds the pip count.

        Parameters and errors are those of `distribution`.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> round(Bearoff().wastage([0, 10] + [0] * 22 + [-1, 0]), 2)
        26.0
        """
        checked = _bearing_off(position)
        return self.epc(checked) - checked.pip_counts[0]

    # ------------------------------------------------------------ both sides

    def covers(self, boards: BoardsLike, *, checkers: int = CHECKERS) -> npt.NDArray[np.bool_]:
        """Return which boards can be evaluated: unfinished, all checkers of both sides at home or off.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Mover's side.
        checkers : int
            Checkers per side: 15, or 3 in hypergammon.

        Returns
        -------
        ndarray of bool, shape (n,)

        Raises
        ------
        InvalidPositionError
            If a board is impossible; the message names the first bad row.

        Examples
        --------
        >>> from bgfast import Position
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> home = Position.from_array([0, 15] + [0] * 22 + [-15, 0])
        >>> Bearoff().covers([Position.start().to_array(), home.to_array()])
        array([False,  True])
        """
        return self._covered(boards, checkers, CHECKERS)

    def covers_exactly(self, boards: BoardsLike, *, checkers: int = CHECKERS) -> npt.NDArray[np.bool_]:
        """Return which boards the two-sided database has: those of `covers` with few enough checkers left.

        Parameters and errors are those of `covers`.

        Returns
        -------
        ndarray of bool, shape (n,)

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> Bearoff().covers_exactly([[0, n] + [0] * 22 + [-6, 0] for n in (6, 7)])
        array([ True, False])
        """
        return self._covered(boards, checkers, self._checkers)

    def probabilities(self, boards: BoardsLike, *, checkers: int = CHECKERS) -> Array:
        """Return the probabilities of each result of many games for the player on roll, without a cube.

        The winning probability is exact, both sides playing to win, where `covers_exactly` says so. Elsewhere
        it is exact for two sides that each play for their own fewest expected rolls. Gammons, possible while
        a side has all its checkers, are those of the winner's `distribution` against the loser's
        `gammon_distribution`. There is no backgammon from home.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Mover's side. C-contiguous int8 is read in place, anything else is copied.
        checkers : int
            Checkers per side: 15, or 3 in hypergammon.

        Returns
        -------
        ndarray of float64, shape (n, 5)
            Cumulative: win, win a gammon or more, win a backgammon, lose a gammon or more, lose a backgammon.

        Raises
        ------
        InvalidPositionError
            If a board is impossible or not covered; the message names the first such row and says why.

        Notes
        -----
        Safe to call from several threads; the GIL is released.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> Bearoff().probabilities([[0, 0, 0, 0, 0, 1, 1] + [0] * 17 + [-1, 0]]).round(4)
        array([[0.1667, 0.    , 0.    , 0.    , 0.    ]])
        """
        rows, per_side = _checked(boards, checkers)
        found = np.empty((len(rows), PROBABILITIES))
        rolls, firsts = self._one_sided.arrays
        (wins,) = self._two_sided.arrays
        bad = fill_probabilities(rows, per_side, rolls, firsts, wins, found)
        if bad >= 0:
            why = why_not_covered(Position.from_array(rows[bad], per_side))
            raise InvalidPositionError(f"row {bad}: {why}")
        return found

    # ------------------------------------------------------------ with a cube

    def cubeful_equities(
        self, boards: BoardsLike, stakes: npt.ArrayLike | None = None, *, checkers: int = CHECKERS
    ) -> Array:
        """Return what positions are worth to the player on roll with a cube, at the beginning of the turn.

        Exact: from there on both double, take, pass and play as is best for them with the cube where it is.
        The player on roll may double first, owning the cube or with a centred one.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Mover's side. Both sides have at most as many checkers as the two-sided databases go up to, and
            less than `checkers`, so that there is no gammon.
        stakes : array of numbers, shape (levels, 2), optional
            What a game won and a game lost is worth to the player on roll, with the cube as it is, doubled
            once, doubled twice, ...; at most 21 rows. The last cube cannot be doubled. A pass loses the game
            with the cube as it was before the double. At a score these are match winning chances. By default
            money play, without a greatest cube.
        checkers : int
            Checkers per side: 15, or 3 in hypergammon.

        Returns
        -------
        ndarray of float64, shape (n, 3)
            With the cube owned by the player on roll, centred, and owned by the opponent; in the unit of
            `stakes`, or in points with the cube at 1.

        Raises
        ------
        InvalidPositionError
            If a board is impossible or not covered; the message names the first such row and says why.
        BgfastError
            If the stakes are none.

        Notes
        -----
        Safe to call from several threads. Tables for stakes are made when they are asked for, in a second or
        two for all sides of six checkers, and kept until other stakes are. In money play neither the Jacoby
        rule nor beavers change anything: there is no gammon, and where a beaver is right no double is.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> bearoff = Bearoff()
        >>> board = [[0, 0, 1, 0, 0, 1, 0] + [0] * 17 + [-1, 0]]      # 5 and 2: 19 rolls of 36 win
        >>> bearoff.cubeful_equities(board).round(4)
        array([[0.1111, 0.1111, 0.0556]])
        >>> bearoff.cubeful_equities(board, [(0.7, 0.3), (1, 0)]).round(4)   # 2-away, 2-away
        array([[0.5278, 0.5278, 0.5111]])
        """
        found = self._with_a_cube(boards, stakes, checkers)
        doubled = np.minimum(found.double_take, found.cash)
        turned = [np.maximum(rolled, doubled) for rolled in (found.owned, found.centred)]
        return np.stack([*turned, found.unavailable], axis=1)

    def doubling_equities(
        self, boards: BoardsLike, stakes: npt.ArrayLike | None = None, *, checkers: int = CHECKERS
    ) -> Array:
        """Return what each decision about the cube is worth to the player on roll, as exactly.

        Parameters and errors are those of `cubeful_equities`; stakes have two rows or more.

        Returns
        -------
        ndarray of float64, shape (n, 4)
            Not to double now, owning the cube; not to double now, with a centred one; double and take; double
            and pass.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> four, six = ([0, n] + [0] * 22 + [-n, 0] for n in (4, 6))      # two rolls and three, or less
        >>> Bearoff().doubling_equities([four, six]).round(3)
        array([[0.722, 0.722, 1.444, 1.   ],
               [0.769, 0.769, 1.151, 1.   ]])
        """
        found = self._with_a_cube(boards, stakes, checkers)
        if found.cash == -np.inf:
            raise BgfastError("stakes has 1 row; expected 2 or more, for a cube that can be doubled")
        passed = np.full(len(found.owned), found.cash)
        return np.stack([found.owned, found.centred, found.double_take, passed], axis=1)

    def cube_actions(
        self,
        boards: BoardsLike,
        decision: Decision,
        *,
        met: MatchEquityTable | None = None,
        mwc: bool = False,
        checkers: int = CHECKERS,
    ) -> CubeActions:
        """Return what to do with the cube of a decision, as `bgfast.cube_actions` does, but exact.

        Parameters
        ----------
        boards : array of whole numbers, shape (n, 26), or list of Position
            Mover's side; those of `cubeful_equities`.
        decision : Decision
            Cube, score and rules; its position and dice do not matter. If the mover has doubled already, it
            is about that double.
        met : MatchEquityTable, optional
            The one that comes with bgfast unless said otherwise.
        mwc : bool
            Return chances to win the match instead of normalised equities.
        checkers : int
            Checkers per side: 15, or 3 in hypergammon.

        Returns
        -------
        CubeActions
            Of arrays, shape (n,).

        Raises
        ------
        InvalidPositionError
            As `cubeful_equities`.
        BgfastError
            If these are no decision and no table; if `mwc` is asked for in money play; if the cube has a
            greatest value and may be beavered below it, since that is not in the tables.

        Examples
        --------
        >>> import bgfast
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> boards = [[0, *[1] * 6, *[0] * 12, *[-1] * 6, 0]]      # six checkers a side, one on each point
        >>> match = bgfast.Decision(position=bgfast.Position.start(), match_length=7, score=(3, 5))
        >>> Bearoff().cube_actions(boards, match).words.tolist()
        ['No double, take']
        """
        stakes = stakes_of(decision, met)
        rows = stakes.single_games
        if mwc and not stakes.is_match:
            raise BgfastError("mwc in money play; expected a decision of a match")
        if stakes.may_beaver and rows is not None:
            raise BgfastError(
                f"beavers, and a cube of {decision.max_cube} at most; expected one of them, since the tables "
                "know none of beavers where the cube has a greatest value"
            )
        found = self._with_a_cube(boards, rows, checkers)
        no_double = {1: found.owned, 0: found.centred, -1: found.unavailable}[stakes.owner]
        doubled = np.full((3, len(no_double)), np.nan)
        if stakes.may_double:
            doubled[:2] = found.double_take, np.full_like(no_double, found.cash)
            if stakes.may_beaver:  # who has doubled may give it up
                doubled[2] = np.maximum(2 * found.double_take, -2)
        values = np.stack([no_double, *doubled])
        return proper_actions(
            *(values if mwc else stakes.normalized(values)), redouble=stakes.owner == 1, normalized=not mwc
        )

    def _with_a_cube(self, boards: BoardsLike, stakes: npt.ArrayLike | None, checkers: int) -> CubeEquities:
        wanted = None if stakes is None else checked_stakes(stakes)
        on_roll, waiting = self._side_numbers(boards, checkers).T
        if wanted is None:
            return money_tables(self._cube_database(stacklevel=5).arrays).equities(on_roll, waiting)
        kept = self._at_stakes
        if kept is None or not np.array_equal(kept.stakes, wanted):
            kept = self._at_stakes = TablesOfStakes(wanted)
        return kept.equities(on_roll, waiting)

    def _side_numbers(self, boards: BoardsLike, checkers: int) -> npt.NDArray[np.int32]:
        """Return the numbers of the mover's side and of the opponent's, shape (n, 2), which tables have."""
        rows, per_side = _checked(boards, checkers)
        numbers = np.empty((len(rows), 2), np.int32)
        bad = fill_side_numbers(rows, per_side, numbers)
        if bad >= 0:
            why = why_not_covered(Position.from_array(rows[bad], per_side))
            raise InvalidPositionError(f"row {bad}: {why}")
        most = min(self._checkers, per_side - 1)
        beyond = np.argwhere(numbers >= number_of_sides(most))
        if beyond.size:
            row, side = beyond[0].tolist()
            who = ("mover", "opponent")[side]
            left = per_side - Position.from_array(rows[row], per_side).off[side]
            why = "could lose a gammon" if left == per_side else "is not in the two-sided database"
            raise InvalidPositionError(
                f"row {row}: the {who} has {left} checkers, and {why}; expected at most {most}"
            )
        return numbers

    def __call__(self, boards: BoardsLike) -> Array:
        """Return what `probabilities` does with 15 checkers a side: a `Bearoff` is an evaluator.

        Examples
        --------
        >>> from bgfast.analysis.bearoff.bearoff import Bearoff
        >>> Bearoff()([[0, 2] + [0] * 22 + [-15, 0]])
        array([[1., 1., 0., 0., 0.]])
        """
        return self.probabilities(boards)

    def _covered(self, boards: BoardsLike, checkers: int, most: int) -> npt.NDArray[np.bool_]:
        rows, per_side = _checked(boards, checkers)
        found = np.empty(len(rows), np.int8)
        fill_covered(rows, per_side, most, found)
        return found.view(np.bool_)


@cache
def unasked_bearoff() -> Bearoff:
    """Return the databases of those who have not asked for any: opened once in a process, without a word.

    Who asks for some is told of a folder that cannot be written, and of a damaged file.
    """
    made = Bearoff.__new__(Bearoff)
    made._checkers, made._quiet = TWO_SIDED_CHECKERS[0], True
    try:
        made._folder = cache_folder()
    except OSError:
        made._folder = None
    made._one_sided, made._two_sided = (
        open_database(kind, made._folder, lambda done: None, quiet=True)
        for kind in (one_sided(), two_sided(made._checkers))
    )
    return made


def _reopened(checkers: int, folder: Path | None) -> Bearoff:
    return Bearoff(checkers, folder=folder)


def _checked_folder(folder: Any) -> Path | None:
    """Return the folder given or the usual one; None if there is none."""
    if folder is None:
        try:
            return cache_folder()
        except OSError as error:
            say_in_memory("no folder", error, stacklevel=4)
            return None
    return Path(checked_path(folder, "folder")).absolute()


def _checked(boards: BoardsLike, checkers: int) -> tuple[npt.NDArray[np.int8], int]:
    per_side = checkers_per_side(checkers)
    return checked_boards(boards, per_side), per_side


def _trimmed(row: Array) -> Array:
    """Return a distribution without the zeros behind it, in memory of its own."""
    return row[: np.flatnonzero(row)[-1] + 1].copy()


def _number(position: Position) -> int:
    return side_number(position.to_array())


def _bearing_off(position: Position | npt.ArrayLike) -> Position:
    """Return a position whose mover only bears off: all at home, and nobody can be met."""
    checked = position if isinstance(position, Position) else Position.from_array(position)
    board = checked.to_array()
    rear = _rear(board)
    if rear > HOME:
        raise InvalidPositionError(_not_home(rear))
    behind = [point for point in range(rear) if board[point] < 0]
    if behind:
        raise InvalidPositionError(
            f"the opponent has a checker on {_place(behind[0])}, behind the mover's on point {rear}; "
            "expected no contact"
        )
    return checked


def _rear(board: npt.NDArray[np.int8]) -> int:
    """Return the point of the mover's rearmost checker, 25 for the bar; 0 if all are off."""
    return max((point for point in range(1, BOARD_SIZE) if board[point] > 0), default=0)


def _place(index: int) -> str:
    return "the bar" if index in (0, BAR) else f"point {index}"


def _not_home(rear: int) -> str:
    return f"the mover has a checker on {_place(rear)}; expected all on points 1 to {HOME} or off"


def why_not_covered(position: Position) -> str:
    """Return why a position is none in which both sides bear off."""
    if position.phase == "over":
        return "the game is over; expected checkers of both sides"
    rear = _rear(position.to_array())
    if rear > HOME:
        return _not_home(rear)
    place = _place(BAR - _rear(position.flip().to_array()))
    return f"the opponent has a checker on {place}; expected all on points {BAR - HOME} to {BAR - 1} or off"
