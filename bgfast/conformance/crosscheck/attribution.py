"""Attribution of disagreements to broken rules, decided over all cases of an engine.

A single wrong successor often has several explanations, of which one is the engine's mistake. The true one
also explains the engine's other errors. Hence nothing is decided before the end: `Evidence` collects symptoms
with all their possible causes, and counts the cases for every combination of symptoms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from types import MappingProxyType
from typing import NamedTuple

from bgfast.conformance.crosscheck.disagreements import (
    ILLEGAL_RULES,
    RANKS,
    RULE_ORDER,
    UNEXAMINED,
    ClassKey,
    Comparison,
    Disagreement,
    Rules,
    Symptom,
)
from bgfast.conformance.protocol import Capabilities, Case

Symptoms = frozenset[Symptom]

_ORDER = list(ILLEGAL_RULES)


class Attribution:
    """Rules that an engine breaks, in the order of selection, and the classes of its symptoms.

    A greedy search over `patterns`, case counts by exact set of symptoms, selects the rule that
    explains the most, then the rule that explains the most of the rest, until no rule explains a further
    illegal successor. Every selected rule is then reconsidered with the others fixed, and a pair of rules
    that explains as much replaces the whole selection. Ties go to the first rule in `RULE_ORDER`.
    """

    def __init__(self, patterns: Mapping[Symptoms, int] = MappingProxyType({})) -> None:
        selection: list[str] = []
        while rule := _best_rule(patterns, selection):
            selection.append(rule)
        self.rules = tuple(_equivalent_pair(patterns, _reselect(patterns, selection)))

    def cause(self, symptom: Symptom) -> Rules:
        """Return the rules that explain a symptom, preferring fewer rules, then those selected earlier.

        Empty if the symptom has no possible cause, or is a missing play that the broken rules do not explain.
        """
        if explanations := [cause for cause in symptom.causes if set(cause) <= set(self.rules)]:
            return min(explanations, key=lambda cause: (len(cause), [*map(self.rules.index, cause)]))
        return symptom.causes[0] if symptom.causes and symptom.kind == "illegal" else ()

    def classes(self, symptom: Symptom) -> list[ClassKey]:
        """Return the classes of a symptom, one for every rule that explains it."""
        cause = dict.fromkeys(map(_rule, self.cause(symptom)))
        return [ClassKey("illegal", rule) for rule in cause] or [ClassKey(symptom.kind, symptom.rule)]

    def disagreements_in(self, class_: ClassKey, comparison: Comparison) -> list[Disagreement]:
        """Return the disagreements of a case that belong to a class."""
        return [item for item in comparison.disagreements if class_ in self.classes(item.symptom)]

    def is_clear(self, class_: ClassKey, comparison: Comparison) -> bool:
        """Return whether a case has a disagreement of the class with a single possible cause."""
        return any(_is_clear(item.symptom) for item in self.disagreements_in(class_, comparison))

    def alternatives(self, symptom: Symptom, rule: str) -> list[str]:
        """Return the alternatives to a rule: other rules that would complete the explanation of a symptom."""
        rest = {name for name in self.cause(symptom) if _rule(name) != rule}
        missing_rules = (set(cause) - rest for cause in symptom.causes)
        rules = dict.fromkeys(_rule(*missing) for missing in missing_rules if len(missing) == 1)
        return [name for name in rules if name != rule]


def _rule(name: str) -> str:
    """Return the rule of `ILLEGAL_RULES` that a cause names."""
    return name.partition(":")[0]


def _reselect(patterns: Mapping[Symptoms, int], selection: list[str]) -> list[str]:
    """Select every rule again with the others fixed, and drop superfluous ones."""
    for _ in RULE_ORDER:  # an upper bound; a few rounds suffice
        previous = selection
        for rule in previous:
            others = [other for other in selection if other != rule]
            best = _best_rule(patterns, others)
            selection = [best if other == rule else other for other in selection] if best else others
        if selection == previous:
            break
    return selection


def _equivalent_pair(patterns: Mapping[Symptoms, int], selection: list[str]) -> list[str]:
    """Return a pair of rules that explains as much as the whole selection, or the selection."""
    if len(selection) <= 2:
        return selection
    causes = chain.from_iterable(symptom.causes for symptoms in patterns for symptom in symptoms)
    rules = sorted(set(chain.from_iterable(causes)), key=RANKS.__getitem__)
    unexplained = _count_unexplained(patterns, set(selection), sum(patterns.values()))
    pairs = map(list, combinations(rules, 2))
    return next(
        (pair for pair in pairs if _count_unexplained(patterns, set(pair), unexplained) <= unexplained),
        selection,
    )


def _count_unexplained(patterns: Mapping[Symptoms, int], rules: set[str], limit: int) -> int:
    """Count cases with an explainable illegal play that `rules` leave unexplained; stop above `limit`."""
    count = 0
    for symptoms, cases in patterns.items():
        if _list_unexplained(symptoms, rules):
            count += cases
            if count > limit:
                break
    return count


def _best_rule(patterns: Mapping[Symptoms, int], selection: list[str]) -> str | None:
    """Return the rule with the highest score; None if no rule explains anything further."""
    scores = _scores(patterns, set(selection))
    return max(scores, key=lambda rule: (scores[rule], -RANKS[rule]), default=None)


def _scores(patterns: Mapping[Symptoms, int], selection: set[str]) -> Counter[str]:
    """Return scores of the rules that explain something the selected rules leave open.

    A rule scores a case once if it explains an illegal successor, once more if it explains all of them, and
    once more if it also explains all missing plays.
    """
    scores: Counter[str] = Counter()
    for symptoms, cases in patterns.items():
        missing_rules = [
            {rest.pop() for cause in symptom.causes if len(rest := set(cause) - selection) == 1}
            for symptom in _list_unexplained(symptoms, selection)
        ]
        for rule in set().union(*missing_rules):
            scores[rule] += cases
            if all(rule in rules for rules in missing_rules):
                scores[rule] += cases
                if all(_is_explained(s, {*selection, rule}) for s in symptoms if s.kind == "missing"):
                    scores[rule] += cases
    return scores


def _is_explained(symptom: Symptom, rules: set[str]) -> bool:
    return any(rules.issuperset(cause) for cause in symptom.causes)


def _list_unexplained(symptoms: Symptoms, rules: set[str]) -> list[Symptom]:
    """Return the symptoms of illegal successors that have causes, but none within `rules`."""
    return [s for s in symptoms if s.kind == "illegal" and s.causes and not _is_explained(s, rules)]


class ClassSummary(NamedTuple):
    """Statistics and examples of a class."""

    cases: int
    first: Comparison
    smallest: Comparison  # with a single possible cause, if there is such a case
    alternatives: dict[str, int]  # cases that each alternative rule would explain, largest first


@dataclass
class Evidence:
    """Errors of an engine over all cases, with the first and the smallest case of every symptom."""

    size: Callable[[Case], int]
    patterns: Counter[Symptoms] = field(default_factory=Counter)
    first: dict[Symptom, Comparison] = field(default_factory=dict)
    smallest: dict[Symptom, Comparison] = field(default_factory=dict)
    wrong: dict[int, Comparison] = field(default_factory=dict)  # by case index
    excluded: set[int] = field(default_factory=set)  # indices of the cases without an answer

    def add(self, comparison: Comparison) -> None:
        """Add a comparison; call in the order of the cases."""
        symptoms = dict.fromkeys(disagreement.symptom for disagreement in comparison.disagreements)
        if comparison.failed or not comparison.reached:
            self.excluded.add(comparison.case_index)
        elif symptoms:
            self.wrong[comparison.case_index] = comparison
        if symptoms:
            self.patterns[frozenset(symptoms)] += 1
        for symptom in symptoms:
            self.first.setdefault(symptom, comparison)
            smallest = self.smallest.setdefault(symptom, comparison)
            if self.size(comparison.case) < self.size(smallest.case):
                self.smallest[symptom] = comparison

    def classes(self, attribution: Attribution) -> dict[ClassKey, ClassSummary]:
        """Group the symptoms into classes, the class with the most cases first."""
        by_class: dict[ClassKey, list[Symptom]] = {}
        for symptom in self.first:
            if symptom.rule != UNEXAMINED:
                for class_ in attribution.classes(symptom):
                    by_class.setdefault(class_, []).append(symptom)
        summaries = {
            class_: self._summarize(class_, symptoms, attribution) for class_, symptoms in by_class.items()
        }
        return dict(sorted(summaries.items(), key=lambda item: (-item[1].cases, item[1].first.case_index)))

    def _summarize(self, class_: ClassKey, symptoms: list[Symptom], attribution: Attribution) -> ClassSummary:
        cases = 0
        others: Counter[str] = Counter()
        for pattern, count in self.patterns.items():
            symptoms_in_case = pattern.intersection(symptoms)
            if symptoms_in_case:
                cases += count
                illegal = [symptom for symptom in symptoms_in_case if symptom.kind == "illegal"]
                alternatives = [set(attribution.alternatives(symptom, class_.rule)) for symptom in illegal]
                others.update(dict.fromkeys(set.intersection(*alternatives) if alternatives else (), count))
        return ClassSummary(
            cases,
            min((self.first[symptom] for symptom in symptoms), key=lambda comparison: comparison.case_index),
            min(
                (self.smallest[symptom] for symptom in [s for s in symptoms if _is_clear(s)] or symptoms),
                key=lambda comparison: (self.size(comparison.case), comparison.case_index),
            ),
            dict(sorted(others.items(), key=lambda item: (-item[1], _ORDER.index(item[0])))),
        )


def _is_clear(symptom: Symptom) -> bool:
    """Return whether the symptom has no possible cause or just one, a single rule."""
    return len(symptom.causes) <= 1 and all(len(cause) == 1 for cause in symptom.causes)


def checkers_on(case: Case) -> int:
    """Return the number of checkers on the board, bars included."""
    return sum(map(abs, case.board))


def size_for(capabilities: Capabilities) -> Callable[[Case], int]:
    """Return the measure of a case's size: checkers, or turns for engines that only replay games."""
    return checkers_on if capabilities.positions else lambda case: len(case.game or ())
