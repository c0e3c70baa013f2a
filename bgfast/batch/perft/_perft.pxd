"""Perft, for other extension modules."""

from libc.stdint cimport int8_t

from bgfast.core.board.board cimport Board
from bgfast.core.generator.rules cimport Rules

cdef enum:
    LEVEL_BYTES = 80_000   # scratch memory for one level of the tree


# Writes the children of one roll to `rows` (LEVEL_BYTES), seen from the next player, and returns their number; a
# pass is one child. Assumes an unfinished game.
cdef int children(const Rules *rules, const Board *board, int die1, int die2, int8_t *rows) noexcept nogil
