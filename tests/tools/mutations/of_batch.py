"""Mutations of functions on many positions."""

from __future__ import annotations

_REQUEST = "bgfast/batch/_successors.pyx"
_THREADS = "bgfast/common/_threads.pyx"
_ORDERED_FILL = "bgfast/batch/_successors.pyx"
_SELECTION = "bgfast/batch/_selection.pyx"
_RANDOM = "bgfast/batch/_random_positions.pyx"
_RANDOM_STREAM = "bgfast/core/random_stream.pxd"
_LEAVES = "bgfast/batch/_perft.pyx"
_LEVELS = "bgfast/batch/_perft.pyx"

TESTS = {
    _REQUEST: [
        "tests/batch/test_successors.py",
        "tests/batch/test_arguments.py",
        "tests/batch/test_threads.py",
    ],
    _THREADS: ["tests/batch/test_threads.py"],
    _ORDERED_FILL: [
        "tests/batch/test_successors.py",
        "tests/batch/test_changing_memory.py",
        "tests/batch/test_threads.py",
    ],
    _SELECTION: [
        "tests/batch/test_selection.py",
        "tests/batch/test_mean_over_rolls.py",
        "tests/batch/test_changing_memory.py",
    ],
    _RANDOM: [
        "tests/batch/test_random_successors.py",
        "tests/batch/test_arguments.py",
        "tests/batch/test_random_dice.py",
    ],
    _RANDOM_STREAM: ["tests/batch/test_random_dice.py"],
    _LEAVES: ["tests/batch/test_perft.py"],
    _LEVELS: ["tests/batch/test_perft.py"],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "rows of a block lie on its moves",
        "(own if self.moves == NULL else own + BLOCK_ROWS)",
        "own",
        _ORDERED_FILL,
    ),
    (
        "let two blocks begin at the same row",
        "        self.total += n\n        self.done = last\n        return True\n\n    cdef void _copy_block",
        "        self.total += n - 1\n        self.done = last\n        return True\n\n"
        "    cdef void _copy_block",
        _ORDERED_FILL,
    ),
    (
        "drop a row of each block",
        "for i in range(first, last):",
        "for i in range(first, last - 1):",
        _ORDERED_FILL,
    ),
    (
        "write beyond the output on threads",
        "n > self.room - self.total:",
        "self.total > self.room:",
        _ORDERED_FILL,
    ),
    (
        "overwrite the last row of the first call in a second call",
        "        self.begin = self.done\n",
        "        self.begin = max(0, self.done - 1)\n",
        _ORDERED_FILL,
    ),
    (
        "name the last bad row instead of the first",
        "or self.invalid[slot].row < first.row):",
        "or self.invalid[slot].row > first.row):",
        _REQUEST,
    ),
    (
        "share a workspace among threads",
        "self.rules[slot], flip",
        "self.rules[0], flip",
        _REQUEST,
    ),
    (
        "use no helper threads",
        "engaged = _engage(job, threads - 1)",
        "engaged = _engage(job, 0)",
        _THREADS,
    ),
    (
        "give two threads one slot",
        "    job.slots += 1\n",
        "    job.slots = 1\n",
        _THREADS,
    ),
    (
        "make new workers for each call",
        "        PyThread_release_lock(pool_lock)\n        if worker == NULL:",
        "        PyThread_release_lock(pool_lock)\n        if True:",
        _THREADS,
    ),
    (
        "return before all workers are done",
        "        if started and not _wait_for",
        "        if started and worker.ending and not _wait_for",
        _THREADS,
    ),
    (
        "keep the parent's workers in a forked child",
        "    idle = NULL\n    generation += 1",
        "    generation += 1",
        _THREADS,
    ),
    (
        "wait in a forked child for threads of the parent",
        "        if generation != job.generation:\n",
        "        if False:\n",
        _THREADS,
    ),
    (
        "do not check for signals",
        "        PyErr_CheckSignals()\n",
        "        pass\n",
        _THREADS,
    ),
    (
        "trust offsets that may have changed",
        "if not 0 <= segment.begin <= segment.end <= values:",
        "if False:",
        _SELECTION,
    ),
    (
        "take the last of equal values",
        "if value > greatest:",
        "if value >= greatest:",
        _SELECTION,
    ),
    (
        "let a sum overflow whose mean does not",
        "if isfinite(total):",
        "if True:",
        _SELECTION,
    ),
    (
        "let a difference of weights overflow",
        "if not isfinite(difference):",
        "if False:",
        _SELECTION,
    ),
    (
        "give doubles the weight of other rolls",
        "total += mean.weights[r] * (value * scale)",
        "total += 2 * (value * scale)",
        _SELECTION,
    ),
    (
        "let a random play depend on the thread's share",
        "stream_of(self.seed, RANDOM_SUCCESSORS, i)",
        "stream_of(self.seed, RANDOM_SUCCESSORS, i - first)",
        _RANDOM,
    ),
    (
        "never choose the last successor",
        "stream_below(&state, n)",
        "stream_below(&state, n - (n > 1))",
        _RANDOM,
    ),
    (
        "return one die twice",
        "self.dice_out[2 * i + 1] = die2",
        "self.dice_out[2 * i + 1] = die1",
        _RANDOM,
    ),
    (
        "use the random stream of plays for dice",
        "RANDOM_DICE = 3",
        "RANDOM_DICE = 1",
        _RANDOM_STREAM,
    ),
    (
        "repeat one die of a double in an opening roll",
        "            while opening and out[i, 0] == out[i, 1]:   # ties are rolled again\n"
        "                out[i, 0] = stream_die(&state)\n",
        "            while opening and out[i, 0] == out[i, 1]:\n",
        _RANDOM,
    ),
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
