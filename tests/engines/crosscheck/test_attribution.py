"""Tests of the attribution of disagreements to rules, with hand-made symptoms."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

from bgfast.engines.crosscheck.attribution import Attribution, Evidence, checkers_on
from bgfast.engines.crosscheck.diagnosis import RULE_ORDER
from bgfast.engines.crosscheck.disagreements import UNEXAMINED, ClassKey, Comparison, Disagreement, Symptom
from bgfast.engines.protocol import Case
from bgfast.position.explain.sentences import RULES

BOARD = (-1, *24 * (0,), 1)


def illegal(*causes: str) -> Symptom:
    """What these rules explain each on its own, or joined by "+" together."""
    return Symptom("illegal", "several-rules", tuple(tuple(rules.split("+")) for rules in causes))


def missing(*causes: str) -> Symptom:
    return illegal(*causes)._replace(kind="missing", rule="plain")


def decided(*cases: Iterable[Symptom]) -> Attribution:
    return Attribution(Counter(map(frozenset, cases)))


def rules_of(attribution: Attribution, symptom: Symptom) -> list[str]:
    return [class_.rule for class_ in attribution.classes(symptom)]


def test_the_rule_that_explains_most_cases_wins() -> None:
    open_ = illegal("must-play-both", "bar-first")
    assert rules_of(decided([open_]), open_) == ["must-play-both"]
    assert rules_of(decided([open_], [illegal("bar-first")]), open_) == ["bar-first"]
    both = decided([open_], [illegal("bar-first")], *3 * [[illegal("must-play-both")]])
    assert both.rules == ("must-play-both", "bar-first")
    assert rules_of(both, open_) == ["must-play-both"]


def test_a_full_explanation_outweighs_a_partial_one() -> None:
    cases = [[illegal("bar-first"), illegal("bar-first", "too-many-dice")] for _ in range(3)]
    assert decided(*cases).rules == ("bar-first",)
    # Each explains all three cases in part, the second all that is missing as well.
    cases = [[illegal("must-play-both", "bar-first"), missing("bar-first")] for _ in range(3)]
    assert decided(*cases).rules == ("bar-first",)


def test_ties_go_to_the_ordinary_rule() -> None:
    assert list(dict.fromkeys(rule.partition(":")[0] for rule in RULE_ORDER)) == [
        *(rule for rule in RULES if not rule.startswith(("hit", "blocked"))),
        "hit-not-taken",
        "blocked-point",
    ]
    last = RULE_ORDER[-4:]
    assert all(rule.endswith((":added-up", ":swallowed")) for rule in last)
    shuffled = list(RULE_ORDER)
    random.Random(1).shuffle(shuffled)
    while shuffled:
        found = decided([illegal(*shuffled)])
        assert found.rules == (min(shuffled, key=RULE_ORDER.index),)
        shuffled.remove(*found.rules)


def test_all_variants_of_a_capture_are_a_single_rule() -> None:
    hit, gone = illegal("blocked-point:one-hit"), illegal("blocked-point:vanishing")
    found = decided([hit], [gone])
    assert rules_of(found, hit) == rules_of(found, gone) == ["blocked-point"]
    both = illegal("blocked-point:one-hit", "blocked-point:vanishing")
    assert found.others(both, "blocked-point") == []


def test_a_symptom_of_two_rules_belongs_to_both_classes() -> None:
    together = illegal("bar-first+blocked-point:one-hit")
    found = decided([illegal("bar-first")], [illegal("blocked-point:one-hit")], [together])
    assert rules_of(found, together) == ["bar-first", "blocked-point"]
    assert rules_of(decided([together]), together) == ["bar-first", "blocked-point"]


def test_a_selected_rule_is_replaced_by_a_better_one() -> None:
    # At first "must-play-both" explains most; once "bear-off-too-far" is found, no more than the other.
    cases = 5 * [[illegal("must-play-both-last-checker", "must-play-both")]]
    cases += 4 * [[illegal("bear-off-too-far")], [illegal("bear-off-too-far", "must-play-both")]]
    found = decided(*cases)
    assert set(found.rules) == {"bear-off-too-far", "must-play-both-last-checker"}


def test_superfluous_rules_are_dropped() -> None:
    rules = ("bar-first", "full-point", "bear-off-too-far")
    cases = [[illegal(rule)] for rule in rules] + 2 * [[illegal("higher-die", rule)] for rule in rules]
    assert set(decided(*cases).rules) == set(rules)


def test_two_rules_are_better_than_three() -> None:
    two = "forfeit-occupied-point+forfeit-before-all-home"
    cases = 3 * [[illegal("must-play-both", two)], [illegal("as-many-as-possible", two)]]
    cases += 3 * [[illegal("pass-though-a-play-exists", two)]]
    found = decided(*cases)
    assert set(found.rules) == set(two.split("+"))
    assert rules_of(found, cases[0][0]) == ["forfeit-occupied-point", "forfeit-before-all-home"]


def test_a_missing_play_is_explained_by_the_engines_rules_only() -> None:
    dropped = missing("blocked-point:one-hit", "bar-first")
    assert decided([dropped]).classes(dropped) == [("missing", "plain")]
    assert decided([dropped], [illegal("full-point")]).classes(dropped) == [("missing", "plain")]
    assert decided([dropped], [illegal("bar-first")]).classes(dropped) == [("illegal", "bar-first")]


def test_symptoms_without_causes_keep_their_own_class() -> None:
    for symptom in (Symptom("illegal", "not-reachable"), Symptom("hang", "no-answer"), missing()):
        assert decided([symptom]).classes(symptom) == [(symptom.kind, symptom.rule)]
        assert decided([symptom]).rules == ()


# All disagreements of an engine.


def comparison(number: int, *symptoms: Symptom, checkers: int = 1) -> Comparison:
    case = Case((*BOARD[:6], checkers, *BOARD[7:]), (2, 1))
    return Comparison(number, case, True, tuple(Disagreement(symptom, (BOARD,)) for symptom in symptoms))


def grouped(*comparisons: Comparison) -> tuple[dict[ClassKey, object], Attribution]:
    evidence = Evidence(checkers_on)
    for each in comparisons:
        evidence.add(each)
    attribution = evidence.attribution()
    return evidence.classes(attribution), attribution  # type: ignore[return-value]


def test_classes_are_sorted_by_cases_and_count_cases_once() -> None:
    bar, full = illegal("bar-first"), illegal("full-point")
    found, _ = grouped(
        comparison(0),
        comparison(3, full),
        comparison(4, bar, illegal("bar-first", "must-play-both")),
        comparison(7, bar, full),
        comparison(9, bar, missing("bar-first"), missing()),
    )
    counts = {tuple(class_): (met.cases, met.first.number) for class_, met in found.items()}
    assert list(counts.items()) == [
        (("illegal", "bar-first"), (3, 4)),
        (("illegal", "full-point"), (2, 3)),
        (("missing", "plain"), (1, 9)),
    ]


def test_the_smallest_case_has_a_single_explanation() -> None:
    bar, open_ = illegal("bar-first"), illegal("bar-first", "must-play-both")
    found, attribution = grouped(
        comparison(0, open_, checkers=2),
        comparison(1, bar, checkers=9),
        comparison(2, bar, open_, checkers=5),
        comparison(3, bar, checkers=5),
    )
    (met,) = found.values()
    assert (met.first.number, met.smallest.number) == (0, 2)
    (class_,) = found
    assert attribution.is_clear(class_, met.smallest)
    assert not attribution.is_clear(class_, met.first)
    (met,) = grouped(comparison(0, open_, checkers=4), comparison(1, open_, checkers=3))[0].values()
    assert met.smallest.number == 1


def test_other_explanations_of_whole_cases_are_counted() -> None:
    bar, open_ = illegal("bar-first"), illegal("bar-first", "must-play-both", "higher-die")
    found, _ = grouped(
        comparison(0, bar),
        comparison(1, bar, open_),
        comparison(2, open_),
        comparison(3, open_, missing("bar-first")),
    )
    (met,) = found.values()
    assert met.others == {"higher-die": 2, "must-play-both": 2}
    full = illegal("full-point")
    together = illegal("bar-first+full-point", "higher-die+full-point")
    found, _ = grouped(comparison(0, bar), comparison(1, bar), comparison(2, full), comparison(3, together))
    assert found[ClassKey("illegal", "bar-first")].others == {"higher-die": 1}
    assert found[ClassKey("illegal", "full-point")].others == {}


def test_unexamined_successors_belong_to_no_class() -> None:
    found, _ = grouped(comparison(0, illegal("bar-first"), Symptom("illegal", UNEXAMINED)))
    assert list(found) == [("illegal", "bar-first")]
