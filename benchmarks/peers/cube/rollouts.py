"""Rollouts of cube decisions in which bgfast and GNU Backgammon differ.

``python -m benchmarks.peers.cube.rollouts ANSWERS ROLLOUTS``, from a clone, reads a file of `gnubg_answers`
and rolls out the decisions that ``agreement --efficiency bgfast`` lists, no double and double/take, by
`builtin-fast` with luck subtracted. The results are appended to the file ROLLOUTS, so that a run resumes.
Contexts take turns and the decisions of a context come in random order: a partial file is a random sample.

The table has, for each context: differing decisions, rollouts, rollouts in which bgfast's actions are right,
and the mean gain of bgfast's actions with its 95 % interval; then the differing decisions and the gain where
both programs decide from the probabilities of the rollout.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import bgfast
from benchmarks.peers.cube.agreement import (
    BLUNDER,
    ContextRecord,
    action_errors,
    action_gains,
    decision_in,
    model_efficiencies,
    own_equities,
    print_head,
    read_contexts,
)
from benchmarks.peers.report import table_row
from bgfast import Decision, Network, Position
from bgfast.common.probabilities import NORMAL_95
from bgfast.evaluators import WithBearoff

FORMAT = 1
HEADS = ("context", "differ", "rolled out", "right", "better by", "own probabilities: differ", "better by")

Key = tuple[str, str]
"""Name of the context and position ID."""


class DisputedDecision(NamedTuple):
    """A cube decision on which the programs differ.

    Attributes
    ----------
    context : str
    decision : Decision
    own_actions, gnubg_actions : bool array, shape (2,)
        Whether to double, and whether to drop.
    """

    context: str
    decision: Decision
    own_actions: npt.NDArray[np.bool_]
    gnubg_actions: npt.NDArray[np.bool_]

    @property
    def key(self) -> Key:
        """Key of its rollout."""
        return self.context, self.decision.position.gnubg_id


def disputed_decisions(record: ContextRecord, seed: int) -> list[DisputedDecision]:
    """Return the decisions of a context with an error above `BLUNDER`, in random order."""
    others = record.select(~record.is_two_sided)
    if not others.may_double:
        return []
    equities = own_equities(others.context, others.probabilities, model_efficiencies(others, "bgfast"))
    rows = np.flatnonzero(action_errors(others, equities) > BLUNDER)
    decision = decision_in(others.context)
    return [
        DisputedDecision(
            others.name,
            replace(decision, position=Position.from_gnubg_id(others.ids[row])),
            action_gains(equities)[row] > 0,
            action_gains(others.equities)[row] > 0,
        )
        for row in np.random.default_rng(seed).permutation(rows)
    ]


def roll_out(disputed: DisputedDecision, trials: int) -> dict[str, Any]:
    """Return the row of a decision's rollout in the file."""
    evaluator = WithBearoff(Network.builtin_fast())
    result = bgfast.rollout(disputed.decision, evaluator, trials=trials, variance_reduction=True)
    assert result.cube is not None
    (no_double,) = (estimate for estimate in result.estimates if estimate.name.startswith("no "))
    assert no_double.probabilities is not None
    return {
        "context": disputed.context,
        "id": disputed.decision.position.gnubg_id,
        "phase": disputed.decision.position.phase,
        "no_double": round(result.cube.no_double, 5),
        "double_take": round(result.cube.double_take, 5),
        "probabilities": [round(number, 5) for number in no_double.probabilities],
    }


def gain(disputed: DisputedDecision, rollout: dict[str, Any]) -> float:
    """Return the gain of bgfast's actions over GNU Backgammon's, doubler and taker together."""
    gains = action_gains(np.array([[rollout["no_double"], rollout["double_take"]]]))[0]
    return float((disputed.own_actions.astype(float) - disputed.gnubg_actions) @ gains)


def with_rollout_probabilities(disputed: DisputedDecision, rollout: dict[str, Any]) -> DisputedDecision:
    """Return the decision with the actions of both models from the rollout's probabilities."""
    # Luck is subtracted: an estimate may exceed that of the more frequent outcome which includes it.
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.clip(rollout["probabilities"], 0, 1)
    win_gammon, lose_gammon = min(win, win_gammon), min(1 - win, lose_gammon)
    win_backgammon, lose_backgammon = min(win_gammon, win_backgammon), min(lose_gammon, lose_backgammon)
    probabilities = np.array([win, win_gammon, win_backgammon, lose_gammon, lose_backgammon])
    actions = []
    for model in ("bgfast", "gnubg"):
        cube = bgfast.cube.cube_actions(probabilities, disputed.decision, efficiency=model)
        actions.append(action_gains(np.array([[cube.no_double, cube.double_take]]))[0] > 0)
    return disputed._replace(own_actions=actions[0], gnubg_actions=actions[1])


def context_row(name: str, differ: int, rolled_out: list[tuple[DisputedDecision, dict[str, Any]]]) -> str:
    """Return the table row of a context."""
    gains = np.array([gain(*pair) for pair in rolled_out])
    decided_again = [(with_rollout_probabilities(*pair), pair[1]) for pair in rolled_out]
    still_differ = sum(
        bool((disputed.own_actions != disputed.gnubg_actions).any()) for disputed, _ in decided_again
    )
    return table_row(
        name,
        differ,
        len(gains),
        (gains > 0).sum(),
        _mean(gains),
        still_differ,
        _mean(np.array([gain(*pair) for pair in decided_again])),
    )


def _mean(gains: npt.NDArray[np.float64]) -> str:
    error = NORMAL_95 * gains.std() / np.sqrt(max(1, len(gains)))
    return f"{gains.mean():+.3f} ± {error:.3f}" if len(gains) else ""


def read_rollouts(file: Path, head: dict[str, Any]) -> dict[Key, dict[str, Any]]:
    """Return the rollouts of a file; create the file if it does not exist."""
    if not file.exists():
        file.write_text(json.dumps(head) + "\n", encoding="ascii")
    recorded_head, *rows = map(json.loads, file.read_text(encoding="ascii").splitlines())
    if recorded_head != head:
        raise SystemExit(f"{file} was begun with other options")
    return {(row["context"], row["id"]): row for row in rows}


def main(words: Sequence[str] | None = None) -> None:
    """Roll out the missing decisions and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("answers", type=Path, metavar="ANSWERS", help="file of gnubg_answers")
    parser.add_argument("rollouts", type=Path, metavar="ROLLOUTS", help="file of the rollouts")
    parser.add_argument("--trials", type=int, default=144, metavar="N")
    parser.add_argument("--max-decisions", type=int, metavar="N", help="rollouts of each context (all)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the order (1)")
    options = parser.parse_args(words)
    disputed = [disputed_decisions(record, options.seed) for record in read_contexts(options.answers)]
    rollouts = read_rollouts(options.rollouts, {"format": FORMAT, "trials": options.trials})
    with options.rollouts.open("a", encoding="ascii") as file:
        turns = zip_longest(*(decisions[: options.max_decisions] for decisions in disputed))
        for decision in filter(None, chain.from_iterable(turns)):
            if decision.key not in rollouts:
                rollouts[decision.key] = roll_out(decision, options.trials)
                print(json.dumps(rollouts[decision.key]), file=file, flush=True)
    print_head(HEADS)
    for decisions in filter(None, disputed):
        pairs = [(decision, rollouts[decision.key]) for decision in decisions if decision.key in rollouts]
        print(context_row(decisions[0].context, len(decisions), pairs))


if __name__ == "__main__":
    main()
