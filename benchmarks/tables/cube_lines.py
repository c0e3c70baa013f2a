"""Fit bgfast's cube efficiency model, and write the results into docs/notes/cube.md.

``python -m benchmarks.tables.cube_lines``, from a clone, reads all bear-offs of up to six checkers per side,
with their exact equities, and the rollouts of `cube_rollouts` in benchmarks/data. For each owner of the cube
it fits the efficiency, by least squares, as a line over the winning chance: in races one line for each pip
count in `PIPS`, interpolated in between; in contact one line that falls with gammons. The page gets the
lines, residuals, the cost of decisions compared with GNU Backgammon's constants, and a picture. ``--lines``
prints the lines as source code of `bgfast/evaluation/_cubeful.pyx`; ``--check`` compares the page with the
results.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast
from benchmarks.peers.report import table
from benchmarks.tables.cube_efficiency import MAX_GAIN, OWNERS, costs, exact_bearoffs
from benchmarks.tables.generated_block import ROOT, Block, add_options, update
from bgfast import Decision, Position
from bgfast.evaluation.bearoff.bearoff import Bearoff

PROGRAM = "cube_lines"
BLOCK = Block(PROGRAM, "lines of the efficiency", "docs/notes/cube.md")
PICTURE = Block(PROGRAM, "picture of the efficiency", "docs/pictures/cube_efficiency.svg")
ROLLOUTS = ROOT / "benchmarks" / "data" / "cube_rollouts.jsonl"
PIPS = (2, 6, 10, 14, 18, 22, 28, 60, 100)
MODEL_OWNERS = ("unavailable", "centred", "owned")
"""Owners in the order of the model's source."""
EXACT_WEIGHT = 1e-3
"""Weight of an exact bear-off relative to a rollout."""
SYSTEMATIC_ERROR = 0.01
"""Systematic error of a rollout, in points per unit of the cube; added in quadrature to the random one."""
CONSTANTS = {"contact": 0.68, "race": 0.65, "bearoff": 0.65}
"""Constant efficiencies by phase, for comparison with the lines."""

Array = npt.NDArray[np.float64]


class Samples(NamedTuple):
    """Positions with one cube owner, and their equities without a double in this turn.

    Attributes
    ----------
    win, gammons : ndarray of float64, shape (n,)
        Winning chances, and gammon chances of both sides together.
    pips : ndarray of float64, shape (n,)
        Pip count of the leader.
    dead, live : ndarray of float64, shape (n,)
        Equities of a dead and of a live cube.
    equity : ndarray of float64, shape (n,)
        Equities from exact tables or rollouts.
    weight : ndarray of float64, shape (n,)
        Weights in the least-squares fit.
    """

    win: Array
    gammons: Array
    pips: Array
    dead: Array
    live: Array
    equity: Array
    weight: Array

    def select(self, mask: npt.NDArray[np.bool_]) -> Samples:
        """Return the samples that a mask selects."""
        return Samples(*(column[mask] for column in self))

    def formula(self, x: Array | float) -> Array:
        """Return the formula's equities with efficiencies x."""
        return self.dead + np.clip(x, 0, 1) * (self.live - self.dead)

    def residuals(self, x: Array | float) -> Array:
        """Return the equities minus the formula's equities with efficiencies x."""
        return self.equity - self.formula(x)

    def fit(self, features: Array) -> Array:
        """Return the coefficients with which features, shape (n, k), sum to the best-fitting efficiency."""
        rows = features * ((self.live - self.dead) * np.sqrt(self.weight))[:, None]
        return np.linalg.lstsq(rows, (self.equity - self.dead) * np.sqrt(self.weight), rcond=None)[0]


class Lines(NamedTuple):
    """Fitted lines of one cube owner.

    Attributes
    ----------
    races : ndarray of float64, shape (len(PIPS), 2)
        Efficiencies at winning chances 0 and 1.
    contact : ndarray of float64, shape (3,)
        Efficiencies at winning chances 0 and 1, and the coefficient of the gammon chances.
    """

    races: Array
    contact: Array


def efficiencies(lines: dict[str, Lines], owner: str, samples: Samples, is_contact: Any) -> Array:
    """Return efficiencies as `_cubeful.pyx` computes them; `is_contact` is a bool or an array of bools."""

    def line_efficiencies(owner: str) -> Array:
        races = _race_features(samples) @ lines[owner].races.reshape(-1)
        return np.where(is_contact, _contact_features(samples) @ lines[owner].contact, races)

    x = line_efficiencies(owner)
    if owner == "centred":
        underdog = np.minimum(samples.win, 1 - samples.win)
        factor = np.maximum(0.375 * (1 - underdog) / (0.5 - underdog + 1e-9), 1)
        limit = np.where(samples.win < 0.5, line_efficiencies("unavailable"), line_efficiencies("owned"))
        x = np.minimum(x, limit * factor)
    return x.clip(0, 1)


def _race_features(samples: Samples) -> Array:
    hat_values = np.stack([np.interp(samples.pips, PIPS, row) for row in np.eye(len(PIPS))], axis=1)
    ends = np.stack((1 - samples.win, samples.win), axis=1)
    return (hat_values[:, :, None] * ends[:, None]).reshape(len(hat_values), -1)


def _contact_features(samples: Samples) -> Array:
    return np.stack((1 - samples.win, samples.win, samples.gammons), axis=1)


@cache
def exact_samples(owner: str) -> Samples:
    """Return the exact bear-offs in which both players can win."""
    bearoffs = exact_bearoffs()
    (wins,) = Bearoff().databases[1].arrays
    pips = _pips_of_sides(wins.shape[0])
    is_open = (wins > 0) & (wins < 1)
    is_open[0] = is_open[:, 0] = False
    leader = np.minimum(pips[:, None], pips[None])[is_open].astype(float)
    ones = np.ones(len(bearoffs.win))
    return Samples(
        bearoffs.win,
        0 * ones,
        leader,
        bearoffs.dead,
        bearoffs.live[owner],
        bearoffs.exact[owner],
        EXACT_WEIGHT * ones,
    )


def _pips_of_sides(count: int) -> npt.NDArray[np.int64]:
    """Return the pip counts of one side's bear-off positions, by side number (`_bearoff.pyx`)."""
    bearoff, pips = Bearoff(), np.zeros(count, np.int64)
    for checkers in np.ndindex(*(bearoff.checkers + 1,) * 6):
        if 0 < sum(checkers) <= bearoff.checkers:
            board = np.zeros((1, 26), np.int8)
            board[0, 1:7], board[0, 24] = checkers, -1
            pips[bearoff._side_numbers(board, 15)[0, 0]] = np.arange(1, 7) @ checkers
    return pips


class Rollouts(NamedTuple):
    """Rollouts read from a file of `cube_rollouts`.

    Attributes
    ----------
    phases : ndarray of str, shape (n,)
    network : ndarray of float64, shape (n, 5)
        Static probabilities.
    positions : list of Position
    samples : dict of str to Samples
        Results by owner of the cube.
    double_gains : dict of str to ndarray of float64, shape (n,)
        Gains from doubling, by cube owner.
    """

    phases: npt.NDArray[np.str_]
    network: Array
    positions: list[Position]
    samples: dict[str, Samples]
    double_gains: dict[str, Array]

    def select(self, mask: npt.NDArray[np.bool_]) -> Rollouts:
        """Return the rollouts that a mask selects."""
        return Rollouts(
            self.phases[mask],
            self.network[mask],
            [self.positions[row] for row in np.flatnonzero(mask)],
            {owner: samples.select(mask) for owner, samples in self.samples.items()},
            {owner: gains[mask] for owner, gains in self.double_gains.items()},
        )


def read_rollouts(file: Path = ROLLOUTS) -> Rollouts:
    _, *rows = map(json.loads, file.read_text("ascii").splitlines())
    positions = [Position.from_gnubg_id(row["id"]) for row in rows]
    pips = np.array([min(position.pip_counts) for position in positions], float)
    money = Decision(position=Position.start())
    samples = {}
    for name, owner in OWNERS.items():
        # With variance reduction, an estimated chance may be slightly negative.
        chances = np.clip([row[f"{name}, probabilities"] for row in rows], 0, 1)
        equity, error = np.array([row[name] for row in rows]).T
        dead, live = (
            np.asarray(bgfast.cube.cubeful_equities(chances, money, efficiency=x, owner=owner))
            for x in (0, 1)
        )
        weight = 1e-4 / (error**2 + SYSTEMATIC_ERROR**2)
        gammons = chances[:, 1] + chances[:, 3]
        samples[name] = Samples(chances[:, 0], gammons, pips, dead, live, equity, weight)
    double_gains = {
        name: -np.array([row[f"difference, {name}"][0] for row in rows]) for name in ("centred", "owned")
    }
    return Rollouts(
        np.array([row["kind"] for row in rows]),
        np.array([row["network"] for row in rows]),
        positions,
        samples,
        double_gains,
    )


def fit_lines(rollouts: Rollouts) -> dict[str, Lines]:
    """Return the lines of each owner, rounded as in the model's source."""
    lines = {}
    is_contact = rollouts.phases == "contact"
    for owner in MODEL_OWNERS:
        bearoffs, races = exact_samples(owner), rollouts.samples[owner].select(~is_contact)
        races = Samples(*(np.concatenate(pair) for pair in zip(bearoffs, races, strict=True)))
        contact = rollouts.samples[owner].select(is_contact)
        lines[owner] = Lines(
            races.fit(_race_features(races)).reshape(-1, 2).round(2),
            contact.fit(_contact_features(contact)).round(2),
        )
    return lines


def as_source(lines: dict[str, Lines]) -> str:
    """Return the lines as source code of the model."""

    def row(numbers: Array) -> str:
        return f"[{', '.join(f'{number:.2f}' for number in numbers.tolist())}]"

    parts = []
    for name in MODEL_OWNERS:
        races = [row(line) for line in lines[name].races]
        parts.append(f"    [{', '.join(races[:5])},\n     {', '.join(races[5:])}],\n")
    return "".join(parts) + f"[{', '.join(row(lines[name].contact) for name in MODEL_OWNERS)}]\n"


def lines_table(lines: dict[str, Lines]) -> str:
    """Return the table of the lines: efficiencies at winning chances 0 and 1."""

    def rows() -> Iterator[list[str]]:
        owners = ("owned", "centred", "unavailable")
        for index, pips in enumerate(PIPS):
            ends = [lines[owner].races[index] for owner in owners]
            yield [f"race, {pips} pips", *(f"{start:.2f} to {end:.2f}" for start, end in ends)]
        contact = [lines[owner].contact for owner in owners]
        yield ["contact", *(f"{start:.2f} to {end:.2f}, {slope:+.2f} g" for start, end, slope in contact)]

    return table(["", "owned", "centred", "unavailable"], rows())


def residuals_table(lines: dict[str, Lines], rollouts: Rollouts) -> str:
    """Return the table of residuals, mean and root mean square, with constants and with the lines."""

    def cell(samples: Samples, x: Array | float) -> str:
        residuals = samples.residuals(x)
        weight = samples.weight / samples.weight.sum()
        return f"{weight @ residuals:+.3f}, {np.sqrt(weight @ residuals**2):.3f}"

    def cells(samples_by_owner: dict[str, Samples], phase: str) -> Iterator[str]:
        for owner, samples in samples_by_owner.items():
            x = efficiencies(lines, owner, samples, phase == "contact")
            yield f"{cell(samples, CONSTANTS[phase])} → {cell(samples, x)}"

    def rows() -> Iterator[list[str]]:
        bearoffs = {owner: exact_samples(owner) for owner in OWNERS}
        yield ["bear-offs, exact", f"{len(bearoffs['owned'].win):,}", *cells(bearoffs, "bearoff")]
        for phase, name in (("bearoff", "longer bear-offs"), ("race", "races"), ("contact", "contact")):
            phase_rollouts = rollouts.select(rollouts.phases == phase)
            yield [name, str(len(phase_rollouts.phases)), *cells(phase_rollouts.samples, phase)]

    return table(["", "number", *OWNERS], rows())


def costs_table(lines: dict[str, Lines], rollouts: Rollouts) -> str:
    """Return the table of the mean errors of both models in contested decisions, in thousandths of a point.

    Decisions in each half of the rollouts use lines fitted to the other half.
    """

    def rows() -> Iterator[list[str]]:
        bearoffs = {owner: exact_samples(owner) for owner in OWNERS}
        x = {owner: efficiencies(lines, owner, samples, False) for owner, samples in bearoffs.items()}
        yield ["bear-offs, exact", *_exact_cost_cells(bearoffs, x)]
        first_half = np.arange(len(rollouts.phases)) % 2 == 0
        for phases, name in ((("race", "bearoff"), "longer races"), (("contact",), "contact")):
            parts = [
                _rollout_costs(
                    rollouts.select(half & np.isin(rollouts.phases, phases)),
                    fit_lines(rollouts.select(~half)),
                )
                for half in (first_half, ~first_half)
            ]
            yield [name, *(_cost_cell(np.concatenate(pair, axis=1)) for pair in zip(*parts, strict=True))]

    return table(["", "double", "redouble", "take or drop"], rows())


def _exact_cost_cells(bearoffs: dict[str, Samples], x: dict[str, Array]) -> list[str]:
    gnubg = dict.fromkeys(OWNERS, 0.6)
    unavailable = bearoffs["unavailable"]
    decisions = []
    for owner in ("centred", "owned"):
        gain = np.minimum(2 * unavailable.equity, 1) - bearoffs[owner].equity
        decisions.append((gain, [_doubles(bearoffs, owner, model) for model in (x, gnubg)]))
    take_gain = 1 - 2 * unavailable.equity
    takes = [2 * unavailable.formula(model["unavailable"]) < 1 for model in (x, gnubg)]
    decisions.append((take_gain, takes))
    return [
        " / ".join(f"{1000 * costs(gain, mask)[np.abs(gain) < MAX_GAIN].mean():.2f}" for mask in masks)
        for gain, masks in decisions
    ]


def _doubles(
    samples: dict[str, Samples], owner: str, x: dict[str, Array] | dict[str, float]
) -> npt.NDArray[np.bool_]:
    double_take = 2 * samples["unavailable"].formula(x["unavailable"])
    return np.minimum(double_take, 1) > samples[owner].formula(x[owner])


def _rollout_costs(rollouts: Rollouts, lines: dict[str, Lines]) -> list[Array]:
    """Return the errors of both models, shape (2, n), in doubles, in redoubles and in answers.

    Both models decide from the probabilities of the rollouts. GNU Backgammon's constants select the contested
    decisions, independently of the rollouts' luck.
    """
    is_contact = rollouts.phases == "contact"
    boards = [position.to_array() for position in rollouts.positions]
    gnubg = bgfast.cube.cube_efficiencies(boards, "gnubg")
    equities: dict[str, list[Array]] = {}
    for owner, samples in rollouts.samples.items():
        x = efficiencies(lines, owner, samples, is_contact)
        equities[owner] = [samples.formula(model) for model in (x, gnubg)]
    decisions = []
    for owner in ("centred", "owned"):
        pairs = zip(equities["unavailable"], equities[owner], strict=True)
        gains = [np.minimum(2 * unavailable, 1) - no_double for unavailable, no_double in pairs]
        decisions.append((rollouts.double_gains[owner], gains))
    take_gain = 1 - 2 * rollouts.samples["unavailable"].equity
    decisions.append((take_gain, [1 - 2 * unavailable for unavailable in equities["unavailable"]]))
    return [
        np.stack([costs(gain, estimate > 0) for estimate in gains])[:, np.abs(gains[1]) < MAX_GAIN]
        for gain, gains in decisions
    ]


def _cost_cell(costs: Array) -> str:
    change = costs[0] - costs[1]
    error = change.std() / np.sqrt(max(1, len(change)))
    model, gnubg = 1000 * costs.mean(axis=1)
    return f"{model:.1f} / {gnubg:.1f} ({1000 * change.mean():+.1f} ± {1960 * error:.1f}, {costs.shape[1]})"


WIDTH, HEIGHT, LEFT, TOP = 220, 170, 34, 24  # size and margins of a panel of the picture


def picture(lines: dict[str, Lines]) -> str:
    """Return an SVG of the best and the model's efficiency in bear-offs, by tenths of the winning chance."""
    panels = []
    for index, name in enumerate(OWNERS):
        samples = exact_samples(name)
        tenths = np.minimum((samples.win * 10).astype(int), 9)
        dots, line = [], []
        for tenth in range(10):
            group = samples.select(tenths == tenth)
            (best_efficiency,) = group.fit(np.ones((len(group.win), 1)))
            weight = (group.live - group.dead) ** 2
            x = float(weight @ efficiencies(lines, name, group, False) / weight.sum())
            dots.append(f'<circle cx="{_x(group.win.mean())}" cy="{_y(best_efficiency)}" r="3"/>')
            line.append(f"{_x(group.win.mean())},{_y(x)}")
        grid = "".join(
            f'<text x="-6" y="{_y(level) + 4}" text-anchor="end">{level:g}</text>'
            f'<path d="M0 {_y(level)}H{WIDTH}" stroke="#ccc"/>'
            for level in (0, 0.5, 1)
        ) + "".join(
            f'<text x="{_x(win)}" y="{HEIGHT + 16}" text-anchor="middle">{win:.0%}</text>'
            for win in (0, 0.5, 1)
        )
        panels.append(
            f'<g transform="translate({LEFT + index * (WIDTH + LEFT)} {TOP})">{grid}'
            f'<text x="{WIDTH / 2}" y="-8" text-anchor="middle">{name}</text>{"".join(dots)}'
            f'<polyline points="{" ".join(line)}" fill="none" stroke="#06c" stroke-width="2"/></g>'
        )
    width, height = LEFT + 3 * (WIDTH + LEFT), HEIGHT + TOP + 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'font-family="sans-serif" font-size="12" role="img">'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{"".join(panels)}</svg>'
    )


def _x(win: float) -> float:
    return round(float(win) * WIDTH, 1)


def _y(efficiency: float) -> float:
    return round(float(1.4 - efficiency) / 1.4 * HEIGHT, 1)


def page_text(lines: dict[str, Lines], rollouts: Rollouts) -> str:
    tables = (lines_table(lines), residuals_table(lines, rollouts), costs_table(lines, rollouts))
    return "\n\n".join(tables)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    parser.add_argument("--lines", action="store_true", help="print the lines as source code; write nothing")
    options = parser.parse_args(arguments)
    rollouts = read_rollouts()
    lines = fit_lines(rollouts)
    if options.lines:
        print(as_source(lines), end="")
        return 0
    texts = {BLOCK: page_text(lines, rollouts), PICTURE: picture(lines)}
    return update(options, PROGRAM, lambda: texts, [ROLLOUTS])


if __name__ == "__main__":
    sys.exit(main())
