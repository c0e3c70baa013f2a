"""Engines that break one or two rules: the attribution names these rules.

The engines in `tests.support.lifting_engines` share no code with the diagnosis.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from bgfast import EXACT, FIVE_STACK, REAR_FIRST, STANDARD, RuleSet, reference
from bgfast.conformance.adapters import legal_successors
from bgfast.conformance.crosscheck.cases import CaseList
from bgfast.conformance.crosscheck.disagreements import ILLEGAL_RULES, detect_perspective
from bgfast.conformance.crosscheck.lifted_turn import LiftedTurn
from bgfast.conformance.protocol import MOVER, Case
from bgfast.conformance.suite.suite_building import named_turns
from bgfast.position.turn import Turn
from tests.support.diagnosing import Diagnosis, deciding_cases, diagnose
from tests.support.lifting_engines import LIFTS, LiftingEngine, rules_of

PRESETS = {"standard": STANDARD, "exact": EXACT, "rear_first": REAR_FIRST, "five_stack": FIVE_STACK}
LAST_CHECKER = "must-play-both-last-checker"
# Only the exact number bears off the last checker, and no play has more moves than that.
IMPOSSIBLE_RULES = {("exact", LAST_CHECKER)}
# A rearmost checker outside home excludes bear-offs from home.
IMPOSSIBLE_VARIANTS = {("rear_first", "bear-off-before-all-home:rear-of-all")}
RULES = [(name, rule) for name, rules in PRESETS.items() for rule in rules_of(rules)]
RULES = [pair for pair in RULES if pair not in IMPOSSIBLE_RULES]
STANDARD_RULES = set(rules_of(STANDARD))
SAMPLE = [(name, rule) for name, rule in RULES if name == "standard" or rule not in STANDARD_RULES]
"""Each rule once, under the first preset that has it."""

PAIRS = [
    (name, *pair)
    for name, rules in PRESETS.items()
    for pair in combinations([rule for preset, rule in RULES if preset == name], 2)
    if name == "standard" or not STANDARD_RULES.issuperset(pair)
]
MASKED_RULES = {
    ("standard", "pass-listed", "blocked-point"),  # where no point is blocked there is always a play
    ("standard", "higher-die", "blocked-point"),  # where no point is blocked both numbers can be played
    ("standard", LAST_CHECKER, "must-play-both"),  # the first rule is a part of the second
    ("exact", "higher-die", "forfeit-before-all-home"),  # the other number can be forfeited
}
"""Rule sets and pairs of rules: the first rule has no effect once the second is lifted."""


def mixed_cases(rules: RuleSet, count: int) -> list[Case]:
    """Return cases from random positions, bear-offs and games."""
    return list(CaseList(random=count, bearoff=count, games=count // 4, seed=1, rules=rules))


def assert_named(diagnosis: Diagnosis, rule: str) -> None:
    assert diagnosis.rules[0] == rule == next(iter(diagnosis.classes)).rule
    assert diagnosis.attributed_count(rule) >= 0.95 * diagnosis.wrong_count > 0


def test_every_rule_can_be_lifted() -> None:
    assert {rule for _, rule in RULES} | {"several-rules", "not-reachable"} == set(ILLEGAL_RULES)
    assert {rule for _, rule in SAMPLE} == {rule for _, rule in RULES}


ENGINE_VARIANTS = {
    "hit-not-taken:vanishing": "hit-not-taken",
    "hit-not-taken:added-up": "hit-not-taken:added-up",
    "hit-not-taken:swallowed": "hit-not-taken:swallowed",
    "blocked-point:one-hit": "blocked-point",
    "blocked-point:swallowed": "blocked-point:swallowed",
    "bar-first": "bar-first",
    "bear-off-before-all-home": "bear-off-before-all-home",
    "bear-off-too-far": "bear-off-too-far",
    "bear-off-higher-point": "bear-off-higher-point",
    "bear-off-exact-number": "bear-off-exact-number",
    "bear-off-rearmost-only": "bear-off-rearmost-only",
    "full-point": "full-point",
    "forfeit-before-all-home": "forfeit-before-all-home",
    "forfeit-occupied-point": "forfeit-occupied-point",
}
"""Variants of rules in test engines, by the variant that the diagnosis lifts."""


@pytest.mark.slow
@pytest.mark.parametrize("name", PRESETS)
def test_lifted_turns_predict_the_omitted_plays(name: str) -> None:
    rules = PRESETS[name]
    omitted_count = 0
    for variant, engine_variant in ENGINE_VARIANTS.items():
        if variant.partition(":")[0] in rules_of(rules):
            for case in deciding_cases(engine_variant.partition(":")[0], rules, 8):
                listed = LiftingEngine(engine_variant).successors(case)
                turn = LiftedTurn(Turn(case.board, case.roll, rules), frozenset({variant}))
                for board in reference.legal_positions(case.board, *case.roll, rules):
                    assert turn.lists(board) == (board in listed), (variant, case, board)
                    assert turn.reaches_legally(board) <= turn.lists(board)
                    omitted_count += board not in listed
    assert omitted_count > 20


def test_the_higher_die_rule_still_applies_if_another_rule_is_lifted() -> None:
    # With 4-1 either number ends the play, the 4 by bearing off, the 1 because both checkers vanish on 3.
    board = (0, 0, 0, -1, 1, *19 * (0,), -1, 0)
    turn = LiftedTurn(Turn(board, (1, 4), STANDARD), frozenset({"hit-not-taken:added-up"}))
    assert turn.longest == 1
    assert turn.lists((0, 0, 0, -1, *20 * (0,), -1, 0))
    assert not turn.lists((*24 * (0,), -1, 0))


@pytest.mark.parametrize(("name", "rule"), SAMPLE)
def test_a_lifted_rule_is_named(name: str, rule: str) -> None:
    diagnosis = diagnose(LiftingEngine(rule), deciding_cases(rule, PRESETS[name], 5))
    assert diagnosis.wrong_count == 5
    assert_named(diagnosis, rule)


@pytest.mark.parametrize("name", PRESETS)
def test_the_named_cases_reveal_every_variant_of_a_lifted_rule(name: str) -> None:
    # These cases come first in every cross-check, so no engine agrees by luck.
    rules = PRESETS[name]
    cases = [Case(board, roll, rules) for board, roll in named_turns()]
    legal_boards = [sorted(legal_successors(case)) for case in cases]
    for variant in [f"{rule}:{way}" if way else rule for rule in rules_of(rules) for way in LIFTS[rule]]:
        if (name, variant) in IMPOSSIBLE_RULES | IMPOSSIBLE_VARIANTS:
            continue
        engine = LiftingEngine(variant)
        answers = map(engine.successors, cases)
        comparisons = zip(cases, answers, legal_boards, strict=True)
        difference = next(comparison for comparison in comparisons if comparison[1] != comparison[2])
        assert detect_perspective(*difference) is MOVER, variant


@pytest.mark.parametrize("way", LIFTS["bear-off-higher-point"])
def test_an_engine_with_one_wrong_check_has_one_class(way: str) -> None:
    # Many of its errors have other possible causes: a number not played, or an early bear-off.
    engine = LiftingEngine("bear-off-higher-point" + (f":{way}" if way else ""))
    ((class_, summary),) = diagnose(engine, mixed_cases(STANDARD, 40)).classes.items()
    assert class_ == ("illegal", "bear-off-higher-point")
    assert summary.alternatives


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("standard", "bar-first", "bear-off-higher-point"),
        ("standard", "must-play-both", "higher-die"),
        ("standard", LAST_CHECKER, "hit-not-taken"),
        ("standard", "blocked-point", "too-many-dice"),
        ("exact", "bear-off-exact-number", "forfeit-occupied-point"),
        ("exact", "forfeit-before-all-home", "forfeit-occupied-point"),
        ("five_stack", "full-point", "bear-off-too-far"),
    ],
)
def test_two_lifted_rules_are_both_named(name: str, first: str, second: str) -> None:
    assert_both_named(name, first, second, 4)


def assert_both_named(name: str, first: str, second: str, count: int) -> None:
    rules = PRESETS[name]
    cases = [
        *deciding_cases(first, rules, count, common_rules=(second,), max_tries=2000),
        *deciding_cases(second, rules, count, common_rules=(first,), max_tries=2000),
    ]
    diagnosis = diagnose(LiftingEngine(first, second), cases)
    # Without blocked points "must-play-both" is broken only by an early bear-off of the last checker.
    summary = diagnosis.classes.get(("illegal", LAST_CHECKER))  # type: ignore[call-overload]
    causes = {rule for rule, n in summary.alternatives.items() if n == summary.cases} if summary else set()
    assert {first, second} <= {*diagnosis.rules, *(causes & {"must-play-both"})}


# ---------------------------------------------------------------- all rules and pairs


@pytest.mark.parametrize(
    ("name", "rule"),
    [pytest.param(*case, marks=pytest.mark.slow if case in SAMPLE else pytest.mark.long) for case in RULES],
)
def test_each_rule_is_named_however_it_is_lifted(name: str, rule: str) -> None:
    rules = PRESETS[name]
    for way in LIFTS[rule]:
        variant = f"{rule}:{way}" if way else rule
        if (name, variant) in IMPOSSIBLE_VARIANTS:
            continue
        cases = [*deciding_cases(variant, rules, 25), *mixed_cases(rules, 40)]
        assert_named(diagnose(LiftingEngine(variant), cases), rule)
        named_cases = [Case(board, roll, rules) for board, roll in named_turns()]
        assert diagnose(LiftingEngine(variant), named_cases).rules[0] == rule


@pytest.mark.slow
@pytest.mark.parametrize(("name", "first", "second"), PAIRS)
def test_each_pair_of_lifted_rules_is_named(name: str, first: str, second: str) -> None:
    for rule, other in ((first, second), (second, first)):
        if (name, rule, other) in MASKED_RULES:
            assert not deciding_cases(rule, PRESETS[name], 1, common_rules=(other,), max_tries=2000)
            return
    assert_both_named(name, first, second, 6)
