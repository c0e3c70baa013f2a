"""``bgfast show``: the board with dice, cube and score, its IDs and its phase; or a picture of it.

The position is typed, or it is a moment of a recorded match.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from bgfast.cli.colours import coloured_board
from bgfast.cli.options import (
    STANDARD_INPUT,
    add_position,
    check_target,
    given_position,
    nothing_more,
    whole,
    write_file,
)
from bgfast.cli.parser import Parser
from bgfast.cli.records import complain_of_findings, opened_record, record_name
from bgfast.common.terminal import folded
from bgfast.errors import BgfastError
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.games.svg import svg
from bgfast.position.position_text import PositionText
from bgfast.records.match_files import recorded_games
from bgfast.records.moments import moment

__all__ = ["add_options", "run"]


def add_options(parser: Parser) -> None:
    """Add what can be typed behind ``bgfast show``."""
    add_position(
        parser,
        "",
        "The dice, cube and score of an XGID or a match ID are shown, too.",
        "FILE in its place is a recorded match, as .mat, .txt or SGF, and - one on standard input: the "
        "position before that move of that game, the numbers those of its score sheet.",
        example="bgfast show 4HPwATDgc/ABMA",
    )
    parser.add_argument("--game", type=whole(1, 10**9), metavar="N", help="of a recorded match (1)")
    parser.add_argument(
        "--move", type=whole(1, 10**6), metavar="N", help="of that game; its end if there is none (the end)"
    )
    parser.add_argument("--player", choices=PLAYER_NAMES, help="whose half of the move (the first one)")
    parser.add_argument("--svg", metavar="FILE", help="write a picture of it to FILE")
    parser.add_argument(
        "--theme", choices=("light", "dark", "print"), default="light", help="of the picture (light)"
    )
    parser.add_argument(
        "--size", type=int, default=600, metavar="N", help="how many pixels wide the picture is (600)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Print the position, and write its picture if that is wanted."""
    if _is_record(arguments):
        if arguments.svg is not None:
            check_target(arguments.svg, arguments.words)
        text = _recorded(arguments)
    else:
        text = given_position(arguments)
        nothing_more(text)
    if arguments.svg is not None:
        picture = svg(text.context or text.position, theme=arguments.theme, size=arguments.size)
        write_file(arguments.svg, picture)
    if arguments.json:
        print(json.dumps(_content(text)))
        return
    seen = text.context or text.position
    lines = [str(seen), "", f"GNU position ID: {text.position.gnubg_id}", *_match_id(text), seen.xgid]
    lines.append(f"phase: {text.position.phase}")
    print(coloured_board(folded("\n".join(lines), sys.stdout), sys.stdout))


def _is_record(arguments: argparse.Namespace) -> bool:
    """Whether the words are a file with a recorded match."""
    asked = any(each is not None for each in (arguments.game, arguments.move, arguments.player))
    words = arguments.words
    return asked or (len(words) == 1 and (words[0] == STANDARD_INPUT or os.path.isfile(words[0])))


def _recorded(arguments: argparse.Namespace) -> PositionText:
    """Return a moment of a recorded match; the findings of its game are shown."""
    if len(arguments.words) != 1:
        raise BgfastError(f"{len(arguments.words)} words; expected the file of a recorded match")
    file, number = arguments.words[0], arguments.game or 1
    games = 0
    with opened_record(file) as content:
        for _, match, _ in recorded_games(content, record_name(file)):
            games += 1
            if games == number:
                complain_of_findings(file, match.findings)
                player = None if arguments.player is None else PLAYER_NAMES.index(arguments.player)
                context = moment(match, arguments.move, player).decision
                return PositionText(context.position, (), context)
        raise BgfastError(f"{games} game{'' if games == 1 else 's'} in it; expected --game of these")


def _match_id(text: PositionText) -> list[str]:
    """Return the line of the match ID; it cannot say that a beaver is on offer."""
    context = text.context
    if context is None or context.offer not in (None, "double"):
        return []
    return [f"GNU match ID:    {context.match_id}"]


def _content(text: PositionText) -> dict[str, Any]:
    position, context = text.position, text.context
    content: dict[str, Any] = {
        "position": position.gnubg_id,
        "gnubg_id": position.gnubg_id,
        "xgid": (context or position).xgid,
        "board": position.to_array().tolist(),
        "checkers": position.checkers,
        "pip_counts": position.pip_counts,
        "off": position.off,
        "phase": position.phase,
    }
    if context is None:
        return content
    names = "turn dice offer cube cube_owner score match_length crawford jacoby beaver max_cube".split()
    return {**content, **{name: getattr(context, name) for name in names}}
