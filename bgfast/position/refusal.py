"""Why a play is illegal: one sentence that names the rule, the points and the dice concerned.

The rules are asked one after the other, the most specific first; each is a small function with the sentence
of RULES.md beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.position.attempt import Claim, Rule
from bgfast.position.hops import Hop
from bgfast.position.refused_bearoffs import BEAROFFS
from bgfast.position.refused_forfeits import FORFEIT_TIMES, FORFEITED_DICE
from bgfast.position.refused_moves import FULL_POINTS, MOVES
from bgfast.position.refused_turns import MUST_PLAY, PASSES
from bgfast.position.turn import Turn

__all__ = ["refusal"]

# The most specific reason first.
_RULES: tuple[Rule, ...] = (
    *PASSES,
    *FORFEITED_DICE,
    *MOVES,
    *BEAROFFS,
    *FULL_POINTS,
    *FORFEIT_TIMES,
    *MUST_PLAY,
)


def refusal(
    turn: Turn,
    hops: Sequence[Hop],
    forfeits: Sequence[int],
    moves: Sequence[Any] | npt.NDArray[np.int8],
) -> str:
    """Say in one sentence which rule an illegal play breaks.

    Parameters
    ----------
    turn : Turn
        The position, the roll and the rule set.
    hops : sequence of (from, to)
        What was to be played, in any order; single-die steps and joined ones alike (25 = bar, to 0 = off).
    forfeits : sequence of int
        The dice that were to be forfeited. Neither hops nor forfeits means that the mover wanted to pass.
    moves : (n, 4, 2) array of int8
        The single-die steps of all legal plays, unused rows (-1, -1); n = 0 when the turn passes.

    Returns
    -------
    str
        One sentence without a full stop. There is always one, whatever the hops.

    Notes
    -----
    Keeps no state, therefore safe to call from several threads.

    Examples
    --------
    >>> from bgfast import EXACT, STANDARD
    >>> board = [0] * 26
    >>> board[24], board[19] = 1, -2
    >>> steps = [[[24, 20], [-1, -1], [-1, -1], [-1, -1]]]
    >>> refusal(Turn(board, (5, 4), STANDARD), [(24, 19)], (), steps)
    "illegal play '24/19' for 5-4: the landing point 19 is held by 2 opposing checkers"
    >>> refusal(Turn(board, (5, 4), EXACT), [(24, 20)], (5,), steps).partition(": ")[2]
    'a number may be forfeited only with all checkers home, and one stands on 20'
    """
    plays = ([(int(start), int(end)) for start, end in steps if start >= 0] for steps in moves)
    claim = Claim(
        turn=turn,
        hops=[(int(start), int(end)) for start, end in hops],
        forfeits=tuple(forfeits),
        example=min(plays, key=lambda steps: sum(start == end for start, end in steps), default=[]),
    )
    for rule in _RULES:
        reason = rule(claim)
        if reason:
            break
    else:
        reason = f"it is not one of the {len(moves)} legal plays"
    return f"illegal play '{claim.text or 'pass'}' for {claim.roll}: {reason}"
