"""Cases of the packaged rule_positions.txt: 57 positions and 220 expectations."""

from __future__ import annotations

from bgfast.conformance.suite.named_cases import (
    RULE_POSITIONS,
    RULE_SETS,
    START,
    RuleCase,
    data_text,
    final_board,
    read_rule_lines,
)

__all__ = [
    "EXPECTATIONS",
    "OPENING_COUNTS",
    "RULE_SETS",
    "START",
    "RuleCase",
    "final_board",
    "rule_cases",
    "rule_lines",
]

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
    """Return the lines of the file."""
    return data_text(RULE_POSITIONS).splitlines()


def rule_cases() -> list[RuleCase]:
    """Return the 220 expectations in the order of the file."""
    return list(read_rule_lines(rule_lines()))
