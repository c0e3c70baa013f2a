# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Equal positions merged with their multiplicities, so that a tree counts each of them once a level.

A level of the tree is a table of distinct boards, each with the number of ways that lead to it. Tables are made
for one part of the positions at a time, chosen by hash: parts can go to different threads, and only one part of
the largest level is in memory for each of them.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stddef cimport size_t
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from bgfast.core.board cimport BOARD_SIZE, Board, board_equal, board_hash, board_over, board_read
from bgfast.core.tree cimport LEVEL_BYTES, children, leaves

cnp.import_array()

cdef enum:
    FIRST_SIZE = 1024
    PART_SHIFT = 40   # parts are chosen by other bits of the hash than places in a table


cdef struct Entry:
    Board board
    uint64_t ways      # 0: the place is free


cdef struct Table:
    Entry *entries
    size_t size        # a power of two
    size_t used


cdef int _grow(Table *table) noexcept nogil:
    """Double the table; -1 if there is no memory, and the table as it was."""
    cdef size_t size = table.size * 2 if table.size else FIRST_SIZE
    cdef Entry *entries = <Entry *> PyMem_RawMalloc(size * sizeof(Entry))
    cdef size_t i, place
    if entries == NULL:
        return -1
    memset(entries, 0, size * sizeof(Entry))
    for i in range(table.size):
        if table.entries[i].ways:
            place = board_hash(&table.entries[i].board) & (size - 1)
            while entries[place].ways:
                place = (place + 1) & (size - 1)
            entries[place] = table.entries[i]
    PyMem_RawFree(table.entries)
    table.entries = entries
    table.size = size
    return 0


cdef inline int _add(Table *table, const Board *board, uint64_t hash, uint64_t ways) noexcept nogil:
    """Add ways to a board; -1 if there is no memory."""
    cdef size_t place
    if 4 * table.used >= 3 * table.size and _grow(table) < 0:
        return -1
    place = hash & (table.size - 1)
    while table.entries[place].ways:
        if board_equal(&table.entries[place].board, board):
            table.entries[place].ways += ways
            return 0
        place = (place + 1) & (table.size - 1)
    table.entries[place].board = board[0]
    table.entries[place].ways = ways
    table.used += 1
    return 0


cdef int _fill(
    Table *table, const int8_t *boards, const uint64_t *ways, int64_t n, const uint64_t *weights, int64_t part,
    int64_t parts, int8_t *scratch, uint64_t *finished,
) noexcept nogil:
    """Merge the children of n boards that belong to the part; add the ways to finished games to `finished`."""
    cdef Board board, child
    cdef int64_t i
    cdef uint64_t hash
    cdef int die1, die2, j, m
    for i in range(n):
        board_read(&board, boards + i * BOARD_SIZE)
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                m = children(&board, die1, die2, scratch)
                for j in range(m):
                    board_read(&child, scratch + j * BOARD_SIZE)
                    hash = board_hash(&child)
                    if <int64_t> ((hash >> PART_SHIFT) % <uint64_t> parts) != part:
                        continue
                    if board_over(&child):
                        finished[0] += ways[i] * weights[die1 != die2]
                    elif _add(table, &child, hash, ways[i] * weights[die1 != die2]) < 0:
                        return -1
    return 0


def merged_children(
    const int8_t[:, ::1] boards, const uint64_t[::1] ways, bint weighted, int64_t part, int64_t parts,
):
    """Return (boards, ways, finished): the distinct unfinished children of these boards that belong to the part.

    Boards are unfinished, from the side of their player on roll; children from the next player's side. `finished`
    is the sum of the ways to finished games of the part. The order is arbitrary but the same every time.
    """
    cdef Table table
    cdef uint64_t[2] weights = [1, 2 if weighted else 1]
    cdef uint64_t finished = 0
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(LEVEL_BYTES)
    cdef int8_t[:, ::1] found
    cdef uint64_t[::1] found_ways
    cdef size_t i
    cdef int64_t at = 0
    cdef int failed = -1
    memset(&table, 0, sizeof(Table))
    try:
        if scratch != NULL:
            with nogil:
                if boards.shape[0]:
                    failed = _fill(&table, &boards[0, 0], &ways[0], boards.shape[0], weights, part, parts, scratch,
                                   &finished)
                else:
                    failed = 0
        if failed:
            raise MemoryError
        found = np.empty((table.used, BOARD_SIZE), np.int8)
        found_ways = np.empty(table.used, np.uint64)
        with nogil:
            for i in range(table.size):
                if table.entries[i].ways:
                    memcpy(&found[at, 0], table.entries[i].board.point, BOARD_SIZE)
                    found_ways[at] = table.entries[i].ways
                    at += 1
        return np.asarray(found), np.asarray(found_ways), finished
    finally:
        PyMem_RawFree(table.entries)
        PyMem_RawFree(scratch)


def leaves_below(const int8_t[:, ::1] boards, const uint64_t[::1] ways, int depth, bint weighted):
    """Return the leaves within `depth` plays of each board, times its ways, summed modulo 2**64; sees Ctrl-C."""
    cdef uint64_t[2] weights = [1, 2 if weighted else 1]
    cdef uint64_t total = 0
    cdef uint64_t here
    cdef Board board
    cdef int64_t i
    cdef int8_t *scratch = <int8_t *> PyMem_RawMalloc(<size_t> depth * LEVEL_BYTES)
    if scratch == NULL:
        raise MemoryError
    try:
        with nogil:
            for i in range(boards.shape[0]):
                board_read(&board, &boards[i, 0])
                here = 0
                leaves(&board, depth, weights, True, scratch, &here)
                total += ways[i] * here
        return total
    finally:
        PyMem_RawFree(scratch)
