"""How to break functions on many positions: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["BATCH_MUTATIONS", "BATCH_TESTS"]

_REQUEST = "bgfast/batch/_request.pyx"
_THREADS = "bgfast/common/_threads.pyx"
_ORDERED_FILL = "bgfast/batch/_ordered_fill.pyx"
_SELECTION = "bgfast/batch/_selection.pyx"
_RANDOM_POSITIONS = "bgfast/batch/random_positions.py"
_RANDOM_SUCCESSORS = "bgfast/batch/_random_successors.pyx"
_RANDOM_STREAM = "bgfast/core/board/random_stream.pxd"
_RANDOM_DICE = "bgfast/batch/_random_dice.pyx"
_DICE = "bgfast/batch/random_dice.py"
_SUCCESSORS = "bgfast/batch/successors.py"
_PLAY_TEXTS = "bgfast/batch/play_texts.py"
_COMMON_VALIDATION = "bgfast/common/validation.py"
_VALIDATION = "bgfast/batch/validation.py"
_XGIDS = "bgfast/batch/xgids.py"

BATCH_TESTS = {
    _REQUEST: ["tests/batch/test_successors.py", "tests/batch/test_threads.py"],
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
    _RANDOM_POSITIONS: ["tests/batch/test_random_positions.py"],
    _RANDOM_SUCCESSORS: ["tests/batch/test_random_successors.py"],
    _RANDOM_STREAM: ["tests/batch/test_random_dice.py"],
    _RANDOM_DICE: ["tests/batch/test_random_dice.py"],
    _DICE: ["tests/batch/test_random_dice.py"],
    _SUCCESSORS: ["tests/batch/test_successors.py"],
    _PLAY_TEXTS: ["tests/batch/test_play_texts.py"],
    _XGIDS: ["tests/batch/test_xgids.py"],
    _VALIDATION: [
        "tests/batch/test_random_successors.py",
        "tests/batch/test_successors.py",
        "tests/batch/test_lists_of_positions.py",
    ],
}

# name, what stands there, what comes in its place, source
BATCH_MUTATIONS = [
    (
        "executors are imported while a fork waits",
        "import concurrent.futures.thread",
        "import concurrent",
        "bgfast/__init__.py",
        "tests/batch/test_changing_memory.py",
    ),
    (
        "rows of a block lie on its moves",
        "(own if self.moves == NULL else own + BLOCK_ROWS)",
        "own",
        _ORDERED_FILL,
    ),
    (
        "let two blocks begin at the same row",
        "        self.total += n\n        self.done = last\n        return True\n\n    cdef void _place",
        "        self.total += n - 1\n        self.done = last\n        return True\n\n    cdef void _place",
        _ORDERED_FILL,
    ),
    (
        "lose a block with many rows",
        "for i in range(first, last):",
        "for i in range(first, last - 1):",
        _ORDERED_FILL,
    ),
    (
        "write behind the output on threads",
        "n > self.room - self.total:",
        "self.total > self.room:",
        _ORDERED_FILL,
    ),
    (
        "forget in a second call what the first has written",
        "        self.begin = self.done\n",
        "        self.begin = max(0, self.done - 1)\n",
        _ORDERED_FILL,
    ),
    (
        "name any bad row of those that threads have met",
        "or self.refused[slot].row < first.row):",
        "or self.refused[slot].row > first.row):",
        _REQUEST,
    ),
    (
        "share a workspace among threads",
        "self.held[slot], flip",
        "self.held[0], flip",
        _REQUEST,
    ),
    (
        "let nobody help",
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
        "return before all who work are done",
        "        if begun and not _awaited",
        "        if begun and worker.ending and not _awaited",
        _THREADS,
    ),
    (
        "keep a forked child's workers, who are not there",
        "    idle = NULL\n    generation += 1",
        "    generation += 1",
        _THREADS,
    ),
    (
        "wait in a forked child for threads of the parent",
        "        if generation != job.begun_in:\n",
        "        if False:\n",
        _THREADS,
    ),
    (
        "do not look at signals",
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
        "give the doubles double weight",
        "total += mean.weights[r] * (value * scale)",
        "total += 2 * (value * scale)",
        _SELECTION,
    ),
    (
        "let a random play depend on the thread's share",
        "stream_of(self.seed, RANDOM_SUCCESSORS, i)",
        "stream_of(self.seed, RANDOM_SUCCESSORS, i - first)",
        _RANDOM_SUCCESSORS,
    ),
    ("XGIDs: a roll behind one is ignored", 'or form_of_words(text.split() or [""]) == "typed"', "", _XGIDS),
    ("XGIDs: any one of several", "if len(stated) != 1 or not", "if not", _XGIDS),
    ("run out of memory for random positions", "except MemoryError:", "except KeyError:", _RANDOM_POSITIONS),
    (
        "never choose the last successor",
        "stream_below(&state, n)",
        "stream_below(&state, n - (n > 1))",
        _RANDOM_SUCCESSORS,
    ),
    (
        "return one die twice",
        "self.thrown[2 * i + 1] = die2",
        "self.thrown[2 * i + 1] = die1",
        _RANDOM_SUCCESSORS,
    ),
    (
        "throw the numbers that random plays are chosen with",
        "RANDOM_DICE = 3",
        "RANDOM_DICE = 1",
        _RANDOM_STREAM,
    ),
    (
        "throw one die again for a double that may not be",
        "            while opening and out[i, 0] == out[i, 1]:   # ties are rolled again\n"
        "                out[i, 0] = stream_die(&state)\n",
        "            while opening and out[i, 0] == out[i, 1]:\n",
        _RANDOM_DICE,
    ),
    (
        "throw the same dice after so many rows",
        "fill_dice(start, no_doubles, first, ",
        "fill_dice(start, no_doubles, 0, ",
        _DICE,
    ),
    (
        "count segments from the end",
        "if index is None or not 0 <= index < segments:",
        "if index is None or not -segments <= index < segments:",
        _SUCCESSORS,
    ),
    (
        "leave the last row of a segment out",
        "rows = slice(self.offsets[index], self.offsets[index + 1])",
        "rows = slice(self.offsets[index], max(self.offsets[index], self.offsets[index + 1] - 1))",
        _SUCCESSORS,
    ),
    (
        "number owners from 1",
        "np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64)",
        "np.repeat(np.arange(1, len(self.offsets), dtype=np.int64)",
        _SUCCESSORS,
    ),
    (
        "take moves for those of a legal play",
        "if results[len(texts)] not in expected:",
        "if not expected:",
        _PLAY_TEXTS,
    ),
    (
        "leave what is hit where it stands",
        "boards[rows[hit], 0] -= 1",
        "pass",
        _PLAY_TEXTS,
    ),
    (
        "write the plays of the first segments again",
        "bounds = offsets[first : first + SEGMENTS_AT_ONCE + 1]",
        "bounds = offsets[: len(positions[turns]) + 1]",
        _PLAY_TEXTS,
    ),
    (
        "say nothing of a pass",
        'play_text(board, roll, play, rules) or "pass"',
        "play_text(board, roll, play, rules)",
        _PLAY_TEXTS,
    ),
    (
        "write plays as those of the usual rules",
        "play_text(board, roll, play, rules)",
        "play_text(board, roll, play)",
        _PLAY_TEXTS,
    ),
    (
        "take a move up the board for a move",
        "& (start > end) &",
        "& (start != end) &",
        _COMMON_VALIDATION,
        "tests/batch/test_play_texts.py",
    ),
    ("one XGID is many", "isinstance(lines, (str, bytes)) or not", "not", _XGIDS),
    (
        "positions of other games",
        "if checkers is not None and position.checkers",
        "if False and position.checkers",
        _VALIDATION,
    ),
    (
        "take any word for dice",
        "isinstance(dice, str) and dice == word",
        "isinstance(dice, str)",
        _VALIDATION,
    ),
]
