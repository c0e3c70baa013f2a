"""Compare race recursions with exact tables and rollouts, and write the tables into docs/BEAROFF.md.

A side is the checkers of one player in the home board. ``python -m benchmarks.tables.race_recursion``
computes money-play equities of all pairs of sides by recursion, with the plays of the one-sided database.
Sides of up to six checkers are played to the end, and sides of seven and eight until the exact tables of
six checkers apply. Both results are compared with exact tables; longer races are compared with cubeful
rollouts. A run takes minutes. ``--check`` compares the page with the results.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast
from benchmarks.peers.report import table
from benchmarks.tables.cube_efficiency import MAX_GAIN, costs
from benchmarks.tables.generated_block import Block, add_options, update
from bgfast.common.validation import ROLL_WEIGHTS
from bgfast.evaluation.actions import CubeActions
from bgfast.evaluation.bearoff import _bearoff
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.bearoff.databases import (
    MONEY,
    list_plays,
    number_of_sides,
    one_sided_plays,
    two_sided_tables,
)

PROGRAM = "race_recursion"
BLOCK = Block(PROGRAM, "errors of race recursions", "docs/BEAROFF.md")
SEED = 1
STATIC_SAMPLE, SEARCHED_SAMPLE, MATCH_SAMPLE = 5_000, 300, 1_000
SCORES = [(2, 4), (3, 3), (5, 6)]
"""Points of both players in matches to 7."""
TRIALS = 20_736
XGIDS = [
    "XGID=-J----------------------j-:1:1:1:00:0:0:0:0:10",
    "XGID=-ABBACA------------bbbbaa-:1:1:1:00:0:0:0:0:10",
    "XGID=-AACCBB------------bbcbba-:0:0:1:00:0:0:0:0:10",
    "XGID=-ABBACA------------bbbbaa-:0:0:1:00:3:2:0:7:10",
]

Array = npt.NDArray[np.float64]


class Equities(NamedTuple):
    """Equities of pairs of sides, in points per unit of the cube."""

    no_redouble: Array  # with an owned cube
    no_double: Array  # with a centred cube
    double_take: Array

    def select(self, pairs: tuple[npt.NDArray[np.intp], ...]) -> Equities:
        """Return the equities of the pairs with these indices."""
        return Equities(*(values[pairs] for values in self))


def exact_equities(checkers: int) -> tuple[Equities, Array]:
    """Return exact equities for [waiting side, side on roll], and the equities at the start of a turn."""
    equities, (owned, centred) = two_sided_tables(list_plays(checkers), MONEY, lambda done: None)
    return Equities(owned, centred, 2 * equities[0]), equities


def race_equities(checkers: int, start_equities: Array, exact_checkers: int) -> Equities:
    """Return the equities of all pairs by recursion down to the exact tables `start_equities`."""
    side_count, exact_count = number_of_sides(checkers), number_of_sides(exact_checkers)
    plays = np.ascontiguousarray(one_sided_plays()[:side_count])
    states = np.arange(len(MONEY.transitions), dtype=np.int32)
    equities = np.empty((len(states), side_count, side_count))
    equities[:, :exact_count, :exact_count] = start_equities[:, :exact_count, :exact_count]
    exact_rows = np.ascontiguousarray(start_equities[:, :exact_count, :exact_count].transpose(0, 2, 1))
    rows = np.empty((len(states), side_count))
    transitions, values = MONEY.transitions, MONEY.values
    _bearoff.fill_race(plays, plays, states, states, transitions, values, exact_rows, rows, equities)
    # After a play the opponent is on roll, and the mover waits with the side that the play leads to.
    weights = np.array(ROLL_WEIGHTS) / sum(ROLL_WEIGHTS)
    unavailable, owned, centred = (
        -sum(weight * equities[next_state, plays[:, roll]] for roll, weight in enumerate(weights)).T
        for next_state in MONEY.transitions[:, 0]
    )
    return Equities(owned, centred, 2 * unavailable)


def formula_equities(pairs: tuple[npt.NDArray[np.intp], ...], ply: int) -> Equities:
    """Return the cube formula's equities for pairs of sides, at 0 plies or after a search."""
    boards = [_board(waiting, on_roll) for waiting, on_roll in zip(*pairs, strict=True)]
    columns = []
    for owner in (1, 0):
        decisions = [
            bgfast.Decision(position=bgfast.Position.from_array(board), cube_owner=owner) for board in boards
        ]
        columns.append(bgfast.cube.cube_decisions(decisions, _evaluate_without_tables, ply=ply))
    owned, centred = columns
    return Equities(
        np.array([result.equities.no_double for result in owned]),
        np.array([result.equities.no_double for result in centred]),
        np.array([result.equities.double_take for result in centred]),
    )


def match_equities(
    pairs: tuple[npt.NDArray[np.intp], ...], score: tuple[int, int]
) -> tuple[Equities, Equities]:
    """Return the exact equities of pairs and the recursion's equities, in EMG, at a score in a match to 7."""
    bearoff = Bearoff()
    boards = [_board(waiting, on_roll) for waiting, on_roll in zip(*pairs, strict=True)]
    match = bgfast.Decision(position=bgfast.Position.start(), match_length=7, score=score)
    exact, races = [], []
    for decision in (replace(match, cube=2, cube_owner=1), match):
        exact.append(bearoff.cube_actions(boards, decision))
        positions = [bgfast.Position.from_array(board) for board in boards]
        actions = [bearoff.race_actions(replace(decision, position=position)) for position in positions]
        races.append([(float(race.no_double[0]), float(race.double_take[0])) for race in actions if race])
    owned, centred = np.array(races).transpose(0, 2, 1)
    return (
        Equities(exact[0].no_double, exact[1].no_double, exact[1].double_take),
        Equities(owned[0], *centred),
    )


def _evaluate_without_tables(boards: npt.NDArray[np.int8]) -> Array:
    """Evaluate boards with the databases; unlike the evaluator, a plain function offers no exact tables."""
    return _EVALUATOR(boards)


_EVALUATOR = bgfast.evaluators.WithBearoff(bgfast.Network.builtin())


def _board(waiting: int, on_roll: int) -> npt.NDArray[np.int8]:
    board = np.zeros(26, np.int8)
    board[1:7] = _SIDES[on_roll]
    board[19:25] = -np.array(_SIDES[waiting][::-1])
    return board


def _sides(checkers: int) -> list[tuple[int, ...]]:
    """Return the checkers on points 1 to 6 of all sides, in the order of their indices."""

    def sides(count: int, points: int) -> Iterator[tuple[int, ...]]:
        if points == 1:
            yield (count,)
            return
        for higher_count in range(count + 1):
            for side in sides(higher_count, points - 1):
                yield (count - higher_count, *side)

    return [side for count in range(checkers + 1) for side in sides(count, 6)]


_SIDES = _sides(8)


def _row(name: str, count: int, exact: Equities, equities: Equities) -> list[str]:
    cells = [name, f"{count:,}"]
    for exact_column, column in zip(exact, equities, strict=True):
        errors = np.abs(column - exact_column)
        cells.append(f"{errors.mean():.4f} ({errors.max():.3f})")
    gain, estimate = (np.minimum(pairs.double_take, 1) - pairs.no_double for pairs in (exact, equities))
    double_costs = costs(gain, estimate > 0)[np.abs(gain) < MAX_GAIN]
    return [*cells, f"{1000 * double_costs.mean():.2f} ({(double_costs > 0).mean():.1%})"]


def exact_table() -> str:
    """Return the table of errors against exact tables."""
    rng = np.random.default_rng(SEED)
    _, start_equities = exact_equities(6)
    rows = []
    for checkers in (6, 7, 8):
        exact, _ = exact_equities(checkers)
        equities = race_equities(checkers, start_equities, 6 if checkers > 6 else 0)
        side_count = number_of_sides(checkers)
        is_counted = np.ones((side_count, side_count), bool)
        is_counted[0] = is_counted[:, 0] = False
        if checkers > 6:
            smaller_count = number_of_sides(checkers - 1)
            is_counted[:smaller_count, :smaller_count] = False
        pairs = np.nonzero(is_counted)
        label = "one-sided plays to the end" if checkers == 6 else "exact tables of 6 at the end"
        rows.append(_row(f"{checkers}: {label}", len(pairs[0]), exact.select(pairs), equities.select(pairs)))
        for ply, count in ((0, STATIC_SAMPLE), (2, SEARCHED_SAMPLE)):
            sample_rows = rng.choice(len(pairs[0]), count, replace=False)
            sample = tuple(index[sample_rows] for index in pairs)
            formula = formula_equities(sample, ply)
            rows.append(_row(f"{checkers}: formula, {ply} plies", count, exact.select(sample), formula))
        if checkers == 6:
            sample_rows = rng.choice(len(pairs[0]), MATCH_SAMPLE, replace=False)
            sample = tuple(index[sample_rows] for index in pairs)
            for score in SCORES:
                label = f"6, {' and '.join(f'{7 - points} away' for points in score)}: one-sided plays"
                rows.append(_row(label, MATCH_SAMPLE, *match_equities(sample, score)))
    equity_columns = ["no redouble", "no double", "double, take"]
    return table(["maximum checkers per side", "pairs", *equity_columns, "cost of doubles"], rows)


def rollout_table() -> str:
    """Return the table that compares formula and recursion with rollouts and their standard errors."""
    rows = []
    for xgid in XGIDS:
        decision = bgfast.Decision.read(xgid)
        race = bgfast.cube_decision(decision, ply=0)
        formula = bgfast.cube.cube_decisions([decision], _evaluate_without_tables, ply=2)[0].equities
        assert race.method == "race recursion"
        cube = bgfast.rollout(
            decision, evaluator=_EVALUATOR, trials=TRIALS, variance_reduction=True, seed=SEED
        ).cube
        assert cube is not None
        rows.append(
            [
                f"`{xgid.removeprefix('XGID=')}`",
                *(_equities_text(actions) for actions in (formula, race.equities)),
                f"{cube.no_double:+.4f} ± {cube.no_double_se:.4f}, "
                f"{cube.double_take:+.4f} ± {cube.double_take_se:.4f}",
            ]
        )
    return table(["position", "formula, 2 plies", "recursion", "rollout"], rows)


def _equities_text(actions: CubeActions) -> str:
    return f"{actions.no_double:+.4f}, {actions.double_take:+.4f}"


def page_text() -> str:
    return f"{exact_table()}\n\n{rollout_table()}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the tables; return the exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    options = parser.parse_args(arguments)
    source = Path(Bearoff().databases[0].path or "the bear-off tables")
    return update(options, PROGRAM, lambda: {BLOCK: page_text()}, [source])


if __name__ == "__main__":
    sys.exit(main())
