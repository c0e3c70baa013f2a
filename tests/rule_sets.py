"""Rule sets for tests: the named ones, and random combinations of the switches that change the plays."""

from __future__ import annotations

import random

from bgfast.rules import RuleSet

from .rule_cases import RULE_SETS

__all__ = ["RULES", "random_rules"]


def random_rules(rng: random.Random) -> RuleSet:
    """Any combination; forfeits and low limits more often than they would come by themselves."""
    return RuleSet(
        bearoff_die=rng.choice(["standard", "exact", "rearmost"]),
        bearoff_compulsory=rng.random() < 0.5,
        forfeit=rng.choice(["never", "empty_point", "empty_point"]),
        stack_max=rng.choice([0, 0, 1, 2, 3, 5]),
    )


_RNG = random.Random("rule sets")
# All presets, `strict`, and ten combinations that nobody has named.
RULES: dict[str, RuleSet] = RULE_SETS | {f"random{i}": random_rules(_RNG) for i in range(10)}
