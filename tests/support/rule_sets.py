"""Rule sets for tests: presets, `strict`, and random combinations of all switches."""

from __future__ import annotations

import random

from bgfast import RuleSet
from tests.support.rule_cases import RULE_SETS

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
