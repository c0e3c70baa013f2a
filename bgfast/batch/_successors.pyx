"""Successors of arrays of boards, without the GIL, and the requests of all batch calls.

A request holds boards, dice and rules; it is built once and shared by its threads. Boards are rows of 26
int8 from the mover's side. Their memory may change during a call, so each board is copied, and the copy validated.

Successors are written in one pass, without counting them first. A single thread writes row after row. With several
threads the index of a row is unknown until all rows before it are generated; each thread writes the rows of a
block of boards to its own memory, small enough for the processor's cache, and waits at a gate for the previous
block. Blocks reserve their rows in order, and are copied in parallel.
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

from bgfast.common._threads cimport Task, range_length, run, useful_threads
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Board, WinScheme, board_fault, board_pips, board_pips_opponent, board_read,
    board_result,
)
from bgfast.core.rolls cimport ROLL_COUNT
from bgfast.core.generator.generator cimport (
    INVALID_ROW, MAX_SUCCESSORS, SCRATCH_WORDS, TOO_MANY, Batch, GeneratorRules, InvalidRow, count_batch,
    generate_batch,
)

from bgfast.core.board import fault_text
from bgfast.errors import InvalidDiceError, InvalidPositionError

# Untouched memory has no pages. The first thread that writes to a page waits until the page is cleared, as do all
# other threads that write to it meanwhile; a page may have 2 MiB, enough for many blocks.
cdef extern from * nogil:
    """
    #include <stdint.h>

    #if defined(__linux__)
    #include <sys/mman.h>
    #ifndef MADV_POPULATE_WRITE
    #define MADV_POPULATE_WRITE 23   /* since Linux 5.14; older kernels refuse it, without harm */
    #endif
    #endif

    /* When a thread reserves the memory from `begin` to `end` and thereby enters a new large page, let the system
     * prepare the next page, unless it reaches beyond `limit`. No byte changes. */
    static inline void bg_prepare_page(void *begin, void *end, void *limit)
    {
    #if defined(__linux__)
        const uintptr_t size = (uintptr_t) 1 << 21;
        const uintptr_t entered = ((uintptr_t) begin + size - 1) & ~(size - 1);
        const uintptr_t next = ((uintptr_t) end + size - 1) & ~(size - 1);
        if (entered != next && next + size <= (uintptr_t) limit)
            (void) madvise((void *) next, size, MADV_POPULATE_WRITE);
    #else
        (void) begin;
        (void) end;
        (void) limit;
    #endif
    }
    """
    void bg_prepare_page(void *begin, void *end, void *limit)

cdef enum:
    MIN_SHARE = 2048        # minimum number of segments per thread: some 80 microseconds of counting
    COUNT_RANGE = 1024      # maximum number of segments that a thread counts at a time
    BLOCK_SEGMENTS = 512    # about 10,000 successors
    BLOCK_ROWS = 32768      # rows in the memory of a thread: a block, or all rolls of any board; under a megabyte
    LONG_BLOCK = 8192       # segments between two checks for signals, with a single thread
    SAMPLE = 512            # maximum number of segments in the sample that estimates the number of rows
    MARGIN_ROWS = 256       # rows beyond the estimate: the last segments also take the fast path
    TRIES = 2000            # attempts to pass the gate before a thread sleeps

if BLOCK_ROWS < ROLL_COUNT * MAX_SUCCESSORS // 2:   # rolls other than doubles have few successors
    raise ImportError("BLOCK_ROWS is too small for a board; expected modules built from the same sources")


# ---- requests ----


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
        cdef int64_t board_count = self.boards.shape[0]
        cdef bint is_done = run(self, board_count, range_length(board_count, length, self.threads), self.threads)
        self.raise_invalid()
        return is_done

    cdef int raise_invalid(self) except -1:
        # Ranges start in order, and each stops at its first invalid row, so the first one overall is among these.
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

    `switches` as for `GeneratorRules`; `dice` is None (all rolls), one pair, or a pair for each board.
    `min_share` is the minimum number of boards for a thread.
    """

    def __init__(self, switches, boards, dice, bint flip, bint keep_passes, int64_t min_share, int64_t threads):
        cdef Batch *batch
        cdef int64_t board_count
        self.dice = dice
        self.rolls = ROLL_COUNT if dice is None else 1
        self.take(boards, CHECKERS, min_share, threads)
        board_count = self.boards.shape[0]
        self.segments = self.rolls * board_count
        self.rules = [GeneratorRules(switches) for _ in range(self.threads)]
        self.batches = <Batch *> PyMem_Malloc(self.threads * sizeof(Batch))
        if self.batches == NULL:
            raise MemoryError
        for slot in range(self.threads):
            batch = &self.batches[slot]
            batch.rules = (<GeneratorRules> self.rules[slot]).get()
            batch.boards = &self.boards[0, 0] if board_count else NULL
            batch.dice = NULL
            if self.dice is not None and self.dice.shape[0]:
                batch.dice = &self.dice[0, 0]
                batch.dice_step = 2 if self.dice.shape[0] == board_count else 0
            batch.flip = flip
            batch.keep_passes = keep_passes

    def __dealloc__(self):
        PyMem_Free(self.batches)

    cdef object row_error(self, const InvalidRow *invalid):
        if board_fault(&invalid.board, self.checkers) != FAULT_NONE:
            return BoardTask.row_error(self, invalid)
        die1, die2 = invalid.dice[0], invalid.dice[1]
        return InvalidDiceError(
            f"row {invalid.row}: dice {die1} and {die2}; expected whole numbers from 1 to 6")


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
    """Raise `InvalidPositionError` for the first board that is impossible with `checkers` per side."""
    cdef _Check check = _Check()
    check.take(boards, checkers, 5_000, threads)   # at least two dozen microseconds per thread
    check.share(1_000)


# ---- successors ----


@cython.final
cdef class Fill(Request):
    """Successors and segment offsets; call `into` with larger memory until it returns True."""

    cdef int64_t *offsets
    cdef int8_t *rows
    cdef uint64_t *moves
    cdef int64_t room                 # rows that the memory can hold
    cdef bint is_fresh                # the memory is untouched
    cdef readonly int64_t total       # rows written
    cdef int64_t boards_done          # boards whose rows are written
    cdef int64_t begin                # first board of this call to `into`
    cdef int64_t length               # boards in a block
    cdef bint has_stopped             # no room left, or an invalid board; read only after the gate
    cdef PyThread_type_lock *gates    # block b waits at gate b modulo `gate_count` for the previous block
    cdef int gate_count
    # Memory of the slots, `words` each: scratch and, with several threads, a block's moves and rows. This order
    # aligns words of 8 bytes.
    cdef uint64_t *memory
    cdef size_t words

    def __init__(self, switches, boards, dice, bint flip, bint keep_passes, bint moves, int64_t threads):
        cdef size_t row = BOARD_SIZE + (sizeof(uint64_t) if moves else 0)
        Request.__init__(
            self, switches, boards, dice, flip, keep_passes, boards_for_segments(MIN_SHARE, dice), threads)
        self.words = SCRATCH_WORDS + (BLOCK_ROWS * row // sizeof(uint64_t) if self.threads > 1 else 0)
        self.memory = <uint64_t *> PyMem_Malloc(self.threads * self.words * sizeof(uint64_t))
        if self.memory == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.memory)
        self._free_gates()

    def room_needed(self):
        """Return the probable number of rows, estimated from a sample, with a margin."""
        cdef int64_t board_count = self.boards.shape[0]
        cdef int64_t sample_size = max(1, min(max(16, self.segments // 8), self.segments, SAMPLE) // self.rolls)
        cdef int64_t i, n, segment
        cdef int64_t sizes[ROLL_COUNT]
        cdef double rows, total = 0, squares = 0
        with nogil:
            for i in range(min(sample_size, board_count)):
                n = i * board_count // sample_size
                rows = 0
                if count_batch(&self.batches[0], n, n + 1, sizes, &self.invalid[0]) != INVALID_ROW:
                    for segment in range(self.rolls):
                        rows += sizes[segment]
                total += rows
                squares += rows * rows
        self.invalid[0].row = -1   # `into` reports invalid boards, in the order of the boards
        total /= sample_size
        deviation = sqrt(max(0.0, squares / sample_size - total * total))
        # Three standard errors above the estimate: a second call of `into` is rarely needed.
        return <int64_t> (board_count * (total + 3 * deviation / sqrt(<double> sample_size))) + MARGIN_ROWS

    def into(
        self, int64_t[::1] offsets not None, int8_t[:, ::1] rows not None, int8_t[:, :, ::1] moves, bint fresh,
    ):
        """Continue in memory that holds the rows of earlier calls; return True if all rows are written.

        False means that the memory is too small. `fresh` memory has never been written to.
        """
        cdef int64_t board_count = self.boards.shape[0]
        cdef uint64_t placeholder[4]
        self.offsets = &offsets[0]
        self.offsets[0] = 0
        self.room = rows.shape[0]
        self.is_fresh = fresh
        self.rows = &rows[0, 0] if self.room else <int8_t *> placeholder
        self.moves = NULL
        if moves is not None:
            self.moves = <uint64_t *> &moves[0, 0, 0] if self.room else placeholder
        self.has_stopped = False
        self.begin = self.boards_done
        if self.threads > 1:
            self._make_gates()
        self.length = range_length(
            board_count - self.begin,
            boards_for_segments(BLOCK_SEGMENTS if self.threads > 1 else LONG_BLOCK, self.dice),
            self.threads)
        run(self, board_count - self.begin, self.length, self.threads)
        self.raise_invalid()
        return self.boards_done == board_count

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef int64_t n
        cdef uint64_t *memory = self.memory + slot * self.words
        first += self.begin
        last += self.begin
        if self.threads > 1:
            return self._fill_block(slot, first, last, memory)
        n = generate_batch(
            &self.batches[slot], first, last, self._row(self.total), self._move(self.total),
            self.room - self.total, self._sizes(first), memory, &self.invalid[slot])
        if n < 0:
            return False
        self._sum_sizes(first, last, self.total)
        self.total += n
        self.boards_done = last
        return True

    cdef bint _fill_block(self, int slot, int64_t first, int64_t last, uint64_t *scratch) noexcept nogil:
        cdef const Batch *batch = &self.batches[slot]
        cdef uint64_t *buffer = scratch + SCRATCH_WORDS
        cdef uint64_t *moves = NULL if self.moves == NULL else buffer
        cdef int8_t *rows = <int8_t *> (buffer if self.moves == NULL else buffer + BLOCK_ROWS)
        cdef int64_t block = (first - self.begin) // self.length
        cdef int64_t i, row
        cdef bint continues
        cdef int64_t n = generate_batch(
            batch, first, last, rows, moves, BLOCK_ROWS, self._sizes(first), scratch, &self.invalid[slot])
        self._wait_at_gate(block)
        if n >= 0:
            row = self.total
            continues = self._reserve(n, last)
            self._open_next_gate(block)
            if continues:
                if self.is_fresh:
                    bg_prepare_page(self._row(row), self._row(row + n), self._row(self.room))
                self._copy_block(rows, moves, n, first, last, row)
            return continues
        if n == TOO_MANY:
            # More rows than usual: generate board by board, which always fits.
            for i in range(first, last):
                n = generate_batch(
                    batch, i, i + 1, rows, moves, BLOCK_ROWS, self._sizes(i), scratch, &self.invalid[slot])
                row = self.total
                if n < 0 or not self._reserve(n, i + 1):
                    break
                self._copy_block(rows, moves, n, i, i + 1, row)
        if n == INVALID_ROW:
            if self.has_stopped:
                self.invalid[slot].row = -1   # the call ends before this board
            self.has_stopped = True
        continues = not self.has_stopped
        self._open_next_gate(block)
        return continues

    # ---- memory -------------------------------------------------------------------------------------------------

    cdef int8_t *_row(self, int64_t n) noexcept nogil:
        return self.rows + n * BOARD_SIZE

    cdef uint64_t *_move(self, int64_t n) noexcept nogil:
        return NULL if self.moves == NULL else self.moves + n

    cdef int64_t *_sizes(self, int64_t board) noexcept nogil:
        """Return the memory of a board's segment sizes, before they are summed into offsets."""
        return self.offsets + board * self.rolls + 1

    cdef void _sum_sizes(self, int64_t first, int64_t last, int64_t begin) noexcept nogil:
        """Convert the segment sizes of boards, whose rows start at `begin`, to offsets."""
        cdef int64_t *end = self._sizes(first)
        for _ in range((last - first) * self.rolls):
            begin += end[0]
            end[0] = begin
            end += 1

    cdef bint _reserve(self, int64_t n, int64_t last) noexcept nogil:
        """Reserve rows for the boards up to `last`, if there is room; call only after the block's gate."""
        if self.has_stopped or n > self.room - self.total:
            self.has_stopped = True
            return False
        self.total += n
        self.boards_done = last
        return True

    cdef void _copy_block(
        self, const int8_t *rows, const uint64_t *moves, int64_t n, int64_t first, int64_t last, int64_t row,
    ) noexcept nogil:
        memcpy(self._row(row), rows, n * BOARD_SIZE)
        if moves != NULL:
            memcpy(self._move(row), moves, n * sizeof(uint64_t))
        self._sum_sizes(first, last, row)

    # ---- gates --------------------------------------------------------------------------------------------------

    cdef void _wait_at_gate(self, int64_t block) noexcept nogil:
        # The gate usually opens within microseconds, faster than a thread sleeps and wakes up.
        for _ in range(TRIES):
            if PyThread_acquire_lock(self.gates[block % self.gate_count], NOWAIT_LOCK):
                return
        PyThread_acquire_lock(self.gates[block % self.gate_count], WAIT_LOCK)

    cdef void _open_next_gate(self, int64_t block) noexcept nogil:
        PyThread_release_lock(self.gates[(block + 1) % self.gate_count])

    cdef int _make_gates(self) except -1:
        self._free_gates()
        # One more gate than threads: a block's lock must not be reused while the block is in progress.
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


# ---- counts, and other loops over boards ----


@cython.final
cdef class Count(Request):
    cdef int64_t *sizes

    def __init__(self, switches, boards, dice, bint keep_passes, int64_t threads):
        Request.__init__(
            self, switches, boards, dice, False, keep_passes, boards_for_segments(MIN_SHARE, dice), threads)

    def into(self, int64_t[::1] sizes not None):
        """Write the number of successors of every segment."""
        if self.segments:
            self.sizes = &sizes[0]
            self.share(boards_for_segments(COUNT_RANGE, self.dice))

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
    """Write 1 to 3 where the mover has won, -1 to -3 where the mover has lost, 0 for unfinished games."""
    cdef Board board
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])
            out[i] = board_result(&board, scheme, checkers)
