"""bgfast's cube beside GNU Backgammon's, from the same five probabilities.

``python -m benchmarks.peers.cube_agreement FILE``, from a clone, with a file of `gnubg_cube` beside it; the
table goes to standard output. A decision is *contested* if doubler or taker are to lose less than 0.1 by the
other choice, as GNU Backgammon sees it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast import Decision, Position
from bgfast.analysis.cube.stakes import stakes_of

CONTESTED = 0.1
NEAR = 1e-4
TIE = 2e-6
TWO_SIDED, RACE = 4, 8  # of GNU Backgammon's classes of positions, in which less is nearer to the end
OWNERS = {"centred": 0, "owned": 1, "unavailable": -1}

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recorded:
    """What GNU Backgammon said of all positions in one context, and its efficiencies of the cube for each.

    Equities and efficiencies are those of no double and of double/take, shape (n, 2). `special` is why some
    equities are not made of the probabilities and an efficiency; `plain` marks those that are.
    """

    context: dict[str, Any]
    probabilities: Numbers
    equities: Numbers
    words: list[str]
    efficiencies: Numbers
    special: str
    plain: npt.NDArray[np.bool_]


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
            probabilities,
            answers[:, place],
            [head["decisions"][str(row["answers"][place][2])] for row in rows],
            np.stack((in_matches[context["owner"]], in_matches["unavailable"]), axis=1),
            special,
            plain,
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
    fields: dict[str, Any] = {"cube": context["cube"], "cube_owner": OWNERS[context["owner"]]}
    if context["away"] is None:
        fields |= {"jacoby": context["jacoby"]}
    else:
        length = max(context["away"])
        score = tuple(length - away for away in context["away"])
        fields |= {"match_length": length, "score": score, "crawford": context["crawford"]}
    return Decision(position=Position.start(), **fields)


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


def same_action(found: Numbers, theirs: Numbers) -> npt.NDArray[np.bool_]:
    """Return whether both have the same proper action, (n,); what is a tie to seven digits is none."""
    mine, other = gaps(found), gaps(theirs)
    return ((mine > 0) == (other > 0)) | (np.abs(mine) < TIE) & (np.abs(other) < TIE)


def line(said: Recorded, found: Numbers) -> str:
    """Return the line of the table for a context."""
    may_double = "Never" not in said.words[0]
    differences = np.abs(found - said.equities)
    plain = said.plain
    if not may_double:
        differences, plain = differences[:, :1], plain[:, :1]
    special, usual = differences[~plain], differences[plain]
    cells = [said.context["name"], f"{usual.max():.0e}" if usual.size else "–", f"{(usual > NEAR).sum()}"]
    cells.append(f"{said.special}: {special.size}, up to {special.max():.2f}" if special.size else "")
    if may_double:
        same = same_action(found, said.equities).all(axis=1)
        contested = (np.abs(gaps(said.equities)) < CONTESTED).any(axis=1)
        cells += [f"{100 * same.mean():.2f} %", f"{100 * same[contested].mean():.2f} %", f"{contested.sum()}"]
    else:
        cells += ["no cube", "", ""]
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    chosen = parser.parse_args(arguments)
    print("| context | greatest difference | beyond 1e-4 | special there | same action | contested | of |")
    print("|---|---|---|---|---|---|---|")
    for said in recorded(chosen.file):
        print(line(said, equities(said.context, said.probabilities, said.efficiencies)), flush=True)


if __name__ == "__main__":
    main()
