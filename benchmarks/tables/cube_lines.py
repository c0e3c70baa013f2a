"""Fit bgfast's model of the cube's efficiency, and write what came of it into docs/notes/cube.md.

``python -m benchmarks.tables.cube_lines``, from a clone, takes all pairs of up to six checkers a side, of
which the worth with a cube is known exactly, and the rollouts of `cube_rollouts` that come with it. For
each owner of the cube it finds by least squares the lines by the chance to win that bring the formula nearest
to them: in races one for each of `PIPS`, between which all goes straight; in contact one, which sinks with
the gammons. The page gets the lines, what is left of both, what decisions by the model cost beside GNU
Backgammon's constants, and a picture. ``--lines`` prints what `bgfast/evaluation/cube/_efficiency.pyx` has;
``--check`` tells whether the page is what would be written.
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

ROOT = Path(__file__).resolve().parents[2]
if not __package__:  # started by its path
    sys.path.append(str(ROOT))

import bgfast  # noqa: E402
from benchmarks.peers.report import table  # noqa: E402
from benchmarks.tables.cube_efficiency import CLOSE, OWNERS, known  # noqa: E402
from benchmarks.tables.generated_block import Block, add_options, update  # noqa: E402
from bgfast import Decision, Position  # noqa: E402
from bgfast.evaluation.bearoff.bearoff import Bearoff  # noqa: E402

PROGRAM = "cube_lines"
BLOCK = Block(PROGRAM, "lines of the efficiency", "docs/notes/cube.md")
PICTURE = Block(PROGRAM, "picture of the efficiency", "docs/pictures/cube_efficiency.svg")
ROLLOUTS = ROOT / "benchmarks" / "data" / "cube_rollouts.jsonl"
PIPS = (2, 6, 10, 14, 18, 22, 28, 60, 100)
NAMES = ("unavailable", "centred", "owned")  # as the model has them
EXACT_WEIGHT = 1e-3  # of a pair of sides beside a rollout
ERROR = 0.01  # what a rollout may be off besides its standard error
BEFORE = {"contact": 0.68, "race": 0.65, "bearoff": 0.65}

Array = npt.NDArray[np.float64]


class Known(NamedTuple):
    """What positions are worth with the cube of one owner, no double in this turn, (n,) each."""

    win: Array
    gammons: Array  # of both sides together
    pips: Array  # of the side that is ahead
    dead: Array
    live: Array
    found: Array  # by a table, or by a rollout
    weight: Array

    def only(self, chosen: npt.NDArray[np.bool_]) -> Known:
        """Return some of them."""
        return Known(*(each[chosen] for each in self))

    def left(self, x: Array | float) -> Array:
        """Return how much more they are worth than the formula says with an efficiency."""
        return self.found - (self.dead + np.clip(x, 0, 1) * (self.live - self.dead))

    def fitted(self, features: Array) -> Array:
        """Return the weights of features, (n, k), whose sum is the efficiency that fits best."""
        rows = features * ((self.live - self.dead) * np.sqrt(self.weight))[:, None]
        return np.linalg.lstsq(rows, (self.found - self.dead) * np.sqrt(self.weight), rcond=None)[0]


class Lines(NamedTuple):
    """The lines of one owner: (lost, won) for each of `PIPS`; (lost, won, by gammons) in contact."""

    races: Array
    contact: Array


def efficiencies(lines: dict[str, Lines], name: str, of: Known, contact: Any) -> Array:
    """Return what the model says, with contact or without: once more what `_efficiency.pyx` does."""

    def on(owner: str) -> Array:
        races = _race_features(of) @ lines[owner].races.reshape(-1)
        return np.where(contact, _contact_features(of) @ lines[owner].contact, races)

    found = on(name)
    if name == "centred":
        behind = np.minimum(of.win, 1 - of.win)
        least = np.maximum(0.375 * (1 - behind) / (0.5 - behind + 1e-9), 1)
        found = np.minimum(found, np.where(of.win < 0.5, on("unavailable"), on("owned")) * least)
    return found.clip(0, 1)


def _race_features(of: Known) -> Array:
    hats = np.stack([np.interp(of.pips, PIPS, row) for row in np.eye(len(PIPS))], axis=1)
    ends = np.stack((1 - of.win, of.win), axis=1)
    return (hats[:, :, None] * ends[:, None]).reshape(len(hats), -1)


def _contact_features(of: Known) -> Array:
    return np.stack((1 - of.win, of.win, of.gammons), axis=1)


@cache
def exact(name: str) -> Known:
    """Return what the tables have of all pairs of sides in which both can win."""
    of, numbers = known(), Bearoff().databases[1].arrays[0].shape[0]
    pips = _pips_of_sides(numbers)
    (wins,) = Bearoff().databases[1].arrays
    contested = (wins > 0) & (wins < 1)
    contested[0] = contested[:, 0] = False
    ahead = np.minimum(pips[:, None], pips[None])[contested].astype(float)
    ones = np.ones(len(of.win))
    return Known(of.win, 0 * ones, ahead, of.dead, of.live[name], of.exact[name], EXACT_WEIGHT * ones)


def _pips_of_sides(number: int) -> npt.NDArray[np.int64]:
    """Return the pips of the sides of the databases, by their numbers (docs/BEAROFF.md)."""
    bearoff, pips = Bearoff(), np.zeros(number, np.int64)
    most = bearoff.checkers
    for at in np.ndindex(*(most + 1,) * 6):
        if sum(at) <= most:
            board = np.zeros((1, 26), np.int8)
            board[0, 1:7], board[0, 24] = at, -1
            if sum(at):
                pips[bearoff._side_numbers(board, 15)[0, 0]] = np.arange(1, 7) @ at
    return pips


class Rolled(NamedTuple):
    """The rollouts of a file."""

    kinds: npt.NDArray[np.str_]
    network: Array  # probabilities, (n, 5)
    positions: list[Position]
    of_owner: dict[str, Known]
    gaps: dict[str, Array]  # of each owner who may double: what doubling brings, (n,)

    def only(self, chosen: npt.NDArray[np.bool_]) -> Rolled:
        """Return some of them."""
        return Rolled(
            self.kinds[chosen],
            self.network[chosen],
            [self.positions[place] for place in np.flatnonzero(chosen)],
            {name: of.only(chosen) for name, of in self.of_owner.items()},
            {name: gap[chosen] for name, gap in self.gaps.items()},
        )


def rolled(file: Path = ROLLOUTS) -> Rolled:
    """Return what the file has."""
    _, *rows = map(json.loads, file.read_text("ascii").splitlines())
    positions = [Position.from_gnubg_id(row["id"]) for row in rows]
    pips = np.array([min(position.pip_counts) for position in positions], float)
    money = Decision(position=Position.start())
    of_owner = {}
    for name, owner in OWNERS.items():
        # Luck is taken off: a chance of nothing may come out a little less.
        chances = np.clip([row[f"{name}, probabilities"] for row in rows], 0, 1)
        value, error = np.array([row[name] for row in rows]).T
        dead, live = (
            np.asarray(bgfast.cube.cubeful_equities(chances, money, efficiency=x, owner=owner))
            for x in (0, 1)
        )
        weight = 1e-4 / (error**2 + ERROR**2)
        of_owner[name] = Known(chances[:, 0], chances[:, 1] + chances[:, 3], pips, dead, live, value, weight)
    gaps = {name: -np.array([row[f"difference, {name}"][0] for row in rows]) for name in ("centred", "owned")}
    return Rolled(
        np.array([row["kind"] for row in rows]),
        np.array([row["network"] for row in rows]),
        positions,
        of_owner,
        gaps,
    )


def fitted(rollouts: Rolled) -> dict[str, Lines]:
    """Return the lines of each owner, rounded to what the model has."""
    found = {}
    contact = rollouts.kinds == "contact"
    for name in NAMES:
        of, races = exact(name), rollouts.of_owner[name].only(~contact)
        both = Known(*(np.concatenate(pair) for pair in zip(of, races, strict=True)))
        touching = rollouts.of_owner[name].only(contact)
        found[name] = Lines(
            both.fitted(_race_features(both)).reshape(-1, 2).round(2),
            touching.fitted(_contact_features(touching)).round(2),
        )
    return found


def as_source(lines: dict[str, Lines]) -> str:
    """Return the lines as the source of the model has them."""

    def row(numbers: Array) -> str:
        return f"({', '.join(f'{number:.2f}' for number in numbers.tolist())})"

    parts = []
    for name in NAMES:
        races = [row(each) for each in lines[name].races]
        parts.append(f"        (({', '.join(races[:5])},\n          {', '.join(races[5:])}),\n")
        parts.append(f"         {row(lines[name].contact)}),\n")
    return "".join(parts)


def lines_table(lines: dict[str, Lines]) -> str:
    """Return the lines as a table: x of a mover who is certain to lose, and to win."""

    def rows() -> Iterator[list[str]]:
        shown = ("owned", "centred", "unavailable")
        for place, pips in enumerate(PIPS):
            ends = [lines[name].races[place] for name in shown]
            yield [f"race, {pips} pips", *(f"{lost:.2f} to {won:.2f}" for lost, won in ends)]
        of_contact = [lines[name].contact for name in shown]
        yield ["contact", *(f"{lost:.2f} to {won:.2f}, {by:+.2f} g" for lost, won, by in of_contact)]

    return table(["", "owned", "centred", "unavailable"], rows())


def left_table(lines: dict[str, Lines], rollouts: Rolled) -> str:
    """Return what is left after the constants before, and after the lines: mean and root mean square."""

    def told(of: Known, x: Array | float) -> str:
        left = of.left(x)
        weight = of.weight / of.weight.sum()
        return f"{weight @ left:+.3f}, {np.sqrt(weight @ left**2):.3f}"

    def rows() -> Iterator[list[str]]:
        of_exact = {name: exact(name) for name in OWNERS}
        number = len(of_exact["owned"].win)
        cells = [
            f"{told(of, BEFORE['bearoff'])} → {told(of, efficiencies(lines, name, of, False))}"
            for name, of in of_exact.items()
        ]
        yield ["bear-offs, exact", f"{number:,}", *cells]
        for kind, what in (("bearoff", "longer bear-offs"), ("race", "races"), ("contact", "contact")):
            chosen = rollouts.kinds == kind
            cells = []
            for name, of in rollouts.of_owner.items():
                some = of.only(chosen)
                x = efficiencies(lines, name, some, kind == "contact")
                cells.append(f"{told(some, BEFORE[kind])} → {told(some, x)}")
            yield [what, str(chosen.sum()), *cells]

    return table(["", "how many", *OWNERS], rows())


def costs_table(lines: dict[str, Lines], rollouts: Rolled) -> str:
    """Return what contested decisions cost by bgfast's model and by GNU Backgammon's, in thousandths.

    Of rollouts half are judged by lines that are fitted to the other half.
    """

    def rows() -> Iterator[list[str]]:
        of = {name: exact(name) for name in OWNERS}
        x = {name: efficiencies(lines, name, each, False) for name, each in of.items()}
        yield ["bear-offs, exact", *_costs_of_tables(of, x)]
        halves = np.arange(len(rollouts.kinds)) % 2 == 0
        for kinds, what in ((("race", "bearoff"), "longer races"), (("contact",), "contact")):
            parts = [
                _differences(
                    rollouts.only(half & np.isin(rollouts.kinds, kinds)), fitted(rollouts.only(~half))
                )
                for half in (halves, ~halves)
            ]
            yield [what, *(_paired(np.concatenate(pair, axis=1)) for pair in zip(*parts, strict=True))]

    return table(["", "double", "redouble", "take or drop"], rows())


def _costs_of_tables(of: dict[str, Known], x: dict[str, Array]) -> list[str]:
    cells = []
    gnubg = dict.fromkeys(OWNERS, 0.6)
    for name in ("centred", "owned"):
        gap = np.minimum(2 * of["unavailable"].found, 1) - of[name].found
        cells.append((gap, [_doubles(of, name, each) for each in (x, gnubg)]))
    gap = 1 - 2 * of["unavailable"].found
    cells.append((gap, [2 * _by_formula(of["unavailable"], each["unavailable"]) < 1 for each in (x, gnubg)]))
    return [
        " / ".join(f"{1000 * _lost(gap, acts)[np.abs(gap) < CLOSE].mean():.2f}" for acts in both)
        for gap, both in cells
    ]


def _by_formula(of: Known, x: Array | float) -> Array:
    return of.found - of.left(x)


def _doubles(
    of: dict[str, Known], name: str, x: dict[str, Array] | dict[str, float]
) -> npt.NDArray[np.bool_]:
    doubled = 2 * _by_formula(of["unavailable"], x["unavailable"])
    return np.minimum(doubled, 1) > _by_formula(of[name], x[name])


def _lost(gap: Array, acts: npt.NDArray[np.bool_]) -> Array:
    """Return what is lost where acting brings `gap`."""
    return np.where(acts, np.maximum(-gap, 0), np.maximum(gap, 0))


def _differences(some: Rolled, lines: dict[str, Lines]) -> list[Array]:
    """Return the costs of both models, (2, n), of doubles, redoubles and takes.

    Both decide from the five probabilities of the rollouts.

    What is contested, GNU Backgammon's constants say, so that no luck of the rollouts chooses.
    """
    contact = some.kinds == "contact"
    boards = [position.to_array() for position in some.positions]
    by_gnubg = bgfast.cube.cube_efficiencies(boards, "gnubg")
    values: dict[str, list[Array]] = {}
    for name in OWNERS:
        of = some.of_owner[name]
        x = efficiencies(lines, name, of, contact)
        values[name] = [_by_formula(of, each) for each in (x, by_gnubg)]
    found = []
    for name in ("centred", "owned"):
        gaps = [
            np.minimum(2 * un, 1) - no for un, no in zip(values["unavailable"], values[name], strict=True)
        ]
        near = np.abs(gaps[1]) < CLOSE
        found.append(np.stack([_lost(some.gaps[name], gap > 0) for gap in gaps])[:, near])
    gaps = [1 - 2 * un for un in values["unavailable"]]
    near = np.abs(gaps[1]) < CLOSE
    truth = 1 - 2 * some.of_owner["unavailable"].found
    found.append(np.stack([_lost(truth, gap > 0) for gap in gaps])[:, near])
    return found


def _paired(costs: Array) -> str:
    apart = costs[0] - costs[1]
    error = apart.std() / np.sqrt(max(1, len(apart)))
    own, other = 1000 * costs.mean(axis=1)
    return f"{own:.1f} / {other:.1f} ({1000 * apart.mean():+.1f} ± {1960 * error:.1f}, {costs.shape[1]})"


# ---- the picture ----

WIDTH, HEIGHT, LEFT, TOP = 220, 170, 34, 24


def picture(lines: dict[str, Lines]) -> str:
    """Return an SVG: the x that fits exact bear-offs best by tenths of the chance to win, and the model's."""
    panels = []
    for place, name in enumerate(OWNERS):
        of = exact(name)
        tenth = np.minimum((of.win * 10).astype(int), 9)
        dots, line = [], []
        for each in range(10):
            some = of.only(tenth == each)
            (best,) = some.fitted(np.ones((len(some.win), 1)))
            slope = (some.live - some.dead) ** 2
            x = float(slope @ efficiencies(lines, name, some, False) / slope.sum())
            dots.append(f'<circle cx="{_x(some.win.mean())}" cy="{_y(best)}" r="3"/>')
            line.append(f"{_x(some.win.mean())},{_y(x)}")
        grid = "".join(
            f'<text x="-6" y="{_y(level) + 4}" text-anchor="end">{level:g}</text>'
            f'<path d="M0 {_y(level)}H{WIDTH}" stroke="#ccc"/>'
            for level in (0, 0.5, 1)
        ) + "".join(
            f'<text x="{_x(win)}" y="{HEIGHT + 16}" text-anchor="middle">{win:.0%}</text>'
            for win in (0, 0.5, 1)
        )
        panels.append(
            f'<g transform="translate({LEFT + place * (WIDTH + LEFT)} {TOP})">{grid}'
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


def page(lines: dict[str, Lines], rollouts: Rolled) -> str:
    """Return the tables as Markdown."""
    parts = (lines_table(lines), left_table(lines, rollouts), costs_table(lines, rollouts))
    return "\n\n".join(parts)


def main(words: Sequence[str] | None = None) -> int:
    """Write or check the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description=(__doc__ or "").splitlines()[0])
    add_options(parser)
    parser.add_argument("--lines", action="store_true", help="print what the model has, and write nothing")
    asked = parser.parse_args(words)
    rollouts = rolled()
    lines = fitted(rollouts)
    if asked.lines:
        print(as_source(lines), end="")
        return 0
    texts = {BLOCK: page(lines, rollouts), PICTURE: picture(lines)}
    return update(asked, PROGRAM, lambda: texts, [ROLLOUTS])


if __name__ == "__main__":
    sys.exit(main())
