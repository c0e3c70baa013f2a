# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The functions of the C interface: those of the core under names and types that stay. Nothing here for Python."""

from bgfast.core cimport board as core_board
from bgfast.core cimport generator as core_generator
from bgfast.core.board cimport Board
from bgfast.core.kernel cimport REFUSED, TOO_MANY, Batch, Refused
from bgfast.core.rolls cimport ROLL_COUNT

# Positions are handed on by a cast of their address, and callers size their buffers by the header.
assert sizeof(bgfast_position) == sizeof(Board)
assert sizeof(uint64_t) == BGFAST_MOVES_SIZE
assert core_board.BOARD_SIZE == BGFAST_BOARD_SIZE
assert core_board.BAR == BGFAST_BAR
assert core_board.CHECKERS == BGFAST_CHECKERS
assert core_generator.MAX_SUCCESSORS <= BGFAST_MAX_SUCCESSORS
assert core_generator.MAX_SUCCESSORS_TWO_DICE <= BGFAST_MAX_SUCCESSORS_TWO_DICE
assert core_generator.SLACK_ROWS <= BGFAST_SLACK_ROWS
assert core_generator.SCRATCH_BYTES <= BGFAST_SCRATCH_WORDS * sizeof(uint64_t)
assert ROLL_COUNT == BGFAST_ROLL_COUNT
assert TOO_MANY == BGFAST_NO_ROOM


cdef void read(bgfast_position *position, const int8_t *numbers) noexcept nogil:
    core_board.board_read(<Board *> position, numbers)


cdef bint is_valid(const bgfast_position *position, int checkers) noexcept nogil:
    cdef int i
    if not 1 <= checkers <= BGFAST_CHECKERS:
        return False
    for i in range(BGFAST_BOARD_SIZE, <int> sizeof(bgfast_position)):
        if position.point[i]:
            return False
    return core_board.board_fault(<const Board *> position, checkers) == core_board.FAULT_NONE


cdef int generate(
    const bgfast_position *position, int die1, int die2, int8_t *rows, uint64_t *moves, bint flip,
) noexcept nogil:
    return core_generator.generate(NULL, <const Board *> position, die1, die2, rows, moves, flip)


cdef int count(const bgfast_position *position, int die1, int die2) noexcept nogil:
    return core_generator.count(NULL, <const Board *> position, die1, die2)


cdef void flip(const bgfast_position *position, bgfast_position *out) noexcept nogil:
    core_board.board_flip(<const Board *> position, <Board *> out)


cdef int pip_count(const bgfast_position *position) noexcept nogil:
    return core_board.board_pips(<const Board *> position)


cdef int pip_count_opponent(const bgfast_position *position) noexcept nogil:
    return core_board.board_pips_opponent(<const Board *> position)


cdef bint is_over(const bgfast_position *position) noexcept nogil:
    return core_board.board_over(<const Board *> position)


cdef bint equal(const bgfast_position *a, const bgfast_position *b) noexcept nogil:
    return core_board.board_equal(<const Board *> a, <const Board *> b)


cdef uint64_t hash(const bgfast_position *position) noexcept nogil:
    return core_board.board_hash(<const Board *> position)


# ---- many positions ----

cdef enum:
    STEP = 64   # boards whose sizes are kept if nobody wants them
    KEPT = 1344

assert KEPT == STEP * ROLL_COUNT


cdef Batch _batch(const int8_t *boards, const int8_t *dice, bint flip) noexcept nogil:
    cdef Batch batch
    batch.rules = NULL
    batch.boards = boards
    batch.dice = dice
    batch.dice_step = 2
    batch.flip = flip
    batch.keep_passes = False
    return batch


cdef int64_t count_batch(const int8_t *boards, const int8_t *dice, int64_t number, int64_t *sizes) noexcept nogil:
    cdef Batch batch = _batch(boards, dice, False)
    cdef Refused refused
    cdef int64_t kept[KEPT]
    cdef int64_t *to
    cdef int64_t step, first, last, i, total = 0
    cdef int64_t rolls = BGFAST_ROLL_COUNT if dice == NULL else 1
    for step in range((number + STEP - 1) // STEP):
        first = step * STEP
        last = min(first + STEP, number)
        to = &kept[0] if sizes == NULL else sizes + first * rolls
        if core_generator.count_batch(&batch, first, last, to, &refused) == REFUSED:
            return -2 - refused.row
        for i in range((last - first) * rolls):
            total += to[i]
    return total


cdef int64_t generate_batch(
    const int8_t *boards, const int8_t *dice, int64_t number, bint flip, int8_t *rows, uint64_t *moves,
    int64_t room, int64_t *sizes, uint64_t *scratch,
) noexcept nogil:
    cdef Batch batch = _batch(boards, dice, flip)
    cdef Refused refused
    cdef int64_t n = core_generator.generate_batch(
        &batch, 0, number, rows, moves, room, sizes, <int8_t *> scratch, &refused)
    return -2 - refused.row if n == REFUSED else n
