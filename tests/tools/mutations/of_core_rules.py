"""Mutations of the generator under other rules than `standard`."""

from __future__ import annotations

_LEVELS = "bgfast/core/generator/levels.pyx"
_RULES = "bgfast/core/generator/generator.pyx"

TESTS = {
    _LEVELS: ["tests/core/test_any_rules.py"],
    _RULES: ["tests/core/test_any_rules.py"],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "exact: bear off with a higher die",
        "if bearoff_die == BEAROFF_EXACT or bearoff_die == BEAROFF_STANDARD and own >> die & 1:",
        "if bearoff_die <= BEAROFF_EXACT and own >> die & 1:",
        _LEVELS,
    ),
    (
        "rearmost: bear off past the rearmost checker",
        "bearoff_die == BEAROFF_STANDARD and own >> die & 1:",
        "own >> die & 1:",
        _LEVELS,
    ),
    (
        "compulsory or not: bear off the rearmost checker with a lower die",
        "return rearmost if rearmost <= 1U << die else 0",
        "return rearmost",
        _LEVELS,
    ),
    (
        "any rules: list plays of a finished game",
        "root.over = bg_greater(row, 0) == 0 or ~bg_greater(row, -1) == 0",
        "root.over = False",
        _LEVELS,
    ),
    (
        "any rules: the lower die counts as the higher one",
        "max(die1, die2), min(die1, die2)",
        "min(die1, die2), max(die1, die2)",
        _LEVELS,
    ),
    (
        "any rules: a blot stays where it is hit",
        "hits = (bg_greater(row, -2) & ~bg_greater(row, -1) & POINTS) << die",
        "hits = 0",
        _LEVELS,
    ),
    (
        "any rules: list plays of fewer dice",
        "return _emit_nodes(sink, space, begin[longest], begin[longest + 1])",
        "return _emit_nodes(sink, space, begin[1], begin[longest + 1])",
        _LEVELS,
    ),
    (
        "any rules: moves without the unused slots",
        "node.played | UNUSED[node.used]",
        "node.played",
        _LEVELS,
    ),
    (
        "a limit of 15 switches off the other switches",
        "if switches == (BEAROFF_STANDARD, False, False, switches[3]):",
        "if True:",
        _RULES,
    ),
    (
        "any rules: bear off with a checker outside",
        "if own & OUTSIDE or own == 0:",
        "if own == 0:",
        _LEVELS,
    ),
    (
        "any rules: move inside although a bear-off is compulsory",
        "return off if rules.bearoff_compulsory and off else sources | off",
        "return sources | off",
        _LEVELS,
    ),
    (
        "any rules: land on a full point",
        "landable &= ~bg_greater(row, rules.stack_max - 1)",
        "landable &= ~bg_greater(row, rules.stack_max)",
        _LEVELS,
    ),
    (
        "any rules: forfeit a die whose point is occupied",
        "own != 0 and own & (OUTSIDE | 1U << die) == 0",
        "own != 0 and own & OUTSIDE == 0",
        _LEVELS,
    ),
    (
        "any rules: forfeit with a checker outside",
        "own != 0 and own & (OUTSIDE | 1U << die) == 0",
        "own != 0 and own & (1U << die) == 0",
        _LEVELS,
    ),
    (
        "any rules: forfeit without a checker on the board",
        "own != 0 and own & (OUTSIDE | 1U << die) == 0",
        "own & (OUTSIDE | 1U << die) == 0",
        _LEVELS,
    ),
    (
        "any rules: keep the first path to a position",
        "if match == n or forfeits < space.nodes[match].forfeits:",
        "if match == n:",
        _LEVELS,
    ),
    (
        "any rules: list a result once for each number of dice",
        "space.nodes[i].key) < i:",
        "space.nodes[i].key) < 0:",
        _LEVELS,
    ),
    (
        "any rules: count forfeits as ordinary moves for L",
        "        if space.nodes[i].forfeits == 0:\n            return True\n",
        "        return True\n",
        _LEVELS,
    ),
    (
        "any rules: stop although an unused die has an ordinary move, doubles",
        "if space.nodes[i].used < longest or _ordinary(rules, bg_load_board(space.nodes[i].point), die):",
        "if space.nodes[i].used < longest:",
        _LEVELS,
    ),
    (
        "any rules: stop although the other die has an ordinary move",
        "                or _ordinary(rules, bg_load_board(space.nodes[i].point), b if higher else a)):",
        "                or False):",
        _LEVELS,
    ),
    (
        "any rules: drop the higher-die rule",
        "higher = _any_without_forfeit(space, 1, after_a)",
        "higher = _any_without_forfeit(space, 1, after_a)"
        " and not _any_without_forfeit(space, after_a, after_b)",
        _LEVELS,
    ),
    (
        "any rules: list forfeits without an ordinary move",
        "    if longest == 0:\n        return 0",
        "    if longest == 0 and not rules.forfeit:\n        return 0",
        _LEVELS,
    ),
    (
        "any rules: try the dice in one order only",
        "    after_both = _next_level(rules, after_both, after_a, after_b, a, False)\n",
        "",
        _LEVELS,
    ),
    (
        "any rules: leave nodes in the table",
        "    _remove(space, after_b, after_both)\n",
        "",
        _LEVELS,
    ),
    (
        "any rules: flip no row",
        "bg_load_flipped(node.point) if sink.tables == &FROM_NEXT else bg_load_board(node.point)",
        "bg_load_board(node.point)",
        _LEVELS,
    ),
    (
        "treat a limit of 5 as none",
        "if self.rules.stack_max >= CHECKERS:",
        "if self.rules.stack_max >= 5:",
        _RULES,
    ),
]
