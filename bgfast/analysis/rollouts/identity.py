"""Fingerprints that identify evaluators in a checkpoint.

A built-in evaluator is identified by its type and parameters, a network by its weights, a search and a chain
by their parts. Other objects are opaque: they are identified by their name and their evaluations of sample
boards. Evaluations are compared with a tolerance, since their last digits may differ between machines. An
evaluator that returns different evaluations for the same board is rejected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bgfast.analysis.rollouts.trials import Job
from bgfast.batch.random_successors import random_successors
from bgfast.batch.successors import results, successors
from bgfast.common.probabilities import EQUITY, PROBABILITIES, Numbers
from bgfast.common.rolls import ROLLS
from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.evaluators.evaluators import (
    Chain,
    Evaluator,
    NativeEvaluator,
    PolicyEvaluator,
    TimedEvaluator,
    evaluator_name,
)
from bgfast.evaluation.evaluators.lookahead import Lookahead

ROLES = ("evaluator", "policy", "luck_evaluator")
SAMPLE_BOARDS = 128  # boards that opaque evaluators evaluate
SAMPLE_GAMES = 24
MAX_SAMPLE_PLIES = 400  # plies of a sample game
TOLERANCE = 1e-5  # absolute and relative, far below the errors of rollouts
STORED_DIGITS = 7

Identity = dict[str, Any]


def needs_sample(job: Job) -> bool:
    """Return whether an evaluator of a rollout is identified by its evaluations."""
    return any(map(_needs_sampling, _evaluators(job).values()))


def sample_boards(job: Job) -> Boards:
    """Return boards of random games from the positions of a rollout, shape (n, 26).

    Evaluators need not accept boards that these games cannot reach.
    """
    boards = np.resize(job.boards, (max(SAMPLE_GAMES, len(job.boards)), job.boards.shape[1]))
    visited = [job.boards]
    for ply in range(MAX_SAMPLE_PLIES):
        boards = random_successors(boards, "random", ply, rules=job.rules, flip=True)
        boards = boards[results(boards, job.rules, job.checkers) == 0]
        if not len(boards):
            break
        visited.append(boards)
    all_boards = np.concatenate(visited)
    _, first_rows = np.unique(all_boards, axis=0, return_index=True)
    distinct: Boards = all_boards[np.sort(first_rows)]
    return np.take(
        distinct, np.linspace(0, len(distinct) - 1, min(SAMPLE_BOARDS, len(distinct))).astype(int), axis=0
    )


def identities(job: Job, boards: Boards) -> Identity:
    """Return the fingerprints of the evaluators of a rollout as JSON-compatible data.

    `boards`, shape (n, 26), are the sample boards for opaque evaluators. Raises `BgfastError` if an
    evaluator is not reproducible; its own exceptions are propagated.
    """
    by_role = {role: _identity(evaluator, boards, job) for role, evaluator in _evaluators(job).items()}
    # A role without an entry has the same evaluator as the first.
    return {
        role: identity
        for role, identity in by_role.items()
        if role == ROLES[0] or identity != by_role[ROLES[0]]
    }


def check_same_evaluators(file: str, recorded: Any, current: Identity) -> None:
    """Raise `BgfastError` if the recorded evaluators differ from the current ones."""
    for role in ROLES:
        expected, actual = (
            by_role.get(role, by_role.get(ROLES[0])) if isinstance(by_role, Mapping) else None
            for by_role in (recorded, current)
        )
        if difference := _difference(expected, actual):
            raise BgfastError(f"{file} is that of another rollout: its {role} {difference}")


def _evaluators(job: Job) -> dict[str, Evaluator]:
    return {role: evaluator for role in ROLES if (evaluator := getattr(job, role)) is not None}


# ---------------------------------------------------------------- fingerprints


def _is_bgfast_type(evaluator: Any) -> bool:
    """Return whether the exact type belongs to bgfast; derived classes may override anything."""
    return type(evaluator).__module__.partition(".")[0] == "bgfast"


def _needs_sampling(evaluator: Any) -> bool:
    if _is_bgfast_type(evaluator) and isinstance(evaluator, Lookahead):
        return _needs_sampling(evaluator.evaluator)
    if _is_bgfast_type(evaluator) and isinstance(evaluator, Chain):
        return True  # its parts decide which boards they cover
    return not (_is_bgfast_type(evaluator) and isinstance(evaluator, NativeEvaluator))


def _identity(evaluator: Any, boards: Boards, job: Job) -> Identity:
    if _is_bgfast_type(evaluator):
        if isinstance(evaluator, Lookahead):
            return _search_identity(evaluator, boards, job)
        if isinstance(evaluator, Chain):
            return _chain_identity(evaluator, boards, job)
        if isinstance(evaluator, NativeEvaluator):
            return {"core": repr(evaluator)}
    return _sampled_identity(evaluator, boards, job)


def _search_identity(search: Lookahead, boards: Boards, job: Job) -> Identity:
    rules = search.rules
    filter_settings = [list(search.candidates), list(search.threshold)]
    rule_settings = [rules.win_scheme, list(generated_switches(rules) or ())]
    return {
        "lookahead": [search.ply, *filter_settings, *rule_settings],
        "of": _identity(search.evaluator, boards, job),
    }


def _chain_identity(chain: Chain, boards: Boards, job: Job) -> Identity:
    remaining, parts = boards, []
    for number, part in enumerate(chain.evaluators, 1):
        covered = np.ones(len(remaining), bool)
        if number < len(chain.evaluators):
            covered = np.asarray(part.covers(remaining), bool)
        identity = _identity(part, remaining[covered], job)
        parts.append({"covers": "".join("01"[bit] for bit in covered.tolist()), **identity})
        remaining = remaining[~covered]
    return {"chain": parts}


def _sampled_identity(evaluator: Any, boards: Boards, job: Job) -> Identity:
    name = evaluator_name(evaluator)
    if not len(boards):
        if not isinstance(getattr(evaluator, "name", None), str):
            raise BgfastError(
                f"evaluator {shown(evaluator)} covers no sample position, so that no checkpoint can identify "
                "it; expected a unique attribute `name`"
            )
        return {"name": name}
    evaluations, repeated = (
        _evaluations(evaluator, boards, job),
        _evaluations(evaluator, boards[::-1], job)[::-1],
    )
    if pair := _first_difference(evaluations, repeated):
        raise BgfastError(
            f"evaluator {shown(evaluator)} returns {pair[0]} for a board, and {pair[1]} in another batch; "
            "expected reproducible evaluations with a checkpoint"
        )
    identity: Identity = {
        "name": name,
        "answers": [[float(f"{x:.{STORED_DIGITS}g}") for x in row] for row in evaluations.tolist()],
    }
    if isinstance(evaluator, PolicyEvaluator):
        identity["chooses"] = _choices(evaluator, boards, job)
    return identity


def _evaluations(evaluator: Any, boards: Boards, job: Job) -> Numbers:
    """Return probabilities of shape (n, 5) or, without them, equities of shape (n, 1)."""
    timed = TimedEvaluator(evaluator, rules=job.rules)
    evaluations = timed.evaluations(
        np.ascontiguousarray(boards), np.zeros(len(boards), np.int8), job.checkers
    )
    return evaluations[:, :PROBABILITIES] if timed.probabilities else evaluations[:, EQUITY:]


def _choices(evaluator: PolicyEvaluator, boards: Boards, job: Job) -> list[int]:
    rolls = np.resize(np.array(ROLLS, np.int8), (len(boards), 2))
    plays = successors(boards, rolls, rules=job.rules, flip=True, passes="keep")
    return [int(row) for row in evaluator._chosen(plays, job.checkers) - plays.offsets[:-1]]


# ---------------------------------------------------------------- comparison


def _difference(recorded: Any, current: Any) -> str:
    """Return the difference of two fingerprints as the predicate of "its evaluator", empty if none."""
    if not isinstance(recorded, Mapping) or recorded.keys() != current.keys():
        return f"is {_description(recorded)}, here it is {_description(current)}"
    for key, value in current.items():
        expected = recorded[key]
        if key == "answers":
            if pair := _first_difference(_as_array(expected), _as_array(value)):
                return f"returns {pair[0]} for a position, here it returns {pair[1]}"
        elif key == "of":
            if difference := _difference(expected, value):
                return f"searches with an evaluator that {difference}"
        elif key == "chain":
            if not isinstance(expected, list) or len(expected) != len(value):
                return f"is {_description(recorded)}, here it is {_description(current)}"
            for number, (part, actual) in enumerate(zip(expected, value, strict=True), 1):
                if difference := _difference(part, actual):
                    return f"has a part {number} that {difference}"
        elif expected != value:
            phrases = {"covers": "covers other positions", "chooses": "chooses other plays"}
            return phrases.get(key) or f"is {shown(expected)}, here it is {shown(value)}"
    return ""


def _description(identity: Any) -> str:
    if isinstance(identity, Mapping):
        if "core" in identity:
            return f"{shown(identity['core'])} of bgfast"
        if "name" in identity:
            return shown(identity["name"])
        if isinstance(identity.get("chain"), list):
            return f"a chain of {len(identity['chain'])} parts"
        if "of" in identity:
            return f"a search with {_description(identity['of'])}"
    return shown(identity)


def _as_array(rows: Any) -> Numbers:
    try:
        return np.array(rows, np.float64)
    except (ValueError, TypeError):
        return np.empty((0, 0))


def _first_difference(expected: Numbers, actual: Numbers) -> tuple[str, str] | None:
    """Return the first two rows that differ by more than the tolerance, as text."""
    if expected.shape != actual.shape:
        return f"shape {shown(expected.shape)}", f"shape {shown(actual.shape)}"
    is_different = ~np.isclose(expected, actual, rtol=TOLERANCE, atol=TOLERANCE).all(axis=1)
    if not is_different.any():
        return None
    row = int(np.argmax(is_different))
    return _row_text(expected[row].tolist()), _row_text(actual[row].tolist())


def _row_text(row: Sequence[float]) -> str:
    return " ".join(f"{number:.6g}" for number in row)
