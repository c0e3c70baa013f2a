"""What the analysis of a decision or a roll has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll

__all__ = ["NORMAL_95", "SAME", "AnalysedDecision", "AnalysedRoll", "Choice", "Status"]

NORMAL_95 = 1.959963984540054
"""Standard errors that a 95 % interval reaches to either side."""
Status = Literal["settled", "too close to call", "not rolled out"]
"""Whether rollouts tell that what was chosen is right, or wrong: the 95 % interval does not hold 0."""

SAME = 0.001
"""Plays whose equities differ by no more leave nothing to decide: eXtreme Gammon's count of decisions."""


class Choice(NamedTuple):
    """Something that a player could choose, and what it is worth for that player.

    Attributes
    ----------
    text : str
        A play in notation; or what `RecordedDecision.chosen` may say.
    equity : float
        In points at the value of the cube before the decision (EMG).
    mwc : float or None
        The chance to win the match; None in money play.
    ply : int
        How far was looked ahead for that.
    probabilities : tuple of 5 float, or None
        As `bgfast.evaluators` has them, for the player who decides; None for a double that is passed.
    trials : int
        Games by which it was rolled out; 0 if it was not.
    equity_se : float
        The standard error of `equity` then.
    probabilities_se : tuple of 5 float, or None
        Those of `probabilities`.
    """

    text: str
    equity: float
    mwc: float | None
    ply: int
    probabilities: tuple[float, ...] | None = None
    trials: int = 0
    equity_se: float = 0.0
    probabilities_se: tuple[float, ...] | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `equity`, where it was rolled out."""
        half = NORMAL_95 * self.equity_se
        return self.equity - half, self.equity + half


@dataclass(frozen=True)
class AnalysedDecision:
    """A decision, and what each choice was worth.

    Attributes
    ----------
    recorded : RecordedDecision
    choices : tuple of Choice
        Best first; of a play as many as were kept, and in any case the one that was made.
    rank : int
        The place of what was chosen among all there was to choose; the best is 1.
    legal : int
        How much there was to choose from.
    spread : float
        The equity of the best less that of the worst; of plays at sight, where all are looked at alike.
    status : {"not rolled out", "settled", "too close to call"}
    error_se : float
        The standard error of `error`, where it was rolled out: 0 of what is settled to be right.
    taken : Choice or None
        Of a decision whether to double: what a double is worth that is taken, right or wrong.
    """

    recorded: RecordedDecision
    choices: tuple[Choice, ...]
    rank: int
    legal: int
    spread: float
    status: Status = "not rolled out"
    error_se: float = 0.0
    taken: Choice | None = None

    @property
    def best(self) -> Choice:
        """What would have been best."""
        return self.choices[0]

    @property
    def chosen(self) -> Choice:
        """What was chosen."""
        return next(each for each in self.choices if each.text == self.recorded.chosen)

    @property
    def error(self) -> float:
        """What the choice has cost, 0 or more, in points at the value of the cube (EMG)."""
        return max(0.0, self.best.equity - self.chosen.equity)

    @property
    def error_mwc(self) -> float | None:
        """What the choice has cost in chances to win the match; None in money play."""
        best, chosen = self.best.mwc, self.chosen.mwc
        return None if best is None or chosen is None else max(0.0, best - chosen)

    @property
    def forced(self) -> bool:
        """Whether there was nothing to choose."""
        return self.legal < 2

    @property
    def all_equal(self) -> bool:
        """Whether all choices are worth the same, to 0.001."""
        return self.spread <= SAME

    @property
    def no_double(self) -> float:
        """What a turn without a double was worth, of a decision whether to double."""
        return self._equity_of("no double")

    @property
    def cost_of_doubling(self) -> float:
        """The equity without a double less that with one, of a decision whether to double."""
        return self.no_double - self._equity_of("double")

    def _equity_of(self, text: str) -> float:
        return next(each.equity for each in self.choices if each.text == text)


@dataclass(frozen=True)
class AnalysedRoll:
    """A roll, and how lucky it was for the player who has to play it.

    Attributes
    ----------
    recorded : RecordedRoll
    luck : float
        What the best play of it is worth, less the mean of that over all rolls, in points at the value of the
        cube (EMG).
    luck_mwc : float or None
        The same in chances to win the match; None in money play.
    """

    recorded: RecordedRoll
    luck: float
    luck_mwc: float | None
