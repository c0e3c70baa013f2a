"""Match equity tables: the chance to win a match, by how many points each player still needs."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube.match_equity_file import MatchEquityFile, read_match_equities
from bgfast.analysis.cube.match_equity_models import AfterCrawford, ZadehModel, larger_post_crawford
from bgfast.common.probabilities import Numbers
from bgfast.common.validation import whole_number
from bgfast.errors import BgfastError, shown
from bgfast.games.scoring import MatchScore, cube_objection
from bgfast.position.decision import Decision

__all__ = ["MatchEquityTable"]

_BUILTIN = Path(__file__).with_name("met_kazaross_xg2.json")
BEGINNING = 32
"""Points that a model is asked for at first."""
MOST_AWAY = 256
"""Points that a model is asked for at most: it takes some seconds then."""


class MatchEquityTable:
    """The match-winning chances (MWC) of players at the beginning of a game, by the points that each needs.

    `builtin` is the table that comes with bgfast. A table is called with the points that the mover and the
    opponent need, their *away* scores, and tells the mover's chance to win the match.

    Parameters
    ----------
    name : str
        What the table is called.
    pre_crawford : array of real numbers, shape (n, n)
        In row i and column j the chance of player 0, who needs i + 1 points while player 1 needs j + 1. Where
        exactly one of them needs 1 point, the game that begins is the Crawford game.
    post_crawford : array of real numbers, shape (n,) or (2, n)
        After the Crawford game: the chance of a player who needs i + 1 points while the other needs one; of
        either player, or in two rows of players 0 and 1.

    Raises
    ------
    BgfastError
        If these are no chances, or not of these shapes.

    Notes
    -----
    Immutable; safe to share between threads. Whoever needs no more points has won: points beyond a match are
    worth nothing. Beyond a table's last score, up to 256 points, Norman Zadeh's model goes on from it, for
    players of the same strength (On Doubling in Tournament Backgammon, Management Science 23, 986, 1977).
    That takes a moment when it is first asked for.

    Examples
    --------
    >>> import bgfast
    >>> met = bgfast.MatchEquityTable.builtin()
    >>> met(2, 4), met(4, 2), met(3, 0)
    (0.6687, 0.3313, 0.0)
    >>> met(2, 1), met(2, 1, post_crawford=True)
    (0.32264, 0.48803)
    >>> met([1, 2, 3], 3)
    array([0.75076, 0.59947, 0.5    ])
    """

    __slots__ = ("_after_crawford", "_given", "_model", "_tables", "name")

    name: str

    def __init__(self, name: str, pre_crawford: npt.ArrayLike, post_crawford: npt.ArrayLike) -> None:
        pre = _chances("pre_crawford", pre_crawford)
        post = _chances("post_crawford", post_crawford)
        if post.ndim == 1:
            post = np.stack((post, post))
        if pre.ndim != 2 or pre.shape[0] != pre.shape[1] or not pre.size or post.shape != (2, len(pre)):
            raise BgfastError(
                f"pre_crawford of shape {shown(pre.shape)} and post_crawford of shape {shown(post.shape)}; "
                "expected (n, n), and (n,) or (2, n)"
            )
        self._fill(MatchEquityFile(name, pre, post, ZadehModel(), AfterCrawford()))

    def _fill(self, given: MatchEquityFile) -> None:
        pre, post = _chances("pre_crawford", given.pre), _chances("post_crawford", given.post)
        self.name = given.name
        self._given = len(pre)
        self._model = given.model
        self._after_crawford = given.after_crawford
        self._tables = pre, post
        self._reach(max(len(pre), 1))

    @staticmethod
    def builtin() -> MatchEquityTable:
        """Return the table that comes with bgfast, of Neil Kazaross and eXtreme Gammon, up to 25 points.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.MatchEquityTable.builtin()
        MatchEquityTable('Kazaross XG2 25 point MET', length=25)
        """
        return _builtin()

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MatchEquityTable:
        """Return the table of one of GNU Backgammon's XML files.

        Parameters
        ----------
        path : path
            A file with explicit tables, for equal players or for each, or with the parameters of a model:
            ``zadeh``, or ``mec``.

        Raises
        ------
        BgfastError
            If it cannot be read, or is no such table; the message says what was found and expected.

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
        ...     met = bgfast.MatchEquityTable.read(path)
        >>> met, met(1, 2)
        (MatchEquityTable('Two', length=2), 0.7)
        """
        found = cls.__new__(cls)
        found._fill(read_match_equities(path))
        return found

    @property
    def length(self) -> int:
        """The points up to which the table has numbers of its own, 0 for a model alone; a model goes on."""
        return self._given

    def _reach(self, points: int) -> tuple[Numbers, Numbers]:
        """Return the tables before and after the Crawford game, up to so many points at least."""
        pre, post = self._tables
        if points > MOST_AWAY:
            raise BgfastError(f"a player needs {points} points; expected at most {MOST_AWAY}")
        if points > len(pre) or points > post.shape[1]:
            size = max(points, min(2 * len(pre), MOST_AWAY), BEGINNING)
            post = larger_post_crawford(self._after_crawford, post[:, :size], size)
            pre = _fixed(self._model.larger(pre, post, size))
            self._tables = pre, _fixed(post)  # at once: other threads have the one pair or the other
        return pre, post

    def __call__(self, away: Any, opponent_away: Any, post_crawford: bool = False, *, player: int = 0) -> Any:
        """Return the chance to win the match at the beginning of a game.

        Parameters
        ----------
        away, opponent_away : int, or array of int
            The points that a player and his opponent need; 0 or less: he has won. Arrays are broadcast.
        post_crawford : bool
            Whether the Crawford game is over. It has to be known only where exactly one player needs 1 point.
        player : {0, 1}
            Who the player is, X or O; only tables for unequal players ask.

        Returns
        -------
        float, or ndarray of float64

        Raises
        ------
        BgfastError
            If these are no whole numbers, both have won, or the table has no such score.
        """
        needs, opponent_needs = _points("away", away), _points("opponent_away", opponent_away)
        needs, opponent_needs = np.broadcast_arrays(needs, opponent_needs)
        if ((needs <= 0) & (opponent_needs <= 0)).any():
            raise BgfastError("both players have won the match; expected one of them at most")
        most = int(max(needs.max(initial=1), opponent_needs.max(initial=1)))
        pre, post = self._reach(most)
        if whole_number(player) not in (0, 1):
            raise BgfastError(f"player is {shown(player)}; expected 0 (X) or 1 (O)")
        mine, theirs = np.maximum(needs, 1) - 1, np.maximum(opponent_needs, 1) - 1
        found = pre[mine, theirs] if player == 0 else 1 - pre[theirs, mine]
        if post_crawford:
            found = np.where(mine == 0, 1 - post[1 - player, theirs], found)
            found = np.where(theirs == 0, post[player, mine], found)
        found = np.where(needs <= 0, 1.0, np.where(opponent_needs <= 0, 0.0, found))
        return found if found.ndim else float(found)

    def after(self, score: Decision | MatchScore, points: Any) -> Any:
        """Return the chance to win the match after the game that is being played.

        Parameters
        ----------
        score : Decision or MatchScore
            The score at which the game is played, and whether it is the Crawford game. Chances are those of
            the mover, or of player 0 of a `MatchScore`.
        points : int, or array of int
            What the game brings: points that the player wins, or loses if they are negative.

        Returns
        -------
        float, or ndarray of float64

        Raises
        ------
        BgfastError
            If it is no match that is played, the points are no whole numbers or 0, or the table has no such
            score.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.MatchEquityTable.builtin()
        >>> score = bgfast.MatchScore(7, (5, 3))
        >>> met.after(score, [-4, -1, 1, 2])
        array([0.     , 0.59947, 0.81436, 1.     ])
        """
        away, opponent_away, player = _away(score)
        won = _points("points", points)
        if (won == 0).any():
            raise BgfastError("points are 0; expected what a game brings, at least 1 or at most -1")
        over = min(away, opponent_away) == 1
        return self(away - np.maximum(won, 0), opponent_away + np.minimum(won, 0), over, player=player)

    def gammon_value(self, score: Decision | MatchScore, cube: int = 1) -> float:
        """Return what a gammon is worth beyond a single game, to the mover or to player 0.

        Parameters
        ----------
        score : Decision or MatchScore
            As for `after`.
        cube : int
            What the cube shows.

        Returns
        -------
        float
            In units of what a single game decides: 0.5 in money play, 0 where a single game wins the match, 1
            where a gammon alone counts.

        Raises
        ------
        BgfastError
            As `after`.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.MatchEquityTable.builtin()
        >>> round(met.gammon_value(bgfast.MatchScore(7, (3, 5))), 3)
        0.463
        """
        lost, won, gammon = self.after(score, _cube(cube) * np.array([-1, 1, 2]))
        return float((gammon - won) / (won - lost))

    def take_point(self, score: Decision | MatchScore, cube: int = 1) -> float:
        """Return from which chance to win the mover, or player 0, takes: without gammons or redoubles.

        Parameters
        ----------
        score : Decision or MatchScore
            As for `after`.
        cube : int
            What the cube shows before the double.

        Returns
        -------
        float
            0.25 in money play; 0 where nothing more can be lost. `cube_points` knows gammons and redoubles.

        Raises
        ------
        BgfastError
            As `after`.

        Examples
        --------
        >>> import bgfast
        >>> met = bgfast.MatchEquityTable.builtin()
        >>> round(met.take_point(bgfast.MatchScore(7, (5, 5))), 3)
        0.323
        """
        passed, lost, won = self.after(score, _cube(cube) * np.array([-1, -2, 2]))
        return float((passed - lost) / (won - lost))

    def __repr__(self) -> str:
        return f"MatchEquityTable({self.name!r}, length={self.length})"


@cache
def _builtin() -> MatchEquityTable:
    held = json.loads(_BUILTIN.read_text(encoding="utf-8"))
    return MatchEquityTable(held["name"], held["pre_crawford"], held["post_crawford"])


def _chances(name: str, values: npt.ArrayLike) -> Numbers:
    try:
        found = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise BgfastError(f"{name} is {shown(values)}; expected an array of chances") from None
    if not ((found >= 0) & (found <= 1)).all():
        raise BgfastError(f"{name} has numbers that are no chances; expected 0 to 1")
    return _fixed(found)


def _fixed(found: Numbers) -> Numbers:
    found.setflags(write=False)
    return found


def _points(name: str, values: Any) -> npt.NDArray[np.int64]:
    found = np.asarray(values)
    if found.dtype.kind not in "iu":
        raise BgfastError(f"{name} is {shown(values)}; expected whole numbers")
    return found.astype(np.int64)


def _cube(cube: Any) -> int:
    objection = cube_objection(cube)
    if objection is not None:
        raise BgfastError(objection)
    return int(cube)


def _away(score: Any) -> tuple[int, int, int]:
    """Return the points that the mover and the opponent need, and which player the mover is."""
    if isinstance(score, MatchScore):
        return *score.away, 0
    if not isinstance(score, Decision):
        raise BgfastError(f"score is {shown(score)}; expected a Decision or a MatchScore")
    if not score.match_length:
        raise BgfastError("a decision in money play; expected one of a match")
    away, opponent_away = (score.match_length - won for won in score.score)
    return away, opponent_away, 0 if score.turn == 1 else 1
