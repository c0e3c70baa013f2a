"""Positions and rolls in which a strong player has judged every play: the file of them.

A file is text. Lines that begin with ``#`` tell what it is: the first is ``# bgfast judged positions 1``, the
second ``# judged by`` and who has judged. Each other line is a position and its plays:

* the GNU position ID of the mover, who has 15 checkers, and the roll, as ``31``;
* what the best play is worth to the mover, in tenths of a millipoint, cubeless;
* for each play how much less it is worth, in tenths of a millipoint, 0 for the best. The plays stand in the
  order of the boards that they lead to, as 26 numbers seen by the next player (``successors(flip=True)``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.batch.position_ids import from_gnubg_ids
from bgfast.batch.successors import Successors, successors
from bgfast.common.files import checked_path, read_limited
from bgfast.common.resumable import reason
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, InvalidDiceError, one_line, shown

__all__ = ["BUILTIN", "UNIT", "JudgedPositions", "judged_line", "judged_order", "read_judged"]

BUILTIN = Path(__file__).with_name("judged_positions.txt")
HEAD = "# bgfast judged positions 1"
JUDGE = "# judged by "
UNIT = 10_000  # of a point
MOST_LOSS = 6 * UNIT  # from winning a backgammon to losing one


class JudgedPositions(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    judge : str
        Who has judged.
    boards : ndarray of int8, shape (n, 26)
        Mover's side.
    dice : ndarray of int8, shape (n, 2)
    plays : Successors
        Of each board with its roll, seen by the next player.
    losses : ndarray of float64, shape (m,)
        How many points each of those is worse than the best.
    """

    judge: str
    boards: Boards
    dice: Boards
    plays: Successors
    losses: npt.NDArray[np.float64]


def read_judged(path: str | os.PathLike[str] = BUILTIN) -> JudgedPositions:
    """Return the positions of a file; those that come with bgfast if none is named.

    Raises
    ------
    BgfastError
        If it cannot be read, or says something else than it should; the message names the line.
    """
    name = f"positions {checked_path(path, 'positions')}"
    try:
        text = read_limited(path).decode("ascii")
    except OSError as error:
        raise BgfastError(f"{name}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise BgfastError(f"{name}: no text in ASCII") from None
    lines = text.splitlines()
    if lines[:1] != [HEAD] or len(lines) < 2 or not lines[1].startswith(JUDGE):
        raise BgfastError(f"{name} begins otherwise; expected {HEAD!r} and {JUDGE.strip()!r} in two lines")
    numbers = [place for place, line in enumerate(lines, 1) if line and not line.startswith("#")]
    if not numbers:
        raise BgfastError(f"{name} holds no position")
    ids, rolls, losses = [], [], []
    for number in numbers:
        words = lines[number - 1].split()
        values = _whole_numbers(words[2:])
        if len(words) < 4 or values is None or min(values[1:]) != 0 or max(values[1:]) > MOST_LOSS:
            raise BgfastError(
                f"{name}, line {number}: {shown(lines[number - 1])}; expected an ID, a roll, what the best "
                "play is worth, and for each play how much less, 0 for the best"
            )
        ids.append(words[0])
        rolls.append(
            [int(die) if die in "123456" else 0 for die in words[1]] if len(words[1]) == 2 else [0, 0]
        )
        losses.append(values[1:])
    try:
        boards = from_gnubg_ids(ids)
        dice = np.array(rolls, np.int8)
        plays = successors(boards, dice, flip=True)
    except InvalidDiceError:
        number = numbers[int(np.argmin(np.min(rolls, axis=1)))]
        raise BgfastError(f"{name}, line {number}: no roll; expected two dice as 31") from None
    except BgfastError as error:
        raise BgfastError(f"{name}: of its positions, counted from 0, {one_line(error)}") from None
    counts = np.diff(plays.offsets)
    wrong = counts != [len(each) for each in losses]
    if wrong.any():
        row = int(wrong.argmax())
        raise BgfastError(
            f"{name}, line {numbers[row]}: {len(losses[row])} plays judged; expected {counts[row]}"
        )
    in_order = np.empty(len(plays.boards))
    in_order[judged_order(plays)] = np.concatenate(losses)
    return JudgedPositions(lines[1].removeprefix(JUDGE), boards, dice, plays, in_order / UNIT)


def judged_order(plays: Successors) -> npt.NDArray[np.int64]:
    """Return the rows of successors in the order of a file."""
    order: npt.NDArray[np.int64] = np.lexsort((*plays.boards.T[::-1], plays.owners))
    return order


def judged_line(position_id: str, roll: Iterable[int], equities: npt.ArrayLike) -> str:
    """Return the line of a position.

    Parameters
    ----------
    position_id : str
    roll : (int, int)
    equities : array of real numbers, shape (n,)
        What each play is worth to the mover, in points, in the order of a file.
    """
    units = np.rint(np.asarray(equities, np.float64) * UNIT).astype(int)
    best = int(units.max())
    words = (position_id, "".join(map(str, roll)), best, *(best - units).tolist())
    return " ".join(map(str, words))


def _whole_numbers(words: list[str]) -> list[int] | None:
    try:
        return [int(word) for word in words]
    except ValueError:
        return None
