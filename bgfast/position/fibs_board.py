"""Board lines of FIBS, the First Internet Backgammon Server.

Source: the server's documentation of its interface, "rawboard".

Fields after ``board:``, separated by colons: the names of the viewing player and of the opponent; the length
of the match, 9999 for money; their points; 26 numbers, the checkers of one colour above 0 and of the other
below; the colour on turn; the dice of both; the cube; the right to double of both; 1 if a double awaits an
answer; the colour and the direction of the viewing player, home and bar; checkers off and on the bar, the
viewing player's first; the number of movable checkers, a forced move, 1 after the Crawford game, and
redoubles.
"""

from __future__ import annotations

import re

from bgfast.common.validation import BAR, CHECKERS, Board, flipped
from bgfast.errors import NotationError, shown, shown_ascii
from bgfast.position.xgid import UNLIMITED_CUBE, Context

_FIELDS = 52
_NAMES = 2
_MONEY = 9999
_NUMBER = re.compile(r"-?[0-9]{1,5}", re.ASCII)
_NAME = re.compile(r"[^:\s]+")


def looks_like_fibs_board(text: str) -> bool:
    """Return whether a text has the form of a board line, valid or not."""
    return text.lstrip()[:6] == "board:"


def read_fibs_board(text: str) -> tuple[Board, Context]:
    """Return the board and the context of a line, from the side of the player on roll; X is the viewer.

    Raises `NotationError` if it is malformed, or its fields contradict each other.
    """
    fields = text.strip().split(":")[1:]
    if len(fields) != _FIELDS:
        raise NotationError(f"a board line of FIBS with {len(fields)} fields; expected {_FIELDS}")
    for index, field in enumerate(fields[_NAMES:], _NAMES + 1):
        if not _NUMBER.fullmatch(field):
            raise NotationError(f"field {index} of the board line is {shown_ascii(field)}; expected a number")
    numbers = [int(field) for field in fields[_NAMES:]]
    length, own_score, opponent_score = numbers[:3]
    cells = numbers[3:29]
    turn, *dice, cube, may_double, opponent_may_double, is_doubled, colour, direction = numbers[29:40]
    if colour not in (1, -1) or direction not in (1, -1) or turn not in (1, -1):
        raise NotationError(f"turn {turn}, colour {colour}, direction {direction}; expected 1 or -1 for each")
    board = [colour * cell for cell in cells]
    if direction == 1:
        board.reverse()
    on_bar, opponent_on_bar = numbers[44:46]
    if (board[BAR], -board[0]) != (on_bar, opponent_on_bar):
        raise NotationError(
            f"{on_bar} and {opponent_on_bar} checkers on the bar, but {board[BAR]} and {-board[0]} on the "
            "board"
        )
    is_viewer_on_roll = turn == colour
    first, second = dice[:2] if is_viewer_on_roll else dice[2:]
    if not (first == second == 0 or (1 <= first <= 6 and 1 <= second <= 6)):
        raise NotationError(f"the dice {first} and {second}; expected 1 to 6, or 0 for none")
    if cube < 1 or cube & (cube - 1):
        raise NotationError(f"the cube shows {cube}; expected a power of two")
    is_money = length == _MONEY
    is_one_away = min(own_score, opponent_score) < max(own_score, opponent_score) == length - 1
    is_crawford = not is_money and not may_double and not opponent_may_double and cube == 1 and is_one_away
    owner = bool(may_double) - bool(opponent_may_double)
    side = 1 if is_viewer_on_roll else -1
    return tuple(board) if is_viewer_on_roll else flipped(board), Context(
        turn=side,
        dice=(first, second) if first and not is_doubled else None,
        offer="double" if is_doubled else None,
        cube=cube,
        cube_owner=owner * side,
        score=(own_score, opponent_score) if is_viewer_on_roll else (opponent_score, own_score),
        match_length=0 if is_money else length,
        crawford=is_crawford,
        max_cube=max(UNLIMITED_CUBE, cube),
    )


def written_fibs_board(cells: Board, context: Context, players: tuple[str, str] = ("X", "O")) -> str:
    """Return the board line of a valid position, from the side of X.

    Raises `NotationError` if a beaver or a raccoon is on offer, or a name has a colon or a blank.
    """
    if context.offer not in (None, "double"):
        raise NotationError(
            f"a board line of FIBS cannot represent the offer of a {context.offer}; an XGID can"
        )
    for name in players:
        if not isinstance(name, str):
            raise NotationError(f"the name {shown(name)}; expected text")
        if not _NAME.fullmatch(name):
            raise NotationError(f"the name {shown_ascii(name)}; expected one without colons and blanks")
    is_x_on_roll = context.turn == 1
    board = cells if is_x_on_roll else flipped(cells)
    score = context.score[:: context.turn]
    owner = context.cube_owner * context.turn
    dice = [*(context.dice or (0, 0)), 0, 0] if is_x_on_roll else [0, 0, *(context.dice or (0, 0))]
    may_double = (0, 0) if context.crawford else (int(owner >= 0), int(owner <= 0))
    off = [CHECKERS - sum(side * cell for cell in board if side * cell > 0) for side in (1, -1)]
    is_post_crawford = (
        context.match_length > 0 and max(score) == context.match_length - 1 and not context.crawford
    )
    numbers = [
        context.match_length or _MONEY, *score, *board, context.turn, *dice, context.cube, *may_double,
        int(context.offer == "double"), 1, -1, 0, 25, *off, board[BAR], -board[0], 0, 0,
        int(is_post_crawford), 0,
    ]  # fmt: skip
    return ":".join(["board", *players, *map(str, numbers)])
