# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Successors of many positions written in one go, by one thread or several: none has to be counted first.

One thread writes row behind row. Where several work, none knows where its rows begin before all rows in front of
them are generated: each writes those of a block of boards to memory of its own, small enough to stay in the
processor's cache, and waits at a gate for the block before it; blocks reserve their places in `rows` one after the
other, and are copied there side by side.
"""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pythread cimport (
    NOWAIT_LOCK, WAIT_LOCK, PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock,
    PyThread_release_lock, PyThread_type_lock,
)
from libc.math cimport sqrt
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.batch._request cimport Request, boards_of
from bgfast.common._threads cimport range_length, run
from bgfast.core.board.board cimport BOARD_SIZE
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, SCRATCH_WORDS, count_batch, generate_batch
from bgfast.core.generator.kernel cimport REFUSED, TOO_MANY, Batch
from bgfast.core.board.rolls cimport ROLL_COUNT

cdef extern from "new_pages.h" nogil:
    void bg_prepare_page(void *begin, void *end, void *limit)

cdef enum:
    SMALLEST_SHARE = 2048   # segments worth waking a thread: some 200 microseconds
    BLOCK_SEGMENTS = 512    # about 10,000 successors
    BLOCK_ROWS = 32768      # room for a block, or for all rolls of any one board: less than a megabyte
    LONG_BLOCK = 8192       # segments between two looks at signals, where one thread works
    SAMPLE = 512            # segments by which room is estimated
    MARGIN_ROWS = 256       # room behind the rows estimated, so that the last segments take no detour either
    TRIES = 2000            # to get through the gate, before a thread falls asleep

if BLOCK_ROWS < ROLL_COUNT * MAX_SUCCESSORS // 2:   # six of 21 rolls are doubles
    raise ImportError("no room for the rows of a board; expected a build of one and the same sources")


@cython.final
cdef class Fill(Request):
    """Successors and where their segments begin: calls of `into` with memory for them until all are there."""

    cdef int64_t *offsets
    cdef int8_t *rows
    cdef uint64_t *moves
    cdef int64_t room                 # for rows
    cdef bint fresh                   # nobody has touched it yet
    cdef readonly int64_t total       # rows that are there
    cdef int64_t done                 # boards whose rows are there
    cdef int64_t begin                # board that this call of `into` begins with
    cdef int64_t length               # boards of a block
    cdef bint stopped                 # no room, or a board that cannot be; looked at behind the gate only
    cdef PyThread_type_lock *gates    # block b waits at number b modulo `gate_count` for the block before it
    cdef int gate_count
    # Of each slot: scratch; for several threads a block's moves and rows, too, in this order, so that words of 8
    # bytes are aligned.
    cdef uint64_t **memory

    def __init__(self, switches, boards, dice, bint flip, bint keep_passes, bint moves, int64_t threads):
        cdef size_t row = BOARD_SIZE + (sizeof(uint64_t) if moves else 0)
        cdef size_t size
        Request.__init__(
            self, switches, boards, dice, flip, keep_passes, boards_of(SMALLEST_SHARE, dice), threads)
        size = SCRATCH_WORDS * sizeof(uint64_t) + (BLOCK_ROWS * row if self.threads > 1 else 0)
        self.memory = <uint64_t **> PyMem_Malloc(self.threads * sizeof(self.memory[0]))
        if self.memory == NULL:
            raise MemoryError
        for slot in range(self.threads):
            self.memory[slot] = NULL
        for slot in range(self.threads):
            self.memory[slot] = <uint64_t *> PyMem_Malloc(size)
            if self.memory[slot] == NULL:
                raise MemoryError

    def __dealloc__(self):
        if self.memory != NULL:
            for slot in range(self.threads):
                PyMem_Free(self.memory[slot])
            PyMem_Free(self.memory)
        self._free_gates()

    def room_needed(self):
        """Return for how many rows there has to be room, most probably: counted on a sample, with a margin."""
        cdef int64_t number = self.boards.shape[0]
        cdef int64_t taken = max(1, min(max(16, self.segments // 8), self.segments, SAMPLE) // self.rolls)
        cdef int64_t i, n, segment
        cdef int64_t sizes[ROLL_COUNT]
        cdef double rows, total = 0, squares = 0
        with nogil:
            for i in range(min(taken, number)):
                n = i * number // taken
                rows = 0
                if count_batch(&self.batches[0], n, n + 1, sizes, &self.refused[0]) != REFUSED:
                    for segment in range(self.rolls):
                        rows += sizes[segment]
                total += rows
                squares += rows * rows
        self.refused[0].row = -1   # a bad board is an error when its rows are written, in the order of boards
        total /= taken
        deviation = sqrt(max(0.0, squares / taken - total * total))
        # Three standard errors: it hardly ever falls short, and then there is a second call.
        return <int64_t> (number * (total + 3 * deviation / sqrt(<double> taken))) + MARGIN_ROWS

    def into(
        self, int64_t[::1] offsets not None, int8_t[:, ::1] rows not None, int8_t[:, :, ::1] moves, bint fresh,
    ):
        """Write to memory that holds what earlier calls have written; return whether all is there.

        Otherwise there is not enough room for the rows. `fresh` memory has not been touched by anybody else.
        """
        cdef int64_t number = self.boards.shape[0]
        cdef uint64_t nothing[4]
        self.offsets = &offsets[0]
        self.offsets[0] = 0
        self.room = rows.shape[0]
        self.fresh = fresh
        self.rows = &rows[0, 0] if self.room else <int8_t *> nothing
        self.moves = NULL
        if moves is not None:
            self.moves = <uint64_t *> &moves[0, 0, 0] if self.room else nothing
        self.stopped = False
        self.begin = self.done
        if self.threads > 1:
            self._make_gates()
        self.length = range_length(
            number - self.begin, boards_of(BLOCK_SEGMENTS if self.threads > 1 else LONG_BLOCK, self.dice),
            self.threads)
        run(self, number - self.begin, self.length, self.threads)
        self.check_refused()
        return self.done == number

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t n
        cdef uint64_t *memory = self.memory[slot]
        first += self.begin
        last += self.begin
        if self.threads > 1:
            return self._block(slot, first, last, memory + SCRATCH_WORDS, memory)
        n = generate_batch(
            &self.batches[slot], first, last, self._row(self.total), self._move(self.total),
            self.room - self.total, self._sizes(first), memory, &self.refused[slot])
        if n < 0:
            return False
        self._sum_up(first, last, self.total)
        self.total += n
        self.done = last
        return True

    cdef bint _block(self, int slot, int64_t first, int64_t last, uint64_t *own, uint64_t *scratch) noexcept nogil:
        cdef const Batch *batch = &self.batches[slot]
        cdef uint64_t *moves = NULL if self.moves == NULL else own
        cdef int8_t *rows = <int8_t *> (own if self.moves == NULL else own + BLOCK_ROWS)
        cdef int64_t block = (first - self.begin) // self.length
        cdef int64_t i, at
        cdef bint going
        cdef int64_t n = generate_batch(
            batch, first, last, rows, moves, BLOCK_ROWS, self._sizes(first), scratch, &self.refused[slot])
        self._wait_at_gate(block)
        if n >= 0:
            at = self.total
            going = self._reserve(n, last)
            self._open_next_gate(block)
            if going:
                if self.fresh:
                    bg_prepare_page(self._row(at), self._row(at + n), self._row(self.room))
                self._place(rows, moves, n, first, last, at)
            return going
        if n == TOO_MANY:
            # More rows than usual: board by board, each of which fits.
            for i in range(first, last):
                n = generate_batch(
                    batch, i, i + 1, rows, moves, BLOCK_ROWS, self._sizes(i), scratch, &self.refused[slot])
                at = self.total
                if n < 0 or not self._reserve(n, i + 1):
                    break
                self._place(rows, moves, n, i, i + 1, at)
        if n == REFUSED:
            if self.stopped:
                self.refused[slot].row = -1   # the call ends before this board
            self.stopped = True
        going = not self.stopped
        self._open_next_gate(block)
        return going

    # ---- places -------------------------------------------------------------------------------------------------

    cdef int8_t *_row(self, int64_t n) noexcept nogil:
        return self.rows + n * BOARD_SIZE

    cdef uint64_t *_move(self, int64_t n) noexcept nogil:
        return NULL if self.moves == NULL else self.moves + n

    cdef int64_t *_sizes(self, int64_t board) noexcept nogil:
        """Where those of its segments stand until they are summed up to offsets."""
        return self.offsets + board * self.rolls + 1

    cdef void _sum_up(self, int64_t first, int64_t last, int64_t begin) noexcept nogil:
        """Make offsets of the sizes of these boards, whose rows begin there."""
        cdef int64_t *end = self._sizes(first)
        for _ in range((last - first) * self.rolls):
            begin += end[0]
            end[0] = begin
            end += 1

    cdef bint _reserve(self, int64_t n, int64_t last) noexcept nogil:
        """Take so many rows for the boards up to `last`, if there is room; only behind the block's gate."""
        if self.stopped or n > self.room - self.total:
            self.stopped = True
            return False
        self.total += n
        self.done = last
        return True

    cdef void _place(
        self, const int8_t *rows, const uint64_t *moves, int64_t n, int64_t first, int64_t last, int64_t at,
    ) noexcept nogil:
        memcpy(self._row(at), rows, n * BOARD_SIZE)
        if moves != NULL:
            memcpy(self._move(at), moves, n * sizeof(uint64_t))
        self._sum_up(first, last, at)

    # ---- gates --------------------------------------------------------------------------------------------------

    cdef void _wait_at_gate(self, int64_t block) noexcept nogil:
        # Mostly the gate opens within microseconds, which is less than it takes to fall asleep and be woken.
        for _ in range(TRIES):
            if PyThread_acquire_lock(self.gates[block % self.gate_count], NOWAIT_LOCK):
                return
        PyThread_acquire_lock(self.gates[block % self.gate_count], WAIT_LOCK)

    cdef void _open_next_gate(self, int64_t block) noexcept nogil:
        PyThread_release_lock(self.gates[(block + 1) % self.gate_count])

    cdef int _make_gates(self) except -1:
        self._free_gates()
        # One more than threads: the lock of a block is not yet needed for another one while the block is at work.
        self.gate_count = self.threads + 1
        self.gates = <PyThread_type_lock *> PyMem_Malloc(self.gate_count * sizeof(PyThread_type_lock))
        if self.gates == NULL:
            raise MemoryError
        for i in range(self.gate_count):
            self.gates[i] = NULL
        for i in range(self.gate_count):
            self.gates[i] = PyThread_allocate_lock()
            if self.gates[i] == NULL:
                raise MemoryError
            if i:
                PyThread_acquire_lock(self.gates[i], WAIT_LOCK)
        return 0

    cdef void _free_gates(self) noexcept:
        if self.gates != NULL:
            for i in range(self.gate_count):
                if self.gates[i] != NULL:
                    PyThread_free_lock(self.gates[i])
            PyMem_Free(self.gates)
            self.gates = NULL
