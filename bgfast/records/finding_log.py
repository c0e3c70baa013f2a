"""Findings about a recorded match, and their rows in the score sheet."""

from __future__ import annotations

from bgfast.common.validation import flag
from bgfast.errors import RecordError
from bgfast.games.finding import Finding, Severity
from bgfast.records.formats.record import Place

MAX_FINDINGS = 100_000
"""Maximum number of findings; the rest of the match is not read."""


class FindingLog:
    """Findings about a match, in the order of the replay; `strict` raises the first error."""

    def __init__(self, file: str, strict: bool) -> None:
        self.file = file
        self.strict = flag("strict", strict)
        self.limit = MAX_FINDINGS
        self.findings: list[Finding] = []
        self._count = 0  # including removed findings

    @property
    def is_full(self) -> bool:
        """True if the match has `limit` findings."""
        return self._count >= self.limit

    def add(
        self,
        severity: Severity,
        kind: str,
        message: str,
        place: Place,
        game: int = 0,
        move: int = 0,
        board: str = "",
    ) -> None:
        """Add a finding."""
        finding = Finding(severity, kind, message, self.file, *place, game, move, board)
        if self.strict and severity == "error":
            raise RecordError(f"{finding.context}{message}", place)
        self._count += 1
        self.findings.append(finding)


class NumberedRows:
    """Row counter of a score sheet: a cell of player 0, or a cell already filled, begins a row."""

    def __init__(self) -> None:
        self.number = 0
        self._filled = (True, True)

    def cell(self, player: int) -> int:
        """Fill the next cell of a player; return the number of its row."""
        if self._filled[player] or self._filled[1]:
            self.number += 1
            self._filled = (False, False)
        self._filled = (True, self._filled[1]) if player == 0 else (self._filled[0], True)
        return self.number
