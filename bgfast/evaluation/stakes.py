"""Conversion of arguments to decisions, and stakes: match equities or points at every level of the cube."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bgfast.common.validation import PositionLike, flag
from bgfast.errors import BgfastError, InvalidPositionError, short_repr
from bgfast.evaluation._cubeful import MAX_LEVELS, CubeStakes
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.position.decision import Decision, subject_of
from bgfast.position.formats import UNLIMITED_CUBE
from bgfast.position.objects import PlayList, Position

_FIELDS = (
    "turn", "cube", "cube_owner", "score", "match_length", "crawford", "jacoby", "beaver", "max_cube",
)  # fmt: skip
"""Fields of a decision on which its stakes depend."""
_values_of = attrgetter(*_FIELDS)


class HasDecision(Protocol):
    """Object with a decision: a game, a match, or a state of either."""

    @property
    def decision(self) -> Decision:
        """Position with dice, cube and score."""
        ...


DecisionLike = PositionLike | Decision | PlayList | HasDecision
"""Position with or without dice, cube and score: an object, text or a board."""


def subject_decision(subject: Any, dice: Any = None) -> Position | Decision:
    """Apply `subject_of` to a subject, which may also be a game or the plays of a roll."""
    if isinstance(subject, PlayList):
        subject = Decision(position=subject.position, dice=subject.roll)
    elif not isinstance(subject, (str, Position, Decision)):
        subject = getattr(subject, "decision", subject)
        if not isinstance(subject, Decision) and not hasattr(subject, "__len__"):
            expected = "a Position, a Decision, text, a board of 26 numbers, or a game"
            raise InvalidPositionError(f"the subject is {short_repr(subject)}; expected {expected}")
    return subject_of(subject, dice)


def as_decision(subject: Any) -> Decision:
    """Return a subject as a decision; a position alone means money play with a centred cube."""
    if isinstance(subject, Decision):
        return subject
    subject = subject_decision(subject)
    return subject if isinstance(subject, Decision) else Decision(position=subject)


def stakes_of(decision: Decision, met: MatchEquityTable | None = None) -> CubeStakes:
    """Return the mover's stakes before a pending double is answered; position and dice are ignored.

    Values are match-winning chances or, in money play, points in units of the current cube. A `max_cube` of
    1024 means no limit, unless the cube has reached it.
    """
    return _stakes(_values_of(decision), validate_table(met))


def validate_table(met: Any) -> MatchEquityTable:
    """Return a valid match equity table; None means the built-in table."""
    if met is None:
        return MatchEquityTable.builtin()
    if not isinstance(met, MatchEquityTable):
        raise BgfastError(f"met is {short_repr(met)}; expected a MatchEquityTable")
    return met


def validate_mwc(mwc: Any, is_match: bool) -> bool:
    """Return `mwc` as a bool; raise `BgfastError` if it is True in money play."""
    if flag("mwc", mwc) and not is_match:
        raise BgfastError("mwc is True in money play; expected a decision of a match")
    return bool(mwc)


@lru_cache(512)
def _stakes(values: tuple[Any, ...], met: MatchEquityTable) -> CubeStakes:
    decision = Decision(position=Position.start(), **dict(zip(_FIELDS, values, strict=True)))
    return _match_stakes(decision, met) if decision.match_length else _money_stakes(decision)


def _max_doublings(decision: Decision) -> int:
    return (decision.max_cube // decision.cube).bit_length() - 1


def _money_stakes(decision: Decision) -> CubeStakes:
    doublings = _max_doublings(decision)
    is_endless = doublings > 0 and (decision.max_cube == UNLIMITED_CUBE or doublings >= MAX_LEVELS)
    points = _points_by_level(2 if is_endless else doublings + 1)
    levels = np.stack((points, -points), axis=1).astype(np.float64)
    if decision.jacoby and decision.cube_owner == 0:
        levels[0] = levels[0, :, :1]  # Jacoby rule: gammons count as single games while the cube is centred
    return CubeStakes(levels, 0.0, is_endless, decision.cube_owner, (0, 0), decision.beaver)


def _match_stakes(decision: Decision, met: MatchEquityTable) -> CubeStakes:
    # The cube is dead at the level that covers the points that both players need.
    needs, opponent_needs = (-(-(decision.match_length - won) // decision.cube) for won in decision.score)
    doublings = (max(needs, opponent_needs) - 1).bit_length()
    if decision.crawford:
        doublings = 0
    elif decision.max_cube != UNLIMITED_CUBE:
        doublings = min(doublings, _max_doublings(decision))
    points = decision.cube * _points_by_level(doublings + 1)
    levels = np.stack((met.after(decision, points), met.after(decision, -points)), axis=1)
    return CubeStakes(levels, 1.0, False, decision.cube_owner, (needs, opponent_needs), False)


def _points_by_level(count: int) -> npt.NDArray[np.int64]:
    """Return the points of a single game, a gammon and a backgammon, (count, 3), by level of the cube."""
    return np.multiply.outer(2 ** np.arange(count), [1, 2, 3])
