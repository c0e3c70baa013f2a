# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Inputs of neural networks for many positions, without the GIL; bgfast.batch.encoders documents each index.

The caller has checked everything: boards are possible with so many checkers a side, `out` has a row of the right
length for each. Since their memory may change at any time and their numbers are places in tables here, boards are
checked once more as they are read. `first` and `last` choose boards, so that threads can share a call.
"""

from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy, memset

from bgfast.batch._successors cimport fault_error
from bgfast.core.board cimport (
    BAR, BOARD_SIZE, CHECKERS, FAULT_NONE, Board, board_checkers, board_checkers_opponent, board_fault, board_read,
)

ctypedef fused Number:
    float
    int8_t

cdef enum:
    POINTS = 24
    UNITS = 4   # inputs of one side on one point


cdef struct Table:
    # By the number of a point + CHECKERS: the four inputs of the mover and the four of the opponent, so that a
    # point is two copies of 16 bytes and no branch.
    float point[2 * CHECKERS + 1][2 * UNITS]
    float off[CHECKERS + 1]


cdef void _fill_table(Table *table, int checkers) noexcept nogil:
    cdef int n, unit
    cdef float value
    memset(table, 0, sizeof(Table))
    for n in range(1, CHECKERS + 1):
        for unit in range(UNITS):
            value = n > unit
            if unit == 3 and n > 3:
                value = (n - 3) / <float> 2
            table.point[CHECKERS + n][unit] = value
            table.point[CHECKERS - n][UNITS + unit] = value
    for n in range(checkers + 1):
        table.off[n] = n / <float> checkers


def fill_tdgammon(
    const int8_t[:, ::1] boards, const int8_t[::1] sides, int checkers, int64_t first, int64_t last,
    float[:, ::1] out,
):
    """Write the 198 inputs of TD-Gammon; `sides` has one number for each board, or one for all."""
    cdef Table table
    cdef Board board
    cdef const float *inputs
    cdef float *to
    cdef int64_t i
    cdef int64_t side_step = 0 if sides.shape[0] == 1 else 1
    cdef int64_t bad = -1
    cdef int p
    with nogil:
        _fill_table(&table, checkers)
        for i in range(first, last):
            board_read(&board, &boards[i, 0])
            if board_fault(&board, checkers) != FAULT_NONE:
                bad = i
                break
            to = &out[i, 0]
            for p in range(POINTS):
                inputs = table.point[CHECKERS + board.point[1 + p]]
                memcpy(to + UNITS * p, inputs, UNITS * sizeof(float))
                memcpy(to + UNITS * (POINTS + p), inputs + UNITS, UNITS * sizeof(float))
            to += 2 * UNITS * POINTS
            to[0] = board.point[BAR] / <float> 2
            to[1] = -board.point[0] / <float> 2
            to[2] = table.off[checkers - board_checkers(&board)]
            to[3] = table.off[checkers - board_checkers_opponent(&board)]
            to[4] = sides[side_step * i] == 0
            to[5] = sides[side_step * i] == 1
    if bad >= 0:
        raise fault_error(bad, &board, checkers)


def fill_onehot(
    const int8_t[:, ::1] boards, int checkers, int64_t first, int64_t last, Number[:, ::1] out,
):
    """Write one 1 for each of the 26 numbers of a board, among zeros."""
    cdef Number *to
    cdef Board board
    cdef int64_t i, bad = -1
    cdef int j, width = 2 * checkers + 1
    with nogil:
        for i in range(first, last):
            board_read(&board, &boards[i, 0])
            if board_fault(&board, checkers) != FAULT_NONE:
                bad = i
                break
            to = &out[i, 0]
            memset(to, 0, BOARD_SIZE * width * sizeof(Number))
            for j in range(BOARD_SIZE):
                to[width * j + checkers + board.point[j]] = 1
    if bad >= 0:
        raise fault_error(bad, &board, checkers)
