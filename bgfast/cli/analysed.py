"""Output of ``bgfast analyse``: plays, evaluations, cube decisions, and maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from bgfast.analysis.decisions.cube_decision import CubeAction, CubeDecision
from bgfast.analysis.decisions.roll_map import RollMap
from bgfast.analysis.decisions.score_map import ScoreMap
from bgfast.analysis.rollouts.result import RolloutResult
from bgfast.common.probabilities import named_probabilities
from bgfast.common.rolls import ROLLS
from bgfast.evaluation.cube.points import CubePoints
from bgfast.evaluation.cube.stakes import stakes_of
from bgfast.evaluation.evaluators.lookahead import Evaluation
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay, RankedPlays
from bgfast.position.decision import Decision
from bgfast.position.objects import Play, Position

__all__ = [
    "Analysed",
    "analysed_cube",
    "analysed_plays",
    "analysed_position",
    "analysed_rolls",
    "analysed_scores",
    "answer_lines",
]

HEADS = ("win", "win g", "win bg", "lose g", "lose bg")


class Analysed(NamedTuple):
    """Analysis of a position in each output format.

    Attributes
    ----------
    content : dict
        As JSON has it.
    lines : list of str
        The table.
    rows : list of dict
        Rows of a table that has one form for all positions.
    shown : Position or list of Play
        Plays or position for a rollout: the best plays, or without a roll the position.
    """

    content: dict[str, Any]
    lines: list[str]
    rows: list[dict[str, Any]]
    shown: Position | list[Play]


# ---- a position, and the plays of a roll ----


def analysed_position(position: Position, found: Evaluation, ply: int, word: str) -> Analysed:
    """Return what a position is worth; `word` says what the number is."""
    mwc = f"{'MWC':>8}" if found.mwc is not None else ""
    lines = [
        f"{word:>7}{mwc}{_heads(found.probabilities)}",
        f"{found.equity:+7.4f}{_mwc(found.mwc)}{_percent(found.probabilities)}",
    ]
    numbers = named_probabilities(found.probabilities)
    content = {
        word: found.equity,
        "probabilities": None if found.probabilities is None else numbers,
        **_counted(found, word),
    }
    row = _row(None, position, found.equity, 0.0, numbers, ply, found.mwc, found.cubeless_equity)
    return Analysed(content, lines, [_worded(row | {"cubeful": found.cubeful}, word)], position)


def analysed_plays(plays: RankedPlays, top: int, word: str) -> Analysed:
    """Return the best plays of a roll."""
    legal = sum(1 for each in plays if each.play.moves)  # a pass has none
    best = RankedPlays(plays[:top])
    content = {"legal_plays": legal, "plays": [_named_play(each, word) for each in best]}
    rows = [_worded(row, word) for row in best.rows()]
    return Analysed(content, _ranking(best, word), rows, [each.play for each in best])


def _ranking(plays: Sequence[RankedPlay], word: str) -> list[str]:
    width = max(len(str(each.play)) for each in plays)
    wide = 7 if word == "equity" else 10  # a value of pubeval may be +1000.0000: a game that is won
    mwc = f"{'MWC':>8}" if plays[0].mwc is not None else ""
    lines = [f"   {'':{width}} ply {word:>{wide}}   diff. {mwc}{_heads(plays[0].probabilities)}"]
    for rank, each in enumerate(plays, 1):
        difference = f"{each.difference:+8.4f}" if rank > 1 else f"{'':8}"
        line = f"{rank:>2} {each.play!s:{width}} {each.ply:>3} {each.equity:+{wide}.4f} {difference}"
        lines.append(line + _mwc(each.mwc) + _percent(each.probabilities))
    return lines


def _row(
    action: str | None,
    position: Position,
    equity: float,
    difference: float,
    probabilities: Mapping[str, float | None],
    ply: int,
    mwc: float | None,
    cubeless_equity: float,
) -> dict[str, Any]:
    """Return a row with the columns of `RankedPlays.rows`."""
    return {
        "rank": 1,
        "play": action,
        "gnubg_id": position.gnubg_id,
        "equity": equity,
        "difference": difference,
        **probabilities,
        "ply": ply,
        "cubeful": True,
        "cubeless_equity": cubeless_equity,
        "mwc": mwc,
    }


def _worded(row: Mapping[str, Any], word: str) -> dict[str, Any]:
    """Return a row whose equity is named by what it is; what is no point is no equity."""
    return {word if name == "equity" else name: value for name, value in row.items()}


def _counted(found: Evaluation | RankedPlay, word: str) -> dict[str, Any]:
    """Return what else is known where cube and score count."""
    if not found.cubeful:
        return {}
    mwc = {} if found.mwc is None else {"mwc": found.mwc}
    return {f"cubeless_{word}": found.cubeless_equity} | mwc


def _named_play(ranked: RankedPlay, word: str) -> dict[str, Any]:
    return {
        "text": str(ranked.play),
        "gnubg_id": ranked.play.position.gnubg_id,
        word: ranked.equity,
        "difference": ranked.difference,
        "probabilities": None if ranked.probabilities is None else named_probabilities(ranked.probabilities),
        "ply": ranked.ply,
        **_counted(ranked, word),
    }


# ---- the cube ----


def analysed_cube(found: CubeDecision) -> Analysed:
    """Return what can be done with the cube, best first, and where the winning chances stand."""
    numbers = named_probabilities(found.probabilities)
    position = found.decision.position
    rows = [
        _row(
            each.action,
            position,
            each.equity,
            each.difference,
            numbers,
            found.ply,
            each.mwc,
            found.cubeless_equity,
        )
        | {"rank": rank}
        for rank, each in enumerate(found.actions, 1)
    ]
    return Analysed({"cube_decision": found.to_dict()}, _cube_lines(found), rows, position)


def _cube_lines(found: CubeDecision) -> list[str]:
    width = max(len(each.action) for each in found.actions)
    mwc = f"{'MWC':>8}" if found.actions[0].mwc is not None else ""
    lines = [found.proper_action, ""]
    lines += [f"   {'':{width}} {'equity':>7}   diff. {mwc}".rstrip()]
    for rank, each in enumerate(found.actions, 1):
        lines.append(_cube_line(rank, each, width))
    if found.why_not is not None:
        lines.append(f"No double: {found.why_not}.")
    mover, opponent = ("X", "O") if found.decision.turn == 1 else ("O", "X")
    # The equities above are those of who has to answer, the rest is the doubler's.
    whose = [] if found.decision.offer is None else [f"{mover}, who is on roll:"]
    lines += ["", *whose, f"{'cubeless':>8}{_heads(found.probabilities)}"]
    lines += [f"{found.cubeless_equity:+8.4f}{_percent(found.probabilities)}"]
    if found.why_not is None:
        lines += ["", f"{'':8} {'double':>8} {'cash':>8} {'too good':>8} {f'{opponent} takes':>8}"]
        lines += [_points_line(name, points) for name, points in found.points.items()]
    return [*lines, ""]


def _cube_line(rank: int, each: CubeAction, width: int) -> str:
    difference = f"{each.difference:+8.4f}" if rank > 1 else f"{'':8}"
    return f"{rank:>2} {each.action:{width}} {each.equity:+7.4f} {difference}{_mwc(each.mwc)}".rstrip()


def _points_line(name: str, points: CubePoints) -> str:
    shown = (points.double, points.cash, points.too_good, 1 - points.cash)
    return f"{name:8}" + "".join(f" {'-' if isnan(each) else format(each, '.2%'):>8}" for each in shown)


def answer_lines(found: RolloutResult, context: Decision | None) -> list[str]:
    """Return how to answer a double or a raccoon on offer by a rollout, which was that of the double.

    The answer to a beaver stands in it.
    """
    if found.cube is None or context is None or context.offer not in ("double", "raccoon"):
        return []
    taken = "take" if found.cube.take_difference <= 0 else "drop"
    answer = str(found.cube.actions.answers) if context.offer == "double" else taken
    close = ", too close to call" if answer != "beaver" and found.cube.take_too_close else ""
    return [f"answer to the {context.offer}: {answer}{close}"]


# ---- maps ----


def analysed_scores(found: ScoreMap) -> Analysed:
    """Return what is right at every score."""
    texts = found.texts()
    width = max(3, *(len(word) for row in texts for word in row))
    mover = "X" if found.decision.turn == 1 else "O"
    opponent = "O" if mover == "X" else "X"
    lines = [f"{mover} needs, downwards; {opponent} needs, to the right; C is the Crawford game, 1 after it"]
    lines.append("   " + "".join(f" {label:>{width}}" for label in found.labels))
    for label, row in zip(found.labels, texts, strict=True):
        lines.append((f"{label:>3}" + "".join(f" {word:>{width}}" for word in row)).rstrip())
    content = {"scores": found.rows()}
    return Analysed(content, [*lines, "", *found.legend(), ""], found.rows(), found.decision.position)


def analysed_rolls(found: RollMap) -> Analysed:
    """Return what each roll would bring, or each pair of rolls."""
    position = found.decision.position
    content: dict[str, Any] = {"mean": found.mean, "rolls": found.rows()}
    if found.replies is None:
        width = max(len(str(each.play)) for each in found.plays)
        lines = [f"     {'':{width}} {'equity':>7}   diff."]
        lines += [
            f" {row['roll']} {row['play']:{width}} {row['equity']:+7.4f} {row['difference']:+8.4f}"
            for row in found.rows()
        ]
        lines.append(f"mean {'':{width}} {found.mean:+7.4f}")
        if stakes_of(found.decision).may_double:
            lines.append("--replies shows after which of them the market is lost")
        return Analysed(content, [*lines, ""], found.rows(), position)
    names = [f"{high}-{low}" for high, low in ROLLS]
    losers = found.market_losers
    lines = ["own roll downwards, the opponent's reply to the right"]
    lines.append("    " + "".join(f" {name:>5}" for name in names) + ("" if losers is None else "   lost"))
    for at, name in enumerate(names):
        lost = "" if losers is None else f" {losers[at]:6.1%}"
        lines.append(f" {name}" + "".join(f" {value:+.2f}" for value in found.replies[at]) + lost)
    lines.append(f"mean {found.mean:+.4f}")
    if losers is not None:
        content["market_losers"] = dict(zip(names, losers.tolist(), strict=True))
        content["market_lost"] = found.market_lost
        lines.append(f"the market is lost after {found.market_lost:.1%} of all: the opponent would drop")
    return Analysed(content, [*lines, ""], found.rows(), position)


# ---- numbers ----


def _heads(probabilities: tuple[float, ...] | None) -> str:
    return "" if probabilities is None else "".join(f"{head:>8}" for head in HEADS)


def _percent(probabilities: tuple[float, ...] | None) -> str:
    return "".join(f" {each:7.2%}" for each in probabilities or ())


def _mwc(mwc: float | None) -> str:
    return "" if mwc is None else f" {mwc:7.2%}"
