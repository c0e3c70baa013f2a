"""Metadata, comments and findings of a recorded match."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

from bgfast.errors import InvalidGameError, one_line, short_repr

Severity = Literal["note", "warning", "error"]
_MAX_CHARACTERS = 1_000_000  # maximum length of a text
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")  # in ascending order


class Finding(NamedTuple):
    r"""Oddity of a recorded match.

    Attributes
    ----------
    severity : {"note", "warning", "error"}
        A note is harmless. A warning is an entry that is ignored because it contradicts the board, or
        a damaged analysis. An error is an illegal play, an unreadable entry, or a cube action that is
        not available.
    kind : str
        "play", "turn", "cube", "dead cube", "resignation", "result", "score", "text", "skipped",
        "analysis". "dead cube" is a double without effect; "skipped" is the unread rest of a game after an
        error; "analysis" is a damaged or incomplete analysis in the file.
    message : str
        The entry, the expected entry, and the broken rule.
    file : str
        Name of the file; empty for a text.
    line, column : int
        Place in the file, counted from 1.
    game : int
        Number of the game in its match, from 1; 0 outside of games.
    move : int
        Row of the score sheet; 0 if the entry has none.
    board : str
        XGID of the position before the entry; empty outside of games.

    Examples
    --------
    >>> import bgfast
    >>> text = " 3 point match\n Game 1\n Ann : 0      Bea : 0\n  1) 31: 8/5 6/4      64: 24/14\n"
    >>> finding, = bgfast.records.read_match(text).findings
    >>> finding.severity, finding.line, finding.column, finding.game, finding.move
    ('error', 4, 6, 1, 1)
    >>> finding.message
    "illegal play '8/5 6/4' for 3-1: no die or combination of 3-1 gives the 2 pips of 6/4"
    """

    severity: Severity
    kind: str
    message: str
    file: str
    line: int
    column: int
    game: int = 0
    move: int = 0
    board: str = ""

    @property
    def context(self) -> str:
        """Prefix of the message, such as "game 2, move 5: "; empty outside of games."""
        if not self.game:
            return ""
        return f"game {self.game}{f', move {self.move}' if self.move else ''}: "

    def __str__(self) -> str:
        file = f"{self.file}, " if self.file else ""
        place = f"{file}line {self.line}, column {self.column}"
        return one_line(f"{place}: {self.severity}: {self.context}{self.message}")


@dataclass(frozen=True, kw_only=True)
class MatchInfo:
    """Metadata and comments of a recorded match.

    Attributes
    ----------
    players : (str, str)
        The names of players 0 and 1; empty if unknown.
    event, round, date, site, variant, annotator : str
        As recorded; empty if absent. A complete date has the form 2026-11-23.
    comments : tuple of (int, str)
        Number of actions before each comment, and the comment's text.

    Raises
    ------
    InvalidGameError
        If a value has the wrong type, or a text is too long.

    Notes
    -----
    Immutable and hashable. The texts are untrusted: escape them before display.

    Examples
    --------
    >>> from bgfast.games import MatchInfo
    >>> MatchInfo(players=("Anna", "Bob")).players
    ('Anna', 'Bob')
    """

    players: tuple[str, str] = ("", "")
    event: str = ""
    round: str = ""
    date: str = ""
    site: str = ""
    variant: str = ""
    annotator: str = ""
    comments: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        players = _validate_texts("players", self.players)
        if len(players) != 2:
            raise InvalidGameError(f"players is {short_repr(self.players)}; expected two names")
        object.__setattr__(self, "players", players)
        for name in ("event", "round", "date", "site", "variant", "annotator"):
            _validate_texts(name, [getattr(self, name)])
        comments = []
        for comment in self.comments:
            if not isinstance(comment, (tuple, list)) or len(comment) != 2 or type(comment[0]) is not int:
                raise InvalidGameError(
                    f"a comment is {short_repr(comment)}; expected (number of actions, text)"
                )
            if comment[0] < 0:
                raise InvalidGameError(f"a comment follows {comment[0]} actions; expected 0 or more")
            comments.append((comment[0], *_validate_texts("a comment", [comment[1]])))
        object.__setattr__(self, "comments", tuple(comments))

    def content(self) -> dict[str, Any]:
        """Return the fields that differ from their defaults as plain data."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        return {field.name: value for field, value in values if value != field.default}

    @classmethod
    def of_content(cls, content: Any) -> MatchInfo:
        """Parse the result of `content`."""
        names = [field.name for field in fields(cls)]
        if not isinstance(content, dict) or not set(content) <= set(names):
            raise InvalidGameError(f"its info is {short_repr(content)}; expected some of {', '.join(names)}")
        return cls(**content)


def _validate_texts(name: str, values: Any) -> tuple[str, ...]:
    texts = tuple(values) if isinstance(values, (tuple, list)) else (values,)
    for value in texts:
        if not isinstance(value, str) or len(value) > _MAX_CHARACTERS:
            expected = f"text of at most {_MAX_CHARACTERS} characters"
            raise InvalidGameError(f"{name} is {short_repr(value)}; expected {expected}")
    return texts
