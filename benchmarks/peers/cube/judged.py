"""Roll out what bgfast's cube and GNU Backgammon's decide otherwise.

``python -m benchmarks.peers.cube.judged ANSWERS ROLLOUTS``, from a clone, with a file of `gnubg_answers`.
Judged are the decisions that `agreement` lists: from the same five probabilities both do something
else, and one of them is wrong by more than `BLUNDER`, as GNU Backgammon sees it. Each is rolled out, not to
double, and to double and have it taken, by `builtin-fast` with luck subtracted; the file ROLLOUTS keeps what
was rolled out, and is gone on with. Contexts take turns, and decisions of each come in random order: what is
there after any time is a sample.

For each context: how many there are, how many were rolled out, in how many bgfast's action was right, and by
how much it was better a decision, with a 95 % interval. Then the same where both decide from the rollouts'
own probabilities.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast
from benchmarks.peers.cube.agreement import (
    BLUNDER,
    Recorded,
    changed,
    decision,
    efficiencies_of,
    equities,
    gaps,
    recorded,
    table_line,
)
from bgfast import Decision, Network, Position
from bgfast.evaluators import WithBearoff

FORMAT = 1
HEADS = ["context", "differ", "rolled out", "right", "better by", "own probabilities: differ", "better by"]


class Contested(NamedTuple):
    """A decision that both see otherwise, and whether to double and to pass, as each says."""

    name: str
    decision: Decision
    own: npt.NDArray[np.bool_]
    theirs: npt.NDArray[np.bool_]

    @property
    def key(self) -> tuple[str, str]:
        """What a rollout is found by."""
        return self.name, self.decision.position.gnubg_id


def contested(said: Recorded, seed: int) -> list[Contested]:
    """Return the decisions of a context, in random order."""
    usual = said.only(~said.two_sided)
    if not usual.may_double:
        return []
    found = equities(usual.context, usual.probabilities, efficiencies_of(usual, "bgfast"))
    errors = np.where(changed(usual, found), np.abs(gaps(usual.equities)), 0).max(axis=1)
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(errors > BLUNDER))
    at = decision(usual.context)
    return [
        Contested(
            usual.context["name"],
            replace(at, position=Position.from_gnubg_id(usual.ids[row])),
            gaps(found)[row] > 0,
            gaps(usual.equities)[row] > 0,
        )
        for row in rows
    ]


def rolled_out(one: Contested, trials: int) -> dict[str, Any]:
    """Return what is kept of a rollout."""
    player = WithBearoff(Network.builtin_fast())
    result = bgfast.rollout(one.decision, player, trials=trials, variance_reduction=True)
    assert result.cube is not None
    (waiting,) = (each for each in result.estimates if each.name.startswith("no "))
    assert waiting.probabilities is not None
    return {
        "context": one.name,
        "id": one.decision.position.gnubg_id,
        "phase": one.decision.position.phase,
        "no_double": round(result.cube.no_double, 5),
        "double_take": round(result.cube.double_take, 5),
        "probabilities": [round(each, 5) for each in waiting.probabilities],
    }


def gain(one: Contested, truth: dict[str, Any]) -> float:
    """Return what bgfast's actions bring more than GNU Backgammon's, those of doubler and taker together."""
    double, take = gaps(np.array([[truth["no_double"], truth["double_take"]]]))[0]
    better = one.own.astype(float) - one.theirs
    return float(better @ [double, take])


def from_its_own(one: Contested, truth: dict[str, Any]) -> Contested:
    """Return the decision, of which both think by the probabilities that its rollout has found."""
    # With luck subtracted a chance may be found greater than one that it is a part of.
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.clip(truth["probabilities"], 0, 1)
    won, lost = min(win, win_gammon), min(1 - win, lose_gammon)
    five = np.array([win, won, min(won, win_backgammon), lost, min(lost, lose_backgammon)])
    acts = []
    for model in ("bgfast", "gnubg"):
        actions = bgfast.cube.cube_actions(five, one.decision, efficiency=model)
        acts.append(gaps(np.array([[actions.no_double, actions.double_take]]))[0] > 0)
    return one._replace(own=acts[0], theirs=acts[1])


def line(name: str, differ: int, judged: list[tuple[Contested, dict[str, Any]]]) -> str:
    """Return the line of a context."""
    gains = np.array([gain(*each) for each in judged])
    others = [(from_its_own(*each), each[1]) for each in judged]
    apart = sum(bool((each.own != each.theirs).any()) for each, _ in others)
    return table_line(
        name,
        differ,
        len(gains),
        (gains > 0).sum(),
        _mean(gains),
        apart,
        _mean(np.array([gain(*each) for each in others])),
    )


def _mean(gains: npt.NDArray[np.float64]) -> str:
    error = 1.96 * gains.std() / np.sqrt(max(1, len(gains)))
    return f"{gains.mean():+.3f} ± {error:.3f}" if len(gains) else ""


def kept(file: Path, head: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the rollouts of a file, which is begun if there is none."""
    if not file.exists():
        file.write_text(json.dumps(head) + "\n", encoding="ascii")
    begun, *rows = map(json.loads, file.read_text(encoding="ascii").splitlines())
    if begun != head:
        raise SystemExit(f"{file} was begun with other options")
    yield from rows


def main(arguments: list[str] | None = None) -> None:
    """Roll out what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("answers", type=Path)
    parser.add_argument("rollouts", type=Path)
    parser.add_argument("--trials", type=int, default=144, metavar="N")
    parser.add_argument("--most", type=int, metavar="N", help="rolled out of each context")
    parser.add_argument("--seed", type=int, default=1, help="of the order of decisions")
    chosen = parser.parse_args(arguments)
    of_contexts = [contested(said, chosen.seed) for said in recorded(chosen.answers)]
    truths = {
        (row["context"], row["id"]): row
        for row in kept(chosen.rollouts, {"format": FORMAT, "trials": chosen.trials})
    }
    turns = chain.from_iterable(zip_longest(*(found[: chosen.most] for found in of_contexts)))
    with chosen.rollouts.open("a", encoding="ascii") as file:
        for one in turns:
            if one is not None and one.key not in truths:
                truths[one.key] = rolled_out(one, chosen.trials)
                print(json.dumps(truths[one.key]), file=file, flush=True)
    print(table_line(*HEADS), table_line(*["---"] * len(HEADS)), sep="\n")
    for found in of_contexts:
        if found:
            judged = [(one, truths[one.key]) for one in found if one.key in truths]
            print(line(found[0].name, len(found), judged))


if __name__ == "__main__":
    main()
