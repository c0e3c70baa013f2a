"""Cube decisions: the proper action, and the cost of every wrong action."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from bgfast.analysis.branches import as_search, evaluate_branches
from bgfast.common.foreign_names import names_arguments, names_missing
from bgfast.common.probabilities import probabilities_by_name
from bgfast.common.validation import thread_count
from bgfast.errors import BgfastError, IllegalActionError, InvalidDiceError, InvalidPositionError, short_repr
from bgfast.evaluation.actions import CubeActions, CubePoints, cube_points, proper_actions
from bgfast.evaluation.cubeful import EXACT
from bgfast.evaluation.efficiency import Efficiencies, Efficiency
from bgfast.evaluation.evaluators.evaluators import EvaluatorLike
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.names import display_name
from bgfast.evaluation.evaluators.ranked_plays import chances_by_heading, equity_cells
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, validate_table
from bgfast.evaluation.tables import Tabular, returns_text, text_table
from bgfast.games.game import Game
from bgfast.position.decision import Decision
from bgfast.rules import STANDARD, RuleSetLike

PLY = 2
NO_DOUBLE = "No double"
_NEXT_OFFER = MappingProxyType({"double": "beaver", "beaver": "raccoon"})
"""Next offer, by the pending offer; each offer turns the cube once more."""


class CubeAction(NamedTuple):
    """Cube action and its equity for the player who has to decide."""

    action: str
    equity: float  # normalised to the cube before the double (EMG): -1 loses that cube, +1 wins it
    difference: float  # `equity` less the proper action's; above 0 if the opponent would answer wrongly
    mwc: float | None  # match winning chance; None in money play


@names_missing
@dataclass(frozen=True, kw_only=True, repr=False)
class CubeDecision(Tabular):
    """Result of `bgfast.cube_decision`: the proper action, equities and costs.

    Attributes
    ----------
    decision : Decision
    equities : CubeActions
        Cubeful equities of no double, double/take and so on, and the costs of wrong actions, normalised to
        the cube before a double (EMG; in money play points per point on the cube). They are for the mover,
        who is the doubler if a double is on offer. With a beaver on offer they are for the opponent, who has
        turned the cube: `no_double` means no beaver, `double_take` a beaver that is taken, `double_beaver` a
        raccoon. With a raccoon on offer they are for the mover again.
    mwc : CubeActions or None
        `equities` as match winning chances; None in money play.
    why_not : str or None
        Reason why the mover may not double; None if the rules allow a double.
    probabilities : tuple of 5 float
        The mover's chances to win, win a gammon or more, win a backgammon, lose a gammon or more, and lose a
        backgammon.
    cubeless_equity : float
        In points at cube 1, ignoring cube and match score.
    ply : int
        Search depth.
    evaluator, match_equity_table, efficiency : str
        Names of the evaluator, the table and the efficiency model.
    method : {"exact", "race recursion", "formula"}
        Source of the equities: exact tables, a recursion over the one-sided plays of a race, or the search
        and the efficiency model.
    cube_efficiency : float
        Efficiency of the current cube in this position, by the efficiency model: 0 is dead, 1 fully live.

    Examples
    --------
    >>> import bgfast
    >>> race = bgfast.Decision.read("XGID=-BBCCCB------------bcccbb-:0:0:1:00:0:0:0:0:10")
    >>> result = bgfast.cube_decision(race, ply=0)
    >>> result.proper_action, round(result.points["live"].cash, 3)
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
    method: str
    cube_efficiency: float
    _met: MatchEquityTable = field(compare=False)

    def __repr__(self) -> str:
        values = "; ".join(f"{action.action} {action.equity:+.3f}" for action in self.actions)
        return f"<CubeDecision {self.proper_action}: {values}; {self.ply}-ply>"

    def __str__(self) -> str:
        """Return the actions, best first, and the winning chances at which the proper action changes."""
        rows = [
            (f"{rank:>2} {name}", equity_cells(rank, equity, difference) | chances_by_heading(mwc))
            for rank, (name, equity, difference, mwc) in enumerate(self.actions, 1)
        ]
        lines = [self.proper_action, "", *(line.rstrip() for line in text_table(rows, 8, 9))]
        if self.why_not is not None:
            lines.append(f"No double: {self.why_not}.")
        mover, opponent = "XO" if self.decision.turn == 1 else "OX"
        # An answer has the equities of the player who answers; the other values are the doubler's.
        heading = [] if self.decision.offer is None else [f"{mover}, who is on roll:"]
        cubeless = {"cubeless": f"{self.cubeless_equity:+.4f}"} | chances_by_heading(None, self.probabilities)
        lines += ["", *heading, *text_table([("", cubeless)])]
        if self.why_not is None:
            rows = []
            for name, points in self.points.items():
                chances = {"double": points.double, "cash": points.cash, "too good": points.too_good}
                chances[f"{opponent} takes"] = 1 - points.cash
                texts = ("-" if np.isnan(chance) else f"{chance:.2%}" for chance in chances.values())
                rows.append((f"{name:8}", dict(zip(chances, texts, strict=True))))
            lines += ["", *text_table(rows, rest_width=9)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the board and tables of actions and chances, for notebooks."""
        from bgfast.analysis.map_pictures import cube_html  # loaded only by notebooks

        return cube_html(self)

    @property
    def is_exact(self) -> bool:
        """True if the equities come from exact tables."""
        return self.method == EXACT

    @property
    def proper_action(self) -> str:
        """Proper action as players say it.

        ``"Double, take"``, ``"No redouble, take"``, ``"Too good to double, drop"``, ``"Optional double,
        take"``; ``"Take"``, ``"Drop"`` or ``"Beaver"`` after a double, ``"Raccoon"`` after a beaver; ``"No
        double"`` if the rules forbid doubling.
        """
        if self.decision.offer is not None:
            return self._answer_name(str(self.equities.answers)).capitalize()
        return str(self.equities.words) if self.why_not is None else NO_DOUBLE

    @property
    def actions(self) -> tuple[CubeAction, ...]:
        """Legal actions of the player who has to decide, the proper action first: tuple of `CubeAction`.

        ``"No double"``, ``"Double, take"`` (or ``"Double, beaver"``) and ``"Double, drop"``; ``"Redouble,
        ..."`` where the player owns the cube. After a double ``"Take"``, ``"Drop"`` or ``"Beaver"``, after a
        beaver ``"Raccoon"`` instead of ``"Beaver"``.
        """
        return self._doubling_actions() if self.decision.offer is None else self._answers()

    def _doubling_actions(self) -> tuple[CubeAction, ...]:
        values = self.equities
        double = "Redouble" if values.redouble else "Double"
        answer = "beaver" if values.answers == "beaver" else "take"
        attributes = {
            f"No {double.lower()}": "no_double",
            f"{double}, {answer}": f"double_{answer}",
            f"{double}, drop": "double_drop",
        }
        prefix = "No" if not values.doubles else f"{double}, {values.answers}"
        if self.why_not is not None:
            attributes, prefix = {NO_DOUBLE: "no_double"}, "No"
        actions = []
        for name, attribute in sorted(attributes.items(), key=lambda item: not item[0].startswith(prefix)):
            equity = getattr(values, attribute)
            difference = 0.0 if self.why_not is not None else equity - values.best
            mwc = None if self.mwc is None else float(getattr(self.mwc, attribute))
            actions.append(CubeAction(name, equity, difference, mwc))
        return tuple(actions)

    def _answers(self) -> tuple[CubeAction, ...]:
        costs = {name: getattr(self.equities, f"cost_{name}") for name in ("take", "drop", "beaver")}
        legal = {name: cost for name, cost in costs.items() if not np.isnan(cost)}
        actions = []
        for name, cost in sorted(legal.items(), key=lambda item: item[1]):
            equity = -getattr(self.equities, f"double_{name}")
            mwc = None if self.mwc is None else 1 - getattr(self.mwc, f"double_{name}")
            actions.append(CubeAction(self._answer_name(name).capitalize(), equity, 0 - cost, mwc))
        return tuple(actions)

    def _answer_name(self, name: str) -> str:
        """Return the name of an answer; turning the cube after a beaver is a raccoon."""
        return _NEXT_OFFER[self.decision.offer or "double"] if name == "beaver" else name

    @property
    def costs(self) -> Mapping[str, float]:
        """Equity costs of the actions, 0 for a correct action; empty if the mover may not double.

        ``"no double"`` and ``"double"`` are costs of the mover; ``"take"``, ``"drop"`` and, if beavers are
        allowed, ``"beaver"`` are costs of the opponent. With a beaver on offer ``"no beaver"`` and
        ``"beaver"`` are costs of the opponent, ``"take"``, ``"drop"`` and ``"raccoon"`` of the mover. With a
        raccoon on offer the sides change again.
        """
        if self.why_not is not None:
            return MappingProxyType({})
        offer, values = self.decision.offer or "double", self.equities
        costs = {
            f"no {offer}": values.cost_no_double,
            offer: values.cost_double,
            "take": values.cost_take,
            "drop": values.cost_drop,
        }
        if offer in _NEXT_OFFER:
            costs[_NEXT_OFFER[offer]] = values.cost_beaver
        return MappingProxyType({name: cost for name, cost in costs.items() if not np.isnan(cost)})

    @property
    def points(self) -> Mapping[str, CubePoints]:
        """Winning chances at which the cube is turned, taken and dropped: mapping of `CubePoints`.

        Keys are ``"dead"`` and ``"live"`` for cube efficiencies 0 and 1, and ``"cubeful"`` for the model.
        """
        efficiencies: dict[str, Efficiency] = {"dead": 0.0, "live": 1.0, "cubeful": self.efficiency}
        points = (
            cube_points(self.probabilities, self.decision, efficiency=x, met=self._met)
            for x in efficiencies.values()
        )
        return MappingProxyType(dict(zip(efficiencies, points, strict=True)))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each action, the proper action first."""
        return [action._asdict() for action in self.actions]

    def to_dict(self) -> dict[str, Any]:
        """Return actions, equities and chances as plain data, with the keys of ``bgfast analyse --json``."""
        return {
            "proper_action": self.proper_action,
            "may_double": self.why_not is None,
            "why_not": self.why_not,
            "actions": self.rows(),
            "costs": dict(self.costs),
            "equities": main_values(self.equities),
            "mwc": None if self.mwc is None else main_values(self.mwc),
            "points": {
                name: {point: _none_if_nan(chance) for point, chance in points._asdict().items()}
                | {"opponent_take": _none_if_nan(1 - points.cash)}
                for name, points in self.points.items()
            },
            "probabilities": probabilities_by_name(self.probabilities),
            "cubeless_equity": self.cubeless_equity,
            "method": self.method,
            "is_exact": self.is_exact,
            "cube_efficiency": self.cube_efficiency,
        }

    @returns_text
    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict())


_MAIN_BRANCHES = ("no_double", "double_take", "double_drop")


def main_values(values: CubeActions | None) -> dict[str, float | None]:
    """Return the values of no double, double/take and double/drop; an undefined value is None."""
    return {name: None if values is None else _none_if_nan(getattr(values, name)) for name in _MAIN_BRANCHES}


def _none_if_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


class CubeDecisions(Tabular, tuple[CubeDecision, ...]):
    """Result of `bgfast.cube.cube_decisions`: a tuple of `CubeDecision` that converts to a table.

    Examples
    --------
    >>> import bgfast
    >>> results = bgfast.cube.cube_decisions(["XGID=-BBCCCB------------bcccbb-:0:0:1:D:0:0:0:0:10"], ply=0)
    >>> results[0].proper_action, results.to_csv().splitlines()[0][:31]
    ('Take', 'gnubg_id,proper_action,no_doubl')
    """

    __slots__ = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of named columns for each decision."""
        return [
            {
                "gnubg_id": result.decision.position.gnubg_id,
                "proper_action": result.proper_action,
                **main_values(result.equities),
                **{f"{name}_mwc": mwc for name, mwc in main_values(result.mwc).items()},
                "cubeless_equity": result.cubeless_equity,
                **probabilities_by_name(result.probabilities),
            }
            for result in self
        ]


@names_arguments
def cube_decision(
    decision: DecisionLike,
    evaluator: EvaluatorLike | None = None,
    *,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> CubeDecision:
    """Analyse a cube decision: whether to double before the roll, or how to answer a double.

    Parameters
    ----------
    decision : Decision, Position, Game, str, or board of 26 numbers
        Without dice. A double, a beaver or a raccoon may be on offer; after a double the opponent decides. A
        position without cube and score is money play with a centred cube, no Jacoby rule and no beavers.
    evaluator : evaluator, name or file, optional
        An evaluator that returns five probabilities, as in `bgfast.evaluators`; ``"builtin"`` by default. A
        `Lookahead` searches at its own depth.
    ply : {2, 0, 1}, optional
        Search depth.
    met : MatchEquityTable, optional
        For matches; by default the table in the evaluator's exact tables, if any, else the built-in table.
    efficiency : {"bgfast", "gnubg"}
        Model of cube efficiency, as for `cube_efficiencies`.
    rules : RuleSet, or the name of a preset
        Rules of checker play in the search. Jacoby rule, beavers and maximum cube come from `decision`.
    threads : int
        Number of threads.

    Returns
    -------
    CubeDecision

    Raises
    ------
    InvalidPositionError, InvalidDiceError
        If the game is over, or the decision has dice.
    IllegalActionError
        If the rules forbid the offer.
    BgfastError
        If the evaluator returns only equities, or an argument is invalid.

    See Also
    --------
    bgfast.cube.cube_decisions : Many decisions in one batch.
    bgfast.cube.cube_actions : Actions from probabilities, by the formula alone.
    bgfast.cube.score_map : The decision at every score.

    Notes
    -----
    At 0 plies the formula converts the five probabilities to cubeful equities. A deeper search evaluates each
    branch separately with its own cube: the equity of a branch is the mean over the positions that it
    reaches, and in later turns the player on roll doubles if that gains equity. A 2-ply search takes a few
    milliseconds. Exact tables of the evaluator that cover position, cube and score take precedence. In longer
    bear-offs `Bearoff.race_actions` is used if it takes no more than about a tenth of a second.
    Thread-safe if the evaluator is.

    Examples
    --------
    >>> import bgfast
    >>> result = bgfast.cube_decision("XGID=-a-a--E-C---dE---d-e----B-:0:0:1:00:0:0:0:0:10", ply=0)
    >>> result.proper_action, result.costs["no double"], [action.action for action in result.actions]
    ('No double, take', 0.0, ['No double', 'Double, take', 'Double, drop'])
    """
    search = as_search(evaluator, ply, PLY, rules)
    return _analyse(search, met, efficiency, thread_count(threads), [_validate(decision)])[0]


def cube_decisions(
    decisions: Iterable[DecisionLike],
    evaluator: EvaluatorLike | None = None,
    *,
    ply: int | None = None,
    met: MatchEquityTable | None = None,
    efficiency: str = "bgfast",
    rules: RuleSetLike = STANDARD,
    threads: int = 1,
) -> CubeDecisions:
    """Analyse many cube decisions in one batch.

    Parameters
    ----------
    decisions : iterable
        Each as for `cube_decision`.
    evaluator, ply, met, efficiency, rules, threads
        As for `cube_decision`.

    Returns
    -------
    CubeDecisions
        In the order of `decisions`.

    Raises
    ------
    BgfastError
        As for `cube_decision`; the message names the row of the first invalid decision.

    See Also
    --------
    bgfast.cube_decision : A single decision.
    cube_actions : Actions from probabilities, by the formula alone.
    """
    if isinstance(decisions, (str, bytes, Decision)) or not isinstance(decisions, Iterable):
        raise BgfastError(f"decisions are {short_repr(decisions)}; expected an iterable of decisions")
    return decide_all(
        decisions, as_search(evaluator, ply, PLY, rules), met, efficiency, thread_count(threads)
    )


def decide_all(
    decisions: Iterable[Any],
    search: Lookahead,
    met: MatchEquityTable | None,
    efficiency: str,
    threads: int,
    *,
    races: bool = True,
) -> CubeDecisions:
    """Analyse many cube decisions with a search; `races` allows race recursions."""
    pairs = []
    for row, decision in enumerate(decisions):
        try:
            pairs.append(_validate(decision))
        except BgfastError as error:
            raise type(error)(f"decision {row}: {error}") from None
    return _analyse(search, met, efficiency, threads, pairs, races)


def validate_decision(subject: Any) -> Decision:
    """Return the decision of a subject; raise `BgfastError` if it has dice or the game is over."""
    decision = as_decision(subject)
    if decision.position.winner is not None:
        raise InvalidPositionError("the game is over; expected a position before the roll")
    if decision.dice is not None:
        roll = f"{max(decision.dice)}-{min(decision.dice)}"
        raise InvalidDiceError(f"the roll is {roll}; expected a decision before the roll")
    return decision


def _validate(subject: Any) -> tuple[Decision, str | None]:
    """Return the validated decision, and the reason why the mover may not double, or None."""
    decision = validate_decision(subject)
    game = Game.from_decision(decision)
    try:
        if decision.offer is None:
            game.double()
    except IllegalActionError as error:
        return decision, str(error).removeprefix("double: ")
    return decision, None


def _analyse(
    search: Lookahead,
    met: MatchEquityTable | None,
    efficiency: str,
    threads: int,
    pairs: Sequence[tuple[Decision, str | None]],
    races: bool = True,
) -> CubeDecisions:
    if met is not None:
        validate_table(met)
    if not pairs:
        return CubeDecisions()
    branches = evaluate_branches(search, [decision for decision, _ in pairs], met, efficiency, threads, races)
    results = []
    for (decision, why_not), result in zip(pairs, branches, strict=True):
        stakes, redouble = result.stakes, decision.cube_owner == 1
        board, probabilities = decision.position.to_array()[None], np.array([result.probabilities])
        if why_not is None and not stakes.may_double:
            why_not = f"the cube shows {decision.cube}, its maximum value"
        mwc = proper_actions(*result.values, redouble=redouble, normalized=False) if stakes.is_match else None
        results.append(
            CubeDecision(
                decision=decision,
                equities=proper_actions(*map(stakes.normalize, result.values), redouble=redouble),
                mwc=mwc,
                why_not=why_not,
                probabilities=result.probabilities,
                cubeless_equity=result.cubeless_equity,
                ply=search.ply,
                evaluator=display_name(search.evaluator),
                match_equity_table=result.met.name,
                efficiency=efficiency,
                method=result.method,
                cube_efficiency=float(Efficiencies.of_model(efficiency, board).at(stakes, probabilities)[0]),
                _met=result.met,
            )
        )
    return CubeDecisions(results)
