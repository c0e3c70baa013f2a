"""Attribution of disagreements to rules, with hand-made symptoms."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from bgfast.conformance.crosscheck.attribution import Attribution, Evidence, checkers_on
from bgfast.conformance.crosscheck.disagreements import (
    RULE_ORDER,
    UNEXAMINED,
    ClassKey,
    Comparison,
    Disagreement,
    Symptom,
)
from bgfast.conformance.protocol import Case
from bgfast.position.explain import RULES

BOARD = (-1, *24 * (0,), 1)


def illegal(*causes: str) -> Symptom:
    """Return a symptom of illegal plays with these causes; "+" joins the rules of a cause."""
    return Symptom("illegal", "several-rules", tuple(tuple(rules.split("+")) for rules in causes))


def missing(*causes: str) -> Symptom:
    return illegal(*causes)._replace(kind="missing", rule="plain")


def attribution_of(*cases: Iterable[Symptom]) -> Attribution:
    return Attribution(Counter(map(frozenset, cases)))


BAR_FIRST, PLAY_BOTH = illegal("bar-first"), illegal("must-play-both")
TOO_FAR, FULL_POINT = illegal("bear-off-too-far"), illegal("full-point")
ONE_HIT, VANISHING = illegal("blocked-point:one-hit"), illegal("blocked-point:vanishing")
BAR_OR_BOTH, BAR_AND_HIT = illegal("must-play-both", "bar-first"), illegal("bar-first+blocked-point:one-hit")
FORFEITS = "forfeit-occupied-point+forfeit-before-all-home"
SHORT_PLAYS = [
    illegal(rule, FORFEITS) for rule in ("must-play-both", "as-many-as-possible", "pass-though-a-play-exists")
]
SELECTION_CASES: tuple[tuple[str, list[Iterable[Symptom]]], ...] = (
    # The rule that explains most cases wins.
    ("must-play-both", [[BAR_OR_BOTH]]),
    ("bar-first", [[BAR_OR_BOTH], [BAR_FIRST]]),
    ("must-play-both bar-first", [[BAR_OR_BOTH], [BAR_FIRST], *3 * [[PLAY_BOTH]]]),
    # A full explanation outweighs a partial one; of two full ones, the rule that explains missing plays wins.
    ("bar-first", 3 * [[BAR_FIRST, illegal("bar-first", "too-many-dice")]]),
    ("bar-first", 3 * [[BAR_OR_BOTH, missing("bar-first")]]),
    # "must-play-both" explains most cases at first, but has no advantage once "bear-off-too-far" is selected.
    (
        "must-play-both-last-checker bear-off-too-far",
        5 * [[illegal("must-play-both-last-checker", "must-play-both")]]
        + 4 * [[TOO_FAR], [illegal("bear-off-too-far", "must-play-both")]],
    ),
    # "higher-die" explains most cases at first, but is superfluous in the end.
    (
        "full-point bar-first bear-off-too-far",
        [[rule] for rule in (BAR_FIRST, FULL_POINT, TOO_FAR)]
        + 2 * [[illegal("higher-die", rule)] for rule in ("bar-first", "full-point", "bear-off-too-far")],
    ),
    (FORFEITS.replace("+", " "), 3 * [[symptom] for symptom in SHORT_PLAYS]),
)
"""Expected rules and cases; a case is a list of symptoms."""


def test_the_expected_rules_are_selected() -> None:
    for rules, cases in SELECTION_CASES:
        assert attribution_of(*cases).rules == tuple(rules.split())


def test_a_symptom_belongs_to_a_class_for_each_selected_rule() -> None:
    for symptom, classes, cases in (
        (BAR_OR_BOTH, ["must-play-both"], [[BAR_OR_BOTH]]),
        (BAR_OR_BOTH, ["bar-first"], [[BAR_OR_BOTH], [BAR_FIRST]]),
        (BAR_OR_BOTH, ["must-play-both"], [[BAR_OR_BOTH], [BAR_FIRST], *3 * [[PLAY_BOTH]]]),
        (ONE_HIT, ["blocked-point"], [[ONE_HIT], [VANISHING]]),
        (VANISHING, ["blocked-point"], [[ONE_HIT], [VANISHING]]),
        (BAR_AND_HIT, ["bar-first", "blocked-point"], [[BAR_FIRST], [ONE_HIT], [BAR_AND_HIT]]),
        (BAR_AND_HIT, ["bar-first", "blocked-point"], [[BAR_AND_HIT]]),
        (SHORT_PLAYS[0], FORFEITS.split("+"), 3 * [[symptom] for symptom in SHORT_PLAYS]),
    ):
        assert [class_.rule for class_ in attribution_of(*cases).classes(symptom)] == classes
    hit_symptom = illegal("blocked-point:one-hit", "blocked-point:vanishing")
    assert attribution_of([ONE_HIT], [VANISHING]).alternatives(hit_symptom, "blocked-point") == []


def test_ties_go_to_the_first_rule_in_the_order() -> None:
    assert list(dict.fromkeys(rule.partition(":")[0] for rule in RULE_ORDER)) == [
        *(rule for rule in RULES if not rule.startswith(("hit", "blocked"))),
        "hit-not-taken",
        "blocked-point",
    ]
    last_rules = RULE_ORDER[-4:]
    assert all(rule.endswith((":added-up", ":swallowed")) for rule in last_rules)
    shuffled_rules = list(RULE_ORDER)
    random.Random(1).shuffle(shuffled_rules)
    while shuffled_rules:
        rules = attribution_of([illegal(*shuffled_rules)]).rules
        assert rules == (min(shuffled_rules, key=RULE_ORDER.index),)
        shuffled_rules.remove(*rules)


def test_missing_plays_are_explained_only_by_rules_the_engine_breaks() -> None:
    symptom = missing("blocked-point:one-hit", "bar-first")
    assert attribution_of([symptom]).classes(symptom) == [("missing", "plain")]
    assert attribution_of([symptom], [illegal("full-point")]).classes(symptom) == [("missing", "plain")]
    assert attribution_of([symptom], [illegal("bar-first")]).classes(symptom) == [("illegal", "bar-first")]


def test_symptoms_without_causes_keep_their_own_class() -> None:
    for symptom in (Symptom("illegal", "not-reachable"), Symptom("hang", "no-answer"), missing()):
        assert attribution_of([symptom]).classes(symptom) == [(symptom.kind, symptom.rule)]
        assert attribution_of([symptom]).rules == ()


# ---- classes of all disagreements of an engine ----


def comparison(index: int, *symptoms: Symptom, checkers: int = 1) -> Comparison:
    case = Case((*BOARD[:6], checkers, *BOARD[7:]), (2, 1))
    return Comparison(index, case, True, tuple(Disagreement(symptom, (BOARD,)) for symptom in symptoms))


def group(*comparisons: Comparison) -> tuple[dict[ClassKey, object], Attribution]:
    evidence = Evidence(checkers_on)
    for item in comparisons:
        evidence.add(item)
    attribution = Attribution(evidence.patterns)
    return evidence.classes(attribution), attribution  # type: ignore[return-value]


def test_classes_are_sorted_by_cases_and_count_cases_once() -> None:
    classes, _ = group(
        comparison(0),
        comparison(3, FULL_POINT),
        comparison(4, BAR_FIRST, illegal("bar-first", "must-play-both")),
        comparison(7, BAR_FIRST, FULL_POINT),
        comparison(9, BAR_FIRST, missing("bar-first"), missing()),
    )
    counts = {tuple(class_): (summary.cases, summary.first.case_index) for class_, summary in classes.items()}
    assert list(counts.items()) == [
        (("illegal", "bar-first"), (3, 4)),
        (("illegal", "full-point"), (2, 3)),
        (("missing", "plain"), (1, 9)),
    ]


def test_the_smallest_case_has_a_single_explanation() -> None:
    classes, attribution = group(
        comparison(0, BAR_OR_BOTH, checkers=2),
        comparison(1, BAR_FIRST, checkers=9),
        comparison(2, BAR_FIRST, BAR_OR_BOTH, checkers=5),
        comparison(3, BAR_FIRST, checkers=5),
    )
    (summary,) = classes.values()
    assert (summary.first.case_index, summary.smallest.case_index) == (0, 2)
    (class_,) = classes
    assert attribution.is_clear(class_, summary.smallest)
    assert not attribution.is_clear(class_, summary.first)
    classes, _ = group(comparison(0, BAR_OR_BOTH, checkers=4), comparison(1, BAR_OR_BOTH, checkers=3))
    (summary,) = classes.values()
    assert summary.smallest.case_index == 1


def test_other_explanations_of_whole_cases_are_counted() -> None:
    ambiguous_symptom = illegal("bar-first", "must-play-both", "higher-die")
    classes, _ = group(
        comparison(0, BAR_FIRST),
        comparison(1, BAR_FIRST, ambiguous_symptom),
        comparison(2, ambiguous_symptom),
        comparison(3, ambiguous_symptom, missing("bar-first")),
    )
    (summary,) = classes.values()
    assert summary.alternatives == {"higher-die": 2, "must-play-both": 2}
    joint_symptom = illegal("bar-first+full-point", "higher-die+full-point")
    classes, _ = group(*map(comparison, range(4), (BAR_FIRST, BAR_FIRST, FULL_POINT, joint_symptom)))
    assert classes[ClassKey("illegal", "bar-first")].alternatives == {"higher-die": 1}
    assert classes[ClassKey("illegal", "full-point")].alternatives == {}


def test_unexamined_successors_belong_to_no_class() -> None:
    classes, _ = group(comparison(0, illegal("bar-first"), Symptom("illegal", UNEXAMINED)))
    assert list(classes) == [("illegal", "bar-first")]
