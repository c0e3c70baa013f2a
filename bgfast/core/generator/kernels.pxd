"""Declarations that the kernels of the generator share with their callers: rules, batches, buffer sizes."""

from libc.stdint cimport int8_t, int64_t, uint16_t, uint64_t

from bgfast.core.board cimport Board

cdef enum BearoffDie:
    BEAROFF_STANDARD = 0
    BEAROFF_EXACT = 1
    BEAROFF_REARMOST = 2

cdef enum:
    # Maximum number of positions reachable with 0, 1, ... dice. After doubles, the number of moves of each of 15
    # checkers determines the position: 1 + 15 + 120 + 680 + 3060. With forfeits, checkers leave at most 9 points
    # (see levels.pyx), hence fewer positions. Two different dice: 1 + 2 * 16 + 240. One more node holds a position
    # until it is looked up.
    MAX_NODES = 3877
    # Size of the hash table of positions: a power of two above twice the number of positions of a level.
    TABLE_SIZE = 8192


# A position in the middle of a turn.
cdef struct Node:
    int8_t point[32]   # mover's side
    uint64_t key       # equal for equal positions
    uint64_t played    # the moves so far, a forfeit as (d, d)
    uint16_t index     # index in the table of the workspace
    int8_t used        # number of dice used, including forfeits
    int8_t forfeits    # minimum number of forfeits over all paths


cdef struct Workspace:
    Node nodes[MAX_NODES]
    uint16_t table[TABLE_SIZE]          # node index + 1, or 0 if free; all entries are free between calls


# A NULL `const Rules *` stands for `standard`.
cdef struct Rules:
    BearoffDie bearoff_die
    bint bearoff_compulsory
    bint forfeit
    int stack_max           # 1..14, or 0 if there is no limit
    Workspace *workspace    # for one thread at a time


cdef enum:
    # Doubles: at most C(18, 4) multisets of four sources. Two different dice: at most 15 * 14 pairs and 2 * 15
    # runs. The largest known numbers are 2226 and 224. The proof for other rules is in levels.pyx.
    MAX_SUCCESSORS = 3060
    MAX_SUCCESSORS_TWO_DICE = 240
    # Buffers need room for this many rows after the last successor, as rows are stored in batches.
    SLACK_ROWS = 8
    # Buffer sizes for a roll: rows, in bytes; moves and rows, in words of 8 bytes (3068 + 3068 * 26 / 8).
    ROWS_BYTES = (3060 + 8) * 26
    SCRATCH_WORDS = 3068 + 9971


cdef extern from *:
    """
    #define BGFAST_KERNEL_NAME "bgfast.core.generator.kernel"
    """
    const char *KERNEL_NAME "BGFAST_KERNEL_NAME"

# generator.pxd describes the fields of `Batch` and the functions of `Kernel`.
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
    TOO_MANY = -1      # more rows than the buffer holds
    INVALID_ROW = -2   # an invalid board or roll

cdef struct Kernel:
    int (*generate)(
        const Rules *rules, const Board *board, int die1, int die2, int8_t *rows, uint64_t *moves,
        bint flip) noexcept nogil
    int (*count)(const Rules *rules, const Board *board, int die1, int die2) noexcept nogil
    int64_t (*count_batch)(
        const Batch *batch, int64_t first, int64_t last, int64_t *sizes, InvalidRow *invalid) noexcept nogil
    int64_t (*generate_batch)(
        const Batch *batch, int64_t first, int64_t last, int8_t *rows, uint64_t *moves, int64_t capacity,
        int64_t *sizes, uint64_t *scratch, InvalidRow *invalid) noexcept nogil
