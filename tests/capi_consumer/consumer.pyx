# cython: language_level=3
"""An engine of somebody else: it cimports bgfast.capi alone, and shows the tests what it gets there."""

from libc.stdint cimport int8_t, uint64_t
from libc.string cimport memset

from bgfast cimport capi
from bgfast.capi cimport (
    BGFAST_BAR, BGFAST_BOARD_SIZE, BGFAST_CHECKERS, BGFAST_MAX_SUCCESSORS, BGFAST_MAX_SUCCESSORS_TWO_DICE,
    BGFAST_MOVES_SIZE, BGFAST_SLACK_ROWS, bgfast_position,
)


cdef extern from *:
    """
    #include <stddef.h>
    #define POINT_OFFSET offsetof(bgfast_position, point)
    """
    enum:
        POINT_OFFSET

cdef enum:
    GUARD_ROWS = 50   # before and behind what `generate` may write to
    GUARD = 77

cdef bgfast_position position   # the one that `take` has read


def layout():
    """The struct and the constants as the compiler sees them."""
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
            "BGFAST_SLACK_ROWS": BGFAST_SLACK_ROWS,
        },
    }


cdef bytes _bytes(const bgfast_position *of):
    return (<const char *> of)[:sizeof(bgfast_position)]


def take(bytes numbers, int padding=0):
    """Read 26 numbers, and set what stands behind them; return the 32 bytes."""
    assert len(numbers) == BGFAST_BOARD_SIZE
    memset(&position, GUARD, sizeof(position))
    capi.read(&position, <const int8_t *> <const char *> numbers)
    position.point[31] = padding
    return _bytes(&position)


def is_valid(int checkers):
    return capi.is_valid(&position, checkers)


def successors(int die1, int die2, bint flip, bint with_moves):
    """What `generate` returns, the bytes of its rows and of its moves, and whether the guards are untouched.

    The guards begin as near as capi.pxd allows: BGFAST_SLACK_ROWS behind the last successor.
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
    untouched = _guards_untouched(
        <const char *> row_memory, sizeof(row_memory), BGFAST_BOARD_SIZE, n + BGFAST_SLACK_ROWS
    ) and _guards_untouched(
        <const char *> move_memory, sizeof(move_memory), BGFAST_MOVES_SIZE,
        n + BGFAST_SLACK_ROWS if with_moves else 0,
    )
    return (
        n,
        (<const char *> rows)[:n * BGFAST_BOARD_SIZE],
        (<const char *> moves)[:n * BGFAST_MOVES_SIZE] if with_moves else None,
        untouched,
    )


cdef bint _guards_untouched(const char *memory, size_t size, size_t row_size, size_t rows):
    """Whether nothing but `rows` rows behind the first guard was written to."""
    cdef size_t first = GUARD_ROWS * row_size
    cdef size_t i
    for i in range(size):
        if not first <= i < first + rows * row_size and memory[i] != GUARD:
            return False
    return True


def count(int die1, int die2):
    return capi.count(&position, die1, die2)


def flipped():
    """The bytes of the flipped position, written elsewhere and in place."""
    cdef bgfast_position out, same = position
    capi.flip(&position, &out)
    capi.flip(&same, &same)
    return _bytes(&out), _bytes(&same)


def measures():
    return {
        "pip_count": capi.pip_count(&position),
        "pip_count_opponent": capi.pip_count_opponent(&position),
        "is_over": capi.is_over(&position),
        "hash": capi.hash(&position),
    }


def equals(bytes numbers):
    cdef bgfast_position other
    capi.read(&other, <const int8_t *> <const char *> numbers)
    return capi.equal(&position, &other)


def tree(bytes numbers):
    """The leaves two plays below, for all rolls of both, and the pips of both sides on them; without the GIL."""
    cdef int8_t rows[(BGFAST_MAX_SUCCESSORS + BGFAST_SLACK_ROWS) * BGFAST_BOARD_SIZE]
    cdef bgfast_position root, child
    cdef long long leaves = 0, pips = 0
    cdef int die1, die2, die3, die4, i, n
    capi.read(&root, <const int8_t *> <const char *> numbers)
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
