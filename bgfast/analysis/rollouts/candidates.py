"""Settings of a rollout: options, use of the cube, and candidates with their cube and score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from bgfast.analysis.rollouts._turns import MAX_DOUBLES, CubeStates
from bgfast.batch.successors import is_one_board, results
from bgfast.common.validation import (
    CHECKERS,
    Boards,
    Roll,
    flag,
    real_number,
    rule_set,
    seed_number,
    whole_number,
)
from bgfast.errors import BgfastError, InvalidDiceError, InvalidPositionError, short_repr
from bgfast.evaluation._cubeful import CubeStakes
from bgfast.evaluation.cubeful import cubeful_fields
from bgfast.evaluation.efficiency import efficiency_model
from bgfast.evaluation.evaluators.evaluators import (
    Evaluator,
    EvaluatorLike,
    RollPolicy,
    call_evaluator,
    check_rules,
    evaluator_name,
    returns_points,
)
from bgfast.evaluation.evaluators.lookahead import Lookahead
from bgfast.evaluation.evaluators.names import display_name, evaluator_of
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay
from bgfast.evaluation.evaluators.with_bearoff import WithBearoff
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.evaluation.stakes import as_decision, stakes_of, subject_decision, validate_table
from bgfast.games.game import Game
from bgfast.position.decision import Decision, context_of, decision_of, subject_of
from bgfast.position.objects import Play, PlayList, Position
from bgfast.position.position_text import read_position
from bgfast.rules import STANDARD, RuleSet, RuleSetLike

StopCriterion = Literal["standard_error", "settled", "seconds"]
STOP_CRITERIA: tuple[StopCriterion, ...] = get_args(StopCriterion)
MIN_TRIALS = 2  # a standard error needs two trials
MAX_TRIALS = 10**9
MAX_TRUNCATION = 10_000


@dataclass(frozen=True, kw_only=True)
class RolloutOptions:
    """Options of a rollout, described by `rollout`; an invalid option raises `BgfastError`."""

    trials: int = 1296
    truncate: int | None = None
    seed: int = 0
    variance_reduction: bool = False
    quasi_random: bool = True
    policy: EvaluatorLike | None = None
    luck_evaluator: EvaluatorLike | None = None
    rules: RuleSetLike = STANDARD
    stop: Mapping[StopCriterion, float] | None = None
    context: Decision | None = None
    cubeless: bool = False
    efficiency: str = "bgfast"
    met: MatchEquityTable | None = None

    def __post_init__(self) -> None:
        efficiency_model(self.efficiency)
        values: dict[str, Any] = {
            "trials": _validate_count("trials", self.trials, MIN_TRIALS, MAX_TRIALS),
            "seed": seed_number(self.seed),
            "rules": rule_set(self.rules),
            "stop": _validate_stop(self.stop),
        }
        if self.truncate is not None:
            values["truncate"] = _validate_count("truncate", self.truncate, 1, MAX_TRUNCATION)
        for name in ("variance_reduction", "quasi_random", "cubeless"):
            values[name] = flag(name, getattr(self, name))
        for name in ("policy", "luck_evaluator"):
            evaluator = getattr(self, name)
            values[name] = None if evaluator is None else evaluator_of(evaluator, name)
        if self.context is not None:
            values["context"] = as_decision(self.context)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.luck_evaluator is not None and not self.variance_reduction:
            raise BgfastError("luck_evaluator is set; expected variance_reduction=True with it")

    def check_evaluators(self, evaluator: Any) -> None:
        """Raise `BgfastError` if an evaluator does not support these options."""
        luck_source = evaluator if self.luck_evaluator is None else self.luck_evaluator
        if (self.truncate is not None and not returns_points(evaluator)) or (
            self.variance_reduction and not returns_points(luck_source)
        ):
            raise BgfastError(
                "Pubeval's values are not points; expected it as policy alone, not for truncation or luck"
            )
        for argument in (evaluator, self.policy, self.luck_evaluator):
            check_rules(argument, rule_set(self.rules))


def _validate_count(name: str, value: Any, minimum: int, maximum: int) -> int:
    count = whole_number(value)
    if count is None or not minimum <= count <= maximum:
        raise BgfastError(
            f"{name} is {short_repr(value)}; expected a whole number from {minimum} to {maximum:,}"
        )
    return count


def _validate_stop(stop: Any) -> dict[StopCriterion, float]:
    if stop is None:
        return {}
    if not isinstance(stop, Mapping) or not stop or not set(stop) <= set(STOP_CRITERIA):
        raise BgfastError(
            f"stop is {short_repr(stop)}; expected a mapping with 'standard_error', 'settled' or 'seconds'"
        )
    criteria = {}
    for name, value in stop.items():
        limit = real_number(value)
        if limit is None or not limit > 0:
            raise BgfastError(f"stop: {name} is {short_repr(value)}; expected a number greater than 0")
        criteria[name] = limit
    return criteria


# ---- cube ----


MAX_POINTS = 3  # maximum points of a game without a cube

Branch = Literal["play", "position", "no double", "double, take"]
"""Kind of candidate: a play, after which the opponent is on roll and may double; a position, in which the
player on roll may double; or a position in which that player has decided about the cube."""


@dataclass(frozen=True)
class CubeUse:
    """Settings for games with the cube; picklable if the evaluator is.

    The evaluator must return probabilities; it evaluates the position before each roll if the player may
    double. In money play the exact cube tables of its bear-off databases, if any, take precedence.
    """

    decision: Decision  # from the side of the player whose decision it is
    evaluator: Evaluator
    branches: tuple[Branch, ...]  # one for each board of the job
    efficiency: str
    met: MatchEquityTable | None  # None: the built-in table
    checkers: int = CHECKERS  # checkers per side at the start of a game

    def stakes(self) -> CubeStakes:
        """Return the stakes of the player whose decision it is."""
        return stakes_of(self.decision, self.met)

    def states(self) -> CubeStates:
        """Return the reachable cube states: 0 with the deciding player on roll, 1 with the opponent."""
        tables = None
        if isinstance(self.evaluator, WithBearoff) and not self.decision.match_length:
            tables = self.evaluator.bearoff.cube_database.arrays
        return CubeStates(self.stakes(), efficiency_model(self.efficiency), tables, self.checkers)

    def initial_states(self, states: CubeStates) -> npt.NDArray[np.int32]:
        """Return the initial cube state of each board."""
        states_by_branch = {"play": 1, "position": 0, "no double": 0, "double, take": states.after_double(0)}
        return np.array([states_by_branch[branch] for branch in self.branches], np.int32)

    def has_decided(self) -> npt.NDArray[np.uint8]:
        """Return, for each board, 1 if its player has already decided not to double, else 0."""
        return np.array([branch == "no double" for branch in self.branches], np.uint8)

    def bounds(self) -> tuple[float, float]:
        """Return the minimum and the maximum value of a game."""
        maximum = float(MAX_POINTS * 2**MAX_DOUBLES)
        return (0.0, 1.0) if self.decision.match_length else (-maximum, maximum)

    def settings(self) -> dict[str, Any]:
        """Return the settings as JSON-compatible data."""
        return {
            **cubeful_fields(self.decision, validate_table(self.met).name, self.efficiency),
            "most_doubles": MAX_DOUBLES,
            "cube_actions": "evaluator",  # earlier versions used the policy's actions
            "branches": list(self.branches),
        }


def cube_evaluator(evaluator: Evaluator) -> Evaluator:
    """Return the evaluator of cube decisions: the evaluator itself, or the static evaluator of a search."""
    return evaluator.evaluator if isinstance(evaluator, Lookahead) else evaluator


def probabilities_error(evaluator: Any) -> BgfastError:
    """Return the error for an evaluator without probabilities, which cubeful equities need."""
    return BgfastError(
        f"{evaluator_name(evaluator)} returns equities, and the cube needs the five probabilities; expected "
        "an evaluator that returns them, or cubeless=True"
    )


def equity_evaluator_name(evaluators: Iterable[Any], board: Boards, call: Callable[..., Any]) -> str | None:
    """Return the name of the first evaluator without probabilities for a board; None if all return them.

    `call(function, *arguments)` runs a function in the process that will call the evaluators.
    """
    for evaluator in evaluators:
        if evaluator is None:
            continue
        returns = getattr(evaluator, "returns_probabilities", None)
        if not isinstance(returns, bool):
            is_policy = isinstance(evaluator, RollPolicy)
            returns = not is_policy and np.ndim(call(call_evaluator, evaluator, board[None])) == 2
        if not returns:
            return display_name(evaluator)
    return None


# ---- candidates ----


class Candidate(NamedTuple):
    """Position to roll out, and the player whose equity is estimated."""

    name: str
    position: Position
    sign: int  # 1: the player on roll, -1: the opponent, who has just made a play
    points: int = 0  # points of the player on roll if the game is over; 0 if it is rolled out
    branch: Branch = "position"
    board_and_dice: tuple[Position, Roll | None] | None = None  # for reports


def read_candidates(
    source: Any, rules: RuleSet, dice: Any = None
) -> tuple[list[Candidate], list[Decision | None]]:
    """Return the candidates of a rollout and their contexts; `dice` belong to a single position.

    Raises `InvalidPositionError`, `InvalidDiceError` or `NotationError` if a candidate is
    invalid or none is passed, the game is over in all candidates, or their numbers of checkers differ.
    """
    if isinstance(source, RankedPlay):
        source = source.play
    elif isinstance(source, PlayList) and not len(source):
        source = source._pass()
    is_single = isinstance(source, (str, Play)) or hasattr(source, "decision") or is_one_board(source)
    try:
        is_single = is_single or isinstance(source, Decision)
        inputs: list[Any] = [source] if is_single else list(source)  # pyright: ignore[reportArgumentType]
    except TypeError:
        inputs = []
    if dice is not None and (isinstance(source, Play) or len(inputs) != 1):
        raise InvalidDiceError(
            f"dice are {short_repr(dice)} with a play or several candidates; expected a single position "
            "with dice"
        )
    items_and_contexts = [(item, context) for entry in inputs for item, context in _parse(entry, rules, dice)]
    result = [_candidate(item, rules) for item, _ in items_and_contexts]
    if not result:
        raise InvalidPositionError(
            f"{short_repr(source)} cannot be rolled out; expected a Position, a Play, text, or several "
            "of them"
        )
    if len({candidate.position.checkers for candidate in result}) > 1:
        raise InvalidPositionError(
            "the candidates have different numbers of checkers per side; expected the same number"
        )
    if all(candidate.points for candidate in result):
        raise InvalidPositionError(
            f"{result[0].name}: the game is over; expected a position or a play before its end"
        )
    return result, [context for _, context in items_and_contexts]


def _parse(source: Any, rules: RuleSet, dice: Any) -> Iterable[tuple[Any, Decision | None]]:
    """Return positions or plays with their contexts; a position with a roll is replaced by its plays."""
    if isinstance(source, RankedPlay):
        source = source.play
    if isinstance(source, Play):
        return ((source, None),)
    if isinstance(source, str):
        text = read_position(source)
        subject: Position | Decision = decision_of(text)
        context = context_of(text)
    else:
        subject = subject_decision(source)
        context = subject if isinstance(subject, Decision) else None
    position = subject if isinstance(subject, Position) else subject.position
    roll = getattr(subject_of(subject, dice), "dice", None)
    context = remove_offer(context)
    if roll is None:
        return ((position, context),)
    plays = position.plays(roll, rules)
    return [(play, context) for play in (plays if len(plays) else (plays._pass(),))]


def remove_offer(context: Decision | None) -> Decision | None:
    """Return the context before the offer, if any; raise `IllegalActionError` if the offer is illegal."""
    if context is None:
        return None
    if context.offer is None:
        return context
    Game.from_decision(context)
    return replace(context, offer=None)


def _candidate(item: Any, rules: RuleSet) -> Candidate:
    branch: Branch
    board_and_dice: tuple[Position, Roll | None]
    if isinstance(item, Play):
        name, position, sign, branch = str(item), item.position, -1, "play"
        board_and_dice = item.start, item.roll
    else:
        name, position, sign, branch = item.gnubg_id, item, 1, "position"
        board_and_dice = item, None
    points = 0
    if position.phase == "over":
        points = int(results([position.to_array()], rules, position.checkers)[0])
    return Candidate(name, position, sign, points, branch, board_and_dice)


def common_context(contexts: Iterable[Decision | None]) -> Decision | None:
    """Return the cube and score that all candidates share, or None; raise `BgfastError` if they differ."""
    cubes_and_scores = (
        None if context is None else replace(context, position=Position.start(), dice=None)
        for context in contexts
    )
    distinct_contexts = list(dict.fromkeys(cubes_and_scores))
    if len(distinct_contexts) > 1:
        raise BgfastError(
            "the candidates have different cubes or scores; expected the same for all, or cubeless=True"
        )
    return distinct_contexts[0]


def cube_branches(candidates: list[Candidate], decision: Decision, stakes: CubeStakes) -> list[Candidate]:
    """Return the candidates or, for a single position with a legal double, the two branches of the decision.

    No double and double/take also decide beavers and raccoons: without a maximum cube, a game after either is
    the double/take game at two or four times the stakes. Raises the error of `check_beavers`.
    """
    candidate = candidates[0]
    if len(candidates) > 1 or candidate.sign < 0 or not stakes.may_double:
        return candidates
    check_beavers(decision, stakes)
    redouble = "redouble" if decision.cube_owner else "double"
    return [
        candidate._replace(name=f"no {redouble}", branch="no double"),
        candidate._replace(name=f"{redouble}, take", branch="double, take"),
    ]


def check_beavers(decision: Decision, stakes: CubeStakes) -> None:
    """Raise `BgfastError` if the two branches of `cube_branches` do not determine the value of a double."""
    if stakes.may_double and stakes.may_beaver_below_limit:
        raise BgfastError(
            f"a double may be beavered and the maximum cube is {decision.max_cube}; expected no beavers or "
            "no maximum: beavers are derived from rollouts of no double and double/take"
        )
