"""Mutations of perft."""

from __future__ import annotations

_LEAVES = "bgfast/batch/perft/_perft.pyx"
_LEVELS = "bgfast/batch/perft/_levels.pyx"

TESTS = {
    _LEAVES: ["tests/batch/perft/test_perft.py"],
    _LEVELS: ["tests/batch/perft/test_perft.py"],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "use a cached position for any other in its slot",
        "if memcmp(entry.point, board.point, BOARD_SIZE) != 0:",
        "if not entry.leaves:",
        _LEAVES,
    ),
    (
        "count successors of a finished game",
        "    if board_over(board):\n        return 1\n",
        "",
        _LEAVES,
    ),
    (
        "count doubles in the last ply like other rolls",
        "sizes[roll] * <int64_t> settings.weights[ROLLS[roll][0] != ROLLS[roll][1]]",
        "sizes[roll] * <int64_t> settings.weights[1]",
        _LEAVES,
    ),
    (
        "merge positions that differ",
        "if board_equal(&table.boards[table.rows[slot] - 1], board):",
        "if True:",
        _LEVELS,
    ),
    (
        "merge a position into the next part, too",
        "% <uint64_t> parts) != part",
        "% <uint64_t> parts) > part",
        _LEVELS,
    ),
    (
        "continue from finished games",
        "finished if board_over(&child) else _ways_to",
        "_ways_to",
        _LEVELS,
    ),
    (
        "lose positions when the table grows",
        "slot = board_hash(&table.boards[i])",
        "slot = <size_t> (0 * i)",
        _LEVELS,
    ),
]
