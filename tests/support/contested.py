"""Contested decisions whose equities come from a function of the board."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from benchmarks.families import family_of
from bgfast import Position
from bgfast.learning.contested_decisions import HEAD, MILLI, ContestedDecision, RolledOutPlay


def contested_decision(
    position: Position,
    roll: tuple[int, int],
    equity: Callable[[np.ndarray], float],
    *,
    loss_se: float = 0.002,
    window: float = 0.1,
) -> ContestedDecision:
    """Return a decision; `equity` maps the next player's board after a play to the equity of the play."""
    plays = {play.position.gnubg_id: play for play in position.plays(roll)}
    equities = {play_id: round(equity(play.position.to_array()), 4) for play_id, play in plays.items()}
    ranking = sorted(plays, key=lambda play_id: -equities[play_id])
    losses = {play_id: round(equities[ranking[0]] - equities[play_id], 4) for play_id in ranking}
    candidates = tuple(
        RolledOutPlay(
            play_id, equities[play_id], 0.001, losses[play_id], loss_se if rank else 0.0, str(plays[play_id])
        )
        for rank, play_id in enumerate(ranking)
        if losses[play_id] <= window
    )
    estimates = tuple((play_id, losses[play_id]) for play_id in ranking[len(candidates) :])
    return ContestedDecision(
        position.gnubg_id, (max(roll), min(roll)), family_of(position), 36, 7, candidates, estimates
    )


def blot_equity(board: np.ndarray) -> float:
    """Return an equity of -0.01 for each blot of the player who moved."""
    return -int((board == -1).sum()) / 100


def blot_evaluator(boards: np.ndarray) -> np.ndarray:
    """Return the equities of `blot_equity`, negated for the players on roll."""
    return np.array([-blot_equity(board) for board in boards])


def decisions_text(notes: Iterable[str], decisions: Iterable[ContestedDecision]) -> str:
    """Return the text of a file of contested decisions."""
    lines = [HEAD, *(f"# {note}" for note in notes)]
    for decision in decisions:
        roll = "".join(map(str, decision.roll))
        fields = [
            decision.position_id,
            roll,
            decision.family.replace(" ", "-"),
            decision.trials,
            decision.seed,
        ]
        lines.append(" ".join(map(str, ["decision", *fields, decision.judges])))
        lines += [
            f"rolled {candidate.position_id} {millipoints(*candidate[1:5])} {candidate.play}"
            for candidate in decision.candidates
        ]
        lines += [f"other {position_id} {millipoints(loss)}" for position_id, loss in decision.estimates]
        lines += [
            f"second {result.position_id} {result.trials} {millipoints(*result[2:])}"
            for result in decision.second
        ]
    return "\n".join(lines) + "\n"


def millipoints(*points: float) -> str:
    """Return points as text in millipoints, without a minus sign before zero."""
    return " ".join(f"{round(value * MILLI, 1) + 0.0:.1f}" for value in points)
