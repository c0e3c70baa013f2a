"""Output of ``bgfast analyse``: plays, evaluations, cube decisions, and maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from bgfast.analysis.cube_decision import CubeDecision
from bgfast.analysis.roll_map import RollMap
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.analysis.score_map import ScoreMap
from bgfast.common.probabilities import named_probabilities
from bgfast.common.validation import ROLLS
from bgfast.evaluation.evaluators.ranked_plays import Evaluation, RankedPlay, RankedPlays
from bgfast.evaluation.stakes import stakes_of
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position

HEADS = ("win", "win g", "win bg", "lose g", "lose bg")


class Analysed(NamedTuple):
    """Analysis of a position in each output format."""

    content: dict[str, Any]
    lines: list[str]
    rows: list[dict[str, Any]]  # with the same columns for every position
    shown: Position | list[Play]  # input of a rollout


# ---- a position, and the plays of a roll ----


def analysed_position(position: Position, evaluation: Evaluation, ply: int, value_name: str) -> Analysed:
    """Return the evaluation of a position; `value_name` names its value."""
    mwc, probabilities = evaluation.mwc, evaluation.probabilities
    lines = [
        f"{value_name:>7}{_heads(mwc, probabilities)}",
        f"{evaluation.equity:+7.4f}{_percent(mwc, probabilities)}",
    ]
    row = {**_row(position, probabilities, ply), **evaluation._asdict()}
    del row["probabilities"]
    return Analysed(_values(evaluation, value_name), lines, [_worded(row, value_name)], position)


def analysed_plays(plays: RankedPlays, top: int, value_name: str) -> Analysed:
    """Return the best plays of a roll."""
    legal = sum(1 for candidate in plays if candidate.play.moves)  # a pass has no moves
    best = RankedPlays(plays[:top])
    rows = best.rows()
    contents = [
        {
            "text": row["play"],
            "gnubg_id": row["gnubg_id"],
            value_name: ranked.equity,
            "difference": ranked.difference,
            "probabilities": None,
            "ply": ranked.ply,
            **_values(ranked, value_name),
        }
        for row, ranked in zip(rows, best, strict=True)
    ]
    content = {"legal_plays": legal, "plays": contents}
    shown = [candidate.play for candidate in best]
    return Analysed(content, _ranking(best, value_name), [_worded(row, value_name) for row in rows], shown)


def _ranking(plays: Sequence[RankedPlay], value_name: str) -> list[str]:
    width = max(len(str(candidate.play)) for candidate in plays)
    wide = 7 if value_name == "equity" else 10  # pubeval's value of a won game is +1000.0000
    head = _heads(plays[0].mwc, plays[0].probabilities)
    lines = [f"   {'':{width}} ply {value_name:>{wide}}   diff. {head}"]
    for rank, candidate in enumerate(plays, 1):
        difference = f"{candidate.difference:+8.4f}" if rank > 1 else f"{'':8}"
        values = f"{candidate.ply:>3} {candidate.equity:+{wide}.4f} {difference}"
        line = f"{rank:>2} {candidate.play!s:{width}} {values}"
        lines.append(line + _percent(candidate.mwc, candidate.probabilities))
    return lines


def _row(position: Position, probabilities: Sequence[float] | None, ply: int) -> dict[str, Any]:
    """Return a row with the columns of `RankedPlays.rows`, and defaults."""
    row = {"rank": 1, "play": None, "gnubg_id": position.gnubg_id, "equity": None, "difference": 0.0}
    others = {"ply": ply, "cubeful": True, "cubeless_equity": None, "mwc": None}
    return {**row, **named_probabilities(probabilities), **others}


def _worded(row: Mapping[str, Any], value_name: str) -> dict[str, Any]:
    """Return a row with its equity under the name `value_name`: values of pubeval are not equities."""
    return {value_name if name == "equity" else name: value for name, value in row.items()}


def _values(evaluation: Evaluation | RankedPlay, value_name: str) -> dict[str, Any]:
    """Return the value and the probabilities, and the values that only a cubeful evaluation has."""
    probabilities, mwc = evaluation.probabilities, evaluation.mwc
    values: dict[str, Any] = {
        value_name: evaluation.equity,
        "probabilities": None if probabilities is None else named_probabilities(probabilities),
    }
    if evaluation.cubeful:
        values[f"cubeless_{value_name}"] = evaluation.cubeless_equity
    return values if mwc is None else {**values, "mwc": mwc}


# ---- the cube ----


def analysed_cube(decision: CubeDecision) -> Analysed:
    """Return the cube actions, best first, and the winning chances at which actions change."""
    position = decision.decision.position
    common = _row(position, decision.probabilities, decision.ply)
    common["cubeless_equity"] = decision.cubeless_equity
    rows = [
        {**common, "rank": rank, "play": choice.action, **choice._asdict()}
        for rank, choice in enumerate(decision.actions, 1)
    ]
    for row in rows:
        del row["action"]
    return Analysed({"cube_decision": decision.to_dict()}, _cube_lines(decision), rows, position)


def _cube_lines(decision: CubeDecision) -> list[str]:
    width = max(len(choice.action) for choice in decision.actions)
    lines = [decision.proper_action, ""]
    lines += [f"   {'':{width}} {'equity':>7}   diff. {_heads(decision.actions[0].mwc)}".rstrip()]
    for rank, choice in enumerate(decision.actions, 1):
        difference = f"{choice.difference:+8.4f}" if rank > 1 else f"{'':8}"
        values = f"{choice.equity:+7.4f} {difference}{_percent(choice.mwc)}"
        lines.append(f"{rank:>2} {choice.action:{width}} {values}".rstrip())
    if decision.why_not is not None:
        lines.append(f"No double: {decision.why_not}.")
    mover, opponent = "XO" if decision.decision.turn == 1 else "OX"
    # An answer has the equities of the player who answers; the other values are the doubler's.
    side = [] if decision.decision.offer is None else [f"{mover}, who is on roll:"]
    lines += ["", *side, f"{'cubeless':>8}{_heads(None, decision.probabilities)}"]
    lines += [f"{decision.cubeless_equity:+8.4f}{_percent(None, decision.probabilities)}"]
    if decision.why_not is None:
        lines += ["", f"{'':8} {'double':>8} {'cash':>8} {'too good':>8} {f'{opponent} takes':>8}"]
        for name, points in decision.points.items():
            chances = (points.double, points.cash, points.too_good, 1 - points.cash)
            texts = ("-" if isnan(chance) else f"{chance:.2%}" for chance in chances)
            lines.append(f"{name:8}" + "".join(f" {text:>8}" for text in texts))
    return [*lines, ""]


def answer_lines(result: RolloutResult, context: Decision | None) -> list[str]:
    """Return the answer to a double or raccoon on offer; the rollout's table has the answer to a beaver."""
    if result.cube is None or context is None or context.offer not in ("double", "raccoon"):
        return []
    take_or_drop = "take" if result.cube.take_difference <= 0 else "drop"
    answer = str(result.cube.actions.answers) if context.offer == "double" else take_or_drop
    close = ", too close to call" if answer != "beaver" and result.cube.take_too_close else ""
    return [f"answer to the {context.offer}: {answer}{close}"]


# ---- maps ----


def analysed_scores(scores: ScoreMap) -> Analysed:
    """Return the proper action at every score."""
    texts = scores.texts()
    width = max(3, *(len(word) for row in texts for word in row))
    mover, opponent = "XO" if scores.decision.turn == 1 else "OX"
    lines = [f"{mover} needs, downwards; {opponent} needs, to the right; C is the Crawford game, 1 after it"]
    lines.append("   " + "".join(f" {label:>{width}}" for label in scores.labels))
    for label, row in zip(scores.labels, texts, strict=True):
        lines.append((f"{label:>3}" + "".join(f" {word:>{width}}" for word in row)).rstrip())
    content = {"scores": scores.rows()}
    return Analysed(content, [*lines, "", *scores.legend(), ""], scores.rows(), scores.decision.position)


def analysed_rolls(rolls: RollMap) -> Analysed:
    """Return the equities after each roll, or after each pair of rolls."""
    position = rolls.decision.position
    content: dict[str, Any] = {"mean": rolls.mean, "rolls": rolls.rows()}
    if rolls.replies is None:
        width = max(len(str(best.play)) for best in rolls.plays)
        lines = [f"     {'':{width}} {'equity':>7}   diff."]
        lines += [
            f" {row['roll']} {row['play']:{width}} {row['equity']:+7.4f} {row['difference']:+8.4f}"
            for row in rolls.rows()
        ]
        lines.append(f"mean {'':{width}} {rolls.mean:+7.4f}")
        if stakes_of(rolls.decision).may_double:
            lines.append("--replies shows after which of them the market is lost")
        return Analysed(content, [*lines, ""], rolls.rows(), position)
    names = [f"{high}-{low}" for high, low in ROLLS]
    losers = rolls.market_losers
    lines = ["own roll downwards, the opponent's reply to the right"]
    lines.append("    " + "".join(f" {name:>5}" for name in names) + ("" if losers is None else "   lost"))
    for index, name in enumerate(names):
        lost = "" if losers is None else f" {losers[index]:6.1%}"
        lines.append(f" {name}" + "".join(f" {value:+.2f}" for value in rolls.replies[index]) + lost)
    lines.append(f"mean {rolls.mean:+.4f}")
    if losers is not None:
        content["market_losers"] = dict(zip(names, losers.tolist(), strict=True))
        content["market_lost"] = rolls.market_lost
        lines.append(f"the market is lost after {rolls.market_lost:.1%} of all: the opponent would drop")
    return Analysed(content, [*lines, ""], rolls.rows(), position)


# ---- numbers ----


def _heads(mwc: float | None, probabilities: tuple[float, ...] | None = None) -> str:
    names = ([] if mwc is None else ["MWC"]) + list(HEADS if probabilities is not None else ())
    return "".join(f"{name:>8}" for name in names)


def _percent(mwc: float | None, probabilities: tuple[float, ...] | None = None) -> str:
    chances = [*([] if mwc is None else [mwc]), *(probabilities or ())]
    return "".join(f" {chance:7.2%}" for chance in chances)
