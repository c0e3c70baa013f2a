"""Mutations of rollouts."""

from __future__ import annotations

_DICE = "bgfast/analysis/rollouts/_dice.pyx"
_CORE = "bgfast/analysis/rollouts/_trials.pyx"
_LUCK = "bgfast/analysis/rollouts/_luck.pyx"
_CUBE = "bgfast/analysis/rollouts/_cube_states.pyx"
_EVALUATORS = "bgfast/evaluation/evaluators/_evaluators.pyx"
_PROBABILITIES = "bgfast/core/board/probabilities.pxd"

TESTS = {
    _DICE: ["tests/analysis/rollouts/test_rollout_dice.py"],
    _CUBE: ["tests/analysis/rollouts/test_cubeful_rollouts.py"],
    _CORE: [
        "tests/analysis/rollouts/test_rollouts_in_core.py",
        "tests/analysis/rollouts/test_rollouts.py",
        "tests/analysis/rollouts/test_rollout_statistics.py",
        "tests/analysis/rollouts/test_cubeful_rollouts.py",
    ],
    _EVALUATORS: [
        "tests/analysis/rollouts/test_rollouts_in_core.py",
        "tests/analysis/rollouts/test_rollouts.py",
        "tests/analysis/rollouts/test_rollout_statistics.py",
        "tests/analysis/rollouts/test_cubeful_rollouts.py",
    ],
    _LUCK: [
        "tests/learning/strength/test_contest.py",
        "tests/analysis/rollouts/test_rollouts_in_core.py",
        "tests/analysis/rollouts/test_rollouts.py",
        "tests/analysis/rollouts/test_rollout_statistics.py",
        "tests/analysis/rollouts/test_cubeful_rollouts.py",
    ],
    _PROBABILITIES: [
        "tests/analysis/rollouts/test_rollouts_in_core.py",
        "tests/analysis/rollouts/test_rollouts.py",
        "tests/analysis/rollouts/test_rollout_statistics.py",
        "tests/analysis/rollouts/test_cubeful_rollouts.py",
    ],
}

# name, old text, new text, source[, tests]
MUTATIONS = [
    (
        "rollout cube: correct takes are dropped",
        "if take_value > drop_value:",
        "if take_value < drop_value:",
        _CUBE,
    ),
    (
        "rollout cube: too good positions are doubled",
        "if min(take_value, drop_value) <= value[0]:",
        "if take_value <= value[0]:",
        _CUBE,
    ),
    (
        "rollout cube: exact tables are ignored",
        "cdef bint exact = _exact_values(tables, &current.stakes, board, value, &take_value)",
        "cdef bint exact = False",
        _CUBE,
    ),
    (
        "rollout cube: sides are swapped in the exact tables",
        "sides.number[1] * tables.sides + sides.number[0]",
        "sides.number[0] * tables.sides + sides.number[1]",
        _CUBE,
    ),
    (
        "rollout cube: exact tables despite a cube limit",
        "tables.sides == 0 or not stakes.endless or",
        "tables.sides == 0 or",
        _CUBE,
    ),
    (
        "rollout cube: exact tables despite gammons",
        "tables.checkers - 1, &sides",
        "tables.checkers, &sides",
        _CUBE,
    ),
    (
        "rollout cube: owned table for a centred cube",
        "tables.centred if stakes.owner == 0 else",
        "tables.owned if stakes.owner == 0 else",
        _CUBE,
    ),
    (
        "rollout cube: take with the efficiency before the double",
        "efficiency = cube_efficiency(model, &states[current.doubled].stakes, board, probabilities)",
        "efficiency = cube_efficiency(model, &current.stakes, board, probabilities)",
        _CUBE,
    ),
    ("rollout cube: beavers become takes", "return current.beavered", "return current.doubled", _CUBE),
    (
        "rollout cube: drops have value 0",
        "        value[0] = drop_value\n",
        "        value[0] = 0\n",
        _CUBE,
    ),
    ("rollout cube: only five doubles", "    LIMIT = 6\n", "    LIMIT = 5\n", _CUBE),
    (
        "rollout cube: values stay those of the player on roll",
        "if (state ^ start) & 1 else value",
        "if False else value",
        _CUBE,
    ),
    (
        "compiled rollout: doubles after no double on the first ply",
        "(ply != 0 or not self.cube_decided[candidate])",
        "(ply != 0 or True)",
        _CORE,
    ),
    ("compiled rollout: passes win", "result = -1 if ply % 2 else 1", "result = 1 if ply % 2 else -1", _CORE),
    (
        "compiled rollout: cube luck has the wrong sign",
        "            cube_gain = -cube_gain\n",
        "",
        _CORE,
    ),
    (
        "compiled rollout: cube luck without the mean",
        "cube_luck[roll] -= cube_mean",
        "cube_luck[roll] -= 0",
        _CORE,
    ),
    (
        "compiled rollout: cache ignores the cube",
        "if entry.cube_state != cube_state or not board_equal",
        "if not board_equal",
        _CORE,
    ),
    (
        "compiled rollout: cache ignores whether doubling is allowed",
        "current.cube_state if may_double else ~current.cube_state",
        "current.cube_state",
        _CORE,
    ),
    (
        "compiled rollout: stale cube action in the cache",
        "entry.has_action = entry.has_luck = False",
        "entry.has_luck = False",
        _CORE,
    ),
    (
        "compiled rollout: cube state does not change sides",
        "current.cube_state = current.cube_state ^ 1",
        "pass",
        _CORE,
    ),
    (
        "rollout dice: third rolls equal the second ones",
        "5 * (trial // ROLLS) + 7 * first",
        "trial // ROLLS + first",
        _DICE,
    ),
    ("rollout dice: second rolls equal the first ones", "(trial // ROLLS + first) % ROLLS", "first", _DICE),
    (
        "rollout dice: shifted trials",
        "ROLLOUT_DICE, <uint64_t> trial,",
        "ROLLOUT_DICE, <uint64_t> trial + 1,",
        _DICE,
    ),
    (
        "compiled rollout: the loser wins",
        "result = result if ply % 2 else -result",
        "result = -result if ply % 2 else result",
        _CORE,
    ),
    (
        "compiled rollout: no flip after a play is impossible",
        "board_flip(&before, board)   # a pass",
        "board[0] = before",
        _CORE,
    ),
    (
        "compiled rollout: luck has the wrong sign",
        "if ply % 2 == 0:\n            gain",
        "if ply % 2:\n            gain",
        _CORE,
    ),
    (
        "compiled rollout: cube luck with equal weights of rolls",
        "weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2",
        "weight = 1",
        _CORE,
    ),
    (
        "luck: no flip after a play is impossible",
        "memcpy(row, flipped.point, BOARD_SIZE)",
        "memcpy(row, board.point, BOARD_SIZE)",
        _LUCK,
    ),
    (
        "luck: equal weights of rolls",
        "1 if ROLLS[roll][0] == ROLLS[roll][1] else 2, ORDERED_ROLLS",
        "2, ORDERED_ROLLS",
        _LUCK,
    ),
    ("luck: sign of the next player", "self.out[i] = -luck[", "self.out[i] = luck[", _LUCK),
    (
        "luck: dice are not sorted",
        "max(self.dice[i, 0], self.dice[i, 1]), min(self.dice[i, 0], self.dice[i, 1])",
        "self.dice[i, 0], self.dice[i, 1]",
        _LUCK,
    ),
    (
        "luck: the policy evaluates its own plays",
        "self.evaluator.evaluation(board, game, out)",
        "self.policy.evaluation(board, game, out)",
        _LUCK,
    ),
    (
        "compiled rollout: truncation for the wrong player",
        "if self.max_plies % 2:",
        "if not self.max_plies % 2:",
        _CORE,
    ),
    (
        "compiled rollout: luck is added",
        "evaluation_gain(&end, &current.luck)",
        "evaluation_gain(&current.luck, &end)",
        _CORE,
    ),
    (
        "compiled rollout: cache confuses rolls",
        "int roll = 6 * (die1 - 1) + die2 - 1",
        "int roll = die1 + die2",
        _CORE,
    ),
    (
        "compiled rollout: cache confuses boards",
        "or not board_equal(&entry.board, board):",
        "or entry.rolls_played == 0:",
        _CORE,
    ),
    (
        "compiled rollout: random plays are cached",
        "if entry != NULL and not self.policy.uses_random and not is_stopped():",
        "if entry != NULL:",
        _CORE,
    ),
    (
        "probabilities: gammons are not flipped",
        "1 - p.win, p.lose_gammon",
        "1 - p.win, p.win_gammon",
        _PROBABILITIES,
    ),
    (
        "compiled gains: win is not negated",
        "flipped.probabilities.win = 0 - gain.probabilities.win",
        "pass",
        _PROBABILITIES,
    ),
    (
        "evaluations: unknown probabilities are 0",
        "Probabilities(NAN, NAN, NAN, NAN, NAN)",
        "Probabilities(0, 0, 0, 0, 0)",
        _PROBABILITIES,
    ),
    (
        "evaluators: the last of equal plays is chosen",
        "            if equity < lowest:",
        "            if equity <= lowest:",
        _EVALUATORS,
    ),
    ("pubeval: the bar is ignored", "total += w[0] * board.point[BAR] / 2\n", "pass\n", _EVALUATORS),
    (
        "pubeval: contact after the play",
        "equity = self.equity(&board, race)",
        "equity = self.equity(&board, board_phase(&board) != PHASE_CONTACT)",
        _EVALUATORS,
    ),
    (
        "compiled rollout: abandoned games count",
        "        if is_stopped():   #",
        "        if False:   #",
        _CORE,
    ),
    (
        "compiled rollout: abandoned luck is cached",
        "entry.has_luck = not is_stopped()",
        "entry.has_luck = True",
        _CORE,
    ),
    (
        "compiled rollout: interrupted games restart",
        "        if first_ply == 0:\n            board_read(board",
        "        if True:\n            board_read(board",
        _CORE,
    ),
    (
        "compiled rollout: the rest of an interrupted range is lost",
        "                self.interrupted[slot] = current\n",
        "                current.last = current.game + 1\n                self.interrupted[slot] = current\n",
        _CORE,
    ),
]
