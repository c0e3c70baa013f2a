"""Agreement of bgfast's cube model with GNU Backgammon's, from the same five probabilities.

``python -m benchmarks.peers.cube.agreement FILE``, from a clone, reads a file of `gnubg_answers` and prints
Markdown tables. A decision is *contested* if the wrong action of the doubler or of the taker costs less than
`CONTESTED` by GNU Backgammon's equities.

By default bgfast's formula takes GNU Backgammon's efficiencies. ``--efficiency MODEL`` takes those of a
model and also lists the decisions with an error above `BLUNDER`; two-sided bear-offs, which need no
efficiency, are left out. ``--exact`` compares both programs with bgfast's exact tables in two-sided
bear-offs, at every score.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers.report import table_row
from bgfast import Decision, Position, from_gnubg_ids
from bgfast.common.probabilities import Numbers
from bgfast.common.vocabulary import Boards
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.cube.efficiency import EFFICIENCY_MODELS, Efficiencies
from bgfast.evaluation.cube.stakes import stakes_of

CONTESTED = 0.1
BLUNDER = 0.05
EQUAL = 1e-4
"""Largest difference of equal equities."""
TIE = 2e-6
"""Largest gain or loss of an action that makes no difference."""
TABLE_ERROR = 2e-4
"""Twice the rounding error of GNU Backgammon's bear-off tables."""
TWO_SIDED, RACE = 4, 8
"""GNU Backgammon's position classes; lower numbers are nearer to the end of the game."""
OWNERS = {"centred": 0, "owned": 1, "unavailable": -1}
GNUBG_HEADS = ("context", "max difference", "beyond 1e-4", "exceptions", "same action", "contested", "of")
MODEL_HEADS = ("context", "mean difference", "max", "same action", "contested", "of")
ERROR_HEADS = ("context", "position", "no double", "double/take", "gnubg: no double", "double/take")
EXACT_HEADS = ("context", *("no double", "double/take", "doubler", "taker") * 2)


@dataclass(frozen=True)
class ContextRecord:
    """GNU Backgammon's answers in one context, a row for each position.

    Attributes
    ----------
    context : dict
        Score and cube, as `gnubg_answers` writes them.
    ids : list of str
    probabilities : ndarray of float64, shape (n, 5)
    equities : ndarray of float64, shape (n, 2)
        Of no double and of double/take.
    words : list of str
        Proper cube actions in GNU Backgammon's words.
    efficiencies : ndarray of float64, shape (n, 2)
        GNU Backgammon's cube efficiencies for no double and for double/take.
    exception : str
        Why some equities do not follow from probabilities and an efficiency.
    is_regular : bool array, shape (n, 2)
        True for the equities that follow from them.
    is_two_sided : bool array, shape (n,)
        True for two-sided bear-offs.
    """

    context: dict[str, Any]
    ids: list[str]
    probabilities: Numbers
    equities: Numbers
    words: list[str]
    efficiencies: Numbers
    exception: str
    is_regular: npt.NDArray[np.bool_]
    is_two_sided: npt.NDArray[np.bool_]

    @property
    def name(self) -> str:
        """Name of the context."""
        return str(self.context["name"])

    @property
    def may_double(self) -> bool:
        """True if GNU Backgammon allows a double."""
        return "Never" not in self.words[0]

    def select(self, mask: npt.NDArray[np.bool_]) -> ContextRecord:
        """Return the record of the positions in a mask."""
        arrays = {
            field.name: getattr(self, field.name)[mask]
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        rows = np.flatnonzero(mask)
        ids, words = ([values[row] for row in rows] for values in (self.ids, self.words))
        return replace(self, ids=ids, words=words, **arrays)


def read_contexts(file: Path) -> Iterator[ContextRecord]:
    """Yield the record of each context in a file of `gnubg_answers`."""
    head, *rows = map(json.loads, file.read_text(encoding="ascii").splitlines())
    contexts = head["contexts"]
    probabilities = np.array([row["probabilities"] for row in rows])
    equities = np.array([[answer[:2] for answer in row["answers"]] for row in rows])
    is_two_sided = np.array([row["class"] == TWO_SIDED for row in rows])
    by_name = {context["name"]: equities[:, column] for column, context in enumerate(contexts)}
    exact_equities = {
        "centred": by_name["money"][:, 0],
        "owned": by_name["money, owned"][:, 0],
        "unavailable": by_name["money"][:, 1] / 2,
    }
    constants = np.array([gnubg_efficiency(row) for row in rows])
    efficiencies = {
        owner: np.where(is_two_sided, implied_efficiencies(owner, probabilities, exact), constants)
        for owner, exact in exact_equities.items()
    }
    for column, context in enumerate(contexts):
        exception, is_regular = "", np.ones((len(rows), 2), np.bool_)
        if context["away"] is None:
            exception, is_regular[is_two_sided] = "exact two-sided bear-offs", False
        elif context["away"] == [2, 2] and context["owner"] == "centred":
            exception, is_regular[:, 0] = "cubeless no double", False
        yield ContextRecord(
            context,
            [row["id"] for row in rows],
            probabilities,
            equities[:, column],
            [head["decisions"][str(row["answers"][column][2])] for row in rows],
            np.stack((efficiencies[context["owner"]], efficiencies["unavailable"]), axis=1),
            exception,
            is_regular,
            is_two_sided,
        )


def gnubg_efficiency(row: dict[str, Any]) -> float:
    """Return GNU Backgammon's efficiency for a position that is no two-sided bear-off."""
    if row["class"] > RACE:
        return 0.68
    if row["class"] < RACE:
        return 0.6
    return min(0.7, max(0.6, 0.55 + Position.from_gnubg_id(row["id"]).pip_counts[0] / 800))


def implied_efficiencies(owner: str, probabilities: Numbers, exact: Numbers) -> Numbers:
    """Return the efficiencies that reproduce exact money equities, at most 0.6.

    GNU Backgammon uses them for two-sided bear-offs in matches.
    """
    stakes = stakes_of(Decision(position=Position.start(), cube_owner=OWNERS[owner]))
    dead, live = (np.array([stakes.value(row, x) for row in probabilities.tolist()]) for x in (0.0, 1.0))
    is_defined = np.abs(live - dead) > 1e-6
    return np.clip((exact - dead) / np.where(is_defined, live - dead, np.inf), 0, 0.6)


def decision_in(context: dict[str, Any]) -> Decision:
    """Return a cube decision at the context's score; its position is arbitrary."""
    options: dict[str, Any] = {"cube": context["cube"], "cube_owner": OWNERS[context["owner"]]}
    if context["away"] is None:
        options |= {"jacoby": context["jacoby"]}
    else:
        length = max(context["away"])
        score = tuple(length - away for away in context["away"])
        options |= {"match_length": length, "score": score, "crawford": context["crawford"]}
    return Decision(position=Position.start(), **options)


def own_equities(context: dict[str, Any], probabilities: Numbers, efficiencies: Numbers) -> Numbers:
    """Return bgfast's equities of no double and of double/take, (n, 2); both are equal without a double."""
    stakes = stakes_of(decision_in(context))
    values = np.empty((len(probabilities), 2))
    rows = zip(probabilities.tolist(), efficiencies.tolist(), strict=True)
    for row, (outcome, (x_no_double, x_take)) in enumerate(rows):
        values[row] = stakes.value(outcome, x_no_double)
        if stakes.may_double:
            values[row, 1] = stakes.double_take(outcome, x_take)
    return np.vectorize(stakes.normalized)(values) if stakes.is_match else values


def model_efficiencies(record: ContextRecord, model: str) -> Numbers:
    """Return a model's efficiencies for no double and for double/take, (n, 2)."""
    stakes = stakes_of(decision_in(record.context))
    efficiencies = Efficiencies.of_model(model, from_gnubg_ids(record.ids))
    after_take = stakes.doubled() if stakes.may_double else stakes
    return np.stack([efficiencies.at(held, record.probabilities) for held in (stakes, after_take)], axis=1)


def action_gains(equities: Numbers) -> Numbers:
    """Return the gain of doubling over not doubling, and of dropping over taking, (n, 2)."""
    no_double, double_take = equities.T
    return np.stack((np.minimum(double_take, 1) - no_double, double_take - 1), axis=1)


def actions_differ(record: ContextRecord, equities: Numbers) -> npt.NDArray[np.bool_]:
    """Return whether the actions of doubler and taker differ from GNU Backgammon's, beyond ties, (n, 2)."""
    own, gnubg = action_gains(equities), action_gains(record.equities)
    return ((own > 0) != (gnubg > 0)) & ((np.abs(own) > TIE) | (np.abs(gnubg) > TIE))


def action_errors(record: ContextRecord, equities: Numbers) -> Numbers:
    """Return the larger error of doubler and taker who act by these equities, by GNU Backgammon's, (n,)."""
    gains = np.abs(action_gains(record.equities))
    return np.where(actions_differ(record, equities), gains, 0).max(axis=1)


def agreement_cells(record: ContextRecord, equities: Numbers) -> list[str]:
    """Return the shares of equal actions, of all and of contested decisions, and the number of the latter."""
    if not record.may_double:
        return ["no cube", "", ""]
    is_same = ~actions_differ(record, equities).any(axis=1)
    is_regular = record.is_regular[:, 1]
    is_contested = is_regular & (np.abs(action_gains(record.equities)) < CONTESTED).any(axis=1)
    shares = [f"{100 * is_same[mask].mean():.2f} %" for mask in (is_regular, is_contested)]
    return [*shares, f"{is_contested.sum()}"]


def differences_from(record: ContextRecord, equities: Numbers) -> Numbers:
    """Return the absolute differences from GNU Backgammon's equities; a column for each legal action."""
    return np.abs(equities - record.equities)[:, : 2 if record.may_double else 1]


def gnubg_row(record: ContextRecord) -> str:
    """Return the row of a context with GNU Backgammon's efficiencies."""
    equities = own_equities(record.context, record.probabilities, record.efficiencies)
    differences = differences_from(record, equities)
    is_regular = record.is_regular[:, : differences.shape[1]]
    regular, others = differences[is_regular], differences[~is_regular]
    return table_row(
        record.name,
        f"{regular.max():.0e}" if regular.size else "–",
        (regular > EQUAL).sum(),
        f"{record.exception}: {others.size}, up to {others.max():.2f}" if others.size else "",
        *agreement_cells(record, equities),
    )


def model_row(record: ContextRecord, equities: Numbers) -> str:
    """Return the row of a context with a model's efficiencies."""
    differences = differences_from(record, equities)
    return table_row(
        record.name,
        f"{differences.mean():.4f}",
        f"{differences.max():.2f}",
        *agreement_cells(record, equities),
    )


def error_rows(record: ContextRecord, equities: Numbers) -> list[str]:
    """Return a row for each decision that bgfast gets wrong by more than `BLUNDER`."""
    if not record.may_double:
        return []
    return [
        table_row(
            record.name,
            record.ids[row],
            *(f"{value:.3f}" for value in (*equities[row], *record.equities[row])),
        )
        for row in np.flatnonzero(action_errors(record, equities) > BLUNDER)
    ]


def exact_row(record: ContextRecord, bearoff: Bearoff, model: str) -> str:
    """Return mean equity errors and costs of wrong actions in two-sided bear-offs: bgfast's, gnubg's."""
    is_first = np.zeros(len(record.ids), np.bool_)
    is_first[np.unique(record.ids, return_index=True)[1]] = True
    bearoffs = record.select(is_first & record.is_two_sided)
    exact = exact_equities(bearoffs.context, bearoff, from_gnubg_ids(bearoffs.ids))
    gains = action_gains(exact)
    own = own_equities(bearoffs.context, bearoffs.probabilities, model_efficiencies(bearoffs, model))
    cells: list[str] = []
    for equities in (own, bearoffs.equities):
        is_wrong = (action_gains(equities) > 0) != (gains > 0)
        costs = np.where(is_wrong & (np.abs(gains) > TABLE_ERROR), np.abs(gains), 0)
        cells += [f"{error:.3f}" for error in np.abs(equities - exact).mean(axis=0)]
        cells += [f"{1000 * cost:.1f}" for cost in costs.mean(axis=0)]
    return table_row(bearoffs.name, *cells)


def exact_equities(context: dict[str, Any], bearoff: Bearoff, boards: Boards) -> Numbers:
    """Return the exact equities of no double and of double/take in two-sided bear-offs, (n, 2)."""
    decision, column = decision_in(context), 0 if context["owner"] == "owned" else 1
    if context["away"] is None:
        return bearoff.doubling_equities(boards)[:, [column, 2]]
    met, cubes = MatchEquityTable.builtin(), [context["cube"]]
    while cubes[-1] < max(context["away"]):
        cubes.append(2 * cubes[-1])
    stakes = np.stack((met.after(decision, cubes), met.after(decision, [-cube for cube in cubes])), axis=1)
    chances = bearoff.doubling_equities(boards, stakes)[:, [column, 2]]
    return np.vectorize(stakes_of(decision).normalized)(chances)


def print_model_tables(records: Sequence[ContextRecord], model: str) -> None:
    """Print the agreement with a model's efficiencies, and the decisions that it gets wrong."""
    errors: list[str] = []
    print_head(MODEL_HEADS)
    for record in records:
        others = record.select(~record.is_two_sided)
        equities = own_equities(others.context, others.probabilities, model_efficiencies(others, model))
        print(model_row(others, equities), flush=True)
        errors += error_rows(others, equities)
    print(f"\n{len(errors)} decisions with an error above {BLUNDER} by GNU Backgammon's equities.")
    if errors:
        print()
        print_head(ERROR_HEADS)
        print(*errors, sep="\n")


def print_head(names: Sequence[str]) -> None:
    """Print the first two lines of a Markdown table."""
    print(table_row(*names), table_row(*["---"] * len(names)), sep="\n")


def main(words: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, metavar="FILE", help="file of gnubg_answers")
    parser.add_argument(
        "--efficiency",
        choices=EFFICIENCY_MODELS,
        metavar="MODEL",
        help="efficiency model (GNU Backgammon's values)",
    )
    parser.add_argument("--exact", action="store_true", help="compare with exact tables in bear-offs")
    options = parser.parse_args(words)
    records = list(read_contexts(options.file))
    if options.exact:
        bearoff = Bearoff()
        print_head(EXACT_HEADS)
        for record in records:
            if record.may_double:
                print(exact_row(record, bearoff, options.efficiency or "bgfast"), flush=True)
    elif options.efficiency is None:
        print_head(GNUBG_HEADS)
        for record in records:
            print(gnubg_row(record), flush=True)
    else:
        print_model_tables(records, options.efficiency)


if __name__ == "__main__":
    main()
