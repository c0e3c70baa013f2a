"""Measure how efficient the cube is where its worth is known exactly, and write it into docs/notes/cube.md.

``python -m benchmarks.tables.cube_efficiency`` takes all pairs of up to six checkers a side in which both can
win, in money play, and finds the efficiency x that brings ``cubeful_equities`` nearest to the tables, by
least squares: of all, by the chance to win, by the rolls to come; and what decisions by it cost. It takes
seconds. ``--check`` tells whether the page has these numbers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # started by its path
    sys.path.append(str(ROOT))

import bgfast  # noqa: E402
from benchmarks.peers.report import table  # noqa: E402
from benchmarks.tables.generated_block import Block, add_options, update  # noqa: E402
from bgfast.evaluation.bearoff.bearoff import Bearoff  # noqa: E402
from bgfast.evaluation.cube.cubeful import Owner  # noqa: E402

PROGRAM = "cube_efficiency"
BLOCK = Block(PROGRAM, "efficiency in bear-offs", "docs/notes/cube.md")
OWNERS: dict[str, Owner] = {"owned": 1, "centred": 0, "unavailable": -1}
CLOSE = 0.2
"""A decision is contested if its two sides are not further apart, in points a unit of cube."""
TENTHS = [(tenth / 10, (tenth + 1) / 10) for tenth in range(10)]
ROLLS = [(rolls, rolls + 1.0) for rolls in (1.0, 2.0, 3.0, 4.0)]

Array = npt.NDArray[np.float64]


class Known(NamedTuple):
    """What is known of pairs of sides, (n,) each, with no double in this turn: points a unit of cube."""

    win: Array
    rolls: Array  # of the side that needs fewer, on average
    exact: dict[str, Array]
    dead: Array
    live: dict[str, Array]

    def only(self, chosen: npt.NDArray[np.bool_]) -> Known:
        """Return what is known of some of them."""
        exact, live = (
            {name: each[chosen] for name, each in part.items()} for part in (self.exact, self.live)
        )
        return Known(self.win[chosen], self.rolls[chosen], exact, self.dead[chosen], live)

    def fitted(self, name: str) -> float:
        """Return the efficiency that brings (1 - x) dead + x live nearest to what is exact."""
        slope = self.live[name] - self.dead
        return float(slope @ (self.exact[name] - self.dead) / (slope @ slope))

    def formula(self, name: str, x: float) -> Array:
        """Return what the formula says with an efficiency."""
        return (1 - x) * self.dead + x * self.live[name]


def known() -> Known:
    """Return what the databases have, and what the formula says of the same chances to win."""
    bearoff = Bearoff()
    rolls, _ = bearoff.databases[0].arrays
    (wins,) = bearoff.databases[1].arrays
    unavailable, owned, centred = bearoff.cube_database.arrays
    contested = (wins > 0) & (wins < 1)
    contested[0] = contested[:, 0] = False  # finished
    needed = (rolls @ np.arange(rolls.shape[1]))[: len(wins)]
    win = wins[contested]
    rows = np.zeros((len(win), 5))
    rows[:, 0] = win
    money = bgfast.Decision(position=bgfast.Position.start())

    def by_the_formula(efficiency: float, owner: Owner) -> Array:
        return np.asarray(bgfast.cube.cubeful_equities(rows, money, efficiency=efficiency, owner=owner))

    return Known(
        win,
        np.minimum(needed[:, None], needed[None])[contested],
        {"owned": owned[contested], "centred": centred[contested], "unavailable": unavailable[contested]},
        by_the_formula(0, 0),
        {name: by_the_formula(1, owner) for name, owner in OWNERS.items()},
    )


def fits(of: Known) -> str:
    """Return the table of the efficiencies that fit best."""
    of_all = {name: of.fitted(name) for name in OWNERS}
    groups: list[tuple[str, npt.NDArray[np.bool_]]] = [("all", np.ones(len(of.win), bool))]
    groups += [(f"wins {low:.0%} to {high:.0%}", (of.win >= low) & (of.win < high)) for low, high in TENTHS]
    groups += [
        (f"{low:.0f} to {high:.0f} rolls", (of.rolls >= low) & (of.rolls < high)) for low, high in ROLLS
    ]

    def rows() -> Iterator[list[str]]:
        for what, chosen in groups:
            some = of.only(chosen)
            cells = [what, f"{len(some.win):,}"]
            for name in OWNERS:
                residual = some.exact[name] - some.formula(name, of_all[name])
                bias, spread = residual.mean(), np.sqrt((residual**2).mean())
                cells.append(f"{some.fitted(name):.3f} ({bias:+.3f}, {spread:.3f})")
            yield cells

    return table(["pairs of sides", "how many", *OWNERS], rows())


def costs(of: Known) -> str:
    """Return the table of what contested decisions by the formula cost, in thousandths of a point a unit."""
    of_all = {name: of.fitted(name) for name in OWNERS}
    tried = [(f"x = {x:g}", dict.fromkeys(OWNERS, x)) for x in (0, 0.5, 0.6, 0.68, 1)]
    tried.append(("x of all pairs", of_all))

    def rows() -> Iterator[list[str]]:
        for what, x in tried:
            cells = [what]
            for name in ("centred", "owned"):
                cells.append(_told(_cost_of_doubling(of, name, x[name], x["unavailable"])))
            cells.append(_told(_cost_of_taking(of, x["unavailable"])))
            yield cells

    return table(["efficiency", "double", "redouble", "take or drop"], rows())


def _cost_of_doubling(of: Known, name: str, x: float, x_unavailable: float) -> Array:
    """Return what is lost where to double and not to differ little; the other side answers as is best."""
    doubled = np.minimum(2 * of.exact["unavailable"], 1)
    gain = doubled - of.exact[name]
    doubles = np.minimum(2 * of.formula("unavailable", x_unavailable), 1) > of.formula(name, x)
    return np.where(doubles, np.maximum(-gain, 0), np.maximum(gain, 0))[np.abs(gain) < CLOSE]


def _cost_of_taking(of: Known, x: float) -> Array:
    gain = 1 - 2 * of.exact["unavailable"]  # of a take
    takes = 2 * of.formula("unavailable", x) < 1
    return np.where(takes, np.maximum(-gain, 0), np.maximum(gain, 0))[np.abs(gain) < CLOSE]


def _told(cost: Array) -> str:
    return f"{1000 * cost.mean():.1f} ({(cost > 0).mean():.1%})"


def page() -> str:
    """Return both tables as Markdown."""
    of = known()
    return f"{fits(of)}\n\n{costs(of)}"


def main(words: Sequence[str] | None = None) -> int:
    """Write or check the tables; return the exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    asked = parser.parse_args(words)
    return update(
        asked, PROGRAM, lambda: {BLOCK: page()}, [Path(Bearoff().cube_database.path or "the tables")]
    )


if __name__ == "__main__":
    sys.exit(main())
