"""Options of a rollout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from bgfast.common.validation import flag, real_number, rule_set, seed_number, whole_number
from bgfast.errors import BgfastError, shown
from bgfast.evaluation.efficiency import efficiency_model
from bgfast.evaluation.evaluators.evaluators import Evaluator, check_rules, returns_points
from bgfast.evaluation.match_equity import MatchEquityTable
from bgfast.position.decision import Decision
from bgfast.rules import STANDARD, RuleSetLike

StopCriterion = Literal["standard_error", "settled", "seconds"]
STOP_CRITERIA: tuple[StopCriterion, ...] = get_args(StopCriterion)
MIN_TRIALS = 2  # a standard error needs two trials
MAX_TRIALS = 10**9
MAX_TRUNCATION = 10_000


@dataclass(frozen=True, kw_only=True)
class RolloutOptions:
    """Options of a rollout, which `rollout` describes; an invalid one raises `BgfastError`."""

    trials: int = 1296
    truncate: int | None = None
    seed: int = 0
    variance_reduction: bool = False
    quasi_random: bool = True
    policy: Evaluator | None = None
    luck_evaluator: Evaluator | None = None
    rules: RuleSetLike = STANDARD
    stop: Mapping[StopCriterion, float] | None = None
    context: Decision | None = None
    cubeless: bool = False
    efficiency: str = "bgfast"
    met: MatchEquityTable | None = None

    def __post_init__(self) -> None:
        efficiency_model(self.efficiency)
        checked = {
            "trials": _checked_whole("trials", self.trials, MIN_TRIALS, MAX_TRIALS),
            "truncate": (
                None
                if self.truncate is None
                else _checked_whole("truncate", self.truncate, 1, MAX_TRUNCATION)
            ),
            "seed": seed_number(self.seed),
            "variance_reduction": flag("variance_reduction", self.variance_reduction),
            "quasi_random": flag("quasi_random", self.quasi_random),
            "cubeless": flag("cubeless", self.cubeless),
            "rules": rule_set(self.rules),
            "stop": _checked_stop(self.stop),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.luck_evaluator is not None and not self.variance_reduction:
            raise BgfastError("luck_evaluator is set and variance_reduction is False; expected both or none")

    def check_evaluators(self, evaluator: Any) -> None:
        """Raise `BgfastError` if an evaluator cannot do what these options need."""
        named = {"evaluator": evaluator, "policy": self.policy, "luck_evaluator": self.luck_evaluator}
        for name, argument in named.items():
            if not callable(argument) and (argument is not None or name == "evaluator"):
                raise BgfastError(
                    f"{name} is {shown(argument)}; expected a callable, as bgfast.evaluators describes"
                )
        luck_source = evaluator if self.luck_evaluator is None else self.luck_evaluator
        if (self.truncate is not None and not returns_points(evaluator)) or (
            self.variance_reduction and not returns_points(luck_source)
        ):
            raise BgfastError(
                "Pubeval's values are not in points; expected it as policy alone, not for truncation or luck"
            )
        for argument in named.values():
            check_rules(argument, rule_set(self.rules))


def _checked_whole(name: str, value: Any, minimum: int, maximum: int) -> int:
    number = whole_number(value)
    if number is None or not minimum <= number <= maximum:
        raise BgfastError(f"{name} is {shown(value)}; expected a whole number from {minimum} to {maximum:,}")
    return number


def _checked_stop(stop: Any) -> dict[StopCriterion, float]:
    if stop is None:
        return {}
    if not isinstance(stop, Mapping) or not stop or not set(stop) <= set(STOP_CRITERIA):
        raise BgfastError(
            f"stop is {shown(stop)}; expected a mapping with 'standard_error', 'settled' or 'seconds'"
        )
    criteria = {}
    for name, value in stop.items():
        number = real_number(value)
        if number is None or not number > 0:
            raise BgfastError(f"stop: {name} is {shown(value)}; expected a number greater than 0")
        criteria[name] = number
    return criteria
