"""Match equity tables: match-winning chances by the points that both players need."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.common.validation import flag, whole_number
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.match_equity_checks import POST, PRE, check_chances, check_match_equities
from bgfast.evaluation.match_equity_file import MatchEquityFile, read_match_equities
from bgfast.evaluation.match_equity_models import AfterCrawford, ZadehModel
from bgfast.games.scoring import MatchScore, cube_objection
from bgfast.position.decision import Decision

_BUILTIN = Path(__file__).with_name("met_kazaross_xg2.json")
MIN_MODEL_AWAY = 32
"""Minimum size of a table that a model extends, in points."""
MAX_AWAY = 256
"""Maximum size of a table, in points; extending it so far takes a few seconds."""


class MatchEquityTable:
    """Match-winning chances (MWC) at the beginning of a game, by the points that both players need.

    `builtin` returns the table of bgfast. Calling a table with the *away* scores of the mover and the
    opponent, the points that they need, returns the mover's match-winning chance.

    Parameters
    ----------
    name : str
        Name of the table.
    pre_crawford : array of real numbers, shape (n, n)
        Element (i, j) is the chance of player 0, who needs i + 1 points while player 1 needs j + 1. Where
        exactly one of them needs 1 point, the next game is the Crawford game.
    post_crawford : array of real numbers, shape (n,) or (2, n)
        After the Crawford game: element i is the chance of a player who needs i + 1 points while the other
        needs 1; for both players, or in two rows for players 0 and 1.

    Raises
    ------
    BgfastError
        If the arrays have other shapes or numbers outside 0 to 1, or chances contradict each other.

    Notes
    -----
    Chances fall with the points that a player needs and rise with those of the opponent; neighbours may be
    equal, but winning a point is better than losing one. Equal rows of `post_crawford` stand for equal
    players, whose chances at exchanged scores add up to 1, to 0.0025.

    Immutable and thread-safe. A player who needs no more points has won; excess points have no value. Beyond
    a table's last score, up to 256 points, Norman Zadeh's model for players of equal strength extends it (On
    Doubling in Tournament Backgammon, Management Science 23, 986, 1977). The first such call takes a moment.

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
                f"pre_crawford of shape {shown(pre.shape)} and post_crawford of shape {shown(post.shape)}; "
                "expected (n, n), and (n,) or (2, n)"
            )
        self._set(MatchEquityFile(name, pre, post, ZadehModel(), AfterCrawford()))

    def _set(self, content: MatchEquityFile) -> None:
        pre, post = _read_only(content.pre), _read_only(content.post)
        if len(pre):
            check_match_equities(pre, post)
        self.name = content.name
        self._length = len(pre)
        self._model = content.model
        self._after_crawford = content.after_crawford
        self._tables = pre, post
        self._tables_up_to(max(len(pre), 1))

    @staticmethod
    def builtin() -> MatchEquityTable:
        """Return the table of bgfast: Kazaross XG2, up to 25 points.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.cube.MatchEquityTable.builtin()
        MatchEquityTable('Kazaross XG2 25 point MET', length=25)
        """
        return _builtin()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MatchEquityTable:
        """Read a match equity table from an XML file of GNU Backgammon.

        Parameters
        ----------
        path : path
            File with explicit tables, for equal or for unequal players, or with the parameters of a model,
            ``zadeh`` or ``mec``.

        Raises
        ------
        BgfastError
            If the file cannot be read, or is not a match equity table.

        Examples
        --------
        >>> import bgfast, os, tempfile
        >>> rows = "<row><me>0.5</me><me>0.7</me></row><row><me>0.3</me><me>0.5</me></row>"
        >>> text = (
        ...     "<met><info><name>Two</name></info><pre-crawford-table>" + rows + "</pre-crawford-table>"
        ...     "<post-crawford-table><row><me>0.5</me><me>0.48</me></row></post-crawford-table></met>"
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "two.xml")
        ...     _ = open(path, "w").write(text)
        ...     met = bgfast.cube.MatchEquityTable.read(path)
        >>> met, met(1, 2)
        (MatchEquityTable('Two', length=2), 0.7)
        """
        table = cls.__new__(cls)
        content = read_match_equities(path)
        try:
            table._set(content)
        except BgfastError as error:
            raise BgfastError(f"match equity table {os.fspath(path)}: {error}") from None
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
            Points that the player and the opponent need; 0 or less if they have won. Arrays are broadcast.
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
            raise BgfastError(f"player is {shown(player)}; expected 0 (X) or 1 (O)")
        own, opponent = np.maximum(needs, 1) - 1, np.maximum(opponent_needs, 1) - 1
        chance = pre[own, opponent] if player == 0 else 1 - pre[opponent, own]
        if flag("post_crawford", post_crawford):
            chance = np.where(own == 0, 1 - post[1 - player, opponent], chance)
            chance = np.where(opponent == 0, post[player, own], chance)
        chance = np.where(needs <= 0, 1.0, np.where(opponent_needs <= 0, 0.0, chance))
        return chance if chance.ndim else float(chance)

    def after(self, score: Decision | MatchScore, points: Any) -> Any:
        """Return the match-winning chance after the current game.

        Parameters
        ----------
        score : Decision or MatchScore
            Score of the current game, and whether it is the Crawford game. Chances are those of the mover, or
            of player 0 of a `MatchScore`.
        points : int, or array of int
            Points that the player wins, negative if he loses.

        Returns
        -------
        float, or ndarray of float64

        Raises
        ------
        BgfastError
            If the score is that of money play, a number of points is 0 or not whole, or the score is too
            large.

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
        post_crawford = min(away, opponent_away) == 1
        return self(
            away - np.maximum(won, 0), opponent_away + np.minimum(won, 0), post_crawford, player=player
        )

    def gammon_value(self, score: Decision | MatchScore, cube: int = 1) -> float:
        """Return the gammon value of the mover or of player 0.

        Parameters
        ----------
        score : Decision or MatchScore
            As for `after`.
        cube : int
            Value of the cube.

        Returns
        -------
        float
            Gain of winning a gammon over winning a single game, divided by the gain of winning a single game
            over losing it: 0.5 in money play, 0 where a single game wins the match.

        Raises
        ------
        BgfastError
            As `after`.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.cube.MatchEquityTable.builtin()
        >>> round(met.gammon_value(bgfast.games.MatchScore(7, (3, 5))), 3)
        0.463
        """
        lost, won, gammon = self.after(score, _cube(cube) * np.array([-1, 1, 2]))
        return _share(gammon - won, won - lost)

    def take_point(self, score: Decision | MatchScore, cube: int = 1) -> float:
        """Return the dead-cube take point of the mover or of player 0, without gammons.

        Parameters
        ----------
        score : Decision or MatchScore
            As for `after`.
        cube : int
            Value of the cube before the double.

        Returns
        -------
        float
            0.25 in money play; 0 where taking risks nothing. `cube_points` includes gammons and redoubles.

        Raises
        ------
        BgfastError
            As `after`.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.cube.MatchEquityTable.builtin()
        >>> round(met.take_point(bgfast.games.MatchScore(7, (5, 5))), 3)
        0.323
        """
        dropped, lost, won = self.after(score, _cube(cube) * np.array([-1, -2, 2]))
        return _share(dropped - lost, won - lost)

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
        raise BgfastError(f"{name} is {shown(values)}; expected an array of numbers from 0 to 1") from None


def _share(part: float, whole: float) -> float:
    """Return a part of a whole; 0 where rounding leaves nothing to win, hundreds of points from the end."""
    return float(part / whole) if whole > 0 else 0.0


def _read_only(array: Numbers) -> Numbers:
    array.setflags(write=False)
    return array


def _points(name: str, values: Any) -> npt.NDArray[np.int64]:
    with suppress(ValueError):  # of lists of several lengths
        array = np.asarray(values)
        if array.dtype.kind in "iu":
            return array.astype(np.int64)
    raise BgfastError(f"{name} is {shown(values)}; expected whole numbers")


def _cube(cube: Any) -> int:
    objection = cube_objection(cube)
    if objection is not None:
        raise BgfastError(objection)
    return int(cube)


def _away(score: Any) -> tuple[int, int, int]:
    """Return the away scores of mover and opponent, and the index of the mover."""
    if isinstance(score, MatchScore):
        return *score.away, 0
    if not isinstance(score, Decision):
        raise BgfastError(f"score is {shown(score)}; expected a Decision or a MatchScore")
    if not score.match_length:
        raise BgfastError("score is a decision in money play; expected a match decision")
    away, opponent_away = (score.match_length - won for won in score.score)
    return away, opponent_away, 0 if score.turn == 1 else 1
