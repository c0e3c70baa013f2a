"""Roll maps: equities after every roll, or after every roll and reply, and market losers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.branches import boards_of, search_of
from bgfast.analysis.cube_decision import checked_decision, decide_all
from bgfast.analysis.map_pictures import rolls_html
from bgfast.batch.successors import results
from bgfast.common.probabilities import Numbers, percent
from bgfast.common.tables import Tabular
from bgfast.common.validation import ROLL_WEIGHTS, ROLLS, flag, thread_count
from bgfast.evaluation.evaluators.evaluators import Evaluator
from bgfast.evaluation.evaluators.exact_tables import table_for
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import stakes_of
from bgfast.position.decision import Decision, after_turn, refuse_offer
from bgfast.position.objects import Play
from bgfast.rules import STANDARD, RuleSetLike

PLY = 1
_PLAYS = ("decision", "plays", "reply_plays")
_ARRAYS = ("equities", "replies", "opponent_drops")
_WEIGHTS = np.array(ROLL_WEIGHTS, np.float64) / sum(ROLL_WEIGHTS)


@dataclass(frozen=True, eq=False, repr=False)
class RollMap(Tabular):
    """Result of `bgfast.cube.roll_map`: the best play and equity of every roll. Equities are the mover's.

    Attributes
    ----------
    decision : Decision
        Before the roll.
    plays : tuple of RankedPlay
        The best play of each roll, in the order of `bgfast.ROLLS`.
    equities : ndarray of float64, shape (21,)
        Equity after that play.
    replies : ndarray of float64, shape (21, 21), or None
        Equity after the mover's roll (row) and the opponent's reply to it (column), the mover on roll again.
    reply_plays : tuple of 21 tuples of Play or None, or None
        Best replies; None after a play that ends the game.
    opponent_drops : ndarray of bool, shape (21, 21), or None
        True if the opponent would then drop a double: the market is lost. None if the mover may not double.

    Examples
    --------
    >>> import bgfast
    >>> race = "XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10"
    >>> result = bgfast.cube.roll_map(race, ply=0, replies=True)
    >>> bgfast.ROLLS[result.market_losers.argmax()], round(result.market_lost, 2)
    ((6, 6), 0.11)
    """

    decision: Decision
    plays: tuple[RankedPlay, ...]
    equities: Numbers
    replies: Numbers | None = None
    reply_plays: tuple[tuple[Play | None, ...], ...] | None = None
    opponent_drops: npt.NDArray[np.bool_] | None = None

    def __eq__(self, other: object) -> bool:
        """Return whether all decisions, plays and numbers are the same."""
        if not isinstance(other, RollMap):
            return NotImplemented
        same_plays = all(getattr(self, name) == getattr(other, name) for name in _PLAYS)
        return same_plays and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS
        )

    def __repr__(self) -> str:
        extremes = {"best": self.equities.argmax(), "worst": self.equities.argmin()}
        rolls = [f"{name} {_text(ROLLS[at])} {self.equities[at]:+.3f}" for name, at in extremes.items()]
        lost = [] if self.market_lost is None else [f"market lost {percent(self.market_lost, 1)}"]
        return f"<RollMap: {', '.join([f'mean {self.mean:+.3f}', *rolls, *lost])}>"

    def _repr_html_(self) -> str:
        """Return the board and a coloured table of equities, for notebooks."""
        return rolls_html(self)

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    @property
    def mean(self) -> float:
        """Mean equity over the 36 rolls."""
        return float(_WEIGHTS @ self.equities)

    @property
    def market_losers(self) -> Numbers | None:
        """Probability, by roll of the mover, of a reply that loses the market: ndarray of shape (21,)."""
        return None if self.opponent_drops is None else self.opponent_drops @ _WEIGHTS

    @property
    def market_lost(self) -> float | None:
        """Probability that the next two rolls lose the market."""
        losers = self.market_losers
        return None if losers is None else float(_WEIGHTS @ losers)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each roll, or for each roll and reply."""
        rows = []
        for index, (roll, candidate) in enumerate(zip(ROLLS, self.plays, strict=True)):
            row = {"roll": _text(roll), "play": str(candidate.play), "equity": float(self.equities[index])}
            if self.replies is None or self.reply_plays is None:
                rows.append(row | {"difference": float(self.equities[index]) - self.mean})
                continue
            for reply, play in enumerate(self.reply_plays[index]):
                columns = {
                    "reply": _text(ROLLS[reply]),
                    "reply_play": None if play is None else str(play),
                    "equity_after_reply": float(self.replies[index, reply]),
                    "opponent_drops": None,
                }
                if self.opponent_drops is not None:
                    columns["opponent_drops"] = bool(self.opponent_drops[index, reply])
                rows.append(row | columns)
        return rows


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
    """Evaluate all 21 rolls, or all pairs of a roll and a reply.

    Parameters
    ----------
    decision : Decision or str
        Before the roll. The cube is not turned before the rolls that are evaluated.
    evaluator, met, efficiency, rules
        As for `cube_decision`.
    replies : bool
        Evaluate the opponent's replies, too: 21 x 21 pairs of rolls, and which of them lose the market.
    ply : {1, 0, 2}, optional
        Search depth for plays and for the positions after replies.
    threads : int
        Number of threads.

    Returns
    -------
    RollMap
        Equities are the mover's, cubeful and normalised (EMG).

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If the game is over, the decision has dice, or a double is on offer.
    BgfastError
        As `cube_decision`.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.cube.roll_map("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10", ply=0)
    >>> str(result.plays[bgfast.ROLLS.index((6, 6))].play), result.equities.shape
    ('24/18(2) 13/7(2)', (21,))
    >>> result.to_csv().splitlines()[0]
    'roll,play,equity,difference'
    """
    root = checked_decision(decision)
    refuse_offer(root)
    with_replies, threads = flag("replies", replies), thread_count(threads)
    search = search_of(evaluator, ply, PLY, rules)
    met = table_for(search.evaluator, after_turn(root, root.position), met, search.rules)

    def best_of_rolls(decision: Decision) -> list[RankedPlay]:
        options: dict[str, Any] = {"met": met, "efficiency": efficiency, "threads": threads}
        return [search.best_plays(replace(decision, dice=roll), **options)[0] for roll in ROLLS]

    best = best_of_rolls(root)
    equities = np.array([candidate.equity for candidate in best])
    if not with_replies:
        return RollMap(root, tuple(best), equities)
    reply_plays: tuple[tuple[Play | None, ...], ...] = tuple(
        (None,) * len(ROLLS)
        if position.winner is not None
        else tuple(reply.play for reply in best_of_rolls(after_turn(root, position)))
        for position in (candidate.play.position for candidate in best)
    )
    # Positions are seen from the mover: a reply has passed the turn back, a play that ends the game has not.
    positions = [
        candidate.play.position.flip() if play is None else play.position
        for candidate, replies_to_play in zip(best, reply_plays, strict=True)
        for play in replies_to_play
    ]
    points = results(boards_of(positions), search.rules, root.position.checkers)
    stakes = stakes_of(root, met)
    after_replies = np.array(
        [stakes.normalized(stakes.of_points(int(won))) if won else 0.0 for won in points]
    )
    (open_rows,) = np.nonzero(points == 0)
    cube_results = decide_all(
        (replace(root, position=positions[row]) for row in open_rows.tolist()),
        search,
        met,
        efficiency,
        threads,
        races=False,  # of hundreds of positions they would take too long
    )
    after_replies[open_rows] = [result.equities.no_double for result in cube_results]
    shape, drops = (len(ROLLS), len(ROLLS)), None
    if all(result.why_not is None for result in cube_results):
        drops = np.zeros(shape, bool)
        drops.flat[open_rows] = [result.equities.answers == "drop" for result in cube_results]
    return RollMap(root, tuple(best), equities, after_replies.reshape(shape), reply_plays, drops)
