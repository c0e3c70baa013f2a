"""Legal plays of positions and rolls, each resulting position once."""

from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.core.board cimport Board
from bgfast.core.generator.kernels cimport (
    INVALID_ROW, KERNEL_NAME, MAX_SUCCESSORS, MAX_SUCCESSORS_TWO_DICE, ROWS_BYTES, SCRATCH_WORDS, SLACK_ROWS,
    TOO_MANY, Batch, InvalidRow, Kernel, Rules, batch_die,
)
from bgfast.core.generator.levels cimport GeneratorRules

# Write each successor as a row of 26 bytes and, unless `moves` is NULL, its moves as 8 bytes (four (from, to)
# pairs, -1 if unused). With `flip` the rows are from the next player's side; moves are always the mover's. Both
# buffers need room for MAX_SUCCESSORS + SLACK_ROWS rows. Return the number of rows, 0 for a pass or a finished
# game. The board and the dice must be valid. `rules` is NULL for the `standard` rules. Re-entrant: the only state
# is the workspace of `rules`.
cdef int generate(
    const Rules *rules, const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip,
) noexcept nogil

# Return the number of rows that `generate` would write.
cdef int count(const Rules *rules, const Board *board, int die1, int die2) noexcept nogil

# Batches. A batch has `rules` (NULL for the `standard` rules), `boards` (rows of 26 numbers), and `dice`: a pair
# for each board, `dice_step` bytes apart (2, or 0 for one pair for all), or NULL for all 21 rolls of each board,
# in the order of bgfast.ROLLS. The successors of a board and roll are a segment. With `keep_passes` a pass has one
# row, the unchanged board (its moves are -1); a finished game has none.

# Each board and roll is copied once, then checked and used, so the caller's memory may change at any time. The
# first invalid board or roll is stored in `invalid`, and the result is INVALID_ROW. If `invalid` is NULL, nothing
# is checked.

# Write the number of rows of each segment of the boards `first` to `last` - 1 to `sizes`. Return 0 or INVALID_ROW.
cdef int64_t count_batch(
    const Batch *batch, int64_t first, int64_t last, int64_t *sizes, InvalidRow *invalid) noexcept nogil

# Write the rows of these segments one after another, at most `capacity` rows and nothing after the last one; write
# their moves unless `moves` is NULL, and sizes as in `count_batch` unless `sizes` is NULL. Return the number of
# rows, TOO_MANY if there are more than `capacity`, or INVALID_ROW; in these two cases the buffers are undefined.
# `scratch` has SCRATCH_WORDS words.
cdef int64_t generate_batch(
    const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves, int64_t capacity,
    int64_t *sizes, uint64_t *scratch, InvalidRow *invalid) noexcept nogil
