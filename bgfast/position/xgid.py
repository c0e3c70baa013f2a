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

from bgfast.common.validation import BAR, BOARD_SIZE, CHECKERS, Board, flipped
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


NO_CONTEXT = Context()
"""Money play before the roll, the cube centred at 1."""


def written_xgid(cells: Sequence[int], context: Context = NO_CONTEXT) -> str:
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


# ---- OGIDs, OpenGammon's position IDs ----
#
# Source: the documentation of the package gammonview (``gvformat/ogid.py``, MIT license), which names
# HedgeHog's OGID.md as the specification; its pairs of an OGID and the XGID of the same position show that
# White is X.
#
# Fields, separated by colons; those after the third may be missing:
#
# 1. and 2. A character for each checker of White and of Black: its point, in rising order, 0-9 and a-p for 0
#    to 25. White's bar is 0, and White moves up to home at 19-24; Black's bar is 25.
# 3. The cube: its owner (``W``, ``B``, ``N`` nobody, ``D`` dead, ``?`` unknown), log2 of its value, and the
#    last action (``N`` none, ``O`` offered, ``T`` taken, ``P`` passed).
# 4. The dice, the lower first; empty before the roll.
# 5. The player who acted last, ``W`` or ``B``: the other player is on roll or has to answer an offer.
# 6. The state of the game: ``IW`` and ``IB`` its beginning, ``R`` rolled, ``C`` checkers moved, ``A`` a
#    double taken, ``D`` a double offered, ``PR`` before the roll; in any other state the game is over. Before
#    the opening roll ``IW`` means that White is on roll, whatever field 5 is.
# 7. and 8. The points of White and of Black.
# 9. The length of the match, 0 for money, followed by ``C`` in the Crawford game, ``L`` after it, ``G`` and
#    the number of games of a session.
# 10. The number of the move, and 11. the checkers per side, 15 if missing.


_POINTS = (string.digits + string.ascii_lowercase)[:BOARD_SIZE]
_MIN_FIELDS, _MAX_FIELDS = 3, 11
_MAX_OGID_LENGTH = 150  # valid texts have at most some 80 characters
_OGID_WRAPPING = string.whitespace + "\u00a0\ufeff,;/\"'`\u201c\u201d\u201e"
_OGID_PREFIX = re.compile(r"OGID\s*[=:]\s*", re.ASCII | re.IGNORECASE)
_OGID_SHAPE = re.compile(r"[0-9a-p]*:[0-9a-p]*:[NWBD?][0-9]+[NOTP](?![^:])", re.ASCII)
_CUBE = re.compile(r"([NWBD?])([0-9]{1,2})([NOTP])", re.ASCII)
_OGID_NUMBER = re.compile(r"[0-9]{1,6}", re.ASCII)
_LENGTH = re.compile(r"([0-9]{1,6})([CL]?|G[0-9]{0,6})", re.ASCII)
_BEGINNING = ("IW", "IB")
_BEFORE_ROLL = ("C", "PR", "A")
_OVER = ("P", "G", "M", "F", "RG", "RM", "FF")


def looks_like_ogid(text: str) -> bool:
    """Return whether a text has the form of an OGID, valid or not."""
    plain = without_percents(text).lstrip(_OGID_WRAPPING)
    return _OGID_PREFIX.match(plain) is not None or _OGID_SHAPE.match(plain) is not None


def read_ogid(text: str) -> tuple[Board, Context, int]:
    """Return the board, the context and the checkers per side of an OGID, from the mover's side; White is X.

    ``OGID=`` may be missing; quotation marks and white space around the text are ignored, and characters may
    be percent-encoded. An OGID has no Jacoby rule, beavers or maximum cube; a dead cube that nobody owns is
    at its maximum.

    Raises `NotationError` if `text` is no OGID, its fields contradict each other, or the game is over;
    `InvalidPositionError` if a point is held by both sides, or a bar by the wrong one.
    """
    plain = without_percents(text).strip(_OGID_WRAPPING)
    prefix = _OGID_PREFIX.match(plain)
    fields = (plain[prefix.end() :] if prefix else plain).split(":")
    if len(plain) > _MAX_OGID_LENGTH or not _MIN_FIELDS <= len(fields) <= _MAX_FIELDS:
        raise NotationError(
            f"an OGID of {len(fields)} fields, {shown_ascii(plain)}; expected {_MIN_FIELDS} to {_MAX_FIELDS} "
            "with colons between them"
        )
    fields += ["", "", "IW"][len(fields) - _MIN_FIELDS :]
    fields += [""] * (_MAX_FIELDS - len(fields))
    white, black, cube_field, dice_field, acted, state, *numbers = fields
    cube = _CUBE.fullmatch(cube_field)
    if cube is None or int(cube[2]) > MAX_LOG2_CUBE:
        raise _invalid_field(
            3, "the cube", cube_field, f"N, W, B, D or ?, a number up to {MAX_LOG2_CUBE}, and N, O, T or P"
        )
    if not re.fullmatch("(?:[1-6][1-6])?", dice_field):
        raise _invalid_field(4, "dice", dice_field, "two digits from 1 to 6, or nothing")
    if state not in ("", *_BEGINNING, *_BEFORE_ROLL, "R", "D", *_OVER):
        raise _invalid_field(6, "the state of the game", state, "IW, IB, R, C, A, D, PR or nothing")
    if state in _OVER or cube[3] == "P":
        raise NotationError(
            f"the OGID {shown_ascii(plain)} is of a finished game; expected a game in progress"
        )
    offered = state == "D" or cube[3] == "O"
    waits_for_white = state == "IW" and not dice_field and not offered
    if acted not in ("W", "B") and not (waits_for_white and not acted):
        raise _invalid_field(5, "the player who acted", acted, "W or B")
    points_white, points_black = (_ogid_number(numbers[at], at + 7, "a score") for at in (0, 1))
    length = _LENGTH.fullmatch(numbers[2] or "0")
    if length is None or int(length[1]) > MAX_POINTS:
        raise _invalid_field(9, "match length", numbers[2], f"a number up to {MAX_POINTS}, then C, L or G")
    _ogid_number(numbers[3], 10, "the number of the move", 10**6)
    checkers = _ogid_number(numbers[4] or str(CHECKERS), 11, "checkers of a side", CHECKERS)
    if checkers == 0:
        raise _invalid_field(11, "checkers of a side", numbers[4], f"a number from 1 to {CHECKERS}")
    match_length, crawford = int(length[1]), length[2] == "C"
    check_score(points_white, points_black, match_length, crawford, "OGID")
    is_white = waits_for_white or acted == ("W" if offered else "B")  # an offer has the side of its maker
    turn = 1 if is_white else -1
    value = 1 << int(cube[2])
    owner = {"W": 1, "B": -1}.get(cube[1], 0)
    is_rolled = bool(dice_field) and not offered and state not in _BEFORE_ROLL
    context = Context(
        turn=turn,
        dice=(int(dice_field[0]), int(dice_field[1])) if is_rolled else None,
        offer="double" if offered else None,
        cube=value,
        cube_owner=owner * turn,
        score=(points_white, points_black) if is_white else (points_black, points_white),
        match_length=match_length,
        crawford=crawford,
        max_cube=value if cube[1] == "D" else max(UNLIMITED_CUBE, value),
    )
    board = _ogid_board(white, black)
    return board if is_white else flipped(board), context, checkers


def written_ogid(cells: Board, context: Context = NO_CONTEXT, checkers: int = CHECKERS) -> str:
    """Return the OGID of a valid board and context.

    Raises `NotationError` if a beaver or a raccoon is on offer, which an OGID cannot represent.
    """
    if context.offer not in (None, "double"):
        raise NotationError(f"an OGID cannot represent the offer of a {context.offer}; an XGID can")
    is_white = context.turn == 1
    board = cells if is_white else flipped(cells)
    white = "".join(_POINTS[BAR - point] * board[point] for point in range(BAR, 0, -1) if board[point] > 0)
    black = "".join(_POINTS[BAR - point] * -board[point] for point in range(BAR, -1, -1) if board[point] < 0)
    offered = context.offer == "double"
    is_dead = context.cube == context.max_cube and not context.cube_owner
    owner = "D" if is_dead else {1: "W", 0: "N", -1: "B"}[context.cube_owner * context.turn]
    fields = [
        white,
        black,
        f"{owner}{context.cube.bit_length() - 1}{'O' if offered else 'N'}",
        "" if context.dice is None else "{}{}".format(*sorted(context.dice)),
        "W" if is_white == offered else "B",
        "D" if offered else "C" if context.dice is None else "R",
        *context.score[:: context.turn],
        f"{context.match_length}{'C' if context.crawford else ''}",
        0,
        *([] if checkers == CHECKERS else [checkers]),
    ]
    return ":".join(map(str, fields))


def _ogid_board(white: str, black: str) -> Board:
    """Return the board of the first two fields, from White's side."""
    cells = [0] * BOARD_SIZE
    for name, number, points, side, bar in (("White", 1, white, 1, BAR), ("Black", 2, black, -1, 0)):
        for point in points:
            if point not in _POINTS:
                raise _invalid_field(number, f"the checkers of {name}", points, "the characters 0-9 and a-p")
            at = BAR - _POINTS.index(point)
            if cells[at] * side < 0 or (at in (0, BAR) and at != bar):
                raise InvalidPositionError(
                    f"field {number} of the OGID has a checker of {name} on {point!r}, the bar or a point of "
                    "the other side; expected one side at most"
                )
            cells[at] += side
    return tuple(cells)


def _ogid_number(field: str, index: int, name: str, maximum: int = MAX_POINTS) -> int:
    """Return the number of a field, 0 if it is empty, or raise `NotationError`."""
    if field and (not _OGID_NUMBER.fullmatch(field) or int(field) > maximum):
        raise _invalid_field(index, name, field, f"a number from 0 to {maximum}")
    return int(field or 0)


def _invalid_field(index: int, name: str, field: str, expected: str) -> NotationError:
    return NotationError(f"field {index} ({name}) of the OGID is {shown_ascii(field)}; expected {expected}")
