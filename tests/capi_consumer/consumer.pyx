# cython: language_level=3
"""Engine that cimports only bgfast.capi, as other projects would, and returns its results to the tests."""

from cython.parallel cimport prange
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from bgfast cimport capi
from bgfast.capi cimport (
    BGFAST_BAR, BGFAST_BOARD_SIZE, BGFAST_CHECKERS, BGFAST_MAX_SUCCESSORS, BGFAST_MAX_SUCCESSORS_TWO_DICE,
    BGFAST_MOVES_SIZE, BGFAST_NO_ROOM, BGFAST_PROBABILITIES, BGFAST_ROLL_COUNT, BGFAST_SCRATCH_WORDS,
    BGFAST_SLACK_ROWS, bgfast_network, bgfast_position,
)


cdef extern from *:
    """
    #include <stddef.h>
    #define POINT_OFFSET offsetof(bgfast_position, point)
    #ifdef _OPENMP
    #include <omp.h>
    #else
    #define omp_get_thread_num() 0
    #endif
    """
    enum:
        POINT_OFFSET
    int omp_get_thread_num() nogil

cdef enum:
    GUARD_ROWS = 50   # on each side of the rows that `generate` may write to
    GUARD = 77

cdef bgfast_position position   # set by `read_board`


def layout():
    """Return the struct and the constants as the compiler sees them."""
    return {
        "struct": {
            "size": sizeof(bgfast_position),
            "fields": {"point": {"offset": POINT_OFFSET, "size": sizeof(position.point)}},
        },
        "constants": {
            "BGFAST_BAR": BGFAST_BAR,
            "BGFAST_BOARD_SIZE": BGFAST_BOARD_SIZE,
            "BGFAST_CHECKERS": BGFAST_CHECKERS,
            "BGFAST_MAX_SUCCESSORS": BGFAST_MAX_SUCCESSORS,
            "BGFAST_MAX_SUCCESSORS_TWO_DICE": BGFAST_MAX_SUCCESSORS_TWO_DICE,
            "BGFAST_MOVES_SIZE": BGFAST_MOVES_SIZE,
            "BGFAST_NO_ROOM": BGFAST_NO_ROOM,
            "BGFAST_PROBABILITIES": BGFAST_PROBABILITIES,
            "BGFAST_ROLL_COUNT": BGFAST_ROLL_COUNT,
            "BGFAST_SCRATCH_WORDS": BGFAST_SCRATCH_WORDS,
            "BGFAST_SLACK_ROWS": BGFAST_SLACK_ROWS,
        },
    }


cdef bytes _bytes(const bgfast_position *source):
    return (<const char *> source)[:sizeof(bgfast_position)]


def read_board(bytes board, int padding=0):
    """Read a board of 26 bytes, and set the last byte of the padding; return the 32 bytes."""
    assert len(board) == BGFAST_BOARD_SIZE
    memset(&position, GUARD, sizeof(position))
    capi.read(&position, <const int8_t *> <const char *> board)
    position.point[31] = padding
    return _bytes(&position)


def is_valid(int checkers):
    return capi.is_valid(&position, checkers)


def successors(int die1, int die2, bint flip, bint with_moves):
    """Return the result of `generate`, its rows and moves as bytes, and whether the guards are untouched.

    The rear guards begin where capi.pxd allows no more writes: BGFAST_SLACK_ROWS rows after the last successor.
    """
    cdef int8_t row_memory[(BGFAST_MAX_SUCCESSORS + BGFAST_SLACK_ROWS + 2 * GUARD_ROWS) * BGFAST_BOARD_SIZE]
    cdef uint64_t move_memory[BGFAST_MAX_SUCCESSORS + BGFAST_SLACK_ROWS + 2 * GUARD_ROWS]
    cdef int8_t *rows = row_memory + GUARD_ROWS * BGFAST_BOARD_SIZE
    cdef uint64_t *moves = move_memory + GUARD_ROWS
    cdef int n
    memset(row_memory, GUARD, sizeof(row_memory))
    memset(move_memory, GUARD, sizeof(move_memory))
    with nogil:
        n = capi.generate(&position, die1, die2, rows, moves if with_moves else NULL, flip)
    untouched = _are_guards_untouched(
        <const char *> row_memory, sizeof(row_memory), BGFAST_BOARD_SIZE, n + BGFAST_SLACK_ROWS
    ) and _are_guards_untouched(
        <const char *> move_memory, sizeof(move_memory), BGFAST_MOVES_SIZE,
        n + BGFAST_SLACK_ROWS if with_moves else 0,
    )
    return (
        n,
        (<const char *> rows)[:n * BGFAST_BOARD_SIZE],
        (<const char *> moves)[:n * BGFAST_MOVES_SIZE] if with_moves else None,
        untouched,
    )


cdef bint _are_guards_untouched(const char *memory, size_t size, size_t row_size, size_t rows):
    """Return whether only `rows` rows after the first guard were written to."""
    cdef size_t first = GUARD_ROWS * row_size
    cdef size_t i
    for i in range(size):
        if not first <= i < first + rows * row_size and memory[i] != GUARD:
            return False
    return True


def count(int die1, int die2):
    return capi.count(&position, die1, die2)


def flip_position():
    """Return the bytes of the flipped position, written elsewhere and in place."""
    cdef bgfast_position out, in_place = position
    capi.flip(&position, &out)
    capi.flip(&in_place, &in_place)
    return _bytes(&out), _bytes(&in_place)


def measures():
    return {
        "pip_count": capi.pip_count(&position),
        "pip_count_opponent": capi.pip_count_opponent(&position),
        "is_over": capi.is_over(&position),
        "hash": capi.hash(&position),
    }


def equals(bytes board):
    cdef bgfast_position other
    capi.read(&other, <const int8_t *> <const char *> board)
    return capi.equal(&position, &other)


def count_tree(bytes board):
    """Return the number of leaves after two plays, and the total pips after the first, without the GIL."""
    cdef int8_t rows[(BGFAST_MAX_SUCCESSORS + BGFAST_SLACK_ROWS) * BGFAST_BOARD_SIZE]
    cdef bgfast_position root, child
    cdef long long leaves = 0, pips = 0
    cdef int die1, die2, die3, die4, i, n
    capi.read(&root, <const int8_t *> <const char *> board)
    with nogil:
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                n = capi.generate(&root, die1, die2, rows, NULL, True)
                for i in range(n):
                    capi.read(&child, rows + i * BGFAST_BOARD_SIZE)
                    pips += capi.pip_count(&child) + capi.pip_count_opponent(&child)
                    if capi.is_over(&child) or not capi.is_valid(&child, BGFAST_CHECKERS):
                        continue
                    for die3 in range(1, 7):
                        for die4 in range(1, die3 + 1):
                            leaves += capi.count(&child, die3, die4)
    return leaves, pips


def count_batch(const int8_t[:, ::1] boards not None, const int8_t[:, ::1] dice, bint with_sizes):
    """Return the result of `count_batch`, and the sizes if they are requested."""
    cdef int64_t board_count = boards.shape[0]
    cdef int64_t segments = board_count * (BGFAST_ROLL_COUNT if dice is None else 1)
    cdef const int8_t *pairs = NULL
    cdef int64_t *sizes = <int64_t *> malloc(segments * sizeof(int64_t))
    cdef int64_t total
    if dice is not None:
        pairs = &dice[0, 0]
    with nogil:
        total = capi.count_batch(&boards[0, 0], pairs, board_count, sizes if with_sizes else NULL)
    try:
        return total, [sizes[i] for i in range(segments)] if with_sizes and total >= 0 else None
    finally:
        free(sizes)


def generate_batch(
    const int8_t[:, ::1] boards not None, const int8_t[:, ::1] dice, bint flip, int8_t[:, ::1] rows not None,
    uint64_t[::1] moves, int64_t[::1] sizes, int64_t room,
):
    """Return the result of `generate_batch`; the buffers belong to the caller."""
    cdef uint64_t scratch[BGFAST_SCRATCH_WORDS]
    cdef const int8_t *pairs = NULL
    cdef uint64_t *move_output = NULL
    cdef int64_t *size_output = NULL
    cdef int64_t n
    if dice is not None:
        pairs = &dice[0, 0]
    if moves is not None:
        move_output = &moves[0]
    if sizes is not None:
        size_output = &sizes[0]
    with nogil:
        n = capi.generate_batch(
            &boards[0, 0], pairs, boards.shape[0], flip, &rows[0, 0], move_output, room, size_output, scratch)
    return n


def generate_in_threads(
    const int8_t[:, ::1] boards not None, bint flip, int8_t[:, ::1] rows not None,
    const int64_t[::1] offsets not None, int threads, int64_t parts,
):
    """Generate successors for all rolls in parallel; return the number of rows and whether several threads ran."""
    cdef int64_t board_count = boards.shape[0]
    cdef int64_t part, first, last, begin, end, n, total = 0
    cdef uint64_t *scratch = <uint64_t *> malloc(threads * BGFAST_SCRATCH_WORDS * sizeof(uint64_t))
    cdef int worker_parts = 0
    for part in prange(parts, nogil=True, num_threads=threads, schedule="dynamic"):
        first = board_count * part // parts
        last = board_count * (part + 1) // parts
        begin = offsets[BGFAST_ROLL_COUNT * first]
        end = offsets[BGFAST_ROLL_COUNT * last]
        n = capi.generate_batch(
            &boards[first, 0], NULL, last - first, flip, &rows[begin, 0], NULL, end - begin, NULL,
            scratch + omp_get_thread_num() * BGFAST_SCRATCH_WORDS)
        total += n
        worker_parts += omp_get_thread_num() > 0
    free(scratch)
    return total, worker_parts > 0


cdef class Player:
    cdef object network
    cdef const bgfast_network *handle

    def __init__(self, network):
        self.handle = capi.network_of(network)
        self.network = network

    def evaluate(self):
        """Return the probabilities of the position, their equity, and whether the guard is untouched."""
        cdef float outputs[BGFAST_PROBABILITIES + 1]
        cdef float equity
        outputs[BGFAST_PROBABILITIES] = GUARD
        with nogil:
            capi.evaluate(self.handle, &position, outputs)
            equity = capi.equity(outputs)
        return [outputs[i] for i in range(BGFAST_PROBABILITIES)], equity, outputs[BGFAST_PROBABILITIES] == GUARD

    def best(self, int die1, int die2):
        """Return the result of `best_successor`, the bytes of the successor and of the moves, and the value."""
        cdef uint64_t scratch[BGFAST_SCRATCH_WORDS + 1]
        cdef bgfast_position successor, in_place = position
        cdef uint64_t moves
        cdef float value
        cdef int n
        scratch[BGFAST_SCRATCH_WORDS] = GUARD
        with nogil:
            n = capi.best_successor(self.handle, &position, die1, die2, &successor, &moves, &value, scratch)
        assert capi.best_successor(self.handle, &in_place, die1, die2, &in_place, NULL, NULL, scratch) == n
        assert _bytes(&in_place) == _bytes(&successor)
        assert scratch[BGFAST_SCRATCH_WORDS] == GUARD
        return n, _bytes(&successor), (<const char *> &moves)[:BGFAST_MOVES_SIZE], value

    def evaluate_batch(self, const int8_t[:, ::1] boards not None, float[:, ::1] out not None):
        """Return the result of `evaluate_batch`; `out` belongs to the caller."""
        cdef int64_t n
        with nogil:
            n = capi.evaluate_batch(self.handle, &boards[0, 0], boards.shape[0], &out[0, 0])
        return n

    def best_batch(
        self, const int8_t[:, ::1] boards not None, const int8_t[:, ::1] dice not None,
        int8_t[:, ::1] rows not None, uint64_t[::1] moves, float[::1] values,
    ):
        """Return the result of `best_successor_batch`; the buffers belong to the caller."""
        cdef uint64_t scratch[BGFAST_SCRATCH_WORDS]
        cdef uint64_t *move_output = NULL
        cdef float *value_output = NULL
        cdef int64_t n
        if moves is not None:
            move_output = &moves[0]
        if values is not None:
            value_output = &values[0]
        with nogil:
            n = capi.best_successor_batch(
                self.handle, &boards[0, 0], &dice[0, 0], boards.shape[0],
                &rows[0, 0], move_output, value_output, scratch)
        return n

    def empty_batches(self, int64_t board_count):
        """Return the results of all batch functions for a `board_count` that is not positive."""
        cdef uint64_t scratch[BGFAST_SCRATCH_WORDS]
        cdef int64_t counted, generated, evaluated, chosen
        with nogil:
            counted = capi.count_batch(NULL, NULL, board_count, NULL)
            generated = capi.generate_batch(NULL, NULL, board_count, False, NULL, NULL, 0, NULL, scratch)
            evaluated = capi.evaluate_batch(self.handle, NULL, board_count, NULL)
            chosen = capi.best_successor_batch(self.handle, NULL, NULL, board_count, NULL, NULL, NULL, scratch)
        return counted, generated, evaluated, chosen

    def evaluate_in_threads(self, const int8_t[:, ::1] boards not None, float[:, ::1] out not None, int threads):
        """Write the probabilities of boards to `out`, in several threads."""
        cdef int64_t i
        for i in prange(boards.shape[0], nogil=True, num_threads=threads, schedule="dynamic"):
            capi.evaluate_batch(self.handle, &boards[i, 0], 1, &out[i, 0])
