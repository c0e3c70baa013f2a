"""By what a checkpoint knows an evaluator: what it is made of, or what it answers for some boards.

An evaluator of the core is its type with its parameters, a network its weights; one that looks ahead and a
chain are their parts. Of any other object nobody knows what it is made of: it is known by its name and by
what it answers. The last digits of an answer may differ between machines, so that answers are the same if
they are close; an evaluator that answers otherwise when it is asked again is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bgfast.analysis.evaluators.evaluators import (
    BuiltIn,
    Chain,
    Evaluator,
    Player,
    TimedEvaluator,
    evaluator_name,
)
from bgfast.analysis.evaluators.lookahead import Lookahead
from bgfast.analysis.rollouts.trials import Job
from bgfast.batch.random_successors import random_successors
from bgfast.batch.successors import results, successors
from bgfast.common.probabilities import EQUITY, PROBABILITIES, Numbers
from bgfast.common.rolls import ROLLS
from bgfast.common.validation import generated_switches
from bgfast.common.vocabulary import Boards
from bgfast.errors import BgfastError, shown

__all__ = ["check_same_evaluators", "identities", "needs_boards", "sample_boards"]

ROLES = ("evaluator", "policy", "luck_evaluator")
SAMPLE = 128  # boards that an evaluator is asked for
GAMES = 24
LONGEST = 400  # plies of a game that boards are taken from
CLOSE = 1e-5  # between two answers, in points or as a share: less than any rollout can show
DIGITS = 7

Identity = dict[str, Any]


def needs_boards(job: Job) -> bool:
    """Whether one of the evaluators of a rollout is known by its answers alone."""
    return any(map(_is_stranger, _evaluators(job).values()))


def sample_boards(job: Job) -> Boards:
    """Return boards that a rollout may come to, from all parts of its games, (n, 26).

    No evaluator has to be able to judge others. They are those of random games.
    """
    boards = np.resize(job.boards, (max(GAMES, len(job.boards)), job.boards.shape[1]))
    met = [job.boards]
    for ply in range(LONGEST):
        boards = random_successors(boards, "random", ply, rules=job.rules, flip=True)
        boards = boards[results(boards, job.rules, job.checkers) == 0]
        if not len(boards):
            break
        met.append(boards)
    found = np.concatenate(met)
    _, first = np.unique(found, axis=0, return_index=True)
    distinct: Boards = found[np.sort(first)]
    return np.take(
        distinct, np.linspace(0, len(distinct) - 1, min(SAMPLE, len(distinct))).astype(int), axis=0
    )


def identities(job: Job, boards: Boards) -> Identity:
    """Return by what the evaluators of a rollout are known, as JSON can hold it.

    Parameters
    ----------
    job : Job
    boards : ndarray of int8, shape (n, 26)
        What those are asked for that are known by their answers.

    Raises
    ------
    BgfastError
        If one answers otherwise when it is asked again. What an evaluator raises is passed on as it is.
    """
    found = {role: _identity(evaluator, boards, job) for role, evaluator in _evaluators(job).items()}
    # Mostly one does it all.
    return {role: each for role, each in found.items() if role == ROLES[0] or each != found[ROLES[0]]}


def check_same_evaluators(file: str, found: Any, own: Identity) -> None:
    """Raise `BgfastError` if a file was begun with other evaluators; the message says which, and how."""
    for role in ROLES:
        before, now = (
            each.get(role, each.get(ROLES[0])) if isinstance(each, Mapping) else None for each in (found, own)
        )
        if why := _difference(before, now):
            raise BgfastError(f"{file} is that of another rollout: its {role} {why}")


def _evaluators(job: Job) -> dict[str, Evaluator]:
    return {role: each for role in ROLES if (each := getattr(job, role)) is not None}


# ---------------------------------------------------------------- what one is


def _is_ours(evaluator: Any) -> bool:
    """Whether its type is one of bgfast's; one derived from it may answer anything."""
    return type(evaluator).__module__.partition(".")[0] == "bgfast"


def _is_stranger(evaluator: Any) -> bool:
    if _is_ours(evaluator) and isinstance(evaluator, Lookahead):
        return _is_stranger(evaluator.evaluator)
    if _is_ours(evaluator) and isinstance(evaluator, Chain):
        return True  # what its parts cover is for them to answer
    return not (_is_ours(evaluator) and isinstance(evaluator, BuiltIn))


def _identity(evaluator: Any, boards: Boards, job: Job) -> Identity:
    if _is_ours(evaluator):
        if isinstance(evaluator, Lookahead):
            return _of_lookahead(evaluator, boards, job)
        if isinstance(evaluator, Chain):
            return _of_chain(evaluator, boards, job)
        if isinstance(evaluator, BuiltIn):
            return {"core": repr(evaluator)}
    return _of_stranger(evaluator, boards, job)


def _of_lookahead(player: Lookahead, boards: Boards, job: Job) -> Identity:
    rules = player.rules
    filters = [list(player.candidates), list(player.threshold)]
    played = [rules.win_scheme, list(generated_switches(rules) or ())]
    return {"lookahead": [player.ply, *filters, *played], "of": _identity(player.evaluator, boards, job)}


def _of_chain(chain: Chain, boards: Boards, job: Job) -> Identity:
    left, parts = boards, []
    for number, part in enumerate(chain.evaluators, 1):
        covered = np.ones(len(left), bool)
        if number < len(chain.evaluators):
            covered = np.asarray(part.covers(left), bool)
        answers = _identity(part, left[covered], job)
        parts.append({"covers": "".join("01"[each] for each in covered.tolist()), **answers})
        left = left[~covered]
    return {"chain": parts}


def _of_stranger(evaluator: Any, boards: Boards, job: Job) -> Identity:
    name = evaluator_name(evaluator)
    if not len(boards):
        if not isinstance(getattr(evaluator, "name", None), str):
            raise BgfastError(
                f"evaluator {shown(evaluator)} covers no position by which a checkpoint could know it; "
                "expected a `name` that tells it apart"
            )
        return {"name": name}
    answers, again = _answers(evaluator, boards), _answers(evaluator, boards[::-1])[::-1]
    if apart := _first_difference(answers, again):
        raise BgfastError(
            f"evaluator {shown(evaluator)} answers {apart[0]} for a board and {apart[1]} when it is asked "
            "again; a checkpoint needs one that answers the same, whatever stands beside it"
        )
    identity: Identity = {
        "name": name,
        "answers": [[float(f"{x:.{DIGITS}g}") for x in row] for row in answers.tolist()],
    }
    if isinstance(evaluator, Player):
        identity["chooses"] = _choices(evaluator, boards, job)
    return identity


def _answers(evaluator: Any, boards: Boards) -> Numbers:
    """Return five probabilities a board, (n, 5), or the equity alone, (n, 1)."""
    timed = TimedEvaluator(evaluator)
    evaluations = timed.evaluations(np.ascontiguousarray(boards), np.zeros(len(boards), np.int8))
    return evaluations[:, :PROBABILITIES] if timed.probabilities else evaluations[:, EQUITY:]


def _choices(evaluator: Player, boards: Boards, job: Job) -> list[int]:
    rolls = np.resize(np.array(ROLLS, np.int8), (len(boards), 2))
    found = successors(boards, rolls, rules=job.rules, flip=True, passes="keep")
    return [int(row) for row in evaluator.chosen(found, job.checkers) - found.offsets[:-1]]


# ---------------------------------------------------------------- whether two are the same


def _difference(found: Any, own: Any) -> str:
    """Return in what two identities differ, behind "its evaluator"; nothing if they do not."""
    if not isinstance(found, Mapping) or found.keys() != own.keys():
        return f"is {_called(found)}, here it is {_called(own)}"
    for word, value in own.items():
        before = found[word]
        if word == "answers":
            if apart := _first_difference(_numbers(before), _numbers(value)):
                return f"answers {apart[0]} for a position, here it answers {apart[1]}"
        elif word == "of":
            if why := _difference(before, value):
                return f"looks ahead with one that {why}"
        elif word == "chain":
            if not isinstance(before, list) or len(before) != len(value):
                return f"is {_called(found)}, here it is {_called(own)}"
            for number, (part, now) in enumerate(zip(before, value, strict=True), 1):
                if why := _difference(part, now):
                    return f"has a part {number} that {why}"
        elif before != value:
            names = {"covers": "covers other positions", "chooses": "chooses other plays"}
            return names.get(word) or f"is {shown(before)}, here it is {shown(value)}"
    return ""


def _called(identity: Any) -> str:
    if isinstance(identity, Mapping):
        if "core" in identity:
            return f"{shown(identity['core'])} of bgfast"
        if "name" in identity:
            return shown(identity["name"])
        if isinstance(identity.get("chain"), list):
            return f"a chain of {len(identity['chain'])} parts"
        if "of" in identity:
            return f"one that looks ahead with {_called(identity['of'])}"
    return shown(identity)


def _numbers(answers: Any) -> Numbers:
    try:
        return np.array(answers, np.float64)
    except (ValueError, TypeError):
        return np.empty((0, 0))


def _first_difference(found: Numbers, own: Numbers) -> tuple[str, str] | None:
    """Return the first two answers that are not close, as text."""
    if found.shape != own.shape:
        return f"in the shape {shown(found.shape)}", f"in the shape {shown(own.shape)}"
    far = ~np.isclose(found, own, rtol=CLOSE, atol=CLOSE).all(axis=1)
    if not far.any():
        return None
    row = int(np.argmax(far))
    return _shown_answer(found[row].tolist()), _shown_answer(own[row].tolist())


def _shown_answer(answer: Sequence[float]) -> str:
    return " ".join(f"{number:.6g}" for number in answer)
