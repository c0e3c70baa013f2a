"""Output of ``bgfast analyse``: plays, evaluations, cube decisions, and maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from bgfast.common.probabilities import named_probabilities
from bgfast.common.validation import ROLLS
from bgfast.evaluation.evaluators.ranked_plays import CHANCE_HEADINGS, Evaluation, RankedPlays, values_content
from bgfast.evaluation.stakes import stakes_of
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position

if TYPE_CHECKING:
    from bgfast.analysis.cube_decision import CubeDecision
    from bgfast.analysis.maps import RollMap, ScoreMap
    from bgfast.analysis.rollouts.result import RolloutResult


class Analysed(NamedTuple):
    """Analysis of a position in each output format."""

    content: dict[str, Any]
    lines: list[str]
    rows: list[dict[str, Any]]  # with the same columns for every position
    shown: Position | list[Play]  # input of a rollout


# ---- a position, and the plays of a roll ----


def analysed_position(position: Position, evaluation: Evaluation, ply: int, value_name: str) -> Analysed:
    """Return the evaluation of a position; `value_name` names its value."""
    chances = _chances(evaluation.mwc, evaluation.probabilities)
    values = {value_name: f"{evaluation.equity:+.4f}"}
    if evaluation.cubeful:
        values["cubeless"] = f"{evaluation.cubeless_equity:+.4f}"
    lines = _table([("", values | chances)], 7, *[10] * (len(values) - 1))
    names = "equity", "probabilities", "cubeful", "cubeless_equity", "mwc"
    row = _row(position, ply=ply, **{name: getattr(evaluation, name) for name in names})
    return Analysed(values_content(evaluation, value_name), lines, [row], position)


def analysed_plays(plays: RankedPlays, top: int, value_name: str) -> Analysed:
    """Return the best plays of a roll."""
    best = RankedPlays(plays[:top])
    cells = []
    for rank, candidate in enumerate(best, 1):
        play, equity, difference, probabilities, ply, *_ = candidate
        texts = _compared(rank, equity, difference, value_name) | _chances(candidate.mwc, probabilities)
        cells.append((f"{rank:>2} {play}", {"ply": str(ply)} | texts))
    lines = _table(cells, 4, 8 if value_name == "equity" else 11, 9)  # pubeval's for a win is +1000.0000
    shown = [candidate.play for candidate in best]
    return Analysed(plays.content(value_name, top), lines, best.rows(), shown)


def _row(position: Position, *, probabilities: Sequence[float] | None, **values: Any) -> dict[str, Any]:
    """Return a row with the columns of `RankedPlays.rows`, with these values or defaults."""
    row = {"rank": 1, "play": None, "gnubg_id": position.gnubg_id, "equity": None, "difference": 0.0}
    row |= named_probabilities(probabilities)
    return row | {"ply": None, "cubeful": True, "cubeless_equity": None, "mwc": None} | values


# ---- the cube ----


def analysed_cube(decision: CubeDecision) -> Analysed:
    """Return the cube actions, best first, and the winning chances at which actions change."""
    position = decision.decision.position
    common = {name: getattr(decision, name) for name in ("probabilities", "ply", "cubeless_equity")}
    rows = []
    for rank, choice in enumerate(decision.actions, 1):
        values = choice._asdict()
        rows.append(_row(position, **common, rank=rank, play=values.pop("action"), **values))
    return Analysed({"cube_decision": decision.to_dict()}, _cube_lines(decision), rows, position)


def _cube_lines(decision: CubeDecision) -> list[str]:
    rows = [
        (f"{rank:>2} {name}", _compared(rank, equity, difference) | _chances(mwc))
        for rank, (name, equity, difference, mwc) in enumerate(decision.actions, 1)
    ]
    lines = [decision.proper_action, "", *(line.rstrip() for line in _table(rows, 8, 9))]
    if decision.why_not is not None:
        lines.append(f"No double: {decision.why_not}.")
    mover, opponent = "XO" if decision.decision.turn == 1 else "OX"
    # An answer has the equities of the player who answers; the other values are the doubler's.
    side = [] if decision.decision.offer is None else [f"{mover}, who is on roll:"]
    cubeless = {"cubeless": f"{decision.cubeless_equity:+.4f}"} | _chances(None, decision.probabilities)
    lines += ["", *side, *_table([("", cubeless)])]
    if decision.why_not is None:
        rows = []
        for name, points in decision.points.items():
            chances = {"double": points.double, "cash": points.cash, "too good": points.too_good}
            chances[f"{opponent} takes"] = 1 - points.cash
            texts = {head: "-" if isnan(chance) else f"{chance:.2%}" for head, chance in chances.items()}
            rows.append((f"{name:8}", texts))
        lines += ["", *_table(rows, others=9)]
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
    rows = [
        (f"{label:>3}", dict(zip(scores.labels, row, strict=True)))
        for label, row in zip(scores.labels, texts, strict=True)
    ]
    lines += [line.rstrip() for line in _table(rows, others=width + 1)]
    content = {"scores": scores.rows()}
    return Analysed(content, [*lines, "", *scores.legend(), ""], scores.rows(), scores.decision.position)


def analysed_rolls(rolls: RollMap) -> Analysed:
    """Return the equities after each roll, or after each pair of rolls."""
    position = rolls.decision.position
    content: dict[str, Any] = {"mean": rolls.mean, "rolls": rolls.rows()}
    if rolls.replies is None:
        rows = [
            (f" {row['roll']} {row['play']}", _compared(0, row["equity"], row["difference"]))
            for row in rolls.rows()
        ]
        rows.append(("mean", {"equity": f"{rolls.mean:+.4f}"}))
        lines = [line.rstrip() for line in _table(rows, 8, 9)]
        if stakes_of(rolls.decision).may_double:
            lines.append("--replies shows after which of them the market is lost")
        return Analysed(content, [*lines, ""], rolls.rows(), position)
    names = [f"{high}-{low}" for high, low in ROLLS]
    losers = rolls.market_losers
    rows = []
    for index, name in enumerate(names):
        values = [f"{value:+.2f}" for value in rolls.replies[index]]
        lost = {} if losers is None else {"lost": f"{losers[index]:.1%}"}
        rows.append((f" {name}", dict(zip(names, values, strict=True)) | lost))
    lines = ["own roll downwards, the opponent's reply to the right"]
    lines += [*_table(rows, *[6] * len(names), 7), f"mean {rolls.mean:+.4f}"]
    if losers is not None:
        content["market_losers"] = dict(zip(names, losers.tolist(), strict=True))
        content["market_lost"] = rolls.market_lost
        lines.append(f"the market is lost after {rolls.market_lost:.1%} of all: the opponent would drop")
    return Analysed(content, [*lines, ""], rolls.rows(), position)


# ---- tables of text ----


def _table(rows: Sequence[tuple[str, Mapping[str, str]]], *widths: int, others: int = 8) -> list[str]:
    """Return rows of a name, and of cells by heading, as lines below the headings of the first row."""
    name_width = max(len(name) for name, _ in rows)
    sizes = [*widths, *[others] * len(rows[0][1])]
    lines = [("", list(rows[0][1])), *((name, list(cells.values())) for name, cells in rows)]
    return [
        f"{name:{name_width}}" + "".join(f"{cell:>{size}}" for cell, size in zip(cells, sizes, strict=False))
        for name, cells in lines
    ]


def _compared(rank: int, equity: float, difference: float, value_name: str = "equity") -> dict[str, str]:
    """Return the cells of an equity, and of its difference from that of rank 1."""
    return {value_name: f"{equity:+.4f}", "diff. ": "" if rank == 1 else f"{difference:+.4f}"}


def _chances(mwc: float | None, probabilities: Sequence[float] | None = None) -> dict[str, str]:
    """Return the cells of a match winning chance and of five probabilities, as far as there are any."""
    chances = {} if mwc is None else {"MWC": mwc}
    chances |= dict(zip(CHANCE_HEADINGS, probabilities or (), strict=False))
    return {name: f"{chance:.2%}" for name, chance in chances.items()}
