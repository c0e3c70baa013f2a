"""Counting the positions that follow within a number of plays (perft)."""

from libc.stdint cimport int8_t, uint64_t

from bgfast.core.board cimport Board
from bgfast.core.rules cimport Rules

cdef enum:
    LEVEL_BYTES = 80_000   # the scratch that one level of the tree needs


# Writes the children of one roll to `rows` (LEVEL_BYTES), seen from the next player's side, and returns how many
# they are; a pass is one child. Assumes an unfinished game.
cdef int children(const Rules *rules, const Board *board, int die1, int die2, int8_t *rows) noexcept nogil

# Adds to `total` (modulo 2**64) the leaves within `depth` plays. A child is a distinct position after a play,
# sides then swapped; a pass is one child; a finished game is one leaf whatever depth remains. Rolls of equal dice
# count weights[0] times, others weights[1] times. `bulk` counts the last ply without writing its boards. `scratch`
# has depth * LEVEL_BYTES. Assumes a valid board and enough scratch. From depth 3 on it looks for signals now and
# then: -1 with KeyboardInterrupt set after Ctrl-C, else 0.
cdef int leaves(
    const Rules *rules, const Board *board, int depth, const uint64_t *weights, bint bulk, int8_t *scratch,
    uint64_t *total,
) except -1 nogil
