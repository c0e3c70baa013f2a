"""Output of ``bgfast analyse``: plays, evaluations, cube decisions, and maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bgfast.common.probabilities import probabilities_by_name
from bgfast.common.validation import ROLLS
from bgfast.evaluation.evaluators.ranked_plays import (
    Evaluation,
    RankedPlays,
    equity_cells,
    evaluation_lines,
    plays_lines,
    values_content,
)
from bgfast.evaluation.stakes import stakes_of
from bgfast.evaluation.tables import text_table
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position

if TYPE_CHECKING:
    from bgfast.analysis.cube_decision import CubeDecision
    from bgfast.analysis.maps import RollMap, ScoreMap
    from bgfast.analysis.rollouts.result import RolloutResult


class Output(NamedTuple):
    """Analysis of a position in each output format."""

    content: dict[str, Any]
    lines: list[str]
    rows: list[dict[str, Any]]  # with the same columns for every position
    candidates: Position | list[Play]  # analysed position or plays, the input of a rollout


# ---- a position, and the plays of a roll ----


def format_position(position: Position, evaluation: Evaluation, ply: int, value_name: str) -> Output:
    """Return the evaluation of a position; `value_name` names the equity."""
    names = "equity", "probabilities", "cubeful", "cubeless_equity", "mwc"
    row = _row(position, ply=ply, **{name: getattr(evaluation, name) for name in names})
    lines = evaluation_lines(evaluation, value_name)
    return Output(values_content(evaluation, value_name), lines, [row], position)


def format_plays(plays: RankedPlays, top: int, value_name: str) -> Output:
    """Return the `top` best plays of a roll."""
    best = RankedPlays(plays[:top])
    lines, candidates = plays_lines(plays, value_name, top), [candidate.play for candidate in best]
    return Output(plays.content(value_name, top), lines, best.rows(), candidates)


def _row(position: Position, *, probabilities: Sequence[float] | None, **values: Any) -> dict[str, Any]:
    """Return a row with the columns of `RankedPlays.rows`; columns without a value get a default."""
    row = {"rank": 1, "play": None, "gnubg_id": position.gnubg_id, "equity": None, "difference": 0.0}
    row |= probabilities_by_name(probabilities)
    return row | {"ply": None, "cubeful": True, "cubeless_equity": None, "mwc": None} | values


# ---- the cube ----


def format_cube(decision: CubeDecision) -> Output:
    """Return the cube actions, best first, and the winning chances at which the best action changes."""
    position = decision.decision.position
    decision_values = {name: getattr(decision, name) for name in ("probabilities", "ply", "cubeless_equity")}
    rows = []
    for rank, choice in enumerate(decision.actions, 1):
        values = choice._asdict()
        rows.append(_row(position, **decision_values, rank=rank, play=values.pop("action"), **values))
    return Output({"cube_decision": decision.to_dict()}, [*str(decision).split("\n"), ""], rows, position)


def answer_lines(result: RolloutResult, context: Decision | None) -> list[str]:
    """Return the answer to a double or raccoon on offer; the rollout's table has the answer to a beaver."""
    if result.cube is None or context is None or context.offer not in ("double", "raccoon"):
        return []
    take_or_drop = "take" if result.cube.take_difference <= 0 else "drop"
    answer = str(result.cube.actions.answers) if context.offer == "double" else take_or_drop
    suffix = ", too close to call" if answer != "beaver" and result.cube.take_too_close else ""
    return [f"answer to the {context.offer}: {answer}{suffix}"]


# ---- maps ----


def format_scores(scores: ScoreMap) -> Output:
    """Return the proper action at every score."""
    texts = scores.texts()
    width = max(3, *(len(text) for row in texts for text in row))
    mover, opponent = "XO" if scores.decision.turn == 1 else "OX"
    lines = [f"rows: points {mover} needs; columns: points {opponent} needs; C: 1 in the Crawford game"]
    rows = [
        (f"{label:>3}", dict(zip(scores.labels, row, strict=True)))
        for label, row in zip(scores.labels, texts, strict=True)
    ]
    lines += [line.rstrip() for line in text_table(rows, rest_width=width + 1)]
    content = {"scores": scores.rows()}
    return Output(content, [*lines, "", *scores.legend(), ""], scores.rows(), scores.decision.position)


def format_rolls(rolls: RollMap) -> Output:
    """Return the equities after each roll, or after each pair of rolls."""
    position = rolls.decision.position
    content: dict[str, Any] = {"mean": rolls.mean, "rolls": rolls.rows()}
    if rolls.replies is None:
        rows = [
            (f" {row['roll']} {row['play']}", equity_cells(0, row["equity"], row["difference"]))
            for row in rolls.rows()
        ]
        rows.append(("mean", {"equity": f"{rolls.mean:+.4f}"}))
        lines = [line.rstrip() for line in text_table(rows, 8, 9)]
        if stakes_of(rolls.decision).may_double:
            lines.append("--replies shows how often the market is lost after each roll")
        return Output(content, [*lines, ""], rolls.rows(), position)
    names = [f"{high}-{low}" for high, low in ROLLS]
    market_losers = rolls.market_losers
    rows = []
    for index, name in enumerate(names):
        values = [f"{value:+.2f}" for value in rolls.replies[index]]
        lost = {} if market_losers is None else {"lost": f"{market_losers[index]:.1%}"}
        rows.append((f" {name}", dict(zip(names, values, strict=True)) | lost))
    lines = ["rows: own roll; columns: the opponent's reply"]
    lines += [*text_table(rows, *[6] * len(names), 7), f"mean {rolls.mean:+.4f}"]
    if market_losers is not None:
        content["market_losers"] = dict(zip(names, market_losers.tolist(), strict=True))
        content["market_lost"] = rolls.market_lost
        frequency = f"{rolls.market_lost:.1%} of all pairs of rolls"
        lines.append(f"the market is lost after {frequency}: the opponent would drop")
    return Output(content, [*lines, ""], rolls.rows(), position)
