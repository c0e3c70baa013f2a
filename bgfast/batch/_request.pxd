# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""What a call on many boards asks for, built once and shared by its threads."""

from libc.stdint cimport int8_t, int64_t

from bgfast.common._threads cimport Task
from bgfast.core.board.board cimport FAULT_NONE, Board, board_fault, board_read
from bgfast.core.generator.kernel cimport Batch, Refused
from bgfast.core.generator.rules cimport HeldRules


cdef class BoardTask(Task):
    """Work on boards that are checked as they are read; the first that cannot be is the error."""

    cdef const int8_t[:, ::1] boards
    cdef int checkers           # that a side has at most
    cdef readonly int threads   # as many slots
    cdef Refused *refused       # by the work on each slot; row -1 for none

    cdef int take(self, boards, int checkers, int64_t smallest, int64_t threads) except -1
    # Keeps what `work` was refused, which returns this then: not to go on.
    cdef bint refuse(self, int slot, int64_t row, const Board *board, int die1, int die2) noexcept nogil
    # Works on all boards in ranges of this length or less; returns whether all was done, or raises the error.
    cdef bint share(self, int64_t length) except -1
    # Raises the error for the first of what was refused, if anything was.
    cdef int check_refused(self) except -1
    cdef object fault(self, const Refused *refused)


cdef class Request(BoardTask):
    """The same with rolls and rules, for the generator."""

    cdef const int8_t[:, ::1] dice
    cdef Batch *batches           # for each slot, with rules of its own; they borrow the memory of the two arrays
    cdef list held                # those rules
    cdef readonly int64_t segments
    cdef readonly int64_t rolls   # segments of a board

    cdef int _describe(self, Batch *batch, HeldRules held, bint flip, bint keep_passes) except -1


# Copies board i; if it cannot be, keeps that and returns False.
cdef inline bint read_board(BoardTask task, int slot, int64_t i, Board *board) noexcept nogil:
    board_read(board, &task.boards[i, 0])
    return board_fault(board, task.checkers) == FAULT_NONE or task.refuse(slot, i, board, 0, 0)


# How many boards make up so many segments.
cdef int64_t boards_of(int64_t segments, dice) noexcept
