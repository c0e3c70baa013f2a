"""Findings: what is odd in the record of a match."""

from __future__ import annotations

from typing import Literal, NamedTuple

from bgfast.errors import one_line

__all__ = ["SEVERITIES", "Finding", "Severity"]

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""The mildest first."""


class Finding(NamedTuple):
    r"""Something odd in the record of a match, and where it stands.

    Attributes
    ----------
    severity : {"note", "warning", "error"}
        A note is a harmless statement that the board contradicts or does not explain. A warning is a
        statement that the board contradicts; the board decides. An error is an illegal play, an entry that
        cannot be read, or a cube action that was not available.
    kind : {"play", "turn", "cube", "dead cube", "resignation", "result", "score", "text", "skipped"}
        What it is about. "dead cube" is a double without effect; "skipped" stands for the rest of a game
        that cannot be followed behind an error, and is not read.
    message : str
        What was found, what was expected, and which rule it breaks.
    file : str
        The name of the file; empty for a text.
    line, column : int
        Where it stands, both from 1.
    game : int
        The number of the game in its match, from 1; 0 for what stands outside of games.
    move : int
        The row of the score sheet; 0 for what belongs to none.
    board : str
        The XGID of the position before it; empty outside of games.

    Examples
    --------
    >>> import bgfast
    >>> text = " 3 point match\n Game 1\n Ann : 0      Bea : 0\n  1) 31: 8/5 6/4      64: 24/14\n"
    >>> finding, = bgfast.read_match(text).findings
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
        """The game and the move, as messages begin with them: str, empty outside of games."""
        if not self.game:
            return ""
        return f"game {self.game}{f', move {self.move}' if self.move else ''}: "

    def __str__(self) -> str:
        """Return the finding as one line without control characters."""
        name = f"{self.file}, " if self.file else ""
        where = f"{name}line {self.line}, column {self.column}"
        return one_line(f"{where}: {self.severity}: {self.context}{self.message}")
