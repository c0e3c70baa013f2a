"""Cases of the packaged rule_positions.txt: 57 positions and 220 expectations."""

from __future__ import annotations

from bgfast.engines.suite.named_cases import RULE_POSITIONS, data_text
from bgfast.engines.suite.rule_positions import RULE_SETS, START, RuleCase, final_board, read_rule_lines

__all__ = ["EXPECTATIONS", "RULE_SETS", "START", "RuleCase", "final_board", "rule_cases", "rule_lines"]

EXPECTATIONS = 220


def rule_lines() -> list[str]:
    """Return the lines of the file."""
    return data_text(RULE_POSITIONS).splitlines()


def rule_cases() -> list[RuleCase]:
    """Return the 220 expectations in the order of the file."""
    return list(read_rule_lines(rule_lines()))
