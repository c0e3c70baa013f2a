"""Findings: oddities of a recorded match, with their place and severity."""

from __future__ import annotations

from typing import Literal, NamedTuple

from bgfast.errors import one_line

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""In rising order."""


class Finding(NamedTuple):
    r"""An oddity of a recorded match.

    Attributes
    ----------
    severity : {"note", "warning", "error"}
        Notes are harmless. A warning is a statement that contradicts the board, in which case the board
        decides, or a damaged analysis. An error is an illegal play, an unreadable entry, or an unavailable
        cube action.
    kind : str
        "play", "turn", "cube", "dead cube", "resignation", "result", "score", "text", "skipped",
        "analysis". "dead cube" is a double without effect; "skipped" is the unread rest of a game after an
        error; "analysis" is an analysis in the file that is damaged or incomplete.
    message : str
        The entry, the expected one, and the broken rule.
    file : str
        Name of the file; empty for a text.
    line, column : int
        Place in the file, both from 1.
    game : int
        Number of the game in its match, from 1; 0 outside of games.
    move : int
        Row of the score sheet; 0 if it has none.
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
        """Prefix of the message, "game 2, move 5: "; empty outside of games."""
        if not self.game:
            return ""
        return f"game {self.game}{f', move {self.move}' if self.move else ''}: "

    def __str__(self) -> str:
        """Return the finding as one line without control characters."""
        name = f"{self.file}, " if self.file else ""
        where = f"{name}line {self.line}, column {self.column}"
        return one_line(f"{where}: {self.severity}: {self.context}{self.message}")
