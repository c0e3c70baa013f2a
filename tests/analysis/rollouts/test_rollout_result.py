"""Rollout results: estimates from known trials, tables, and JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bgfast import BgfastError, Position, rollout
from bgfast.analysis.rollouts.candidates import Candidate
from bgfast.analysis.rollouts.estimates import TrialResults, estimates, standard_errors
from bgfast.analysis.rollouts.result import CubeVerdict
from bgfast.evaluators import Pubeval, Random
from bgfast.rollouts import RolloutResult
from tests.support.rollouts import ENDING

START = Position.start()


def test_standard_errors_use_groups_of_36_if_there_are_enough() -> None:
    numbers = np.arange(36 * 20, dtype=float)[:, None] % 36
    assert standard_errors(numbers, True)[0] == 0  # all groups of 36 are equal
    assert standard_errors(numbers, False)[0] == pytest.approx(numbers.std(ddof=1) / math.sqrt(720))
    partial_groups = np.concatenate([numbers, numbers[:18]])
    expected = math.sqrt(18 * partial_groups.var(ddof=1)) / 738
    assert standard_errors(partial_groups, True)[0] == pytest.approx(expected)
    sample = numbers[: 36 * 11]
    assert standard_errors(sample, True)[0] == pytest.approx(sample.std(ddof=1) / math.sqrt(len(sample)))


def test_results_survive_json_and_have_tables() -> None:
    result = rollout(list(START.plays((3, 1)))[:3], evaluator=Pubeval(), trials=144)
    assert RolloutResult.from_json(result.to_json()) == result
    assert RolloutResult.from_json(json.dumps(result.to_dict())) == result
    lines = str(result).splitlines()
    assert len(lines) == 7
    names = ", ".join(estimate.name for estimate in result)
    assert lines[-3] == f"too close to call: {names}; use more trials or variance reduction"
    margin = result.interval[1] - result.equity
    assert str(result.best).startswith(f"{result.best.name}: {result.equity:+.4f} ± {margin:.4f}, win ")
    assert f" {result.estimates[1].difference:+.4f} " in lines[2]
    assert (
        lines[-2]
        == result.conditions
        == ("cubeless, money; pubeval returns no probabilities, which the cube needs")
    )
    assert lines[1].startswith(f" 1 {result.best.name}")
    assert f"{result.equity:+.4f}" in lines[1]
    assert lines[-1].startswith("144 trials, ")
    assert "too close to call: " in result._repr_html_()
    reduced_result = replace(result, settings={**result.settings, "luck_evaluator": "builtin"})
    assert str(reduced_result).splitlines()[-3] == f"too close to call: {names}; use more trials"
    separate_estimates = tuple(replace(estimate, difference_se=0.001) for estimate in result.estimates)
    assert "too close" not in str(replace(result, estimates=separate_estimates))
    page = result._repr_html_()
    assert page.count("<tr>") == 4
    assert result.best.name in page
    assert result.interval[0] < result.equity < result.interval[1]
    assert {"seed", "evaluator", "policy", "truncate", "quasi_random"} <= set(result.settings)
    for content, estimate in zip(result.to_dict()["estimates"], result.estimates, strict=True):
        assert content["difference"] == estimate.difference <= 0
        assert tuple(content["interval"]) == estimate.interval
        assert tuple(content["difference_interval"]) == estimate.difference_interval
        assert content["interval"][1] - content["equity"] == pytest.approx(
            1.96 * content["equity_se"], rel=1e-4
        )


DAMAGE_FUNCTIONS: list[Callable[[str], Any]] = [
    lambda text: "",
    lambda text: "{}",
    lambda text: "[" * 100_000,
    lambda text: '{"bgfast_rollout": 1}',
    lambda text: text.replace('"equity"', '"worth"'),
    lambda text: text.replace('"bgfast_rollout": 4', '"bgfast_rollout": 3'),
    lambda text: re.sub('"equity": [^,]*', '"equity": "0.1"', text),
    lambda text: re.sub('"equity": [^,]*', '"equity": NaN', text),
    lambda text: re.sub('"equity": [^,]*', f'"equity": 1{"0" * 400}', text),
    lambda text: re.sub('"mean_plies": [^,]*', '"mean_plies": 1e999', text),
    lambda text: re.sub('"equity_se": [^,]*', '"equity_se": 1e308', text),
    lambda text: re.sub(r'"probabilities": \[[^,]*', '"probabilities": [-1e308', text),
    lambda text: re.sub('"seed": [^,]*', '"seed": NaN', text),
    lambda text: re.sub('"seed": [^,]*', '"seed": 1e999', text),
    lambda text: re.sub('"name": [^,]*', '"name": 5', text),
    lambda text: re.sub(r'"probabilities": \[[^]]*', '"probabilities": [1, 2', text),
    lambda text: re.sub('"trials": [^,]*', '"trials": -1', text),
    lambda text: re.sub('"elapsed": [^,]*', '"elapsed": null', text),
    lambda text: re.sub('"settings": {[^}]*}', '"settings": []', text),
    lambda text: text.replace('"points": {"', '"points": {"one'),
    lambda text: text.replace('"interval"', '"distance"'),
    lambda text: json.loads(text),
    lambda text: None,
]


def test_invalid_json_is_refused() -> None:
    text = rollout(ENDING, evaluator=Random(), trials=36).to_json()
    for damage in DAMAGE_FUNCTIONS:
        with pytest.raises(
            BgfastError, match="is not a rollout result; expected the output of RolloutResult"
        ):
            RolloutResult.from_json(damage(text))


def test_estimates_agree_with_four_known_trials() -> None:
    points = np.array([[2, -1, 3, -3]], np.int8)
    plies = np.array([[10, 20, 30, 40]], np.int32)
    trials = TrialResults.of([Candidate("a", START, -1)], points, plies, None, None)
    (result,) = estimates(trials, False)
    assert result.equity == -0.25
    assert result.probabilities == (0.5, 0.25, 0.25, 0.5, 0.25)
    assert result.points == {-3: 1, -2: 1, 1: 1, 3: 1}
    assert (result.mean_plies, result.longest) == (25, 40)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((0.9, 0.01, 2.13, 0.025, 1.0, None, False, -0.1, 0.01),
         "Double, drop; no double costs 0.100 ± 0.020, a take costs 1.130 ± 0.049"),
        ((0.6, 0.02, 0.5, 0.04, 1.0, None, True, 0.1, 0.06),
         "No redouble, take; a redouble costs 0.100 ± 0.118 (too close to call), a drop costs 0.500 ± 0.078"),
        ((1.2, 0.02, 1.5, 0.04, 1.0, None, False, 0.2, 0.02),
         "Too good to double, drop; a double costs 0.200 ± 0.039, a take costs 0.500 ± 0.078"),
        ((-0.4, 0.02, -0.8, 0.04, 1.0, -1.6, False, 1.2, 0.02),
         "No double, beaver; a double costs 1.200 ± 0.039\nanswer to a beaver: take"),
    ],
)  # fmt: skip
def test_the_text_of_a_cube_verdict_has_the_action_and_costs(values: tuple[Any, ...], text: str) -> None:
    verdict = CubeVerdict(*values)
    assert str(verdict).splitlines()[0] == text.splitlines()[0]
    assert ("answer to a beaver" in str(verdict)) == (verdict.double_beaver is not None)
