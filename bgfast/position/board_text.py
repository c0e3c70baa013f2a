"""Printed boards and lists of plays.

Source: the layout of a board follows GNU Backgammon's text windows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bgfast.common.text import Pattern, clean_markup, pluralize
from bgfast.common.validation import Board, flip_board
from bgfast.position.formats import Context, context_of_x

_ROWS = 5  # maximum number of checkers drawn on a point
_INDENT = "   "


def board_text(
    board: Sequence[int],
    *,
    checkers: int = 15,
    margin: Mapping[int, str] | None = None,
    numbered_from_above: bool = False,
) -> str:
    """Return a position drawn as 13 lines of ASCII, from the side of the mover, whose checkers are ``X``.

    A stack of more than five shows its count nearest the middle. `margin` maps lines 1 to 11, counted from 0,
    to their texts; by default line 6 has the player on roll or the winner. With `numbered_from_above`,
    the points are numbered from the side of the player above. The board must be valid.
    """
    lines = [
        f"+{_labels(range(13, 19))}-----{_labels(range(19, 25))}+",
        *(_row(board, range(13, 19), 0, range(19, 25), level) for level in range(_ROWS)),
        f"|{'':18}|BAR|{'':18}|",
        *(_row(board, range(12, 6, -1), 25, range(6, 0, -1), level) for level in reversed(range(_ROWS))),
        f"+{_labels(range(12, 6, -1))}-----{_labels(range(6, 0, -1))}+",
    ]
    if numbered_from_above:
        lines[0], lines[12] = (
            f"+{_labels(labelled[:6])}-----{_labels(labelled[6:])}+"
            for labelled in (range(12, 0, -1), range(13, 25))
        )
    for index, text in ({6: _status(board)} if margin is None else margin).items():
        lines[index] += _INDENT + text
    lines[0] += _INDENT + _summary("O", flip_board(board), checkers)
    lines[12] += _INDENT + _summary("X", board, checkers)
    return "\n".join(lines)


def _labels(points: Iterable[int]) -> str:
    """Return the numbers of six points as a piece of the frame."""
    return "".join(f"{point:->2}-" for point in points)


def _row(board: Sequence[int], left: Iterable[int], bar: int, right: Iterable[int], level: int) -> str:
    """Return a line across the board, `level` checkers away from its edge."""
    halves = ["".join(_cell(board[point], level) for point in points) for points in (left, right)]
    return f"|{halves[0]}|{_cell(board[bar], level)}|{halves[1]}|"


def _cell(count: int, level: int) -> str:
    """Return the three characters of a stack of ``abs(count)`` checkers at a level."""
    height = abs(count)
    if height <= level:
        return "   "
    if height > _ROWS and level == _ROWS - 1:
        return f"{height:2} "
    return " X " if count > 0 else " O "


def _summary(side: str, board: Sequence[int], checkers: int) -> str:
    """Return the pip count and the checkers borne off, for the side whose checkers are positive."""
    counts = [max(n, 0) for n in board]
    return f"{side}: pips {sum(point * n for point, n in enumerate(counts))}, off {checkers - sum(counts)}"


def _status(board: Sequence[int]) -> str:
    texts = "no checkers", "O has won", "X has won", "X on roll"
    return texts[any(n > 0 for n in board) + 2 * any(n < 0 for n in board)]


_FIRST_LINE = Pattern(r"\+1([32])-1[41]-1[50]-.*, off ([0-9]{1,2})", re.ASCII)
_LAST_LINE = Pattern(r"\+1[23]-1[14]-1[05]-.*, off ([0-9]{1,2})", re.ASCII)
_COLUMNS = [range(13, 19), [0], range(19, 25)], [range(12, 6, -1), [25], range(6, 0, -1)]


def read_board_text(lines: Sequence[str]) -> tuple[Board, int, Context | None] | None:
    """Return board, checkers per side and context in a text written by `board_text`; None for other text.

    The mover is the player from whose side the points are numbered. The context is read from the margin; it
    is None if the margin has no cube.
    """
    lines = [line.strip() for line in lines]
    first, last = _FIRST_LINE.match(lines[0]), _LAST_LINE.match(lines[-1])
    if len(lines) != 13 or first is None or last is None:
        return None
    board = [0] * 26
    for rows, parts in zip((lines[1:6], lines[11:6:-1]), _COLUMNS, strict=True):  # from the edge inwards
        start = 1
        for points in parts:
            for point in points:
                cells = [row[start : start + 3].strip() for row in rows]
                height = sum(cell != "" for cell in cells)
                count = int(cells[-1]) if cells[-1].isdecimal() else height
                board[point] = count if cells[0] == "X" else -count
                start += 3
            start += 1
    checkers = sum(max(n, 0) for n in board) + int(last[1])
    turn = 1 if first[1] == "3" else -1
    context = _read_margin([line[_WIDTH:].strip() for line in lines], turn)
    return tuple(board) if turn == 1 else flip_board(board), checkers, context


# ---- cube, score and dice, in the margin of a board ----


_WIDTH = 43  # width of a line without margin
_CUBE_LINES = {1: 10, 0: 7, -1: 2}  # by owner: X, nobody, O
_SCORE_LINES = 11, 1  # of X and O
_CUBE = Pattern(r"cube ([0-9]{1,99})", re.ASCII)
_SCORE = Pattern(r"score ([0-9]{1,9})(?: of ([0-9]{1,9}))?( \(Crawford game\))?", re.ASCII)
_ACTION = Pattern(r"[XO] (?:to play ([1-6])-([1-6])|offers a (double|beaver|raccoon))", re.ASCII)


def margin_of(context: Context, status: str) -> dict[int, str]:
    """Return the margin lines by index: `status` on line 6, and the cube and the score of a context."""
    owner = context.cube_owner * context.turn
    margin = {6: status, _CUBE_LINES[owner]: f"{'   ' if owner else ''}cube {context.cube}"}
    if context.match_length or any(context.score):
        suffix = f" of {context.match_length}" if context.match_length else ""
        suffix += " (Crawford game)" if context.crawford else ""
        for line, score in zip(_SCORE_LINES, context.score[:: context.turn], strict=True):
            margin[line] = f"   score {score}{suffix}"
    return margin


def _read_margin(margin: Sequence[str], turn: int) -> Context | None:
    """Return the context in a margin made by `margin_of`; None without a cube."""
    cubes = {owner: cube for owner, line in _CUBE_LINES.items() if (cube := _CUBE.fullmatch(margin[line]))}
    if not cubes:
        return None
    owner, cube = cubes.popitem()
    scores = [_SCORE.fullmatch(margin[line]) for line in _SCORE_LINES]
    points_x, points_o = (int(score[1]) if score else 0 for score in scores)
    score = scores[0]
    action = _ACTION.fullmatch(margin[6])
    offer: Any = action[3] if action else None
    return context_of_x(
        turn,
        int(cube[1]),
        owner,
        (points_x, points_o),
        dice=(int(action[1]), int(action[2])) if action and action[1] else None,
        offer=offer,
        match_length=int(score[2] or 0) if score else 0,
        crawford=bool(score and score[3]),
    )


# ---- lists of plays: numbered lines, or an HTML table with small boards ----


MAX_BOARDS = 40  # in one table: a double can have hundreds of plays, and a board takes 10 kB
BOARDS_PER_ROW = 3
BOARD_SIZE = 260  # pixels


def plays_text(plays: Any) -> str:
    """Return the text of a `PlayList`: a heading with the number of plays, then a numbered list."""
    lines = [_heading(plays)]
    lines += [f"{index:4}  {play}" for index, play in enumerate(plays, 1)]
    return "\n".join(lines)


def _heading(plays: Any) -> str:
    summary = pluralize(len(plays), "legal play") if len(plays) else "no legal play, the turn passes"
    return f"{plays.roll[0]}-{plays.roll[1]}: {summary}"


def plays_html(plays: Any) -> str:
    """Return a table with the text and a picture of the first `MAX_BOARDS` plays of a `PlayList`."""
    cells = [
        f'<td style="text-align: center">{index}. <b>{clean_markup(str(play))}</b><br>'
        f"{play.svg(size=BOARD_SIZE)}</td>"
        for index, play in enumerate(plays[:MAX_BOARDS], 1)
    ]
    rows = [
        f"<tr>{''.join(cells[first : first + BOARDS_PER_ROW])}</tr>"
        for first in range(0, len(cells), BOARDS_PER_ROW)
    ]
    rest = len(plays) - MAX_BOARDS
    if rest > 0:
        rows.append(f'<tr><td colspan="{BOARDS_PER_ROW}">and {rest} more, which print() lists</td></tr>')
    return f"<table><caption>{clean_markup(_heading(plays))}</caption>{''.join(rows)}</table>"
