# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Request of a batch call: boards, dice and rules, built once and shared by its threads.

Boards are rows of 26 int8, mover's side. Their memory may change at any time, so the copies are validated.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t

from bgfast.common._threads cimport Task, range_length, run, useful_threads
from bgfast.core.board.board cimport BOARD_SIZE, CHECKERS, FAULT_NONE, Board, board_fault
from bgfast.core.generator.generator cimport Batch, InvalidRow
from bgfast.core.board.rolls cimport ROLL_COUNT
from bgfast.core.generator.rules cimport GeneratorRules

from bgfast.core.board.board import fault_text
from bgfast.errors import InvalidDiceError, InvalidPositionError


cdef class BoardTask(Task):
    def __dealloc__(self):
        PyMem_Free(self.invalid)

    cdef int take(self, boards, int checkers, int64_t min_share, int64_t threads) except -1:
        self.boards = boards
        self.checkers = checkers
        self.threads = useful_threads(self.boards.shape[0], min_share, threads)
        self.invalid = <InvalidRow *> PyMem_Malloc(self.threads * sizeof(InvalidRow))
        if self.invalid == NULL:
            raise MemoryError
        for slot in range(self.threads):
            self.invalid[slot].row = -1
        return 0

    cdef bint mark_invalid(self, int slot, int64_t row, const Board *board, int die1, int die2) noexcept nogil:
        self.invalid[slot].row = row
        self.invalid[slot].board = board[0]
        self.invalid[slot].dice = [<int8_t> die1, <int8_t> die2]
        return False

    cdef bint share(self, int64_t length) except -1:
        cdef int64_t number = self.boards.shape[0]
        cdef bint done = run(self, number, range_length(number, length, self.threads), self.threads)
        self.raise_invalid()
        return done

    cdef int raise_invalid(self) except -1:
        # Ranges start in order, and each stops at its first invalid row, so the first of all is among these.
        cdef InvalidRow *first = NULL
        for slot in range(self.threads):
            if self.invalid[slot].row >= 0 and (first == NULL or self.invalid[slot].row < first.row):
                first = &self.invalid[slot]
        if first != NULL:
            raise self.row_error(first)
        return 0

    cdef object row_error(self, const InvalidRow *invalid):
        cdef Board board = invalid.board
        text = fault_text(board_fault(&board, self.checkers), <int8_t[:BOARD_SIZE]> board.point, self.checkers)
        return InvalidPositionError(f"row {invalid.row}: {text}")


cdef class Request(BoardTask):
    """Request for the generator.

    `switches` are those of `GeneratorRules`; `dice` is None (all rolls), a pair for all boards, or one for
    each. `min_share` is the minimum number of boards for a thread.
    """

    def __init__(self, switches, boards, dice, bint flip, bint keep_passes, int64_t min_share, int64_t threads):
        self.dice = dice
        self.rolls = ROLL_COUNT if dice is None else 1
        self.take(boards, CHECKERS, min_share, threads)
        self.segments = self.rolls * self.boards.shape[0]
        self.rules = [GeneratorRules(switches) for _ in range(self.threads)]
        self.batches = <Batch *> PyMem_Malloc(self.threads * sizeof(Batch))
        if self.batches == NULL:
            raise MemoryError
        for slot in range(self.threads):
            self._describe(&self.batches[slot], self.rules[slot], flip, keep_passes)

    def __dealloc__(self):
        PyMem_Free(self.batches)

    cdef int _describe(self, Batch *batch, GeneratorRules rules, bint flip, bint keep_passes) except -1:
        cdef int64_t number = self.boards.shape[0]
        batch.rules = rules.get()
        batch.boards = &self.boards[0, 0] if number else NULL
        batch.dice = NULL
        batch.dice_step = 0
        if self.dice is not None and self.dice.shape[0]:
            batch.dice = &self.dice[0, 0]
            batch.dice_step = 2 if self.dice.shape[0] == number else 0
        batch.flip = flip
        batch.keep_passes = keep_passes
        return 0

    cdef object row_error(self, const InvalidRow *invalid):
        if board_fault(&invalid.board, self.checkers) != FAULT_NONE:
            return BoardTask.row_error(self, invalid)
        first, second = invalid.dice[0], invalid.dice[1]
        return InvalidDiceError(
            f"row {invalid.row}: dice {first} and {second}; expected whole numbers from 1 to 6")


cdef int64_t boards_for_segments(int64_t segments, dice) noexcept:
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
