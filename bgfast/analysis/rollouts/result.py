"""Rollout results: estimates with standard errors, for one position or several candidates."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, SupportsIndex, overload

from bgfast.common.foreign_names import names_missing
from bgfast.common.probabilities import NORMAL_95, PROBABILITIES, percent, probabilities_by_name
from bgfast.common.text import clean_line, clean_lines
from bgfast.common.validation import number_from_file, real_number, whole_number
from bgfast.errors import BgfastError, InvalidIndexError, short_repr
from bgfast.evaluation.actions import CubeActions, proper_actions
from bgfast.evaluation.cubeful import CUBELESS
from bgfast.evaluation.evaluators.ranked_plays import NOTEBOOK_BOARD, chances_by_heading
from bgfast.evaluation.tables import Tabular, html_table, panel, returns_text
from bgfast.position.decision import Decision

MAX_CLOSE_NAMES = 3  # maximum number of candidates listed as too close to the best one
FORMAT = 4  # version of the JSON format
# JSON keys of a result that hold numbers.
RESULT_NUMBERS = ("elapsed", "decisions_per_second", "evaluator_share")
# JSON keys of an estimate that may be null.
OPTIONAL_NUMBERS = ("mwc", "mwc_se", "cubeless_equity", "cubeless_equity_se")
# JSON keys derived from other keys, for readers without this library.
DERIVED_ESTIMATE_FIELDS = ("interval", "difference_interval")
DERIVED_VERDICT_FIELDS = (
    "difference_interval",
    "too_close",
    "take_difference",
    "take_difference_interval",
    "take_too_close",
)


@names_missing
@dataclass(frozen=True)
class Estimate:
    """Estimated equity of a candidate, for the player who makes the play or is on roll in the position.

    Attributes
    ----------
    name : str
        The play, the GNU Backgammon ID of the position, or a branch such as "double, take".
    gnubg_id : str
        ID of the position that was rolled out; after a play, the opponent is on roll.
    equity, equity_se : float
        Equity and its standard error: normalised to the cube before the decision if the cube is used (EMG: -1
        loses that cube, +1 wins it), else in points at cube 1.
    probabilities, probabilities_se : tuple of 5 float, or None
        Probabilities to win, win a gammon or more, win a backgammon, lose a gammon or more, and lose a
        backgammon, with their standard errors. None if the evaluator of truncated games returns only
        equities. A game that ended with a drop counts with the evaluator's probabilities of the position.
    points : dict of int to int
        Number of games by points won, -3 to 3, without the cube; 0 for truncated games, 1 for a drop.
    mean_plies, longest : float, int
        Mean and maximum length of the games, in plies.
    difference, difference_se : float
        Equity less the best candidate's equity, 0 or less, and its standard error; both from the differences
        of trials with the same dice.
    mwc, mwc_se : float, or None
        Match winning chance and its standard error; None without a match or without the cube.
    cubeless_equity, cubeless_equity_se : float, or None
        Equity of the same games in points at cube 1, and its standard error; None if `equity` is cubeless.

    See Also
    --------
    RolloutResult : The estimates of all candidates.

    Examples
    --------
    >>> import bgfast
    >>> estimate = bgfast.rollout("start", evaluator="random", trials=1296).best
    >>> estimate.name, estimate.interval[0] < 0.05 < estimate.interval[1]
    ('4HPwATDgc/ABMA', True)
    """

    name: str
    gnubg_id: str
    equity: float
    equity_se: float
    probabilities: tuple[float, ...] | None
    probabilities_se: tuple[float, ...] | None
    points: dict[int, int]
    mean_plies: float
    longest: int
    difference: float = 0.0
    difference_se: float = 0.0
    mwc: float | None = None
    mwc_se: float | None = None
    cubeless_equity: float | None = None
    cubeless_equity_se: float | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the equity."""
        return _interval(self.equity, self.equity_se)

    @property
    def difference_interval(self) -> tuple[float, float]:
        """The 95 % interval of `difference`."""
        return _interval(self.difference, self.difference_se)

    def __str__(self) -> str:
        """Return the name, the equity with its 95 % margin, and the probabilities in one line."""
        chances = chances_by_heading(self.mwc, self.probabilities).items()
        values = [f"{self.equity:+.4f} ± {NORMAL_95 * self.equity_se:.4f}", *map(" ".join, chances)]
        return clean_line(f"{self.name}: {', '.join(values)}")


@dataclass(frozen=True)
class CubeVerdict:
    """Cube decision derived from rollouts of no double and double/take.

    Equities are for the player on roll, cubeful, and normalised to the cube before a double (EMG).

    Attributes
    ----------
    no_double, no_double_se : float
        Equity of no double, and its standard error.
    double_take, double_take_se : float
        Equity of a double that is taken, and its standard error.
    double_drop : float
        Equity of a double that is dropped: 1, the cube.
    double_beaver : float, or None
        Equity of a double that is beavered, with the best answer to the beaver; None without beavers.
    redouble : bool
        True if the player owns the cube.
    difference, difference_se : float
        Equity of no double less the equity of a double with its best answer, and its standard error; from the
        differences of trials with the same dice unless the best answer is a drop.

    Examples
    --------
    >>> from bgfast.analysis.rollouts.result import CubeVerdict
    >>> verdict = CubeVerdict(0.6, 0.02, 0.5, 0.04, 1.0, None, False, 0.1, 0.02)
    >>> verdict.actions.words, verdict.too_close, verdict.take_too_close
    ('No double, take', False, False)
    >>> print(verdict)
    No double, take; a double costs 0.100 ± 0.039, a drop costs 0.500 ± 0.078
    """

    no_double: float
    no_double_se: float
    double_take: float
    double_take_se: float
    double_drop: float
    double_beaver: float | None
    redouble: bool
    difference: float
    difference_se: float

    @property
    def actions(self) -> CubeActions:
        """Proper action and the cost of every wrong one, as if the equities were exact."""
        double_beaver = math.nan if self.double_beaver is None else self.double_beaver
        return proper_actions(
            self.no_double, self.double_take, self.double_drop, double_beaver, redouble=self.redouble
        )

    @property
    def difference_interval(self) -> tuple[float, float]:
        """The 95 % interval of `difference`."""
        return _interval(self.difference, self.difference_se)

    @property
    def too_close(self) -> bool:
        """True if no double and double are too close to call: `difference_interval` contains 0."""
        return _contains_zero(self.difference_interval)

    @property
    def take_difference(self) -> float:
        """The doubler's equity after a take less the equity after a drop; negative if a take is correct."""
        return self.double_take - self.double_drop

    @property
    def take_difference_interval(self) -> tuple[float, float]:
        """The 95 % interval of `take_difference`."""
        return _interval(self.take_difference, self.double_take_se)

    @property
    def take_too_close(self) -> bool:
        """True if take and drop are too close to call: `take_difference_interval` contains 0."""
        return _contains_zero(self.take_difference_interval)

    @property
    def beaver_answer(self) -> str | None:
        """Best answer to a beaver: ``"take"``, ``"drop"`` or ``"raccoon"``; None without beavers.

        The equity of a taken beaver is twice `double_take`. A raccoon has four times the equity of a double,
        since the opponent takes or drops it like the double.
        """
        if self.double_beaver is None:
            return None
        take, drop = self.double_take, self.double_drop
        equities = {"take": 2 * take, "drop": -2 * drop, "raccoon": 4 * min(take, drop)}
        return max(equities, key=equities.__getitem__)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-compatible data."""
        return {
            **asdict(self),
            "proper_action": self.actions.words,
            **{name: getattr(self, name) for name in DERIVED_VERDICT_FIELDS},
            "beaver_answer": self.beaver_answer,
        }

    def __str__(self) -> str:
        """Return the proper action, and the costs of the wrong ones with their 95 % intervals."""
        actions, double = self.actions, "redouble" if self.redouble else "double"
        wrong_actions = [
            (f"no {double}" if actions.doubles else f"a {double}", self.difference, self.difference_se),
            ("a take" if actions.answers == "drop" else "a drop", self.take_difference, self.double_take_se),
        ]
        costs = [_cost_text(*item) for item in wrong_actions[: 1 if actions.answers == "beaver" else 2]]
        lines = [f"{actions.words}; {', '.join(costs)}"]
        if self.beaver_answer is not None:
            lines.append(f"answer to a beaver: {self.beaver_answer}")
        return "\n".join(lines)


@names_missing
@dataclass(frozen=True, repr=False)
class RolloutResult(Tabular, Sequence[Estimate]):
    """Rollout results, a sequence of the estimates; `str` is a table for players.

    Attributes
    ----------
    estimates : tuple of Estimate
        Estimates of the candidates, best first. The candidates of a cube decision are "no double" and
        "double, take"; `cube` has the equities of all actions.
    trials : int
        Number of trials per candidate.
    settings : dict
        Settings of the rollout: seed, rules, names of evaluators, and so on.
    elapsed : float
        Duration in seconds.
    decisions_per_second : float
        Plies of all trials, passes included, per second.
    evaluator_share : float
        Fraction of the time spent in evaluators, 0 to 1. 0 for built-in evaluators, which are not measured.
    cube : CubeVerdict, or None
        Cube decision, if a position before the roll was rolled out as no double and double/take.

    See Also
    --------
    bgfast.rollout : Roll out positions, plays and cube decisions.

    Notes
    -----
    `equity`, `equity_se`, `probabilities`, `probabilities_se` and `interval` describe the best candidate.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.rollout("start", "65", evaluator="pubeval", trials=1296)
    >>> [estimate.name for estimate in result][:2]
    ['13/8 13/7', '24/13']
    >>> bgfast.rollouts.RolloutResult.from_json(result.to_json()) == result
    True
    """

    estimates: tuple[Estimate, ...]
    trials: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    elapsed: float = 0.0
    decisions_per_second: float = 0.0
    evaluator_share: float = 0.0
    cube: CubeVerdict | None = None

    def __len__(self) -> int:
        return len(self.estimates)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Estimate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Estimate, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        try:
            return self.estimates[index]
        except IndexError:
            last = len(self.estimates) - 1
            raise InvalidIndexError(
                f"there is no estimate {short_repr(index)}; expected 0 to {last}"
            ) from None

    @property
    def best(self) -> Estimate:
        """Estimate of the best candidate."""
        return self.estimates[0]

    @property
    def equity(self) -> float:
        """Equity of the best candidate."""
        return self.best.equity

    @property
    def equity_se(self) -> float:
        """Standard error of `equity`."""
        return self.best.equity_se

    @property
    def probabilities(self) -> tuple[float, ...] | None:
        """Five probabilities of the best candidate."""
        return self.best.probabilities

    @property
    def probabilities_se(self) -> tuple[float, ...] | None:
        """Standard errors of `probabilities`."""
        return self.best.probabilities_se

    @property
    def conditions(self) -> str:
        """Description of the equities: cubeless or cubeful, money or match, and what they ignore."""
        return str(self.settings.get("conditions", CUBELESS))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of `equity`."""
        return self.best.interval

    def settled(self, errors: float) -> bool:
        """Return whether the best candidate leads every other one by this number of standard errors.

        A cube decision is settled if double leads no double by that margin whatever the answer, or no double
        leads double by that margin for one of the answers.
        """
        if real_number(errors) is None:
            raise BgfastError(f"errors is {short_repr(errors)}; expected a number")
        if self.cube is None:
            return all(
                estimate.difference <= -errors * estimate.difference_se for estimate in self.estimates[1:]
            )
        # Either answer alone can refute the double, so the choice between take and drop may still be open.
        take = self.cube.no_double - self.cube.double_take, self.estimates[1].difference_se
        drop = self.cube.no_double - self.cube.double_drop, self.cube.no_double_se
        return any(mean >= errors * error for mean, error in (take, drop)) or all(
            mean <= -errors * error for mean, error in (take, drop)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-compatible data."""
        content = asdict(self)
        content["cube"] = None if self.cube is None else self.cube.to_dict()
        for estimate, item in zip(self.estimates, content["estimates"], strict=True):
            item["points"] = {str(points): games for points, games in estimate.points.items()}
            item |= {name: list(getattr(estimate, name)) for name in DERIVED_ESTIMATE_FIELDS}
        return {"bgfast_rollout": FORMAT, **content}

    @returns_text
    def to_json(self) -> str:
        """Return the result as a JSON object, which `from_json` reads."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each candidate, best first, as in `to_csv` and `to_dataframe`."""
        return [
            {
                "rank": rank,
                "name": estimate.name,
                "gnubg_id": estimate.gnubg_id,
                "trials": self.trials,
                "equity": estimate.equity,
                "equity_se": estimate.equity_se,
                "equity_low": estimate.interval[0],
                "equity_high": estimate.interval[1],
                "difference": estimate.difference,
                "difference_se": estimate.difference_se,
                "difference_low": estimate.difference_interval[0],
                "difference_high": estimate.difference_interval[1],
                "mwc": estimate.mwc,
                "mwc_se": estimate.mwc_se,
                "cubeless_equity": estimate.cubeless_equity,
                "cubeless_equity_se": estimate.cubeless_equity_se,
                **probabilities_by_name(estimate.probabilities),
                **probabilities_by_name(estimate.probabilities_se, "_se"),
                "mean_plies": estimate.mean_plies,
                "conditions": self.conditions,
            }
            for rank, estimate in enumerate(self.estimates, 1)
        ]

    @classmethod
    def from_json(cls, text: str) -> RolloutResult:
        """Parse the output of `to_json`; raise `BgfastError` for other text."""
        try:
            content = json.loads(text)
            json.dumps(content, allow_nan=False)  # rejects NaN and 1e999, which `json.loads` accepts
            if content.pop("bgfast_rollout") != FORMAT:
                raise ValueError
            estimates = tuple(_read_estimate(item) for item in content.pop("estimates"))
            if not estimates or not isinstance(content["settings"], dict):
                raise ValueError
            content |= {name: _read_number(content[name]) for name in RESULT_NUMBERS}
            content |= {"trials": _read_count(content["trials"]), "cube": _read_verdict(content["cube"])}
            return cls(estimates, **content)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BgfastError(
                f"{short_repr(text)} is not a rollout result; expected the output of RolloutResult.to_json"
            ) from None

    def __repr__(self) -> str:
        best = f"{self.best.name} {self.equity:+.4f} ± {NORMAL_95 * self.equity_se:.4f}"
        counts = f"{len(self.estimates)} rolled out, {self.trials:,} trials"
        return clean_line(f"<RolloutResult: best {best}, {counts}>")

    def __str__(self) -> str:
        """Return a table for players."""
        time = f"{self.elapsed:.1f} s, {self.decisions_per_second:,.0f} decisions/s"
        table = _text_table(*_rows(self.estimates, self.cube))
        lines = [table, *self._verdict_lines(), self.conditions, f"{self.trials:,} trials, {time}"]
        return clean_lines("\n".join(lines))

    def _verdict_lines(self) -> list[str]:
        """Return the cube decision, or the candidates that are too close to call, as lines."""
        if self.cube is not None:
            return str(self.cube).split("\n")
        best, *others = self.estimates
        close_names = [estimate.name for estimate in others if _contains_zero(estimate.difference_interval)]
        if not close_names:
            return []
        ellipsis = ["..."] * (len(close_names) > MAX_CLOSE_NAMES)
        names = ", ".join([best.name, *close_names[:MAX_CLOSE_NAMES], *ellipsis])
        reduction = "" if self.settings.get("luck_evaluator") else " or variance reduction"
        return [f"too close to call: {names}; use more trials{reduction}"]

    def _repr_html_(self) -> str:
        """Return the board and the table as HTML for notebooks."""
        (headings, *rows), _ = _rows(self.estimates, self.cube)
        evaluators = [str(self.settings[name]) for name in ("evaluator_name",) if name in self.settings]
        caption = "; ".join([*self._verdict_lines(), self.conditions, *evaluators, f"{self.trials:,} trials"])
        table = html_table(headings, rows, caption, text_columns=2)
        if "position" not in self.settings:  # several positions
            return table
        decision = Decision.read(self.settings["position"], self.settings["checkers"])
        return panel(decision.svg(size=NOTEBOOK_BOARD), self.best.name, table)


def _cost_text(action: str, difference: float, error: float) -> str:
    remark = " (too close to call)" if _contains_zero(_interval(difference, error)) else ""
    return f"{action} costs {abs(difference):.3f} ± {NORMAL_95 * error:.3f}{remark}"


def _interval(mean: float, error: float) -> tuple[float, float]:
    margin = NORMAL_95 * error
    return mean - margin, mean + margin


def _contains_zero(interval: tuple[float, float]) -> bool:
    low, high = interval
    return low <= 0 <= high


def _read_estimate(content: dict[str, Any]) -> Estimate:
    """Return an estimate from untrusted JSON."""
    for name in DERIVED_ESTIMATE_FIELDS:
        del content[name]
    if content.keys() != Estimate.__dataclass_fields__.keys():
        raise ValueError("keys")
    for name, value in content.items():
        if name in ("name", "gnubg_id"):
            if not isinstance(value, str):
                raise TypeError(name)
        elif name in ("probabilities", "probabilities_se"):
            if value is not None:
                content[name] = tuple(map(_read_number, value))
                if len(content[name]) != PROBABILITIES:
                    raise ValueError(name)
        elif name == "points":
            content[name] = {int(points): _read_count(games) for points, games in value.items()}
        elif name == "longest":
            content[name] = _read_count(value)
        elif value is not None or name not in OPTIONAL_NUMBERS:
            content[name] = _read_number(value)
    return Estimate(**content)


def _read_verdict(content: dict[str, Any] | None) -> CubeVerdict | None:
    """Return a cube verdict from untrusted JSON."""
    if content is None:
        return None
    for name in ("proper_action", *DERIVED_VERDICT_FIELDS):
        del content[name]
    content.pop("beaver_answer", None)  # derived; missing in older files
    if not isinstance(content["redouble"], bool):
        raise TypeError("redouble")
    for name, value in content.items():
        if name != "redouble" and (name, value) != ("double_beaver", None):
            content[name] = _read_number(value)
    return CubeVerdict(**content)


def _read_number(value: Any) -> float:
    number = number_from_file(value)
    if number is None:
        raise ValueError(value)
    return number


def _read_count(value: Any) -> int:
    count = whole_number(value)
    if count is None or count < 0:
        raise ValueError(value)
    return count


# ---- table for players ----


def _text_table(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    width = max(len(row[1]) for row in rows)
    lines = []
    for rank, name, *cells in rows:
        padded = "".join(f"{cell:>{size}}" for cell, size in zip(cells, widths, strict=False))
        lines.append(f"{rank:>2} {name:{width}}{padded}".rstrip())
    return "\n".join(lines)


def _rows(estimates: Sequence[Estimate], cube: CubeVerdict | None) -> tuple[list[list[str]], list[int]]:
    """Return rows of rank, name and cells, headings first, and the widths of the cell columns.

    Branches of a cube decision have no ranks and no differences: the opponent chooses the answer to a double,
    and a drop, which is not rolled out, may be the best one.
    """
    has_differences, has_mwc = cube is None and len(estimates) > 1, estimates[0].mwc is not None
    headings = [("equity", 8), ("± 95 %", 9)]
    headings += [("diff.", 9), ("± 95 %", 9)] if has_differences else []
    headings += [("mwc", 8), ("± 95 %", 9)] if has_mwc else []
    headings += [(heading, 8) for heading in ("win", "win g", "win bg", "lose g", "lose bg")]
    names, widths = zip(*headings, strict=True)
    rows = [["", "", *names]]
    if cube is not None:
        estimates = sorted(estimates, key=lambda estimate: not estimate.name.startswith("no "))
    for rank, estimate in enumerate(estimates, 1):
        cells = [f"{estimate.equity:+.4f}", f"{NORMAL_95 * estimate.equity_se:.4f}"]
        if has_differences:
            difference = [f"{estimate.difference:+.4f}", f"{NORMAL_95 * estimate.difference_se:.4f}"]
            cells += difference if rank > 1 else ["", ""]
        if estimate.mwc is not None and estimate.mwc_se is not None:
            cells += [percent(estimate.mwc), percent(NORMAL_95 * estimate.mwc_se)]
        cells += [percent(probability) for probability in estimate.probabilities or ()]
        rows.append([str(rank) if cube is None else "", estimate.name, *cells])
    if cube is not None:
        double = "redouble" if cube.redouble else "double"
        for answer, equity in (("drop", cube.double_drop), ("beaver", cube.double_beaver)):
            if equity is not None:
                rows.append(["", f"{double}, {answer}", f"{equity:+.4f}"])
    return rows, list(widths)
