"""The 220 cases of the packaged rule_positions.txt, and rule sets: presets, `strict`, random switches."""

from __future__ import annotations

import random

from bgfast import RuleSet
from bgfast.conformance.suite.named_cases import (  # noqa: F401
    RULE_POSITIONS,
    RULE_SETS,
    START,
    RuleCase,
    data_text,
    read_rule_lines,
)

EXPECTATIONS = 220
_OPENING_ROLLS = "21 31 41 51 61 32 42 52 62 43 53 63 54 64 65 11 22 33 44 55 66".split()
OPENING_COUNTS: dict[str, dict[tuple[int, int], int]] = {
    name: {
        (int(roll[0]), int(roll[1])): int(count)
        for roll, count in zip(_OPENING_ROLLS, counts.split(), strict=True)
    }
    for name, counts in {
        "standard": "15 16 14 8 10 17 18 8 14 17 9 14 9 14 7 42 75 73 52 4 11",
        "five_stack": "13 16 14 8 9 14 15 6 11 16 9 14 9 14 6 37 55 73 52 3 11",
    }.items()
}
"""Plays of each opening roll from the starting position, by rule set (docs/RULES.md, section 5)."""


def rule_lines() -> list[str]:
    return data_text(RULE_POSITIONS).splitlines()


def rule_cases() -> list[RuleCase]:
    """Return the 220 expectations in the order of the file."""
    return list(read_rule_lines(rule_lines()))


OTHER_RULE_SETS = {name: rules for name, rules in RULE_SETS.items() if name != "standard"}
STACKS = (0, 0, 1, 2, 3, 4, 5, 6, 8, 14, 15)


def random_rules(rng: random.Random) -> RuleSet:
    """Return a random combination or, less often, a preset."""
    if rng.random() < 0.3:
        return rng.choice(list(OTHER_RULE_SETS.values()))
    return RuleSet(
        bearoff_die=rng.choice(("standard", "exact", "rearmost")),
        bearoff_compulsory=rng.random() < 0.5,
        forfeit=rng.choice(("never", "empty_point")),
        stack_max=rng.choice(STACKS),
    )


_RNG = random.Random("rule sets")
RULES: dict[str, RuleSet] = RULE_SETS | {f"random{i}": random_rules(_RNG) for i in range(10)}
