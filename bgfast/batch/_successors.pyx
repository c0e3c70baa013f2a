# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Loops over arrays of boards, without the GIL; the caller has validated all arrays.

Boards are rows of 26 int8, from the mover's side.
"""

cimport cython
from libc.stdint cimport int8_t, int64_t

from bgfast.batch._request cimport Request, boards_for_segments
from bgfast.core.board.board cimport Board, board_pips, board_pips_opponent, board_read
from bgfast.core.board.result cimport WinScheme, board_result
from bgfast.core.generator.generator cimport INVALID_ROW, count_batch

cdef enum:
    MIN_SHARE = 2048   # minimum number of segments for a thread: some 80 microseconds
    RANGE = 1024


@cython.final
cdef class Count(Request):
    """Numbers of successors."""

    cdef int64_t *sizes

    def __init__(self, switches, boards, dice, bint keep_passes, int64_t threads):
        Request.__init__(
            self, switches, boards, dice, False, keep_passes, boards_for_segments(MIN_SHARE, dice), threads)

    def into(self, int64_t[::1] sizes not None):
        """Write the number of successors of every segment."""
        if self.segments:
            self.sizes = &sizes[0]
            self.share(boards_for_segments(RANGE, self.dice))

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        return count_batch(
            &self.batches[slot], first, last, self.sizes + first * self.rolls, &self.invalid[slot]) != INVALID_ROW


def flip_boards(const int8_t[:, ::1] boards, int8_t[:, ::1] out):
    """Write the boards from the other side."""
    cdef int64_t i
    cdef int j
    with nogil:
        for i in range(boards.shape[0]):
            for j in range(26):
                out[i, j] = -boards[i, 25 - j]


def pip_counts(const int8_t[:, ::1] boards, int[:, ::1] out):
    """Write the pip counts of mover and opponent."""
    cdef Board board
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])
            out[i, 0] = board_pips(&board)
            out[i, 1] = board_pips_opponent(&board)


def write_results(const int8_t[:, ::1] boards, WinScheme scheme, int checkers, int8_t[::1] out):
    """Write +1..3 where the mover has won, -1..-3 where the mover has lost, 0 for unfinished games."""
    cdef Board board
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])
            out[i] = board_result(&board, scheme, checkers)
