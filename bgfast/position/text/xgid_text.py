"""XGIDs, both ways: the line of text in which eXtreme Gammon copies a position with dice, cube and score.

Source: eXtreme Gammon's help; the largest numbers are those that a GNU Backgammon match ID can hold.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bgfast.common.validation import counted_board
from bgfast.common.vocabulary import BAR, BOARD_SIZE, CHECKERS, Board
from bgfast.errors import InvalidPositionError, NotationError, shown_ascii, too_many_checkers

__all__ = ["Offer", "XgidFields", "encoded_xgid", "read_xgid", "written_xgid", "xgid_of"]

_XGID_FIELDS = 10
_XGID_LONGEST = 100  # the longest text that can be valid has 66 characters
_XGID_LETTERS = "ABCDEFGHIJKLMNOP"
_CHECKERS_OF_LETTER = {
    "-": 0,
    **{letter: n for n, letter in enumerate(_XGID_LETTERS, 1)},
    **{letter.lower(): -n for n, letter in enumerate(_XGID_LETTERS, 1)},
}
_LETTER_OF_CHECKERS = {n: letter for letter, n in _CHECKERS_OF_LETTER.items()}
Offer = Literal["double", "beaver", "raccoon"]
_OFFERS: dict[str, Offer] = {"D": "double", "B": "beaver", "R": "raccoon"}
_LETTER_OF_OFFER = {offer: letter for letter, offer in _OFFERS.items()}
_NUMBER = re.compile("0|[1-9][0-9]*")
_MAX_LOG2_CUBE = 15
_MAX_POINTS = 32767


@dataclass(frozen=True, kw_only=True)
class XgidFields:
    """The content of an XGID, from the side of the player on roll, as `read_xgid` returns it.

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

    board: Board
    turn: int = 1
    dice: tuple[int, int] | None = None
    offer: Offer | None = None
    cube: int = 1
    cube_owner: int = 0
    score: tuple[int, int] = (0, 0)
    match_length: int = 0
    crawford: bool = False
    jacoby: bool = False
    beaver: bool = False
    max_cube: int = 1024


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
    >>> from bgfast import Position
    >>> xgid_of(Position.start().to_array())
    'XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10'
    """
    return encoded_xgid(counted_board(board))


def encoded_xgid(cells: Sequence[int]) -> str:
    """Return the XGID of 26 ints that are known to be a position."""
    return written_xgid(XgidFields(board=tuple(cells)))


def written_xgid(fields: XgidFields) -> str:
    """Return the XGID of fields that are known to be possible.

    Examples
    --------
    >>> text = "XGID=-b----E-C---eE---c-e----B-:1:-1:-1:31:2:3:0:7:10"
    >>> written_xgid(read_xgid(text)) == text
    True
    """
    below = fields.turn == 1
    board = fields.board if below else [-n for n in reversed(fields.board)]
    score = fields.score if below else reversed(fields.score)
    dice = "00" if fields.dice is None else "{}{}".format(*fields.dice)
    flags = int(fields.crawford) if fields.match_length else fields.jacoby + 2 * fields.beaver
    content = [
        "".join(_LETTER_OF_CHECKERS[n] for n in board),
        fields.cube.bit_length() - 1,
        fields.cube_owner * fields.turn,
        fields.turn,
        dice if fields.offer is None else _LETTER_OF_OFFER[fields.offer],
        *score,
        flags,
        fields.match_length,
        fields.max_cube.bit_length() - 1,
    ]
    return "XGID=" + ":".join(map(str, content))


def read_xgid(text: str) -> XgidFields:
    """Return everything that an XGID says, from the side of the player on roll.

    Parameters
    ----------
    text : str
        The ten fields, separated by colons. The prefix ``XGID=`` may be missing or in any case, and
        ASCII white space may surround the whole.

    Returns
    -------
    XgidFields
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
        raise NotationError(f"the XGID's cube shows {cube}; expected at most its greatest value {max_cube}")
    return XgidFields(
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


def _xgid_fields(text: str) -> list[str]:
    """Return the ten fields of an XGID, not yet read, or raise `NotationError`."""
    if not isinstance(text, str):
        raise NotationError(f"an XGID of type {type(text).__name__:.60}; expected a str")
    stripped = text.strip(string.whitespace)
    if len(stripped) > _XGID_LONGEST:
        raise NotationError(
            f"an XGID of {len(stripped)} characters, {shown_ascii(stripped)}; "
            f"expected at most {_XGID_LONGEST}"
        )
    for place, character in enumerate(stripped, 1):
        if not character.isascii():
            raise NotationError(f"character {place} of the XGID is {character!a}; expected ASCII only")
    body = stripped[5:] if stripped[:5].upper() == "XGID=" else stripped
    fields = body.split(":")
    if len(fields) != _XGID_FIELDS:
        raise NotationError(
            f"an XGID of {len(fields)} fields, {shown_ascii(stripped)}; expected {_XGID_FIELDS}, with colons "
            "between them"
        )
    return fields


def _xgid_board(letters: str) -> Board:
    """Return the board that the first field of an XGID shows, from X's side."""
    if len(letters) != BOARD_SIZE:
        raise NotationError(
            f"field 1 (the board) of the XGID has {len(letters)} characters, {shown_ascii(letters)}; "
            f"expected {BOARD_SIZE}"
        )
    for index, letter in enumerate(letters):
        if letter not in _CHECKERS_OF_LETTER:
            raise NotationError(
                f"character {index} (from 0) of the XGID's board is {letter!r}; expected A-P, a-p or -"
            )
    board = tuple(_CHECKERS_OF_LETTER[letter] for letter in letters)
    if board[0] > 0:
        raise InvalidPositionError(
            f"character 0 of the XGID's board (the bar of O) is {letters[0]!r}; expected - or lower case"
        )
    if board[BAR] < 0:
        raise InvalidPositionError(
            f"character 25 of the XGID's board (the bar of X) is {letters[25]!r}; expected - or upper case"
        )
    for side, total in (("X", sum(n for n in board if n > 0)), ("O", -sum(n for n in board if n < 0))):
        if total > CHECKERS:
            raise InvalidPositionError(too_many_checkers(side, total, CHECKERS))
    return board


def _one_of(field: str, name: str, values: tuple[str, ...]) -> str:
    """Return the field if it is one of the values, or raise `NotationError`."""
    if field not in values:
        raise NotationError(f"{name} of the XGID is {shown_ascii(field)}; expected {' or '.join(values)}")
    return field


def _number(field: str, name: str, greatest: int) -> int:
    """Return the number that a field holds, or raise `NotationError`."""
    if not _NUMBER.fullmatch(field) or int(field) > greatest:
        raise NotationError(
            f"{name} of the XGID is {shown_ascii(field)}; expected a number from 0 to {greatest}"
        )
    return int(field)


def _dice_field(
    field: str,
) -> tuple[tuple[int, int] | None, Offer | None]:
    """Return the roll and the offer that the dice field holds, or raise `NotationError`."""
    if field == "00":
        return None, None
    if field in _OFFERS:
        return None, _OFFERS[field]
    if not re.fullmatch("[1-6][1-6]", field):
        raise NotationError(
            f"field 5 (dice) of the XGID is {shown_ascii(field)}; "
            "expected two digits from 1 to 6, 00, D, B or R"
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
            f"the XGID's score {points_x}-{points_o} ends its match to {match_length}; expected less"
        )
    if crawford and leader != match_length - 1:
        raise NotationError(
            f"the XGID marks the Crawford game at {points_x}-{points_o} in a match to {match_length}, "
            "expected a player who needs one more point"
        )
