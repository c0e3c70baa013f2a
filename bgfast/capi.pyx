# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The functions of the C interface: those of the core under names and types that stay. Nothing here for Python."""

from bgfast.core cimport board as core_board
from bgfast.core cimport generator as core_generator
from bgfast.core.board cimport Board

# Positions are handed on by a cast of their address, and callers size their buffers by the header.
assert sizeof(bgfast_position) == sizeof(Board)
assert sizeof(uint64_t) == BGFAST_MOVES_SIZE
assert core_board.BOARD_SIZE == BGFAST_BOARD_SIZE
assert core_board.BAR == BGFAST_BAR
assert core_board.CHECKERS == BGFAST_CHECKERS
assert core_generator.MAX_SUCCESSORS <= BGFAST_MAX_SUCCESSORS
assert core_generator.MAX_SUCCESSORS_TWO_DICE <= BGFAST_MAX_SUCCESSORS_TWO_DICE
assert core_generator.SLACK_ROWS <= BGFAST_SLACK_ROWS


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
