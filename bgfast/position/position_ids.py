"""GNU Backgammon position IDs, and a search for the IDs of positions in other text.

Source: the GNU Backgammon manual, "A technical description of the Position ID", with the order of the two
sides as the program writes it (the opponent first; the manual's prose states the opposite).
"""

from __future__ import annotations

import base64
import re
import string
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from bgfast.common.text import Pattern
from bgfast.common.validation import CHECKERS, Board, flip_board, validate_counts
from bgfast.errors import BgfastError, InvalidPositionError, NotationError, quote_ascii, too_many_checkers
from bgfast.position.formats import decode_percents, read_ogid, read_xgid

ID_LENGTH = 14  # characters of a position ID
_BASE64 = frozenset(string.ascii_letters + string.digits + "+/")
_LAST_CHARACTERS = frozenset("AQgw")  # the last character holds 2 of the 80 bits; its other 4 are 0

# GNU Backgammon prints two lines next to its board: "GNU Backgammon  Position ID: 4HPwATDgc/ABMA" and
# "Match ID   : cAkAAAAAAAAA". `bgfast show` prints "GNU position ID: ...", BGBlitz "Position-ID: ...".
_LABELLED_MATCH_ID = Pattern(
    r"\s*(?:GNU\s+)?Match(?:\s+|-)ID\s*:\s*([a-z0-9+/]{12})(?!\S)", re.ASCII | re.IGNORECASE
)
_LABELLED_POSITION_ID = Pattern(
    r"\s*(?:GNU\s+)?(?:Backgammon\s+)?Position(?:\s+|-)ID\s*:\s*(\S+)", re.ASCII | re.IGNORECASE
)


def split_gnubg_id(text: str) -> tuple[str, str, str] | None:
    """Return the position ID after ``Position ID:``, its match ID, if any, and the rest of the text.

    None if the text does not begin with this label. The IDs are not validated.
    """
    position_id = _LABELLED_POSITION_ID.match(text)
    if not position_id:
        return None
    match_id = _LABELLED_MATCH_ID.match(text, position_id.end())
    rest = text[(match_id or position_id).end() :].strip()
    return position_id[1], match_id[1] if match_id else "", rest


def is_match_id(text: str) -> bool:
    """Return whether a line consists of ``Match ID:`` and a match ID."""
    return bool(_LABELLED_MATCH_ID.fullmatch(text.rstrip()))


def strip_apostrophe(text: str) -> str:
    """Return an ID without the apostrophe that `clean_cell` adds for spreadsheets."""
    return text[1:] if text.startswith("'+") else text


def read_gnubg_board(text: str) -> list[int]:
    """Return the board of a position ID, which GNU Backgammon's label and match ID may surround."""
    parts = split_gnubg_id(text) if isinstance(text, str) else None
    if parts is None:
        return board_of_gnubg_id(strip_apostrophe(text) if isinstance(text, str) else text)
    if parts[2]:
        raise NotationError(
            f"{quote_ascii(parts[2])} after the position ID; expected nothing or 'Match ID:' and an ID"
        )
    return board_of_gnubg_id(parts[0])


def gnubg_id_of(board: Sequence[int]) -> str:
    """Return the position ID of a board, mover on roll; raise `InvalidPositionError` if there is none."""
    return format_gnubg_id(validate_counts(board))


def format_gnubg_id(cells: Sequence[int]) -> str:
    """Return the position ID of a valid board."""
    opponent = [max(-n, 0) for n in reversed(cells[:25])]
    mover = [max(n, 0) for n in cells[1:]]
    bits = "".join("1" * n + "0" for n in opponent + mover)
    # The first bit is the least significant one of the first byte.
    packed = int(bits[::-1], 2).to_bytes(10, "little")
    return base64.b64encode(packed).decode("ascii").rstrip("=")


def board_of_gnubg_id(text: str) -> list[int]:
    """Return the board of a position ID of 14 characters, from the side of the player on roll.

    Each board has exactly one ID; other encodings are refused. Raises `NotationError` if the text is not a
    position ID, `InvalidPositionError` if a point is held by both sides or a side has over 15 checkers.
    """
    _check_position_id(text)
    packed = int.from_bytes(base64.b64decode(text + "=="), "little")
    *runs, rest = f"{packed:080b}"[::-1].split("0", 50)
    if len(runs) < 50:
        raise NotationError(
            f"the position ID {quote_ascii(text)} ends inside the position: its 80 bits hold {len(runs)} "
            "zeros; expected 50, one after the checkers of each point and bar of both sides"
        )
    if "1" in rest:
        raise NotationError(
            f"the position ID {quote_ascii(text)} has bits set after the end of the position; "
            "expected zeros only"
        )
    counts = [len(run) for run in runs]
    # Slot 0 cannot hold the mover's checkers, nor slot 25 the opponent's; the zeros align both lists.
    mover, opponent = [0, *counts[25:]], [*reversed(counts[:25]), 0]
    for side, total in (("the mover", sum(mover)), ("the opponent", sum(opponent))):
        if total > CHECKERS:
            raise InvalidPositionError(too_many_checkers(side, total, CHECKERS))
    for point, (mover_count, opponent_count) in enumerate(zip(mover, opponent, strict=True)):
        if mover_count and opponent_count:
            raise InvalidPositionError(
                f"the mover's point {point} is held by both sides ({mover_count} of the mover's checkers, "
                f"{opponent_count} of the opponent's); expected checkers of one side only"
            )
    return [count - other_count for count, other_count in zip(mover, opponent, strict=True)]


def _check_position_id(text: str) -> None:
    """Raise `NotationError` unless the text is 14 characters of canonical base64."""
    if not isinstance(text, str):
        raise NotationError(f"a position ID of type {type(text).__name__:.60}; expected a str")
    if text[14:15] == ":":
        raise NotationError(
            f"{quote_ascii(text)} is a position ID and a match ID; expected the part before the colon alone"
        )
    if len(text) != ID_LENGTH:
        raise NotationError(
            f"a position ID of {len(text)} characters, {quote_ascii(text)}; expected 14, no spaces, no '='"
        )
    for index, character in enumerate(text, 1):
        if character not in _BASE64:
            raise NotationError(
                f"character {index} of the position ID is {character!a}; expected A-Z, a-z, 0-9, + or /"
            )
    if text[13] not in _LAST_CHARACTERS:
        raise NotationError(
            f"the last character of the position ID is {text[13]!r}; expected A, Q, g or w "
            "(its other bits lie beyond the 80 of the position)"
        )


# ---- IDs within other text ----
#
# Programs copy positions with a drawn board and other text; web pages have IDs within a line.
# Only the IDs are read:
#
# * An XGID with its prefix, or a bare one with a board and fields. After the prefix, several fields are
#   accepted even if invalid: parsing them reports the error.
# * An OGID under the same conditions.
# * A GNU Backgammon position ID after ``Position ID:``, valid or not; as the first word of a line if it is
#   valid; or anywhere, if it is valid and followed by a colon and a match ID. A word of 14 letters in a
#   sentence is not an ID.
# * ``Match ID:`` after such a position ID, up to two lines below it.
#
# Consecutive IDs of different formats for the same board give one position, with the most complete ID:
# an XGID, then IDs with a match ID, then an OGID. Identical IDs count once. An ID inside a sentence, directly
# after a word, counts only if no line begins with an ID: sentences may mention other positions.


Format = Literal["xgid", "ogid", "gnubg", "match"]
Place = Literal["beginning", "sentence", "other"]
"""Place of an ID in its line; only signs and digits may precede an ID at the beginning."""

_XGID = (
    r"[A-Pa-p-]{26}:[0-9]{1,2}:-?[0-9]:-?[0-9]:(?:[0-9]{2}|[DBR]):[0-9]{1,5}:[0-9]{1,5}:[0-9]:[0-9]{1,5}"
    r"(?::[0-9]{1,2})?"
)
_OGID = (
    r"[0-9a-p]{1,15}:[0-9a-p]{1,15}:[NWBD?][0-9]{1,2}[NOTP]:(?:[1-6]{2})?:[WB]"
    r"(?::[A-Z]{0,2}(?::[0-9]{0,5}(?::[0-9]{0,5}(?::[0-9]{1,5}[CLG]?[0-9]{0,4}(?::[0-9]{0,6}(?::[0-9]{1,2})?)?)?)?)?)?"
)
_END = r"(?![0-9A-Za-z]|:[0-9A-Za-z-])"
_WHOLE_XGID = Pattern(_XGID + _END, re.ASCII)
_WHOLE_OGID = Pattern(_OGID + _END, re.ASCII)
_LABEL = Pattern(r"([XO]GID)\s{0,9}[=:]\s{0,9}[\"'\u201c\u201d\u201e]?", re.ASCII | re.IGNORECASE)
_LABELLED_ID = Pattern(r"[0-9A-Za-z:?-]{0,200}", re.ASCII)
_LIKE_XGID = r"[A-Pa-p-]{20,32}(?::[0-9A-Za-z-]{0,5}){7,11}"  # a board and fields, valid or not
_UNVALIDATED_XGID = Pattern(_LIKE_XGID + _END, re.ASCII)
_BARE_ID = Pattern(
    rf"(?<![0-9A-Za-z-])(?:(?P<ogid>{_OGID}){_END}|(?P<xgid>(?:{_XGID}){_END}|{_LIKE_XGID}))", re.ASCII
)
_GNUBG_LABEL = Pattern(
    r"(?:(?:GNU Backgammon[ \t]{1,9})?Position\w{0,2}[ \t-]{0,9}ID|GNU[ \t]?(?:BG)?[ \t-]?ID)"
    r"[ \t]{0,9}[:=][ \t]{0,9}"
    r"([A-Za-z0-9+/]{12,16})(?::([A-Za-z0-9+/]{12}))?(?![A-Za-z0-9+/])",
    re.ASCII | re.IGNORECASE,
)
_MATCH_LABEL = Pattern(
    r"Match[ \t-]{1,9}ID[ \t]{0,9}:[ \t]{0,9}([A-Za-z0-9+/]{12})(?!\S)", re.ASCII | re.IGNORECASE
)
_FIRST_WORD = Pattern(r"\s*(?:'(?=\+))?([A-Za-z0-9+/]{14})(?::([A-Za-z0-9+/]{12}))?(?![^\s,;])", re.ASCII)
_ID_PAIR = Pattern(r"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{14}):([A-Za-z0-9+/]{12})(?![A-Za-z0-9+/])", re.ASCII)
_UNLIKE_A_WORD = Pattern(r"[0-9+/]|[a-z][A-Z]")
_LETTER = Pattern(r"[^\W\d_]")
_SENTENCE = Pattern(r"[^\W\d_],?\s{1,2}[(\[{\"'*_`\u201c\u201e\u00ab]*\Z")
_ROLL = Pattern(r"\bRolled ([1-6])([1-6])\b", re.ASCII)
_SENTENCE_WINDOW = 30  # number of characters before an ID that are searched for a sentence
_MIN_LABELLED_LENGTH = 20  # characters after a label: "XGID: none" is text, not an invalid XGID
_MATCH_ID_LINES = 2  # maximum number of lines from a position ID down to its match ID


class StatedPosition(NamedTuple):
    """Position in a text: the line of its ID, from 1, the ID, and the roll if it is stated separately."""

    line: int
    text: str
    roll: str = ""


class _Statement:
    """IDs of a position, at most one of each format, with their lines."""

    def __init__(self, board: Board | None) -> None:
        self.board = board
        self.places: set[Place] = set()
        self.ids: dict[Format, tuple[int, str]] = {}
        self.last_format: Format | None = None

    def add(self, form: Format, line: int, text: str, place: Place) -> None:
        self.places.add(place)
        self.ids.setdefault(form, (line, text))
        self.last_format = form

    def add_match_id(self, line: int, match_id: str) -> None:
        """Add a match ID to the position ID directly before it; elsewhere, ignore the match ID."""
        if self.last_format == "gnubg":
            position_line, text = self.ids["gnubg"]
            if ":" not in text and line - position_line <= _MATCH_ID_LINES:
                self.ids["gnubg"] = position_line, f"{text}:{match_id}"

    def is_stated_by(self, form: Format, text: str) -> bool:
        """Return whether an ID belongs to the statement, or states its position in another format."""
        if form in self.ids:
            return self.ids[form][1] == text
        board = _board(form, text)
        return board is not None and self.board in (board, flip_board(board))

    def position(self) -> StatedPosition:
        """Return the position with its most complete ID."""
        ranks = {"xgid": 0, "ogid": 2}
        form = min(self.ids, key=lambda form: ranks.get(form, 1 if ":" in self.ids[form][1] else 3))
        return StatedPosition(*self.ids[form])


def find_positions(lines: Sequence[str]) -> list[StatedPosition]:
    """Return the positions in the lines of a text, in order; lines that begin with ``#`` are ignored.

    Labelled IDs are included even if they are invalid.
    """
    statements: list[_Statement] = []
    for line_number, line in enumerate(lines, 1):
        if line.lstrip()[:1] in ("", "#"):
            continue
        for form, text, place in _ids_of(decode_percents(line)):
            if form == "match":
                if statements:
                    statements[-1].add_match_id(line_number, text)
                continue
            if not statements or not statements[-1].is_stated_by(form, text):
                statements.append(_Statement(_board(form, text)))
            statements[-1].add(form, line_number, text, place)
    has_beginning = any("beginning" in statement.places for statement in statements)
    positions: list[StatedPosition] = []
    earlier_ids: set[str] = set()
    for statement in statements:
        if has_beginning and statement.places == {"sentence"}:
            continue
        if statement.position().text not in earlier_ids:
            positions.append(statement.position())
        earlier_ids.update(text for _, text in statement.ids.values())
    if len(positions) == 1 and len(positions[0].text) == ID_LENGTH:
        rolls = {f"{roll[1]}{roll[2]}" for line in lines for roll in _ROLL.finditer(line)}
        if len(rolls) == 1:
            return [positions[0]._replace(roll=rolls.pop())]
    return positions


def bare_id(text: str) -> tuple[str, str] | None:
    """Return the unlabelled ID at the beginning of a text, valid or not, and the rest; None without one.

    An ID is recognised by its colons, or by 14 characters that are not a word.
    """
    word, *rest = text.split(maxsplit=1) or [""]
    first_word = _FIRST_WORD.fullmatch(word)
    is_gnubg_id = first_word is not None and (first_word[2] or _UNLIKE_A_WORD.search(word))
    if is_gnubg_id or any(pattern.match(word) for pattern in (_WHOLE_XGID, _WHOLE_OGID, _UNVALIDATED_XGID)):
        return word, rest[0] if rest else ""
    return None


def _ids_of(line: str) -> Iterator[tuple[Format, str, Place]]:
    """Yield format, text and place of each ID in a line, in order; the text of a match ID has no label."""
    candidates: list[tuple[int, int, Format, str]] = []  # start, end, format, ID
    for label in _LABEL.finditer(line):
        form: Format = "xgid" if label[1].upper() == "XGID" else "ogid"
        full_match = (_WHOLE_XGID if form == "xgid" else _WHOLE_OGID).match(line, label.end())
        id_match = full_match or _LABELLED_ID.match(line, label.end())
        text = id_match[0].rstrip(":-") if id_match else ""
        if full_match or (len(text) >= _MIN_LABELLED_LENGTH and ":" in text):
            candidates.append((label.start(), label.end() + len(text), form, f"{label[1].upper()}={text}"))
    for token in _BARE_ID.finditer(line):
        form = "xgid" if token["xgid"] else "ogid"
        candidates.append((token.start(), token.end(), form, f"{form.upper()}={token[0]}"))
    for token in _GNUBG_LABEL.finditer(line):
        candidates.append((token.start(), token.end(), "gnubg", ":".join(filter(None, token.groups()))))
    word = _FIRST_WORD.match(line)
    for token in [*([word] if word else []), *_ID_PAIR.finditer(line)]:
        is_alone = token.end() == len(line.rstrip()) and token is word and _UNLIKE_A_WORD.search(token[1])
        if is_alone or _board("gnubg", token[1]) is not None:
            candidates.append((token.start(1), token.end(), "gnubg", ":".join(filter(None, token.groups()))))
    for match_id in _MATCH_LABEL.finditer(line):
        candidates.append((match_id.start(), match_id.end(), "match", match_id[1]))
    end = 0
    place: Place = "beginning"
    for start, end_of_id, form, text in sorted(candidates):
        if start >= end:
            prefix = line[end:start]
            if _LETTER.search(prefix):
                place = "sentence" if _SENTENCE.search(prefix[-_SENTENCE_WINDOW:]) else "other"
            end = end_of_id
            yield form, text, place


def _board(form: Format, text: str) -> Board | None:
    """Return the board of an ID; None if it is invalid."""
    try:
        if form == "xgid":
            return read_xgid(text)[0]
        return read_ogid(text)[0] if form == "ogid" else tuple(board_of_gnubg_id(text[:ID_LENGTH]))
    except BgfastError:
        return None
