# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Perft: the number of positions that follow within a number of plays."""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.string cimport memcpy

from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, Fault, board_fault, board_flip, board_over, board_read,
)
from bgfast.core.generator cimport MAX_SUCCESSORS, SLACK_ROWS, count, generate
from bgfast.core.rules cimport HeldRules, Rules

from bgfast.core.board import fault_text
from bgfast.errors import InvalidPositionError

assert LEVEL_BYTES >= (MAX_SUCCESSORS + SLACK_ROWS) * BOARD_SIZE


cdef int children(const Rules *rules, const Board *board, int die1, int die2, int8_t *rows) noexcept nogil:
    cdef Board passed
    cdef int n = generate(rules, board, die1, die2, rows, NULL, True)
    if n:
        return n
    board_flip(board, &passed)
    memcpy(rows, passed.point, BOARD_SIZE)
    return 1


cdef int _leaves_of_roll(
    const Rules *rules, const Board *board, int die1, int die2, int depth, const uint64_t *weights, bint bulk,
    int8_t *scratch, uint64_t *total,
) except -1 nogil:
    cdef Board child
    cdef int i, n
    if depth == 1 and bulk:
        n = count(rules, board, die1, die2)
        total[0] += n if n else 1
        return 0
    n = children(rules, board, die1, die2, scratch)
    if depth == 1:
        total[0] += n
        return 0
    for i in range(n):
        board_read(&child, scratch + i * BOARD_SIZE)
        leaves(rules, &child, depth - 1, weights, bulk, scratch + LEVEL_BYTES, total)
    return 0


cdef int leaves(
    const Rules *rules, const Board *board, int depth, const uint64_t *weights, bint bulk, int8_t *scratch,
    uint64_t *total,
) except -1 nogil:
    cdef uint64_t of_roll
    cdef int die1, die2
    if depth == 0 or board_over(board):
        total[0] += 1
        return 0
    if depth >= 3:   # some tenths of a second of work lie below
        with gil:
            PyErr_CheckSignals()
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            of_roll = 0
            _leaves_of_roll(rules, board, die1, die2, depth, weights, bulk, scratch, &of_roll)
            total[0] += weights[die1 != die2] * of_roll
    return 0


def leaves_of_roll(
    switches, const int8_t[::1] numbers, int die1, int die2, int depth, bint weighted, bint bulk,
):
    """Return the leaves within `depth` >= 1 plays when the first roll is given; see `bgfast.perft`.

    `switches` are the rules, as for `HeldRules`.

    Assumes an unfinished game, valid dice and a depth of at most `bgfast.analysis.perft.MAX_DEPTH`; refuses a
    board that cannot be. Counts without the GIL; sees Ctrl-C.
    """
    cdef HeldRules held = HeldRules(switches)
    cdef const Rules *rules = held.get()
    cdef Board board
    cdef uint64_t[2] weights = [1, 2 if weighted else 1]
    cdef uint64_t total = 0
    cdef Fault fault
    cdef int8_t *scratch
    if numbers.shape[0] != BOARD_SIZE:
        raise InvalidPositionError(f"a board of {numbers.shape[0]} numbers; expected {BOARD_SIZE}")
    board_read(&board, &numbers[0])
    fault = board_fault(&board, CHECKERS)
    if fault != FAULT_NONE:
        raise InvalidPositionError(fault_text(fault, numbers, CHECKERS))
    scratch = <int8_t *> PyMem_Malloc(<size_t> depth * LEVEL_BYTES)
    if scratch == NULL:
        raise MemoryError
    try:
        with nogil:
            _leaves_of_roll(rules, &board, die1, die2, depth, weights, bulk, scratch, &total)
        return total
    finally:
        PyMem_Free(scratch)
