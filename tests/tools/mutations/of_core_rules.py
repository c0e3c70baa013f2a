"""Mutations of the generator under other rules than `standard`."""

from __future__ import annotations

_KERNEL = "bgfast/core/generator/kernel.pxi"
_FORFEITS = "bgfast/core/generator/forfeits.pxi"
_ANY_RULES = "bgfast/core/generator/any_rules.pxi"
_LEVELS = "bgfast/core/generator/levels.pxi"
_RULES = "bgfast/core/generator/rules.pyx"
_ANY_RULES_TESTS = "tests/core/test_any_rules.py"

TESTS = {
    _FORFEITS: [_ANY_RULES_TESTS],
    _ANY_RULES: [_ANY_RULES_TESTS],
    _LEVELS: [_ANY_RULES_TESTS],
    _RULES: [_ANY_RULES_TESTS],
}

# name, old text, new text, source[, tests]
MUTATIONS = [
    (
        "rearmost: bear off past the rearmost checker",
        "(landings if bearoff_die == BEAROFF_REARMOST else landings | exact)",
        "(landings | exact)",
        _KERNEL,
        _ANY_RULES_TESTS,
    ),
    (
        "rearmost: bear off past the rearmost checker with two dice",
        "own & exact and bearoff_die != BEAROFF_REARMOST or bearoff_die == BEAROFF_EXACT",
        "own & exact or bearoff_die == BEAROFF_EXACT",
        _KERNEL,
        _ANY_RULES_TESTS,
    ),
    (
        "exact: bear off with a higher die",
        '    if bearoff_die == BEAROFF_EXACT:   # "from point d only"\n        return own & exact\n',
        "",
        _KERNEL,
        _ANY_RULES_TESTS,
    ),
    (
        "exact: bear off with a higher die where two dice move",
        "own & exact and bearoff_die != BEAROFF_REARMOST or bearoff_die == BEAROFF_EXACT",
        "own & exact and bearoff_die != BEAROFF_REARMOST",
        _KERNEL,
        _ANY_RULES_TESTS,
    ),
    (
        "stack_max: count moves onto full points",
        "sources &= ~((bg_greater(base, sink.limit - 1) & sink.points) << die)",
        "sources &= ~((bg_greater(base, sink.limit) & sink.points) << die)",
        _KERNEL,
        _ANY_RULES_TESTS,
    ),
    (
        "stack_max: count plays with two points above the limit",
        "above if above & (above - 1) == 0 and not bg_greater",
        "above if not bg_greater",
        _KERNEL,
        _ANY_RULES_TESTS,
    ),
    (
        "stack_max: count plays with a point two above the limit",
        "not bg_greater(base, sink.limit + 1) & above else 0",
        "True else 0",
        _KERNEL,
        _ANY_RULES_TESTS,
    ),
    (
        "forfeits: count those that leave the die's point occupied",
        "_all_home(own.one) and borne_off >= to_clear:",
        "_all_home(own.one):",
        _FORFEITS,
    ),
    (
        "forfeits: require one bear-off too many",
        "_all_home(own.one) and borne_off >= to_clear:",
        "_all_home(own.one) and borne_off > to_clear:",
        _FORFEITS,
    ),
    (
        "forfeits: overlook the checker that comes home onto the die's point",
        "to_clear + (p > HOME and p - roll.die == roll.die)",
        "to_clear",
        _FORFEITS,
    ),
    (
        "forfeits: forfeit before the die's point is clear",
        "early = cleared < to_clear",
        "early = False",
        _FORFEITS,
    ),
    (
        "forfeits: forfeit before all are home",
        "early = search.path[i] > HOME",
        "early = False",
        _FORFEITS,
    ),
    (
        "forfeits: stop at plays of two moves",
        "if moves + 1 >= min(search.longest, 4):",
        "if moves + 1 >= min(search.longest, 3):",
        _FORFEITS,
    ),
    (
        "forfeits: forfeit a die whose point is occupied after the move",
        "not (_all_home(after) and after & point == 0)",
        "not _all_home(after)",
        _FORFEITS,
    ),
    (
        "forfeits: overlook that the move clears the point",
        "        if not before and not (_all_home(after) and after & point == 0):\n",
        "        if not before:\n",
        _FORFEITS,
    ),
    (
        "forfeits: give up the higher die alone although the other can move",
        "if forfeit_a and not sources_b:",
        "if forfeit_a:",
        _FORFEITS,
    ),
    (
        "forfeits: never give up both dice",
        "    if forfeit_a and forfeit_b:\n",
        "    if False:\n",
        _FORFEITS,
    ),
    (
        "compulsory: do not check whether the lower die can bear off first",
        "    if first == 0 or _bearoff_point(own, b, root.bearoff_die) == 0:\n",
        "    if first == 0:\n",
        _ANY_RULES,
    ),
    (
        "compulsory: no play for the last checkers",
        "return 0 if left.one else _emit_row(sink, 0, row, played | UNUSED[slot])",
        "return 0 if left.one else _emit_row(sink, 0, row, played)",
        _ANY_RULES,
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
        "any rules: treat a checker that comes home with the second die as outside",
        "    if a != b:   # one die brings one checker home\n",
        "    if a != b:\n        return False\n    if a != b:\n",
        _ANY_RULES,
    ),
    (
        "any rules: treat three checkers outside as too many",
        "+ bg_popcount(outside >> 2 * a & OUTSIDE)) <= 3",
        "+ bg_popcount(outside >> 2 * a & OUTSIDE)) <= 2",
        _ANY_RULES,
    ),
    (
        "any rules: check the bear-off alone",
        "    if _may_bear_off(root.own, a, b) and (may_overfill or rules.changes_bearoff):",
        "    if _may_bear_off(root.own, a, b) and rules.changes_bearoff:",
        _ANY_RULES,
    ),
    (
        "stack_max: overlook a second arrival",
        "twice & _at_least(row, limit - 1)\n            |",
        "twice & _at_least(row, limit)\n            |",
        _ANY_RULES,
    ),
    (
        "stack_max: overlook two landings with two dice",
        "        return once & _at_least(row, limit) | twice & _at_least(row, limit - 1)\n",
        "        return once & _at_least(row, limit)\n",
        _ANY_RULES,
    ),
    (
        "stack_max: overlook a fourth arrival",
        "            | own.four >> a & _at_least(row, limit - 3))",
        "            )",
        _ANY_RULES,
    ),
    (
        "stack_max: keep rows above the limit",
        "remaining_rows += bg_greater(row, limit) & POINTS & ~full == 0",
        "remaining_rows += bg_greater(row, limit + 1) & POINTS & ~full == 0",
        _ANY_RULES,
    ),
    (
        "stack_max: drop rows with a stack that was too tall before",
        "remaining_rows += bg_greater(row, limit) & POINTS & ~full == 0",
        "remaining_rows += bg_greater(row, limit) & POINTS == 0",
        _ANY_RULES,
    ),
    (
        "stack_max: land on points above the limit",
        "closed.open &= ~full",
        "closed.open &= ~0",
        _ANY_RULES,
    ),
    (
        "stack_max: enter on a full point that another checker leaves",
        "full |= _at_least(row, rules.stack_max) & (BAR_BIT >> a | BAR_BIT >> b)",
        "full |= 0",
        _ANY_RULES,
    ),
    (
        "stack_max: enter more than there is room for",
        "if entry <= rules.stack_max < entry + entering:",
        "if entry <= rules.stack_max < entry:",
        _ANY_RULES,
    ),
    (
        "stack_max: forget that the next checker behind can reach a tall stack after one has left",
        "if root.own.one >> a & full & ~_at_least(row, rules.stack_max + 3):",
        "if root.own.one >> a & full & ~_at_least(row, rules.stack_max + 2):",
        _ANY_RULES,
    ),
    (
        "stack_max: forget that the second checker behind can reach a tall stack after one has left",
        "if root.own.one >> 2 * a & full & ~_at_least(row, rules.stack_max + 2):",
        "if root.own.one >> 2 * a & full & ~_at_least(row, rules.stack_max + 1):",
        _ANY_RULES,
    ),
    (
        "stack_max: pass where fewer dice can be used",
        "    if remaining_rows == 0:\n        return _search_levels(sink, rules, root, a, b)\n",
        "    if remaining_rows == 0:\n        return 0\n",
        _ANY_RULES,
    ),
    (
        "stack_max: leave moves in an order that breaks the limit",
        "        if landed & may_overfill:\n",
        "        if landed & may_overfill & 1:\n",
        _ANY_RULES,
    ),
    (
        "stack_max: move before entering",
        " or (own[BAR] > 0 and source != BAR):",
        ":",
        _ANY_RULES,
    ),
    (
        "stack_max: count flipped rows",
        "    closed.row = row\n",
        "",
        _ANY_RULES,
    ),
    (
        "treat a limit of 5 as none",
        "if self.rules.stack_max >= CHECKERS:",
        "if self.rules.stack_max >= 5:",
        _RULES,
    ),
]
