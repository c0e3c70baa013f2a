"""Mutations of compiled code above the core: the most telling ones of each module.

`tests.tools.generated_mutations` has those of Python code.
"""

from __future__ import annotations

_PLAYS = "bgfast/position/plays.pxi"
_MAT = "bgfast/records/_mat.pyx"
_TURNS = "bgfast/games/_turns.pyx"
_BEAROFF = "bgfast/evaluation/bearoff/_bearoff.pyx"
_WITH_BEAROFF = "bgfast/evaluation/evaluators/_with_bearoff.pyx"
_LOOKAHEAD = "bgfast/evaluation/evaluators/_lookahead.pyx"
_CUBE_VALUES = "bgfast/evaluation/cube_values.h"
_EFFICIENCY = "bgfast/evaluation/_efficiency.pyx"
_CUBEFUL = "bgfast/evaluation/_cubeful.pyx"
_CUBE_STATES = "bgfast/analysis/rollouts/_turns.pyx"
_DICE = "bgfast/analysis/rollouts/_turns.pyx"
_TRIALS = "bgfast/analysis/rollouts/_trials.pyx"
_LUCK = "bgfast/analysis/rollouts/_turns.pyx"
_EVALUATORS = "bgfast/evaluation/evaluators/_evaluators.pyx"
_LEARNER = "bgfast/learning/_learning_layer.pyx"
_POSITIONS = "bgfast/learning/_targets.pyx"
_GAMES = "bgfast/learning/environments/_lockstep.pyx"

TESTS = {
    _PLAYS: [
        "tests/position/test_objects.py",
        "tests/position/test_play_lists.py",
        "tests/position/test_whole_turns.py",
    ],
    _MAT: [
        "tests/cli/test_check.py",
        "tests/records/test_match_files.py",
        "tests/records/test_mat.py",
        "tests/records/test_replay.py",
        "tests/records/test_sgf.py",
    ],
    _TURNS: [
        "tests/cli/test_check.py",
        "tests/records/test_match_files.py",
        "tests/records/test_mat.py",
        "tests/records/test_replay.py",
        "tests/records/test_sgf.py",
    ],
    _BEAROFF: [
        "tests/evaluation/bearoff/test_bearoff.py",
        "tests/evaluation/bearoff/test_bearoff_with_cube.py",
    ],
    _WITH_BEAROFF: ["tests/evaluation/evaluators/test_with_bearoff.py"],
    _LOOKAHEAD: [
        "tests/evaluation/evaluators/test_lookahead.py",
        "tests/evaluation/evaluators/test_lookahead_as_player.py",
        "tests/evaluation/evaluators/test_with_bearoff.py",
        "tests/evaluation/evaluators/test_plays_at_a_score.py",
    ],
    _CUBE_VALUES: [
        "tests/evaluation/test_stakes.py",
        "tests/evaluation/test_cubeful.py",
        "tests/evaluation/test_efficiency.py",
        "tests/evaluation/test_cube_against_reference.py",
    ],
    _EFFICIENCY: ["tests/evaluation/test_efficiency.py"],
    _CUBEFUL: ["tests/evaluation/test_cubeful.py"],
    _CUBE_STATES: ["tests/analysis/rollouts/test_cubeful_rollouts.py"],
    _DICE: ["tests/analysis/rollouts/test_rollout_dice.py"],
    _TRIALS: [
        "tests/analysis/rollouts/test_rollouts_in_core.py",
        "tests/analysis/rollouts/test_rollouts.py",
        "tests/analysis/rollouts/test_rollout_statistics.py",
        "tests/analysis/rollouts/test_cubeful_rollouts.py",
    ],
    _LUCK: [
        "tests/learning/test_contest.py",
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
    _LEARNER: ["tests/learning/test_learning_layer.py"],
    _POSITIONS: ["tests/learning/test_targets.py"],
    _GAMES: [
        "tests/learning/environments/test_environments.py",
        "tests/learning/environments/test_vector_environments.py",
    ],
}

# name, old text, new text, source
MUTATIONS = [
    ("compare lists without their rules", "            and self._switches == that._switches\n", "", _PLAYS),
    ("a play has no marks of hits", "self._list._position.board.point[0] - after[0]", "0", _PLAYS),
    (
        "records: plain cells on the right belong to the left player",
        "<int> (5 * (cell.at + 1) > 3 * right)",
        "0",
        _MAT,
    ),
    ("records: a plain win ends no match", "            cell.match,\n", "            False,\n", _MAT),
    (
        "records: a blot on the way is ignored",
        "if stop > 0 and board.point[stop] == -1:",
        "if False:",
        _TURNS,
    ),
    (
        "records: a pass though there are plays",
        "if generate(NULL, board, die1, die2, rows, NULL, False):\n        return False",
        "if False:\n        return False",
        _TURNS,
    ),
    ("bear off any checker with a greater die", "elif p == die or p == rear:", "elif p <= die:", _BEAROFF),
    (
        "two-sided: the sides are swapped",
        "sides.number[1] * databases.sides + sides.number[0]",
        "sides.number[0] * databases.sides + sides.number[1]",
        _BEAROFF,
    ),
    (
        "the opponent wins a tie of rolls",
        "            tail += other[t]\n            win += own[t] * tail\n",
        "            win += own[t] * tail\n            tail += other[t]\n",
        _BEAROFF,
    ),
    (
        "bear-offs with a cube: nobody passes",
        "max(no_double, min(taken, won))",
        "max(no_double, taken)",
        _BEAROFF,
    ),
    (
        "with bear-offs: the network alone chooses plays",
        "    if not _may_come_home(before):\n",
        "    if True:\n",
        _WITH_BEAROFF,
    ),
    (
        "with bear-offs: gammons are exact",
        "(bearoff, &sides) and sides.count[0] < game.checkers and sides.count[1] < game.checkers",
        "(bearoff, &sides)",
        _WITH_BEAROFF,
    ),
    (
        "with bear-offs: exact positions are searched",
        "if not (coverage == EXACT or (coverage and ply == 0)):",
        "if not (coverage and ply == 0):",
        _LOOKAHEAD,
    ),
    (
        "take points without the taker's cube",
        "take[i] = (lost - 0.5) * per",
        "take[i] = (lost - 0.6) * per",
        _CUBE_VALUES,
    ),
    ("the last cube is live", "int dead = j + 1 == last;", "int dead = 0;", _CUBE_VALUES),
    (
        "a dead cube has no value in a half live one",
        "dead + x[i] * (live - dead)",
        "x[i] * live",
        _CUBE_VALUES,
    ),
    ("the owner of the cube is doubled", "alive && stakes->owner <= 0", "alive", _CUBE_VALUES),
    (
        "more gammons than wins",
        "return cube_least(part / cube_divisor(whole), 1);",
        "return part / cube_divisor(whole);",
        _CUBE_VALUES,
    ),
    ("beavers beyond the limit", "(stakes->endless || stakes->levels > 2)", "1", _CUBE_VALUES),
    (
        "efficiency: the chance to win is ignored",
        "lost + win * (won - lost)",
        "lost + 0.5 * (won - lost)",
        _CUBE_VALUES,
    ),
    (
        "efficiency: races by the pips of the mover",
        "pips = min(board_pips(board), board_pips_opponent(board))",
        "pips = board_pips(board)",
        _EFFICIENCY,
    ),
    ("blocks: equities in another unit", "- task->middle) / task->unit", "- task->middle)", _CUBE_VALUES),
    (
        "one efficiency for all rows",
        "cdef bint per_row = lines is None and efficiency.shape[0] == total",
        "cdef bint per_row = False",
        _CUBEFUL,
    ),
    (
        "doubles weigh as much as other rolls",
        "weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2",
        "weight = 2",
        _LOOKAHEAD,
    ),
    (
        "a pass keeps the player on roll",
        "board_flip(board, &after)   # a pass",
        "after = board[0]   # a pass",
        _LOOKAHEAD,
    ),
    (
        "two plies are searched as one",
        "_equity(search, other, &after, ply - 1, NULL, wanted)",
        "_equity(search, other, &after, 0, NULL, wanted)",
        _LOOKAHEAD,
    ),
    ("one candidate too many", "if size == max_rows:", "if size == max_rows + 1:", _LOOKAHEAD),
    (
        "at a score: both sides have the same stakes",
        "search.stakes[1] = other_side",
        "search.stakes[1] = stakes",
        _LOOKAHEAD,
    ),
    (
        "rollout cube: too good positions are doubled",
        "if min(take_value, drop_value) <= value[0]:",
        "if take_value <= value[0]:",
        _CUBE_STATES,
    ),
    (
        "rollout cube: values stay those of the player on roll",
        "if (state ^ start) & 1 else value",
        "if False else value",
        _CUBE_STATES,
    ),
    (
        "rollout dice: second rolls equal the first ones",
        "(trial // ORDERED_ROLLS + first) % ORDERED_ROLLS",
        "first",
        _DICE,
    ),
    (
        "compiled rollout: the loser wins",
        "return result if current.ply % 2 else -result",
        "return -result if current.ply % 2 else result",
        _TRIALS,
    ),
    (
        "compiled rollout: luck is added",
        "evaluation_gain(&end, &current.luck)",
        "evaluation_gain(&current.luck, &end)",
        _TRIALS,
    ),
    (
        "compiled rollout: cache ignores the cube",
        "if entry.cube_state != cube_state or not board_equal",
        "if not board_equal",
        _TRIALS,
    ),
    (
        "compiled rollout: interrupted games restart",
        "        if current.step == START:\n            board_read(",
        "        if True:\n            board_read(",
        _TRIALS,
    ),
    ("luck: sign of the next player", "self.out[i] = -luck[", "self.out[i] = luck[", _LUCK),
    (
        "evaluators: the last of equal plays is chosen",
        "            if equity < lowest:",
        "            if equity <= lowest:",
        _EVALUATORS,
    ),
    (
        "an interrupted step is not completed",
        "if not self.stepped[i]:\n                        self._step(i)",
        "pass",
        _LEARNER,
    ),
    (
        "errors are not flipped to the other side",
        "-later[0], later[3], later[4], later[1], later[2])",
        "later[0], later[1], later[2], later[3], later[4])",
        _POSITIONS,
    ),
    (
        "targets: doubles weigh as much as other rolls",
        "1 if ROLLS[roll][0] == ROLLS[roll][1] else 2",
        "1",
        _POSITIONS,
    ),
    (
        "the row before the chosen one",
        "&successors[self.offsets_[i] + actions[i], 0]",
        "&successors[self.offsets_[i] + (actions[i] - 1 if actions[i] else 0), 0]",
        _GAMES,
    ),
    (
        "a mask is written beyond its end",
        "if new > self.max_plays:",
        "if new > self.max_plays + 100000:",
        _GAMES,
    ),
]
