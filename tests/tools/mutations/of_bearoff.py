"""Mutations of the bear-off databases."""

from __future__ import annotations

_CORE = "bgfast/evaluation/bearoff/_bearoff.pyx"
_WITH_CORE = "bgfast/evaluation/evaluators/_with_bearoff.pyx"
_LOOKAHEAD = "bgfast/evaluation/evaluators/_lookahead.pyx"
_VALUES = "tests/evaluation/bearoff/test_bearoff.py"
_CUBE_TESTS = "tests/evaluation/bearoff/test_bearoff_with_cube.py"
_WITH_TESTS = "tests/evaluation/evaluators/test_with_bearoff.py"

TESTS = {
    _CORE: [_VALUES],
    _WITH_CORE: [_WITH_TESTS],
}

# name, old text, new text, source
MUTATIONS = [
    ("bear off any checker with a greater die", "elif p == die or p == rear:", "elif p <= die:", _CORE),
    ("bear off with the exact die only", "elif p == die or p == rear:", "elif p == die:", _CORE),
    ("three moves for doubles", "best.after[die][MAX_DICE - 1]", "best.after[die][MAX_DICE - 2]", _CORE),
    (
        "play the greater die first",
        "for other in range(DIE):\n                _take",
        "for other in range(die + 1):\n                _take",
        _CORE,
    ),
    (
        "two-sided: the play with the most expected rolls",
        "mean[after] < mean[best[0]]:",
        "mean[after] > mean[best[0]]:",
        _CORE,
    ),
    ("all rolls weigh the same", "weight = 1 if die == other else 2", "weight = 1", _CORE),
    ("cut off the last rolls", "MAX_ROLLS = 32 ", "MAX_ROLLS = 30 ", _CORE),
    ("cut off the last rolls for the first checker", "MAX_FIRST_ROLLS = 12 ", "MAX_FIRST_ROLLS = 10 ", _CORE),
    ("a gammon is saved by bearing off all checkers", "after = 0 if first_only else", "after =", _CORE),
    (
        "two-sided: only one order of the dice",
        "return _spread(moves, before, side_count, die, out, n)",
        "return n",
        _CORE,
    ),
    (
        "two-sided: only one of the three plays is compared",
        "minimum, min(min(own[play[0]], own[play[1]]), min(own[play[2]], own[play[3]])))",
        "minimum, own[play[0]])",
        _CORE,
    ),
    (
        "two-sided: the first play of each roll",
        "lowest[i] = column[i] if column[i] < lowest[i] else lowest[i]",
        "pass",
        _CORE,
    ),
    (
        "two-sided: the sides are swapped",
        "sides.number[1] * databases.sides + sides.number[0]",
        "sides.number[0] * databases.sides + sides.number[1]",
        _CORE,
    ),
    (
        "the opponent wins a tie of rolls",
        "            tail += other[t]\n            win += own[t] * tail\n",
        "            win += own[t] * tail\n            tail += other[t]\n",
        _CORE,
    ),
    (
        "one roll too many to save a gammon",
        "sides.number[0] * MAX_FIRST_ROLLS, 1)",
        "sides.number[0] * MAX_FIRST_ROLLS, 0)",
        _CORE,
    ),
    (
        "one roll too few to save a gammon",
        "sides.number[1] * MAX_FIRST_ROLLS, 0)",
        "sides.number[1] * MAX_FIRST_ROLLS, 1)",
        _CORE,
    ),
    ("a gammon with a checker off", "if sides.count[1] == checkers:", "if sides.count[1]:", _CORE),
    (
        "a checker on point 18 is home",
        "for q in range(POINTS + 1, BOARD_SIZE - 1 - POINTS):",
        "for q in range(POINTS + 1, BOARD_SIZE - 2 - POINTS):",
        _CORE,
    ),
    ("evaluate finished games", " and sides.count[0] and sides.count[1]\n", "\n", _CORE),
    ("the bar is home", "return not board[0] and not board[BOARD_SIZE - 1]", "return True", _CORE),
    (
        "bear-offs with a cube: nobody passes",
        "max(no_double, min(taken, won))",
        "max(no_double, taken)",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "bear-offs with a cube: every legal double is made",
        "max(no_double, min(taken, won))",
        "min(taken, won)",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "bear-offs with a cube: the value without a double is not stored",
        "if state.no_double != NULL:\n",
        "if False:\n",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "bear-offs with a cube: the opponent rolls in the state of the player on roll",
        "after = states[state.after].equity",
        "after = state.equity",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "bear-offs with a cube: the waiting side's opponent rolls in its own state",
        "own = &memory[2 + state.after, 0]",
        "own = &memory[2 + c, 0]",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "bear-offs with a cube: two players win one point",
        "total - rolled / WAYS",
        "1 - rolled / WAYS",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "bear-offs with a cube: finished games have probabilities instead of equities",
        "equities[c, 0, :] = values[c, 2]",
        "equities[c, 0, :] = 0",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "bear-offs with a cube: both sides have the number of the first",
        "out[i, 1] = sides.number[1]",
        "out[i, 1] = sides.number[0]",
        _CORE,
        _CUBE_TESTS,
    ),
    (
        "with bear-offs: the network alone chooses plays",
        "    if not _may_come_home(before):\n",
        "    if True:\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: only if all checkers are at home before the play",
        "return outside == 0 or bg_popcount(outside) <= MAX_DICE",
        "return outside == 0",
        _WITH_CORE,
    ),
    (
        "with bear-offs: finished games are not recognised",
        "            row_equity = equity_of_points_at(stakes, points)\n",
        "            row_equity = 0\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: positions outside the database are compared with those inside",
        "            if phase == PHASE_CONTACT:\n",
        "            if phase < PHASE_BEAROFF:\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: no play is left out of the ranking",
        "    if home and outside:\n",
        "    if False:\n",
        _WITH_CORE,
    ),
    (
        "with bear-offs: gammons are exact",
        "(bearoff, &sides) and sides.count[0] < game.checkers and sides.count[1] < game.checkers",
        "(bearoff, &sides)",
        _WITH_CORE,
    ),
    (
        "with bear-offs: gammons are not counted",
        "out.equity = probabilities_equity(&out.probabilities)",
        "out.equity = 2 * out.probabilities.win - 1",
        _WITH_CORE,
    ),
    (
        "with bear-offs: databases are used under other rules",
        "return self if switches is None else self.network",
        "return self",
        _WITH_CORE,
    ),
    (
        "with bear-offs: always 15 checkers a side",
        "&sides, game.checkers, &out.probabilities",
        "&sides, 15, &out.probabilities",
        _WITH_CORE,
    ),
    (
        "with bear-offs: exact positions are searched",
        "if not (coverage == EXACT or (coverage and ply == 0)):",
        "if not (coverage and ply == 0):",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: positions in the one-sided database are not searched",
        "if not (coverage == EXACT or (coverage and ply == 0)):",
        "if not coverage:",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: the network alone chooses replies",
        "    if search.bearoff != NULL:\n        return best_with",
        "    if False:\n        return best_with",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: no position is excluded from the search",
        "bint any_excluded = search.bearoff != NULL and mark_excluded(rows, n, excluded)",
        "bint any_excluded = False",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
    (
        "with bear-offs: an object without databases is used",
        "    if bearoff.rolls == NULL:",
        "    if False:",
        _WITH_CORE,
    ),
    (
        "with bear-offs: an object is initialised twice",
        "        if self.arrays is not None:",
        "        if False:",
        _WITH_CORE,
    ),
    (
        "search: an object is initialised twice",
        "        if self.is_initialized:",
        "        if False:",
        _LOOKAHEAD,
        _WITH_TESTS,
    ),
]
