"""What a rollout has found: means with their errors, of one position or of several candidates."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts.judged_as import CUBELESS
from bgfast.common.columns import Tabular
from bgfast.common.probabilities import (
    EQUITY,
    PROBABILITIES,
    Numbers,
    evaluations_of_points,
    flipped_evaluations,
    named_probabilities,
)
from bgfast.common.validation import real_number, whole_number
from bgfast.errors import BgfastError, shown

__all__ = ["Estimate", "RolloutResult", "estimates"]

FORMAT = 3  # 2 had `probs` and `behind`
NUMBERS = ("elapsed", "decisions_per_second", "evaluator_share")  # of a result, beside those of estimates
# What is written of an estimate for those who read it elsewhere:
INTERVALS = ("interval", "difference_interval")
GROUP = 36
"""Trials in a row that have each first roll once, with quasi-random dice: errors are those of their means."""
FEWEST_GROUPS = 12  # whose means tell how much they spread
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Estimate:
    """What one candidate is worth for its player: who made the play, or who is on roll in a position.

    Attributes
    ----------
    name : str
        The play, or the GNU Backgammon ID of the position.
    gnubg_id : str
        That of the position whose trials were played; the player on roll is the mover.
    equity, equity_se : float
        Cubeless, in points at cube 1, and its standard error.
    probabilities, probabilities_se : tuple of 5 float, or None
        To win, win a gammon or more, win a backgammon, lose a gammon or more, lose a backgammon. None if
        games were truncated by an evaluator that returns equities.
    points : dict of int to int
        How many games ended with so many points, -3 to 3; 0: truncated.
    mean_plies, longest : float, int
        Lengths of the games, in plies.
    difference, difference_se : float
        The equity less that of the best candidate, 0 or less, by the differences of trials with the same
        dice; and its standard error.

    Examples
    --------
    >>> import bgfast
    >>> start = bgfast.Position.start()
    >>> found = bgfast.rollout(start, bgfast.evaluators.Random(), trials=12960).best
    >>> found.name, round(found.mean_plies), found.longest
    ('4HPwATDgc/ABMA', 96, 357)
    >>> found.interval[0] < 0.05 < found.interval[1]
    True
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

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the equity."""
        return _interval(self.equity, self.equity_se)

    @property
    def difference_interval(self) -> tuple[float, float]:
        """The 95 % interval of `difference`."""
        return _interval(self.difference, self.difference_se)


@dataclass(frozen=True)
class RolloutResult(Tabular):
    """What a rollout has found. `str` is a table as players know it.

    Attributes
    ----------
    estimates : tuple of Estimate
        The candidates, best first; of one position a single one.
    trials : int
        Of each candidate.
    settings : dict
        What it was asked for: seed, rules, evaluators by their names, and so on.
    elapsed : float
        Seconds.
    decisions_per_second : float
        Plies played, passes included, by all trials.
    evaluator_share : float
        The part of the time that evaluators took, 0 to 1; those of the core are not told apart from it: 0.

    Notes
    -----
    `equity`, `equity_se`, `probabilities`, `probabilities_se` and `interval` are those of the best candidate.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position.start().plays((6, 5))
    >>> result = bgfast.rollout(plays, bgfast.evaluators.Pubeval(), trials=1296)
    >>> [estimate.name for estimate in result.estimates][:2]
    ['13/8 13/7', '24/13']
    >>> bgfast.RolloutResult.from_json(result.to_json()) == result
    True
    """

    estimates: tuple[Estimate, ...]
    trials: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    elapsed: float = 0.0
    decisions_per_second: float = 0.0
    evaluator_share: float = 0.0

    @property
    def best(self) -> Estimate:
        """The best candidate."""
        return self.estimates[0]

    @property
    def equity(self) -> float:
        """The best candidate's equity, in points at cube 1."""
        return self.best.equity

    @property
    def equity_se(self) -> float:
        """The standard error of `equity`."""
        return self.best.equity_se

    @property
    def probabilities(self) -> tuple[float, ...] | None:
        """The best candidate's five probabilities."""
        return self.best.probabilities

    @property
    def probabilities_se(self) -> tuple[float, ...] | None:
        """Their standard errors."""
        return self.best.probabilities_se

    @property
    def judged_as(self) -> str:
        """What equities are counted for, and what of the positions given they ignore, in words."""
        return str(self.settings.get("judged_as", CUBELESS))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `equity`."""
        return self.best.interval

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        content = asdict(self)
        for estimate, written in zip(self.estimates, content["estimates"], strict=True):
            written["points"] = {str(points): games for points, games in estimate.points.items()}
            written |= {name: list(getattr(estimate, name)) for name in INTERVALS}
        return {"bgfast_rollout": FORMAT, **content}

    def to_json(self) -> str:
        """Return all of it as one JSON object, which `from_json` reads."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each candidate, best first: those of `to_csv` and `to_dataframe`.

        Examples
        --------
        >>> import bgfast
        >>> plays = bgfast.Position.start().plays((6, 5))
        >>> lines = bgfast.rollout(plays, bgfast.evaluators.Random(), trials=36).to_csv().splitlines()
        >>> len(lines), lines[0][:37]
        (8, 'rank,name,gnubg_id,trials,equity,equi')
        """
        return [
            {
                "rank": rank,
                "name": each.name,
                "gnubg_id": each.gnubg_id,
                "trials": self.trials,
                "equity": each.equity,
                "equity_se": each.equity_se,
                "equity_low": each.interval[0],
                "equity_high": each.interval[1],
                "difference": each.difference,
                "difference_se": each.difference_se,
                "difference_low": each.difference_interval[0],
                "difference_high": each.difference_interval[1],
                **named_probabilities(each.probabilities),
                **named_probabilities(each.probabilities_se, "_se"),
                "mean_plies": each.mean_plies,
                "judged_as": self.judged_as,
            }
            for rank, each in enumerate(self.estimates, 1)
        ]

    @classmethod
    def from_json(cls, text: str) -> RolloutResult:
        """Return what `to_json` has written.

        Raises
        ------
        BgfastError
            If it is anything else.
        """
        try:
            content = json.loads(text)
            json.dumps(content, allow_nan=False)  # Python reads NaN, and 1e999, as no JSON has them
            if content.pop("bgfast_rollout") != FORMAT:
                raise ValueError
            found = tuple(_estimate(each) for each in content.pop("estimates"))
            if not found or not isinstance(content["settings"], dict):
                raise ValueError
            numbers = {name: _number(content.pop(name)) for name in NUMBERS}
            return cls(found, _count(content.pop("trials")), content.pop("settings"), **numbers, **content)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BgfastError(
                f"{shown(text)} is no rollout; expected what RolloutResult.to_json returns"
            ) from None

    def __str__(self) -> str:
        width = max(len(estimate.name) for estimate in self.estimates)
        head = f"   {'':{width}}  equity   ± 95 %     diff.   ± 95 %     win   win g  win bg  lose g lose bg"
        lines = [head if len(self.estimates) > 1 else head.replace("    diff.   ± 95 %", "")]
        for rank, estimate in enumerate(self.estimates, 1):
            error = NORMAL_95 * estimate.equity_se
            line = f"{rank:>2} {estimate.name:{width}} {estimate.equity:+7.4f} {error:8.4f}"
            if len(self.estimates) > 1:
                difference = f" {estimate.difference:+8.4f} {NORMAL_95 * estimate.difference_se:8.4f}"
                line += difference if rank > 1 else " " * 18
            for chance in estimate.probabilities or ():
                line += f" {chance:7.2%}"
            lines.append(line)
        lines.append(self.judged_as)
        lines.append(
            f"{self.trials:,} trials, {self.elapsed:.1f} s, {self.decisions_per_second:,.0f} decisions/s"
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        heads = [
            "",
            "",
            "equity",
            "± 95 %",
            "diff.",
            "± 95 %",
            "win",
            "win g",
            "win bg",
            "lose g",
            "lose bg",
        ]
        rows = []
        for rank, estimate in enumerate(self.estimates, 1):
            cells = [
                str(rank),
                estimate.name,
                f"{estimate.equity:+.4f}",
                f"{NORMAL_95 * estimate.equity_se:.4f}",
            ]
            cells += (
                [f"{estimate.difference:+.4f}", f"{NORMAL_95 * estimate.difference_se:.4f}"]
                if rank > 1
                else ["", ""]
            )
            cells += [f"{chance:.2%}" for chance in estimate.probabilities or ()]
            rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return (
            f"<table><thead><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead>"
            f"<tbody>{body}</tbody>"
            f"<caption>{html.escape(self.judged_as)}; {self.trials:,} trials</caption></table>"
        )


def _interval(mean: float, error: float) -> tuple[float, float]:
    half = NORMAL_95 * error
    return mean - half, mean + half


def _estimate(content: dict[str, Any]) -> Estimate:
    """Return an estimate from JSON, in which anything may stand."""
    for name in INTERVALS:  # they follow from what stands beside them
        del content[name]
    for name in ("name", "gnubg_id"):
        if not isinstance(content[name], str):
            raise TypeError(name)
    for name in ("equity", "equity_se", "mean_plies", "difference", "difference_se"):
        content[name] = _number(content[name])
    for name in ("probabilities", "probabilities_se"):
        if content[name] is not None:
            content[name] = tuple(map(_number, content[name]))
            if len(content[name]) != PROBABILITIES:
                raise ValueError(name)
    content["points"] = {int(points): _count(games) for points, games in content["points"].items()}
    content["longest"] = _count(content["longest"])
    return Estimate(**content)


def _number(value: Any) -> float:
    number = real_number(value)
    if number is None or not math.isfinite(number):
        raise ValueError(value)
    return number


def _count(value: Any) -> int:
    number = whole_number(value)
    if number is None or number < 0:
        raise ValueError(value)
    return number


def estimates(
    names: Sequence[str],
    ids: Sequence[str],
    signs: Sequence[int],
    points: npt.NDArray[np.int8],
    plies: npt.NDArray[np.int32],
    adjusted: Numbers | None,
    quasi_random: bool,
) -> tuple[Estimate, ...]:
    """Return the estimates of candidates from their trials, best first.

    Parameters
    ----------
    names, ids : sequence of str
    signs : sequence of int
        1 where the candidate's player is on roll at the start of its trials, -1 where that is the opponent.
    points, plies : ndarray, shape (c, n)
        For the player on roll.
    adjusted : ndarray of float64, shape (c, n, 6), or None
    quasi_random : bool
    """
    ends = [evaluations_of_points(each) for each in points] if adjusted is None else adjusted
    evaluations = [
        each if sign > 0 else flipped_evaluations(each) for each, sign in zip(ends, signs, strict=True)
    ]
    means = [each.mean(axis=0) for each in evaluations]
    order = sorted(range(len(names)), key=lambda c: -means[c][EQUITY])
    best = evaluations[order[0]][:, EQUITY]
    found = []
    for c in order:
        errors = standard_errors(evaluations[c], quasi_random)
        values, counts = np.unique(signs[c] * points[c], return_counts=True)
        known = not np.isnan(means[c][:PROBABILITIES]).any()
        difference = evaluations[c][:, EQUITY] - best
        found.append(
            Estimate(
                names[c],
                ids[c],
                float(means[c][EQUITY]),
                float(errors[EQUITY]),
                tuple(means[c][:PROBABILITIES].tolist()) if known else None,
                tuple(errors[:PROBABILITIES].tolist()) if known else None,
                dict(zip(values.tolist(), counts.tolist(), strict=True)),
                float(plies[c].mean()),
                int(plies[c].max()),
                float(difference.mean()),
                float(standard_errors(difference[:, None], quasi_random)[0]),
            )
        )
    return tuple(found)


def standard_errors(trials: Numbers, quasi_random: bool) -> Numbers:
    """Return the standard error of the mean of each column.

    With quasi-random dice the means of groups of 36 trials spread less than those of independent trials:
    they are what is looked at, as if they were independent, which they are but for spreading even less.
    Trials behind the last whole group, and fewer than twelve groups, count as independent ones.
    """
    number = len(trials)
    spread = trials.var(axis=0, ddof=1)
    groups = number // GROUP
    if not quasi_random or groups < FEWEST_GROUPS:
        return np.asarray(np.sqrt(spread / number))
    grouped = trials[: groups * GROUP].reshape(groups, GROUP, -1).mean(axis=1)
    rest = number - groups * GROUP
    total = GROUP**2 * groups * grouped.var(axis=0, ddof=1) + rest * spread
    return np.asarray(np.sqrt(total) / number)
