"""Analysed decisions and rolls, decisions that count for PR, and analyses of decisions in the match file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

from bgfast.analysis.matches.recorded_decisions import RecordedDecision, RecordedRoll, phase_of
from bgfast.common.foreign_names import names_missing
from bgfast.common.probabilities import NORMAL_95, percent, probabilities_by_name
from bgfast.common.validation import Roll
from bgfast.errors import BgfastError
from bgfast.evaluation.cubeful import FORMULA
from bgfast.evaluation.evaluators.ranked_plays import CHANCE_HEADINGS, NOTEBOOK_BOARD, chance_cells
from bgfast.evaluation.stakes import stakes_of
from bgfast.evaluation.tables import html_table, panel
from bgfast.games.match import Match
from bgfast.games.scoring import PLAYER_NAMES
from bgfast.games.state import Action
from bgfast.position.decision import Decision, svg
from bgfast.position.objects import Play
from bgfast.position.picture import Diagram, Svg
from bgfast.records.recorded_analysis import CubeChances, CubeEquities, DecisionAnalysis


def roll_text(dice: Roll | None) -> str:
    """Return a roll as text, the higher die first; empty if there is none."""
    return "" if dice is None else f"{max(dice)}-{min(dice)}"


def fields_of(item: Any, names: str) -> dict[str, Any]:
    """Return the named attributes; missing attributes are None."""
    return {name: getattr(item, name, None) for name in names.split()}


# ---- errors ----


Mark = Literal["doubtful", "bad", "very bad"]
MARKS: Mapping[Mark, float] = MappingProxyType({"very bad": 0.12, "bad": 0.06, "doubtful": 0.03})
"""Minimum error of every mark (EMG), largest first: the thresholds of GNU Backgammon."""
ErrorKind = Literal["play", "missed double", "wrong double", "wrong take", "wrong drop", "resignation"]
ERROR_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
_KIND_BY_CHOICE: Mapping[str, ErrorKind] = {
    "no double": "missed double",
    "double": "wrong double",
    **dict.fromkeys(("take", "beaver"), "wrong take"),
    "drop": "wrong drop",
    **dict.fromkeys(("resign", "accept", "refuse"), "resignation"),
}


def error_mark(error: float) -> Mark | None:
    """Return the mark of an error; None for an error below all `MARKS`."""
    return next((mark for mark, minimum in MARKS.items() if error >= minimum), None)


def error_kind(decision: AnalysedDecision) -> ErrorKind:
    """Return the kind of error that the recorded choice would be."""
    return "play" if decision.recorded.kind == "play" else _KIND_BY_CHOICE[decision.recorded.chosen]


# ---- decisions and rolls ----

Status = Literal["settled", "too close to call", "not rolled out"]
"""Outcome of a rollout: settled if the 95 % interval of the equity difference between the recorded choice and
the best alternative excludes 0."""

EQUAL_SPREAD = 1e-4
"""Plays do not count for PR if the best ten differ by less than this, as in eXtreme Gammon."""
RANKED_PLAYS = 10
"""Number of best plays whose spread is compared with `EQUAL_SPREAD`."""


class Choice(NamedTuple):
    """Option of a decision, with its value and its five probabilities for the player who decides."""

    text: str  # a play in notation, or an action as in `RecordedDecision.chosen`
    equity: float  # in points at the value of the cube before the decision (EMG)
    mwc: float | None  # match winning chance; None in money play
    ply: int  # search depth; 0 is static
    probabilities: tuple[float, ...] | None = None  # as in `bgfast.evaluators`; None: a drop or a resignation
    trials: int = 0  # trials of the rollout; 0 if not rolled out
    equity_se: float = 0.0  # standard error of `equity`
    probabilities_se: tuple[float, ...] | None = None  # standard errors of `probabilities`
    method: str | None = None  # as in `CubeDecision`; None: a play, a resignation or a rollout

    def __repr__(self) -> str:
        return f"<Choice {self.text}: {self.equity:+.4f}, {self.level}>"

    @property
    def level(self) -> str:
        """Level of the evaluation: ``"1,296 trials"``, ``"2-ply"``, ``"exact"`` or ``"race recursion"``."""
        if self.method not in (None, FORMULA):
            return str(self.method)
        return f"{self.trials:,} trials" if self.trials else f"{self.ply}-ply"

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of `equity` in the rollout."""
        half_width = NORMAL_95 * self.equity_se
        return self.equity - half_width, self.equity + half_width

    def to_dict(self) -> dict[str, Any]:
        """Return the choice as plain data for JSON."""
        probabilities = self.probabilities
        return {
            **fields_of(self, "text equity mwc ply method trials equity_se"),
            "interval": list(self.interval) if self.trials else None,
            "probabilities": None if probabilities is None else probabilities_by_name(probabilities),
        }

    def of_opponent(self) -> Choice:
        """Return the choice with the values for the other player."""
        chances, errors = self.probabilities, self.probabilities_se
        return self._replace(
            equity=-self.equity,
            mwc=None if self.mwc is None else 1 - self.mwc,
            probabilities=None if chances is None else (1 - chances[0], *chances[3:], *chances[1:3]),
            probabilities_se=None if errors is None else (errors[0], *errors[3:], *errors[1:3]),
        )


@names_missing
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
        Equity difference between the best choice and the worst of the best ten; for plays, the larger of
        the differences at 0 plies and among the plays searched to the full depth.
    status : {"not rolled out", "settled", "too close to call"}
    error_se : float
        Standard error of `error`: 0 without a rollout, or if the rollout settled that the choice is best.
    taken : Choice or None
        Double and take, whether or not dropping is better; None unless `recorded` is a doubling decision.
    rollout_error, rollout_error_mwc : float or None
        Error according to the rollout, without the bias from selecting the best of several estimates;
        None without a rollout, and `rollout_error_mwc` also in money play.
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
        best = "" if self.rank == 1 else f"; best {self.best.text}"
        return f"<AnalysedDecision {_place(self.recorded)} {self._choice}: error {self.error:.3f}{best}>"

    def _repr_html_(self) -> str:
        """Return the board and a table of choices, for notebooks."""
        recorded, best, rows = self.recorded, self.best, []
        for choice in self.choices:
            text = f"{choice.text} (chosen)" if choice.text == recorded.chosen else choice.text
            difference = "" if choice is best else f"{choice.equity - best.equity:+.4f}"
            mwc = [] if choice.mwc is None else [percent(choice.mwc)]
            chances = chance_cells(choice.probabilities)
            rows.append([text, f"{choice.equity:+.4f}", difference, *mwc, *chances, choice.level])
        headings = ["", "equity", "diff.", *["mwc"] * (best.mwc is not None), *CHANCE_HEADINGS, "level"]
        return panel(
            self.svg(size=NOTEBOOK_BOARD),
            f"{self._choice}: error {self.error:.3f}",
            html_table(headings, rows),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as plain data for JSON: the columns of a table row, and the choices."""
        recorded, chosen, best = self.recorded, self.chosen, self.best
        is_doubling = recorded.kind == "double"
        return {
            **fields_of(recorded, "game move player kind"),
            "phase": phase_of(recorded),
            "xgid": recorded.decision.xgid,
            "roll": "" if recorded.decision.dice is None else "{}-{}".format(*recorded.decision.dice),
            "chosen": recorded.chosen,
            "best": best.text,
            **fields_of(self, "rank legal"),
            "equity": chosen.equity,
            "best_equity": best.equity,
            "error": self.error,
            "mwc": chosen.mwc,
            "best_mwc": best.mwc,
            "error_mwc": self.error_mwc,
            "equity_of_no_double": self.no_double if is_doubling else None,
            "equity_of_double": self.no_double - self.cost_of_doubling if is_doubling else None,
            **fields_of(self, "forced all_equal"),
            "counted": is_counted(self),
            "error_kind": error_kind(self),
            "mark": error_mark(self.error),
            **fields_of(best, "ply method"),
            "status": self.status,
            "trials": best.trials,
            "error_se": self.error_se,
            "equity_se": chosen.equity_se,
            "best_equity_se": best.equity_se,
            "choices": [choice.to_dict() for choice in self.choices],
        }

    @property
    def plays_shown(self) -> tuple[Play, ...]:
        """Best play and recorded play; empty unless the decision is a play."""
        decision, rules = self.recorded.decision, self.recorded.rules
        if self.recorded.kind != "play" or decision.dice is None:
            return ()
        legal = decision.position.plays(decision.dice, rules)
        return legal[self.best.text], legal[self.recorded.chosen]

    def _diagram(self) -> Diagram:
        moves = [play.moves for play in self.plays_shown] or [(), ()]
        return replace(self.recorded.decision._diagram(), moves=moves[0], other_moves=moves[1])

    def svg(self, **options: Any) -> Svg:
        """Return a picture with arrows of the best play (solid) and the recorded play (dashed).

        Options are as for `bgfast.svg`; by default the player who decides is at the bottom.
        """
        return svg(self, **{"bottom": PLAYER_NAMES[self.recorded.player], **options})

    @property
    def _choice(self) -> str:
        """Roll, if there is one, and recorded choice, as text."""
        return f"{roll_text(self.recorded.decision.dice)} {self.recorded.chosen}".strip()

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

        0 or more, except that a rollout's estimate of an error near 0 may be below 0.
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
        """Equity of not doubling; for doubling decisions only."""
        return self.equity_of("no double")

    @property
    def cost_of_doubling(self) -> float:
        """Equity of not doubling less the equity of doubling; for doubling decisions only."""
        return self.no_double - self.equity_of("double")

    @property
    def is_too_good(self) -> bool:
        """True if playing on is worth more than the points that a double would win."""
        if self.taken is None or self.best.text != "no double":
            return False
        return min(self.no_double, self.taken.equity) > DROP_EQUITY

    def equity_of(self, text: str) -> float:
        """Return the equity of a choice."""
        return next(choice.equity for choice in self.choices if choice.text == text)


@dataclass(frozen=True, repr=False)
class AnalysedRoll:
    """Recorded roll and its luck for the player who has to play it."""

    recorded: RecordedRoll
    luck: float  # equity of its best play less the mean over all rolls (EMG)
    luck_mwc: float | None  # `luck` as match winning chance; None in money play

    def __repr__(self) -> str:
        roll = "{}-{}".format(*self.recorded.roll)
        return f"<AnalysedRoll {_place(self.recorded)} {roll}: luck {self.luck:+.3f}>"


def _place(record: RecordedDecision | RecordedRoll) -> str:
    return f"game {record.game}, move {record.move}, {PLAYER_NAMES[record.player]}"


# ---- counting for PR: the definition `xg` of docs/MATCH_ANALYSIS.md, with equities in EMG ----


DROP_EQUITY = 1.0
"""Equity of double and drop for the doubler (EMG)."""
TRIVIAL_ERROR = 0.001
"""A missed double that costs this or more always counts; choices that differ by less are equal."""
TRIVIAL_MARGIN = 0.2
"""Not doubling is trivial if doubling would cost more than this after a take, or after a drop."""
HOPELESS_EQUITY = -0.9
"""Not doubling is trivial if the equities of no double and of double/take are below this."""


def play_counts(equities: Sequence[float], legal: int) -> bool:
    """Return whether a play counts, given the equities, best first, and the number of legal plays."""
    best_ten = equities[:RANKED_PLAYS]
    return legal > 1 and best_ten[0] - min(best_ten) >= EQUAL_SPREAD


def no_double_counts(no_double: float, double_take: float, double_drop: float = DROP_EQUITY) -> bool:
    """Return whether a turn without a double counts."""
    double = min(double_take, double_drop)
    if double - no_double >= TRIVIAL_ERROR:
        return True
    return not (
        abs(no_double - double) < TRIVIAL_ERROR
        or no_double - double_take > TRIVIAL_MARGIN
        or no_double - double_drop > TRIVIAL_MARGIN
        or max(no_double, double_take) < HOPELESS_EQUITY
    )


def answer_counts(double_take: float, double_drop: float = DROP_EQUITY) -> bool:
    """Return whether an answer to a double counts."""
    return abs(double_take - double_drop) >= TRIVIAL_ERROR


def is_counted(decision: AnalysedDecision) -> bool:
    """Return whether a play or cube decision counts for PR; False for resignations."""
    kind = decision.recorded.kind
    if kind == "play":
        return not (decision.forced or decision.all_equal)
    if kind == "take":
        return answer_counts(decision.equity_of("take"), decision.equity_of("drop"))
    if kind == "resignation":
        return False
    if decision.recorded.chosen == "double":
        return True
    assert decision.taken is not None
    return no_double_counts(decision.no_double, decision.taken.equity)


# ---- analyses in the match file ----


class RecordedChoice(NamedTuple):
    """Option of a decision with its equity in the file (EMG), for the player who decides."""

    text: str  # as `Choice.text`
    equity: float
    level: str  # evaluation method, as the program that wrote the file calls it

    def __str__(self) -> str:
        return f"{self.text} {self.equity:+.3f} ({self.level or 'level unknown'})"


class RecordedJudgement(NamedTuple):
    """Analysis of a decision in the file."""

    choices: tuple[RecordedChoice, ...]  # best first; plays in the order of the file
    chosen: RecordedChoice
    counted: bool  # True: the decision counts for PR according to the file's equities

    @property
    def best(self) -> RecordedChoice:
        """Best choice."""
        return self.choices[0]

    @property
    def error(self) -> float:
        """Equity loss of the recorded choice, 0 or more."""
        return max(0.0, self.best.equity - self.chosen.equity)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain data for JSON."""
        return {**judgement_row(self), "recorded_choices": [choice._asdict() for choice in self.choices]}

    def loss_of(self, text: str) -> float | None:
        """Return the equity loss of a choice; None if the file does not list it."""
        equity = next((choice.equity for choice in self.choices if choice.text == text), None)
        return None if equity is None else max(0.0, self.best.equity - equity)


def collect_judgements(
    match: Match, decisions: Sequence[AnalysedDecision]
) -> tuple[RecordedJudgement | None, ...]:
    """Return the file's analysis of each decision; None if it is missing or unusable."""
    if not match.recorded_analysis:
        return (None,) * len(decisions)
    history = match.history
    return tuple(_judgement(match, history, analysed) for analysed in decisions)


def _judgement(
    match: Match, history: Sequence[Action], analysed: AnalysedDecision
) -> RecordedJudgement | None:
    recorded, action = analysed.recorded, analysed.recorded.action
    if recorded.chosen == "no double":  # the file stores this analysis with the play or pass
        indices = range(action + 1, len(history))
        action = next((index for index in indices if history[index].name in ("play", "pass_turn")), action)
    analysis = match.recorded_analysis.get(action)
    if not isinstance(analysis, DecisionAnalysis):
        return None
    if recorded.kind == "play":
        choices = _play_choices(match, analysed, analysis)
        counted = bool(choices) and play_counts([choice.equity for choice in choices], analysed.legal)
    elif recorded.kind == "resignation" or analysis.cube is None:
        return None
    else:
        cube = _cube_equities(analysis.cube, recorded.decision)
        after_double = cube.double_take, cube.double_drop
        if recorded.kind == "double":
            equities = {"no double": cube.no_double, "double": min(after_double)}
            counted = recorded.chosen == "double" or no_double_counts(cube.no_double, *after_double)
        else:
            equities = {"take": -cube.double_take, "drop": -cube.double_drop}
            counted = answer_counts(*after_double)
        cube_choices = (RecordedChoice(text, equity, cube.level) for text, equity in equities.items())
        choices = tuple(sorted(cube_choices, key=lambda choice: -choice.equity))
    by_text = {choice.text: choice for choice in choices}
    if recorded.chosen not in by_text or not all(isfinite(choice.equity) for choice in choices):
        return None
    return RecordedJudgement(choices, by_text[recorded.chosen], counted)


def judgement_row(recorded: RecordedJudgement | None) -> dict[str, Any]:
    """Return the columns of the file's analysis; all None without an analysis."""
    names = [f"recorded_{name}" for name in "best equity best_equity error counted level best_level".split()]
    if recorded is None:
        return dict.fromkeys(names)
    (best, best_equity, best_level), (_, equity, level) = recorded.best, recorded.chosen
    values = best, equity, best_equity, recorded.error, recorded.counted, level, best_level
    return dict(zip(names, values, strict=True))


def _play_choices(
    match: Match, analysed: AnalysedDecision, analysis: DecisionAnalysis
) -> tuple[RecordedChoice, ...]:
    """Return the file's plays in canonical notation; empty if any, perhaps the best, is illegal."""
    decision = analysed.recorded.decision
    assert decision.dice is not None
    legal = decision.position.plays(decision.dice, match.rules)
    choices: dict[str, RecordedChoice] = {}
    try:
        for play in analysis.plays:
            text = str(legal[play.text])
            choices.setdefault(text, RecordedChoice(text, play.equity, play.level))
    except BgfastError:
        return ()
    return tuple(choices.values())


def _cube_equities(cube: CubeEquities | CubeChances, decision: Decision) -> CubeEquities:
    """Return the equities of a cube decision; the built-in table converts match winning chances."""
    if isinstance(cube, CubeEquities):
        return cube
    stakes = stakes_of(decision)
    no_double, double_take = map(float, map(stakes.normalize, (cube.no_double, cube.double_take)))
    return CubeEquities(no_double, double_take, 1.0, cube.probabilities, cube.level)
