"""All legal plays of one position and one roll, each resulting position once."""

from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t

from bgfast.core.board.board cimport Board
from bgfast.core.generator.kernel cimport Batch, Refused
from bgfast.core.generator.rules cimport Rules

cdef enum:
    # Doubles: at most C(18, 4) multisets of four sources. Two dice: at most 15 * 14 pairs and 2 * 15 runs.
    # The largest known are 2226 and 224. Nothing is ever cut off. Other rules: levels.pxi has the argument.
    MAX_SUCCESSORS = 3060
    MAX_SUCCESSORS_TWO_DICE = 240
    # Rows are stored in batches: a caller's buffers have this many rows of room behind the last successor.
    SLACK_ROWS = 8
    # Room for the rows of any one roll; for its moves and its rows, in words of 8 bytes: 3068 and 3068 * 26 / 8.
    ROWS_BYTES = (3060 + 8) * 26
    SCRATCH_WORDS = 3068 + 9971


# Writes every successor as 26 bytes a row, and its moves as 8 bytes (four (from, to) pairs, -1 unused) unless
# `moves` is NULL. With `flip` the rows are seen from the next player's side; moves are always the mover's.
# Both buffers need room for MAX_SUCCESSORS + SLACK_ROWS rows. Returns the number of rows; 0 is a pass, or a
# finished position. Assumes a valid board and dice of 1..6. `rules` is NULL for the `standard` ones. Re-entrant:
# no state but the workspace of `rules`, no heap.
cdef int generate(
    const Rules *rules, const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip,
) noexcept nogil

# The number of rows that `generate` would write.
cdef int count(const Rules *rules, const Board *board, int die1, int die2) noexcept nogil

# The points (bit p = point p, bit 25 = bar) from which one checker may move with `die` now under the
# `standard` rules.
cdef uint32_t movable(const Board *board, int die) noexcept nogil


# Many positions. A batch is `rules` (NULL for the `standard` ones), `boards`, rows of 26 numbers, and `dice`, a
# pair of numbers for each board that stand `dice_step` bytes apart (2, or 0 if one pair serves all); or `dice` is
# NULL and each board has all 21 rolls, in the order of bgfast.ROLLS. A board with a roll is a segment of
# successors. With `keep_passes` the unchanged board is the one row of a pass (its moves are -1); a finished game
# has no row.

# The memory of boards and dice is read once, board by board, and may change at any time: what was read is what is
# checked and used. The first board or roll that cannot be goes to `refused`, and the result is REFUSED. With NULL
# for `refused` they are known to be valid, and not looked at.

# Writes the number of rows of each segment of the boards `first` to `last` - 1, the first of them to sizes[0].
# Returns 0 or REFUSED.
cdef int64_t count_batch(
    const Batch *batch, int64_t first, int64_t last, int64_t *sizes, Refused *refused) noexcept nogil

# Writes the rows of these segments one behind the other, never beyond `room` rows, and nothing behind the last;
# their moves to `moves` unless it is NULL; the sizes as `count_batch` does unless `sizes` is NULL. Returns the
# number of rows; TOO_MANY if there are more than `room`, or REFUSED: the buffers hold anything then. `scratch` has
# SCRATCH_WORDS.
cdef int64_t generate_batch(
    const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves, int64_t room, int64_t *sizes,
    uint64_t *scratch, Refused *refused) noexcept nogil
