"""Cubeful equities from cubeless probabilities, for the cube and score of a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from bgfast.common.probabilities import EQUITY, PROBABILITIES, Numbers
from bgfast.common.validation import Boards, whole_number
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation._cubeful import CubeStakes, fill_values
from bgfast.evaluation.efficiency import (
    ANY_EXCESS,
    ROUNDING_EXCESS,
    Efficiencies,
    Efficiency,
    Rows,
    as_efficiencies,
    as_rows,
    check_rows,
    efficiency_model,
)
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import DecisionLike, as_decision, stakes_of, validate_mwc
from bgfast.position.decision import Decision

Owner = Literal[1, 0, -1]


def cubeful_equities(
    probabilities: npt.ArrayLike,
    decision: DecisionLike,
    *,
    efficiency: Efficiency | None = None,
    met: MatchEquityTable | None = None,
    owner: Owner | None = None,
    mwc: bool = False,
) -> Any:
    """Return cubeful equities from cubeless probabilities, for the cube and score of a decision.

    Parameters
    ----------
    probabilities : array of real numbers, shape (n, 5) or (5,)
        Cubeless probabilities of the mover: win, win a gammon or more, win a backgammon, lose a gammon or
        more, lose a backgammon. Gammons may not exceed games, nor backgammons gammons, except by rounding to
        three digits. float32 and float64 arrays are read in place.
    decision : Decision, or position or text as for `bgfast.analyse`
        Cube, score and rules; a position alone is money play with a centred cube. Efficiency models also use
        its position; the dice are ignored.
    efficiency : float, array of shape (n,), or {"bgfast", "gnubg"}, optional
        Cube efficiency from 0, a dead cube, to 1, a fully live cube; or the name of a model, which is
        evaluated for the decision's position. The default is ``"bgfast"``. For other boards see
        `cube_efficiencies`.
    met : MatchEquityTable, optional
        The default is the built-in table.
    owner : {1, 0, -1}, optional
        Replaces the decision's cube owner: the mover, nobody or the opponent.
    mwc : bool
        Return match-winning chances.

    Returns
    -------
    ndarray of float64, shape (n,), or float
        Normalised equities (EMG): in money play, points per unit of the current cube; in a match, 1 for
        winning the value of the cube and -1 for losing it. With `mwc`, the mover's match-winning chances.

    Raises
    ------
    BgfastError
        If `probabilities` or another argument is invalid, or if `mwc` is true in money play.

    See Also
    --------
    cube_actions : Equities of doubling, taking and dropping.
    cube_efficiencies : Cube efficiencies of boards.
    bgfast.evaluators.Bearoff.cubeful_equities : Exact equities of bear-offs.

    Notes
    -----
    The model is Rick Janowski's [1]_, extended to matches one cube level at a time; docs/CUBE.md has the
    formulas and limits. If a double is pending, equities are for the cube before the double. Thread-safe.

    References
    ----------
    .. [1] Rick Janowski, "Take-Points in Money Games", 1993.

    Examples
    --------
    >>> import bgfast
    >>> money = bgfast.Decision(position=bgfast.Position())
    >>> rows = [[0.5, 0, 0, 0, 0], [0.75, 0, 0, 0, 0]]
    >>> bgfast.cube.cubeful_equities(rows, money, efficiency=1, owner=1)
    array([0.25 , 0.875])
    >>> match = bgfast.Decision.read("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:1:0:5:10")
    >>> bgfast.cube.cubeful_equities(rows, match, efficiency=0.68, mwc=True).round(3)
    array([0.705, 0.782])
    """
    decision = as_decision(decision)
    stakes = stakes_with_owner(decision, met, owner)
    rows, is_single = as_rows(probabilities)
    in_mwc = validate_mwc(mwc, stakes.is_match)
    efficiencies = as_efficiencies(efficiency, decision, len(rows))
    values = cubeful_values(stakes, rows, efficiencies, ROUNDING_EXCESS, normalized=not in_mwc)
    return float(values[0]) if is_single else values


def stakes_with_owner(decision: Decision, met: MatchEquityTable | None, owner: Any = None) -> CubeStakes:
    """Return the stakes of a decision; `owner`, unless None, replaces the owner of the cube."""
    if owner is None:
        return stakes_of(decision, met)
    if whole_number(owner) not in (1, 0, -1):
        raise BgfastError(f"owner is {short_repr(owner)}; expected 1 (the mover), 0 or -1")
    return stakes_of(replace(decision, cube_owner=owner), met)


def cubeful_values(
    stakes: CubeStakes,
    rows: Rows,
    efficiencies: Efficiencies,
    excess: float = ANY_EXCESS,
    *,
    normalized: bool = False,
) -> Numbers:
    """Return cubeful values of rows from `as_rows`: MWC or points, or equities (EMG) if `normalized`.

    Gammons may exceed games, and backgammons gammons, by `excess`; the excess is then ignored.
    """
    out = np.empty(len(rows))
    values, model, boards = efficiencies
    if values is None and len(boards) != 1:
        values = efficiencies.at(stakes, rows)
    valid_count = fill_values(stakes, rows, values, boards[:1], model, excess, normalized, out)
    if valid_count < len(rows):
        check_rows(rows, excess, valid_count)
    return out


def cube_values(
    stakes: CubeStakes, rows: Rows, efficiencies: Efficiencies, excess: float = ANY_EXCESS
) -> Numbers:
    """Return the values (MWC or points) of no double, take, drop and beaver, (4, n); NaN where forbidden."""
    values = np.full((4, len(rows)), np.nan)
    values[0] = cubeful_values(stakes, rows, efficiencies, excess)
    if stakes.may_double:
        doubled = stakes.after_double()
        values[1], values[2] = cubeful_values(doubled, rows, efficiencies), stakes.double_drop
        if stakes.may_beaver:
            # The cube is as live after a beaver as after a take.
            after_double = efficiencies._replace(values=efficiencies.at(doubled, rows))
            beavered = cubeful_values(doubled.after_double(), rows, after_double)
            values[3] = np.maximum(beavered, doubled.of_points(-1))
    return values


class CubeModel(NamedTuple):
    """Stakes of the player on roll and an efficiency model, for cubeful equities of arrays of boards."""

    stakes: CubeStakes
    model: int  # efficiency model, an index into `EFFICIENCY_MODELS`

    @classmethod
    def of(cls, decision: Decision, met: MatchEquityTable | None, efficiency: str) -> CubeModel:
        """Return the cube model of a decision from the mover's side."""
        return cls(stakes_of(decision, met), efficiency_model(efficiency))

    def flip(self) -> CubeModel:
        """Return the cube model from the other player's side."""
        return CubeModel(self.stakes.flip(), self.model)

    def make_cubeful(self, evaluations: Numbers, boards: Boards) -> None:
        """Replace cubeless equities by cubeful ones (EMG); boards may be finished."""
        rows = np.ascontiguousarray(evaluations[:, :PROBABILITIES])
        efficiencies = Efficiencies(None, self.model, boards)
        evaluations[:, EQUITY] = cubeful_values(self.stakes, rows, efficiencies, normalized=True)

    def let_double(self, evaluations: Numbers, boards: Boards) -> None:
        """Let the player on roll double where that gains equity, and raise the equities accordingly."""
        if not self.stakes.may_double:
            return
        rows = np.ascontiguousarray(evaluations[:, :PROBABILITIES])
        _, *answers = cube_values(self.stakes, rows, Efficiencies(None, self.model, boards))
        doubled = self.stakes.normalize(np.fmin.reduce(answers))
        evaluations[:, EQUITY] = np.maximum(evaluations[:, EQUITY], doubled)

    def mwc(self, equities: Numbers) -> list[float] | list[None]:
        """Return the match-winning chances of equities (EMG); a list of None in money play."""
        if not self.stakes.is_match:
            return [None] * len(equities)
        mwc: list[float] = self.stakes.denormalize(equities).tolist()
        return mwc


# ---- descriptions of conditions ----

CUBELESS = "cubeless, money"
EXACT, RACE_RECURSION, FORMULA = METHODS = ("exact", "race recursion", "formula")
"""Sources of cubeful equities: exact tables, a recursion over one-sided plays, the efficiency model."""
_PLAYERS = {1: "X", -1: "O"}


def cubeful_conditions(
    decision: Decision, table: str, model: str, method: str = FORMULA, *, at_scores: bool = False
) -> str:
    """Describe in one line the conditions of cubeful equities or, with `at_scores`, of a score map.

    `table` and `model` name a match equity table and an efficiency model; `method` is one of `METHODS`.
    """
    stage = "matches at each score" if at_scores else match_stage(decision)
    owner = "centred" if not decision.cube_owner else f"{_PLAYERS[decision.cube_owner * decision.turn]}'s"
    equities = f"; match equities: {table}" if decision.match_length or at_scores else ""
    source = f"efficiency: {model}" if method == FORMULA else method
    return f"cubeful, {stage}; cube {decision.cube}, {owner}{equities}; {source}"


def cubeful_fields(
    decision: Decision, table: str, model: str, method: str = FORMULA, *, at_scores: bool = False
) -> dict[str, Any]:
    """Return the conditions of `cubeful_conditions` as JSON fields, from the mover's side."""
    names = ["cube", "cube_owner", "max_cube"]
    if not at_scores:
        names += ["match_length", "score", "crawford", "jacoby", "beaver"]
    fields = {name: getattr(decision, name) for name in names}
    if not at_scores:
        fields["score"] = list(decision.score)
    fields["match_equity_table"] = table if decision.match_length or at_scores else None
    fields["efficiency"] = model if method == FORMULA else None
    return fields


def match_stage(decision: Decision) -> str:
    """Describe money play and its rules, or a match and its score."""
    if not decision.match_length:
        switches = (("Jacoby rule", decision.jacoby), ("beavers", decision.beaver))
        return ", ".join(["money", *(name for name, is_on in switches if is_on)])
    mover_away, opponent_away = (decision.match_length - points for points in decision.score)
    mover, opponent = _PLAYERS[decision.turn], _PLAYERS[-decision.turn]
    # A match to one point has no Crawford game.
    is_one_away = min(mover_away, opponent_away) == 1 < decision.match_length
    crawford = ("Crawford game" if decision.crawford else "after the Crawford game") if is_one_away else ""
    away = [f"{mover} {mover_away} away", f"{opponent} {opponent_away} away"]
    return ", ".join([f"match to {decision.match_length}", *away, *filter(None, [crawford])])


def cubeless_conditions(*decisions: Decision | None) -> str:
    """Describe in one line cubeless money equities and the decision settings that such equities ignore."""
    names = []
    for decision in filter(None, decisions):
        names += ["Jacoby rule"] * decision.jacoby + ["beavers"] * decision.beaver
        if decision.match_length or any(decision.score) or decision.cube > 1 or decision.cube_owner:
            names += ["cube", "score"]
    if not names:
        return CUBELESS
    *first, last = sorted(set(names), key=["Jacoby rule", "beavers", "cube", "score"].index)
    return f"{CUBELESS}; {', '.join(first)}{' and ' if first else ''}{last} ignored"
