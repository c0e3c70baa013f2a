"""Inputs of neural networks for arrays of boards, without the GIL; bgfast.batch.encoders documents the indices.

The caller has validated boards, number of checkers and the shape of `out`. Boards are validated again as they are
read, since their memory may change at any time and their numbers index tables here.
"""

cimport cython
from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy, memset

from bgfast.batch._successors cimport BoardTask, read_board
from bgfast.core.board cimport (
    BAR, BOARD_SIZE, CHECKERS, Board, board_checkers, board_checkers_opponent,
)

ctypedef fused Number:
    float
    int8_t

cdef enum:
    POINTS = 24
    UNITS = 4          # inputs of one side on one point
    MIN_SHARE = 1024   # minimum number of boards for a thread: some 20 microseconds
    RANGE = 1024


cdef struct InputTable:
    # Indexed by a point's number + CHECKERS: four inputs of the mover, then four of the opponent. Encoding a
    # point takes two copies of 16 bytes and no branch.
    float point[2 * CHECKERS + 1][2 * UNITS]
    float off[CHECKERS + 1]


cdef void _fill_table(InputTable *table, int checkers) noexcept nogil:
    cdef int n, unit
    cdef float value
    memset(table, 0, sizeof(InputTable))
    for n in range(1, CHECKERS + 1):
        for unit in range(UNITS):
            value = n > unit
            if unit == 3 and n > 3:
                value = (n - 3) / <float> 2
            table.point[CHECKERS + n][unit] = value
            table.point[CHECKERS - n][UNITS + unit] = value
    for n in range(checkers + 1):
        table.off[n] = n / <float> checkers


cdef class Encoder(BoardTask):
    """Boards to encode, with a maximum number of checkers per side."""

    def __init__(self, boards, int checkers, int64_t threads):
        self.take(boards, checkers, MIN_SHARE, threads)


@cython.final
cdef class TdGammon(Encoder):
    """The 198 inputs of TD-Gammon; `sides` has one number for each board, or one for all."""

    cdef InputTable table
    cdef const int8_t[::1] sides
    cdef float[:, ::1] out

    def into(self, const int8_t[::1] sides not None, float[:, ::1] out not None):
        _fill_table(&self.table, self.checkers)
        self.sides = sides
        self.out = out
        self.share(RANGE)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board board
        cdef const float *inputs
        cdef float *row
        cdef int64_t i
        cdef int64_t side_step = 0 if self.sides.shape[0] == 1 else 1
        cdef int p
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            row = &self.out[i, 0]
            for p in range(POINTS):
                inputs = self.table.point[CHECKERS + board.point[1 + p]]
                memcpy(row + UNITS * p, inputs, UNITS * sizeof(float))
                memcpy(row + UNITS * (POINTS + p), inputs + UNITS, UNITS * sizeof(float))
            row += 2 * UNITS * POINTS
            row[0] = board.point[BAR] / <float> 2
            row[1] = -board.point[0] / <float> 2
            row[2] = self.table.off[self.checkers - board_checkers(&board)]
            row[3] = self.table.off[self.checkers - board_checkers_opponent(&board)]
            row[4] = self.sides[side_step * i] == 0
            row[5] = self.sides[side_step * i] == 1
        return True


@cython.final
cdef class OneHot(Encoder):
    """One-hot inputs: a single 1 among zeros for each of the 26 numbers of a board."""

    cdef float[:, ::1] floats   # the output is `floats` or `bytes`; the other is None
    cdef int8_t[:, ::1] bytes

    def into(self, out not None):
        """Write the inputs as float32 or int8."""
        self.floats, self.bytes = (out, None) if out.dtype == "float32" else (None, out)
        self.share(RANGE)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board board
        cdef int64_t i
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            if self.floats is not None:
                _write_onehot(&board, self.checkers, &self.floats[i, 0])
            else:
                _write_onehot(&board, self.checkers, &self.bytes[i, 0])
        return True


cdef inline void _write_onehot(const Board *board, int checkers, Number *row) noexcept nogil:
    cdef int width = 2 * checkers + 1
    cdef int j
    memset(row, 0, BOARD_SIZE * width * sizeof(Number))
    for j in range(BOARD_SIZE):
        row[width * j + checkers + board.point[j]] = 1
