# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Request of a batch call: boards, dice and rules, built once and shared by its threads.

Boards are rows of 26 int8, mover's side. Their memory may change at any time, so the copies are validated.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t

from bgfast.common._threads cimport Task, range_length, run, worthwhile
from bgfast.core.board.board cimport BOARD_SIZE, CHECKERS, FAULT_NONE, Board, board_fault
from bgfast.core.generator.kernel cimport Batch, Refused
from bgfast.core.board.rolls cimport ROLL_COUNT
from bgfast.core.generator.rules cimport HeldRules

from bgfast.core.board.board import fault_text
from bgfast.errors import InvalidDiceError, InvalidPositionError


cdef class BoardTask(Task):
    def __dealloc__(self):
        PyMem_Free(self.refused)

    cdef int take(self, boards, int checkers, int64_t smallest, int64_t threads) except -1:
        self.boards = boards
        self.checkers = checkers
        self.threads = worthwhile(self.boards.shape[0], smallest, threads)
        self.refused = <Refused *> PyMem_Malloc(self.threads * sizeof(Refused))
        if self.refused == NULL:
            raise MemoryError
        for slot in range(self.threads):
            self.refused[slot].row = -1
        return 0

    cdef bint refuse(self, int slot, int64_t row, const Board *board, int die1, int die2) noexcept nogil:
        self.refused[slot].row = row
        self.refused[slot].board = board[0]
        self.refused[slot].dice = [<int8_t> die1, <int8_t> die2]
        return False

    cdef bint share(self, int64_t length) except -1:
        cdef int64_t number = self.boards.shape[0]
        cdef bint done = run(self, number, range_length(number, length, self.threads), self.threads)
        self.check_refused()
        return done

    cdef int check_refused(self) except -1:
        # Ranges are begun in order, and each stops at its first bad row: the first bad row of all is among these.
        cdef Refused *first = NULL
        for slot in range(self.threads):
            if self.refused[slot].row >= 0 and (first == NULL or self.refused[slot].row < first.row):
                first = &self.refused[slot]
        if first != NULL:
            raise self.fault(first)
        return 0

    cdef object fault(self, const Refused *refused):
        cdef Board board = refused.board
        text = fault_text(board_fault(&board, self.checkers), <int8_t[:BOARD_SIZE]> board.point, self.checkers)
        return InvalidPositionError(f"row {refused.row}: {text}")


cdef class Request(BoardTask):
    """Request for the generator.

    `switches` are the rules, as for `HeldRules`; `dice` is None (all rolls), a pair for all boards, or one for
    each. `smallest` is the minimum number of boards for a thread.
    """

    def __init__(self, switches, boards, dice, bint flip, bint keep_passes, int64_t smallest, int64_t threads):
        self.dice = dice
        self.rolls = ROLL_COUNT if dice is None else 1
        self.take(boards, CHECKERS, smallest, threads)
        self.segments = self.rolls * self.boards.shape[0]
        self.held = [HeldRules(switches) for _ in range(self.threads)]
        self.batches = <Batch *> PyMem_Malloc(self.threads * sizeof(Batch))
        if self.batches == NULL:
            raise MemoryError
        for slot in range(self.threads):
            self._describe(&self.batches[slot], self.held[slot], flip, keep_passes)

    def __dealloc__(self):
        PyMem_Free(self.batches)

    cdef int _describe(self, Batch *batch, HeldRules held, bint flip, bint keep_passes) except -1:
        cdef int64_t number = self.boards.shape[0]
        batch.rules = held.get()
        batch.boards = &self.boards[0, 0] if number else NULL
        batch.dice = NULL
        batch.dice_step = 0
        if self.dice is not None and self.dice.shape[0]:
            batch.dice = &self.dice[0, 0]
            batch.dice_step = 2 if self.dice.shape[0] == number else 0
        batch.flip = flip
        batch.keep_passes = keep_passes
        return 0

    cdef object fault(self, const Refused *refused):
        if board_fault(&refused.board, self.checkers) != FAULT_NONE:
            return BoardTask.fault(self, refused)
        first, second = refused.dice[0], refused.dice[1]
        return InvalidDiceError(
            f"row {refused.row}: dice {first} and {second}; expected whole numbers from 1 to 6")


cdef int64_t boards_of(int64_t segments, dice) noexcept:
    return segments // ROLL_COUNT if dice is None else segments


cdef class _Check(BoardTask):
    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Board board
        cdef int64_t i
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
        return True


def check_boards(boards not None, int checkers, int64_t threads):
    """Raise `InvalidPositionError` for the first board that is impossible with this number of checkers a side."""
    cdef _Check check = _Check()
    check.take(boards, checkers, 5_000, threads)   # two dozen microseconds
    check.share(1_000)
