"""Analysed decisions and rolls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from bgfast.analysis.matches.page.decision_html import decision_html, level_text, roll_text
from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll
from bgfast.common.probabilities import NORMAL_95
from bgfast.games.scoring import PLAYER_NAMES

Status = Literal["settled", "too close to call", "not rolled out"]
"""Outcome of a rollout: settled if the 95 % interval of the equity difference between the recorded choice and
the best alternative excludes 0."""

EQUAL_SPREAD = 1e-4
"""Plays do not count for PR if the best ten differ by less than this, as in eXtreme Gammon."""
RANKED_PLAYS = 10
"""Number of the best plays that are compared with `EQUAL_SPREAD`."""


class Choice(NamedTuple):
    """Option of a decision, with its value and its five probabilities for the player who decides."""

    text: str  # a play in notation, or an action as in `RecordedDecision.chosen`
    equity: float  # in points at the value of the cube before the decision (EMG)
    mwc: float | None  # match winning chance; None in money play
    ply: int  # of the search; 0 is static
    probabilities: tuple[float, ...] | None = None  # in the order of `bgfast.evaluators`; None: drop
    trials: int = 0  # of the rollout; 0 if not rolled out
    equity_se: float = 0.0  # standard error of `equity`
    probabilities_se: tuple[float, ...] | None = None  # standard errors
    method: str | None = None  # as in `CubeDecision`; None: a play, a resignation or a rollout

    def __repr__(self) -> str:
        return f"<Choice {self.text}: {self.equity:+.4f}, {level_text(self)}>"

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of `equity` in the rollout."""
        half_width = NORMAL_95 * self.equity_se
        return self.equity - half_width, self.equity + half_width


@dataclass(frozen=True, repr=False)
class AnalysedDecision:
    """Recorded decision and its evaluated choices.

    Attributes
    ----------
    recorded : RecordedDecision
    choices : tuple of Choice
        Best first. Plays are limited to a few candidates; the recorded play is always included.
    rank : int
        Rank of the recorded choice among all legal choices; the best is 1.
    legal : int
        Number of legal choices.
    spread : float
        Equity of the best choice less that of the worst, or of the tenth play; of plays the larger of two
        differences: at 0 plies, and among the plays searched to the full depth.
    status : {"not rolled out", "settled", "too close to call"}
    error_se : float
        Standard error of `error`: 0 if not rolled out, or if the recorded choice is settled to be right.
    taken : Choice or None
        Double and take, whether or not dropping is better; None unless `recorded` is a decision to double.
    rollout_error, rollout_error_mwc : float or None
        Error by the rollout, without the bias of the best of several estimates; None without a rollout or,
        for the second, in money play.
    """

    recorded: RecordedDecision
    choices: tuple[Choice, ...]
    rank: int
    legal: int
    spread: float
    status: Status = "not rolled out"
    error_se: float = 0.0
    taken: Choice | None = None
    rollout_error: float | None = None
    rollout_error_mwc: float | None = None

    def __repr__(self) -> str:
        recorded = self.recorded
        place = f"game {recorded.game}, move {recorded.move}, {PLAYER_NAMES[recorded.player]}"
        chosen = f"{roll_text(recorded.decision.dice)} {recorded.chosen}".strip()
        best = "" if self.rank == 1 else f"; best {self.best.text}"
        return f"<AnalysedDecision {place} {chosen}: error {self.error:.3f}{best}>"

    def _repr_html_(self) -> str:
        """Return the board and a table of choices, for notebooks."""
        return decision_html(self)

    @property
    def best(self) -> Choice:
        """Best choice."""
        return self.choices[0]

    @property
    def chosen(self) -> Choice:
        """Recorded choice."""
        return next(choice for choice in self.choices if choice.text == self.recorded.chosen)

    @property
    def error(self) -> float:
        """Equity loss of the recorded choice in points at the value of the cube (EMG).

        0 or more, but for rollouts: the estimate of an error near 0 may be below 0.
        """
        if self.rollout_error is not None:
            return self.rollout_error
        return max(0.0, self.best.equity - self.chosen.equity)

    @property
    def error_mwc(self) -> float | None:
        """Loss of match winning chance; None in money play."""
        if self.rollout_error is not None:
            return self.rollout_error_mwc
        best, chosen = self.best.mwc, self.chosen.mwc
        return None if best is None or chosen is None else max(0.0, best - chosen)

    @property
    def forced(self) -> bool:
        """True if there was only one legal choice."""
        return self.legal < 2

    @property
    def all_equal(self) -> bool:
        """True if the equities of all choices, or of the best ten plays, differ by less than 1e-4."""
        return self.spread < EQUAL_SPREAD

    @property
    def no_double(self) -> float:
        """Equity of not doubling; for decisions to double only."""
        return self.equity_of("no double")

    @property
    def cost_of_doubling(self) -> float:
        """Equity of not doubling less that of doubling; for decisions to double only."""
        return self.no_double - self.equity_of("double")

    def equity_of(self, text: str) -> float:
        """Return the equity of a choice."""
        return next(choice.equity for choice in self.choices if choice.text == text)


@dataclass(frozen=True, repr=False)
class AnalysedRoll:
    """Recorded roll and its luck for the player who has to play it."""

    recorded: RecordedRoll
    luck: float  # equity of its best play less the mean over all rolls (EMG)
    luck_mwc: float | None  # the same in match winning chance; None in money play

    def __repr__(self) -> str:
        recorded = self.recorded
        roll = "{}-{}".format(*recorded.roll)
        place = f"game {recorded.game}, move {recorded.move}, {PLAYER_NAMES[recorded.player]} {roll}"
        return f"<AnalysedRoll {place}: luck {self.luck:+.3f}>"
