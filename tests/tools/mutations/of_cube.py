"""Mutations of the cube's formulas and match equities."""

from __future__ import annotations

_VALUES = "bgfast/evaluation/cube_values.h"
_ARRAYS = "bgfast/evaluation/_cubeful.pyx"
_BLOCKS = "bgfast/evaluation/cube_blocks.h"
_LINES = "bgfast/evaluation/cube_efficiency.h"
_EFFICIENCY = "bgfast/evaluation/_efficiency.pyx"
_STAKES_TESTS = "tests/evaluation/test_stakes.py"
_CUBEFUL_TESTS = "tests/evaluation/test_cubeful.py"
_REFERENCE_TESTS = "tests/evaluation/test_cube_against_reference.py"

TESTS = {
    _VALUES: [_STAKES_TESTS, _CUBEFUL_TESTS, _REFERENCE_TESTS],
    _ARRAYS: [_CUBEFUL_TESTS],
    _BLOCKS: [_CUBEFUL_TESTS],
    _LINES: ["tests/evaluation/test_efficiency.py", _CUBEFUL_TESTS],
    _EFFICIENCY: ["tests/evaluation/test_efficiency.py"],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "take points without the taker's cube",
        "take[i] = (lost - 0.5) * per",
        "take[i] = (lost - 0.6) * per",
        _VALUES,
    ),
    ("cash points of a dead cube", "cash[i] = (lost + 1) * per", "cash[i] = (lost + 0.5) * per", _VALUES),
    ("a live window as wide as a dead one", "1 / (won + lost + 0.5)", "1 / (won + lost)", _VALUES),
    (
        "gammons count where the cube is dropped",
        "double drop = now->lose[0], cash",
        "double drop = now->lose[1], cash",
        _VALUES,
    ),
    ("the last cube is live", "int dead = j + 1 == last;", "int dead = 0;", _VALUES),
    (
        "take points without a redouble",
        "take = points->cash[i] * (drop",
        "take = 1 * (drop",
        _VALUES,
    ),
    (
        "cash points from the beginning of the line",
        "points->take[i] + (1 - points->take[i]) *",
        "(1 - points->take[i]) *",
        _VALUES,
    ),
    (
        "beyond the cash point the opponent's points do not rise",
        "y1 = win > to ? all_won : y1;",
        "y1 = win > to ? y0 : y1;",
        _VALUES,
    ),
    ("the owner of the cube is doubled", "alive && stakes->owner <= 0", "alive", _VALUES),
    ("a player doubles with the opponent's cube", "alive && stakes->owner >= 0", "alive", _VALUES),
    ("a dead cube of arrays is turned", "int alive = stakes->levels > 1, i", "int alive = 1, i", _VALUES),
    ("a dead cube has no value in a half live one", "dead + x[i] * (live - dead)", "x[i] * live", _VALUES),
    (
        "more gammons than wins",
        "return cube_least(part / cube_divisor(whole), 1);",
        "return part / cube_divisor(whole);",
        _VALUES,
    ),
    (
        "more backgammons than gammons",
        "cube_least(cube_share(block->probabilities[2][i], win), block->gammons[i])",
        "cube_share(block->probabilities[2][i], win)",
        _VALUES,
    ),
    (
        "rows: more gammons are lost than games",
        "lost_gammon - (1 - win) <= excess",
        "lost_gammon - 1 <= excess",
        _VALUES,
    ),
    (
        "the other side loses what this side loses",
        "out->level[j].win[k] = stakes->whole - stakes->level[j].lose[k];",
        "out->level[j].win[k] = stakes->whole + stakes->level[j].lose[k];",
        _VALUES,
    ),
    ("the cube stays with the doubler", "    out->owner = -1;", "    out->owner = 1;", _VALUES),
    (
        "a redouble counts no more than the double",
        "out->level[1].win[k] = 2 * out",
        "out->level[1].win[k] = out",
        _VALUES,
    ),
    ("a cube that wins the match is turned", " && stakes->away[0] != 1", "", _VALUES),
    (
        "points away in cubes are rounded down",
        "out->away[0] = (stakes->away[0] + 1) / 2",
        "out->away[0] = stakes->away[0] / 2",
        _VALUES,
    ),
    ("beavers beyond the limit", "(stakes->endless || stakes->levels > 2)", "1", _VALUES),
    ("a beaver cannot be given up", "beavered < once.level[0].lose[0]", "0", _VALUES),
    (
        "no beaver from behind close to the cube limit",
        "(stakes->endless && taken >= 0)",
        "taken >= 0",
        _VALUES,
    ),
    ("NaN is a probability", "all[3] == CUBE_BLOCK", "all[3] >= 0", _VALUES),
    (
        "one efficiency for all rows",
        "cdef bint per_row = lines is None and efficiency.shape[0] == total",
        "cdef bint per_row = False",
        _ARRAYS,
    ),
    (
        "rows of a block are written over each other",
        "out[at + i] = values[i]",
        "out[at] = values[i]",
        _ARRAYS,
    ),
    ("races of any length", "board_pips(board) / GNUBG_PIPS", "1 / GNUBG_PIPS", _EFFICIENCY),
    (
        "long races without an end",
        "min(max(GNUBG_RACE + board_pips(board) / GNUBG_PIPS, GNUBG_MIN), GNUBG_MAX)",
        "max(GNUBG_RACE + board_pips(board) / GNUBG_PIPS, GNUBG_MIN)",
        _EFFICIENCY,
    ),
    ("bear-offs are races", "return GNUBG_BEAROFF", "return GNUBG_RACE", _EFFICIENCY),
    (
        "efficiency: the chance to win is ignored",
        "lost + win * (won - lost)",
        "lost + 0.5 * (won - lost)",
        _LINES,
    ),
    ("efficiency: gammons are ignored", "+ gammons * slope", "", _LINES),
    (
        "efficiency: blocks count the gammons of one side",
        "block->probabilities[1][i] + block->probabilities[3][i]",
        "block->probabilities[1][i]",
        _LINES,
    ),
    (
        "efficiency: a centred cube has the line of the side behind",
        "win < 0.5 ? lines",
        "win > 0.5 ? lines",
        _LINES,
    ),
    ("efficiency: lines of blocks are forgotten", "if (task->lines)", "if (0)", _BLOCKS),
    ("blocks: equities in another unit", "- task->middle) / task->unit", "- task->middle)", _BLOCKS),
    (
        "efficiency: the gammons of one side",
        "<double> rows[i, 1] + rows[i, 3]",
        "rows[i, 1]",
        _EFFICIENCY,
    ),
    (
        "efficiency: races by the pips of the mover",
        "pips = min(board_pips(board), board_pips_opponent(board))",
        "pips = board_pips(board)",
        _EFFICIENCY,
    ),
    (
        "efficiency: steps between pip counts",
        "(pips - PIPS[k - 1]) / (PIPS[k] - PIPS[k - 1])",
        "0",
        _EFFICIENCY,
    ),
    (
        "efficiency: always the line of the owner",
        "_line(owner, phase, &length)",
        "_line(1, phase, &length)",
        _EFFICIENCY,
    ),
    (
        "efficiency: centred cubes have no line of their own",
        "        out.centred = True\n",
        "",
        _EFFICIENCY,
    ),
    (
        "efficiency: a player one point away may turn the cube",
        "owner = (stakes.away[1] == 1) - (stakes.away[0] == 1)",
        "owner = 0",
        _EFFICIENCY,
    ),
    (
        "efficiency: a double without cost is not made",
        "if stakes_is_doubled_next(stakes):",
        "if False:",
        _EFFICIENCY,
    ),
    (
        "efficiency: the same in bear-offs",
        "EfficiencyLine(1, 1, 0) if phase < PHASE_BEAROFF else EfficiencyLine(0.6, 1, 0)",
        "EfficiencyLine(1, 1, 0)",
        _EFFICIENCY,
    ),
    (
        "efficiency: plays in races have that of contact",
        "if buckets[first + i] == BUCKET_RACE:",
        "if False:",
        "bgfast/evaluation/evaluators/_network.pyx",
        "tests/evaluation/evaluators/test_plays_at_a_score.py",
    ),
    (
        "the fast path for one level is used for several",
        "if (stakes->levels == 1) {\n        for (i",
        "if (stakes->levels > 1) {\n        for (i",
        _BLOCKS,
        "tests/evaluation/evaluators/test_plays_at_a_score.py",
    ),
    (
        "efficiency: an opponent's double without cost is made",
        "stakes->owner <= 0 && stakes->level[0].win[0] == stakes->level[1].win[0]",
        "stakes->level[0].win[0] == stakes->level[1].win[0]",
        _VALUES,
        "tests/evaluation/test_efficiency.py",
    ),
    (
        "efficiency: the board of the first row",
        "if per_row or i == 0:",
        "if i == 0:",
        _EFFICIENCY,
    ),
    (
        "pickled stakes lose their levels",
        "for i in range(stakes.levels)], np.float64)",
        "for i in range(1)], np.float64)",
        "bgfast/evaluation/_stakes.pyx",
        _STAKES_TESTS,
    ),
]
