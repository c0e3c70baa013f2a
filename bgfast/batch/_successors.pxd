"""Requests of batch calls: boards, dice and rules, built once and shared by threads."""

from libc.stdint cimport int8_t, int64_t

from bgfast.common._threads cimport Task
from bgfast.core.board cimport BOARD_SIZE, CHECKERS, FAULT_NONE, Board, board_fault, board_read
from bgfast.core.generator.generator cimport Batch, InvalidRow, batch_die


cdef class BoardTask(Task):
    """Task on boards that are validated as they are read; the first invalid one raises an error."""

    cdef const int8_t[:, ::1] boards
    cdef int checkers           # maximum per side
    cdef readonly int threads   # number of slots
    cdef InvalidRow *invalid    # first invalid row of each slot; row -1 for none

    cdef int take(self, boards, int checkers, int64_t min_share, int64_t threads) except -1
    # Record an invalid row; return False, the result of `work`.
    cdef bint mark_invalid(self, int slot, int64_t row, const Board *board, int die1, int die2) noexcept nogil
    # Work on all boards in ranges of at most `length`; return whether all are done, or raise the error.
    cdef bint share(self, int64_t length) except -1
    # Raise the error of the first invalid row, if any.
    cdef int raise_invalid(self) except -1
    cdef object row_error(self, const InvalidRow *invalid)


cdef class Request(BoardTask):
    """Boards with rolls and rules, for the generator."""

    cdef const int8_t[:, ::1] dice
    cdef Batch *batches           # one for each slot, with separate rules; they borrow boards and dice
    cdef list rules               # keeps the rules alive
    cdef readonly int64_t segments
    cdef readonly int64_t rolls   # segments per board


# Copy board i; if it is invalid, record it and return False.
cdef inline bint read_board(BoardTask task, int slot, int64_t i, Board *board) noexcept nogil:
    board_read(board, &task.boards[i, 0])
    return board_fault(board, task.checkers) == FAULT_NONE or task.mark_invalid(slot, i, board, 0, 0)


# Copy board i to `board` and its roll, if any, to `dice`; if one is invalid, record both and return False.
cdef inline bint read_turn(
    Request request, int slot, const Batch *batch, int64_t i, Board *board, int *dice,
) noexcept nogil:
    board_read(board, batch.boards + i * BOARD_SIZE)
    if batch.dice != NULL:
        dice[0] = batch_die(batch, i, 0)
        dice[1] = batch_die(batch, i, 1)
    if board_fault(board, CHECKERS) == FAULT_NONE and 1 <= dice[0] <= 6 and 1 <= dice[1] <= 6:
        return True
    return request.mark_invalid(slot, i, board, dice[0], dice[1])


# Return the number of boards that have `segments` segments in total.
cdef int64_t boards_for_segments(int64_t segments, dice) noexcept
