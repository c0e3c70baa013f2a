"""XGIDs: eXtreme Gammon's text format of a position with dice, cube and score.

Source: eXtreme Gammon's help; the maximum numbers are those of a GNU Backgammon match ID. Variants of other
programs are read as well, see `read_xgid`; the form of eXtreme Gammon is written.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bgfast.common.vocabulary import BAR, BOARD_SIZE, CHECKERS, Board, flipped
from bgfast.errors import InvalidPositionError, NotationError, shown_ascii, too_many_checkers

_XGID_FIELDS = 10
_DEFAULT_LOG2_MAX = "10"  # if the last field is missing
UNLIMITED_CUBE = 1024  # maximum cube if there is no limit
_MAX_TEXT_LENGTH = 100  # valid texts have at most 66 characters
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
_QUOTES = "\"'`\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a\u300c\u300d"
_WRAPPING = string.whitespace + "\ufeff,;" + _QUOTES
_PREFIX = re.compile(r"XGID\s*[=:]\s*", re.ASCII | re.IGNORECASE)
_PERCENT = re.compile("%([0-7][0-9A-F])", re.IGNORECASE)
MAX_LOG2_CUBE = 15
MAX_POINTS = 32767


@dataclass(frozen=True, kw_only=True)
class Context:
    """Fields of an XGID other than its board; `Decision` describes them."""

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
    max_cube: int = UNLIMITED_CUBE


def written_xgid(cells: Sequence[int], context: Context) -> str:
    """Return the XGID of a valid board and context."""
    below = context.turn == 1
    board = cells if below else flipped(cells)
    score = context.score if below else reversed(context.score)
    dice = "00" if context.dice is None else "{}{}".format(*context.dice)
    flags = int(context.crawford) if context.match_length else context.jacoby + 2 * context.beaver
    content = [
        "".join(_LETTER_OF_CHECKERS[n] for n in board),
        context.cube.bit_length() - 1,
        context.cube_owner * context.turn,
        context.turn,
        dice if context.offer is None else _LETTER_OF_OFFER[context.offer],
        *score,
        flags,
        context.match_length,
        context.max_cube.bit_length() - 1,
    ]
    return "XGID=" + ":".join(map(str, content))


def looks_like_xgid(text: str) -> bool:
    """Return whether a text has the form of an XGID, valid or not."""
    plain = without_percents(text).lstrip(_WRAPPING)
    return _PREFIX.match(plain) is not None or plain.count(":") > 1


def without_percents(text: str) -> str:
    """Return a text with its percent-encoded ASCII characters decoded."""
    return _PERCENT.sub(lambda code: chr(int(code[1], 16)), text) if "%" in text else text


def pasted_xgid(text: str) -> tuple[str, str] | None:
    """Return the XGID after ``XGID=`` at the beginning of a text, not validated, and the rest of the text.

    None if the text does not begin with ``XGID=``.
    """
    plain = without_percents(text).lstrip(_WRAPPING)
    prefix = _PREFIX.match(plain)
    if prefix is None:
        return None
    xgid, *rest = plain[prefix.end() :].split(maxsplit=1) or [""]
    return xgid, rest[0] if rest else ""


def read_xgid(text: str) -> tuple[Board, Context]:
    """Return the board and the context of an XGID, from the side of the player on roll.

    The prefix ``XGID=`` may be missing, in any case, and have blanks around its sign, which may be a colon.
    Quotation marks, white space, commas and semicolons around the text are ignored, and characters may be
    percent-encoded, as in a URL. XGID shows the board from X's side; if O is on roll (turn -1), board, cube
    owner and score are swapped.

    Without the tenth field the maximum cube is 1024. A maximum cube of 2**0 contradicts a turned cube:
    programs such as blunderDB write this 0 for "no limit". It is read as no limit, with a `max_cube` of 1024
    or the cube's value if that is higher. With an unturned cube 0 has its literal meaning, a game without
    doubling.

    Raises `NotationError` if `text` is not an XGID, or its fields contradict each other,
    `InvalidPositionError` if the board is impossible.
    """
    letters, log2_cube, owner, turn, dice, score_x, score_o, flags, length, log2_max = _xgid_fields(text)
    board = _xgid_board(letters)
    cube = 2 ** _number(log2_cube, "field 2 (log2 of the cube)", MAX_LOG2_CUBE)
    cube_owner = int(_one_of(owner, "field 3 (cube owner)", ("1", "0", "-1")))
    side = int(_one_of(turn, "field 4 (turn)", ("1", "-1")))
    roll, offer = _dice_field(dice)
    points_x = _number(score_x, "field 6 (score of X)", MAX_POINTS)
    points_o = _number(score_o, "field 7 (score of O)", MAX_POINTS)
    match_length = _number(length, "field 9 (match length)", MAX_POINTS)
    crawford, jacoby, beaver = _flags_field(flags, match_length)
    max_cube = 2 ** _number(log2_max, "field 10 (log2 of the maximum cube)", MAX_LOG2_CUBE)
    check_score(points_x, points_o, match_length, crawford)
    if max_cube == 1 and (cube > 1 or cube_owner or offer is not None):
        max_cube = max(UNLIMITED_CUBE, cube)
    if cube > max_cube:
        raise NotationError(f"the XGID's cube shows {cube}; expected at most its maximum, {max_cube}")
    context = Context(
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
    return board if side == 1 else flipped(board), context


def _xgid_fields(text: str) -> list[str]:
    """Return the ten fields of an XGID as text, or raise `NotationError`."""
    if not isinstance(text, str):
        raise NotationError(f"an XGID of type {type(text).__name__:.60}; expected a str")
    stripped = text.strip(_WRAPPING)
    if "%" in stripped:
        stripped = without_percents(stripped).strip(_WRAPPING)
    if len(stripped) > _MAX_TEXT_LENGTH:
        raise NotationError(
            f"an XGID of {len(stripped)} characters, {shown_ascii(stripped)}; "
            f"expected at most {_MAX_TEXT_LENGTH}"
        )
    for number, character in enumerate(stripped, 1):
        if not character.isascii():
            raise NotationError(f"character {number} of the XGID is {character!a}; expected ASCII only")
    prefix = _PREFIX.match(stripped)
    fields = (stripped[prefix.end() :].lstrip(_WRAPPING) if prefix else stripped).split(":")
    if len(fields) == _XGID_FIELDS - 1:
        fields.append(_DEFAULT_LOG2_MAX)
    if len(fields) != _XGID_FIELDS:
        raise NotationError(
            f"an XGID of {len(fields)} fields, {shown_ascii(stripped)}; expected {_XGID_FIELDS}, with colons "
            "between them, or 9 without the maximum cube"
        )
    return fields


def _xgid_board(letters: str) -> Board:
    """Return the board of the first field of an XGID, from X's side."""
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


def _number(field: str, name: str, maximum: int) -> int:
    """Return the number of a field, or raise `NotationError`."""
    if not _NUMBER.fullmatch(field) or int(field) > maximum:
        raise NotationError(
            f"{name} of the XGID is {shown_ascii(field)}; expected a number from 0 to {maximum}"
        )
    return int(field)


def _dice_field(field: str) -> tuple[tuple[int, int] | None, Offer | None]:
    """Return the roll and the offer of the dice field, or raise `NotationError`."""
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
    """Return the switches of Crawford, Jacoby and beavers, or raise `NotationError`."""
    if match_length:
        return _one_of(field, "field 8 (Crawford, in a match)", ("0", "1")) == "1", False, False
    options = int(_one_of(field, "field 8 (Jacoby + 2 * beaver, in money play)", ("0", "1", "2", "3")))
    return False, bool(options & 1), bool(options & 2)


def may_be_crawford(score: tuple[int, int], match_length: int) -> bool:
    """Return whether a game that begins with this score can be the Crawford game.

    One player needs one point and the other more, or it is a match to one point.
    """
    return max(score) == match_length - 1 and not score[0] == score[1] > 0


def check_score(points_x: int, points_o: int, match_length: int, crawford: bool, text: str = "XGID") -> None:
    """Raise `NotationError` if the scores do not fit the match; `text` names their format."""
    leader = max(points_x, points_o)
    if match_length and leader >= match_length:
        raise NotationError(
            f"the {text}'s score {points_x}-{points_o} ends its match to {match_length}; expected less"
        )
    if crawford and not may_be_crawford((points_x, points_o), match_length):
        raise NotationError(
            f"the {text} marks the Crawford game at {points_x}-{points_o} in a match to {match_length}, "
            "expected a player who needs one more point, and one who needs more"
        )
