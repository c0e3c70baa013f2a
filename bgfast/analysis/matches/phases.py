"""Phases of a game, by which errors are added up."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll

__all__ = ["OPENING", "PHASES", "MatchPhase", "phase_of"]

MatchPhase = Literal["opening", "middle game", "race", "bear-off"]
PHASES: tuple[MatchPhase, ...] = ("opening", "middle game", "race", "bear-off")
OPENING = 3
"""Lines of a score sheet that are the opening, while there is contact."""
_WITHOUT_CONTACT: Mapping[str, MatchPhase] = MappingProxyType({"race": "race", "bearoff": "bear-off"})


def phase_of(recorded: RecordedDecision | RecordedRoll) -> MatchPhase:
    """Return the phase of the game in which something was decided or rolled.

    With contact the first three lines of the score sheet are the opening and all others the middle game;
    without it a game is a race, and a bear-off once both players are home.

    Examples
    --------
    >>> import bgfast
    >>> match = bgfast.Match(3, dice=[(3, 1)])
    >>> _ = match.roll()
    >>> match.play("8/5 6/5")
    >>> [phase_of(each.recorded) for each in bgfast.analyse_match(match, ply=0).decisions]
    ['opening']
    """
    found = _WITHOUT_CONTACT.get(recorded.decision.position.phase)
    return found or ("opening" if recorded.move <= OPENING else "middle game")
