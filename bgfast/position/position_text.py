"""Parsers of positions and rolls in typed text (a name, an ID or 26 numbers), files and pasted text.

A text is a *list* if each line is a position, or if some line has a form that only people type: a name, 26
numbers, an ID followed by a roll, or, unless a board is drawn, a bare position ID. Every line of a list must
be a position. Any other text with an ID in a line is *decorated* (see `position_ids`): its IDs are read, and
other text is ignored.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from bgfast.common.files import naming, read_limited
from bgfast.common.text import Pattern
from bgfast.common.validation import (
    BOARD_SIZE,
    CHECKERS,
    STARTS,
    Roll,
    dice_pair,
    is_roll_text,
    roll_of_text,
    start_board,
)
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, NotationError, short_repr
from bgfast.position import formats, position_ids
from bgfast.position.board_text import read_board_text
from bgfast.position.formats import Context
from bgfast.position.objects import Position
from bgfast.position.position_ids import ID_LENGTH, find_positions, strip_apostrophe

_WHOLE_NUMBER = Pattern(r"[+-]?[0-9]+", re.ASCII)
_SIGN_OF_FIELDS = Pattern("[:=%]")  # every XGID and OGID has one
_ROLL_OR_NUMBER = Pattern(r"[1-9](\D?[1-9]:?)?", re.ASCII)
_OGID_LABEL = Pattern(r"OGID\s*[=:]\s*", re.ASCII | re.IGNORECASE)
_DICE_LIKE = Pattern(r"[0-9.,:+-]*", re.ASCII)  # no position ID looks like this


class PositionText(NamedTuple):
    """Position at the beginning of a text, the words after it, and the fields of its XGID or match ID."""

    position: Position
    rest: tuple[str, ...] = ()
    context: Context | None = None

    @property
    def dice(self) -> Roll | None:
        """The roll of the context."""
        return None if self.context is None else self.context.dice

    def roll(self) -> Roll:
        """Return the roll after the position (31, 3-1, 3 1 or 31:), or else the roll of the context."""
        tokens = " ".join(self.rest)
        return roll_to_play(self.context, roll_of_text(tokens) if tokens else None)


def refuse_offer(decision: Context | None) -> None:
    """Raise `InvalidDiceError` if the decision is an answer to an offer instead of a play."""
    if decision is not None and decision.offer is not None:
        raise InvalidDiceError(
            f"{decision.offer_text}, which waits for an answer; expected a position to be played, "
            "with dice or 00 in its XGID"
        )


def roll_to_play(decision: Context | None, roll: Any) -> Any:
    """Return `roll` or else the decision's roll; raise `InvalidDiceError` if they differ or both are None."""
    refuse_offer(decision)
    dice = None if decision is None else decision.dice
    if roll is None:
        roll = dice
    if roll is None:
        raise InvalidDiceError("no roll given; expected one like 31, 3-1 or 3 1")
    if dice is None:
        return roll
    roll = dice_pair(roll)
    if sorted(roll) != sorted(dice):
        raise InvalidDiceError(
            f"the roll is {roll[0]}-{roll[1]}, but the position comes with {dice[0]}-{dice[1]}; leave one out"
        )
    return roll


def read_position(text: str | Sequence[str], checkers: int | None = None) -> PositionText:
    """Return the position at the beginning of a text or a command's words; errors are as for `Decision.read`.

    Words without a position refer to the starting position; a text does so only if it is a roll. A roll, or a
    number such as a depth, may also precede the position. `checkers` per side, 15 by default, apply to an ID
    or a board.
    """
    return _read_text(text, checkers) if isinstance(text, str) else _read_tokens(_move_roll(text), checkers)


def _move_roll(tokens: Sequence[str]) -> Sequence[str]:
    """Move a roll or a single number before a position to the end of the tokens."""
    for count in (1, 2):
        before, after = tokens[:count], tokens[count:]
        if after and _ROLL_OR_NUMBER.fullmatch(" ".join(before)) and form_of_tokens(after):
            return [*after, *before]
    return tokens


def _read_tokens(tokens: Sequence[str], checkers: int | None = None) -> PositionText:
    if tokens and tokens[0].lower() in STARTS:
        return _start_text(tokens[0].lower(), checkers, tokens[1:])
    per_side = CHECKERS if checkers is None else checkers
    text = " ".join(tokens)
    if _SIGN_OF_FIELDS.search(text):
        parts = position_ids.split_gnubg_id(text)
        if parts is not None:
            return _read_gnubg_id([":".join(filter(None, parts[:2])), *parts[2].split()], per_side)
        if formats.looks_like_fibs_board(text):
            board, context = formats.read_fibs_board(text)
            return _position_text(board, per_side, (), context)
        xgid_parts = formats.split_xgid(text)
        if xgid_parts is None and formats.looks_like_ogid(text):
            ogid, *rest = _OGID_LABEL.sub("OGID=", text).split()
            board, context, stated_checkers = formats.read_ogid(ogid)
            per_side = per_side if stated_checkers == CHECKERS else stated_checkers
            return _position_text(board, per_side, rest, context)
        if xgid_parts is not None or formats.looks_like_xgid(tokens[0]):
            xgid, after = xgid_parts or (tokens[0], " ".join(tokens[1:]))
            board, context = formats.read_xgid(f"XGID={xgid}" if xgid_parts else xgid)
            return _position_text(board, per_side, after.split(), context)
    fields = text.replace(",", " ").split()
    count = next((i for i, field in enumerate(fields) if not _WHOLE_NUMBER.fullmatch(field)), len(fields))
    if count >= BOARD_SIZE:
        for index, field in enumerate(fields[:BOARD_SIZE]):
            if len(field) > 4:
                raise InvalidPositionError(
                    f"index {index} is {short_repr(field)}; expected a number of checkers"
                )
        return _position_text([*map(int, fields[:BOARD_SIZE])], per_side, fields[BOARD_SIZE:])
    if count > 3:
        raise InvalidPositionError(
            f"a board of {count} numbers; expected {BOARD_SIZE}, then the rest of the command"
        )
    if tokens and not _DICE_LIKE.fullmatch(tokens[0]):
        return _read_gnubg_id(tokens, per_side)
    return _start_text("start", checkers, tokens)


def _read_text(text: str, checkers: int | None = None) -> PositionText:
    lines = text.strip().splitlines()
    if len(lines) > 1:
        ids = find_positions(lines)
        if len(ids) > 1:
            raise NotationError(
                f"the text states {len(ids)} positions, the second in line {ids[1].line}; expected one"
            )
        drawn_board = None if ids else read_board_text(lines)
        if drawn_board is not None:
            board, per_side, context = drawn_board
            return _position_text(board, per_side, (), context)
        text = f"{ids[0].text} {ids[0].roll}" if ids else text
    tokens = _move_roll(text.split())
    is_start = bool(tokens) and tokens[0].lower() in STARTS
    position = _read_tokens(tokens, None if is_start else checkers)
    if not is_start and position.rest == tuple(tokens) and not is_roll_text(" ".join(tokens)):
        raise NotationError(
            f"{short_repr(text)} is not a position; expected {', '.join(STARTS)}, an XGID, a GNU "
            f"position ID or {BOARD_SIZE} whole numbers"
        )
    return position


def form_of_tokens(tokens: Sequence[str]) -> Literal["typed", "bare", "id"] | None:
    """Return the form of a position in tokens, valid or not; None if they are not a position.

    ``"typed"`` for forms that people type: a name, 26 numbers, the board line of FIBS, or an ID followed by a
    roll; ``"bare"`` for the 14 characters of a position ID; ``"id"`` for another ID, or a match ID for the
    position ID on the previous line.
    """
    text = strip_apostrophe(" ".join(tokens))
    if position_ids.is_match_id(text):
        return "id"
    if formats.looks_like_fibs_board(text):
        return "typed"
    if tokens[0].lower() in STARTS:
        return "typed" if len(tokens) == 1 or is_roll_text(" ".join(tokens[1:])) else None
    parts = position_ids.split_gnubg_id(text)
    id_and_rest = (parts[0], parts[2]) if parts else formats.split_xgid(text) or position_ids.bare_id(text)
    if id_and_rest is not None:
        if id_and_rest[1]:
            return "typed" if is_roll_text(id_and_rest[1]) else None
        return "bare" if len(text) == ID_LENGTH else "id"
    fields = text.replace(",", " ").split()
    is_board = len(fields) >= BOARD_SIZE and all(map(_WHOLE_NUMBER.fullmatch, fields[:BOARD_SIZE]))
    rest = " ".join(fields[BOARD_SIZE:])
    return "typed" if is_board and (not rest or is_roll_text(rest)) else None


def _position_text(
    board: Sequence[int], checkers: int, rest: Sequence[str] = (), context: Context | None = None
) -> PositionText:
    return PositionText(Position.from_array(board, checkers), tuple(rest), context)


def _start_text(name: str, checkers: int | None, rest: Sequence[str]) -> PositionText:
    if checkers is not None:
        raise InvalidPositionError(
            f"checkers per side are for an ID or a board; {name} has its own number of checkers"
        )
    return _position_text(*start_board(name), rest)


def _read_gnubg_id(tokens: Sequence[str], checkers: int) -> PositionText:
    position_id, colon, match_id = strip_apostrophe(tokens[0]).partition(":")
    if len(position_id) != ID_LENGTH and not colon:
        raise NotationError(
            f"{short_repr(tokens[0])} is not a position; expected {', '.join(STARTS)}, an XGID, a GNU "
            f"position ID (14 characters, with or without :MATCH_ID) or {BOARD_SIZE} whole numbers"
        )
    context = formats.read_match_id(match_id) if colon else None
    return _position_text(position_ids.board_of_gnubg_id(position_id), checkers, tokens[1:], context)


# ---- files and pasted texts ----


Item = TypeVar("Item")
_DRAWN_BOARD = Pattern(r"\+(?:13-14-15|12-11-10|24-23-22|-?1--2--3)-")


def read_content(file: str | os.PathLike[str] | int, name: str) -> bytes:
    """Return the content of a file or pipe of positions; error messages call it `name`."""
    with naming(name):
        return read_limited(file)


class PositionLine(NamedTuple):
    """Position in a text: the number of its line, from 1, and its tokens."""

    line: int
    tokens: list[str]


def position_lines(name: str, content: bytes) -> list[PositionLine]:
    """Return the positions of a list or a decorated text.

    The text is UTF-8, or UTF-16 with a byte order mark. In a list, ``#`` begins a comment; in a decorated
    text, only at the beginning of a line.
    """
    lines = _utf8_lines(name, content)
    texts, token_lists = _decode_lines(lines)
    positions = [] if _is_list(token_lists, texts) else find_positions(texts)
    if positions:
        return [PositionLine(line, f"{text} {roll}".split()) for line, text, roll in positions]
    for line_number, line in enumerate(lines, 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = line[error.start : error.start + 1]
            raise BgfastError(f"{name}, line {line_number}: the byte {byte!r}; expected UTF-8 text") from None
    if not any(token_lists):
        raise BgfastError(f"{name} has no position; expected one or more")
    return [PositionLine(index, tokens) for index, tokens in enumerate(token_lists, 1) if tokens]


def holds_positions(content: bytes) -> bool:
    """Return whether a text is a list of positions, even with mistakes, or a decorated text."""
    if b"\0" in content and not content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    try:
        texts, token_lists = _decode_lines(_utf8_lines("", content))
    except BgfastError:
        return False
    return any(form_of_tokens(tokens) for tokens in token_lists if tokens) or bool(find_positions(texts))


def _decode_lines(lines: list[bytes]) -> tuple[list[str], list[list[str]]]:
    """Return lines as text, and their tokens without comments."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    return texts, [text.partition("#")[0].split() for text in texts]


def _utf8_lines(name: str, content: bytes) -> list[bytes]:
    """Return the lines of a text in UTF-8; a byte order mark identifies UTF-16."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        try:
            content = content.decode("utf-16").encode("utf-8")
        except UnicodeError:
            raise BgfastError(f"{name}: damaged UTF-16; expected UTF-8 or UTF-16 text") from None
    return content.removeprefix(BOM_UTF8).splitlines()


def _is_list(token_lists: list[list[str]], texts: list[str]) -> bool:
    """Return whether lines are a list of positions; `texts` include comments, `token_lists` do not."""
    forms = {form_of_tokens(tokens) for tokens in token_lists if tokens}
    if None not in forms or "typed" in forms:
        return True
    return "bare" in forms and not any(map(_DRAWN_BOARD.search, texts))


def read_lines(name: str, content: bytes, read: Callable[[int, list[str], list[Item]], None]) -> list[Item]:
    """Read a text of positions: call `read` for each of its `position_lines`, and return the items.

    `read` receives the line number, the tokens, and the list of items to append to. Errors name the line.
    """
    items: list[Item] = []
    for line_number, tokens in position_lines(name, content):
        try:
            read(line_number, tokens, items)
        except BgfastError as error:
            raise BgfastError(f"{name}, line {line_number}: {error}") from None
    return items
