"""What a rollout has found: means with their errors, of one position or of several candidates."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.analysis.cube._stakes import HeldStakes
from bgfast.analysis.cube.actions import CubeActions, proper_actions
from bgfast.analysis.rollouts.judged_as import CUBELESS
from bgfast.common.columns import Tabular
from bgfast.common.probabilities import (
    EQUITY,
    PROBABILITIES,
    Numbers,
    evaluations_of_points,
    flipped_evaluations,
    named_probabilities,
    percent,
)
from bgfast.common.validation import real_number, whole_number
from bgfast.errors import BgfastError, shown

__all__ = ["CubeValues", "CubeVerdict", "Estimate", "RolloutResult", "cube_verdict", "estimates"]

FORMAT = 4  # 3 knew no cube, 2 had `probs` and `behind`
NUMBERS = ("elapsed", "decisions_per_second", "evaluator_share")  # of a result, beside those of estimates
# What is written of an estimate for those who read it elsewhere:
INTERVALS = ("interval", "difference_interval")
VERDICT = (
    "difference_interval",
    "too_close",
    "take_difference",
    "take_difference_interval",
    "take_too_close",
)
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
        What the candidate is worth, and its standard error: with the cube normalised to the cube that the
        decision was made with (EMG: -1 loses it, +1 wins it), without one in points at cube 1.
    probabilities, probabilities_se : tuple of 5 float, or None
        To win, win a gammon or more, win a backgammon, lose a gammon or more, lose a backgammon. None if
        games were truncated by an evaluator that returns equities. Of a game that ended with a pass they are
        what the evaluator said of the position.
    points : dict of int to int
        How many games ended with so many points, -3 to 3, whatever the cube showed; 0: truncated. A pass
        counts 1.
    mean_plies, longest : float, int
        Lengths of the games, in plies.
    difference, difference_se : float
        The equity less that of the best candidate, 0 or less, by the differences of trials with the same
        dice; and its standard error.
    mwc, mwc_se : float, or None
        The chance to win the match, where there is one and the cube is used.
    cubeless_equity, cubeless_equity_se : float, or None
        In points at cube 1, of the same games, where `equity` is with the cube.

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
    mwc: float | None = None
    mwc_se: float | None = None
    cubeless_equity: float | None = None
    cubeless_equity_se: float | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the equity."""
        return _interval(self.equity, self.equity_se)

    @property
    def difference_interval(self) -> tuple[float, float]:
        """The 95 % interval of `difference`."""
        return _interval(self.difference, self.difference_se)


@dataclass(frozen=True)
class CubeVerdict:
    """What the two branches of a decision about the cube say: not to double, and to double and have it taken.

    Equities are for the player on roll, cubeful, and normalised to the cube before a double (EMG).

    Attributes
    ----------
    no_double, no_double_se : float
        What not to double is worth, and its standard error.
    double_take, double_take_se : float
        What to double is worth where it is taken.
    double_pass : float
        What it is worth where it is passed: 1, the cube.
    double_beaver : float, or None
        What it is worth where it is beavered, and the beaver answered best; None where that is against the
        rules.
    redouble : bool
        Whether the player owns the cube.
    difference, difference_se : float
        What not to double brings more than to double and have it answered best; by the differences of trials
        with the same dice, but where the answer is to pass.

    Examples
    --------
    >>> from bgfast.analysis.rollouts.result import CubeVerdict
    >>> found = CubeVerdict(0.6, 0.02, 0.5, 0.04, 1.0, None, False, 0.1, 0.02)
    >>> found.actions.words, found.too_close, found.take_too_close
    ('No double, take', False, False)
    """

    no_double: float
    no_double_se: float
    double_take: float
    double_take_se: float
    double_pass: float
    double_beaver: float | None
    redouble: bool
    difference: float
    difference_se: float

    @property
    def actions(self) -> CubeActions:
        """The proper action, and what each other costs, as if the equities were exact."""
        beaver = math.nan if self.double_beaver is None else self.double_beaver
        return proper_actions(
            self.no_double, self.double_take, self.double_pass, beaver, redouble=self.redouble
        )

    @property
    def difference_interval(self) -> tuple[float, float]:
        """The 95 % interval of `difference`."""
        return _interval(self.difference, self.difference_se)

    @property
    def too_close(self) -> bool:
        """Whether it is too close to call to double or not: `difference_interval` holds 0."""
        return _holds_zero(self.difference_interval)

    @property
    def take_difference(self) -> float:
        """What a take leaves the doubler more than a pass: below 0 the opponent is right to take."""
        return self.double_take - self.double_pass

    @property
    def take_difference_interval(self) -> tuple[float, float]:
        """The 95 % interval of `take_difference`."""
        return _interval(self.take_difference, self.double_take_se)

    @property
    def take_too_close(self) -> bool:
        """Whether it is too close to call to take or to pass: `take_difference_interval` holds 0."""
        return _holds_zero(self.take_difference_interval)

    @property
    def beaver_answer(self) -> str | None:
        """How the doubler answers a beaver: ``"take"``, ``"pass"`` or ``"raccoon"``; None if there are none.

        The game is that of `double_take` for twice as much, after a raccoon four times, which the opponent
        takes or passes as he would the double.
        """
        if self.double_beaver is None:
            return None
        taken, passed = self.double_take, self.double_pass
        answers = {"take": 2 * taken, "pass": -2 * passed, "raccoon": 4 * min(taken, passed)}
        return max(answers, key=answers.__getitem__)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        return {
            **asdict(self),
            "proper_action": self.actions.words,
            **{name: getattr(self, name) for name in VERDICT},
            "beaver_answer": self.beaver_answer,
        }

    def __str__(self) -> str:
        double = "redouble" if self.redouble else "double"
        lines = [self.actions.words]
        for words, mean, error, close in (
            (f"no {double} less {double}", self.difference, self.difference_se, self.too_close),
            ("take less pass", self.take_difference, self.double_take_se, self.take_too_close),
        ):
            known = ", too close to call" if close else ""
            lines.append(f"{words}: {mean:+.4f} ± {NORMAL_95 * error:.4f}{known}")
        if self.beaver_answer is not None:
            lines.append(f"answer to a beaver: {self.beaver_answer}")
        return "\n".join(lines)


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
    cube : CubeVerdict, or None
        What to do with the cube, where a decision before the roll was rolled out: the estimates are then
        those of its two branches.

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
    cube: CubeVerdict | None = None

    @property
    def best(self) -> Estimate:
        """The best candidate."""
        return self.estimates[0]

    @property
    def equity(self) -> float:
        """The best candidate's equity."""
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

    @property
    def is_cubeful(self) -> bool:
        """Whether games were played with the cube."""
        return "cube" in self.settings

    def settled(self, errors: float) -> bool:
        """Return whether the best candidate is so many standard errors better than each other one.

        A decision about the cube is settled if it is that much better to double, whatever the answer, or not
        to double than one of the answers leaves.
        """
        if self.cube is None:
            return all(each.difference <= -errors * each.difference_se for each in self.estimates[1:])
        # Which of take and pass is better may be open while either is enough to know that doubling is wrong.
        against_take = self.estimates[1].difference_se
        take = self.cube.no_double - self.cube.double_take, against_take
        passed = self.cube.no_double - self.cube.double_pass, self.cube.no_double_se
        return any(mean >= errors * error for mean, error in (take, passed)) or all(
            mean <= -errors * error for mean, error in (take, passed)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it."""
        content = asdict(self)
        content["cube"] = None if self.cube is None else self.cube.to_dict()
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
                "mwc": each.mwc,
                "mwc_se": each.mwc_se,
                "cubeless_equity": each.cubeless_equity,
                "cubeless_equity_se": each.cubeless_equity_se,
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
            verdict = _verdict(content.pop("cube"))
            return cls(
                found,
                _count(content.pop("trials")),
                content.pop("settings"),
                **numbers,
                cube=verdict,
                **content,
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BgfastError(
                f"{shown(text)} is no rollout; expected what RolloutResult.to_json returns"
            ) from None

    def __str__(self) -> str:
        width = max(len(estimate.name) for estimate in self.estimates)
        rows = self._table()
        lines = [f"   {'':{width}}" + "".join(f"{head:>{size}}" for head, size in rows[0])]
        for rank, (estimate, row) in enumerate(zip(self.estimates, rows[1:], strict=True), 1):
            lines.append(
                f"{rank:>2} {estimate.name:{width}}" + "".join(f"{cell:>{size}}" for cell, size in row)
            )
        if self.cube is not None:
            lines.append(str(self.cube))
        lines.append(self.judged_as)
        lines.append(
            f"{self.trials:,} trials, {self.elapsed:.1f} s, {self.decisions_per_second:,.0f} decisions/s"
        )
        return "\n".join(lines)

    def _table(self) -> list[list[tuple[str, int]]]:
        """Return the cells of the table, heads first, with their widths."""
        heads = [("equity", 8), ("± 95 %", 9)]
        several, match = len(self.estimates) > 1, self.best.mwc is not None
        heads += [("diff.", 9), ("± 95 %", 9)] if several else []
        heads += [("mwc", 8), ("± 95 %", 9)] if match else []
        heads += [(head, 8) for head in ("win", "win g", "win bg", "lose g", "lose bg")]
        table = [heads]
        for rank, each in enumerate(self.estimates):
            cells = [f"{each.equity:+.4f}", f"{NORMAL_95 * each.equity_se:.4f}"]
            if several:
                difference = [f"{each.difference:+.4f}", f"{NORMAL_95 * each.difference_se:.4f}"]
                cells += difference if rank else ["", ""]
            if each.mwc is not None and each.mwc_se is not None:
                cells += [percent(each.mwc), percent(NORMAL_95 * each.mwc_se)]
            cells += [percent(chance) for chance in each.probabilities or ()]
            table.append([(cell, size) for cell, (_, size) in zip(cells, heads, strict=False)])
        return table

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        heads, *table = [[cell for cell, _ in row] for row in self._table()]
        rows = []
        for rank, (estimate, cells) in enumerate(zip(self.estimates, table, strict=True), 1):
            row = [str(rank), estimate.name, *cells]
            rows.append("".join(f"<td>{html.escape(cell)}</td>" for cell in row))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        verdict = [] if self.cube is None else str(self.cube).split("\n")
        words = [*verdict, self.judged_as, f"{self.trials:,} trials"]
        return (
            f"<table><thead><tr>{''.join(f'<th>{head}</th>' for head in ['', '', *heads])}</tr></thead>"
            f"<tbody>{body}</tbody>"
            f"<caption>{html.escape('; '.join(words))}</caption></table>"
        )


def _interval(mean: float, error: float) -> tuple[float, float]:
    half = NORMAL_95 * error
    return mean - half, mean + half


def _holds_zero(interval: tuple[float, float]) -> bool:
    low, high = interval
    return low <= 0 <= high


def _estimate(content: dict[str, Any]) -> Estimate:
    """Return an estimate from JSON, in which anything may stand."""
    for name in INTERVALS:  # they follow from what stands beside them
        del content[name]
    for name in ("name", "gnubg_id"):
        if not isinstance(content[name], str):
            raise TypeError(name)
    for name in ("equity", "equity_se", "mean_plies", "difference", "difference_se"):
        content[name] = _number(content[name])
    for name in ("mwc", "mwc_se", "cubeless_equity", "cubeless_equity_se"):
        if content[name] is not None:
            content[name] = _number(content[name])
    for name in ("probabilities", "probabilities_se"):
        if content[name] is not None:
            content[name] = tuple(map(_number, content[name]))
            if len(content[name]) != PROBABILITIES:
                raise ValueError(name)
    content["points"] = {int(points): _count(games) for points, games in content["points"].items()}
    content["longest"] = _count(content["longest"])
    return Estimate(**content)


def _verdict(content: dict[str, Any] | None) -> CubeVerdict | None:
    """Return a decision about the cube from JSON."""
    if content is None:
        return None
    for name in ("proper_action", *VERDICT):  # they follow from what stands beside them
        del content[name]
    content.pop("beaver_answer", None)  # earlier ones know none
    if not isinstance(content["redouble"], bool):
        raise TypeError("redouble")
    for name, value in content.items():
        if name != "redouble" and (name, value) != ("double_beaver", None):
            content[name] = _number(value)
    return CubeVerdict(**content)


def _number(value: Any) -> float:
    number = real_number(value)
    if number is None:
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
    values: CubeValues | None = None,
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
    values : CubeValues, optional
        What trials are worth with the cube, if they are.
    """
    ends = [evaluations_of_points(each) for each in points] if adjusted is None else adjusted
    evaluations = [
        each if sign > 0 else flipped_evaluations(each) for each, sign in zip(ends, signs, strict=True)
    ]
    worth = [each[:, EQUITY] for each in evaluations]
    if values is not None:
        worth = [values.equities(c, sign) for c, sign in enumerate(signs)]
    order = sorted(range(len(names)), key=lambda c: -worth[c].mean())
    best = worth[order[0]]
    found = []
    for c in order:
        means, errors = evaluations[c].mean(axis=0), standard_errors(evaluations[c], quasi_random)
        games, counts = np.unique(signs[c] * points[c], return_counts=True)
        known = not np.isnan(means[:PROBABILITIES]).any()
        found.append(
            Estimate(
                names[c],
                ids[c],
                *_mean(worth[c], quasi_random),
                tuple(means[:PROBABILITIES].tolist()) if known else None,
                tuple(errors[:PROBABILITIES].tolist()) if known else None,
                dict(zip(games.tolist(), counts.tolist(), strict=True)),
                float(plies[c].mean()),
                int(plies[c].max()),
                *_mean(worth[c] - best, quasi_random),
                *(
                    (None, None)
                    if values is None or not values.is_match
                    else _mean(values.chances(c, signs[c]), quasi_random)
                ),
                *((None, None) if values is None else (float(means[EQUITY]), float(errors[EQUITY]))),
            )
        )
    return tuple(found)


class CubeValues(NamedTuple):
    """What trials are worth with the cube.

    Attributes
    ----------
    stakes : HeldStakes
        From the side of the player whose decision it is.
    numbers : ndarray of float64, shape (c, n)
        For the player on roll at the start of each trial, on the scale of the stakes.
    """

    stakes: HeldStakes
    numbers: Numbers

    @property
    def is_match(self) -> bool:
        """Whether the numbers are chances to win a match."""
        return self.stakes.is_match

    def chances(self, c: int, sign: int) -> Numbers:
        """Return the numbers of candidate c for its player; its sign says whether that one is on roll."""
        found: Numbers = self.numbers[c] if sign > 0 else float(self.is_match) - self.numbers[c]
        return found

    def equities(self, c: int, sign: int) -> Numbers:
        """Return the same normalised (EMG)."""
        nothing, one = self.stakes.normalized(0), self.stakes.normalized(1)
        found: Numbers = nothing + (one - nothing) * self.chances(c, sign)
        return found


def cube_verdict(no_double: Estimate, double_take: Estimate, *, redouble: bool, beavers: bool) -> CubeVerdict:
    """Return what the two branches of a decision about the cube say."""
    apart = double_take.difference_se or no_double.difference_se
    # The same game, for twice as much; who loses more than the doubled cube gives the beaver up.
    beavered = max(2 * double_take.equity, -2.0) if beavers else None
    answers = [(double_take.equity, apart), (1.0, no_double.equity_se)]
    if beavered is not None:
        # The variance of a difference, of which one part counts twice.
        squares = 2 * apart**2 - no_double.equity_se**2 + 2 * double_take.equity_se**2
        given_up = beavered == -2
        answers.append((beavered, no_double.equity_se if given_up else math.sqrt(max(0.0, squares))))
    best, error = min(answers)
    return CubeVerdict(
        no_double.equity,
        no_double.equity_se,
        double_take.equity,
        double_take.equity_se,
        1.0,
        beavered,
        redouble,
        no_double.equity - best,
        error,
    )


def _mean(trials: Numbers, quasi_random: bool) -> tuple[float, float]:
    """Return the mean of trials and its standard error."""
    return float(trials.mean()), float(standard_errors(trials[:, None], quasi_random)[0])


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
