"""Interface of the builds of the generator: the functions of batches.pxi, in a capsule."""

from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t

from bgfast.core.board.board cimport Board
from bgfast.core.generator.rules cimport Rules

cdef extern from *:
    """
    #define BGFAST_KERNEL_NAME "bgfast.core.generator.kernel"
    """
    const char *KERNEL_NAME "BGFAST_KERNEL_NAME"

# generator.pxd documents the fields and functions.
cdef struct Batch:
    const Rules *rules
    const int8_t *boards
    const int8_t *dice
    int dice_step
    bint flip
    bint keep_passes

# Die 0 or 1 of a board. Volatile: the caller's memory may change at any time, and the die that is checked must be
# the die that is used.
cdef inline int batch_die(const Batch *batch, int64_t i, int index) noexcept nogil:
    return (<const volatile int8_t *> batch.dice)[i * batch.dice_step + index]

# An invalid board or roll of a batch, as it was read: the caller's memory may have changed since.
cdef struct InvalidRow:
    int64_t row
    Board board
    int8_t dice[2]

cdef enum:
    TOO_MANY = -1   # more rows than the buffer holds
    INVALID_ROW = -2    # an invalid board or roll

cdef struct Kernel:
    int (*generate)(
        const Rules *rules, const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves,
        bint flip) noexcept nogil
    int (*count)(const Rules *rules, const Board *board, int die1, int die2) noexcept nogil
    uint32_t (*movable)(const Board *board, int die) noexcept nogil
    int64_t (*count_batch)(
        const Batch *batch, int64_t first, int64_t last, int64_t *sizes, InvalidRow *invalid) noexcept nogil
    int64_t (*generate_batch)(
        const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves, int64_t capacity,
        int64_t *sizes, uint64_t *scratch, InvalidRow *invalid) noexcept nogil
