# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Perft: the number of positions that follow within a number of plays."""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memcpy

from bgfast.core.board cimport BOARD_SIZE, board_flip, board_read
from bgfast.core.generator cimport MAX_SUCCESSORS, SLACK_ROWS, count, generate

assert LEVEL_BYTES >= (MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE


cdef inline bint _over(const Board *board) noexcept nogil:
    """Whether a side has borne off its last checker."""
    cdef int i
    cdef bint mover = False, opponent = False
    for i in range(BOARD_SIZE):
        mover |= board.point[i] > 0
        opponent |= board.point[i] < 0
    return not (mover and opponent)


cdef int _children(const Board *board, int die1, int die2, int8_t *rows) noexcept nogil:
    """Write the children of one roll, seen from the next player's side; a pass is one child."""
    cdef Board passed
    cdef int n = generate(board, die1, die2, rows, NULL, True)
    if n:
        return n
    board_flip(board, &passed)
    memcpy(rows, passed.point, BOARD_SIZE)
    return 1


cdef uint64_t _leaves_of_roll(
    const Board *board, int die1, int die2, int depth, const uint64_t *weights, bint bulk, int8_t *scratch,
) noexcept nogil:
    cdef Board child
    cdef uint64_t total = 0
    cdef int i, n
    if depth == 1 and bulk:
        n = count(board, die1, die2)
        return n if n else 1
    n = _children(board, die1, die2, scratch)
    if depth == 1:
        return n
    for i in range(n):
        board_read(&child, scratch + i * BOARD_SIZE)
        total += leaves(&child, depth - 1, weights, bulk, scratch + LEVEL_BYTES)
    return total


cdef uint64_t leaves(
    const Board *board, int depth, const uint64_t *weights, bint bulk, int8_t *scratch,
) noexcept nogil:
    cdef uint64_t total = 0
    cdef int die1, die2
    if depth == 0 or _over(board):
        return 1
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            total += weights[die1 != die2] * _leaves_of_roll(board, die1, die2, depth, weights, bulk, scratch)
    return total


def leaves_of_roll(const int8_t[::1] numbers, int die1, int die2, int depth, bint weighted, bint bulk):
    """Return the leaves within `depth` >= 1 plays when the first roll is given; see `bgfast.perft`.

    Assumes a valid, unfinished board and valid dice. Without the GIL while it counts; looks for Ctrl-C
    between the children of the root.
    """
    cdef Board board, child
    cdef uint64_t[2] weights = [1, 2 if weighted else 1]
    cdef uint64_t total = 0
    cdef int i, n
    cdef int8_t *scratch = <int8_t *> PyMem_Malloc(<size_t> depth * LEVEL_BYTES)
    if scratch == NULL:
        raise MemoryError
    try:
        board_read(&board, &numbers[0])
        if depth == 1:
            with nogil:
                total = _leaves_of_roll(&board, die1, die2, depth, weights, bulk, scratch)
            return total
        n = _children(&board, die1, die2, scratch)
        for i in range(n):
            with nogil:
                board_read(&child, scratch + i * BOARD_SIZE)
                total += leaves(&child, depth - 1, weights, bulk, scratch + LEVEL_BYTES)
            PyErr_CheckSignals()
        return total
    finally:
        PyMem_Free(scratch)
