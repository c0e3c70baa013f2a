"""Match equity tables and their files: match-winning chances by the points that both players need."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bgfast.common import LOADING
from bgfast.common.files import read_limited, reason, validate_path
from bgfast.common.probabilities import Numbers
from bgfast.common.text import clean_line
from bgfast.common.validation import flag, number_in_text, whole_number
from bgfast.errors import BgfastError, one_line, short_repr
from bgfast.evaluation.match_equity_models import (
    POST,
    PRE,
    AfterCrawford,
    LiveCubeModel,
    MatchEquityModel,
    ZadehModel,
    check_chances,
    check_match_equities,
)
from bgfast.games.scoring import MatchScore, cube_objection
from bgfast.position.decision import Decision

if TYPE_CHECKING:
    from xml.etree import ElementTree

_BUILTIN = Path(__file__).with_name("met_kazaross_xg2.json")
MIN_MODEL_AWAY = 32
"""Minimum size to which a model extends a table, in points."""
MAX_AWAY = 256
"""Maximum size of a table, in points; an extension to this size takes a few seconds."""


class MatchEquityTable:
    """Match-winning chances (MWC) at the beginning of a game, by the points that both players need.

    `builtin` returns Neil Kazaross's table [1]_. Calling a table with the *away* scores of the mover and the
    opponent, the points that they need, returns the mover's match-winning chance.

    Parameters
    ----------
    name : str
        Name of the table.
    pre_crawford : array of real numbers, shape (n, n)
        Element (i, j) is the chance of player 0, who needs i + 1 points while player 1 needs j + 1. Where
        exactly one of them needs 1 point, the game is the Crawford game.
    post_crawford : array of real numbers, shape (n,) or (2, n)
        After the Crawford game: element i is the chance of a player who needs i + 1 points while the other
        needs 1. A single row is for both players; two rows are for players 0 and 1.

    Raises
    ------
    BgfastError
        If the arrays have other shapes or numbers outside 0 to 1, or chances contradict each other.

    See Also
    --------
    cubeful_equities, cube_actions : Functions that use a table.

    Notes
    -----
    Chances fall with the points that the player needs and rise with the points that the opponent needs;
    neighbouring chances may be equal, but winning a point is better than losing one. Equal rows of
    `post_crawford` mean equal players, whose chances at exchanged scores add up to 1 within 0.0025.

    Immutable and thread-safe. A player who needs no more points has won; excess points have no value. Beyond
    a table's last score, up to 256 points, Norman Zadeh's model for equally strong players extends the table
    [2]_. The extension takes a moment on first use.

    References
    ----------
    .. [1] Neil Kazaross, table of 2011; docs/CUBE.md has its notice.
    .. [2] Norman Zadeh, "On Doubling in Tournament Backgammon", Management Science 23, 986, 1977.

    Examples
    --------
    >>> import bgfast
    >>> met = bgfast.cube.MatchEquityTable.builtin()
    >>> met(2, 4), met(4, 2), met(3, 0)
    (0.6687, 0.3313, 0.0)
    >>> met(2, 1), met(2, 1, post_crawford=True)
    (0.32264, 0.48803)
    >>> met([1, 2, 3], 3)
    array([0.75076, 0.59947, 0.5    ])
    """

    __slots__ = ("_after_crawford", "_length", "_model", "_tables", "name")

    name: str

    def __init__(self, name: str, pre_crawford: npt.ArrayLike, post_crawford: npt.ArrayLike) -> None:
        pre, post = _numbers(PRE, pre_crawford), _numbers(POST, post_crawford)
        if post.ndim == 1:
            post = np.stack((post, post))
        if pre.ndim != 2 or pre.shape[0] != pre.shape[1] or not pre.size or post.shape != (2, len(pre)):
            raise BgfastError(
                f"pre_crawford of shape {short_repr(pre.shape)} and post_crawford of shape "
                f"{short_repr(post.shape)}; expected (n, n), and (n,) or (2, n)"
            )
        self._set(name, pre, post, ZadehModel(), AfterCrawford())

    def _set(
        self, name: str, pre: Numbers, post: Numbers, model: MatchEquityModel, after_crawford: AfterCrawford
    ) -> None:
        if len(pre):
            check_match_equities(pre, post)
        self.name, self._length = name, len(pre)
        self._model, self._after_crawford = model, after_crawford
        self._tables = _read_only(pre), _read_only(post)
        self._tables_up_to(max(len(pre), 1))

    @staticmethod
    def builtin() -> MatchEquityTable:
        """Return the built-in table, Kazaross XG2, up to 25 points."""
        return _builtin()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MatchEquityTable:
        """Read a match equity table from an XML file of GNU Backgammon.

        The file has explicit tables, for equal or for unequal players, or the parameters of a model,
        ``zadeh`` or ``mec``. Raises `BgfastError` if the file cannot be read or is not a match equity table.
        """
        label, table = f"match equity table {validate_path(path, 'the table')}", cls.__new__(cls)
        try:
            table._set(*_read(path))
        except BgfastError as error:
            raise BgfastError(f"{label}: {error}") from None
        return table

    @property
    def length(self) -> int:
        """Largest away score of the table itself, 0 for a model alone; a model covers larger scores."""
        return self._length

    def _tables_up_to(self, points: int) -> tuple[Numbers, Numbers]:
        """Return the tables before and after the Crawford game, extended to at least `points` points."""
        pre, post = self._tables
        if points > MAX_AWAY:
            raise BgfastError(f"a player needs {points} points; expected at most {MAX_AWAY}")
        if points > len(pre) or points > post.shape[1]:
            size = max(points, min(2 * len(pre), MAX_AWAY), MIN_MODEL_AWAY)
            post = self._after_crawford.extend(post[:, :size], size)
            extended = self._model.extend(pre, post, size)
            try:
                if len(pre):
                    check_chances(PRE, extended)
                    check_chances(POST, post)
                else:
                    check_match_equities(extended, post)
            except BgfastError as error:
                raise BgfastError(f"{self._model}, {self._after_crawford}: {error}") from None
            pre = _read_only(extended.clip(0, 1))  # rounding may exceed 1 in the last place
            # A single assignment: other threads see the old pair or the new one.
            self._tables = pre, _read_only(post)
        return pre, post

    def __call__(self, away: Any, opponent_away: Any, post_crawford: bool = False, *, player: int = 0) -> Any:
        """Return the match-winning chance at the beginning of a game.

        Parameters
        ----------
        away, opponent_away : int, or array of int
            Points that the player and the opponent need; 0 or less for the winner. Arrays are broadcast.
        post_crawford : bool
            True after the Crawford game. It matters only where exactly one player needs 1 point.
        player : {0, 1}
            The player, X or O. It matters only for tables of unequal players.

        Returns
        -------
        float, or ndarray of float64

        Raises
        ------
        BgfastError
            If the points are not whole numbers, both players have won, or the score is too large.
        """
        needs, opponent_needs = _points("away", away), _points("opponent_away", opponent_away)
        needs, opponent_needs = np.broadcast_arrays(needs, opponent_needs)
        if ((needs <= 0) & (opponent_needs <= 0)).any():
            raise BgfastError("both players have won the match; expected at most one")
        max_away = int(max(needs.max(initial=1), opponent_needs.max(initial=1)))
        pre, post = self._tables_up_to(max_away)
        if whole_number(player) not in (0, 1):
            raise BgfastError(f"player is {short_repr(player)}; expected 0 (X) or 1 (O)")
        row, column = np.maximum(needs, 1) - 1, np.maximum(opponent_needs, 1) - 1
        chance = pre[row, column] if player == 0 else 1 - pre[column, row]
        if flag("post_crawford", post_crawford):
            chance = np.where(row == 0, 1 - post[1 - player, column], chance)
            chance = np.where(column == 0, post[player, row], chance)
        chance = np.where(needs <= 0, 1.0, np.where(opponent_needs <= 0, 0.0, chance))
        return chance if chance.ndim else float(chance)

    def after(self, score: Decision | MatchScore, points: Any) -> Any:
        """Return the match-winning chance after the current game.

        Parameters
        ----------
        score : Decision or MatchScore
            Score of the current game, and whether it is the Crawford game; not money play. The chances
            are the mover's, or player 0's for a `MatchScore`.
        points : int, or array of int
            Points that the player wins, negative for a loss; not 0.

        Returns
        -------
        float, or ndarray of float64

        See Also
        --------
        gammon_value : Gain of a gammon at the score.
        take_point : Take point at the score.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.cube.MatchEquityTable.builtin()
        >>> score = bgfast.games.MatchScore(7, (5, 3))
        >>> met.after(score, [-4, -1, 1, 2])
        array([0.     , 0.59947, 0.81436, 1.     ])
        """
        away, opponent_away, player = _away(score)
        won = _points("points", points)
        if (won == 0).any():
            raise BgfastError("points is 0; expected at least 1 or at most -1")
        is_post_crawford = min(away, opponent_away) == 1
        needs, opponent_needs = away - np.maximum(won, 0), opponent_away + np.minimum(won, 0)
        return self(needs, opponent_needs, is_post_crawford, player=player)

    def gammon_value(self, score: Decision | MatchScore, cube: int = 1) -> float:
        """Return the gammon value of the mover or of player 0, with the cube at `cube`.

        It is the gain of a gammon over a single win, divided by the gain of a single win over a single loss:
        0.5 in money play, 0 where a single win decides the match. Arguments and errors as for `after`.

        See Also
        --------
        take_point : Dead-cube take point.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.cube.MatchEquityTable.builtin()
        >>> round(met.gammon_value(bgfast.games.MatchScore(7, (3, 5))), 3)
        0.463
        """
        lost, won, gammon = self._after_points(score, cube, [-1, 1, 2])
        return _ratio(gammon - won, won - lost)

    def take_point(self, score: Decision | MatchScore, cube: int = 1) -> float:
        """Return the dead-cube take point of the mover or of player 0, without gammons.

        `cube` is the value before the double. The take point is 0.25 in money play, and 0 where a take risks
        nothing. Arguments and errors as for `after`.

        See Also
        --------
        cube_points : Take points with gammons and redoubles.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.cube.MatchEquityTable.builtin()
        >>> round(met.take_point(bgfast.games.MatchScore(7, (5, 5))), 3)
        0.323
        """
        dropped, lost, won = self._after_points(score, cube, [-1, -2, 2])
        return _ratio(dropped - lost, won - lost)

    def _after_points(self, score: Decision | MatchScore, cube: int, points: list[int]) -> Any:
        """Return the result of `after` for points in units of the cube."""
        objection = cube_objection(cube)
        if objection is not None:
            raise BgfastError(objection)
        return self.after(score, int(cube) * np.array(points))

    def __repr__(self) -> str:
        return f"MatchEquityTable({self.name!r}, length={self.length})"


@cache
def _builtin() -> MatchEquityTable:
    content = json.loads(_BUILTIN.read_text(encoding="utf-8"))
    return MatchEquityTable(content["name"], content["pre_crawford"], content["post_crawford"])


def _numbers(name: str, values: npt.ArrayLike) -> Numbers:
    try:
        return np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BgfastError(
            f"{name} is {short_repr(values)}; expected an array of numbers from 0 to 1"
        ) from None


def _ratio(part: float, whole: float) -> float:
    """Return `part / whole`; 0 if rounding leaves no gain, as it may with hundreds of points to go."""
    return float(part / whole) if whole > 0 else 0.0


def _read_only(array: Numbers) -> Numbers:
    array.setflags(write=False)
    return array


def _points(name: str, values: Any) -> npt.NDArray[np.int64]:
    with suppress(ValueError):  # raised for nested lists of different lengths
        array = np.asarray(values)
        if array.dtype.kind in "iu":
            return array.astype(np.int64)
    raise BgfastError(f"{name} is {short_repr(values)}; expected whole numbers")


def _away(score: Any) -> tuple[int, int, int]:
    """Return the away scores of mover and opponent, and the index of the mover."""
    if isinstance(score, MatchScore):
        return *score.away, 0
    if not isinstance(score, Decision):
        raise BgfastError(f"score is {short_repr(score)}; expected a Decision or a MatchScore")
    if not score.match_length:
        raise BgfastError("score is a decision in money play; expected a match decision")
    away, opponent_away = (score.match_length - won for won in score.score)
    return away, opponent_away, 0 if score.turn == 1 else 1


# ---- files ----

# Source: the files of GNU Backgammon and their document type `met.dtd`. A `met` has an `info` with name and
# length, a `pre-crawford-table`, and a `post-crawford-table` for both players, or one for each of them.
# A table of type ``explicit`` has rows of `me` elements; other types name a model and give its parameters.


_ARGUMENT_NAMES = {
    "zadeh": {
        "gammon-rate-leader": "doubler_gammons",
        "gammon-rate-trailer": "taker_gammons",
        "delta": "delta",
        "delta-bar": "delta_bar",
    },
    "mec": {"gammon-rate": "gammon_rate", "win-rate": "win_rate"},
}


def _read(path: str | os.PathLike[str]) -> tuple[str, Numbers, Numbers, MatchEquityModel, AfterCrawford]:
    """Return the name, tables and models of a file; a table that is given by parameters is empty."""
    with LOADING:
        from xml.etree import ElementTree
    try:
        root = ElementTree.fromstring(read_limited(path))
    except OSError as error:
        raise BgfastError(reason(error)) from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise BgfastError(f"it is not XML: {one_line(error)}") from None
    if root.tag != "met":
        raise BgfastError(f"the root element is {short_repr(root.tag)}; expected <met>")
    pre_table = root.find("pre-crawford-table")
    post_tables = root.findall("post-crawford-table")
    if pre_table is None or not post_tables:
        raise BgfastError("expected a pre-crawford-table and a post-crawford-table")
    pre, model = _read_pre_crawford(pre_table)
    post, after_crawford = np.empty((2, 0)), AfterCrawford()
    if {table.get("type", "explicit") for table in post_tables} == {"explicit"}:
        post = _read_post_crawford(post_tables)
    else:
        after_crawford = _read_after_crawford(post_tables)
    if isinstance(model, ZadehModel):
        model = replace(model, crawford_gammons=after_crawford.gammon_rate)
    name = clean_line(" ".join(root.findtext("info/name", default="").split()))
    return name, pre, post, model, after_crawford


def _read_pre_crawford(table: ElementTree.Element) -> tuple[Numbers, MatchEquityModel]:
    model_type = table.get("type", "explicit")
    if model_type == "explicit":
        rows = [[*map(_number, row.findall("me"))] for row in table.findall("row")]
        if not rows or any(len(row) != len(rows) for row in rows):
            raise BgfastError("the pre-crawford-table is not square; expected n rows of n numbers")
        return np.array(rows), ZadehModel()
    if model_type in _ARGUMENT_NAMES:
        names, parameters = _ARGUMENT_NAMES[model_type], _read_parameters(table)
        arguments = {names[name]: value for name, value in parameters.items() if name in names}
        return np.empty((0, 0)), (ZadehModel if model_type == "zadeh" else LiveCubeModel)(**arguments)
    raise BgfastError(
        f"the pre-crawford-table has type {short_repr(model_type)}; expected explicit, zadeh or mec"
    )


def _read_post_crawford(tables: list[ElementTree.Element]) -> Numbers:
    chances: dict[str, list[float]] = {}
    for table in tables:
        rows = table.findall("row")
        if len(rows) != 1:
            raise BgfastError(f"a post-crawford-table has {len(rows)} rows; expected 1")
        chances[table.get("player", "both")] = [*map(_number, rows[0].findall("me"))]
    first, second = (chances.get(player, chances.get("both")) for player in ("0", "1"))
    if first is None or second is None or len(first) != len(second):
        raise BgfastError("expected a post-crawford-table for both players, or one each of the same length")
    return np.array((first, second))


def _read_after_crawford(tables: list[ElementTree.Element]) -> AfterCrawford:
    types = {table.get("type", "explicit") for table in tables}
    if len(tables) != 1 or types - {"zadeh", "mec"}:
        raise BgfastError(
            f"post-crawford-tables have types {short_repr(sorted(types))}; "
            "expected explicit tables, or a single one of type zadeh or mec"
        )
    parameters = _read_parameters(tables[0])
    gammon_rate = parameters.get("gammon-rate-trailer", parameters.get("gammon-rate", 0.25))
    free_drops = {away: parameters.get(f"free-drop-{away}-away", 0.0) for away in (2, 4)}
    return AfterCrawford(gammon_rate, parameters.get("win-rate", 0.5), free_drops)


def _read_parameters(table: ElementTree.Element) -> dict[str, float]:
    elements = table.findall("parameters/parameter")
    parameters = {element.get("name", ""): _number(element) for element in elements}
    for name, value in parameters.items():
        if not 0 <= value <= 1:
            raise BgfastError(f"the parameter {short_repr(name)} is {value}; expected 0 to 1")
    return parameters


def _number(element: ElementTree.Element) -> float:
    try:
        return number_in_text(element.text or "")
    except ValueError:
        raise BgfastError(f"<{element.tag}> is {short_repr(element.text)}; expected a number") from None
