"""How to break perft: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["ANALYSIS_MUTATIONS", "ANALYSIS_TESTS"]

_PERFT = "bgfast/batch/perft/perft.py"
_LEAVES = "bgfast/batch/perft/_perft.pyx"
_LEVELS = "bgfast/batch/perft/_levels.pyx"
_PERFT_LEVELS = "bgfast/batch/perft/levels.py"
_CHECKPOINT = "bgfast/batch/perft/checkpoint.py"

ANALYSIS_TESTS = {
    _PERFT: ["tests/batch/perft/test_perft.py"],
    _LEAVES: ["tests/batch/perft/test_perft.py"],
    _LEVELS: ["tests/batch/perft/test_perft.py"],
    _PERFT_LEVELS: [
        "tests/batch/perft/test_perft.py",
        "tests/batch/perft/test_perft_checkpoint.py",
        "tests/core/test_any_rules.py",
    ],
    _CHECKPOINT: ["tests/batch/perft/test_perft_checkpoint.py"],
}

# name, what stands there, what comes in its place, source
ANALYSIS_MUTATIONS = [
    (
        "progress is told to anything",
        "if not callable(progress):",
        "if False:",
        "bgfast/common/validation.py",
        "tests/batch/perft/test_perft.py",
    ),
    (
        "progress is told to nobody",
        "    if progress is None:",
        "    if not progress:",
        "bgfast/common/validation.py",
        "tests/batch/perft/test_perft.py",
    ),
    (
        "take a remembered position for any other at its place",
        "if memcmp(place.point, board.point, BOARD_SIZE) != 0:",
        "if not place.leaves:",
        _LEAVES,
    ),
    (
        "count what follows a finished game",
        "    if board_over(board):\n        return 1\n",
        "",
        _LEAVES,
    ),
    (
        "count doubles in the last ply like other rolls",
        "sizes[roll] * <int64_t> counting.weights[ROLLS[roll][0] != ROLLS[roll][1]]",
        "sizes[roll] * <int64_t> counting.weights[1]",
        _LEAVES,
    ),
    (
        "merge positions that differ",
        "if board_equal(&table.boards[table.rows[place] - 1], board):",
        "if True:",
        _LEVELS,
    ),
    (
        "merge a position with the next part, too",
        "% <uint64_t> parts) != part",
        "% <uint64_t> parts) > part",
        _LEVELS,
    ),
    (
        "go on from finished games",
        "finished if board_over(&child) else _ways_to",
        "_ways_to",
        _LEVELS,
    ),
    (
        "lose positions when the table grows",
        "place = board_hash(&table.boards[i])",
        "place = <size_t> (0 * i)",
        _LEVELS,
    ),
    (
        "lose the last position of a slice",
        "PART_POSITIONS * (part + 1))",
        "PART_POSITIONS * (part + 1) - 1)",
        _PERFT_LEVELS,
    ),
    (
        "lose the games that end in a merged level",
        "np.array([level.finished, *(",
        "np.array([*(",
        _PERFT_LEVELS,
    ),
    (
        "count a part that is kept once more, the next one never",
        "return self._parts.get(part)",
        "return self._parts.get(part + 1)",
        _CHECKPOINT,
    ),
    (
        "merge by the standard rules",
        "successors(board[None], roll, rules=rules, flip=True",
        "successors(board[None], roll, flip=True",
        _PERFT_LEVELS,
    ),
]
