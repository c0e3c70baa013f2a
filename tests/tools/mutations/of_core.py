"""Mutations of the generator of the standard rules."""

from __future__ import annotations

_KERNEL = "bgfast/core/generator/kernel.pxi"
_SINKS = "bgfast/core/generator/sinks.pxi"
_BATCHES = "bgfast/core/generator/batches.pxi"

TESTS = {
    _KERNEL: [
        "tests/core/test_generator.py",
        "tests/core/test_any_rules.py",
        "tests/batch/test_perft.py",
        "tests/batch/test_successors.py",
    ],
    _SINKS: ["tests/core/test_generator.py", "tests/batch/test_successors.py"],
    _BATCHES: [
        "tests/batch/test_successors.py",
        "tests/batch/test_arguments.py",
        "tests/batch/test_changing_memory.py",
    ],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "rows overlap the moves in scratch",
        "<int8_t *> (scratch + MAX_SUCCESSORS + SLACK_ROWS)",
        "<int8_t *> scratch",
        _BATCHES,
    ),
    (
        "drop the higher-die rule: the lower die may be played instead",
        "sources = _sources(root.own.one, dice.landings_a, a)\n    if sources:",
        "sources = _sources(root.own.one, dice.landings_a, a)\n"
        "    if sources and not _sources(root.own.one, dice.landings_b, b):",
        _KERNEL,
    ),
    (
        "drop the higher-die rule at the bar",
        "    if by_a:\n        return _emit_row(sink, n, row_a",
        "    if by_a and not by_b:\n        return _emit_row(sink, n, row_a",
        _KERNEL,
    ),
    (
        "list one-die plays beside those that use both",
        "        n = _bearoff_plays(sink, n, root, &dice)\n    if n:\n        return n\n",
        "        n = _bearoff_plays(sink, n, root, &dice)\n",
        _KERNEL,
    ),
    (
        "prune before the dice filter: a play with both dice that ends like one with a single die is lost",
        "            if off == target and not hits & source:\n",
        "            if off == target and (source == _bearoff_point(own, dice.a)\n"
        "                                  or source == _bearoff_point(own, dice.b)):\n"
        "                continue\n"
        "            if off == target and not hits & source:\n",
        _KERNEL,
    ),
    (
        "lose all plays where only one number can be played",
        "    if n:\n        return n\n    # Only one die",
        "    if n or True:\n        return n\n    # Only one die",
        _KERNEL,
    ),
    (
        "forget a hit in a run",
        "row = bg_add(root.row, sink.tables.hit[p - dice.a])",
        "row = root.row",
        _KERNEL,
    ),
    (
        "merge runs with and without a hit",
        "cdef uint32_t hitting_b = by_b & dice.hits_b",
        "cdef uint32_t hitting_b = by_b & dice.hits_b & ~quiet",
        _KERNEL,
    ),
    (
        "hit the same blot twice with two dice",
        "dice.hits_b & ~((source >> dice.a) << dice.b)",
        "dice.hits_b",
        _KERNEL,
    ),
    (
        "hit the same blot twice with doubles",
        "hits & ~source",
        "hits",
        _KERNEL,
    ),
    (
        "hit the same blot twice when entering",
        "dice.hits_b & ~((BAR_BIT >> dice.a) << dice.b)",
        "dice.hits_b",
        _KERNEL,
    ),
    (
        "allow bear-off past a rear checker",
        "        return own & (landings | exact)\n",
        "        return own & (landings | exact | ((exact << 1) - 1))\n",
        _KERNEL,
    ),
    (
        "allow bear-off past a rear checker with the second die",
        "if own == 0 or own & ~((exact << 1) - 1):",
        "if own == 0:",
        _KERNEL,
    ),
    (
        "count point 7 as home",
        "OUTSIDE = 0x03FFFF80",
        "OUTSIDE = 0x03FFFF00",
        _SINKS,
    ),
    (
        "cap the list at 1,024",
        "    cdef int left = total\n",
        "    cdef int left = total\n    if n + total > 1024:\n        return n\n",
        _SINKS,
    ),
    (
        "land on points with two opposing checkers",
        "blocked = ~bg_greater(row, -2)",
        "blocked = ~bg_greater(row, -3)",
        _KERNEL,
    ),
    (
        "never hit anything",
        "root.blots = opponent",
        "root.blots = 0 & opponent",
        _KERNEL,
    ),
    (
        "move on with one checker still on the bar",
        "if root.own.two & BAR_BIT:",
        "if root.own.three & BAR_BIT:",
        _KERNEL,
    ),
    (
        "enter at most one checker with doubles",
        "BAR_BIT and slot < 4",
        "BAR_BIT and slot < 1",
        _KERNEL,
    ),
    (
        "do not fall back when no play uses all four dice",
        "while n == 0 and moves > 0:",
        "while n == 0 and moves == 4 - slot and moves > 0:",
        _KERNEL,
    ),
    (
        "lose the play that only enters",
        "    if n == 0 and slot:   # only the entries are possible\n",
        "    if n == 0 and slot > 4:\n",
        _KERNEL,
    ),
    (
        "list a checker's run-off twice",
        "elif run_off & source:",
        "elif run_off & source & 0:",
        _KERNEL,
    ),
    (
        "merge run-offs with and without a hit",
        "if off == target and not hits & source:",
        "if off == target:",
        _KERNEL,
    ),
    (
        "list a run over an own point as a pair, too",
        "(source >> dice.a) | (source << dice.b)",
        "(source >> dice.a)",
        _KERNEL,
    ),
    (
        "move one checker twice",
        "| (source & ~root.own.two))",
        ")",
        _KERNEL,
    ),
    (
        "forget plays that bear off both checkers",
        "    if outside == 0:\n",
        "    if outside == 0 and n:\n",
        _KERNEL,
    ),
    (
        "bear off before the last checker is home",
        "            if (first >> die) & OUTSIDE:\n                continue\n",
        "",
        _KERNEL,
    ),
    (
        "count two dice wrongly",
        "            - bg_popcount(first & (second >> dice.b))\n",
        "",
        _KERNEL,
    ),
    (
        "count doubles wrongly",
        "(sources >> roll.die) & ~own.one & roll.landings)",
        "(sources >> roll.die) & roll.landings)",
        _KERNEL,
    ),
    (
        "count doubles in closed form when a bear-off is near",
        "if outside & (outside - 1) or own.two & OUTSIDE:",
        "if outside:",
        _KERNEL,
    ),
    (
        "forget the third checker of a point",
        "after.two = (own.two & (~source | own.three)) | (target & own.one)",
        "after.two = (own.two & ~source) | (target & own.one)",
        _KERNEL,
    ),
    (
        "forget the fourth checker of a point",
        "after.three = (own.three & (~source | own.four)) | (target & own.two)",
        "after.three = (own.three & ~source) | (target & own.two)",
        _KERNEL,
    ),
    (
        "return the wrong stop of a run",
        "if (quiet_a >> p) & 1 else",
        "if True else",
        _KERNEL,
    ),
    (
        "give flipped rows in the mover's tables",
        "&FROM_NEXT if flip else &FROM_MOVER",
        "&FROM_MOVER if flip else &FROM_MOVER",
        _SINKS,
    ),
    (
        "store rows of a batch beyond its memory",
        "capacity < SLACK_ROWS + (MAX_SUCCESSORS if die1 == die2 else MAX_SUCCESSORS_TWO_DICE):\n",
        "capacity < 1:\n",
        _BATCHES,
    ),
    (
        "write more rows than the capacity",
        "    if n > capacity:\n        return TOO_MANY\n",
        "    if n > capacity:\n        n = capacity\n",
        _BATCHES,
    ),
    (
        "store rows beyond the last of a batch",
        "capacity - total, segment >= tail,",
        "capacity - total, False,",
        _BATCHES,
    ),
    (
        "do not check boards",
        "board_fault(board, CHECKERS) == FAULT_NONE and 1 <=",
        "1 <=",
        _BATCHES,
    ),
    (
        "keep a row of a finished game",
        "    if n == 0 and batch.keep_passes and not root.over:\n",
        "    if n == 0 and batch.keep_passes:\n",
        _BATCHES,
    ),
    (
        "list plays of a finished game",
        "root.over = root.own.one == 0 or opponent == 0",
        "root.over = False",
        _KERNEL,
    ),
]
