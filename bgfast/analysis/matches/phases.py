"""Phases of a game, for error totals by phase."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll

MatchPhase = Literal["opening", "middle game", "race", "bear-off"]
PHASES: tuple[MatchPhase, ...] = ("opening", "middle game", "race", "bear-off")
OPENING_MOVES = 3
"""Lines of the score sheet that count as the opening while there is contact; a convention of bgfast."""
_NO_CONTACT_PHASES: Mapping[str, MatchPhase] = MappingProxyType({"race": "race", "bearoff": "bear-off"})


def phase_of(record: RecordedDecision | RecordedRoll) -> MatchPhase:
    """Return the phase of the game to which a decision or roll belongs.

    With contact, the first `OPENING_MOVES` lines of the score sheet are the opening and the others the
    middle game. Without contact the game is a race, and a bear-off once both players are home.
    """
    phase = _NO_CONTACT_PHASES.get(record.decision.position.phase)
    return phase or ("opening" if record.move <= OPENING_MOVES else "middle game")
