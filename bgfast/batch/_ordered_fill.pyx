# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Successors of many positions written by several threads at once, in one go: none has to be counted first.

A thread does not know where its rows begin before all rows in front of them are generated. So it writes those of a
block of boards to memory of its own, small enough to stay in the processor's cache, and waits for its turn: blocks
reserve their places in `rows` one after the other, and are copied there side by side.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pythread cimport (
    WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock,
)
from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy

from bgfast.batch._successors cimport Request, refusal_error
from bgfast.core.board cimport BOARD_SIZE
from bgfast.core.generator cimport MAX_SUCCESSORS, SCRATCH_BYTES, generate_batch
from bgfast.core.kernel cimport REFUSED, TOO_MANY, Batch, Refused
from bgfast.core.rolls cimport ROLL_COUNT
from bgfast.core.rules cimport HeldRules

cdef enum:
    BLOCK_SEGMENTS = 512    # about 10,000 successors
    BLOCK_ROWS = 32768      # room for a block, or for all rolls of any one board: less than a megabyte

assert BLOCK_ROWS >= ROLL_COUNT * MAX_SUCCESSORS // 2   # six of 21 rolls are doubles


@cython.final
cdef class Turns:
    """The state that the threads of one call share: which block is next, and where its rows begin."""

    cdef PyThread_type_lock *locks    # that of block b, at place b modulo their number, opens when b has its turn
    cdef PyThread_type_lock taking
    cdef int64_t taken                # blocks
    cdef int64_t rows                 # reserved so far, more than there is room for if it is too small
    cdef int number
    cdef bint stopped                 # by a board that cannot be; only for the block that has its turn
    cdef Refused refused

    def __cinit__(self, int threads):
        # One more than threads: the lock of a block is not yet needed for another one while the block is at work.
        self.number = threads + 1
        self.taking = PyThread_allocate_lock()
        self.locks = <PyThread_type_lock *> PyMem_Malloc(self.number * sizeof(PyThread_type_lock))
        if self.locks == NULL or self.taking == NULL:
            raise MemoryError
        for i in range(self.number):
            self.locks[i] = NULL
        for i in range(self.number):
            self.locks[i] = PyThread_allocate_lock()
            if self.locks[i] == NULL:
                raise MemoryError
            if i:
                PyThread_acquire_lock(self.locks[i], WAIT_LOCK)

    def __dealloc__(self):
        if self.locks != NULL:
            for i in range(self.number):
                if self.locks[i] != NULL:
                    PyThread_free_lock(self.locks[i])
            PyMem_Free(self.locks)
        if self.taking != NULL:
            PyThread_free_lock(self.taking)

    cdef int64_t take(self) noexcept nogil:
        """The next block that nobody has begun."""
        cdef int64_t block
        PyThread_acquire_lock(self.taking, WAIT_LOCK)
        block = self.taken
        self.taken += 1
        PyThread_release_lock(self.taking)
        return block

    cdef void wait(self, int64_t block) noexcept nogil:
        PyThread_acquire_lock(self.locks[block % self.number], WAIT_LOCK)

    cdef int64_t reserve(self, int64_t rows) noexcept nogil:
        """Where so many rows go; only for the block that has its turn."""
        cdef int64_t at = self.rows
        self.rows += rows
        return at

    cdef void end(self, int64_t block) noexcept nogil:
        """The turn of the block after this one."""
        PyThread_release_lock(self.locks[(block + 1) % self.number])

    cdef void stop(self, const Refused *refused) noexcept nogil:
        """Keep the first refusal, which is that of the first row: blocks have their turns in order."""
        if not self.stopped:
            self.stopped = True
            self.refused = refused[0]

    def total(self):
        """Return how many rows there are, or would be with more room, when all threads are done.

        Raises
        ------
        InvalidPositionError, InvalidDiceError
            If a board or a roll could not be.
        """
        if self.stopped:
            raise refusal_error(&self.refused)
        return self.rows


cdef inline void _copy(int8_t *rows, int64_t room, int64_t at, const int8_t *block, int64_t n) noexcept nogil:
    if at + n <= room:
        memcpy(rows + at * BOARD_SIZE, block, n * BOARD_SIZE)


cdef void _work(
    Turns turns, const Batch *batch, int64_t boards, int64_t rolls, int8_t *rows, int64_t room, int64_t *sizes,
    int8_t *block_rows, int8_t *scratch,
) noexcept nogil:
    cdef int64_t length = BLOCK_SEGMENTS // rolls
    cdef int64_t block, first, last, i, n, at
    cdef Refused refused
    while True:
        block = turns.take()
        first = block * length
        if first >= boards:
            return
        last = min(first + length, boards)
        n = generate_batch(
            batch, first, last, block_rows, NULL, BLOCK_ROWS, sizes + first * rolls, scratch, &refused)
        turns.wait(block)
        if n >= 0 and turns.stopped == 0:
            at = turns.reserve(n)
            turns.end(block)
            _copy(rows, room, at, block_rows, n)
        else:
            if n == TOO_MANY and turns.stopped == 0:
                # More rows than usual: board by board, each of which fits.
                for i in range(first, last):
                    n = generate_batch(
                        batch, i, i + 1, block_rows, NULL, BLOCK_ROWS, sizes + i * rolls, scratch, &refused)
                    if n == REFUSED:
                        break
                    _copy(rows, room, turns.reserve(n), block_rows, n)
            if n == REFUSED:
                turns.stop(&refused)
            turns.end(block)


def fill_in_turn(
    Turns turns not None, Request request not None, int8_t[:, ::1] rows, int64_t[::1] sizes,
):
    """Write the successors that are asked for to `rows`, and the size of each segment, until no block is left.

    To be called by each of the threads for which `turns` was made, with the same arguments; then `turns.total`
    says how many rows there are. If they are more than `rows` has room for, nothing is written behind it.
    """
    cdef HeldRules held = HeldRules(request.switches)
    cdef Batch batch = request.under(held.get())
    cdef int64_t number = request.boards.shape[0]
    cdef int64_t room = rows.shape[0]
    cdef int8_t *block_rows = <int8_t *> PyMem_Malloc(BLOCK_ROWS * BOARD_SIZE + SCRATCH_BYTES)
    if block_rows == NULL:
        raise MemoryError
    if number:
        with nogil:
            _work(turns, &batch, number, request.rolls, &rows[0, 0] if room else block_rows, room, &sizes[0],
                  block_rows, block_rows + BLOCK_ROWS * BOARD_SIZE)
    PyMem_Free(block_rows)
