# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Random plays of arrays of boards, without the GIL. Every board has its own random stream."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.batch._request cimport Request
from bgfast.core.board.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Board, board_fault, board_flip, board_read,
)
from bgfast.core.generator.generator cimport ROWS_BYTES, generate
from bgfast.core.generator.kernel cimport Batch, batch_die
from bgfast.core.board.random_stream cimport RANDOM_SUCCESSORS, stream_below, stream_die, stream_of

cdef enum:
    MIN_SHARE = 128    # minimum number of boards for a thread
    RANGE = 256


@cython.final
cdef class RandomChoice(Request):
    """Random successors of boards, or the board itself where there is none.

    `dice` has one pair for all boards or a pair for each; with None every board gets a random roll.
    """

    cdef uint64_t seed
    cdef bint flip
    cdef int8_t[:, ::1] out
    cdef int8_t *dice_out   # output of the dice, or NULL
    cdef int8_t *rows       # memory of the slots, concatenated

    def __init__(self, switches, boards, dice, uint64_t seed, bint flip, int64_t threads):
        Request.__init__(self, switches, boards, dice, flip, False, MIN_SHARE, threads)
        self.seed = seed
        self.flip = flip
        self.rows = <int8_t *> PyMem_Malloc(self.threads * ROWS_BYTES)
        if self.rows == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.rows)

    def into(self, int8_t[:, ::1] out not None, int8_t[:, ::1] dice_out):
        """Write the successors, and the dice if `dice_out` is not None; `out` may be `boards`."""
        self.out = out
        self.dice_out = NULL
        if dice_out is not None and dice_out.shape[0]:
            self.dice_out = &dice_out[0, 0]
        self.share(RANGE)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef const Batch *batch = &self.batches[slot]
        cdef int8_t *rows = self.rows + slot * ROWS_BYTES
        cdef const int8_t *chosen
        cdef Board board, flipped
        cdef uint64_t state
        cdef int64_t i
        cdef int die1, die2, n
        for i in range(first, last):
            # Read once and validate the copy: the caller's memory may change at any time.
            board_read(&board, &self.boards[i, 0])
            state = stream_of(self.seed, RANDOM_SUCCESSORS, i)
            # Always drawn, so that the choice does not depend on whether the roll was given.
            die1 = stream_die(&state)
            die2 = stream_die(&state)
            if batch.dice != NULL:
                die1 = batch_die(batch, i, 0)
                die2 = batch_die(batch, i, 1)
            if not (board_fault(&board, CHECKERS) == FAULT_NONE and 1 <= die1 <= 6 and 1 <= die2 <= 6):
                return self.mark_invalid(slot, i, &board, die1, die2)
            if self.dice_out != NULL:
                self.dice_out[2 * i] = die1
                self.dice_out[2 * i + 1] = die2
            n = generate(batch.rules, &board, die1, die2, rows, NULL, self.flip)
            if n:
                chosen = rows + stream_below(&state, n) * BOARD_SIZE
            elif self.flip:
                board_flip(&board, &flipped)
                chosen = flipped.point
            else:
                chosen = board.point
            memcpy(&self.out[i, 0], chosen, BOARD_SIZE)
        return True
