"""OGIDs, OpenGammon's position IDs.

Source: the documentation of the package gammonview (``gvformat/ogid.py``, MIT license), which names
HedgeHog's OGID.md as the specification; its pairs of an OGID and the XGID of the same position show that
White is X.

Fields, separated by colons; those after the third may be missing:

1. and 2. A character for each checker of White and of Black: its point, in rising order, 0-9 and a-p for 0 to
   25. White's bar is 0, and White moves up to home at 19-24; Black's bar is 25.
3. The cube: its owner (``W``, ``B``, ``N`` nobody, ``D`` dead, ``?`` unknown), log2 of its value, and the
   last action (``N`` none, ``O`` offered, ``T`` taken, ``P`` passed).
4. The dice, the lower first; empty before the roll.
5. The player who acted last, ``W`` or ``B``: the other player is on roll or has to answer an offer.
6. The state of the game: ``IW`` and ``IB`` its beginning, ``R`` rolled, ``C`` checkers moved, ``A`` a double
   taken, ``D`` a double offered, ``PR`` before the roll; in any other state the game is over. Before the
   opening roll ``IW`` means that White is on roll, whatever field 5 is.
7. and 8. The points of White and of Black.
9. The length of the match, 0 for money, followed by ``C`` in the Crawford game, ``L`` after it, ``G`` and the
   number of games of a session.
10. The number of the move, and 11. the checkers per side, 15 if missing.
"""

from __future__ import annotations

import re
import string

from bgfast.common.vocabulary import BAR, BOARD_SIZE, CHECKERS, Board, flipped
from bgfast.errors import InvalidPositionError, NotationError, shown_ascii
from bgfast.position.text.xgid_text import (
    MAX_LOG2_CUBE,
    MAX_POINTS,
    UNLIMITED_CUBE,
    Context,
    check_score,
    without_percents,
)

_POINTS = (string.digits + string.ascii_lowercase)[:BOARD_SIZE]
_MIN_FIELDS, _MAX_FIELDS = 3, 11
_MAX_TEXT_LENGTH = 150  # valid texts have at most some 80 characters
_WRAPPING = string.whitespace + "\u00a0\ufeff,;/\"'`\u201c\u201d\u201e"
_PREFIX = re.compile(r"OGID\s*[=:]\s*", re.ASCII | re.IGNORECASE)
_SHAPE = re.compile(r"[0-9a-p]*:[0-9a-p]*:[NWBD?][0-9]+[NOTP](?![^:])", re.ASCII)
_CUBE = re.compile(r"([NWBD?])([0-9]{1,2})([NOTP])", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,6}", re.ASCII)
_LENGTH = re.compile(r"([0-9]{1,6})([CL]?|G[0-9]{0,6})", re.ASCII)
_BEGINNING = ("IW", "IB")
_BEFORE_ROLL = ("C", "PR", "A")
_OVER = ("P", "G", "M", "F", "RG", "RM", "FF")


def looks_like_ogid(text: str) -> bool:
    """Return whether a text has the form of an OGID, valid or not."""
    plain = without_percents(text).lstrip(_WRAPPING)
    return _PREFIX.match(plain) is not None or _SHAPE.match(plain) is not None


def read_ogid(text: str) -> tuple[Board, Context, int]:
    """Return the board, the context and the checkers per side of an OGID, from the mover's side; White is X.

    ``OGID=`` may be missing; quotation marks and white space around the text are ignored, and characters may
    be percent-encoded. An OGID has no Jacoby rule, beavers or maximum cube; a dead cube that nobody owns is
    at its maximum.

    Raises `NotationError` if `text` is no OGID, its fields contradict each other, or the game is over;
    `InvalidPositionError` if a point is held by both sides, or a bar by the wrong one.
    """
    plain = without_percents(text).strip(_WRAPPING)
    prefix = _PREFIX.match(plain)
    fields = (plain[prefix.end() :] if prefix else plain).split(":")
    if len(plain) > _MAX_TEXT_LENGTH or not _MIN_FIELDS <= len(fields) <= _MAX_FIELDS:
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
    points_white, points_black = (_number(numbers[at], at + 7, "a score") for at in (0, 1))
    length = _LENGTH.fullmatch(numbers[2] or "0")
    if length is None or int(length[1]) > MAX_POINTS:
        raise _invalid_field(9, "match length", numbers[2], f"a number up to {MAX_POINTS}, then C, L or G")
    _number(numbers[3], 10, "the number of the move", 10**6)
    checkers = _number(numbers[4] or str(CHECKERS), 11, "checkers of a side", CHECKERS)
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
    board = _board(white, black)
    return board if is_white else flipped(board), context, checkers


def written_ogid(cells: Board, context: Context, checkers: int = CHECKERS) -> str:
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


def _board(white: str, black: str) -> Board:
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


def _number(field: str, index: int, name: str, maximum: int = MAX_POINTS) -> int:
    """Return the number of a field, 0 if it is empty, or raise `NotationError`."""
    if field and (not _NUMBER.fullmatch(field) or int(field) > maximum):
        raise _invalid_field(index, name, field, f"a number from 0 to {maximum}")
    return int(field or 0)


def _invalid_field(index: int, name: str, field: str, expected: str) -> NotationError:
    return NotationError(f"field {index} ({name}) of the OGID is {shown_ascii(field)}; expected {expected}")
