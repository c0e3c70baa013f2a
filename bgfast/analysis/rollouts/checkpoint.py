"""Checkpoints of rollouts: journals of finished blocks of trials, from which a rollout resumes.

A record has the trials of a block (`first` up to but not including `last`), `points`, `plies` and `adjusted`
by candidate, and the `seconds` and `evaluator_seconds` taken. `adjusted` is null if points are not adjusted;
probabilities are null if the evaluator returns equities; with a cube, each game's cubeful value follows its
evaluation. Blocks may have any size; a block begins where the previous one ends.

Fingerprints identify the evaluators of a checkpoint: a built-in evaluator by its type and parameters, a
network by its weights, a search and a chain by their parts. Other objects are opaque: they are identified by
their name and their evaluations of sample boards. Evaluations are compared with a tolerance, since their last
digits may differ between machines. An evaluator that returns different evaluations for the same board is
rejected.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts.candidates import MAX_POINTS
from bgfast.analysis.rollouts.trials import MAX_PLIES, Block, Job
from bgfast.batch.random_positions import random_successors
from bgfast.batch.successors import results, successors, validate_boards
from bgfast.common.journal import Journal
from bgfast.common.probabilities import EQUITY, EVALUATION, PROBABILITIES, SLACK, Numbers, are_probabilities
from bgfast.common.validation import MAX_STORED, ROLLS, Boards, generator_switches, number_from_file
from bgfast.errors import BgfastError, short_repr
from bgfast.evaluation.evaluators.evaluators import (
    Chain,
    Evaluator,
    PolicyEvaluator,
    TimedEvaluator,
    evaluator_name,
    native_of,
)
from bgfast.evaluation.evaluators.lookahead import Lookahead

ROLES = ("evaluator", "policy", "luck_evaluator")
SAMPLE_BOARDS = 128  # maximum number of boards that opaque evaluators evaluate
SAMPLE_GAMES = 24
MAX_SAMPLE_PLIES = 400  # plies of a sample game
TOLERANCE = 1e-5  # absolute and relative, far below the errors of rollouts
STORED_DIGITS = 7

Fingerprint = dict[str, Any]


def sample_boards(job: Job) -> Boards:
    """Return boards, (n, 26), of random games from the positions of a rollout."""
    boards = np.resize(job.boards, (max(SAMPLE_GAMES, len(job.boards)), job.boards.shape[1]))
    visited_boards = [job.boards]
    for ply in range(MAX_SAMPLE_PLIES):
        boards = random_successors(boards, "random", ply, rules=job.rules, flip=True)
        boards = boards[results(boards, job.rules, job.checkers) == 0]
        if not len(boards):
            break
        visited_boards.append(boards)
    all_boards = np.concatenate(visited_boards)
    _, first_rows = np.unique(all_boards, axis=0, return_index=True)
    distinct_boards: Boards = all_boards[np.sort(first_rows)]
    count = min(SAMPLE_BOARDS, len(distinct_boards))
    rows = np.linspace(0, len(distinct_boards) - 1, count).astype(int)
    return np.take(distinct_boards, rows, axis=0)


def fingerprints(job: Job, boards: Boards) -> Fingerprint:
    """Return the fingerprints of the evaluators of a rollout; opaque evaluators evaluate the sample boards.

    Raises `BgfastError` if an evaluator is not reproducible; exceptions of evaluators are propagated.
    """
    by_role = {role: _fingerprint(evaluator, boards, job) for role, evaluator in _evaluators(job).items()}
    main = by_role[ROLES[0]]
    # A role without an entry has the same evaluator as the first role.
    return {ROLES[0]: main, **{role: item for role, item in by_role.items() if item != main}}


def check_same_evaluators(file: str, recorded: Any, current: Fingerprint) -> None:
    """Raise `BgfastError` if the recorded evaluators differ from the current ones."""
    for role in ROLES:
        expected, actual = (
            by_role.get(role, by_role.get(ROLES[0])) if isinstance(by_role, Mapping) else None
            for by_role in (recorded, current)
        )
        if difference := _difference(expected, actual):
            raise BgfastError(f"{file} belongs to another rollout: its {role} {difference}")


def _evaluators(job: Job) -> dict[str, Evaluator]:
    return {role: evaluator for role in ROLES if (evaluator := getattr(job, role)) is not None}


# ---- fingerprints ----


def _identification_method(evaluator: Any) -> str:
    """Return the method that identifies an evaluator; subclasses outside bgfast may override anything."""
    if type(evaluator).__module__.partition(".")[0] != "bgfast":
        return "sample"
    if isinstance(evaluator, Lookahead):
        return "search"
    if isinstance(evaluator, Chain):
        return "chain"
    return "sample" if native_of(evaluator) is None else "core"


def _needs_sampling(evaluator: Any) -> bool:
    method = _identification_method(evaluator)
    return _needs_sampling(evaluator.evaluator) if method == "search" else method != "core"


def _fingerprint(evaluator: Any, boards: Boards, job: Job) -> Fingerprint:
    method = _identification_method(evaluator)
    if method == "core":
        return {"core": repr(evaluator)}
    if method == "search":
        return _search_fingerprint(evaluator, boards, job)
    return (_chain_fingerprint if method == "chain" else _sample_fingerprint)(evaluator, boards, job)


def _search_fingerprint(search: Lookahead, boards: Boards, job: Job) -> Fingerprint:
    rules = search.rules
    filter_settings = [list(search.candidates), list(search.threshold)]
    rule_settings = [rules.win_scheme, list(generator_switches(rules) or ())]
    return {
        "lookahead": [search.ply, *filter_settings, *rule_settings],
        "of": _fingerprint(search.evaluator, boards, job),
    }


def _chain_fingerprint(chain: Chain, boards: Boards, job: Job) -> Fingerprint:
    other_boards, parts = boards, []
    for count, part in enumerate(chain.evaluators, 1):
        is_covered = np.ones(len(other_boards), bool)
        if count < len(chain.evaluators):
            is_covered = np.asarray(part.covers(other_boards), bool)
        fingerprint = _fingerprint(part, other_boards[is_covered], job)
        parts.append({"covers": "".join("01"[bit] for bit in is_covered.tolist()), **fingerprint})
        other_boards = other_boards[~is_covered]
    return {"chain": parts}


def _sample_fingerprint(evaluator: Any, boards: Boards, job: Job) -> Fingerprint:
    name = evaluator_name(evaluator)
    if not len(boards):
        if not isinstance(getattr(evaluator, "name", None), str):
            raise BgfastError(
                f"evaluator {short_repr(evaluator)} covers no sample position to identify it in a "
                "checkpoint; expected a unique attribute `name`"
            )
        return {"name": name}
    evaluations = _evaluations(evaluator, boards, job)
    evaluations_reversed = _evaluations(evaluator, boards[::-1], job)[::-1]
    if pair := _first_difference(evaluations, evaluations_reversed):
        raise BgfastError(
            f"evaluator {short_repr(evaluator)} returns {pair[0]} for a board, and {pair[1]} in another "
            "batch; expected reproducible evaluations with a checkpoint"
        )
    fingerprint: Fingerprint = {
        "name": name,
        "answers": [[float(f"{x:.{STORED_DIGITS}g}") for x in row] for row in evaluations.tolist()],
    }
    if isinstance(evaluator, PolicyEvaluator):
        fingerprint["chooses"] = _choices(evaluator, boards, job)
    return fingerprint


def _evaluations(evaluator: Any, boards: Boards, job: Job) -> Numbers:
    """Return probabilities of shape (n, 5) or, without them, equities of shape (n, 1)."""
    timed_evaluator = TimedEvaluator(evaluator, rules=job.rules)
    outcomes = np.zeros(len(boards), np.int8)
    evaluations = timed_evaluator.evaluations(np.ascontiguousarray(boards), outcomes, job.checkers)
    return evaluations[:, :PROBABILITIES] if timed_evaluator.probabilities else evaluations[:, EQUITY:]


def _choices(evaluator: PolicyEvaluator, boards: Boards, job: Job) -> list[int]:
    rolls = np.resize(np.array(ROLLS, np.int8), (len(boards), 2))
    plays = successors(boards, rolls, rules=job.rules, flip=True, passes="keep")
    return [int(row) for row in evaluator._choose_rows(plays, job.checkers) - plays.offsets[:-1]]


# ---- comparison of fingerprints ----


def _difference(recorded: Any, current: Any) -> str:
    """Return the difference of two fingerprints as a predicate ("is A, here it is B"); empty if none."""
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
            for index, (part, actual) in enumerate(zip(expected, value, strict=True), 1):
                if difference := _difference(part, actual):
                    return f"has a part {index} that {difference}"
        elif expected != value:
            phrases = {"covers": "covers other positions", "chooses": "chooses other plays"}
            return phrases.get(key) or f"is {short_repr(expected)}, here it is {short_repr(value)}"
    return ""


def _description(fingerprint: Any) -> str:
    if isinstance(fingerprint, Mapping):
        if "core" in fingerprint:
            return f"{short_repr(fingerprint['core'])} of bgfast"
        if "name" in fingerprint:
            return short_repr(fingerprint["name"])
        if isinstance(fingerprint.get("chain"), list):
            return f"a chain of {len(fingerprint['chain'])} parts"
        if "of" in fingerprint:
            return f"a search with {_description(fingerprint['of'])}"
    return short_repr(fingerprint)


def _as_array(rows: Any) -> Numbers:
    try:
        return np.array(rows, np.float64)
    except (ValueError, TypeError):
        return np.empty((0, 0))


def _first_difference(expected: Numbers, actual: Numbers) -> tuple[str, str] | None:
    """Return the first pair of rows that differ by more than the tolerance, as text; None if none do."""
    if expected.shape != actual.shape:
        return f"shape {short_repr(expected.shape)}", f"shape {short_repr(actual.shape)}"
    is_different = ~np.isclose(expected, actual, rtol=TOLERANCE, atol=TOLERANCE).all(axis=1)
    if not is_different.any():
        return None
    row = int(np.argmax(is_different))
    return _row_text(expected[row].tolist()), _row_text(actual[row].tolist())


def _row_text(row: Sequence[float]) -> str:
    return " ".join(f"{value:.6g}" for value in row)


# ---- journals ----


class RolloutCheckpoint:
    """Finished blocks of one rollout, in memory and on disk; `blocks` has them in order.

    The file is created if missing or empty, and locked until `close`. Its settings must equal `settings`, and
    its records must fit `job`. `call` runs a function in the process that has the evaluators. Raises
    `BgfastError` if the file is in use, invalid or from another rollout; the file is then left unchanged.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        settings: Mapping[str, Any],
        job: Job,
        call: Callable[..., Any] = lambda function, *arguments: function(*arguments),
    ) -> None:
        self.blocks: list[Block] = []
        self._job = job
        self._journal = Journal(path, "rollout", "checkpoint")
        try:
            self._begin(settings, call)
            self._journal.read(self._read_record)
        except BaseException:
            self.close()
            raise

    def _begin(self, settings: Mapping[str, Any], call: Callable[..., Any]) -> None:
        header = self._journal.job
        if header is not None:
            recorded = {name: header.get(name) for name in ("boards", "evaluators")}
            self._journal.begin({**settings, **recorded})
            boards = self._boards(header.get("boards"))
        else:
            is_sampled = any(map(_needs_sampling, _evaluators(self._job).values()))
            boards = sample_boards(self._job) if is_sampled else self._job.boards[:0]
        current = call(fingerprints, self._job, boards)
        if header is None:
            self._journal.begin({**settings, "boards": boards.tolist(), "evaluators": current})
        else:
            check_same_evaluators(self._journal.name, header.get("evaluators"), current)

    def _boards(self, recorded: Any) -> Boards:
        """Return the sample boards that the header records."""
        try:
            boards = validate_boards(recorded or self._job.boards[:0], self._job.checkers)
            if results(boards, self._job.rules, self._job.checkers).any():
                raise BgfastError("a game is over")
        except (BgfastError, ValueError, TypeError) as error:
            raise BgfastError(f"{self._journal.name}: boards of its header: {error}; left as it is") from None
        return boards

    def close(self) -> None:
        """Unlock and close the file."""
        self._journal.close()

    @property
    def end(self) -> int:
        """Number of stored trials per candidate."""
        return self.blocks[-1].last if self.blocks else 0

    def append(self, block: Block) -> None:
        """Append the next block to `blocks` and the file."""
        adjusted: npt.NDArray[Any] | None = block.adjusted
        if adjusted is not None and (is_missing := np.isnan(adjusted)).any():
            adjusted = adjusted.astype(object)
            adjusted[is_missing] = None
        record = vars(block) | {
            "points": block.points.tolist(),
            "plies": block.plies.tolist(),
            "adjusted": None if adjusted is None else adjusted.tolist(),
            "seconds": round(block.seconds, 3),
            "evaluator_seconds": round(block.evaluator_seconds, 3),
        }
        self._journal.append(record)
        self.blocks.append(block)

    def _read_record(self, record: Mapping[str, Any]) -> None:
        first, last = record["first"], record["last"]
        if type(first) is not int or type(last) is not int or not self.end == first < last:
            raise BgfastError(
                f"trials {short_repr(first)} to {short_repr(last)}; expected trials from {self.end} on"
            )
        job, shape = self._job, (len(self._job.boards), last - first)
        max_plies = MAX_PLIES if job.truncate is None else job.truncate
        points = _read_whole_numbers("points", record["points"], shape, -MAX_POINTS, MAX_POINTS)
        plies = _read_whole_numbers("plies", record["plies"], shape, 1, max_plies)
        if not ((points != 0) | (plies == job.truncate)).all():
            raise BgfastError("points of a game are 0; expected 0 only for truncated games")
        adjusted = None
        if job.adjusts:
            adjusted = _read_adjusted(record["adjusted"], plies, job)
        elif record["adjusted"] is not None:
            raise BgfastError(
                "trials are adjusted; expected null without truncation, variance reduction and cube"
            )
        seconds = (_read_seconds(record[name]) for name in ("seconds", "evaluator_seconds"))
        arrays = points.astype(np.int8), plies.astype(np.int32), adjusted
        self.blocks.append(Block(first, last, *arrays, *seconds))


def _read_whole_numbers(
    name: str, values: Any, shape: tuple[int, ...], minimum: int, maximum: int
) -> npt.NDArray[np.signedinteger[Any]]:
    array = np.array(values)
    is_whole = array.dtype.kind == "i" and array.shape == shape
    if not is_whole or not ((array >= minimum) & (array <= maximum)).all():
        raise BgfastError(
            f"{name} are not {shape[0]} times {shape[1]} whole numbers from {minimum} to {maximum}"
        )
    return array


def _read_adjusted(values: Any, plies: npt.NDArray[Any], job: Job) -> Numbers:
    array = np.array(values)
    if array.dtype.kind == "O" and all(value is None or type(value) in (int, float) for value in array.flat):
        array = array.astype(np.float64)
    if array.dtype.kind not in "if" or array.shape != (*plies.shape, job.values_per_game):
        raise BgfastError(
            f"adjusted are not {plies.shape[0]} times {plies.shape[1]} times {job.values_per_game} numbers"
        )
    adjusted = array.astype(np.float64)
    evaluations = adjusted[..., :EVALUATION]
    equities, is_missing = evaluations[..., EQUITY], np.isnan(evaluations[..., :PROBABILITIES])
    has_probabilities = ~is_missing.any(axis=-1)
    # The luck of a ply is at most 1 for a probability, and at most the range of points for an equity.
    luck_plies = plies if job.luck_evaluator is not None else np.zeros_like(plies)
    is_valid = are_probabilities(evaluations[..., :PROBABILITIES], (SLACK + luck_plies)[..., None])
    is_bounded = _is_bounded(job.luck_evaluator) & (has_probabilities | _is_bounded(job.evaluator))
    limits = np.where(is_bounded, (MAX_POINTS + 2 * MAX_POINTS * luck_plies) * (1 + SLACK), MAX_STORED)
    conditions = [
        has_probabilities | is_missing.all(axis=-1),
        is_valid | is_missing,
        np.isfinite(equities) & (np.abs(equities) <= limits),
    ]
    if job.cube is not None:
        (minimum, maximum), values = job.cube.bounds(), adjusted[..., EVALUATION]
        max_luck = (maximum - minimum) * (luck_plies + SLACK)
        conditions.append((values >= minimum - max_luck) & (values <= maximum + max_luck))
    if not all(condition.all() for condition in conditions):
        raise BgfastError("adjusted are not probabilities and equities of these games")
    return adjusted


def _is_bounded(evaluator: Evaluator | None) -> bool:
    """Return whether evaluations are guaranteed to lie between the worst and the best result of a game."""
    return evaluator is None or native_of(evaluator) is not None


def _read_seconds(value: Any) -> float:
    seconds = number_from_file(value)
    if seconds is None or seconds < 0:
        raise BgfastError(f"seconds are {short_repr(value)}; expected a number, 0 or more")
    return seconds
