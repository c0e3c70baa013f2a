"""Match equity models: formulas for scores beyond a table, and validation of tables and parameters.

Element (i, j) of a matrix is the chance of player 0, who needs i + 1 points while player 1 needs j + 1.
Arrays of two rows hold the chances of players 0 and 1 after the Crawford game: element i for i + 1 points
needed while the other player needs 1. Indices are points needed, minus 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.errors import BgfastError
from bgfast.evaluation._cubeful import CubeStakes

Indices = npt.NDArray[np.int64]
Chance = Callable[[Indices, Indices], Numbers]


@dataclass(frozen=True)
class AfterCrawford:
    """Model of play after the Crawford game: the trailer doubles at once, so games count 2 or 4 points."""

    gammon_rate: float = 0.25  # gammons as a fraction of the trailer's wins
    win_rate: float = 0.5  # probability that player 0 wins a game
    # Loss of the trailer's chance through the leader's free drop, keyed by the points that the trailer needs.
    free_drops: dict[int, float] = field(default_factory=lambda: {2: 0.015, 4: 0.004})

    def __post_init__(self) -> None:
        check_fractions(gammon_rate=self.gammon_rate, win_rate=self.win_rate)
        check_fractions(**{f"free drop at {away}-away": drop for away, drop in self.free_drops.items()})

    def extend(self, post: Numbers, size: int) -> Numbers:
        """Return the chances after the Crawford game with shape (2, size), beginning with `post`."""
        chances = np.empty((2, size))
        chances[:, : post.shape[1]] = post
        for player_chances, win_rate in zip(chances, (self.win_rate, 1 - self.win_rate), strict=True):
            if not post.size:
                player_chances[0] = win_rate
            for index in range(max(post.shape[1], 1), size):
                single = player_chances[index - 2] if index >= 2 else 1.0
                gammon = player_chances[index - 4] if index >= 4 else 1.0
                won = (1 - self.gammon_rate) * single + self.gammon_rate * gammon
                player_chances[index] = win_rate * won - self.free_drops.get(index + 1, 0.0)
        return chances


class _Matrix:
    """Matrix under construction, with a border for finished matches: a player with an index below 0 has won.

    The initial cells are `pre` and the chances in Crawford games, which have no cube.
    """

    def __init__(self, pre: Numbers, post: Numbers, size: int, gammons: float, win_rate: float) -> None:
        self._bordered = np.full((size + 1, size + 1), np.nan)
        self._bordered[:, 0] = 0
        self._bordered[0] = 1
        self.cells = self._bordered[1:, 1:]
        self.cells[: len(pre), : len(pre)] = pre
        indices = np.arange(len(pre), size)
        for player, rate in enumerate((win_rate, 1 - win_rate)):
            single = np.where(indices >= 1, post[player, indices - 1], 1.0)
            gammon = np.where(indices >= 2, post[player, indices - 2], 1.0)
            chance = rate * ((1 - gammons) * single + gammons * gammon)
            self.cells[(0, indices) if player else (indices, 0)] = 1 - chance if player else chance

    def chance(self, row: Indices, column: Indices) -> Numbers:
        """Return the chance of player 0."""
        chances: Numbers = self._bordered[np.maximum(row, -1) + 1, np.maximum(column, -1) + 1]
        return chances

    def opponent_chance(self, row: Indices, column: Indices) -> Numbers:
        """Return the chance of player 1, whose index comes first."""
        return 1 - self.chance(column, row)


@dataclass(frozen=True)
class ZadehModel:
    """Norman Zadeh's model (On Doubling in Tournament Backgammon, Management Science 23, 986, 1977).

    A game is a random walk in small steps from an even start. The player who first reaches his doubling point
    cashes: there the opponent is indifferent between take and drop. The doubling points are computed from
    the largest relevant cube downwards and shifted by `delta` because real games move in jumps.
    """

    doubler_gammons: float = 0.25  # gammons as a fraction of wins
    taker_gammons: float = 0.15
    delta: float = 0.08  # mean overshoot beyond the doubling point of a redouble
    delta_bar: float = 0.06  # mean overshoot for the initial double
    crawford_gammons: float = 0.25

    def __post_init__(self) -> None:
        check_fractions(**vars(self))

    def extend(self, pre: Numbers, post: Numbers, size: int) -> Numbers:
        """Return a matrix of size `size` with `pre` in its corner; `post` has at least that size."""
        length = len(pre)
        matrix = _Matrix(pre, post, size, self.crawford_gammons, 0.5)
        chance = matrix.chance
        for index_sum in range(2, 2 * size - 1):  # cells with equal index sums do not depend on each other
            row = np.arange(max(1, index_sum - size + 1), min(index_sum - 1, size - 1) + 1)
            row = row[(row >= length) | (index_sum - row >= length)]
            column = index_sum - row
            if not row.size:
                continue
            first, second = self._doubling_points(matrix, row, column)
            win_odds, loss_odds = second + self.delta_bar - 0.5, first + self.delta_bar - 0.5
            won, lost = chance(row - 1, column), chance(row, column - 1)
            with np.errstate(divide="ignore", invalid="ignore"):  # callers check the result
                matrix.cells[row, column] = (win_odds * won + loss_odds * lost) / (win_odds + loss_odds)
        return matrix.cells

    def _doubling_points(self, matrix: _Matrix, row: Indices, column: Indices) -> tuple[Numbers, Numbers]:
        """Return the doubling points of players 0 and 1 with the cube at 1, as winning probabilities."""
        cube = 1
        while 2 * cube <= max(int(row.max()), int(column.max())):
            cube *= 2
        first = second = np.ones(len(row))
        while cube:
            dead_first = self._indifference(matrix.chance, row, column, cube)
            dead_second = self._indifference(matrix.opponent_chance, column, row, cube)
            is_dead = (row < 2 * cube) | (column < 2 * cube)  # a redouble is worth nothing
            first, second = (
                np.where(is_dead, dead_first, 1 - (second + self.delta) * (1 - dead_first)),
                np.where(is_dead, dead_second, 1 - (first + self.delta) * (1 - dead_second)),
            )
            cube //= 2
        return first, second

    def _indifference(self, chance: Chance, row: Indices, column: Indices, cube: int) -> Numbers:
        """Return the chance at which the opponent is indifferent between dropping and taking a dead cube."""
        # Where the double wins the match only for the doubler, the opponent redoubles at once.
        stake = 2 * np.where((row < 2 * cube) & (column >= 2 * cube), 2 * cube, cube)
        won = (1 - self.doubler_gammons) * chance(row - stake, column)
        won = won + self.doubler_gammons * chance(row - 2 * stake, column)
        lost = (1 - self.taker_gammons) * chance(row, column - stake)
        lost = lost + self.taker_gammons * chance(row, column - 2 * stake)
        gain = won - lost
        return np.where(gain > 0, (chance(row - cube, column) - lost) / np.where(gain > 0, gain, 1), 1.0)


@dataclass(frozen=True)
class LiveCubeModel:
    """Claes Thornberg's model from the calculator "mec" (1996): games with a fully live centred cube."""

    gammon_rate: float = 0.26  # gammons as a fraction of either player's wins
    win_rate: float = 0.5  # probability that player 0 wins a game

    def __post_init__(self) -> None:
        check_fractions(**vars(self))

    def extend(self, pre: Numbers, post: Numbers, size: int) -> Numbers:
        """Return a matrix of size `size` with `pre` in its corner."""
        length = len(pre)
        matrix = _Matrix(pre, post, size, self.gammon_rate, self.win_rate)
        chance = matrix.chance
        win = self.win_rate
        probabilities = [win, self.gammon_rate * win, 0, self.gammon_rate * (1 - win), 0]
        for row in range(1, size):
            for column in range(length if row < length else 1, size):
                cubes = 2 ** np.arange(max(row, column).bit_length() + 1)
                points = cubes[:, None] * np.array([1, 2, 3])
                won = chance(row - points, np.full_like(points, column))
                lost = chance(np.full_like(points, row), column - points)
                levels = np.ascontiguousarray(np.stack((won, lost), axis=1))
                stakes = CubeStakes(levels, 1.0, False, 0, (row + 1, column + 1), False)
                matrix.cells[row, column] = stakes.value(probabilities, 1.0)
        return matrix.cells


MatchEquityModel = ZadehModel | LiveCubeModel


# ---- checks ----

ROUNDING = 1e-12
"""Maximum contradiction between chances that floating-point rounding explains."""
TABLE_ROUNDING = 0.0025
"""Maximum effect of rounding in published tables, which have three decimals."""
PRE, POST = "pre_crawford", "post_crawford"
"""Names of the tables before and after the Crawford game."""


def check_fractions(**parameters: float) -> None:
    """Raise `BgfastError` if a parameter is not from 0 to 1."""
    for name, value in parameters.items():
        if not 0 <= value <= 1:
            raise BgfastError(f"{name} is {value}; expected 0 to 1")


def check_chances(name: str, chances: Numbers) -> None:
    """Raise `BgfastError` if a number of the table `PRE` or `POST` is not from 0 to 1."""
    is_wrong = ~((chances >= -ROUNDING) & (chances <= 1 + ROUNDING))  # also true for NaN
    _refuse(name, is_wrong, "{:.6g}; expected 0 to 1", chances)


def check_match_equities(pre: Numbers, post: Numbers) -> None:
    """Raise `BgfastError` if chances (n, n) and (2, m) contradict each other; see `MatchEquityTable`.

    Winning a point has to be better than losing one unless the match is decided up to rounding, since
    equities (EMG) are divided by that gain.
    """
    check_chances(PRE, pre)
    check_chances(POST, post)
    size = len(pre) + 1
    bordered = np.zeros((size, size))  # indexed by points needed; a player who needs none has won
    bordered[0] = 1
    bordered[1:, 1:] = pre
    _check_neighbours(PRE, pre, bordered[:-1, 1:], bordered[1:, :-1])
    _check_neighbours(POST, post, np.insert(post[:, :-1], 0, 1, axis=1), np.zeros_like(post))
    comparisons = [(POST, post[:, :1], post[::-1, :1])]
    if (post[0] == post[1]).all():
        comparisons.insert(0, (PRE, pre, pre.T))
    for name, chances, opponent_chances in comparisons:
        is_wrong = np.abs(chances + opponent_chances - 1) > TABLE_ROUNDING
        text = "{:.6g}, for the opponent {:.6g}; expected a sum of 1"
        _refuse(name, is_wrong, text, chances, opponent_chances)


def _check_neighbours(name: str, chances: Numbers, won: Numbers, lost: Numbers) -> None:
    """Check chances against the chances after winning and after losing a point."""
    is_worthless = (np.abs(chances - 0.5) < 0.5 - TABLE_ROUNDING) & (won <= lost)
    for is_wrong, bound, expected in (
        (chances > won + ROUNDING, won, "at most {:.6g}, the chance with a point more"),
        (chances < lost - ROUNDING, lost, "at least {:.6g}, the chance after the opponent wins a point"),
        (is_worthless, lost, "a chance after winning a point above {:.6g}, the chance after losing it"),
    ):
        _refuse(name, is_wrong, f"{{:.6g}}; expected {expected}", chances, bound)


def _refuse(name: str, is_wrong: npt.NDArray[np.bool_], text: str, *arrays: Numbers) -> None:
    """Raise `BgfastError` for the first wrong element; `text` has a field for the value in each array."""
    if is_wrong.any():
        row, column = np.argwhere(is_wrong)[0].tolist()
        score = f"player {row}, {column + 1}-away" if name == POST else f"{row + 1}-away/{column + 1}-away"
        values = text.format(*(array[row, column] for array in arrays))
        raise BgfastError(f"{name} at {score} is {values}")
