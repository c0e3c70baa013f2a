# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Loops over many positions, without the GIL: arrays in, arrays out, all of them checked by the caller.

Boards are rows of 26 int8, mover's side. `first` and `last` choose boards, so that threads can share a call.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint64_t

from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Board, Fault, board_fault, board_pips, board_pips_opponent, board_read,
)
from bgfast.core.generator cimport SCRATCH_BYTES, count_batch, generate_batch
from bgfast.core.kernel cimport REFUSED, Batch, Refused
from bgfast.core.rolls cimport ROLL_COUNT
from bgfast.core.rules cimport HeldRules, Rules

from bgfast.core.board import fault_text
from bgfast.errors import InvalidDiceError, InvalidPositionError


@cython.final
cdef class Request:
    """The arguments of a call, checked by the caller.

    `switches` are the rules, as for `HeldRules`; `dice` is None for all rolls, one pair for all boards, or a pair
    for each. Threads may share it.
    """

    def __cinit__(
        self, switches, const int8_t[:, ::1] boards, const int8_t[:, ::1] dice, bint flip, bint keep_passes,
    ):
        self.switches = switches
        self.boards = boards
        self.dice = dice
        self.rolls = ROLL_COUNT if dice is None else 1
        self.segments = self.rolls * boards.shape[0]
        self.batch.rules = NULL
        self.batch.boards = &boards[0, 0] if boards.shape[0] else NULL
        self.batch.dice = NULL
        self.batch.dice_step = 0
        if dice is not None and dice.shape[0]:
            self.batch.dice = &dice[0, 0]
            self.batch.dice_step = 2 if dice.shape[0] == boards.shape[0] else 0
        self.batch.flip = flip
        self.batch.keep_passes = keep_passes

    @property
    def number(self):
        """How many boards there are."""
        return self.boards.shape[0]

    cdef Batch under(self, const Rules *rules) noexcept:
        """The same for a thread that holds these rules."""
        cdef Batch batch = self.batch
        batch.rules = rules
        return batch


cdef object fault_error(int64_t row, const Board *board, int checkers):
    cdef Board faulty = board[0]
    cdef Fault fault = board_fault(&faulty, checkers)
    text = fault_text(fault, <int8_t[:BOARD_SIZE]> faulty.point, checkers)
    return InvalidPositionError(f"row {row}: {text}")


cdef object refusal_error(const Refused *refused):
    if board_fault(&refused.board, CHECKERS) != FAULT_NONE:
        return fault_error(refused.row, &refused.board, CHECKERS)
    first, second = refused.dice[0], refused.dice[1]
    return InvalidDiceError(f"row {refused.row}: dice {first} and {second}; expected whole numbers from 1 to 6")


def first_fault(const int8_t[:, ::1] boards, int checkers):
    """Return (row, fault) of the first impossible board, or None."""
    cdef Board board
    cdef Fault fault = FAULT_NONE
    cdef int64_t i, row = -1
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])
            fault = board_fault(&board, checkers)
            if fault != FAULT_NONE:
                row = i
                break
    return None if row < 0 else (row, fault)


def count_segments(Request request not None, int64_t first, int64_t last, int64_t[::1] sizes):
    """Write the number of successors of each segment of these boards."""
    cdef HeldRules held = HeldRules(request.switches)
    cdef Batch batch = request.under(held.get())
    cdef Refused refused
    cdef int64_t n
    if first == last:
        return
    with nogil:
        n = count_batch(&batch, first, last, &sizes[0], &refused)
    if n == REFUSED:
        raise refusal_error(&refused)


def fill_segments(
    Request request not None, int64_t first, int64_t last, int8_t[:, ::1] rows, int8_t[:, :, ::1] moves,
    int64_t[::1] sizes,
):
    """Write the successors of these boards to `rows`; return how many there are, -1 if more than fit.

    `moves` and `sizes` may be None. Boards and dice are checked as they are read.
    """
    cdef HeldRules held = HeldRules(request.switches)
    cdef Batch batch = request.under(held.get())
    cdef int8_t nothing[32]
    cdef int8_t *to_rows = &rows[0, 0] if rows.shape[0] else nothing
    cdef uint64_t *to_moves = NULL
    cdef int64_t *to_sizes = NULL
    cdef int64_t room = rows.shape[0]
    cdef int64_t n
    cdef int8_t *scratch
    cdef Refused refused
    if first == last:
        return 0
    if moves is not None:
        to_moves = <uint64_t *> (&moves[0, 0, 0] if moves.shape[0] else nothing)
    if sizes is not None:
        to_sizes = &sizes[0]
    scratch = <int8_t *> PyMem_Malloc(SCRATCH_BYTES)
    if scratch == NULL:
        raise MemoryError
    with nogil:
        n = generate_batch(&batch, first, last, to_rows, to_moves, room, to_sizes, scratch, &refused)
    PyMem_Free(scratch)
    if n == REFUSED:
        raise refusal_error(&refused)
    return n


def flip_boards(const int8_t[:, ::1] boards, int8_t[:, ::1] out):
    """Write the boards as the other side sees them."""
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
