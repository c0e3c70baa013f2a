"""What to do with the cube: whether to double, whether to take, and what each wrong action costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bgfast.analysis.cube.actions import CubeActions, proper_actions
from bgfast.analysis.cube.efficiency import Efficiencies, Efficiency
from bgfast.analysis.cube.match_equity import MatchEquityTable
from bgfast.analysis.cube.points import CubePoints, cube_points
from bgfast.analysis.cube.stakes import checked_table
from bgfast.analysis.decisions.branches import Branches, branches
from bgfast.analysis.decisions.players import player_of
from bgfast.analysis.evaluators.evaluators import Evaluator, evaluator_name
from bgfast.analysis.evaluators.lookahead import Lookahead
from bgfast.common.columns import Tabular
from bgfast.common.probabilities import named_probabilities
from bgfast.common.validation import thread_count
from bgfast.errors import BgfastError, IllegalActionError, InvalidDiceError, InvalidPositionError, shown
from bgfast.games.game import Game
from bgfast.position.decision import Decision
from bgfast.rules import STANDARD, RuleSetLike

__all__ = [
    "PLY",
    "CubeAction",
    "CubeDecision",
    "CubeDecisions",
    "check_offer",
    "checked_decision",
    "cube_decision",
    "cube_decisions",
    "three",
]

PLY = 2
NO_DOUBLE = "No double"
_FURTHER = MappingProxyType({"double": "beaver", "beaver": "raccoon"})
"""How an offer is answered by turning the cube once more."""


class CubeAction(NamedTuple):
    """Something that may be done with the cube, and what it brings to the player who has to decide.

    Attributes
    ----------
    action : str
        ``"No double"``, ``"Double, take"`` (or ``"Double, beaver"``), ``"Double, pass"``; ``"Redouble, ..."``
        where the player owns the cube. Under a double ``"Take"``, ``"Pass"`` or ``"Beaver"``, under a beaver
        ``"Raccoon"`` instead of that.
    equity : float
        Normalised to the cube before the double (EMG): -1 loses that, +1 wins it.
    difference : float
        The equity less that of the proper action. Above 0 where the opponent would answer wrongly.
    mwc : float or None
        The chance to win the match; None in money play.
    """

    action: str
    equity: float
    difference: float
    mwc: float | None


@dataclass(frozen=True, kw_only=True)
class CubeDecision(Tabular):
    """What to do with the cube, as `bgfast.cube_decision` finds it.

    Attributes
    ----------
    decision : Decision
    equities : CubeActions
        What no double, double and take, and so on are worth to the mover, who has doubled if a double is on
        offer, and what wrong actions cost: cubeful, and normalised to the cube before a double (EMG). In
        money play that is points for each point on the cube. Of a beaver on offer they are those of the
        opponent, who has turned the cube: not to beaver, to beaver and have it taken, and so on, a raccoon
        as `double_beaver`; of a raccoon again the mover's.
    mwc : CubeActions or None
        The same as chances to win the match; None in money play.
    why_not : str or None
        Why the mover may not double; None if he may.
    probabilities : tuple of 5 float
        Of the mover: to win, to win a gammon or more, to win a backgammon, to lose a gammon or more, to lose
        a backgammon.
    cubeless_equity : float
        In points at cube 1, as if there were no cube, and no match.
    ply : int
        How far was looked ahead.
    evaluator, match_equity_table, efficiency : str
        Names of what was asked.
    cube_efficiency : float
        Of the position with the cube where it is, by that model: 0 dead, 1 fully live.

    Examples
    --------
    >>> import bgfast
    >>> race = bgfast.Decision.read("XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10")
    >>> found = bgfast.cube_decision(race, ply=0)
    >>> found.proper_action, round(found.points["live"].cash, 3)
    ('No double, take', 0.8)
    """

    decision: Decision
    equities: CubeActions
    mwc: CubeActions | None
    why_not: str | None
    probabilities: tuple[float, ...]
    cubeless_equity: float
    ply: int
    evaluator: str
    match_equity_table: str
    efficiency: str
    cube_efficiency: float
    _met: MatchEquityTable = field(repr=False, compare=False)

    @property
    def proper_action(self) -> str:
        """What is right, in the words players know.

        ``"Double, take"``, ``"No redouble, take"``, ``"Too good to double, pass"``, ``"Optional double,
        take"``; ``"Take"``, ``"Pass"`` or ``"Beaver"`` under a double, ``"Raccoon"`` under a beaver; ``"No
        double"`` where the rules allow none.
        """
        if self.decision.offer is not None:
            return self._answer_name(str(self.equities.answers)).capitalize()
        return str(self.equities.words) if self.why_not is None else NO_DOUBLE

    @property
    def actions(self) -> tuple[CubeAction, ...]:
        """What may be done by the player who has to decide, the proper action first: tuple of `CubeAction`.

        Before the roll that is the mover, under a double the opponent, whose side the numbers are then from;
        under a beaver again the mover.
        """
        return self._before_the_roll() if self.decision.offer is None else self._answers()

    def _before_the_roll(self) -> tuple[CubeAction, ...]:
        values = self.equities
        if self.why_not is not None:
            return (CubeAction(NO_DOUBLE, values.no_double, 0.0, self._mwc("no_double")),)
        turn = "Redouble" if values.redouble else "Double"
        taken = "beaver" if values.answers == "beaver" else "take"
        fields = {
            f"No {turn.lower()}": "no_double",
            f"{turn}, {taken}": f"double_{taken}",
            f"{turn}, pass": "double_pass",
        }
        first = "No" if not values.doubles else f"{turn}, {values.answers}"
        return tuple(
            CubeAction(name, equity, equity - values.best, self._mwc(each))
            for name, each in sorted(fields.items(), key=lambda item: not item[0].startswith(first))
            for equity in [getattr(values, each)]
        )

    def _mwc(self, name: str) -> float | None:
        return None if self.mwc is None else float(getattr(self.mwc, name))

    def _answers(self) -> tuple[CubeAction, ...]:
        values = self.equities
        costs = {name: getattr(values, f"cost_{name}") for name in ("take", "pass", "beaver")}
        return tuple(
            CubeAction(
                self._answer_name(name).capitalize(),
                -getattr(values, f"double_{name}"),
                0 - cost,
                None if self.mwc is None else 1 - getattr(self.mwc, f"double_{name}"),
            )
            for name, cost in sorted(costs.items(), key=lambda item: item[1])
            if not np.isnan(cost)
        )

    def _answer_name(self, name: str) -> str:
        """Return what an answer is called: a beaver is answered by a raccoon."""
        return _FURTHER[self.decision.offer or "double"] if name == "beaver" else name

    @property
    def costs(self) -> Mapping[str, float]:
        """What wrong actions cost, in equity: 0 for what is right. Empty where the mover may not double.

        ``"no double"`` and ``"double"`` cost the mover, ``"take"``, ``"pass"`` and, where it is allowed,
        ``"beaver"`` the opponent. Of a beaver on offer ``"no beaver"`` and ``"beaver"`` cost the opponent,
        ``"take"``, ``"pass"`` and ``"raccoon"`` the mover; of a raccoon likewise.
        """
        if self.why_not is not None:
            return MappingProxyType({})
        turn, values = self.decision.offer or "double", self.equities
        costs = {
            f"no {turn}": values.cost_no_double,
            turn: values.cost_double,
            "take": values.cost_take,
            "pass": values.cost_pass,
        }
        if turn in _FURTHER:
            costs[_FURTHER[turn]] = values.cost_beaver
        return MappingProxyType({name: cost for name, cost in costs.items() if not np.isnan(cost)})

    @cached_property
    def points(self) -> Mapping[str, CubePoints]:
        """The chances to win at which the cube is turned, taken and passed: mapping of `CubePoints`.

        With a cube that is ``"dead"``, ``"live"``, and as efficient as here, ``"cubeful"``.
        """
        kinds: dict[str, Efficiency] = {"dead": 0.0, "live": 1.0, "cubeful": self.efficiency}
        return MappingProxyType(
            {
                name: cube_points(self.probabilities, self.decision, efficiency=x, met=self._met)
                for name, x in kinds.items()
            }
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each action, the proper one first."""
        return [each._asdict() for each in self.actions]

    def to_dict(self) -> dict[str, Any]:
        """Return all but the decision as plain data; None for what there is not."""
        return {
            "proper_action": self.proper_action,
            "may_double": self.why_not is None,
            "why_not": self.why_not,
            "actions": self.rows(),
            "costs": dict(self.costs),
            "equities": three(self.equities),
            "mwc": None if self.mwc is None else three(self.mwc),
            "points": {
                name: {kind: _known(point) for kind, point in points._asdict().items()}
                | {"opponent_take": _known(1 - points.cash)}
                for name, points in self.points.items()
            },
            "probabilities": named_probabilities(self.probabilities),
            "cubeless_equity": self.cubeless_equity,
            "cube_efficiency": self.cube_efficiency,
        }


_THREE = ("no_double", "double_take", "double_pass")


def three(values: CubeActions | None) -> dict[str, float | None]:
    """Return the three values that tables show; None for what there is not."""
    return {name: None if values is None else _known(getattr(values, name)) for name in _THREE}


def _known(number: float) -> float | None:
    """Return a number, None for one that there is not."""
    return None if np.isnan(number) else number


class CubeDecisions(Tabular, tuple[CubeDecision, ...]):
    """Many cube decisions: a tuple of `CubeDecision` that can be had as a table.

    Examples
    --------
    >>> import bgfast
    >>> found = bgfast.cube_decisions(["XGID=-BBCCCB------------bcccbb-:0:0:1:D:0:0:0:0:10"], ply=0)
    >>> found.rows()[0]["proper_action"]
    'Take'
    """

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each decision."""
        return [
            {
                "gnubg_id": each.decision.position.gnubg_id,
                "proper_action": each.proper_action,
                **three(each.equities),
                **{f"{name}_mwc": mwc for name, mwc in three(each.mwc).items()},
                "cubeless_equity": each.cubeless_equity,
                **named_probabilities(each.probabilities),
            }
            for each in self
        ]


def cube_decision(
    decision: Decision | str,
    evaluator: Evaluator | None = None,
    *,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> CubeDecision:
    """Return what to do with the cube: before the roll whether to double, under a double how to answer.

    Parameters
    ----------
    decision : Decision, or the text of one
        Without dice. A double may be on offer: then it is the opponent who has to decide; or a beaver or a
        raccoon.
    evaluator : evaluator, optional
        One that tells five probabilities; the built-in network with bear-off databases by default. A
        `Lookahead` looks as far ahead as it does.
    ply : {2, 0, 1}, optional
        How far to look ahead.
    met : MatchEquityTable, optional
        For matches; the one that comes with bgfast by default.
    efficiency : {"bgfast", "gnubg"}
        The model of how efficiently the cube will be used, as `cube_efficiencies` has it.
    rules : RuleSet, or the name of a preset
        What is looked ahead by. Jacoby rule, beavers and the greatest cube are those of the decision.
    threads : int
        How many share the work.

    Returns
    -------
    CubeDecision

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If the game is over, or the dice are rolled.
    IllegalActionError
        If what is on offer is against the rules.
    BgfastError
        If the evaluator tells equities alone, or an argument is wrong.

    Notes
    -----
    At 0 plies the formula makes cubeful equities of the five probabilities. Looking ahead each branch is a
    search of its own with the cube as it is there: its equity is the mean of those of the positions it comes
    to, and in turns to come who is on roll doubles where that brings more. Two plies ahead that takes some
    milliseconds. Safe to call from several threads, if the evaluator is.

    Examples
    --------
    >>> import bgfast
    >>> found = bgfast.cube_decision("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10", ply=0)
    >>> found.proper_action, found.costs["no double"]
    ('No double, take', 0.0)
    >>> found.equities.no_double > found.equities.double_take, found.equities.double_pass
    (True, 1.0)
    >>> [each.action for each in found.actions]
    ['No double', 'Double, take', 'Double, pass']
    """
    judge = _Judge(
        player_of(evaluator, ply, PLY, rules), checked_table(met), efficiency, thread_count(threads)
    )
    return judge.decided([_checked(decision)])[0]


def cube_decisions(
    decisions: Iterable[Decision | str],
    evaluator: Evaluator | None = None,
    *,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> CubeDecisions:
    """Return what to do with the cube in many positions, which are evaluated in one batch.

    Parameters
    ----------
    decisions : iterable of Decision, or of their texts
    evaluator, ply, met, efficiency, rules, threads
        As for `cube_decision`.

    Returns
    -------
    CubeDecisions
        A tuple of `CubeDecision`, in the order given, that can be had as a table.

    Raises
    ------
    BgfastError
        As `cube_decision`, with the row of the first one that is wrong.

    Examples
    --------
    >>> import bgfast
    >>> start = bgfast.Decision(position=bgfast.Position.start(), match_length=7)
    >>> found = bgfast.cube_decisions([start, start], ply=0)
    >>> [each.proper_action for each in found], found[0].mwc.no_double > 0.5
    (['No double, take', 'No double, take'], True)
    >>> found.to_csv().splitlines()[0][:40]
    'gnubg_id,proper_action,no_double,double_'
    """
    if isinstance(decisions, (str, bytes, Decision)) or not isinstance(decisions, Iterable):
        raise BgfastError(f"decisions are {shown(decisions)}; expected several, as in a list")
    judge = _Judge(
        player_of(evaluator, ply, PLY, rules), checked_table(met), efficiency, thread_count(threads)
    )
    given = []
    for row, each in enumerate(decisions):
        try:
            given.append(_checked(each))
        except BgfastError as error:
            raise type(error)(f"decision {row}: {error}") from None
    return judge.decided(given)


def checked_decision(given: Decision | str) -> Decision:
    """Return a decision before the roll, read if it is text.

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If the game is over, or the dice are rolled.
    """
    decision = given if isinstance(given, Decision) else Decision.read(given)
    if decision.position.winner is not None:
        raise InvalidPositionError("the game is over; expected a position before the roll")
    if decision.dice is not None:
        high, low = max(decision.dice), min(decision.dice)
        raise InvalidDiceError(f"the roll is {high}-{low}; expected a decision before the roll")
    return decision


def check_offer(decision: Decision) -> None:
    """Raise `IllegalActionError` if the rules of games forbid what is on offer."""
    Game.from_decision(decision)


class _Given(NamedTuple):
    """A decision about the cube, and why the mover may not double."""

    decision: Decision
    why_not: str | None


def _checked(given: Decision | str) -> _Given:
    decision = checked_decision(given)
    check_offer(decision)
    if decision.offer is None:
        try:
            Game.from_decision(decision).double()
        except IllegalActionError as error:
            return _Given(decision, str(error).removeprefix("double: "))
    return _Given(decision, None)


class _Judge(NamedTuple):
    """Who is asked."""

    player: Lookahead
    met: MatchEquityTable
    efficiency: str
    threads: int

    def decided(self, given: Sequence[_Given]) -> CubeDecisions:
        """Return what to do."""
        if not given:
            return CubeDecisions()
        decisions = [each.decision for each in given]
        found = branches(self.player, decisions, self.met, self.efficiency, self.threads)
        return CubeDecisions(map(self._decided, given, found))

    def _decided(self, given: _Given, found: Branches) -> CubeDecision:
        decision, why_not = given
        stakes = found.stakes
        board, row = decision.position.to_array()[None], np.array([found.probabilities])
        if why_not is None and not stakes.may_double:
            why_not = f"the cube shows {decision.cube}, its greatest value"
        redouble = decision.cube_owner == 1
        return CubeDecision(
            decision=decision,
            equities=proper_actions(*map(stakes.normalized, found.values), redouble=redouble),
            mwc=proper_actions(*found.values, redouble=redouble, normalized=False)
            if stakes.is_match
            else None,
            why_not=why_not,
            probabilities=found.probabilities,
            cubeless_equity=found.cubeless_equity,
            ply=self.player.ply,
            evaluator=evaluator_name(self.player.evaluator),
            match_equity_table=self.met.name,
            efficiency=self.efficiency,
            cube_efficiency=float(Efficiencies.of_model(self.efficiency, board).at(stakes, row)[0]),
            _met=self.met,
        )
