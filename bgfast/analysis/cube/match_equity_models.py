"""Models of match equities: formulas for scores that no table has.

A matrix has in row i and column j the chance of player 0, who needs i + 1 points while player 1 needs j + 1;
two rows have the chances of players 0 and 1 after the Crawford game, who need i + 1 points while the other
needs one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.common.probabilities import Numbers

__all__ = ["AfterCrawford", "LiveCubeModel", "MatchEquityModel", "ZadehModel", "larger_post_crawford"]

Places = npt.NDArray[np.int64]
Chance = Callable[[Places, Places], Numbers]


class MatchEquityModel(Protocol):
    """What goes on where a table ends."""

    def larger(self, pre: Numbers, post: Numbers, size: int) -> Numbers:
        """Return a matrix of the size, the known one in its corner; `post` is large enough already."""
        ...


@dataclass(frozen=True)
class AfterCrawford:
    """What follows the Crawford game: the trailer doubles at once, so that each game counts 2 or 4 points.

    Attributes
    ----------
    gammon_rate : float
        The part of his wins that are gammons.
    win_rate : float
        The chance of player 0 to win a game.
    free_drops : dict of int to float
        By how much a free drop of the leader lowers the chance, by the points that the trailer needs.
    """

    gammon_rate: float = 0.25
    win_rate: float = 0.5
    free_drops: dict[int, float] = field(default_factory=lambda: {2: 0.015, 4: 0.004})


def larger_post_crawford(rule: AfterCrawford, known: Numbers, size: int) -> Numbers:
    """Return the chances after the Crawford game up to a size, those known in front, (2, size)."""
    found = np.empty((2, size))
    found[:, : known.shape[1]] = known
    for player, win_rate in enumerate((rule.win_rate, 1 - rule.win_rate)):
        row = found[player]
        for place in range(known.shape[1], size):
            single = row[place - 2] if place >= 2 else 1.0
            gammon = row[place - 4] if place >= 4 else 1.0
            if place == 0:
                row[0] = win_rate
                continue
            won = (1 - rule.gammon_rate) * single + rule.gammon_rate * gammon
            row[place] = win_rate * won - rule.free_drops.get(place + 1, 0.0)
    return found


class _Matrix:
    """A matrix that grows, and the chance at two places of it; a place below 0 has won."""

    def __init__(self, known: Numbers, size: int) -> None:
        self._bordered = np.full((size + 1, size + 1), np.nan)
        self._bordered[:, 0] = 0
        self._bordered[0] = 1
        self.cells = self._bordered[1:, 1:]
        self.cells[: len(known), : len(known)] = known

    def chance(self, mine: Places, theirs: Places) -> Numbers:
        """Of player 0."""
        found: Numbers = self._bordered[np.maximum(mine, -1) + 1, np.maximum(theirs, -1) + 1]
        return found

    def other_chance(self, needs: Places, opponent_needs: Places) -> Numbers:
        """Of player 1, who needs so much."""
        return 1 - self.chance(opponent_needs, needs)


def _with_crawford_games(
    known: Numbers, post: Numbers, size: int, gammons: float, win_rate: float
) -> _Matrix:
    """What is known, and the games in which one player needs a point: there is no cube in them."""
    found = _Matrix(known, size)
    places = np.arange(len(known), size)

    def trailing(player: int, rate: float) -> Numbers:
        single = np.where(places >= 1, post[player, places - 1], 1.0)
        gammon = np.where(places >= 2, post[player, places - 2], 1.0)
        return rate * ((1 - gammons) * single + gammons * gammon)

    found.cells[places, 0] = trailing(0, win_rate)
    found.cells[0, places] = 1 - trailing(1, 1 - win_rate)
    return found


@dataclass(frozen=True)
class ZadehModel:
    """Norman Zadeh's model (On Doubling in Tournament Backgammon, Management Science 23, 986, 1977).

    A game is a walk in small steps from an even beginning: who first comes to where he doubles wins what the
    cube shows. That point is where the other player is indifferent between passing and taking; it is found
    from the greatest cube that matters downwards, and lies `delta` beyond where a walk without jumps would
    have it.

    Attributes
    ----------
    doubler_gammons, taker_gammons : float
        The part of their wins that are gammons, of the player who doubles and of the other.
    delta, delta_bar : float
        How far beyond its point a redouble, and the first double, comes on the average.
    crawford_gammons : float
        The part of gammons in the Crawford game.
    """

    doubler_gammons: float = 0.25
    taker_gammons: float = 0.15
    delta: float = 0.08
    delta_bar: float = 0.06
    crawford_gammons: float = 0.25

    def larger(self, pre: Numbers, post: Numbers, size: int) -> Numbers:
        """Return a matrix of the size, the known one in its corner."""
        known = len(pre)
        found = _with_crawford_games(pre, post, size, self.crawford_gammons, 0.5)
        chance = found.chance
        for both in range(2, 2 * size - 1):  # cells whose places add up to this need none of their own kind
            mine = np.arange(max(1, both - size + 1), min(both - 1, size - 1) + 1)
            mine = mine[(mine >= known) | (both - mine >= known)]
            theirs = both - mine
            if not mine.size:
                continue
            first, second = self._doubling_points(found, mine, theirs)
            to_first, to_second = second + self.delta_bar - 0.5, first + self.delta_bar - 0.5
            won, lost = chance(mine - 1, theirs), chance(mine, theirs - 1)
            found.cells[mine, theirs] = (to_first * won + to_second * lost) / (to_first + to_second)
        return found.cells

    def _doubling_points(self, matrix: _Matrix, mine: Places, theirs: Places) -> tuple[Numbers, Numbers]:
        """Where players 0 and 1 double the cube at 1: their chances to win the game."""
        cube = 1
        while 2 * cube <= max(int(mine.max()), int(theirs.max())):
            cube *= 2
        first = second = np.ones(len(mine))
        while cube:
            dead_first = self._indifference(matrix.chance, mine, theirs, cube)
            dead_second = self._indifference(matrix.other_chance, theirs, mine, cube)
            last = (mine < 2 * cube) | (theirs < 2 * cube)  # nobody redoubles for more than he needs
            first, second = (
                np.where(last, dead_first, 1 - (second + self.delta) * (1 - dead_first)),
                np.where(last, dead_second, 1 - (first + self.delta) * (1 - dead_second)),
            )
            cube //= 2
        return first, second

    def _indifference(self, chance: Chance, mine: Places, theirs: Places, cube: int) -> Numbers:
        """Where the opponent is indifferent between passing and taking a cube that dies with his take."""
        # Where the double wins the match for the doubler alone, the opponent redoubles at once.
        played = 2 * np.where((mine < 2 * cube) & (theirs >= 2 * cube), 2 * cube, cube)
        won = (1 - self.doubler_gammons) * chance(mine - played, theirs)
        won = won + self.doubler_gammons * chance(mine - 2 * played, theirs)
        lost = (1 - self.taker_gammons) * chance(mine, theirs - played)
        lost = lost + self.taker_gammons * chance(mine, theirs - 2 * played)
        gain = won - lost
        return np.where(gain > 0, (chance(mine - cube, theirs) - lost) / np.where(gain > 0, gain, 1), 1.0)


@dataclass(frozen=True)
class LiveCubeModel:
    """Each game is worth what a fully live cube in the middle is: Claes Thornberg's calculator "mec" (1996).

    Attributes
    ----------
    gammon_rate : float
        The part of either player's wins that are gammons.
    win_rate : float
        The chance of player 0 to win a game.
    """

    gammon_rate: float = 0.26
    win_rate: float = 0.5

    def larger(self, pre: Numbers, post: Numbers, size: int) -> Numbers:
        """Return a matrix of the size, the known one in its corner."""
        known = len(pre)
        found = _with_crawford_games(pre, post, size, self.gammon_rate, self.win_rate)
        chance = found.chance
        win = self.win_rate
        game = [win, self.gammon_rate * win, 0, self.gammon_rate * (1 - win), 0]
        for mine in range(1, size):
            for theirs in range(known if mine < known else 1, size):
                cubes = 2 ** np.arange(max(mine, theirs).bit_length() + 1)
                points = cubes[:, None] * np.array([1, 2, 3])
                won = chance(mine - points, np.full_like(points, theirs))
                lost = chance(np.full_like(points, mine), theirs - points)
                levels = np.ascontiguousarray(np.stack((won, lost), axis=1))
                stakes = HeldStakes(levels, 1.0, False, 0, (mine + 1, theirs + 1), False)
                found.cells[mine, theirs] = stakes.value(game, 1.0)
        return found.cells
