"""GNU Backgammon position IDs.

Source: the GNU Backgammon manual, "A technical description of the Position ID", with the order of the two
sides as the program writes it (the opponent first; the manual's prose has it the other way round).
"""

from __future__ import annotations

import base64
import re
import string
from collections.abc import Sequence

from bgfast.common.validation import counted_board
from bgfast.common.vocabulary import CHECKERS
from bgfast.errors import InvalidPositionError, NotationError, shown_ascii, too_many_checkers

ID_LENGTH = 14  # characters of a position ID
_BASE64 = frozenset(string.ascii_letters + string.digits + "+/")
_LAST_CHARACTERS = frozenset("AQgw")  # the last character holds 2 of the 80 bits; its 4 others are 0

# GNU Backgammon prints beside its board, in two lines: "GNU Backgammon  Position ID: 4HPwATDgc/ABMA" and
# "Match ID   : cAkAAAAAAAAA". Also "GNU position ID: ...", as `bgfast show` does, and BGBlitz's
# "Position-ID: ...".
_MATCH_ID = re.compile(
    r"\s*(?:GNU\s+)?Match(?:\s+|-)ID\s*:\s*([a-z0-9+/]{12})(?!\S)", re.ASCII | re.IGNORECASE
)
_POSITION_ID = re.compile(
    r"\s*(?:GNU\s+)?(?:Backgammon\s+)?Position(?:\s+|-)ID\s*:\s*(\S+)", re.ASCII | re.IGNORECASE
)


def pasted_gnubg_id(text: str) -> tuple[str, str, str] | None:
    """Return the position ID after ``Position ID:``, its match ID, if any, and the rest of the text.

    None if the text does not begin with these words. The IDs are not validated.
    """
    position_id = _POSITION_ID.match(text)
    if not position_id:
        return None
    match_id = _MATCH_ID.match(text, position_id.end())
    rest = text[(match_id or position_id).end() :].strip()
    return position_id[1], match_id[1] if match_id else "", rest


def is_match_id(text: str) -> bool:
    """Return whether a line consists of ``Match ID:`` and a match ID."""
    return bool(_MATCH_ID.fullmatch(text.rstrip()))


def split_gnubg_id(text: str) -> tuple[str, str | None]:
    """Return the position ID and the match ID, if any, of ``POSITION:MATCH`` or text of GNU Backgammon.

    The IDs are not validated.
    """
    pasted = pasted_gnubg_id(text)
    if pasted and not pasted[2]:
        return pasted[0], pasted[1] or None
    position_id, colon, match_id = text.strip().partition(":")
    return without_apostrophe(position_id), match_id if colon else None


def without_apostrophe(text: str) -> str:
    """Return an ID without the apostrophe that `clean_cell` adds for spreadsheets."""
    return text[1:] if text.startswith("'+") else text


def lone_gnubg_id(text: str) -> str:
    """Return a position ID without GNU Backgammon's label and match ID.

    Raises `NotationError` if anything else follows.
    """
    if not isinstance(text, str):
        return text
    pasted = pasted_gnubg_id(text)
    if pasted is None:
        return without_apostrophe(text)
    if pasted[2]:
        raise NotationError(
            f"{shown_ascii(pasted[2])} after the position ID; expected nothing or 'Match ID:' and an ID"
        )
    return pasted[0]


def gnubg_id_of(board: Sequence[int]) -> str:
    """Return the position ID of a board, mover on roll; raise `InvalidPositionError` if it has none."""
    return encoded_gnubg_id(counted_board(board))


def encoded_gnubg_id(cells: Sequence[int]) -> str:
    """Return the position ID of a valid board."""
    opponent = [max(-n, 0) for n in reversed(cells[:25])]
    mover = [max(n, 0) for n in cells[1:]]
    bits = "".join("1" * n + "0" for n in opponent + mover)
    # The first bit is the least significant one of the first byte.
    packed = int(bits[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(packed).decode("ascii").rstrip("=")


def board_of_gnubg_id(text: str) -> list[int]:
    """Return the board of a position ID of 14 characters, from the side of the player on roll.

    Each board has exactly one ID, so that other encodings are refused. Raises `NotationError` if the text is
    not a position ID, `InvalidPositionError` if a point is held by both sides or a side has more than 15.
    """
    _check_position_id(text)
    packed = int.from_bytes(base64.b64decode(text + "=="), "little")
    *runs, rest = f"{packed:080b}"[::-1].split("0", 50)
    if len(runs) < 50:
        raise NotationError(
            f"the position ID {shown_ascii(text)} ends inside the position: its 80 bits hold {len(runs)} "
            "zeros; expected 50, one after the checkers of each point and bar of both sides"
        )
    if "1" in rest:
        raise NotationError(
            f"the position ID {shown_ascii(text)} has bits set after the end of the position; "
            "expected zeros only"
        )
    counts = [len(run) for run in runs]
    # Slot 0 has no own checkers, slot 25 none of the opponent's: both sides' slots then line up.
    mover, opponent = [0, *counts[25:]], [*reversed(counts[:25]), 0]
    for side, total in (("the mover", sum(mover)), ("the opponent", sum(opponent))):
        if total > CHECKERS:
            raise InvalidPositionError(too_many_checkers(side, total, CHECKERS))
    for point, (own, other) in enumerate(zip(mover, opponent, strict=True)):
        if own and other:
            raise InvalidPositionError(
                f"the mover's point {point} is held by both sides ({own} of the mover's checkers, "
                f"{other} of the opponent's); expected one side at most"
            )
    return [own - other for own, other in zip(mover, opponent, strict=True)]


def _check_position_id(text: str) -> None:
    """Raise `NotationError` unless the text is 14 characters of canonical base64."""
    if not isinstance(text, str):
        raise NotationError(f"a position ID of type {type(text).__name__:.60}; expected a str")
    if text[14:15] == ":":
        raise NotationError(
            f"{shown_ascii(text)} is more than a position ID: only the part before the colon is one, what "
            "follows is a match ID"
        )
    if len(text) != ID_LENGTH:
        raise NotationError(
            f"a position ID of {len(text)} characters, {shown_ascii(text)}; expected 14, no spaces, no '='"
        )
    for place, character in enumerate(text, 1):
        if character not in _BASE64:
            raise NotationError(
                f"character {place} of the position ID is {character!a}; expected A-Z, a-z, 0-9, + or /"
            )
    if text[13] not in _LAST_CHARACTERS:
        raise NotationError(
            f"the last character of the position ID is {text[13]!r}; expected A, Q, g or w "
            "(its other bits lie beyond the 80 of the position)"
        )
