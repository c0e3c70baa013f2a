"""Fit constant cube efficiencies to exact bear-offs, and write the tables into docs/notes/cube.md.

``python -m benchmarks.tables.cube_efficiency`` takes the money-play bear-offs of up to six checkers per side
in which both players can win. It fits the efficiency x of ``cubeful_equities`` to the exact equities by least
squares: for all bear-offs, for each range of winning chances, and for each range of remaining rolls. It also
computes the cost of decisions with a constant x. A run takes seconds. ``--check`` compares the page with the
results.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast
from benchmarks.peers.report import table
from benchmarks.tables.generated_block import Block, add_options, update
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.cubeful import Owner

PROGRAM = "cube_efficiency"
BLOCK = Block(PROGRAM, "efficiency in bear-offs", "docs/notes/cube.md")
OWNERS: dict[str, Owner] = {"owned": 1, "centred": 0, "unavailable": -1}
MAX_GAIN = 0.2
"""Maximum difference between the two choices of a contested decision, in points per unit of the cube."""
WIN_BINS = [(fifth / 5, (fifth + 1) / 5) for fifth in range(5)]
ROLL_BINS = [(rolls, rolls + 1.0) for rolls in (1.0, 2.0, 3.0, 4.0)]

Array = npt.NDArray[np.float64]


class ExactBearoffs(NamedTuple):
    """Equities of bear-offs without a double in this turn, in points per unit of the cube.

    Attributes
    ----------
    win : ndarray of float64, shape (n,)
        Winning chances.
    rolls : ndarray of float64, shape (n,)
        Mean number of rolls of the side that needs fewer.
    exact, live : dict of str to ndarray of float64, shape (n,)
        Exact equities, and equities of a live cube, by owner.
    dead : ndarray of float64, shape (n,)
        Equities of a dead cube.
    """

    win: Array
    rolls: Array
    exact: dict[str, Array]
    dead: Array
    live: dict[str, Array]

    def select(self, mask: npt.NDArray[np.bool_]) -> ExactBearoffs:
        """Return the bear-offs that a mask selects."""
        exact, live = (
            {owner: values[mask] for owner, values in equities.items()}
            for equities in (self.exact, self.live)
        )
        return ExactBearoffs(self.win[mask], self.rolls[mask], exact, self.dead[mask], live)

    def fit(self, owner: str) -> float:
        """Return the efficiency x for which (1 - x) dead + x live is nearest to the exact equities."""
        slope = self.live[owner] - self.dead
        return float(slope @ (self.exact[owner] - self.dead) / (slope @ slope))

    def formula(self, owner: str, x: float) -> Array:
        """Return the formula's equities with efficiency x."""
        return (1 - x) * self.dead + x * self.live[owner]


def exact_bearoffs() -> ExactBearoffs:
    """Return the exact equities of the databases and the formula's dead and live equities."""
    bearoff = Bearoff()
    rolls, _ = bearoff.databases[0].arrays
    (wins,) = bearoff.databases[1].arrays
    unavailable, owned, centred = bearoff.cube_database.arrays
    is_open = (wins > 0) & (wins < 1)
    is_open[0] = is_open[:, 0] = False  # finished games
    mean_rolls = (rolls @ np.arange(rolls.shape[1]))[: len(wins)]
    win = wins[is_open]
    rows = np.zeros((len(win), 5))
    rows[:, 0] = win
    money = bgfast.Decision(position=bgfast.Position.start())

    def formula(efficiency: float, owner: Owner) -> Array:
        return np.asarray(bgfast.cube.cubeful_equities(rows, money, efficiency=efficiency, owner=owner))

    return ExactBearoffs(
        win,
        np.minimum(mean_rolls[:, None], mean_rolls[None])[is_open],
        {"owned": owned[is_open], "centred": centred[is_open], "unavailable": unavailable[is_open]},
        formula(0, 0),
        {name: formula(1, owner) for name, owner in OWNERS.items()},
    )


def efficiency_table(bearoffs: ExactBearoffs) -> str:
    """Return the table of fitted efficiencies with mean and root mean square residuals of the overall fit."""
    overall_fits = {owner: bearoffs.fit(owner) for owner in OWNERS}
    win, rolls = bearoffs.win, bearoffs.rolls
    groups: list[tuple[str, npt.NDArray[np.bool_]]] = [("all", np.ones(len(win), bool))]
    groups += [(f"wins {low:.0%} to {high:.0%}", (win >= low) & (win < high)) for low, high in WIN_BINS]
    groups += [(f"{low:.0f} to {high:.0f} rolls", (rolls >= low) & (rolls < high)) for low, high in ROLL_BINS]

    def rows() -> Iterator[list[str]]:
        for name, mask in groups:
            group = bearoffs.select(mask)
            cells = [name, f"{len(group.win):,}"]
            for owner in OWNERS:
                residuals = group.exact[owner] - group.formula(owner, overall_fits[owner])
                bias, spread = residuals.mean(), np.sqrt((residuals**2).mean())
                cells.append(f"{group.fit(owner):.3f} ({bias:+.3f}, {spread:.3f})")
            yield cells

    return table(["bear-offs", "number", *OWNERS], rows())


def cost_table(bearoffs: ExactBearoffs) -> str:
    """Return the table of mean errors in contested decisions, in millipoints per unit of the cube."""
    efficiencies = [(f"x = {x:g}", dict.fromkeys(OWNERS, x)) for x in (0, 0.5, 0.6, 0.68, 1)]
    efficiencies.append(("fitted to all", {owner: bearoffs.fit(owner) for owner in OWNERS}))

    def rows() -> Iterator[list[str]]:
        for name, x in efficiencies:
            cells = [name]
            for owner in ("centred", "owned"):
                cells.append(_cost_cell(_doubling_costs(bearoffs, owner, x[owner], x["unavailable"])))
            cells.append(_cost_cell(_answer_costs(bearoffs, x["unavailable"])))
            yield cells

    return table(["efficiency", "double", "redouble", "take or drop"], rows())


def _doubling_costs(bearoffs: ExactBearoffs, owner: str, x: float, x_unavailable: float) -> Array:
    """Return the errors in contested doubling decisions, given the best answer."""
    double = np.minimum(2 * bearoffs.exact["unavailable"], 1)
    gain = double - bearoffs.exact[owner]
    doubles = np.minimum(2 * bearoffs.formula("unavailable", x_unavailable), 1) > bearoffs.formula(owner, x)
    return costs(gain, doubles)[np.abs(gain) < MAX_GAIN]


def _answer_costs(bearoffs: ExactBearoffs, x: float) -> Array:
    take_gain = 1 - 2 * bearoffs.exact["unavailable"]
    takes = 2 * bearoffs.formula("unavailable", x) < 1
    return costs(take_gain, takes)[np.abs(take_gain) < MAX_GAIN]


def costs(gain: Array, is_chosen: npt.NDArray[np.bool_]) -> Array:
    """Return the error of each decision: the loss if the action is chosen, the missed gain if it is not."""
    return np.where(is_chosen, np.maximum(-gain, 0), np.maximum(gain, 0))


def _cost_cell(costs: Array) -> str:
    return f"{1000 * costs.mean():.1f} ({(costs > 0).mean():.1%})"


def page_text() -> str:
    bearoffs = exact_bearoffs()
    return f"{efficiency_table(bearoffs)}\n\n{cost_table(bearoffs)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the tables; return the exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    options = parser.parse_args(arguments)
    source = Path(Bearoff().cube_database.path or "the bear-off tables")
    return update(options, PROGRAM, lambda: {BLOCK: page_text()}, [source])


if __name__ == "__main__":
    sys.exit(main())
