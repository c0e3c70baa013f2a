"""Checks of match equity tables and of the parameters of their models."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import Numbers
from bgfast.errors import BgfastError

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
    is_wrong = ~((chances >= -ROUNDING) & (chances <= 1 + ROUNDING))  # NaN is wrong, too
    if is_wrong.any():
        index = _first(is_wrong)
        raise BgfastError(f"{name} at {_score(name, index)} is {chances[index]:.6g}; expected 0 to 1")


def check_match_equities(pre: Numbers, post: Numbers) -> None:
    """Raise `BgfastError` if chances (n, n) and (2, m) contradict each other; see `MatchEquityTable`.

    Winning a point has to be better than losing one unless the match is decided but for rounding, since
    equities (EMG) are divided by that gain.
    """
    check_chances(PRE, pre)
    check_chances(POST, post)
    size = len(pre) + 1
    bordered = np.zeros((size, size))  # by the points needed: a player who needs none has won
    bordered[0] = 1
    bordered[1:, 1:] = pre
    _check_neighbours(PRE, pre, bordered[:-1, 1:], bordered[1:, :-1])
    _check_neighbours(POST, post, np.insert(post[:, :-1], 0, 1, axis=1), np.zeros_like(post))
    if (post[0] == post[1]).all():
        _check_complementary(PRE, pre, pre.T)
    _check_complementary(POST, post[:, :1], post[::-1, :1])


def _check_neighbours(name: str, chances: Numbers, won: Numbers, lost: Numbers) -> None:
    """Check chances against those after a point is won and after it is lost."""
    is_open = np.abs(chances - 0.5) < 0.5 - TABLE_ROUNDING
    for is_wrong, bound, expected in (
        (chances > won + ROUNDING, won, "at most {:.6g}, the chance with a point more"),
        (chances < lost - ROUNDING, lost, "at least {:.6g}, the chance after the opponent wins a point"),
        (
            is_open & (won <= lost),
            lost,
            "a chance above {:.6g} after winning a point: losing it leaves as much",
        ),
    ):
        if is_wrong.any():
            index = _first(is_wrong)
            raise BgfastError(
                f"{name} at {_score(name, index)} is {chances[index]:.6g}; "
                f"expected {expected.format(bound[index])}"
            )


def _check_complementary(name: str, chances: Numbers, opponent_chances: Numbers) -> None:
    is_wrong = np.abs(chances + opponent_chances - 1) > TABLE_ROUNDING
    if is_wrong.any():
        index = _first(is_wrong)
        raise BgfastError(
            f"{name} at {_score(name, index)} is {chances[index]:.6g}, and that of the opponent there is "
            f"{opponent_chances[index]:.6g}; expected a sum of 1"
        )


def _first(is_wrong: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(index) for index in np.argwhere(is_wrong)[0])


def _score(name: str, index: tuple[int, ...]) -> str:
    """Return the score of an element for a message."""
    row, column = index
    return f"player {row}, {column + 1}-away" if name == POST else f"{row + 1}-away/{column + 1}-away"
