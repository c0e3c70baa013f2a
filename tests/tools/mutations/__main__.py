"""Break the code on purpose and see the tests fail: ``python -m tests.tools.mutations``.

Each mutation is one change of the generator's source, or of what counts, selects, names and plays. In a copy
of the project the extensions are built with it, and the quick tests of that source must fail; a mutation that
they let pass is a hole in the tests. Takes minutes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from tests.tools.mutations.of_crosscheck import CROSSCHECK_MUTATIONS, CROSSCHECK_TESTS
from tests.tools.mutations.of_engines import ENGINE_MUTATIONS, ENGINE_TESTS
from tests.tools.mutations.of_games import GAME_MUTATIONS, GAME_TESTS
from tests.tools.mutations.of_suite import SUITE_MUTATIONS, SUITE_TESTS

ROOT = Path(__file__).parents[3]
GENERATOR = "bgfast/core/kernel.pxi"
SINGLE_MOVES = "bgfast/position/moves.py"
SEQUENCES = "bgfast/position/turn.py"
LEVELS = "bgfast/core/levels.pxi"
FORFEITS = "bgfast/core/forfeits.pxi"
ANY_RULES = "bgfast/core/any_rules.pxi"
BATCHES = "bgfast/core/batches.pxi"
CLAIMS = "bgfast/position/attempt.py"
REFUSED_TURNS = "bgfast/position/refusal.py"
COPIED = "bgfast benchmarks tests docs examples setup.py pyproject.toml README.md LICENSE".split()
TESTS = {
    GENERATOR: [
        "tests/core/test_generator.py",
        "tests/analysis/test_perft.py",
        "tests/batch/test_successors.py",
    ],
    BATCHES: ["tests/batch/test_successors.py"],
    LEVELS: ["tests/core/test_any_rules.py"],
    FORFEITS: ["tests/core/test_any_rules.py"],
    ANY_RULES: ["tests/core/test_any_rules.py"],
    "bgfast/core/rules.pyx": ["tests/core/test_any_rules.py"],
    "bgfast/position/objects.pyx": ["tests/core/test_any_rules.py", "tests/position/test_whole_turns.py"],
    "bgfast/analysis/_perft.pyx": ["tests/analysis/test_perft.py"],
    "bgfast/analysis/_perft_levels.pyx": ["tests/analysis/test_perft.py"],
    "bgfast/analysis/perft_levels.py": [
        "tests/analysis/test_perft.py",
        "tests/analysis/test_perft_checkpoint.py",
        "tests/core/test_any_rules.py",
    ],
    "bgfast/analysis/perft_checkpoint.py": ["tests/analysis/test_perft_checkpoint.py"],
    "bgfast/batch/_ordered_fill.pyx": ["tests/batch/test_successors.py"],
    "bgfast/batch/_selection.pyx": ["tests/batch/test_selection.py"],
    "bgfast/batch/_random_successors.pyx": ["tests/batch/test_random_successors.py"],
    SINGLE_MOVES: ["tests/position/test_next_moves.py"],
    SEQUENCES: ["tests/position/test_next_moves.py", "tests/position/test_play_text_rules.py"],
    "bgfast/position/play_text.py": [
        "tests/position/test_play_text_rules.py",
        "tests/position/test_refusal.py",
        "tests/position/test_whole_turns.py",
    ],
    CLAIMS: ["tests/position/test_refusal.py"],
    REFUSED_TURNS: ["tests/position/test_refusal.py"],
    **ENGINE_TESTS,
    **GAME_TESTS,
    **CROSSCHECK_TESTS,
    **SUITE_TESTS,
}
TIME_LIMIT = 900  # seconds; a mutation that never ends is found, too


class Mutation(NamedTuple):
    """A change of a source: every place of `old` becomes `new`."""

    name: str
    old: str
    new: str
    source: str = GENERATOR
    only: str = ""  # the one file of tests that can notice, instead of those of the source

    @property
    def tests(self) -> list[str]:
        """The files of tests that are to notice."""
        return [self.only] if self.only else TESTS[self.source]


MUTATIONS = [
    Mutation(
        "drop the higher-die rule: the lower die may be played instead",
        "sources = _sources(root.own.one, dice.landings_a, a, root.bearoff_die)\n    if sources:",
        "sources = _sources(root.own.one, dice.landings_a, a, root.bearoff_die)\n"
        "    if sources and not _sources(root.own.one, dice.landings_b, b, root.bearoff_die):",
    ),
    Mutation(
        "drop the higher-die rule at the bar",
        "    if by_a:\n        return _emit_one(sink, n, row_a",
        "    if by_a and not by_b:\n        return _emit_one(sink, n, row_a",
    ),
    Mutation(
        "list one-die plays beside those that use both",
        "        n = _bearing_off(sink, n, root, &dice)\n    if n:\n        return n\n",
        "        n = _bearing_off(sink, n, root, &dice)\n",
    ),
    Mutation(
        "prune before the dice filter: a play with both dice that ends like one with a single die is lost",
        "            if off == target and not hits & source:\n",
        "            if off == target and source in (_bearing(own, dice.a), _bearing(own, dice.b)):\n"
        "                continue\n"
        "            if off == target and not hits & source:\n",
    ),
    Mutation(
        "lose all plays where only one number can be played",
        "    if n:\n        return n\n    # Not both numbers",
        "    if n or True:\n        return n\n    # Not both numbers",
    ),
    Mutation(
        "forget a hit in a run",
        "row = bg_add(root.row, sink.tables.hit[p - dice.a])",
        "row = root.row",
    ),
    Mutation(
        "do not tell a run that hits from one that does not",
        "cdef uint32_t hitting_b = by_b & dice.hits_b",
        "cdef uint32_t hitting_b = by_b & dice.hits_b & ~quiet",
    ),
    Mutation(
        "hit the same blot twice with two dice",
        "dice.hits_b & ~((source >> dice.a) << dice.b)",
        "dice.hits_b",
    ),
    Mutation("hit the same blot twice with doubles", "hits & ~source", "hits"),
    Mutation(
        "hit the same blot twice when entering",
        "dice.hits_b & ~((BAR_BIT >> dice.a) << dice.b)",
        "dice.hits_b",
    ),
    Mutation(
        "allow bear-off past a rear checker",
        "        return own & (landings if bearoff_die == BEAROFF_REARMOST else landings | exact)\n",
        "        return own & (landings | exact | ((exact << 1) - 1))\n",
    ),
    Mutation(
        "allow bear-off past a rear checker with the second die",
        "if own == 0 or own & ~((exact << 1) - 1):",
        "if own == 0:",
    ),
    Mutation("take point 7 for home", "OUTSIDE = 0x03FFFF80", "OUTSIDE = 0x03FFFF00"),
    Mutation(
        "cap the list at 1,024",
        "    cdef int left = total\n",
        "    cdef int left = total\n    if n + total > 1024:\n        return n\n",
    ),
    Mutation(
        "land on points that two hold", "blocked = ~bg_greater(row, -2)", "blocked = ~bg_greater(row, -3)"
    ),
    Mutation("never hit anything", "root.blots = opponent", "root.blots = 0 & opponent"),
    Mutation(
        "move on with one checker still on the bar",
        "if root.own.two & BAR_BIT:",
        "if root.own.three & BAR_BIT:",
    ),
    Mutation("enter at most one checker with doubles", "BAR_BIT and slot < 4", "BAR_BIT and slot < 1"),
    Mutation(
        "do not fall back when no play uses all four dice",
        "while n == 0 and moves > 0:",
        "while n == 0 and moves == 4 - slot and moves > 0:",
    ),
    Mutation(
        "lose the play that only enters",
        "    if n == 0 and slot:   # nothing but the entries\n",
        "    if n == 0 and slot > 4:\n",
    ),
    Mutation("list a checker's run-off twice", "elif run_off & source:", "elif run_off & source & 0:"),
    Mutation(
        "take a run-off that hits for one that does not",
        "if off == target and not hits & source:",
        "if off == target:",
    ),
    Mutation(
        "list a run over an own point as a pair, too",
        "(source >> dice.a) | (source << dice.b)",
        "(source >> dice.a)",
    ),
    Mutation("move one checker twice", "| (source & ~root.own.two))", ")"),
    Mutation("forget that both can go off", "    if outside == 0:\n", "    if outside == 0 and n:\n"),
    Mutation(
        "bear off before the last checker is home",
        "            if (first >> die) & OUTSIDE:\n                continue\n",
        "",
    ),
    Mutation(
        "count two dice wrongly",
        "            - bg_popcount(first & (second >> dice.b))\n",
        "",
    ),
    Mutation(
        "count doubles wrongly",
        "(sources >> roll.die) & ~own.one & roll.landings)",
        "(sources >> roll.die) & roll.landings)",
    ),
    Mutation(
        "count doubles in closed form when a bear-off is near",
        "if outside & (outside - 1) or own.two & OUTSIDE:",
        "if outside:",
    ),
    Mutation(
        "forget the third checker of a point",
        "after.two = (own.two & (~source | own.three)) | (target & own.one)",
        "after.two = (own.two & ~source) | (target & own.one)",
    ),
    Mutation(
        "forget the fourth checker of a point",
        "after.three = (own.three & (~source | own.four)) | (target & own.two)",
        "after.three = (own.three & ~source) | (target & own.two)",
    ),
    Mutation("give the wrong stop of a run", "if (quiet_a >> p) & 1 else", "if True else"),
    Mutation(
        "give flipped rows in the mover's tables",
        "&FROM_NEXT if flip else &FROM_MOVER",
        "&FROM_MOVER if flip else &FROM_MOVER",
    ),
    Mutation(
        "store rows of a batch behind its room",
        "    if room < SLACK_ROWS + (MAX_SUCCESSORS if die1 == die2 else MAX_SUCCESSORS_TWO_DICE):\n",
        "    if room < 1:\n",
        BATCHES,
    ),
    Mutation(
        "write more rows than there is room for",
        "    if n > room:\n        return -1\n",
        "    if n > room:\n        n = room\n",
        BATCHES,
    ),
    Mutation(
        "keep a row of a finished game",
        "    if n == 0 and batch.keep_passes and not root.over:\n",
        "    if n == 0 and batch.keep_passes:\n",
        BATCHES,
    ),
    Mutation(
        "list plays of a finished game", "root.over = root.own.one == 0 or opponent == 0", "root.over = False"
    ),
    Mutation(
        "take a remembered position for any other at its place",
        "if memcmp(place.point, board.point, BOARD_SIZE) != 0:",
        "if not place.leaves:",
        "bgfast/analysis/_perft.pyx",
    ),
    Mutation(
        "count what follows a finished game",
        "if board_over(board):\n        return 1\n",
        "",
        "bgfast/analysis/_perft.pyx",
    ),
    Mutation(
        "count doubles in the last ply like other rolls",
        "sizes[roll] * <int64_t> counting.weights[ROLLS[roll][0] != ROLLS[roll][1]]",
        "sizes[roll] * <int64_t> counting.weights[1]",
        "bgfast/analysis/_perft.pyx",
    ),
    Mutation(
        "merge positions that differ",
        "if board_equal(&table.boards[table.rows[place] - 1], board):",
        "if True:",
        "bgfast/analysis/_perft_levels.pyx",
    ),
    Mutation(
        "merge a position with the next part, too",
        "% <uint64_t> parts) != part",
        "% <uint64_t> parts) > part",
        "bgfast/analysis/_perft_levels.pyx",
    ),
    Mutation(
        "go on from finished games",
        "finished if board_over(&child) else _ways_to",
        "_ways_to",
        "bgfast/analysis/_perft_levels.pyx",
    ),
    Mutation(
        "lose positions when the table grows",
        "place = board_hash(&table.boards[i])",
        "place = <size_t> (0 * i)",
        "bgfast/analysis/_perft_levels.pyx",
    ),
    Mutation(
        "lose the last position of a slice",
        "SLICE * (part + 1))",
        "SLICE * (part + 1) - 1)",
        "bgfast/analysis/perft_levels.py",
    ),
    Mutation(
        "lose the games that end in a merged level",
        "np.array([level.finished, *(",
        "np.array([*(",
        "bgfast/analysis/perft_levels.py",
    ),
    Mutation(
        "count a part that is kept once more, the next one never",
        'if kept["part"] == part:',
        'if kept["part"] == part - 1:',
        "bgfast/analysis/perft_checkpoint.py",
    ),
    Mutation(
        "let two blocks begin at the same row",
        "        self.rows += rows\n",
        "        self.rows += rows - 1\n",
        "bgfast/batch/_ordered_fill.pyx",
    ),
    Mutation(
        "lose a block with many rows",
        "for i in range(first, last):",
        "for i in range(first, last - 1):",
        "bgfast/batch/_ordered_fill.pyx",
    ),
    Mutation(
        "write behind the output on threads",
        "if at + n <= room:",
        "if at <= room:",
        "bgfast/batch/_ordered_fill.pyx",
    ),
    Mutation(
        "take the last of equal values",
        "if value > greatest:",
        "if value >= greatest:",
        "bgfast/batch/_selection.pyx",
    ),
    Mutation(
        "give the doubles double weight",
        "total += weights[r] * value",
        "total += 2 * value",
        "bgfast/batch/_selection.pyx",
    ),
    Mutation(
        "let a random play depend on the thread's share",
        "stream_of(seed, RANDOM_SUCCESSORS, i)",
        "stream_of(seed, RANDOM_SUCCESSORS, i - first)",
        "bgfast/batch/_random_successors.pyx",
    ),
    Mutation(
        "never choose the last successor",
        "stream_below(&state, n)",
        "stream_below(&state, n - (n > 1))",
        "bgfast/batch/_random_successors.pyx",
    ),
    Mutation(
        "single moves: an exact bear-off also from the rearmost point",
        'rules.bearoff_die == "standard" and rear < die',
        "rear < die",
        SINGLE_MOVES,
    ),
    Mutation(
        "single moves: bearing off is never compulsory",
        "if rules.bearoff_compulsory and borne_off:",
        "if False:",
        SINGLE_MOVES,
    ),
    Mutation(
        "single moves: one checker more than a point may hold",
        "board[point] < rules.stack_max",
        "board[point] <= rules.stack_max",
        SINGLE_MOVES,
    ),
    Mutation(
        "single moves: a number is forfeited before all are home",
        "OFF < rearmost(board) <= HOME and",
        "OFF < rearmost(board) and",
        SINGLE_MOVES,
    ),
    Mutation(
        "single moves: a number is forfeited while its point is occupied",
        " and board[die] <= 0",
        "",
        SINGLE_MOVES,
    ),
    Mutation(
        "sequences: a die may be left that can still be played",
        "return not any(ordinary_moves(state.board, die, self.rules) for die in set(state.dice))",
        "return True",
        SEQUENCES,
    ),
    Mutation(
        "sequences: either die if only one can be played",
        "if self.longest == used == 1 and",
        "if False and",
        SEQUENCES,
    ),
    Mutation(
        "sequences: forfeits where the turn passes",
        "if self.longest == 0:",
        "if False:",
        SEQUENCES,
    ),
    Mutation(
        "notation: the higher number is forfeited where the lower will do",
        "key=lambda dice: (len(dice), [-die for die in dice])",
        "key=lambda dice: (len(dice), dice)",
        "bgfast/position/play_text.py",
    ),
    Mutation(
        "notation: any forfeits fit",
        " and _fits(forfeits, turn, results[row].tolist())",
        "",
        "bgfast/position/play_text.py",
    ),
    Mutation(
        "notation: a forfeited die carries a checker, too",
        "in ways(hops, rest)",
        "in ways(hops, dice)",
        "bgfast/position/play_text.py",
    ),
    Mutation(
        "refusal: the limit of a point is blamed for a compulsory bear-off",
        "self._orders(replace(self.rules, stack_max=0))",
        "self._orders(replace(self.rules, bearoff_compulsory=False))",
        CLAIMS,
    ),
    Mutation(
        "refusal: a die that is left over is no reason",
        "    _left_over,\n",
        "",
        REFUSED_TURNS,
    ),
    Mutation(
        "rearmost: bear off past the rearmost checker",
        "(landings if bearoff_die == BEAROFF_REARMOST else landings | exact)",
        "(landings | exact)",
        only="tests/core/test_any_rules.py",
    ),
    Mutation(
        "rearmost: bear off past the rearmost checker with two dice",
        "own & exact and bearoff_die != BEAROFF_REARMOST or bearoff_die == BEAROFF_EXACT",
        "own & exact or bearoff_die == BEAROFF_EXACT",
        only="tests/core/test_any_rules.py",
    ),
    Mutation(
        "exact: bear off with a higher die",
        '    if bearoff_die == BEAROFF_EXACT:   # "from point d only"\n        return own & exact\n',
        "",
        only="tests/core/test_any_rules.py",
    ),
    Mutation(
        "exact: bear off with a higher die where two dice move",
        "own & exact and bearoff_die != BEAROFF_REARMOST or bearoff_die == BEAROFF_EXACT",
        "own & exact and bearoff_die != BEAROFF_REARMOST",
        only="tests/core/test_any_rules.py",
    ),
    Mutation(
        "stack_max: count moves onto full points",
        "sources &= ~((bg_greater(base, sink.limit - 1) & sink.points) << die)",
        "sources &= ~((bg_greater(base, sink.limit) & sink.points) << die)",
        only="tests/core/test_any_rules.py",
    ),
    Mutation(
        "stack_max: count plays with two points too high",
        "above if above & (above - 1) == 0 and not bg_greater",
        "above if not bg_greater",
        only="tests/core/test_any_rules.py",
    ),
    Mutation(
        "stack_max: count plays with a point two too high",
        "not bg_greater(base, sink.limit + 1) & above else 0",
        "True else 0",
        only="tests/core/test_any_rules.py",
    ),
    Mutation(
        "forfeits: count those that leave the die's point occupied",
        "_all_home(own.one) and borne_off >= held:",
        "_all_home(own.one):",
        FORFEITS,
    ),
    Mutation(
        "forfeits: ask for one bear-off too many",
        "_all_home(own.one) and borne_off >= held:",
        "_all_home(own.one) and borne_off > held:",
        FORFEITS,
    ),
    Mutation(
        "forfeits: overlook the checker that comes home onto the die's point",
        "held + (p > HOME and p - roll.die == roll.die)",
        "held",
        FORFEITS,
    ),
    Mutation(
        "forfeits: forfeit before the die's point is clear",
        "early = cleared < held",
        "early = False",
        FORFEITS,
    ),
    Mutation(
        "forfeits: forfeit before all are home",
        "early = turn.path[i] > HOME",
        "early = False",
        FORFEITS,
    ),
    Mutation(
        "forfeits: stop at plays of two moves",
        "if moves + 1 >= min(turn.most, 4):",
        "if moves + 1 >= min(turn.most, 3):",
        FORFEITS,
    ),
    Mutation(
        "forfeits: forfeit a die whose point is occupied after the move",
        "not (_all_home(after) and after & point == 0)",
        "not _all_home(after)",
        FORFEITS,
    ),
    Mutation(
        "forfeits: do not see that the move clears the point",
        "        if not before and not (_all_home(after) and after & point == 0):\n",
        "        if not before:\n",
        FORFEITS,
    ),
    Mutation(
        "forfeits: give up the higher die alone although the other can move",
        "if forfeit_a and not sources_b:",
        "if forfeit_a:",
        FORFEITS,
    ),
    Mutation(
        "forfeits: never give up both dice",
        "    if forfeit_a and forfeit_b:\n",
        "    if False:\n",
        FORFEITS,
    ),
    Mutation(
        "compulsory: do not ask whether the lower die can bear off first",
        "    if first == 0 or _bearing(own, b, root.bearoff_die) == 0:\n",
        "    if first == 0:\n",
        ANY_RULES,
    ),
    Mutation(
        "compulsory: no play for the last checkers",
        "return 0 if left.one else _emit_one(sink, 0, row, played | UNUSED[slot])",
        "return 0 if left.one else _emit_one(sink, 0, row, played)",
        ANY_RULES,
    ),
    Mutation(
        "any rules: bear off with a checker outside",
        "if own & OUTSIDE or own == 0:",
        "if own == 0:",
        LEVELS,
    ),
    Mutation(
        "any rules: move inside although a bear-off is compulsory",
        "return off if rules.bearoff_compulsory and off else sources | off",
        "return sources | off",
        LEVELS,
    ),
    Mutation(
        "any rules: land on a full point",
        "landable &= ~bg_greater(row, rules.stack_max - 1)",
        "landable &= ~bg_greater(row, rules.stack_max)",
        LEVELS,
    ),
    Mutation(
        "any rules: forfeit a die whose point is occupied",
        "own != 0 and own & (OUTSIDE | 1U << die) == 0",
        "own != 0 and own & OUTSIDE == 0",
        LEVELS,
    ),
    Mutation(
        "any rules: forfeit with a checker outside",
        "own != 0 and own & (OUTSIDE | 1U << die) == 0",
        "own != 0 and own & (1U << die) == 0",
        LEVELS,
    ),
    Mutation(
        "any rules: forfeit where nobody is left on the board",
        "own != 0 and own & (OUTSIDE | 1U << die) == 0",
        "own & (OUTSIDE | 1U << die) == 0",
        LEVELS,
    ),
    Mutation(
        "any rules: keep the way that was found first",
        "if kept == n or forfeits < space.nodes[kept].forfeits:",
        "if kept == n:",
        LEVELS,
    ),
    Mutation(
        "any rules: list a result once for each number of dice",
        "space.nodes[i].key) < i:",
        "space.nodes[i].key) < 0:",
        LEVELS,
    ),
    Mutation(
        "any rules: count forfeits as ordinary moves for L",
        "        if space.nodes[i].forfeits == 0:\n            return True\n",
        "        return True\n",
        LEVELS,
    ),
    Mutation(
        "any rules: stop although an unused die has an ordinary move, doubles",
        "if space.nodes[i].used < longest or _ordinary(rules, bg_load_board(space.nodes[i].point), die):",
        "if space.nodes[i].used < longest:",
        LEVELS,
    ),
    Mutation(
        "any rules: stop although the other die has an ordinary move",
        "                or _ordinary(rules, bg_load_board(space.nodes[i].point), b if higher else a)):",
        "                or False):",
        LEVELS,
    ),
    Mutation(
        "any rules: drop the higher-die rule",
        "higher = _without_forfeit(space, 1, after_a)",
        "higher = _without_forfeit(space, 1, after_a) and not _without_forfeit(space, after_a, after_b)",
        LEVELS,
    ),
    Mutation(
        "any rules: list forfeits where no ordinary move is",
        "    if longest == 0:\n        return 0",
        "    if longest == 0 and not rules.forfeit:\n        return 0",
        LEVELS,
    ),
    Mutation(
        "any rules: try the dice in one order only",
        "    after_both = _next_level(rules, after_both, after_a, after_b, a, False)\n",
        "",
        LEVELS,
    ),
    Mutation(
        "any rules: leave nodes in the table",
        "    _forget(space, after_b, after_both)\n",
        "",
        LEVELS,
    ),
    Mutation(
        "any rules: flip no row",
        "bg_load_flipped(node.point) if sink.tables == &FROM_NEXT else bg_load_board(node.point)",
        "bg_load_board(node.point)",
        LEVELS,
    ),
    Mutation(
        "any rules: take a checker that comes home with the second die only for one outside",
        "    if a != b:   # one die brings one checker home\n",
        "    if a != b:\n        return False\n    if a != b:\n",
        ANY_RULES,
    ),
    Mutation(
        "any rules: take three checkers outside for too many",
        "+ bg_popcount(outside >> 2 * a & OUTSIDE)) <= 3",
        "+ bg_popcount(outside >> 2 * a & OUTSIDE)) <= 2",
        ANY_RULES,
    ),
    Mutation(
        "any rules: ask for the bear-off alone",
        "    if _may_bear_off(root.own, a, b) and (crowded or rules.changes_bearoff):",
        "    if _may_bear_off(root.own, a, b) and rules.changes_bearoff:",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: overlook a second arrival",
        "twice & _at_least(row, most - 1)\n            |",
        "twice & _at_least(row, most)\n            |",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: overlook two landings with two dice",
        "        return once & _at_least(row, most) | twice & _at_least(row, most - 1)\n",
        "        return once & _at_least(row, most)\n",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: overlook a fourth arrival",
        "            | own.four >> a & _at_least(row, most - 3))",
        "            )",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: keep rows above the limit",
        "kept += bg_greater(row, limit) & POINTS & ~tall == 0",
        "kept += bg_greater(row, limit + 1) & POINTS & ~tall == 0",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: drop rows with a stack that was too tall before",
        "kept += bg_greater(row, limit) & POINTS & ~tall == 0",
        "kept += bg_greater(row, limit) & POINTS == 0",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: land on points above the limit",
        "closed.open &= ~tall",
        "closed.open &= ~0",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: enter on a full point which another checker leaves",
        "tall |= _at_least(row, rules.stack_max) & (BAR_BIT >> a | BAR_BIT >> b)",
        "tall |= 0",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: enter more than there is room for",
        "if entry <= rules.stack_max < entry + entering:",
        "if entry <= rules.stack_max < entry:",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: forget that a tall stack can be left and met again, by the next checker behind",
        "if root.own.one >> a & tall & ~_at_least(row, rules.stack_max + 3):",
        "if root.own.one >> a & tall & ~_at_least(row, rules.stack_max + 2):",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: forget that a tall stack can be left and met again, by the second checker behind",
        "if root.own.one >> 2 * a & tall & ~_at_least(row, rules.stack_max + 2):",
        "if root.own.one >> 2 * a & tall & ~_at_least(row, rules.stack_max + 1):",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: pass where fewer dice can be used",
        "    if kept == 0:\n        return _levels(sink, rules, root, a, b)\n",
        "    if kept == 0:\n        return 0\n",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: leave moves in an order that breaks the limit",
        "        if landed & crowded:\n",
        "        if landed & crowded & 1:\n",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: move before entering",
        " or (own[BAR] > 0 and source != BAR):",
        ":",
        ANY_RULES,
    ),
    Mutation(
        "stack_max: count flipped rows",
        "    closed.row = row\n",
        "",
        ANY_RULES,
    ),
    Mutation(
        "take any limit for none",
        "if self.rules.stack_max >= CHECKERS:",
        "if self.rules.stack_max >= 5:",
        "bgfast/core/rules.pyx",
    ),
    Mutation(
        "take lists of other rules for equal",
        "            and self._switches == that._switches\n",
        "",
        "bgfast/position/objects.pyx",
    ),
    Mutation(
        "the first play tells how many dice are used",
        "for row in range(len(self))), default=0",
        "for row in range(min(1, len(self)))), default=0",
        "bgfast/position/objects.pyx",
    ),
    Mutation(
        "merge by the standard rules",
        "successors(board[None], roll, rules=rules, flip=True",
        "successors(board[None], roll, flip=True",
        "bgfast/analysis/perft_levels.py",
    ),
    *(
        Mutation(*broken)
        for broken in (*CROSSCHECK_MUTATIONS, *ENGINE_MUTATIONS, *GAME_MUTATIONS, *SUITE_MUTATIONS)
    ),
]


def build(copy: Path) -> None:
    """Build the extensions of the copy in place."""
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=copy, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"the build failed:\n{done.stdout}{done.stderr}")


def verdict(copy: Path, tests: list[str]) -> str | None:
    """Run quick tests in the copy; return what failed first, or None if nothing did."""
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-x",
                "-q",
                "-m",
                "not slow and not long",
                "-p",
                "no:cacheprovider",
                *tests,
            ],
            cwd=copy,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            env={
                **os.environ,
                "PYTHONPATH": str(copy),
                "PYTHONDONTWRITEBYTECODE": "1",
                "BGFAST_CPU": "portable",
            },
        )
    except subprocess.TimeoutExpired:
        return f"no end within {TIME_LIMIT} s"
    if done.returncode == 0:
        return None
    failed = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    if not failed and done.returncode > 0:
        sys.exit(f"the tests did not run:\n{done.stdout}{done.stderr}")
    return failed[0].removeprefix("FAILED ") if failed else f"crashed with status {done.returncode}"


def prepared(folder: Path) -> Path:
    """Make a copy of the project that is built."""
    folder.mkdir()
    for name in COPIED:
        path = ROOT / name
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, folder / name)
    # One build of the generator is enough, and half the time.
    setup = (folder / "setup.py").read_text(encoding="utf-8")
    for module in ("x86_v3", "x86_v3_rules"):
        setup = setup.replace(f'    "bgfast.core.{module}",\n', "")
    (folder / "setup.py").write_text(setup, encoding="utf-8")
    build(folder)
    return folder


def tried(mutation: Mutation, copy: Path) -> str | None:
    """Return what a mutation made fail first in the copy, which stays as it was; None if nothing failed."""
    source = (ROOT / mutation.source).read_text(encoding="utf-8")
    if mutation.old not in source:
        sys.exit(f"{mutation.name}: {mutation.old!r} is not in {mutation.source}; the list follows the code")
    (copy / mutation.source).write_text(source.replace(mutation.old, mutation.new), encoding="utf-8")
    build(copy)
    failed = verdict(copy, mutation.tests)
    (copy / mutation.source).write_text(source, encoding="utf-8")
    return failed


def share(text: str) -> tuple[int, int]:
    """Read K/N."""
    first, step = map(int, text.split("/"))
    if not 1 <= first <= step:
        raise ValueError(text)
    return first, step


def main() -> int:
    """Try every mutation; return 1 if the tests let one pass."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutations", description=__doc__)
    parser.add_argument(
        "--only", default="", metavar="WORDS", help="only mutations whose name has these words"
    )
    parser.add_argument(
        "--share", type=share, default=(1, 1), metavar="K/N", help="only each Nth one, from the Kth on"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many to try at a time (1)")
    asked = parser.parse_args()
    first, step = asked.share
    chosen = [mutation for mutation in MUTATIONS[first - 1 :: step] if asked.only in mutation.name]
    survived = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        copies: Queue[Path] = Queue()
        for copy in pool.map(prepared, [Path(folder) / str(job) for job in range(asked.jobs)]):
            copies.put(copy)
        unbroken = verdict(copy, sorted({name for mutation in chosen for name in mutation.tests}))
        if unbroken:
            sys.exit(f"the tests fail without any mutation: {unbroken}")

        def try_one(mutation: Mutation) -> str | None:
            free = copies.get()
            try:
                return tried(mutation, free)
            finally:
                copies.put(free)

        for mutation, failed in zip(chosen, pool.map(try_one, chosen), strict=True):
            print(f"{'caught  ' if failed else 'SURVIVED'}  {mutation.name}  [{failed}]", flush=True)
            if not failed:
                survived.append(mutation.name)
    print(f"{len(chosen) - len(survived)} of {len(chosen)} mutations caught")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
