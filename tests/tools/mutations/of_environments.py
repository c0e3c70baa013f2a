"""Mutations of environments, which need the extra `rl`."""

from __future__ import annotations

_LOOPS = "bgfast/learning/environments/_games.pyx"

TESTS = {
    _LOOPS: [
        f"tests/learning/environments/test_{name}.py" for name in ("environments", "vector_environments")
    ],
}

# name, old text, new text, source
MUTATIONS = [
    (
        "the row before the chosen one",
        "row += actions[i]",
        "row += actions[i] - 1 if actions[i] else 0",
        _LOOPS,
    ),
    (
        "any index is inside a segment",
        "if 0 <= actions[i] < offsets[i + 1] - offsets[i]:",
        "if 0 <= actions[i]:",
        _LOOPS,
    ),
    ("the error names the last bad game", "            elif bad < 0:\n", "            else:\n", _LOOPS),
    ("masks keep old ones", "memset(&mask[i, 0] + new, 0, max_plays - new)", "pass", _LOOPS),
    (
        "a mask is written beyond its end",
        "if new > max_plays:",
        "if new > max_plays + 100000:",
        _LOOPS,
    ),
    (
        "the second die comes first",
        "out[i, BOARD_SIZE] = dice[i, 0]",
        "out[i, BOARD_SIZE] = dice[i, 1]",
        _LOOPS,
    ),
]
