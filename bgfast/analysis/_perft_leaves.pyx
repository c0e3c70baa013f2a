# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The leaves below many positions, where the last ply of a position that was met before is not counted again.

Positions that differ little have many children in common, most of all where the opponent, who is on roll next,
stands the same in both. `merged_children` hands them over in that order; then a small memory of what was counted
last, which a processor's cache can hold, answers four children of five.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from bgfast.core.board cimport BOARD_SIZE, Board, board_hash, board_over, board_read
from bgfast.core.generator cimport count_batch
from bgfast.core.kernel cimport Batch
from bgfast.core.rules cimport HeldRules, Rules
from bgfast.analysis._perft cimport LEVEL_BYTES, children

cdef enum:
    PLACES = 262144   # a power of two: 8 MiB of memory, within what processors cache nowadays


cdef struct Known:
    int8_t point[26]   # zeros, which is no board, where nothing is known yet
    uint32_t leaves    # one ply below this board


cdef struct Memory:
    Known known[PLACES]


cdef uint32_t _last_ply(
    const Rules *rules, Memory *memory, const Board *board, const uint64_t *weights,
) noexcept nogil:
    """The leaves one ply below a board, remembered until another one needs the place."""
    cdef Known *place = &memory.known[board_hash(board) & (PLACES - 1)]
    cdef uint32_t leaves
    cdef Batch all_rolls
    cdef int64_t sizes[21]
    cdef int die1, die2, roll
    if memcmp(place.point, board.point, BOARD_SIZE) == 0:
        return place.leaves
    if board_over(board):
        leaves = 1
    else:
        memset(&all_rolls, 0, sizeof(Batch))
        all_rolls.rules = rules
        all_rolls.boards = &board.point[0]
        all_rolls.keep_passes = True
        count_batch(&all_rolls, 0, 1, sizes)
        leaves = 0
        roll = 0
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                leaves += <uint32_t> (sizes[roll] * <int64_t> weights[die1 != die2])
                roll += 1
    memcpy(place.point, board.point, BOARD_SIZE)
    place.leaves = leaves
    return leaves


cdef int _add_leaves(
    const Rules *rules, Memory *memory, const Board *board, int depth, const uint64_t *weights, int8_t *scratch,
    uint64_t *total,
) except -1 nogil:
    cdef Board child
    cdef uint64_t of_roll
    cdef int die1, die2, i, n
    if depth == 1:
        total[0] += _last_ply(rules, memory, board, weights)
        return 0
    if board_over(board):
        total[0] += 1
        return 0
    if depth >= 3:   # some tenths of a second of work lie below
        with gil:
            PyErr_CheckSignals()
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            n = children(rules, board, die1, die2, scratch)
            of_roll = 0
            for i in range(n):
                board_read(&child, scratch + i * BOARD_SIZE)
                _add_leaves(rules, memory, &child, depth - 1, weights, scratch + LEVEL_BYTES, &of_roll)
            total[0] += of_roll * weights[die1 != die2]
    return 0


def leaves_below(
    switches, const int8_t[:, ::1] boards, const uint64_t[:, ::1] ways, int depth, bint weighted,
):
    """Return the leaves within `depth` >= 1 plays of each board, times its ways, summed by column modulo 2**64.

    `switches` are the rules, as for `HeldRules`; `ways` has a row for each board. Counts without the GIL; sees
    Ctrl-C.
    """
    cdef HeldRules held = HeldRules(switches)
    cdef const Rules *rules = held.get()
    cdef uint64_t[2] weights = [1, 2 if weighted else 1]
    cdef uint64_t[::1] total = np.zeros(ways.shape[1], np.uint64)
    cdef uint64_t here
    cdef Board board
    cdef int64_t i, column
    cdef Memory *memory = <Memory *> PyMem_RawMalloc(sizeof(Memory))
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(<size_t> depth * LEVEL_BYTES)
    try:
        if memory == NULL or scratch == NULL:
            raise MemoryError
        memset(memory, 0, sizeof(Memory))
        with nogil:
            for i in range(boards.shape[0]):
                board_read(&board, &boards[i, 0])
                here = 0
                _add_leaves(rules, memory, &board, depth, weights, scratch, &here)
                for column in range(ways.shape[1]):
                    total[column] += ways[i, column] * here
        return np.asarray(total)
    finally:
        PyMem_RawFree(memory)
        PyMem_RawFree(scratch)
