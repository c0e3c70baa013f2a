"""What each roll would bring, and each reply to it: equities after rolls, and which rolls lose the market."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.stakes import stakes_of
from bgfast.analysis.decisions.best_plays import best_plays
from bgfast.analysis.decisions.cube_decision import checked_decision, cube_decisions
from bgfast.analysis.decisions.players import after_turn, boards_of, player_of
from bgfast.analysis.evaluators.evaluators import Evaluator
from bgfast.analysis.evaluators.lookahead import Lookahead, RankedPlay
from bgfast.batch.successors import results
from bgfast.common.columns import Tabular
from bgfast.common.probabilities import Numbers
from bgfast.common.rolls import ROLL_WEIGHTS, ROLLS
from bgfast.position.decision import Decision, refuse_offer
from bgfast.position.objects import Play, Position
from bgfast.rules import STANDARD, RuleSetLike

__all__ = ["RollMap", "roll_map"]

PLY = 1
_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64) / sum(ROLL_WEIGHTS)


@dataclass(frozen=True)
class RollMap(Tabular):
    """What each of the 21 rolls would bring, as `roll_map` finds it; all of it from the side of the mover.

    Attributes
    ----------
    decision : Decision
        Before the roll.
    plays : tuple of RankedPlay
        The best play of each roll, in the order of `bgfast.ROLLS`.
    equities : ndarray of float64, shape (21,)
        What the mover has after it.
    replies : ndarray of float64, shape (21, 21), or None
        What the mover has after the own roll (row) and the opponent's reply to it (column), on roll again.
    reply_plays : tuple of 21 tuples of Play or None, or None
        The replies; a play that has ended the game has none.
    opponent_passes : ndarray of bool, shape (21, 21), or None
        Whether the opponent would then pass a double: the market is lost. None where the
        mover may not double.

    Examples
    --------
    >>> import bgfast
    >>> race = "XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10"
    >>> found = bgfast.roll_map(race, ply=0, replies=True)
    >>> bgfast.ROLLS[found.market_losers.argmax()], round(found.market_lost, 2)
    ((6, 6), 0.11)
    """

    decision: Decision
    plays: tuple[RankedPlay, ...]
    equities: Numbers
    replies: Numbers | None = None
    reply_plays: tuple[tuple[Play | None, ...], ...] | None = None
    opponent_passes: npt.NDArray[np.bool_] | None = None

    @property
    def mean(self) -> float:
        """The mean over the 36 rolls."""
        return float(_WEIGHTS @ self.equities)

    @property
    def market_losers(self) -> Numbers | None:
        """After each own roll the share of replies after which the opponent passes: ndarray (21,)."""
        return None if self.opponent_passes is None else self.opponent_passes @ _WEIGHTS

    @property
    def market_lost(self) -> float | None:
        """The share of the 1,296 pairs of rolls after which the opponent passes."""
        losers = self.market_losers
        return None if losers is None else float(_WEIGHTS @ losers)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each roll, or for each pair of rolls."""
        found = []
        for own, (roll, best) in enumerate(zip(ROLLS, self.plays, strict=True)):
            row = {"roll": _text(roll), "play": str(best.play), "equity": float(self.equities[own])}
            if self.replies is None or self.reply_plays is None:
                found.append(row | {"difference": float(self.equities[own]) - self.mean})
                continue
            for reply, play in enumerate(self.reply_plays[own]):
                passes = None if self.opponent_passes is None else bool(self.opponent_passes[own, reply])
                found.append(
                    row
                    | {
                        "reply": _text(ROLLS[reply]),
                        "reply_play": None if play is None else str(play),
                        "equity_after_reply": float(self.replies[own, reply]),
                        "opponent_passes": passes,
                    }
                )
        return found


def _text(roll: tuple[int, int]) -> str:
    return "{}-{}".format(*roll)


def roll_map(
    decision: Decision | str,
    evaluator: Evaluator | None = None,
    *,
    replies: bool = False,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> RollMap:
    """Return what each of the 21 rolls would bring, or each of them with each reply.

    Parameters
    ----------
    decision : Decision, or the text of one
        Before the roll; nobody turns the cube on the way.
    evaluator, met, efficiency, rules
        As for `cube_decision`.
    replies : bool
        Whether to look at the opponent's replies, too, 21 x 21 pairs of rolls, and at which of them lose the
        market.
    ply : {1, 0, 2}, optional
        How far to look ahead from each play, and from each pair of rolls.
    threads : int
        How many share the work of a roll.

    Returns
    -------
    RollMap
        Equities are cubeful, those of the mover, and normalised (EMG).

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If the game is over, the dice are rolled, or a double is on offer.
    BgfastError
        As `cube_decision`.

    Examples
    --------
    >>> import bgfast
    >>> found = bgfast.roll_map("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10", ply=0)
    >>> str(found.plays[bgfast.ROLLS.index((6, 6))].play), found.equities.shape
    ('24/18(2) 13/7(2)', (21,))
    >>> found.to_csv().splitlines()[0]
    'roll,play,equity,difference'
    """
    given = checked_decision(decision)
    refuse_offer(given)
    player = player_of(evaluator, ply, PLY, rules)
    best = [best_plays(player, replace(given, dice=roll), met, efficiency, threads)[0] for roll in ROLLS]
    equities = np.array([each.equity for each in best])
    found = RollMap(given, tuple(best), equities)
    if not replies:
        return found
    plays = tuple(_replies(player, given, each.play, met, efficiency, threads) for each in best)
    # The mover is on roll again: a reply hands the position over, a play that ends the game does not.
    positions = [
        each.play.position.flip() if play is None else play.position
        for each, row in zip(best, plays, strict=True)
        for play in row
    ]
    values, passes = _after_replies(given, positions, player, met, efficiency)
    square = (len(ROLLS), len(ROLLS))
    return replace(
        found,
        replies=values.reshape(square),
        reply_plays=plays,
        opponent_passes=None if passes is None else passes.reshape(square),
    )


def _after_replies(
    decision: Decision,
    positions: Sequence[Position],
    player: Lookahead,
    met: MatchEquityTable | None,
    efficiency: str,
) -> tuple[Numbers, npt.NDArray[np.bool_] | None]:
    """Return what the mover has in positions with the same cube, and where the opponent would pass."""
    points = results(boards_of(positions), player.rules, decision.position.checkers)
    stakes = stakes_of(decision, met)
    values = np.array([stakes.normalized(stakes.of_points(int(each))) if each else 0.0 for each in points])
    (unfinished,) = np.nonzero(points == 0)
    found = cube_decisions(
        (replace(decision, position=positions[row]) for row in unfinished.tolist()),
        player,
        met=met,
        efficiency=efficiency,
    )
    values[unfinished] = [each.equities.no_double for each in found]
    if not all(each.why_not is None for each in found):
        return values, None
    passes = np.zeros(len(values), bool)
    passes[unfinished] = [each.equities.answers == "pass" for each in found]
    return values, passes


def _replies(
    player: Lookahead,
    decision: Decision,
    play: Play,
    met: MatchEquityTable | None,
    efficiency: str,
    threads: int,
) -> tuple[Play | None, ...]:
    """Return the opponent's best reply with each roll; None where the game is over."""
    if play.position.winner is not None:
        return (None,) * len(ROLLS)
    after = after_turn(decision, play.position)
    return tuple(
        best_plays(player, replace(after, dice=roll), met, efficiency, threads)[0].play for roll in ROLLS
    )
