"""``bgfast show``: board, dice, cube, score, IDs and phase of a position, or a picture of it.

The position is typed, or selected from a recorded match.
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from bgfast.cli import recorded_matches
from bgfast.cli.options import STANDARD_INPUT, check_end, check_target, input_source, parse_position
from bgfast.cli.parser import print_result
from bgfast.common.files import write_file
from bgfast.errors import BgfastError
from bgfast.games.match import Match
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.games.views import SheetCursor
from bgfast.position.decision import context_of, svg
from bgfast.position.position_text import PositionText, holds_positions, read_content
from bgfast.records.match_files import holds_matches, iterate_games, name_errors

_ROW_ACTIONS = ("play", "pass_turn", "double", "beaver", "raccoon", "take", "drop", "resign")

HELP = """
usage: [POSITION]

The dice, cube and score of an XGID or a match ID are also shown.

A FILE, or - for standard input, can replace POSITION: a text with the ID of a position, or a recorded match
(.mat, .txt, SGF, .xg, .bgf or .ogxm), from which --game and --move select a position.

--json --checkers
--game N[1..1000000000]  game of a recorded match (1)
--move N[1..1000000]     move of that game, as numbered in the score sheet (the end)
--player       player whose half of the move to show (the first to move)
--svg FILE     write a picture to FILE
--theme=light  theme of the picture (light)
--size N=600   width of the picture in pixels (600)

example: bgfast show 4HPwATDgc/ABMA
"""
TYPES = {"player": PLAYER_NAMES, "theme": ("light", "dark", "print"), "size": int}


def run(arguments: argparse.Namespace) -> None:
    """Print the position; with ``--svg`` also write its picture."""
    operands = arguments.operands
    is_selection = any(option is not None for option in (arguments.game, arguments.move, arguments.player))
    is_file = len(operands) == 1 and (operands[0] == STANDARD_INPUT or os.path.isfile(operands[0]))
    text = None
    if is_file or is_selection:
        check_target(arguments.svg, operands)
        text = _load_position(arguments, is_selection)
    if text is None:
        text = parse_position(arguments)
        check_end(text)
    if arguments.svg is not None:
        picture = svg(context_of(text) or text.position, theme=arguments.theme, size=arguments.size)
        write_file(arguments.svg, picture)
    print_result(arguments, _content(text), *_lines(text), coloured=True)


def _load_position(arguments: argparse.Namespace, is_selection: bool) -> PositionText | None:
    """Return the position selected from a match; for a text with an ID, set the operands and return None."""
    if len(arguments.operands) != 1:
        raise BgfastError(f"{len(arguments.operands)} words; expected the file of a recorded match")
    operand, content = arguments.operands[0], None
    if operand == STANDARD_INPUT and not is_selection:
        content = read_content(*input_source(operand))
        if holds_matches(io.BytesIO(content)) or not holds_positions(content):
            with name_errors(input_source(operand)[1]):
                return _select(arguments, io.BytesIO(content))
    elif not is_selection:
        content = recorded_matches.position_content(operand)
    if content is None:
        with recorded_matches.open_record(operand) as file:
            return _select(arguments, file)
    arguments.operands = recorded_matches.only_position(operand, content)
    return None


def _select(arguments: argparse.Namespace, file: BinaryIO) -> PositionText:
    """Return the selected position of a recorded match; print the findings of its game."""
    name, game_number = recorded_matches.record_name(arguments.operands[0]), arguments.game or 1
    games = 0
    for games, (_, match, _) in enumerate(iterate_games(file, name), 1):
        if games == game_number:
            recorded_matches.complain_of_findings(name, match.findings)
            player = None if arguments.player is None else PLAYER_NAMES.index(arguments.player)
            if arguments.move is not None:
                _undo_to_move(match, arguments.move, player)
            if match.state.game.board_unknown:
                raise BgfastError("the board is unknown there: an earlier play is not recorded")
            return PositionText(match.position, (), match.decision)
    raise BgfastError(f"--game is {game_number}; expected at most {games}, the number of games")


def _undo_to_move(match: Match, move: int, player: int | None) -> None:
    """Undo a game to the state before a move of its score sheet, or before `player`'s half of the move."""
    sheet, target = SheetCursor(), None
    for index, action in enumerate(match.history):
        if action.name not in _ROW_ACTIONS or action.player is None:
            continue
        row = sheet.fill(action.player)
        if target is None and row == move and player in (None, action.player):
            target = index
    if target is None:
        suffix = "" if player is None else " of that player"
        raise BgfastError(f"move {move}{suffix}: expected one of the {sheet.row} moves of the game")
    while match.action_count > target:
        match.undo()


def _has_all_ids(text: PositionText) -> bool:
    """Return whether match IDs and OGIDs can express the state; they have no field for a beaver on offer."""
    return text.context is None or text.context.offer in (None, "double")


def _lines(text: PositionText) -> Iterator[str]:
    context = context_of(text)
    subject = context or text.position
    yield f"{subject}\n\nGNU position ID: {text.position.gnubg_id}"
    if context is not None and _has_all_ids(text):
        yield f"GNU match ID:    {context.match_id}"
    yield subject.xgid
    if _has_all_ids(text):
        yield f"OGID={subject.ogid}"
    yield f"phase: {text.position.phase}"


def _content(text: PositionText) -> dict[str, Any]:
    position, context = text.position, context_of(text)
    content: dict[str, Any] = {
        "position": position.gnubg_id,
        "gnubg_id": position.gnubg_id,
        "xgid": (context or position).xgid,
        "ogid": (context or position).ogid if _has_all_ids(text) else None,
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
