"""GNU Backgammon position IDs and XGIDs, both directions, on plain boards.

A board here is a sequence of 26 ints from the mover's side: index 25 the own bar, 24..1 the points
(own checkers > 0, the opponent's < 0), index 0 the opponent's bar as a number <= 0.

Sources: *position ID*, the GNU Backgammon manual, "A technical description of the Position ID", with
the order of the two sides as the program writes it (the opponent first; the manual's prose has it the
other way round). *XGID*, the position text that eXtreme Gammon copies and pastes, as its help
describes it; the largest numbers are those that a GNU Backgammon match ID can hold.
"""

from __future__ import annotations

import base64
import operator
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bgfast.common.vocabulary import CHECKERS
from bgfast.errors import InvalidPositionError, NotationError

__all__ = ["Xgid", "board_of_gnubg_id", "gnubg_id_of", "read_xgid", "xgid_of"]

_SHOWN = 40  # characters of the user's text that a message may repeat

_BASE64 = frozenset(string.ascii_letters + string.digits + "+/")
_LAST_CHARACTERS = frozenset("AQgw")  # the last character holds 2 of the 80 bits; its 4 others are 0

_XGID_FIELDS = 10
_XGID_LONGEST = 100  # the longest text that can be valid has 66 characters
_XGID_LETTERS = "ABCDEFGHIJKLMNOP"
_CHECKERS_OF_LETTER = {
    "-": 0,
    **{letter: n for n, letter in enumerate(_XGID_LETTERS, 1)},
    **{letter.lower(): -n for n, letter in enumerate(_XGID_LETTERS, 1)},
}
_LETTER_OF_CHECKERS = {n: letter for letter, n in _CHECKERS_OF_LETTER.items()}
_OFFERS: dict[str, Literal["double", "beaver", "raccoon"]] = {"D": "double", "B": "beaver", "R": "raccoon"}
_NUMBER = re.compile("0|[1-9][0-9]*")
_MAX_LOG2_CUBE = 15
_MAX_POINTS = 32767


@dataclass(frozen=True, kw_only=True)
class Xgid:
    """What an XGID says, from the side of the player on roll, as `read_xgid` returns it.

    Every field but `turn` is seen from the player on roll (the *mover*), whichever of X and O that is.

    Attributes
    ----------
    board : tuple of 26 int
        The position from the mover's side: index 25 own bar, 24..1 the points (own > 0, opponent < 0),
        index 0 the opponent's bar (<= 0).
    turn : {1, -1}
        Who the mover is in the XGID: 1 is X (the player at the bottom), -1 is O.
    dice : tuple of two int, or None
        The roll to be played, in the order written; None if the dice are not rolled yet.
    offer : {"double", "beaver", "raccoon"} or None
        The cube action that waits for an answer; the dice are None then.
    cube : int
        The value of the cube in points: 1, 2, 4, ...
    cube_owner : {1, 0, -1}
        1 the mover owns the cube, 0 it is centred, -1 the opponent owns it.
    score : tuple of two int
        Points won so far, (mover, opponent).
    match_length : int
        Points needed to win the match; 0 means money play.
    crawford : bool
        Whether this is the Crawford game; always False in money play.
    jacoby, beaver : bool
        Whether the Jacoby rule and beavers are in use; always False in a match.
    max_cube : int
        The greatest value in points that the cube may reach.

    Examples
    --------
    >>> read_xgid("XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10").cube_owner
    1
    """

    board: tuple[int, ...]
    turn: int
    dice: tuple[int, int] | None
    offer: Literal["double", "beaver", "raccoon"] | None
    cube: int
    cube_owner: int
    score: tuple[int, int]
    match_length: int
    crawford: bool
    jacoby: bool
    beaver: bool
    max_cube: int


def gnubg_id_of(board: Sequence[int]) -> str:
    """Return the GNU Backgammon position ID of a board, with the mover on roll.

    Parameters
    ----------
    board : sequence of 26 int
        The position from the mover's side, at most 15 checkers a side.

    Returns
    -------
    str
        14 characters of base64.

    Raises
    ------
    InvalidPositionError
        If `board` is not 26 ints, a bar holds checkers of the wrong side, or a side has more than 15.

    Notes
    -----
    Source: GNU Backgammon (see the module). Thread-safe: nothing is shared.

    Examples
    --------
    >>> gnubg_id_of([0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5,
    ...              5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0])
    '4HPwATDgc/ABMA'
    """
    cells = _checked(board)
    opponent = [max(-n, 0) for n in reversed(cells[:25])]
    mover = [max(n, 0) for n in cells[1:]]
    bits = "".join("1" * n + "0" for n in opponent + mover)
    # The first bit is the least significant one of the first byte.
    packed = int(bits[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(packed).decode("ascii").rstrip("=")


def board_of_gnubg_id(text: str) -> list[int]:
    """Return the board that a GNU Backgammon position ID stands for, from the side of the player on roll.

    Parameters
    ----------
    text : str
        The 14 characters of the position ID alone, without a match ID and without spaces.

    Returns
    -------
    list of 26 int
        The position from the mover's side.

    Raises
    ------
    NotationError
        If `text` is not a position ID.
    InvalidPositionError
        If it is one, but a point is held by both sides or a side has more than 15 checkers.

    Notes
    -----
    Each board has exactly one ID: a text that differs from ``gnubg_id_of(board)`` is refused.
    Source: GNU Backgammon (see the module). Thread-safe: nothing is shared.

    Examples
    --------
    >>> board_of_gnubg_id("4HPwATDgc/ABMA")[6], board_of_gnubg_id("4HPwATDgc/ABMA")[19]
    (5, -5)
    """
    _check_position_id(text)
    packed = int.from_bytes(base64.b64decode(text + "=="), "little")
    *runs, rest = f"{packed:080b}"[::-1].split("0", 50)
    if len(runs) < 50:
        raise NotationError(
            f"the position ID {_shown(text)} ends inside the position: its 80 bits hold {len(runs)} zeros, "
            "expected 50, one after the checkers of each point and bar of both sides"
        )
    if "1" in rest:
        raise NotationError(
            f"the position ID {_shown(text)} has bits set after the end of the position, expected zeros only"
        )
    counts = [len(run) for run in runs]
    # Slot 0 has no own checkers, slot 25 none of the opponent's: both sides' slots then line up.
    mover, opponent = [0, *counts[25:]], [*reversed(counts[:25]), 0]
    _check_totals("the mover", sum(mover), "the opponent", sum(opponent))
    for point, (own, other) in enumerate(zip(mover, opponent, strict=True)):
        if own and other:
            raise InvalidPositionError(
                f"the mover's point {point} is held by both sides ({own} of the mover's checkers, "
                f"{other} of the opponent's), expected one side at most"
            )
    return [own - other for own, other in zip(mover, opponent, strict=True)]


def xgid_of(board: Sequence[int]) -> str:
    """Return a complete XGID of a board: the mover is X and on roll, dice not rolled, money play.

    The cube is centred at 1 and may reach 1024; neither Jacoby nor beavers.

    Parameters
    ----------
    board : sequence of 26 int
        The position from the mover's side, at most 15 checkers a side.

    Returns
    -------
    str
        The XGID with its prefix ``XGID=``.

    Raises
    ------
    InvalidPositionError
        If `board` is not 26 ints, a bar holds checkers of the wrong side, or a side has more than 15.

    Notes
    -----
    Source: eXtreme Gammon (see the module). Thread-safe: nothing is shared.

    Examples
    --------
    >>> xgid_of(board_of_gnubg_id("4HPwATDgc/ABMA"))
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10'
    """
    letters = "".join(_LETTER_OF_CHECKERS[n] for n in _checked(board))
    return f"XGID={letters}:0:0:1:00:0:0:0:0:10"


def read_xgid(text: str) -> Xgid:
    """Return everything that an XGID says, from the side of the player on roll.

    Parameters
    ----------
    text : str
        The ten fields, separated by colons. The prefix ``XGID=`` may be missing or in any case, and
        ASCII white space may surround the whole.

    Returns
    -------
    Xgid
        The board and the state of dice, cube and match. XGID shows the board from X's side; if O is
        on roll (turn -1), board, cube owner and score are swapped, so that all belong to the mover.

    Raises
    ------
    NotationError
        If `text` is not an XGID, or its fields contradict each other.
    InvalidPositionError
        If the board cannot be: more than 15 checkers on a side, or a bar with the wrong side's.

    Notes
    -----
    Source: eXtreme Gammon (see the module). Thread-safe: nothing is shared.

    Examples
    --------
    >>> xgid = read_xgid("XGID=----BaC-B---aD--aa-bcbbBbB:0:0:1:22:2:3:0:13:10")
    >>> xgid.dice, xgid.score, xgid.match_length, xgid.board[25]
    ((2, 2), (2, 3), 13, 2)
    """
    letters, log2_cube, owner, turn, dice, score_x, score_o, flags, length, log2_max = _xgid_fields(text)
    board = _xgid_board(letters)
    cube = 2 ** _number(log2_cube, "field 2 (log2 of the cube)", _MAX_LOG2_CUBE)
    cube_owner = int(_one_of(owner, "field 3 (cube owner)", ("1", "0", "-1")))
    side = int(_one_of(turn, "field 4 (turn)", ("1", "-1")))
    roll, offer = _dice_field(dice)
    points_x = _number(score_x, "field 6 (score of X)", _MAX_POINTS)
    points_o = _number(score_o, "field 7 (score of O)", _MAX_POINTS)
    match_length = _number(length, "field 9 (match length)", _MAX_POINTS)
    crawford, jacoby, beaver = _flags_field(flags, match_length)
    max_cube = 2 ** _number(log2_max, "field 10 (log2 of the greatest cube)", _MAX_LOG2_CUBE)
    _check_match(points_x, points_o, match_length, crawford)
    if cube > max_cube:
        raise NotationError(f"the XGID's cube shows {cube}, expected at most its greatest value {max_cube}")
    return Xgid(
        board=board if side == 1 else tuple(-n for n in reversed(board)),
        turn=side,
        dice=roll,
        offer=offer,
        cube=cube,
        cube_owner=cube_owner * side,
        score=(points_x, points_o) if side == 1 else (points_o, points_x),
        match_length=match_length,
        crawford=crawford,
        jacoby=jacoby,
        beaver=beaver,
        max_cube=max_cube,
    )


def _shown(text: str) -> str:
    """Return the user's text quoted for a message: ASCII only, and cut if that is long."""
    quoted = ascii(text[: _SHOWN + 1])
    return quoted if len(quoted) <= _SHOWN + 2 else quoted[:_SHOWN] + "..."


def _check_str(text: str, what: str) -> None:
    """Raise `NotationError` unless the argument really is a str."""
    if not isinstance(text, str):
        raise NotationError(f"{what} must be a str, got {type(text).__name__[:_SHOWN]}")


def _checked(board: Sequence[int]) -> list[int]:
    """Return the board as 26 Python ints, or raise `InvalidPositionError`."""
    try:
        cells = [operator.index(n) for n in board] if len(board) == 26 else []
    except TypeError:
        cells = []
    if not cells:
        raise InvalidPositionError("a board must be a sequence of exactly 26 ints, index 0 to 25")
    if cells[0] > 0 or cells[25] < 0:
        raise InvalidPositionError(
            "a bar of the board holds checkers of the wrong side, expected index 0 (the opponent's bar) <= 0 "
            "and index 25 (the mover's bar) >= 0"
        )
    _check_totals(
        "the mover", sum(n for n in cells if n > 0), "the opponent", -sum(n for n in cells if n < 0)
    )
    return cells


def _check_totals(first: str, first_total: int, second: str, second_total: int) -> None:
    """Raise `InvalidPositionError` if one of two sides has more than 15 checkers."""
    for side, total in ((first, first_total), (second, second_total)):
        if total > CHECKERS:
            # A number without bound could fill the screen, or be too long for Python to print.
            count = total if total < 1000 else "over 999"
            raise InvalidPositionError(
                f"{side} has {count} checkers on the board, expected at most {CHECKERS}"
            )


def _check_position_id(text: str) -> None:
    """Raise `NotationError` unless the text is 14 characters of canonical base64."""
    _check_str(text, "a position ID")
    if text[14:15] == ":":
        raise NotationError(
            f"{_shown(text)} is more than a position ID: only the part before the colon is the position ID, "
            "what follows is a match ID"
        )
    if len(text) != 14:
        raise NotationError(
            f"a position ID has exactly 14 characters without spaces or '=', got {len(text)}: {_shown(text)}"
        )
    for place, character in enumerate(text, 1):
        if character not in _BASE64:
            raise NotationError(
                f"character {place} of the position ID is {character!a}, expected A-Z, a-z, 0-9, + or /"
            )
    if text[13] not in _LAST_CHARACTERS:
        raise NotationError(
            f"the last character of the position ID is {text[13]!r}, expected A, Q, g or w "
            "(its other bits lie beyond the 80 of the position)"
        )


def _xgid_fields(text: str) -> list[str]:
    """Return the ten fields of an XGID, not yet read, or raise `NotationError`."""
    _check_str(text, "an XGID")
    stripped = text.strip(string.whitespace)
    if len(stripped) > _XGID_LONGEST:
        raise NotationError(
            f"a text of {len(stripped)} characters is too long for an XGID (at most {_XGID_LONGEST}), "
            f"got {_shown(stripped)}"
        )
    for place, character in enumerate(stripped, 1):
        if not character.isascii():
            raise NotationError(f"character {place} of the XGID is {character!a}, expected ASCII only")
    body = stripped[5:] if stripped[:5].upper() == "XGID=" else stripped
    fields = body.split(":")
    if len(fields) != _XGID_FIELDS:
        raise NotationError(
            f"an XGID has {_XGID_FIELDS} fields separated by colons, got {len(fields)}: {_shown(stripped)}"
        )
    return fields


def _xgid_board(letters: str) -> tuple[int, ...]:
    """Return the board that the first field of an XGID shows, from X's side."""
    if len(letters) != 26:
        raise NotationError(
            f"field 1 (the board) of the XGID must have 26 characters, got {len(letters)}: {_shown(letters)}"
        )
    for index, letter in enumerate(letters):
        if letter not in _CHECKERS_OF_LETTER:
            raise NotationError(
                f"character {index} (from 0) of the XGID's board is {letter!r}, expected A-P, a-p or -"
            )
    board = tuple(_CHECKERS_OF_LETTER[letter] for letter in letters)
    if board[0] > 0:
        raise InvalidPositionError(
            f"character 0 of the XGID's board (the bar of O) is {letters[0]!r}, expected - or lower case"
        )
    if board[25] < 0:
        raise InvalidPositionError(
            f"character 25 of the XGID's board (the bar of X) is {letters[25]!r}, expected - or upper case"
        )
    _check_totals("X", sum(n for n in board if n > 0), "O", -sum(n for n in board if n < 0))
    return board


def _one_of(field: str, name: str, values: tuple[str, ...]) -> str:
    """Return the field if it is one of the values, or raise `NotationError`."""
    if field not in values:
        raise NotationError(f"{name} of the XGID must be {' or '.join(values)}, got {_shown(field)}")
    return field


def _number(field: str, name: str, greatest: int) -> int:
    """Return the number that a field holds, or raise `NotationError`."""
    if not _NUMBER.fullmatch(field) or int(field) > greatest:
        raise NotationError(f"{name} of the XGID must be a number from 0 to {greatest}, got {_shown(field)}")
    return int(field)


def _dice_field(
    field: str,
) -> tuple[tuple[int, int] | None, Literal["double", "beaver", "raccoon"] | None]:
    """Return the roll and the offer that the dice field holds, or raise `NotationError`."""
    if field == "00":
        return None, None
    if field in _OFFERS:
        return None, _OFFERS[field]
    if not re.fullmatch("[1-6][1-6]", field):
        raise NotationError(
            f"field 5 (dice) of the XGID must be two digits from 1 to 6, 00, D, B or R, got {_shown(field)}"
        )
    return (int(field[0]), int(field[1])), None


def _flags_field(field: str, match_length: int) -> tuple[bool, bool, bool]:
    """Return whether Crawford, Jacoby and beavers are on, or raise `NotationError`."""
    if match_length:
        return _one_of(field, "field 8 (Crawford, in a match)", ("0", "1")) == "1", False, False
    options = int(_one_of(field, "field 8 (Jacoby + 2 * beaver, in money play)", ("0", "1", "2", "3")))
    return False, bool(options & 1), bool(options & 2)


def _check_match(points_x: int, points_o: int, match_length: int, crawford: bool) -> None:
    """Raise `NotationError` if the scores do not fit the match."""
    leader = max(points_x, points_o)
    if match_length and leader >= match_length:
        raise NotationError(
            f"the XGID's score {points_x}-{points_o} ends its match to {match_length}, expected less"
        )
    if crawford and leader != match_length - 1:
        raise NotationError(
            f"the XGID marks the Crawford game at {points_x}-{points_o} in a match to {match_length}, "
            "expected a player who needs one more point"
        )
