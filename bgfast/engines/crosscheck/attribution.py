"""Which rule each disagreement of an engine is put down to, decided over all that the engine did.

One wrong result can often be explained in several ways, and only one of them is the engine's mistake. That
one explains its other wrong results, too. So nothing is decided before the end: what is kept of each case
are its symptoms, which hold all possible causes, and how often each combination of symptoms was met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from types import MappingProxyType
from typing import NamedTuple

from bgfast.engines.crosscheck.diagnosis import ILLEGAL_RULES, RULE_ORDER, Rules
from bgfast.engines.crosscheck.disagreements import UNEXAMINED, ClassKey, Comparison, Disagreement, Symptom
from bgfast.engines.protocol import Capabilities, Case

__all__ = ["Attribution", "ClassSummary", "Evidence", "size_for"]

Symptoms = frozenset[Symptom]

_PLACES = {rule: place for place, rule in enumerate(RULE_ORDER)}
_ORDER = list(ILLEGAL_RULES)


class Attribution:
    """The rules that an engine breaks, and what comes into which class by that.

    The rule that explains most comes first; then, of what is left, the one that explains most of it; until
    each illegal result is explained that one more rule can explain. Then each of them is tried once more in
    the light of the others, and whether two rules would do. Of rules that explain as much the first of
    `RULE_ORDER` is taken.

    Parameters
    ----------
    patterns : dict, optional
        How many cases have exactly these symptoms.

    Attributes
    ----------
    rules : tuple of str
        In the order in which they were found.

    Examples
    --------
    >>> some = Symptom("illegal", "several-rules", (("must-play-both",), ("bar-first",)))
    >>> clear = Symptom("illegal", "several-rules", (("bar-first",),))
    >>> Attribution({frozenset({some}): 3}).classes(some)
    [ClassKey(kind='illegal', rule='must-play-both')]
    >>> Attribution({frozenset({some}): 3, frozenset({clear}): 1}).classes(some)
    [ClassKey(kind='illegal', rule='bar-first')]
    """

    def __init__(self, patterns: Mapping[Symptoms, int] = MappingProxyType({})) -> None:
        found: list[str] = []
        while rule := _best(patterns, found):
            found.append(rule)
        self.rules = tuple(_two(patterns, _reconsidered(patterns, found)))

    def cause(self, symptom: Symptom) -> Rules:
        """Return the rules that explain a symptom, of several explanations that of the rule found first.

        None at all if it has no cause; of a missing play also if none of its causes is the engine's.
        """
        known = [those for those in symptom.causes if set(those) <= set(self.rules)]
        if known:
            return min(known, key=lambda those: (len(those), [self.rules.index(rule) for rule in those]))
        return symptom.causes[0] if symptom.causes and symptom.kind == "illegal" else ()

    def classes(self, symptom: Symptom) -> list[ClassKey]:
        """Return into which classes a symptom comes: one for each rule that is broken."""
        cause = dict.fromkeys(map(_rule, self.cause(symptom)))
        return [ClassKey("illegal", rule) for rule in cause] or [ClassKey(symptom.kind, symptom.rule)]

    def under(self, class_: ClassKey, comparison: Comparison) -> list[Disagreement]:
        """Return what comes into a class of all that is wrong in a case."""
        return [
            disagreement
            for disagreement in comparison.disagreements
            if class_ in self.classes(disagreement.symptom)
        ]

    def is_clear(self, class_: ClassKey, comparison: Comparison) -> bool:
        """Whether something comes into a class in a case that nothing else explains."""
        return any(_is_clear(disagreement.symptom) for disagreement in self.under(class_, comparison))

    def others(self, symptom: Symptom, rule: str) -> list[str]:
        """Return which rules would explain a symptom just as well if it were not for a rule that does."""
        rest = {name for name in self.cause(symptom) if _rule(name) != rule}
        lacking = (set(those) - rest for those in symptom.causes)
        found = dict.fromkeys(_rule(*names) for names in lacking if len(names) == 1)
        return [other for other in found if other != rule]


def _rule(name: str) -> str:
    """Return the rule of `ILLEGAL_RULES` that a cause names."""
    return name.partition(":")[0]


def _reconsidered(patterns: Mapping[Symptoms, int], found: list[str]) -> list[str]:
    """Return better rules for those chosen before the others were known, and no superfluous ones."""
    for _ in RULE_ORDER:  # a bound: it takes a few rounds
        before = found
        for rule in before:
            others = [other for other in found if other != rule]
            better = _best(patterns, others)
            found = [better if other == rule else other for other in found] if better else others
        if found == before:
            break
    return found


def _two(patterns: Mapping[Symptoms, int], found: list[str]) -> list[str]:
    """Return two rules if they explain as much as more."""
    if len(found) <= 2:
        return found
    named = chain.from_iterable(symptom.causes for symptoms in patterns for symptom in symptoms)
    rules = sorted(set(chain.from_iterable(named)), key=_PLACES.__getitem__)
    open_ = _open_cases(patterns, set(found), sum(patterns.values()))
    pairs = map(list, combinations(rules, 2))
    return next((pair for pair in pairs if _open_cases(patterns, set(pair), open_) <= open_), found)


def _open_cases(patterns: Mapping[Symptoms, int], rules: set[str], enough: int) -> int:
    """Return in how many cases some rules leave an illegal result open that others explain.

    Beyond `enough` there is no need to count.
    """
    open_ = 0
    for symptoms, cases in patterns.items():
        if any(s.kind == "illegal" and s.causes and not _explained(s, rules) for s in symptoms):
            open_ += cases
            if open_ > enough:
                break
    return open_


def _best(patterns: Mapping[Symptoms, int], found: list[str]) -> str | None:
    """Return the rule that explains most of what those found leave open, None if there is none."""
    scores = _scores(patterns, set(found))
    return max(scores, key=lambda rule: (scores[rule], -_PLACES[rule]), default=None)


def _scores(patterns: Mapping[Symptoms, int], found: set[str]) -> Counter[str]:
    """Return how much each rule explains of what those found leave open.

    A case counts once for each rule that explains an illegal result, once more if it explains all of them,
    and once more if it also explains all plays that are missing.
    """
    scores: Counter[str] = Counter()
    for symptoms, cases in patterns.items():
        open_ = [s for s in symptoms if s.kind == "illegal" and s.causes and not _explained(s, found)]
        lacking = [{rest.pop() for those in s.causes if len(rest := set(those) - found) == 1} for s in open_]
        for rule in set().union(*lacking):
            scores[rule] += cases
            if all(rule in rules for rules in lacking):
                scores[rule] += cases
                if all(_explained(s, {*found, rule}) for s in symptoms if s.kind == "missing"):
                    scores[rule] += cases
    return scores


def _explained(symptom: Symptom, rules: set[str]) -> bool:
    return any(rules.issuperset(those) for those in symptom.causes)


class ClassSummary(NamedTuple):
    """How often a class was met, and where.

    Attributes
    ----------
    cases : int
        In how many cases.
    first, smallest : Comparison
        Of what only this rule explains, if there is such, the smallest.
    others : dict
        Which other rules would explain all that is illegal, and in how many cases; most cases first.
    """

    cases: int
    first: Comparison
    smallest: Comparison
    others: dict[str, int]


@dataclass
class Evidence:
    """All that an engine does wrong, case by case, and what it comes to.

    Parameters
    ----------
    size : function
        Of the cases with the same symptom the one of the smallest size is kept, the first of equal ones.
    """

    size: Callable[[Case], int]
    patterns: Counter[Symptoms] = field(default_factory=Counter)
    first: dict[Symptom, Comparison] = field(default_factory=dict)
    smallest: dict[Symptom, Comparison] = field(default_factory=dict)

    def add(self, comparison: Comparison) -> None:
        """Count what is wrong in a case; they come in their order."""
        symptoms = dict.fromkeys(disagreement.symptom for disagreement in comparison.disagreements)
        if symptoms:
            self.patterns[frozenset(symptoms)] += 1
        for symptom in symptoms:
            self.first.setdefault(symptom, comparison)
            smallest = self.smallest.setdefault(symptom, comparison)
            if self.size(comparison.case) < self.size(smallest.case):
                self.smallest[symptom] = comparison

    def attribution(self) -> Attribution:
        """Decide what the engine's mistakes are by what is there."""
        return Attribution(self.patterns)

    def classes(self, attribution: Attribution) -> dict[ClassKey, ClassSummary]:
        """Group all of it, that with most cases first."""
        by_class: dict[ClassKey, list[Symptom]] = {}
        for symptom in self.first:
            if symptom.rule != UNEXAMINED:
                for class_ in attribution.classes(symptom):
                    by_class.setdefault(class_, []).append(symptom)
        found = {class_: self._grouped(class_, those, attribution) for class_, those in by_class.items()}
        return dict(sorted(found.items(), key=lambda item: (-item[1].cases, item[1].first.number)))

    def _grouped(self, class_: ClassKey, those: list[Symptom], attribution: Attribution) -> ClassSummary:
        cases = 0
        others: Counter[str] = Counter()
        for symptoms, times in self.patterns.items():
            here = symptoms.intersection(those)
            if here:
                cases += times
                illegal = [symptom for symptom in here if symptom.kind == "illegal"]
                also = [set(attribution.others(symptom, class_.rule)) for symptom in illegal]
                others.update(dict.fromkeys(set.intersection(*also) if also else (), times))
        return ClassSummary(
            cases,
            min((self.first[symptom] for symptom in those), key=lambda comparison: comparison.number),
            min(
                (self.smallest[symptom] for symptom in [s for s in those if _is_clear(s)] or those),
                key=lambda comparison: (self.size(comparison.case), comparison.number),
            ),
            dict(sorted(others.items(), key=lambda item: (-item[1], _ORDER.index(item[0])))),
        )


def _is_clear(symptom: Symptom) -> bool:
    """Whether only one rule explains it, or none is needed."""
    return len(symptom.causes) <= 1 and all(len(those) == 1 for those in symptom.causes)


def checkers_on(case: Case) -> int:
    """Return how many checkers stand on the board, bars included."""
    return sum(map(abs, case.board))


def turns_before(case: Case) -> int:
    """Return how many turns of a game lead to the position."""
    return len(case.game or ())


def size_for(capabilities: Capabilities) -> Callable[[Case], int]:
    """Return how the size of a case is measured: what has to be looked through by hand."""
    return checkers_on if capabilities.positions else turns_before
