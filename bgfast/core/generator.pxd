"""All legal plays of one position and one roll, each resulting position once."""

from libc.stdint cimport int8_t, uint32_t, uint64_t

from bgfast.core.board cimport Board

cdef enum:
    # Doubles: at most C(18, 4) multisets of four sources. Two dice: at most 15 * 14 pairs and 2 * 15 runs.
    # The largest known are 2226 and 224. Nothing is ever cut off.
    MAX_SUCCESSORS = 3060
    MAX_SUCCESSORS_TWO_DICE = 240
    # Rows are stored in batches: a caller's buffers have this many rows of room behind the last successor.
    SLACK_ROWS = 8


# Writes every successor as 26 bytes a row, and its moves as 8 bytes (four (from, to) pairs, -1 unused) unless
# `moves` is NULL. With `flip` the rows are seen from the next player's side; moves are always the mover's.
# Both buffers need room for MAX_SUCCESSORS + SLACK_ROWS rows. Returns the number of rows; 0 is a pass, or a
# finished position. Assumes a valid board and dice of 1..6. Re-entrant: no state, no heap.
cdef int generate(const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip) noexcept nogil

# The number of rows that `generate` would write.
cdef int count(const Board *board, int die1, int die2) noexcept nogil

# The points (bit p = point p, bit 25 = bar) from which one checker may move with `die` now.
cdef uint32_t movable(const Board *board, int die) noexcept nogil
