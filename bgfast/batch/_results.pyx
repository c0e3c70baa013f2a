# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Results of arrays of boards, in points."""

from libc.stdint cimport int8_t, int64_t

from bgfast.core.board.board cimport Board, board_read
from bgfast.core.board.result cimport WinScheme, board_result


def write_results(const int8_t[:, ::1] boards, WinScheme scheme, int checkers, int8_t[::1] out):
    """Write +1..3 where the mover has won, -1..-3 where the mover has lost, 0 for unfinished games."""
    cdef Board board
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])
            out[i] = board_result(&board, scheme, checkers)
