"""Lists of plays as numbered lines, or as an HTML table with small boards."""

from __future__ import annotations

from typing import Any

from bgfast.common.clean_text import clean_markup
from bgfast.position.board_svg import diagram_svg

MAX_BOARDS = 40  # in one table: a double can have hundreds of plays, a board takes 10 kB
BOARDS_WIDE = 3
BOARD_SIZE = 260  # pixels


def plays_text(plays: Any) -> str:
    """Return the number of plays of a `PlayList` and a numbered list of them."""
    lines = [_head(plays)]
    lines += [f"{number:4}  {play}" for number, play in enumerate(plays, 1)]
    return "\n".join(lines)


def _head(plays: Any) -> str:
    several = f"{len(plays)} legal plays"
    legal = {0: "no legal play, the turn passes", 1: "1 legal play"}.get(len(plays), several)
    return f"{plays.roll[0]}-{plays.roll[1]}: {legal}"


def plays_html(plays: Any) -> str:
    """Return a table with the text and a picture of the first `MAX_BOARDS` plays of a `PlayList`."""
    cells = [
        f'<td style="text-align: center">{number}. <b>{clean_markup(str(play))}</b><br>'
        f"{diagram_svg(play._diagram(), size=BOARD_SIZE)}</td>"
        for number, play in enumerate(plays[:MAX_BOARDS], 1)
    ]
    rows = [
        f"<tr>{''.join(cells[first : first + BOARDS_WIDE])}</tr>"
        for first in range(0, len(cells), BOARDS_WIDE)
    ]
    more = len(plays) - MAX_BOARDS
    if more > 0:
        rows.append(f'<tr><td colspan="{BOARDS_WIDE}">and {more} more, which print() lists</td></tr>')
    return f"<table><caption>{clean_markup(_head(plays))}</caption>{''.join(rows)}</table>"
