"""How to break functions on many positions: a part of `tests.tools.mutations`."""

from __future__ import annotations

__all__ = ["BATCH_MUTATIONS", "BATCH_TESTS"]

_ORDERED_FILL = "bgfast/batch/_ordered_fill.pyx"
_SELECTION = "bgfast/batch/_selection.pyx"
_RANDOM_POSITIONS = "bgfast/batch/random_positions.py"
_RANDOM_SUCCESSORS = "bgfast/batch/_random_successors.pyx"

BATCH_TESTS = {
    _ORDERED_FILL: ["tests/batch/test_successors.py", "tests/batch/test_changing_memory.py"],
    _SELECTION: ["tests/batch/test_selection.py", "tests/batch/test_changing_memory.py"],
    _RANDOM_POSITIONS: ["tests/batch/test_random_positions.py"],
    _RANDOM_SUCCESSORS: ["tests/batch/test_random_successors.py"],
}

# name, what stands there, what comes in its place, source
BATCH_MUTATIONS = [
    (
        "let two blocks begin at the same row",
        "        self.rows += rows\n",
        "        self.rows += rows - 1\n",
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
        "if at + n <= room:",
        "if at <= room:",
        _ORDERED_FILL,
    ),
    (
        "name any bad row of those that threads have met",
        "        if not self.stopped:\n",
        "        if True:\n",
        _ORDERED_FILL,
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
        "give the doubles double weight",
        "total += weights[r] * value",
        "total += 2 * value",
        _SELECTION,
    ),
    (
        "let a random play depend on the thread's share",
        "stream_of(seed, RANDOM_SUCCESSORS, i)",
        "stream_of(seed, RANDOM_SUCCESSORS, i - first)",
        _RANDOM_SUCCESSORS,
    ),
    ("run out of memory for random positions", "except MemoryError:", "except KeyError:", _RANDOM_POSITIONS),
    (
        "never choose the last successor",
        "stream_below(&state, n)",
        "stream_below(&state, n - (n > 1))",
        _RANDOM_SUCCESSORS,
    ),
]
