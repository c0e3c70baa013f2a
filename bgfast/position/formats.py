"""Text formats with dice, cube and score: XGID, OGID, FIBS board lines, GNU Backgammon match IDs.

Functions take and return boards and a `Context` from the mover's side. In the formats, X plays at the bottom.
Readers raise `NotationError` if a text is malformed, contradicts itself or has no game in progress, and
`InvalidPositionError` if a board is impossible; writers raise `NotationError` for content that their format
cannot represent.
"""

from __future__ import annotations

import base64
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bgfast.common.text import Pattern
from bgfast.common.validation import BAR, BOARD_SIZE, CHECKERS, Board, flip_board
from bgfast.errors import InvalidPositionError, NotationError, quote_ascii, short_repr, too_many_checkers

UNLIMITED_CUBE = 1024  # maximum cube that eXtreme Gammon writes when there is no limit
MAX_LOG2_CUBE = 15  # maximum in a match ID
MAX_POINTS = 32767  # maximum in a match ID
_NUMBER_PATTERNS = {"XGID": "0|[1-9][0-9]*", "OGID": "[0-9]{0,6}"}
Offer = Literal["double", "beaver", "raccoon"]


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

    @property
    def offer_text(self) -> str:
        """Pending offer and the side that makes it, as a clause."""
        return f"{'X' if (self.turn == 1) != (self.offer == 'beaver') else 'O'} offers a {self.offer}"


NO_CONTEXT = Context()
"""Money play before the roll, the cube centred at 1."""


def context_of_x(
    turn: int, cube: int, cube_owner: int, score: tuple[int, int], max_cube: int = 0, **fields: Any
) -> Context:
    """Return a context; `cube_owner` and `score` are from the side of X; `max_cube` 0 means no limit."""
    return Context(
        turn=turn,
        cube=cube,
        cube_owner=cube_owner * turn,
        score=score if turn == 1 else (score[1], score[0]),
        max_cube=max_cube or max(UNLIMITED_CUBE, cube),
        **fields,
    )


def _change_side(board: Sequence[int], turn: int) -> Board:
    """Convert a board from the mover's side to the side of X, or back."""
    return tuple(board) if turn == 1 else flip_board(board)


def _refuse_beaver(context: Context, name: str) -> None:
    if context.offer not in (None, "double"):
        raise NotationError(f"{name} cannot represent the offer of a {context.offer}; an XGID can")


def _invalid_field(form: str, index: int, name: str, field: str, expected: str) -> NotationError:
    return NotationError(f"field {index} ({name}) of the {form} is {quote_ascii(field)}; expected {expected}")


def _read_number(form: str, index: int, name: str, field: str, maximum: int = MAX_POINTS) -> int:
    """Return the number in a field, 0 if the field is empty; raise `NotationError` if it is invalid."""
    if not re.fullmatch(_NUMBER_PATTERNS[form], field) or int(field or 0) > maximum:
        raise _invalid_field(form, index, name, field, f"a number from 0 to {maximum}")
    return int(field or 0)


def may_be_crawford(score: tuple[int, int], match_length: int) -> bool:
    """Return whether one player needs one point and the other more, or the match is to one point."""
    return max(score) == match_length - 1 and not score[0] == score[1] > 0


def check_score(score: tuple[int, int], match_length: int, crawford: bool, form: str = "XGID") -> None:
    """Raise `NotationError` if the points of X and O do not fit the match; `form` names their format."""
    points = f"{score[0]}-{score[1]}"
    if match_length and max(score) >= match_length:
        raise NotationError(f"the {form}'s score {points} ends its match to {match_length}; expected less")
    if crawford and not may_be_crawford(score, match_length):
        raise NotationError(
            f"the {form} marks the Crawford game at {points} in a match to {match_length}; "
            "expected a player who needs one more point, and one who needs more"
        )


# ---- XGIDs ----
#
# Source: eXtreme Gammon's help; the maximum values are from match IDs. `read_xgid` also reads the
# variants of other programs; `format_xgid` writes eXtreme Gammon's form.


_XGID_FIELDS = 10
_MAX_XGID_LENGTH = 100  # the longest valid text has 66 characters
_CHECKERS_OF_LETTER = {
    "-": 0,
    **{letter: n for n, letter in enumerate("ABCDEFGHIJKLMNOP", 1)},
    **{letter: -n for n, letter in enumerate("abcdefghijklmnop", 1)},
}
_LETTER_OF_CHECKERS = {n: letter for letter, n in _CHECKERS_OF_LETTER.items()}
_OFFERS: dict[str, Offer] = {"D": "double", "B": "beaver", "R": "raccoon"}
_QUOTES = "\"'`\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a\u300c\u300d"
_XGID_WRAPPING = string.whitespace + "\ufeff,;" + _QUOTES
_XGID_PREFIX = Pattern(r"XGID\s*[=:]\s*", re.ASCII | re.IGNORECASE)
_PERCENT = Pattern("%([0-7][0-9A-F])", re.IGNORECASE)


def format_xgid(cells: Sequence[int], context: Context = NO_CONTEXT) -> str:
    """Return the XGID of a valid board and context."""
    dice = "00" if context.dice is None else "{}{}".format(*context.dice)
    flags = int(context.crawford) if context.match_length else context.jacoby + 2 * context.beaver
    fields = [
        "".join(_LETTER_OF_CHECKERS[n] for n in _change_side(cells, context.turn)),
        context.cube.bit_length() - 1,
        context.cube_owner * context.turn,
        context.turn,
        dice if context.offer is None else context.offer[0].upper(),
        *context.score[:: context.turn],
        flags,
        context.match_length,
        context.max_cube.bit_length() - 1,
    ]
    return "XGID=" + ":".join(map(str, fields))


def looks_like_xgid(text: str) -> bool:
    """Return whether a text has the form of an XGID, valid or not."""
    content = decode_percents(text).lstrip(_XGID_WRAPPING)
    return _XGID_PREFIX.match(content) is not None or content.count(":") > 1


def decode_percents(text: str) -> str:
    """Return a text with its percent-encoded ASCII characters decoded."""
    return _PERCENT.sub(lambda code: chr(int(code[1], 16)), text) if "%" in text else text


def split_xgid(text: str) -> tuple[str, str] | None:
    """Return the unchecked XGID after a leading ``XGID=``, and the rest; None without ``XGID=``."""
    content = decode_percents(text).lstrip(_XGID_WRAPPING)
    prefix = _XGID_PREFIX.match(content)
    if prefix is None:
        return None
    xgid, *rest = content[prefix.end() :].split(maxsplit=1) or [""]
    return xgid, rest[0] if rest else ""


def read_xgid(text: str) -> tuple[Board, Context]:
    """Return the board and the context of an XGID, from the side of the player on roll.

    Quotation marks, white space, commas and semicolons around the text are ignored, and characters may be
    percent-encoded, as in a URL. Without the tenth field the maximum cube is 1024. A maximum of 2**0, which
    programs such as blunderDB write for "no limit", means no limit if the cube has been turned, otherwise a
    game without doubling.
    """
    letters, log2_cube, owner, turn, dice, score_x, score_o, flags, length, log2_max = _xgid_fields(text)
    board = _xgid_board(letters)
    cube = 2 ** _read_number("XGID", 2, "log2 of the cube", log2_cube, MAX_LOG2_CUBE)
    cube_owner = int(_read_choice(3, "cube owner", owner, "1", "0", "-1"))
    side = int(_read_choice(4, "turn", turn, "1", "-1"))
    offer = _OFFERS.get(dice)
    roll = None
    if offer is None and dice != "00":
        if not re.fullmatch("[1-6][1-6]", dice):
            raise _invalid_field("XGID", 5, "dice", dice, "two digits from 1 to 6, 00, D, B or R")
        roll = int(dice[0]), int(dice[1])
    score = _read_number("XGID", 6, "score of X", score_x), _read_number("XGID", 7, "score of O", score_o)
    match_length = _read_number("XGID", 9, "match length", length)
    if match_length:
        options = 4 * int(_read_choice(8, "Crawford, in a match", flags, "0", "1"))
    else:
        options = int(_read_choice(8, "Jacoby + 2 * beaver, in money play", flags, "0", "1", "2", "3"))
    max_cube = 2 ** _read_number("XGID", 10, "log2 of the maximum cube", log2_max, MAX_LOG2_CUBE)
    check_score(score, match_length, bool(options & 4))
    if max_cube == 1 and (cube > 1 or cube_owner or offer is not None):
        max_cube = 0
    elif cube > max_cube:
        raise NotationError(f"the XGID's cube shows {cube}; expected at most its maximum, {max_cube}")
    context = context_of_x(
        side,
        cube,
        cube_owner,
        score,
        max_cube,
        dice=roll,
        offer=offer,
        match_length=match_length,
        crawford=bool(options & 4),
        jacoby=bool(options & 1),
        beaver=bool(options & 2),
    )
    return _change_side(board, side), context


def _xgid_fields(text: str) -> list[str]:
    if not isinstance(text, str):
        raise NotationError(f"an XGID of type {type(text).__name__:.60}; expected a str")
    stripped = decode_percents(text).strip(_XGID_WRAPPING)
    if len(stripped) > _MAX_XGID_LENGTH:
        raise NotationError(
            f"an XGID of {len(stripped)} characters, {quote_ascii(stripped)}; "
            f"expected at most {_MAX_XGID_LENGTH}"
        )
    for place, character in enumerate(stripped, 1):
        if not character.isascii():
            raise NotationError(f"character {place} of the XGID is {character!a}; expected ASCII only")
    prefix = _XGID_PREFIX.match(stripped)
    fields = (stripped[prefix.end() :].lstrip(_XGID_WRAPPING) if prefix else stripped).split(":")
    if len(fields) == _XGID_FIELDS - 1:
        fields.append(str(UNLIMITED_CUBE.bit_length() - 1))
    if len(fields) != _XGID_FIELDS:
        raise NotationError(
            f"an XGID of {len(fields)} fields, {quote_ascii(stripped)}; expected {_XGID_FIELDS}, with colons "
            "between them, or 9 without the maximum cube"
        )
    return fields


def _xgid_board(letters: str) -> Board:
    if len(letters) != BOARD_SIZE:
        raise NotationError(
            f"field 1 (the board) of the XGID has {len(letters)} characters, {quote_ascii(letters)}; "
            f"expected {BOARD_SIZE}"
        )
    for index, letter in enumerate(letters):
        if letter not in _CHECKERS_OF_LETTER:
            raise NotationError(
                f"character {index} (from 0) of the XGID's board is {letter!r}; expected A-P, a-p or -"
            )
    board = tuple(_CHECKERS_OF_LETTER[letter] for letter in letters)
    for index, side, wrong_sign, case in ((0, "O", 1, "lower"), (BAR, "X", -1, "upper")):
        if board[index] * wrong_sign > 0:
            raise InvalidPositionError(
                f"character {index} of the XGID's board (the bar of {side}) is {letters[index]!r}; "
                f"expected - or {case} case"
            )
    for side, total in (("X", sum(n for n in board if n > 0)), ("O", -sum(n for n in board if n < 0))):
        if total > CHECKERS:
            raise InvalidPositionError(too_many_checkers(side, total, CHECKERS))
    return board


def _read_choice(index: int, name: str, field: str, *values: str) -> str:
    if field not in values:
        raise _invalid_field("XGID", index, name, field, " or ".join(values))
    return field


# ---- OGIDs, OpenGammon's position IDs ----
#
# Source: the documentation of the package gammonview (``gvformat/ogid.py``, MIT license), which names
# HedgeHog's OGID.md as the specification. The package pairs OGIDs with XGIDs of the same positions:
# in these pairs, White is X.
#
# Fields, separated by colons; all after the third may be missing:
#
# 1. and 2. A character for each checker of White and of Black: its point, ascending, 0-9 and a-p for 0
#    to 25. White's bar is 0, and White moves up to home at 19-24; Black's bar is 25.
# 3. The cube: its owner (``W``, ``B``, ``N`` nobody, ``D`` dead, ``?`` unknown), log2 of its value, and the
#    last action (``N`` none, ``O`` offered, ``T`` taken, ``P`` passed).
# 4. The dice, the lower first; empty before the roll.
# 5. The player who acted last, ``W`` or ``B``: the other player is on roll or has to answer an offer.
# 6. The state of the game: ``IW`` and ``IB`` its beginning, ``R`` rolled, ``C`` checkers moved, ``A`` a
#    double taken, ``D`` a double offered, ``PR`` before the roll; in any other state the game is over. Before
#    the opening roll, ``IW`` means that White is on roll, whatever field 5 says.
# 7. and 8. The points of White and of Black.
# 9. The length of the match, 0 for money, followed by ``C`` in the Crawford game, ``L`` after it, or ``G``
#    and the number of games of a session.
# 10. and 11. The number of the move, and the checkers per side, 15 if missing.


_POINTS = (string.digits + string.ascii_lowercase)[:BOARD_SIZE]
_MIN_FIELDS, _MAX_FIELDS = 3, 11
_MAX_OGID_LENGTH = 150  # the longest valid texts have about 80 characters
_OGID_WRAPPING = string.whitespace + "\u00a0\ufeff,;/\"'`\u201c\u201d\u201e"
_OGID_PREFIX = Pattern(r"OGID\s*[=:]\s*", re.ASCII | re.IGNORECASE)
_OGID_SHAPE = Pattern(r"[0-9a-p]*:[0-9a-p]*:[NWBD?][0-9]+[NOTP](?![^:])", re.ASCII)
_CUBE = Pattern(r"([NWBD?])([0-9]{1,2})([NOTP])", re.ASCII)
_LENGTH = Pattern(r"([0-9]{1,6})([CL]?|G[0-9]{0,6})", re.ASCII)
_BEFORE_ROLL = ("C", "PR", "A")
_OVER = ("P", "G", "M", "F", "RG", "RM", "FF")


def looks_like_ogid(text: str) -> bool:
    """Return whether a text has the form of an OGID, valid or not."""
    content = decode_percents(text).lstrip(_OGID_WRAPPING)
    return _OGID_PREFIX.match(content) is not None or _OGID_SHAPE.match(content) is not None


def read_ogid(text: str) -> tuple[Board, Context, int]:
    """Return the board, the context and the checkers per side of an OGID, from the mover's side; White is X.

    White space, quotation marks and the like around the text are ignored. An OGID does not state
    the Jacoby rule, beavers or a maximum cube; a dead cube that nobody owns is at its maximum.
    """
    content = decode_percents(text).strip(_OGID_WRAPPING)
    prefix = _OGID_PREFIX.match(content)
    fields = (content[prefix.end() :] if prefix else content).split(":")
    if len(content) > _MAX_OGID_LENGTH or not _MIN_FIELDS <= len(fields) <= _MAX_FIELDS:
        raise NotationError(
            f"an OGID of {len(fields)} fields, {quote_ascii(content)}; "
            f"expected {_MIN_FIELDS} to {_MAX_FIELDS} with colons between them"
        )
    fields += ["", "", "IW"][len(fields) - _MIN_FIELDS :]
    fields += [""] * (_MAX_FIELDS - len(fields))
    white, black, cube_field, dice_field, last_actor, state, *rest = fields
    cube = _CUBE.fullmatch(cube_field)
    if cube is None or int(cube[2]) > MAX_LOG2_CUBE:
        expected = f"N, W, B, D or ?, a number up to {MAX_LOG2_CUBE}, and N, O, T or P"
        raise _invalid_field("OGID", 3, "the cube", cube_field, expected)
    if not re.fullmatch("(?:[1-6][1-6])?", dice_field):
        raise _invalid_field("OGID", 4, "dice", dice_field, "two digits from 1 to 6, or nothing")
    if state not in ("", "IW", "IB", *_BEFORE_ROLL, "R", "D", *_OVER):
        raise _invalid_field("OGID", 6, "the state of the game", state, "IW, IB, R, C, A, D, PR or nothing")
    if state in _OVER or cube[3] == "P":
        raise NotationError(
            f"the OGID {quote_ascii(content)} states a finished game; expected a game in progress"
        )
    is_offered = state == "D" or cube[3] == "O"
    waits_for_white = state == "IW" and not dice_field and not is_offered
    if last_actor not in ("W", "B") and not (waits_for_white and not last_actor):
        raise _invalid_field("OGID", 5, "the player who acted", last_actor, "W or B")
    score = _read_number("OGID", 7, "a score", rest[0]), _read_number("OGID", 8, "a score", rest[1])
    length = _LENGTH.fullmatch(rest[2] or "0")
    if length is None or int(length[1]) > MAX_POINTS:
        expected = f"a number up to {MAX_POINTS}, then C, L or G"
        raise _invalid_field("OGID", 9, "match length", rest[2], expected)
    _read_number("OGID", 10, "the number of the move", rest[3], 10**6)
    checkers = _read_number("OGID", 11, "checkers per side", rest[4] or str(CHECKERS), CHECKERS)
    if checkers == 0:
        raise _invalid_field("OGID", 11, "checkers per side", rest[4], f"a number from 1 to {CHECKERS}")
    match_length, crawford = int(length[1]), length[2] == "C"
    check_score(score, match_length, crawford, "OGID")
    # A player who offers a double stays on roll; otherwise the turn passes to the other player.
    turn = 1 if waits_for_white or last_actor == ("W" if is_offered else "B") else -1
    value = 1 << int(cube[2])
    is_rolled = bool(dice_field) and not is_offered and state not in _BEFORE_ROLL
    context = context_of_x(
        turn,
        value,
        {"W": 1, "B": -1}.get(cube[1], 0),
        score,
        value if cube[1] == "D" else 0,
        dice=(int(dice_field[0]), int(dice_field[1])) if is_rolled else None,
        offer="double" if is_offered else None,
        match_length=match_length,
        crawford=crawford,
    )
    return _change_side(_ogid_board(white, black), turn), context, checkers


def format_ogid(cells: Sequence[int], context: Context = NO_CONTEXT, checkers: int = CHECKERS) -> str:
    """Return the OGID of a valid board and context."""
    _refuse_beaver(context, "an OGID")
    board = _change_side(cells, context.turn)
    white = "".join(_POINTS[BAR - point] * board[point] for point in range(BAR, 0, -1) if board[point] > 0)
    black = "".join(_POINTS[BAR - point] * -board[point] for point in range(BAR, -1, -1) if board[point] < 0)
    is_offered = context.offer == "double"
    is_dead = context.cube == context.max_cube and not context.cube_owner
    owner = "D" if is_dead else {1: "W", 0: "N", -1: "B"}[context.cube_owner * context.turn]
    fields = [
        white,
        black,
        f"{owner}{context.cube.bit_length() - 1}{'O' if is_offered else 'N'}",
        "" if context.dice is None else "{}{}".format(*sorted(context.dice)),
        "W" if (context.turn == 1) == is_offered else "B",
        "D" if is_offered else "C" if context.dice is None else "R",
        *context.score[:: context.turn],
        f"{context.match_length}{'C' if context.crawford else ''}",
        0,
        *([] if checkers == CHECKERS else [checkers]),
    ]
    return ":".join(map(str, fields))


def _ogid_board(white: str, black: str) -> Board:
    cells = [0] * BOARD_SIZE
    for name, field, points, side, bar in (("White", 1, white, 1, BAR), ("Black", 2, black, -1, 0)):
        for point in points:
            if point not in _POINTS:
                expected = "the characters 0-9 and a-p"
                raise _invalid_field("OGID", field, f"the checkers of {name}", points, expected)
            index = BAR - _POINTS.index(point)
            if cells[index] * side < 0 or (index in (0, BAR) and index != bar):
                raise InvalidPositionError(
                    f"field {field} of the OGID has a checker of {name} on {point!r}, the bar or a point of "
                    "the other side; expected checkers of one side only"
                )
            cells[index] += side
    return tuple(cells)


# ---- board lines of FIBS, the First Internet Backgammon Server ----
#
# Source: the server's documentation of its interface, "rawboard".
#
# Fields after ``board:``, separated by colons: names of the viewing player and of the opponent; the length of
# the match, 9999 for money; both scores; 26 numbers, positive for one colour's checkers and negative for the
# other's; the colour on turn; both players' dice; the cube; both rights to double; 1 if a double awaits an
# answer; the colour and the direction of the viewing player, home and bar; checkers off and on the bar, the
# viewing player's first; the number of movable checkers, a forced move, 1 after the Crawford game, redoubles.


_FIBS_FIELDS = 52
_FIBS_MONEY = 9999


def looks_like_fibs_board(text: str) -> bool:
    """Return whether a text has the form of a board line, valid or not."""
    return text.lstrip()[:6] == "board:"


def read_fibs_board(text: str) -> tuple[Board, Context]:
    """Return the board and the context of a line from the mover's side; X is the viewing player."""
    fields = text.strip().split(":")[1:]
    if len(fields) != _FIBS_FIELDS:
        raise NotationError(f"a board line of FIBS with {len(fields)} fields; expected {_FIBS_FIELDS}")
    for index, field in enumerate(fields[2:], 3):
        if not re.fullmatch("-?[0-9]{1,5}", field):
            raise NotationError(f"field {index} of the board line is {quote_ascii(field)}; expected a number")
    values = [int(field) for field in fields[2:]]
    length, viewer_score, opponent_score = values[:3]
    cells = values[3:29]
    turn, *dice, cube, may_double, opponent_may_double, is_doubled, colour, direction = values[29:40]
    if colour not in (1, -1) or direction not in (1, -1) or turn not in (1, -1):
        raise NotationError(f"turn {turn}, colour {colour}, direction {direction}; expected 1 or -1 for each")
    board = [colour * cell for cell in cells]
    if direction == 1:
        board.reverse()
    bar_count, opponent_bar_count = values[44:46]
    if (board[BAR], -board[0]) != (bar_count, opponent_bar_count):
        raise NotationError(
            f"{bar_count} and {opponent_bar_count} checkers in the bar fields, "
            f"but {board[BAR]} and {-board[0]} on the bar of the board"
        )
    side = turn * colour  # 1 if the viewer is on roll
    first, second = dice[:2] if side == 1 else dice[2:]
    if not (first == second == 0 or (1 <= first <= 6 and 1 <= second <= 6)):
        raise NotationError(f"the dice {first} and {second}; expected 1 to 6, or 0 for none")
    if cube < 1 or cube & (cube - 1):
        raise NotationError(f"the cube shows {cube}; expected a power of two")
    is_money = length == _FIBS_MONEY
    has_cube = is_money or may_double or opponent_may_double or cube > 1
    is_crawford = not has_cube and may_be_crawford((viewer_score, opponent_score), length)
    context = context_of_x(
        side,
        cube,
        bool(may_double) - bool(opponent_may_double),
        (viewer_score, opponent_score),
        dice=(first, second) if first and not is_doubled else None,
        offer="double" if is_doubled else None,
        match_length=0 if is_money else length,
        crawford=is_crawford,
    )
    return _change_side(tuple(board), side), context


def format_fibs_board(cells: Sequence[int], context: Context, players: tuple[str, str] = ("X", "O")) -> str:
    """Return the board line of a valid position, from the side of X."""
    _refuse_beaver(context, "a board line of FIBS")
    for name in players:
        if not isinstance(name, str):
            raise NotationError(f"the name {short_repr(name)}; expected text")
        if not re.fullmatch(r"[^:\s]+", name):
            raise NotationError(f"the name {quote_ascii(name)}; expected a name without colons or blanks")
    board = _change_side(cells, context.turn)
    score = context.score[:: context.turn]
    owner = context.cube_owner * context.turn
    dice = [context.dice or (0, 0), (0, 0)][:: context.turn]
    may_double = (0, 0) if context.crawford else (int(owner >= 0), int(owner <= 0))
    off_counts = [CHECKERS - sum(side * cell for cell in board if side * cell > 0) for side in (1, -1)]
    is_last_point = 0 < context.match_length == max(score) + 1
    values = [
        context.match_length or _FIBS_MONEY, *score, *board, context.turn, *dice[0], *dice[1],
        context.cube, *may_double, int(context.offer == "double"), 1, -1, 0, 25, *off_counts,
        board[BAR], -board[0], 0, 0, int(is_last_point and not context.crawford), 0,
    ]  # fmt: skip
    return ":".join(["board", *players, *map(str, values)])


# ---- match IDs of GNU Backgammon: dice, cube and score in 12 characters ----
#
# Source: the GNU Backgammon manual, "A technical description of the Match ID", and IDs printed by version
# 1.07, which have an additional bit for the Jacoby rule.
#
# Bits, the least significant first: 0-3 log2 of the cube; 4-5 its owner, 3 for nobody; 6 the player on roll;
# 7 set in the Crawford game; 8-10 the state of the game, 1 if in progress; 11 the player who has to decide;
# 12 set if a double is offered; 13-14 a resignation; 15-17 and 18-20 the dice, 0 for none; 21-35 the length
# of the match, 0 for money; 36-50 and 51-65 the scores; 66 set without the Jacoby rule. Player 0 is O, player
# 1 is X.


_WIDTHS = (4, 2, 1, 1, 3, 1, 1, 2, 3, 3, 15, 15, 15, 1)
_NOBODY = 3
_PLAYING = 1


def match_id_of(context: Context) -> str:
    """Return the match ID of a valid context."""
    _refuse_beaver(context, "a match ID")
    max_cube = 1 << MAX_LOG2_CUBE
    if context.cube > max_cube or max(*context.score, context.match_length) > MAX_POINTS:
        raise NotationError(
            f"a match ID has no room for a cube of {context.cube}, a score of {context.score} or a match to "
            f"{context.match_length}; expected a cube up to {max_cube} and up to {MAX_POINTS} points"
        )
    on_roll = int(context.turn == 1)
    owner = {1: 1, 0: _NOBODY, -1: 0}[context.cube_owner * context.turn]
    first, second = (0, 0) if context.dice is None else sorted(context.dice, reverse=True)
    is_doubled = context.offer == "double"
    values = [
        context.cube.bit_length() - 1, owner, on_roll, context.crawford,
        _PLAYING, on_roll ^ is_doubled, is_doubled, 0, first, second,
        context.match_length, *context.score[:: -context.turn], not context.jacoby,  # False in matches
    ]  # fmt: skip
    packed = 0
    for value, width in zip(reversed(values), reversed(_WIDTHS), strict=True):
        packed = packed << width | int(value)
    return base64.b64encode(packed.to_bytes(9, "little")).decode("ascii")


def read_match_id(text: str) -> Context:
    """Return the context of a match ID."""
    if not isinstance(text, str) or not re.fullmatch("[A-Za-z0-9+/]{12}", text):
        value = quote_ascii(text) if isinstance(text, str) else type(text).__name__
        raise NotationError(f"the match ID is {value}; expected 12 characters: A-Z, a-z, 0-9, + or /")
    rest = int.from_bytes(base64.b64decode(text), "little")
    values = []
    for width in _WIDTHS:
        values.append(rest & ((1 << width) - 1))
        rest >>= width
    log2_cube, owner, on_roll, crawford, state, decider, is_doubled, resignation = values[:8]
    first, second, length, score_o, score_x, no_jacoby = values[8:]
    name = f"the match ID {text}"
    if rest:
        raise NotationError(f"{name} has bits set after its end; expected zeros only")
    if state > _PLAYING or resignation:
        state_text = "a resignation" if resignation else "a finished game"
        raise NotationError(f"{name} states {state_text}; expected a game in progress")
    if owner == 2:
        raise NotationError(f"{name} gives the cube to player 2; expected 0, 1, or 3 for nobody")
    if decider != on_roll ^ is_doubled:
        raise NotationError(f"{name} lets player {decider} decide; expected player {1 - decider}")
    if max(first, second) > 6 or (first == 0) != (second == 0):
        raise NotationError(f"{name} has the dice {first} and {second}; expected 1 to 6, or 0 for none")
    return context_of_x(
        1 if on_roll else -1,
        1 << log2_cube,
        {0: -1, 1: 1, _NOBODY: 0}[owner],
        (score_x, score_o),
        dice=(first, second) if first and not is_doubled else None,
        offer="double" if is_doubled else None,
        match_length=length,
        crawford=bool(crawford),
        jacoby=not length and not no_jacoby,
    )
