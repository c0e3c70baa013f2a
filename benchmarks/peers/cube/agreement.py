"""bgfast's cube beside GNU Backgammon's, from the same five probabilities.

``python -m benchmarks.peers.cube.agreement FILE``, from a clone, with a file of `gnubg_answers`; the
table goes to standard output. A decision is *contested* if doubler or taker are to lose less than 0.1 by the
other choice, as GNU Backgammon sees it.

With ``--efficiency bgfast`` the efficiencies are those of bgfast's own model, and decisions that differ by
more than `BLUNDER` are listed for a better judge, but for two-sided bear-offs, which need no efficiency.
With ``--exact`` bgfast's tables of bear-offs with a cube judge both on these, at every score.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast import Decision, Position, from_gnubg_ids
from bgfast.common.vocabulary import Boards
from bgfast.cube import MatchEquityTable
from bgfast.evaluation.bearoff.bearoff import Bearoff
from bgfast.evaluation.cube.efficiency import EFFICIENCY_MODELS, Efficiencies
from bgfast.evaluation.cube.stakes import stakes_of

CONTESTED = 0.1
NEAR = 1e-4
TIE = 2e-6
BLUNDER = 0.05
TABLES = 2e-4  # what GNU Backgammon rounds its tables to, doubled
TWO_SIDED, RACE = 4, 8  # of GNU Backgammon's classes of positions, in which less is nearer to the end
OWNERS = {"centred": 0, "owned": 1, "unavailable": -1}

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recorded:
    """What GNU Backgammon said of all positions in one context, and its efficiencies of the cube for each.

    Equities and efficiencies are those of no double and of double/take, shape (n, 2). `special` is why some
    equities are not made of the probabilities and an efficiency; `plain` marks those that are. Whether a row
    is a two-sided bear-off says `two_sided`.
    """

    context: dict[str, Any]
    ids: list[str]
    probabilities: Numbers
    equities: Numbers
    words: list[str]
    efficiencies: Numbers
    special: str
    plain: npt.NDArray[np.bool_]
    two_sided: npt.NDArray[np.bool_]

    @property
    def may_double(self) -> bool:
        """Whether GNU Backgammon allows a double there."""
        return "Never" not in self.words[0]

    def only(self, rows: npt.NDArray[np.bool_]) -> Recorded:
        """Return some of the positions."""
        chosen = {
            field.name: getattr(self, field.name)[rows]
            for field in fields(self)
            if isinstance(getattr(self, field.name), np.ndarray)
        }
        places = np.flatnonzero(rows)
        ids, words = ([names[place] for place in places] for names in (self.ids, self.words))
        return replace(self, ids=ids, words=words, **chosen)


def recorded(file: Path) -> Iterator[Recorded]:
    """Yield the contexts of a file."""
    head, *rows = map(json.loads, file.read_text(encoding="ascii").splitlines())
    probabilities = np.array([row["probabilities"] for row in rows])
    answers = np.array([[answer[:2] for answer in row["answers"]] for row in rows])
    two_sided = np.array([row["class"] == TWO_SIDED for row in rows])
    money = {context["name"]: answers[:, place] for place, context in enumerate(head["contexts"])}
    exact = {
        "centred": money["money"][:, 0],
        "owned": money["money, owned"][:, 0],
        "unavailable": money["money"][:, 1] / 2,
    }
    usual = np.array([efficiency(row) for row in rows])
    in_matches = {
        owner: np.where(two_sided, implied(owner, probabilities, exact[owner]), usual) for owner in OWNERS
    }
    for place, context in enumerate(head["contexts"]):
        special, plain = "", np.ones((len(rows), 2), np.bool_)
        if context["away"] is None:
            special, plain[two_sided] = "two-sided bear-offs, exact there", False
        elif context["away"] == [2, 2] and context["owner"] == "centred":
            special, plain[:, 0] = "no double cubeless there", False
        yield Recorded(
            context,
            [row["id"] for row in rows],
            probabilities,
            answers[:, place],
            [head["decisions"][str(row["answers"][place][2])] for row in rows],
            np.stack((in_matches[context["owner"]], in_matches["unavailable"]), axis=1),
            special,
            plain,
            two_sided,
        )


def efficiency(row: dict[str, Any]) -> float:
    """Return GNU Backgammon's own x of a position, as found by asking it; not that of two-sided bear-offs."""
    if row["class"] > RACE:
        return 0.68
    if row["class"] < RACE:
        return 0.6
    return min(0.7, max(0.6, 0.55 + Position.from_gnubg_id(row["id"]).pip_counts[0] / 800))


def implied(owner: str, probabilities: Numbers, exact: Numbers) -> Numbers:
    """Return the x with which exact money equities come out, at most 0.6.

    With two-sided bear-offs, which it has exact in money, GNU Backgammon counts on this x in matches.
    """
    stakes = stakes_of(Decision(position=Position.start(), cube_owner=OWNERS[owner]))
    dead, live = (np.array([stakes.value(five, x) for five in probabilities.tolist()]) for x in (0.0, 1.0))
    bends = np.abs(live - dead) > 1e-6
    return np.clip((exact - dead) / np.where(bends, live - dead, np.inf), 0, 0.6)


def decision(context: dict[str, Any]) -> Decision:
    """Return what is decided in a context; the position does not matter."""
    given: dict[str, Any] = {"cube": context["cube"], "cube_owner": OWNERS[context["owner"]]}
    if context["away"] is None:
        given |= {"jacoby": context["jacoby"]}
    else:
        length = max(context["away"])
        score = tuple(length - away for away in context["away"])
        given |= {"match_length": length, "score": score, "crawford": context["crawford"]}
    return Decision(position=Position.start(), **given)


def equities(context: dict[str, Any], probabilities: Numbers, efficiencies: Numbers) -> Numbers:
    """Return bgfast's equities of no double and of double/take, (n, 2); without a cube one of them twice."""
    stakes = stakes_of(decision(context))
    found = np.empty((len(probabilities), 2))
    for row, (five, x) in enumerate(zip(probabilities.tolist(), efficiencies.tolist(), strict=True)):
        found[row, 0] = found[row, 1] = stakes.value(five, x[0])
        if stakes.may_double:
            found[row, 1] = stakes.double_take(five, x[1])
    return np.vectorize(stakes.normalized)(found) if stakes.is_match else found


def gaps(equities: Numbers) -> Numbers:
    """Return what doubling brings more than not doubling, and what passing brings the taker more, (n, 2)."""
    no_double, double_take = equities.T
    return np.stack((np.minimum(double_take, 1) - no_double, double_take - 1), axis=1)


def changed(said: Recorded, found: Numbers) -> npt.NDArray[np.bool_]:
    """Return whether doubler and taker are to do something else, (n, 2); ties do not count."""
    mine, other = gaps(found), gaps(said.equities)
    return ((mine > 0) != (other > 0)) & ((np.abs(mine) > TIE) | (np.abs(other) > TIE))


def same(said: Recorded, found: Numbers) -> npt.NDArray[np.bool_]:
    """Return whether both have the same proper actions, (n,)."""
    return ~changed(said, found).any(axis=1)


def with_its_efficiencies(said: Recorded) -> str:
    """Return the line of the first table for a context."""
    found = equities(said.context, said.probabilities, said.efficiencies)
    places = 2 if said.may_double else 1
    differences, plain = np.abs(found - said.equities)[:, :places], said.plain[:, :places]
    special, usual = differences[~plain], differences[plain]
    return table_line(
        said.context["name"],
        f"{usual.max():.0e}" if usual.size else "–",
        (usual > NEAR).sum(),
        f"{said.special}: {special.size}, up to {special.max():.2f}" if special.size else "",
        *agreement(said, found),
    )


def efficiencies_of(said: Recorded, model: str) -> Numbers:
    """Return what a model finds for no double and for double/take, (n, 2)."""
    stakes, boards = stakes_of(decision(said.context)), from_gnubg_ids(said.ids)
    x = Efficiencies.of_model(model, boards)
    turned = stakes.doubled() if stakes.may_double else stakes
    return np.stack([x.at(each, said.probabilities) for each in (stakes, turned)], axis=1)


def with_efficiencies_of(said: Recorded, model: str) -> tuple[str, list[str]]:
    """Return the line of the second table for a context, and the decisions that differ by much."""
    found = equities(said.context, said.probabilities, efficiencies_of(said, model))
    differences = np.abs(found - said.equities)[:, : 2 if said.may_double else 1]
    errors = np.where(changed(said, found), np.abs(gaps(said.equities)), 0).max(axis=1)
    shown = table_line(
        said.context["name"], f"{differences.mean():.4f}", f"{differences.max():.2f}", *agreement(said, found)
    )
    far = [
        table_line(said.context["name"], said.ids[row], *(f"{value:.3f}" for value in (*found[row], *theirs)))
        for row, theirs in enumerate(said.equities)
        if errors[row] > BLUNDER and said.may_double
    ]
    return shown, far


def against_exact(said: Recorded, bearoff: Bearoff, model: str) -> str:
    """Return the line of the third table for a context; each bear-off counts once."""
    first = np.unique(said.ids, return_index=True)[1]
    rows = np.zeros(len(said.ids), np.bool_)
    rows[first] = True
    chosen = said.only(rows & said.two_sided)
    truth = exact_equities(chosen.context, bearoff, from_gnubg_ids(chosen.ids))
    found = equities(chosen.context, chosen.probabilities, efficiencies_of(chosen, model))
    cells: list[str] = []
    for judged in (found, chosen.equities):
        wrong = (gaps(judged) > 0) != (gaps(truth) > 0)
        lost = np.where(wrong & (np.abs(gaps(truth)) > TABLES), np.abs(gaps(truth)), 0)
        cells += [f"{each:.3f}" for each in np.abs(judged - truth).mean(axis=0)]
        cells += [f"{1000 * each:.1f}" for each in lost.mean(axis=0)]
    return table_line(chosen.context["name"], *cells)


def exact_equities(context: dict[str, Any], bearoff: Bearoff, boards: Boards) -> Numbers:
    """Return the exact equities of no double and of double/take of two-sided bear-offs, (n, 2)."""
    at, place = decision(context), 0 if context["owner"] == "owned" else 1
    if context["away"] is None:
        return bearoff.doubling_equities(boards)[:, [place, 2]]
    met, cubes = MatchEquityTable.builtin(), [context["cube"]]
    while cubes[-1] < max(context["away"]):
        cubes.append(2 * cubes[-1])
    stakes = np.stack((met.after(at, cubes), met.after(at, [-cube for cube in cubes])), axis=1)
    found = bearoff.doubling_equities(boards, stakes)[:, [place, 2]]
    return np.vectorize(stakes_of(at).normalized)(found)


def agreement(said: Recorded, found: Numbers) -> list[str]:
    """Return the cells about proper actions: all, contested, and how many those are."""
    if not said.may_double:
        return ["no cube", "", ""]
    agrees = same(said, found)
    usual = said.plain[:, 1]
    contested = usual & (np.abs(gaps(said.equities)) < CONTESTED).any(axis=1)
    return [f"{100 * agrees[rows].mean():.2f} %" for rows in (usual, contested)] + [f"{contested.sum()}"]


def table_line(*cells: object) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--efficiency", choices=EFFICIENCY_MODELS, help="a model instead of what it took itself"
    )
    parser.add_argument(
        "--exact", action="store_true", help="two-sided bear-offs alone, judged by exact tables"
    )
    chosen = parser.parse_args(arguments)
    contexts = list(recorded(chosen.file))
    if chosen.exact:
        print("| | no double | double/take | doubler | taker | no double | double/take | doubler | taker |")
        print("|---|---|---|---|---|---|---|---|---|")
        bearoff = Bearoff()
        for said in contexts:
            if said.may_double:
                print(against_exact(said, bearoff, chosen.efficiency or "bgfast"), flush=True)
        return
    if chosen.efficiency is None:
        print(
            "| context | greatest difference | beyond 1e-4 | special there | same action | contested | of |"
        )
        print("|---|---|---|---|---|---|---|")
        for said in contexts:
            print(with_its_efficiencies(said), flush=True)
        return
    print(
        "| context | mean difference | greatest | same action | contested | of |\n|---|---|---|---|---|---|"
    )
    far = []
    for said in contexts:
        usual = said.only(~said.two_sided)
        shown, its_far = with_efficiencies_of(usual, chosen.efficiency)
        print(shown, flush=True)
        far += its_far
    print(f"\n{len(far)} decisions are another by more than {BLUNDER}, as GNU Backgammon sees it.")
    if far:
        print("\n| context | position | no double | double/take | no double there | double/take there |")
        print("|---|---|---|---|---|---|", *far, sep="\n")


if __name__ == "__main__":
    main()
